"""Motions that are known because the force was made for them, and the measured order of an error."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
import sympy as sp

import dalembert as da

t = sp.Symbol("t", real=True)
sin, cos, sqrt = sp.sin, sp.cos, sp.sqrt


@dataclass(frozen=True)
class Made:
    """A system with a force that makes a chosen motion exact.

    Attributes:
        equations: of the system.
        motion: q, u and the multipliers as functions of time, in the order of the columns.
        coordinates, velocities: how many of these there are.
    """

    equations: Any
    motion: Any
    coordinates: int
    velocities: int

    def start(self):
        """The consistent state at t = 0."""
        return self.equations.start(self.motion(0.0)[: self.coordinates + self.velocities])

    def errors(self, path):
        """Largest error on the way of positions, velocities and multipliers."""
        wrong = np.abs(path.values[:, : len(self.motion(0.0))] - [self.motion(s) for s in path.t]).max(axis=0)
        n, k = self.coordinates, self.velocities
        return wrong[:n].max(), wrong[n : n + k].max(), wrong[n + k :].max()


def lagrange(q, L, phi, exact, lam):
    """A system in plain coordinates: Q(t) = d/dt dL/dv - dL/dq - lam dphi/dv along the chosen motion."""
    coordinates, velocities = q.coordinates, q.velocities
    x = [sp.sympify(e) for e in exact]
    v = [e.diff(t) for e in x]
    along = dict(zip((*coordinates, *velocities), (*x, *v), strict=True))
    rate = phi
    if not phi.free_symbols & set(velocities):  # given on positions
        rate = sum(phi.diff(c) * w for c, w in zip(coordinates, velocities, strict=True)) + phi.diff(t)
    Q = [
        (L.diff(w).subs(along)).diff(t) - (L.diff(c) + lam * rate.diff(w)).subs(along)
        for c, w in zip(coordinates, velocities, strict=True)
    ]
    assert all(abs(complex(rate.subs(along).subs(t, s))) < 1e-14 for s in (0.3, 1.7))
    force = da.forces.applied(velocities, Q, "drive")
    system = da.System(q, L, {"hold": phi}, forces=[force])
    motion = sp.lambdify(t, [*x, *v, lam], "numpy")
    return Made(da.nonholonomic(system), lambda s: np.array(motion(s), float), len(x), len(v))


def knife():
    """Linear nonholonomic: zdot = y xdot with a kinetic energy that knows the place."""
    q = da.coordinates("x y z")
    x, y, z, vx, vy, vz = q
    L = (1 + y**2 / 4) * vx**2 / 2 + (2 + sin(x)) * vy**2 / 2 + vz**2 / 2 + vx * vz * cos(y) / 3 - x**2 * z - cos(y)
    return lagrange(q, L, vz - y * vx, [sin(t), cos(t), t / 2 + sin(2 * t) / 4], cos(2 * t))


def moving():
    """Affine, and moving with the time: ydot = x xdot + cos t."""
    q = da.coordinates("x y")
    x, y, vx, vy = q
    L = (1 + x**2 / 3) * vx**2 / 2 + (1 + cos(t + x) / 4) * vy**2 / 2 + vx * vy * x / 4 - x**4 / 4 - x * y
    return lagrange(q, L, vy - x * vx - cos(t), [sin(2 * t), sin(2 * t) ** 2 / 2 + sin(t)], 1 + sin(t))


def quadratic():
    """Nonlinear (Chetaev): the speed is prescribed, vx^2 + vy^2 = 1 + z^2."""
    q = da.coordinates("x y z")
    _x, y, z, vx, vy, vz = q
    L = vx**2 / 2 + (1 + z**2 / 4) * vy**2 / 2 + vz**2 / 2 - z**4 / 4 - y**2 * z
    # an Archimedean spiral: (t cos t)'^2 + (t sin t)'^2 = 1 + t^2
    return lagrange(q, L, vx**2 + vy**2 - 1 - z**2, [t * cos(t), t * sin(t), t], sp.Rational(1, 2) + cos(t) / 3)


def ellipsoid():
    """Holonomic: a particle on an ellipsoid."""
    q = da.coordinates("x y z")
    x, y, z, vx, vy, vz = q
    L = (vx**2 + (1 + x**2 / 5) * vy**2 + vz**2) / 2 - x * z - y**4 / 4
    a, b = sp.Rational(1, 2) + t / 2, sin(t) / 2 + t
    exact = [sin(a) * cos(b), sqrt(2) * sin(a) * sin(b), 2 * cos(a)]
    return lagrange(q, L, x**2 + y**2 / 2 + z**2 / 4 - 1, exact, cos(t))


def body():
    """A rotation in the body frame with w1 + w3 prescribed: I dw/dt + w x I w = Q + lam (1, 0, 1)."""
    space = da.rotation("R", velocities="w1 w2 w3", frame="body")
    inertia = sp.Matrix(
        [[2, 0, sp.Rational(1, 3)], [0, 3, sp.Rational(-1, 2)], [sp.Rational(1, 3), sp.Rational(-1, 2), 2]]
    )
    w = sp.Matrix(space.velocities)
    # q = (cos a, sin a (cos b, sin b cos c, sin b sin c)), w = 2 conj(q) qdot
    a, b, c = t / 2 + sin(t) / 3, 1 + t / 3, t - cos(t)
    q = sp.Matrix([cos(a), sin(a) * cos(b), sin(a) * sin(b) * cos(c), sin(a) * sin(b) * sin(c)])
    rate, v = q.diff(t), q[1:, 0]
    spin = 2 * (q[0] * rate[1:, 0] - rate[0] * v - v.cross(rate[1:, 0]))
    lam = 1 + cos(t) / 2
    momentum = inertia * spin
    Q = momentum.diff(t) + spin.cross(momentum) - lam * sp.Matrix([1, 0, 1])
    system = da.System(
        space,
        w.dot(inertia * w) / 2,
        {"hold": w[0] + w[2] - (spin[0] + spin[2])},
        forces=[da.forces.applied(list(w), list(Q), "drive")],
    )
    motion = sp.lambdify(t, [*q, *spin, lam], "numpy")
    return Made(da.nonholonomic(system), lambda s: np.array(motion(s), float), 4, 3)


MADE = {f.__name__: f for f in (knife, moving, quadratic, ellipsoid, body)}


@pytest.fixture(scope="session")
def made():
    """made(name): the system of that name, made once."""
    found = {}

    def get(name):
        if name not in found:
            found[name] = MADE[name]()
        return found[name]

    return get


def slope(steps, errors, floor=2e-13):
    """Measured order: minus the slope of log(error) over log(steps), above rounding."""
    steps, errors = np.asarray(steps, float), np.asarray(errors, float)
    above = errors > floor
    assert above.sum() >= 3, errors
    return -np.polyfit(np.log(steps[above]), np.log(errors[above]), 1)[0]


@pytest.fixture(scope="session")
def order():
    return slope
