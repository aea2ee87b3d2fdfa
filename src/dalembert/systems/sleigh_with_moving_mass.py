"""Chaplygin's sleigh on which a point mass is moved to and fro across the blade [bizyaev2017].

    L = m/2 (u^2 + (w + a omega)^2) + J/2 omega^2 + p/2 ((u - b s omega)^2 + (w + d omega + b sdot)^2) ,   s = sin(nu t)
    blade:  w = -vx sin(theta) + vy cos(theta) = 0

(x, y) is the point of the blade, u and w its velocity along and across the blade; the platform's centre of mass is a
ahead of it, the mass p moves at (d, b sin(nu t)) in the platform's axes. One linear constraint, nonholonomic, growth
vector (2, 3). With  P = (m + p) u - p b s omega  and  M = (J + m a^2 + p (d^2 + b^2 s^2)) omega - p b s u + p d b sdot,

    Pdot = omega q ,     Mdot = -u q ,     q = (m a + p d) omega + p b sdot .

The mass does work. Where it moves decides what becomes of the sleigh: it may come to a strange attractor, or speed up
for ever [bizyaev2017]. Once u is large it does so, u^3 = 3 k t on average, if k > 0:

    2 (m + p) (m a + p d)^2 k = (p b nu^2)^2 d (m a (d - a) - J - 3/4 p b^2 m/(m + p)) .
"""

from __future__ import annotations

from collections.abc import Mapping

import sympy as sp

from ..calculus.frame import TIME
from ..model.space import Space
from ..model.space_factors import angle, plane
from ..model.symmetry import euclidean
from ..model.system import System
from . import chaplygin_sleigh
from .facts import Facts, Starts

SOURCE = "bizyaev2017"
UNSOLVED = "that of large speeds, on average: u^3 = 3 k t [bizyaev2017]"
SPACE = Space.product(plane("x y"), angle("theta", "omega"))
X, Y, THETA, VX, VY, OMEGA = SPACE
MASS, INERTIA, ARM, POINT, SWING, RATE = sp.symbols("m J a p b nu", positive=True)
AHEAD = sp.Symbol("d", real=True)

STARTS: Starts = {
    "forwards": {"x": 0.0, "y": 0.0, "theta": 0.3, "vx": 0.8, "omega": 0.2},
    "backwards": {"x": 0.0, "y": 0.0, "theta": -0.2, "vx": -0.5, "omega": 0.4},
}
START = STARTS["forwards"]

FACTS = Facts(
    kinds={"blade": "linear"},
    growth=(2, 3),
    generating=True,
    agree={"forwards": False, "backwards": False},
    coincide="never",
)


# what is drawn, and what a page lets a person change
BODIES: list[dict[str, object]] = [
    *chaplygin_sleigh.BODIES,
    {
        "name": "mass",
        "shape": "point",
        "radius": "a/6",
        "at": [
            "x + d*cos(theta) - b*sin(nu*t)*sin(theta)",
            "y + d*sin(theta) + b*sin(nu*t)*cos(theta)",
            "0.6*a",
        ],
    },
]
RANGES = {"p": (0.1, 3), "b": (0.1, 1), "d": (-0.5, 1), "nu": (0.5, 5), "vx": (-2, 2), "omega": (-3, 3)}


def system(
    *,
    m: float = 1.0,
    J: float = 0.5,
    a: float = 0.4,
    p: float = 0.5,
    b: float = 0.5,
    d: float = -0.3,
    nu: float = 2.0,
) -> System:
    """The sleigh.

    Args:
        m, J: mass of the platform, and its moment of inertia about its centre.
        a: from the blade to the platform's centre.
        p: the moved mass.
        b, nu: how far to the sides it goes, and how fast it swings.
        d: how far ahead of the blade it is.
    """
    u, w = VX * sp.cos(THETA) + VY * sp.sin(THETA), VY * sp.cos(THETA) - VX * sp.sin(THETA)
    side = SWING * sp.sin(RATE * TIME)
    platform = MASS * (u**2 + (w + ARM * OMEGA) ** 2) + INERTIA * OMEGA**2
    moved = POINT * ((u - side * OMEGA) ** 2 + (w + AHEAD * OMEGA + side.diff(TIME)) ** 2)
    return System(
        space=SPACE,
        lagrangian=(platform + moved) / 2,
        constraints={"blade": w},
        symmetry=euclidean("x y", "theta"),
        parameters={"m": m, "J": J, "a": a, "p": p, "b": b, "d": d, "nu": nu},
        bodies=BODIES,
        explore={"ranges": RANGES},
        title="Chaplygin sleigh with a moving mass",
        cite=SOURCE,
    )


def pushed(parameters: Mapping[str, float]) -> float:
    """k of u^3 = 3 k t: how the cube of a large speed grows, or falls, on average."""
    m, J, a, p, b, d, nu = (parameters[n] for n in ("m", "J", "a", "p", "b", "d", "nu"))
    lever = m * a * (d - a) - J - 3 / 4 * p * b**2 * m / (m + p)
    return (p * b * nu**2) ** 2 * d * lever / (2 * (m + p) * (m * a + p * d) ** 2)
