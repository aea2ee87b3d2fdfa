"""The ball in a bowl: it returns to the same spot with another orientation, and which one depends on the path.

A ball of radius r rolls inside a spherical bowl; its centre c stays at the distance h = R - r from the bowl's, the
origin. The point of the ball that touches the bowl is at rest:

    cdot + (r/h) w x c = 0

These three rows imply that |c| stays. Circles at one height are solutions: with c = h n, n_3 = -cos(alpha), turning
rate Omega and spin sigma = w n,

    w = -(h/r) Omega e3 + tau n ,   tau = sigma - (h/r) Omega cos(alpha) constant ,
    I tau Omega = m r (h Omega^2 cos(alpha) - g)            (moments about the contact)

In the frame that turns with Omega about e3 the ball's angular velocity is the constant w(0) - Omega e3, so that after
one turn T = 2 pi/|Omega| its attitude is exp(T hat(w(0) - Omega e3)) R(0), which in general is not R(0).
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any, NamedTuple

import numpy as np
import sympy as sp
from scipy.spatial.transform import Rotation

from dalembert import System, coordinates, examine, nonholonomic, rotation, simulate
from dalembert.trajectory import Trajectory

from ..claim import Claim, Group, said

M, G, RADIUS, BOWL = 1.0, 9.81, 0.05, 0.25  # kg, m/s^2, m, m
H, INERTIA = BOWL - RADIUS, 0.4 * M * RADIUS**2
BOUND = 1e-8  # of lengths in m and of entries of R, after one turn
ALPHA = np.radians(50.0)
E3 = np.array([0.0, 0.0, 1.0])


@cache
def system() -> System:
    """The ball in the bowl, parameters as numbers."""
    space = coordinates("x y z") * rotation("R")
    m, g, I, r, h = sp.symbols("m g I r h", positive=True)
    c, v, w = (sp.Matrix([space[n] for n in names.split()]) for names in ("x y z", "vx vy vz", "w1 w2 w3"))
    L = m / 2 * v.dot(v) + I / 2 * w.dot(w) - m * g * c[2]
    # cdot + (r/h) w x c = 0
    rows = dict(zip(("roll_x", "roll_y", "roll_z"), v + r / h * w.cross(c), strict=True))
    values = {"m": M, "g": G, "I": INERTIA, "r": RADIUS, "h": H}
    return System(space, L, rows, parameters=values, title="Ball in a bowl")


class Turn(NamedTuple):
    """One turn on a circle: its motion, its time, w(0) and Omega."""

    path: Trajectory
    T: float
    w0: np.ndarray
    Omega: float

    @property
    def attitude(self) -> Rotation:
        """The rotation that carries R(0) into R(T), by the simulation."""
        return attitude(self.path, -1) * attitude(self.path, 0).inv()

    @property
    def predicted(self) -> Rotation:
        """exp(T hat(w(0) - Omega e3))."""
        return Rotation.from_rotvec(self.T * (self.w0 - self.Omega * E3))

    @property
    def shift(self) -> float:
        """How far the contact is from where it began, in m."""
        c = np.array([self.path[n] for n in "xyz"])
        return float(np.linalg.norm(c[:, -1] - c[:, 0]))


def attitude(path: Trajectory, i: int) -> Rotation:
    """The ball's attitude at a sample."""
    return Rotation.from_quat([path[f"R_{part}"][i] for part in "xyzw"])


def turning_rate(alpha: float, spin: float, sense: int) -> float:
    """Omega, the positive or the negative root."""
    # (m r + I/r) h cos(alpha) Omega^2 - I sigma Omega - m r g = 0
    a, b, c = (M * RADIUS + INERTIA / RADIUS) * H * np.cos(alpha), -INERTIA * spin, -M * RADIUS * G
    return float((-b + sense * np.sqrt(b * b - 4 * a * c)) / (2 * a))


