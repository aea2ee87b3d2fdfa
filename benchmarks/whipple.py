"""The Whipple bicycle, nothing reduced: 9 coordinates, 2 contacts and 4 rolling conditions [Meijaard et al. 2007].

Written once over any module `xp` with sin, cos and sqrt, so that every side gets the same description. Axes: x ahead,
y to the right, z down. q = (x, y, z) of the rear hub, yaw, lean, pitch, steer, rotations of the rear and front wheel.
All values are those of the published benchmark bicycle.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

import numpy as np
import sympy as sp
from scipy.optimize import brentq

import dalembert as da

Q = ("x", "y", "z", "yaw", "lean", "pitch", "steer", "rear", "front")
GRAVITY, TILT = 9.81, math.pi / 10
REAR_RADIUS, FRONT_RADIUS, BASE, TRAIL = 0.3, 0.35, 1.02, 0.08
# mass, then the tensor of inertia in the axes of the upright bicycle
REAR = (2.0, ((0.0603, 0, 0), (0, 0.12, 0), (0, 0, 0.0603)))
BODY = (85.0, ((9.2, 0, 2.4), (0, 11.0, 0), (2.4, 0, 2.8)))
FORK = (4.0, ((0.05892, 0, -0.00756), (0, 0.06, 0), (-0.00756, 0, 0.00708)))
FRONT = (3.0, ((0.1405, 0, 0), (0, 0.28, 0), (0, 0, 0.1405)))
# from the rear hub to the body's centre and to the steering axis; from there to the fork's centre and the front hub
TO_BODY = (0.3, 0, -0.9 + REAR_RADIUS)
TO_AXIS = (BASE + TRAIL, 0, REAR_RADIUS)
AXIS_TO_FORK = (0.9 - BASE - TRAIL, 0, -0.7)
AXIS_TO_FRONT = (-TRAIL, 0, -FRONT_RADIUS)

PLACE = {"x": 0.0, "y": 0.0, "yaw": 0.0, "lean": 0.05, "steer": 0.02, "rear": 0.0, "front": 0.0}
RATES = {"vlean": 0.1, "vsteer": 0.0, "vrear": -5.0 / REAR_RADIUS}


# --- vectors of numbers or expressions; exact zeros and ones leave no trace ------------------------------------------


def _times(a: Any, b: Any) -> Any:
    for one, other in ((a, b), (b, a)):
        if isinstance(one, int | float):
            if one == 0:
                return 0
            if one == 1:
                return other
    return a * b


def _sum(*terms: Any) -> Any:
    kept = [t for t in terms if not (isinstance(t, int | float) and t == 0)]
    total = kept[0] if kept else 0
    for term in kept[1:]:
        total = total + term
    return total


def _dot(a: Sequence[Any], b: Sequence[Any]) -> Any:
    return _sum(*(_times(x, y) for x, y in zip(a, b, strict=True)))


def _plus(*vectors: Sequence[Any]) -> list[Any]:
    return [_sum(*parts) for parts in zip(*vectors, strict=True)]


def _scaled(factor: Any, a: Sequence[Any]) -> list[Any]:
    return [_times(factor, x) for x in a]


def _cross(a: Sequence[Any], b: Sequence[Any]) -> list[Any]:
    return [_sum(_times(a[i], b[j]), _times(-1.0, _times(a[j], b[i]))) for i, j in ((1, 2), (2, 0), (0, 1))]


def _on(R: Sequence[Sequence[Any]], a: Sequence[Any]) -> list[Any]:
    return [_dot(row, a) for row in R]


def _back(R: Sequence[Sequence[Any]], a: Sequence[Any]) -> list[Any]:
    return [_dot(column, a) for column in zip(*R, strict=True)]


def _turn(xp: Any, axis: int, angle: Any) -> list[list[Any]]:
    s, c = xp.sin(angle), xp.cos(angle)
    R: list[list[Any]] = [[int(i == j) for j in range(3)] for i in range(3)]
    i, j = (axis + 1) % 3, (axis + 2) % 3
    R[i][i], R[i][j], R[j][i], R[j][j] = c, -1.0 * s, s, c
    return R


class Motion:
    """Orientations and angular velocities at q, v: B the rear frame, H the fork, N the axes at rest."""

    def __init__(self, xp: Any, q: Sequence[Any], v: Sequence[Any]) -> None:
        self.xp, self.q, self.v = xp, q, v
        self.yaw, self.lean, self.pitch = _turn(xp, 2, q[3]), _turn(xp, 0, q[4]), _turn(xp, 1, q[5])
        self.steer, self.tilt = _turn(xp, 2, q[6]), _turn(math, 1, TILT)
        swing = _plus(_back(self.lean, [0, 0, v[3]]), [v[4], 0, 0])
        self.w = _plus(_back(self.pitch, swing), [0, v[5], 0])
        self.w_fork = _plus(self.to_fork(self.w), _scaled(v[6], _on(self.tilt, [0, 0, 1])))

    def to_rest(self, a: Sequence[Any]) -> list[Any]:
        """B -> N."""
        return _on(self.yaw, _on(self.lean, _on(self.pitch, a)))

    def to_frame(self, a: Sequence[Any]) -> list[Any]:
        """N -> B."""
        return _back(self.pitch, _back(self.lean, _back(self.yaw, a)))

    def to_fork(self, a: Sequence[Any]) -> list[Any]:
        """B -> H; the two agree while steer = 0."""
        return _on(self.tilt, _back(self.steer, _back(self.tilt, a)))

    def from_fork(self, a: Sequence[Any]) -> list[Any]:
        """H -> B."""
        return _on(self.tilt, _on(self.steer, _back(self.tilt, a)))


def _kinetic(body: tuple[float, Any], velocity: Sequence[Any], w: Sequence[Any]) -> Any:
    mass, tensor = body
    return _sum(0.5 * mass * _dot(velocity, velocity), 0.5 * _dot(w, _on(tensor, w)))


def lagrangian(xp: Any, q: Sequence[Any], v: Sequence[Any]) -> Any:
    """T - V of the four bodies."""
    at = Motion(xp, q, v)
    hub = at.to_frame(v[:3])
    axis = at.to_fork(_plus(hub, _cross(at.w, TO_AXIS)))
    T = _sum(
        _kinetic(REAR, v[:3], _plus(at.w, [0, v[7], 0])),
        _kinetic(BODY, _plus(hub, _cross(at.w, TO_BODY)), at.w),
        _kinetic(FORK, _plus(axis, _cross(at.w_fork, AXIS_TO_FORK)), at.w_fork),
        _kinetic(FRONT, _plus(axis, _cross(at.w_fork, AXIS_TO_FRONT)), _plus(at.w_fork, [0, v[8], 0])),
    )
    steered = _plus(
        _scaled(FORK[0] + FRONT[0], TO_AXIS),
        at.from_fork(_plus(_scaled(FORK[0], AXIS_TO_FORK), _scaled(FRONT[0], AXIS_TO_FRONT))),
    )
    moment = at.to_rest(_plus(_scaled(BODY[0], TO_BODY), steered))
    return T + GRAVITY * _sum((REAR[0] + BODY[0] + FORK[0] + FRONT[0]) * q[2], moment[2])  # z points down


def _to_contact(xp: Any, axle: Sequence[Any], radius: float) -> list[Any]:
    """From the hub to the lowest point of the wheel:  r (e_z - a_z a)/|e_z - a_z a|."""
    root = xp.sqrt(1.0 - axle[2] * axle[2])
    flat = [radius * (-1.0 * axle[2] * a) / root for a in axle[:2]]
    return [*flat, radius * root]


def _wheels(at: Motion) -> tuple[list[Any], list[Any], list[Any]]:
    """From the rear hub to the front one, and from each hub to its contact, in axes at rest."""
    rear = _to_contact(at.xp, at.to_rest([0, 1, 0]), REAR_RADIUS)
    front = _to_contact(at.xp, at.to_rest(at.from_fork([0, 1, 0])), FRONT_RADIUS)
    return at.to_rest(_plus(TO_AXIS, at.from_fork(AXIS_TO_FRONT))), rear, front


def contacts(xp: Any, q: Sequence[Any]) -> list[Any]:
    """Heights of the two contact points above the ground: 0."""
    between, rear, front = _wheels(Motion(xp, q, [0] * 9))
    return [q[2] + rear[2], q[2] + between[2] + front[2]]


def slips(xp: Any, q: Sequence[Any], v: Sequence[Any]) -> list[Any]:
    """Velocities of the wheels' points at the contacts, along x and y: 0."""
    at = Motion(xp, q, v)
    _, rear, front = _wheels(at)
    frame, fork = at.to_rest(at.w), at.to_rest(at.from_fork(at.w_fork))
    rear_spin = _plus(frame, _scaled(v[7], at.to_rest([0, 1, 0])))
    front_spin = _plus(fork, _scaled(v[8], at.to_rest(at.from_fork([0, 1, 0]))))
    hub = _plus(v[:3], _cross(frame, at.to_rest(TO_AXIS)), _cross(fork, at.to_rest(at.from_fork(AXIS_TO_FRONT))))
    at_rear, at_front = _plus(v[:3], _cross(rear_spin, rear)), _plus(hub, _cross(front_spin, front))
    return [*at_rear[:2], *at_front[:2]]


