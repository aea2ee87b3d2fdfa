"""The Whipple bicycle of the gallery, its values written in as numbers: 9 coordinates, nothing reduced.

The description is that of `dalembert.systems.whipple_bicycle`, written over any module with sin, cos and sqrt, so that
every side gets the same one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

import numpy as np
import sympy as sp

import dalembert as da
from dalembert.systems import whipple_bicycle as bicycle

Q = tuple(s.name for s in bicycle.SPACE.coordinates)
REAR_RADIUS = bicycle.BENCHMARK["rR"]

PLACE = {"x": 0.0, "y": 0.0, "yaw": 0.0, "lean": 0.05, "steer": 0.02, "rear": 0.0, "front": 0.0}
RATES = {"vlean": 0.1, "vsteer": 0.0, "vrear": -5.0 / REAR_RADIUS}


def lagrangian(xp: Any, q: Sequence[Any], v: Sequence[Any]) -> Any:
    """T - V of the four bodies."""
    return bicycle.lagrangian(xp, q, v, bicycle.BENCHMARK)


def contacts(xp: Any, q: Sequence[Any]) -> list[Any]:
    """Depths of the two contact points below the ground: 0."""
    return bicycle.contacts(xp, q, bicycle.BENCHMARK)


def slips(xp: Any, q: Sequence[Any], v: Sequence[Any]) -> list[Any]:
    """Velocities of the wheels' points at the contacts, along x and y: 0."""
    return bicycle.slips(xp, q, v, bicycle.BENCHMARK)


# --- our side --------------------------------------------------------------------------------------------------------


def system() -> da.System:
    """The bicycle as a user gives it, in numbers."""
    q, v = list(bicycle.SPACE.coordinates), list(bicycle.SPACE.velocities)
    rows = [*contacts(sp, q), *slips(sp, q, v)]
    constraints = dict(zip(bicycle.CONSTRAINTS, rows, strict=True))
    return da.System(bicycle.SPACE, lagrangian(sp, q, v), constraints, title="Whipple bicycle")


@cache
def equations() -> da.nouns.Equations:
    """Its equations of motion."""
    return da.nonholonomic(system())


@cache
def start() -> da.nouns.Start:
    """Riding at about 5 m/s, leaning a little."""
    return completed(PLACE, RATES)


def completed(place: Mapping[str, float], rates: Mapping[str, float]) -> da.nouns.Start:
    """A start with both wheels on the ground and rolling; place and rates as `PLACE` and `RATES`."""
    pitch = bicycle.pitch(place["lean"], place["steer"])
    return equations().start(**place, pitch=pitch, **rates)


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
