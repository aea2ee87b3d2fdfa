"""A unicycle with a rotor: a disc that rolls, and above it a flywheel that turns across it [zenkov1998; cushman1995].

    L = L of `rolling_disc` + p/2 |v_p|^2 + B/2 (vtheta + vchi)^2 + D/2 vphi^2 - p g (r + l) sin(theta) - k/2 chi^2
    along:   vx cos(phi) + vy sin(phi) - r sin(theta) vtheta = 0
    across:  vy cos(phi) - vx sin(phi) + r cos(theta) vphi + r vpsi = 0

theta is the angle between the vertical and the axle (pi/2: upright), phi the heading, psi the disc's turn about its
axle, (x, y) below its middle. A rod keeps in line with the contact and the disc's middle; the rotor, of mass p, is on
it l above the middle, and turns by chi about the level line across the axle, B about that and D across it, held by a
spring k; v_p is the velocity of its middle. Two linear constraints on six coordinates, nonholonomic, growth vector
(4, 5, 6). Rolling straight on, upright, at the rate n, and leaning by delta,

    J deltaddot = k chi + (m r + p (r + l)) g delta - (C + m r^2 + p r (r + l)) C n^2/(A + D) delta ,
    chiddot = -deltaddot - k chi/B ,     J = A + m r^2 + p (r + l)^2 :

it is stable if the last two terms of the first row together lead back, as those of a disc with more inertia. Without a
spring the rotor's momentum B (vtheta + vchi) is constant, and the rotor does nothing.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace

import sympy as sp

from ..model.space import Space
from ..model.space_factors import angle
from ..model.symmetry import euclidean
from ..model.system import System
from . import rolling_disc
from .facts import Facts, Starts, Variant
from .rolling_disc import GRAVITY, LAGRANGIAN, PHI, RADIUS, ROLL, THETA, VPHI, VTHETA, X, Y

SOURCE = "zenkov1998"
UNSOLVED = "none is known"
SPACE = Space.product(rolling_disc.SPACE, angle("chi"))
CHI, VCHI = SPACE["chi"], SPACE["vchi"]
ROTOR, SPIN, ACROSS = sp.symbols("p B D", positive=True)
LENGTH, SPRING = sp.symbols("l k", nonnegative=True)

STARTS: Starts = {
    "leaning": {**rolling_disc.STARTS["leaning"], "vpsi": 6.0, "chi": 0.1, "vchi": 0.5},
    "upright": {**rolling_disc.STARTS["upright"], "chi": 0.0, "vchi": 0.0},
}
START = STARTS["leaning"]

MOMENTUM = SPIN * (VTHETA + VCHI)
FACTS = Facts(
    kinds={"along": "linear", "across": "linear"},
    growth=(4, 5, 6),
    generating=True,
    agree={"leaning": False, "upright": True},
)
_FREE = replace(FACTS, conserved={"rotor": MOMENTUM})
VARIANTS = {"k = 0": Variant({"k": 0.0}, STARTS, _FREE)}


# what is drawn, and what a page lets a person change
_DISC = next(body for body in rolling_disc.BODIES if body.get("name") == "disc")
_MIDDLE = ["x - l*cos(theta)*cos(phi)", "y - l*cos(theta)*sin(phi)", "(r + l)*sin(theta)"]
BODIES: list[dict[str, object]] = [
    *rolling_disc.BODIES,
    {"name": "rod", "shape": "rod", "radius": "r/30", "from": _DISC["at"], "to": _MIDDLE},
    {
        **{"name": "rotor", "shape": "wheel", "radius": "r/3", "thickness": "r/15", "at": _MIDDLE},
        **{"turn": ["z phi", "y theta", "x -pi/2", "z chi"]},
    },
]
RANGES = {**rolling_disc.RANGES, "p": (0.1, 3), "l": (0, 1), "k": (0, 20), "vchi": (-5, 5)}


def system(
    *,
    m: float = 1.0,
    r: float = 0.5,
    p: float = 0.4,
    l: float = 0.3,
    B: float = 0.02,
    D: float = 0.01,
    k: float = 2.0,
    g: float = 9.81,
) -> System:
    """The unicycle.

    Args:
        m, r: mass and radius of the disc, which is homogeneous: A = m r^2/4 across the axle, C = m r^2/2 about it.
        p, l: mass of the rotor, and how far it is above the middle of the disc.
        B, D: moments of inertia of the rotor about its axis and across it.
        k: of the spring between rotor and rod.
        g: gravity.
    """
    disc = rolling_disc.system(m=m, r=r, g=g)
    place = sp.Matrix([X, Y, RADIUS * sp.sin(THETA)])
    # opposite to the contact, seen from the middle
    up = sp.Matrix([-sp.cos(THETA) * sp.cos(PHI), -sp.cos(THETA) * sp.sin(PHI), sp.sin(THETA)])
    middle = place + LENGTH * up
    velocity = sum((middle.diff(q) * rate for q, rate in SPACE.rates.items()), sp.zeros(3, 1))
    turning = SPIN * (VTHETA + VCHI) ** 2 + ACROSS * VPHI**2
    added = (ROTOR * velocity.dot(velocity) + turning - SPRING * CHI**2) / 2 - ROTOR * GRAVITY * middle[2]
    return System(
        space=SPACE,
        lagrangian=LAGRANGIAN + added,
        constraints=ROLL,
        parameters={**disc.values(), "p": p, "l": l, "B": B, "D": D, "k": k},
        symmetry=[euclidean("x y", headings="phi"), "psi"],
        bodies=BODIES,
        explore={"ranges": RANGES},
        title="Unicycle with a rotor",
        cite=SOURCE,
    )


def least_rolling(parameters: Mapping[str, float]) -> float:
    """The rate psidot above which rolling straight on, upright, is stable."""
    m, r, A, C, p, l, D, g = (parameters[n] for n in ("m", "r", "A", "C", "p", "l", "D", "g"))
    # (C + m r^2 + p r (r + l)) C n^2 = (A + D) (m r + p (r + l)) g
    return math.sqrt((A + D) * (m * r + p * (r + l)) * g / (C * (C + m * r**2 + p * r * (r + l))))