# --- our side --------------------------------------------------------------------------------------------------------


def system() -> da.System:
    """The bicycle as a user gives it."""
    space = da.coordinates(" ".join(Q), velocities=" ".join(f"v{n}" for n in Q))
    q, v = list(space.coordinates), list(space.velocities)
    touch, slip = contacts(sp, q), slips(sp, q, v)
    constraints = dict(zip(("rear_contact", "front_contact"), touch, strict=True))
    constraints |= dict(zip(("rear_x", "rear_y", "front_x", "front_y"), slip, strict=True))
    return da.System(space, lagrangian(sp, q, v), constraints, title="Whipple bicycle")


@cache
def equations() -> da.Equations:
    """Its equations of motion."""
    return da.nonholonomic(system())


@cache
def start() -> da.Start:
    """Riding at about 5 m/s, leaning a little."""
    return completed(PLACE, RATES)


def completed(place: Mapping[str, float], rates: Mapping[str, float]) -> da.Start:
    """A start with both wheels on the ground and rolling; place and rates as `PLACE` and `RATES`."""

    def height(pitch: float) -> float:
        rear, front = contacts(math, [place.get(n, pitch if n == "pitch" else 0.0) for n in Q])
        return float(front - rear)

    # the height of the rear hub follows from the lean alone, so the pitch is that of equal heights of both contacts
    pitch = brentq(height, -0.1, 0.1, xtol=1e-16, rtol=1e-15)
    return equations().start(**place, pitch=float(pitch), **rates)