@cache
def turn(alpha: float, spin: float = 0.0, sense: int = 1) -> Turn:
    """One turn on the circle at the angle alpha from the lowest point, starting on the x axis."""
    Omega = turning_rate(alpha, spin, sense)
    n = np.array([np.sin(alpha), 0.0, -np.cos(alpha)])
    w0 = -H / RADIUS * Omega * E3 + (spin - H / RADIUS * Omega * np.cos(alpha)) * n
    c, v = H * n, Omega * np.cross(E3, H * n)
    given: dict[str, Any] = dict(
        zip(("x", "y", "z", "vx", "vy", "vz", "w1", "w2", "w3"), map(float, (*c, *v, *w0)), strict=True)
    )
    equations, T = nonholonomic(system()), 2 * np.pi / abs(Omega)
    path = simulate(equations, equations.start(**given, R="identity"), until=T, samples=np.linspace(0.0, T, 181))
    return Turn(path, T, w0, Omega)


def degrees(change: Rotation) -> float:
    """The angle of a rotation."""
    return float(np.degrees(change.magnitude()))


def returns() -> Iterator[Claim]:
    """One turn: the same spot, another orientation."""
    where = "ball in a bowl"
    for alpha, spin in ((ALPHA, 0.0), (np.radians(30.0), 0.0), (ALPHA, 20.0)):
        found = turn(alpha, spin)
        label = f"circle at {np.degrees(alpha):.0f} deg, spin {spin:g} rad/s"
        c = np.array([found.path[n] for n in "xyz"])
        kept = float(max(np.ptp(np.linalg.norm(c, axis=0)), np.ptp(c[2])))
        text = f"{found.shift:.1e} m off after {found.T:.4g} s, height kept to {kept:.1e}"
        yield Claim(where, f"{label}: it returns to the spot", True, text, max(found.shift, kept) <= BOUND)
        off, turned = (found.attitude * found.predicted.inv()).magnitude(), degrees(found.attitude)
        text = f"turned by {turned:.2f} deg, {np.degrees(off):.1e} deg off"
        statement = f"{label}: turned by exp(T hat(w0 - Omega e3)), which is not 1"
        yield Claim(where, statement, True, text, off <= BOUND and turned > 1.0, alpha == ALPHA and not spin)


def depends_on_path() -> Iterator[Claim]:
    """The same spot again by two paths: once round to the left, once round to the right."""
    left, right = turn(ALPHA), turn(ALPHA, 0.0, -1)
    apart = max(abs(left.path[n][-1] - right.path[n][-1]) for n in "xyz")
    where = "ball in a bowl"
    yield Claim(
        where, "round to the left, round to the right: the same spot", True, f"{apart:.1e} m apart", apart <= BOUND
    )
    between = degrees(left.attitude * right.attitude.inv())
    text = f"{between:.2f} deg between them"
    yield Claim(
        where, "round to the left, round to the right: the same orientation", False, text, between <= 1e-6, key=True
    )
    # whichever way round, the other: exp(T a) and exp(-T a)
    off = (left.attitude * right.attitude).magnitude()
    yield Claim(where, "one undoes the other", True, f"{np.degrees(off):.1e} deg off", bool(off <= BOUND))


def may() -> Iterator[Claim]:
    """It may be another orientation, and need not: w = -(h/r) Omega e3 with a whole number h/r."""
    spin = H / RADIUS * np.sqrt(G * np.cos(ALPHA) / H)
    found = turn(ALPHA, float(spin))
    text = f"turned by {degrees(found.attitude):.1e} deg"
    same = found.attitude.magnitude() <= BOUND
    yield Claim("ball in a bowl", "w upright, h/r = 4: with the orientation it had, this once", True, text, bool(same))


def implied() -> Iterator[Claim]:
    """The rows of rolling contain that the centre stays on its sphere, as no row of them alone does."""
    given = system()
    found = examine(given)
    c = sp.Matrix([given.space[n] for n in "xyz"])
    text = f"growth {found.growth} of 6, integrals {', '.join(map(str, found.integrals))}"
    one = found.growth == (3, 5) and [sp.expand(each.expression - c.dot(c)) for each in found.integrals] == [0]
    yield said("ball in a bowl", "rolling keeps |c|: the one integral of its three rows together", one, text)


GROUPS: tuple[Group, ...] = (implied, returns, may, depends_on_path)
