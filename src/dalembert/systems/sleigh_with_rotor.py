"""Chaplygin's sleigh with a rotor whose momentum swings: it speeds up for ever [bizyaev2019].

    L = m/2 |d/dt (x + a cos(theta), y + a sin(theta))|^2 + J/2 omega^2 + k sin(nu t) omega
    blade:  -vx sin(theta) + vy cos(theta) = 0

The blade is at (x, y), the centre of mass a ahead of it; J is the moment of inertia about that, rotor included, and
k sin(nu t) the rotor's momentum relative to the sleigh. One linear constraint, nonholonomic, growth vector (2, 3). The
speed v along the blade and the rate of turning obey

    vdot = a omega^2 ,     (J + m a^2) omegadot = -m a v omega - k nu cos(nu t) .

v never falls. Once it is large, omega follows the rotor, m a v omega = -k nu cos(nu t), and v grows as t^(1/3),

    v^3 = 3 k^2 nu^2/(2 m^2 a) t    on average                                             [bizyaev2019].
"""

from __future__ import annotations

import sympy as sp

from ..calculus.frame import TIME
from ..model.space import Space
from ..model.space_factors import angle, plane
from ..model.symmetry import euclidean
from ..model.system import System
from . import chaplygin_sleigh
from .facts import Facts, Starts

SOURCE = "bizyaev2019"
UNSOLVED = "that of large speeds, on average: v^3 = 3 k^2 nu^2/(2 m^2 a) t [bizyaev2019]"
SPACE = Space.product(plane("x y"), angle("theta", "omega"))
X, Y, THETA, VX, VY, OMEGA = SPACE
MASS, INERTIA, ARM, MOMENTUM, RATE = sp.symbols("m J a k nu", positive=True)

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
        "name": "rotor",
        "shape": "wheel",
        "radius": "0.4*a",
        "thickness": "a/10",
        "at": ["x + a*cos(theta)", "y + a*sin(theta)", "0.6*a"],
        "turn": ["z theta - k/J*cos(nu*t)/nu"],
    },
]
RANGES = {"m": (0.2, 5), "J": (0.1, 2), "a": (0.1, 1), "k": (0.1, 3), "nu": (0.5, 5), "vx": (-2, 2), "omega": (-3, 3)}


def system(*, m: float = 1.0, J: float = 0.5, a: float = 0.4, k: float = 1.0, nu: float = 2.0) -> System:
    """The sleigh.

    Args:
        m: mass, rotor included.
        J: moment of inertia about the centre of mass, rotor included.
        a: from the blade to the centre of mass.
        k: the largest momentum of the rotor relative to the sleigh.
        nu: how fast it swings.
    """
    ahead = VX - ARM * OMEGA * sp.sin(THETA), VY + ARM * OMEGA * sp.cos(THETA)
    T = MASS / 2 * (ahead[0] ** 2 + ahead[1] ** 2) + INERTIA / 2 * OMEGA**2
    return System(
        space=SPACE,
        lagrangian=T + MOMENTUM * sp.sin(RATE * TIME) * OMEGA,
        constraints={"blade": VY * sp.cos(THETA) - VX * sp.sin(THETA)},
        symmetry=euclidean("x y", "theta"),
        parameters={"m": m, "J": J, "a": a, "k": k, "nu": nu},
        bodies=BODIES,
        explore={"ranges": RANGES},
        title="Chaplygin sleigh with a rotor",
        cite=SOURCE,
    )