@cache
def many(count: int, seed: int = 0) -> np.ndarray:
    """Starts (count, 18) in one place with other rates of lean, steer and wheel; constraints are linear in them."""
    base = [np.array([completed(PLACE, {n: float(n == k) for n in RATES})[f"v{n}"] for n in Q]) for k in RATES]
    rng = np.random.default_rng(seed)
    rates = np.array(list(RATES.values())) * (1 + 0.1 * rng.uniform(-1, 1, (count, 3)))
    rates[:, 1] = 0.1 * rng.uniform(-1, 1, count)
    place = np.array([start()[n] for n in Q])
    return np.hstack([np.repeat(place[None], count, axis=0), rates @ np.array(base)])


# --- as expressions of heyoka ----------------------------------------------------------------------------------------


def for_heyoka(hy: Any) -> list[tuple[Any, Any]]:
    """dq/dt = v, dv/dt = a with a from  M a = f + A^T lam,  A a = c,  by elimination of a, then of lam."""
    q, v = hy.make_vars(*(f"q{i}" for i in range(9))), hy.make_vars(*(f"v{i}" for i in range(9)))
    L = lagrangian(hy, q, v)
    p = [hy.diff(L, x) for x in v]
    M = [[hy.diff(a, x) for x in v] for a in p]
    f = [hy.diff(L, x) - hy.sum([hy.diff(p[i], y) * u for y, u in zip(q, v, strict=True)]) for i, x in enumerate(q)]
    phi = [hy.sum([hy.diff(h, y) * u for y, u in zip(q, v, strict=True)]) for h in contacts(hy, q)] + slips(hy, q, v)
    A = [[hy.diff(row, x) for x in v] for row in phi]
    c = [-1.0 * hy.sum([hy.diff(row, y) * u for y, u in zip(q, v, strict=True)]) for row in phi]
    # x = M^-1 f ,  X = M^-1 A^T ,  (A X) lam = c - A x ,  a = x + X lam
    x, *X = _solve(M, [f, *A])
    S = [[hy.sum([a * b for a, b in zip(row, column, strict=True)]) for column in X] for row in A]
    left = [ci - hy.sum([a * b for a, b in zip(row, x, strict=True)]) for ci, row in zip(c, A, strict=True)]
    (lam,) = _solve(S, [left])
    acceleration = [x[i] + hy.sum([X[k][i] * lam[k] for k in range(len(lam))]) for i in range(9)]
    return [*zip(q, v, strict=True), *zip(v, acceleration, strict=True)]


def _solve(M: list[list[Any]], right: list[list[Any]]) -> list[list[Any]]:
    """Columns x with M x = b for symmetric definite M, by LDL^T without choice of pivots."""
    n = len(M)
    S, B = [list(row) for row in M], [list(b) for b in right]
    factors: list[list[Any]] = [[0] * n for _ in range(n)]
    for k in range(n):
        for i in range(k + 1, n):
            factors[i][k] = S[i][k] / S[k][k]
            for j in range(k + 1, i + 1):
                S[i][j] = S[j][i] = S[i][j] - factors[i][k] * S[j][k]
    for b in B:
        for k in range(n):
            for i in range(k + 1, n):
                b[i] = b[i] - factors[i][k] * b[k]
        for k in range(n):
            b[k] = b[k] / S[k][k]
        for k in reversed(range(n)):
            for i in range(k):
                b[i] = b[i] - factors[k][i] * b[k]
    return B
