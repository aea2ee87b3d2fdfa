"""A carriage on two wheels with one axle: the planar mobile robot [bloch2015; neimark1972].

    L = m/2 ((vx - a omega sin(theta))^2 + (vy + a omega cos(theta))^2) + J/2 omega^2 + C/2 (vleft^2 + vright^2)
    across:      vy cos(theta) - vx sin(theta) = 0
    left_wheel:  vx cos(theta) + vy sin(theta) - w omega - R vleft = 0
    right_wheel: vx cos(theta) + vy sin(theta) + w omega - R vright = 0

(x, y) is the middle of the axle, theta the heading, w half the distance of the wheels, R their radius; the centre of
mass lies a ahead of the axle. Three linear constraints on five coordinates, nonholonomic, growth vector (2, 3, 4):
the difference of the wheels is integrable, R (right - left) = 2 w theta + const, and not every position can be reached.
For a = 0 the carriage runs on circles; otherwise it is Chaplygin's sleigh with the wheels' inertia added.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
import sympy as sp

from ..model.space import Space
from ..model.space_factors import angle, plane
from ..model.symmetry import euclidean
from ..model.system import System
from . import chaplygin_sleigh
from .facts import Facts, Variant

SOURCE = "bloch2015"
SPACE = Space.product(plane("x y"), angle("theta", "omega"), angle("left"), angle("right"))
X, Y, THETA, LEFT, RIGHT, VX, VY, OMEGA, VLEFT, VRIGHT = SPACE
MASS, INERTIA, AXIAL, WIDTH, RADIUS = sp.symbols("m J C w R", positive=True)
ARM = sp.Symbol("a", nonnegative=True)

_PLACE = {"x": 0.0, "y": 0.0, "left": 0.0, "right": 0.0}
STARTS: dict[str, dict[str, object]] = {
    "turning": {**_PLACE, "theta": 0.4, "vleft": 3.0, "vright": -1.0},
    "straight": {**_PLACE, "theta": 1.0, "vleft": 2.0, "vright": 2.0},
}
START = STARTS["turning"]

FORWARD = VX * sp.cos(THETA) + VY * sp.sin(THETA)
FACTS = Facts(
    kinds={"across": "linear", "left_wheel": "linear", "right_wheel": "linear"},
    growth=(2, 3, 4),
    generating=False,
    integrals={"difference": RADIUS * (RIGHT - LEFT) - 2 * WIDTH * THETA},
    agree={"turning": False, "straight": True},
)
_BALANCED = replace(
    FACTS, conserved={"speed": FORWARD, "turning": OMEGA}, agree=dict.fromkeys(STARTS, True), coincide="always"
)
VARIANTS = {"a = 0": Variant({"a": 0.0}, STARTS, _BALANCED)}


# what is drawn, and what a page lets a person change
BODIES: list[dict[str, object]] = [
    {"shape": "floor"},
    {
        "name": "axle",
        "shape": "point",
        "radius": "R/6",
        "at": ["x", "y", "R"],
        "turn": "z theta",
        "trace": ["x", "y", 0],
    },
    {"name": "carriage", "shape": "box", "on": "axle", "size": ["2*w", "1.6*w", "R"], "at": ["a", 0, 0]},
    {
        "name": "left wheel",
        "shape": "wheel",
        "on": "axle",
        "radius": "R",
        "thickness": "R/4",
        "at": [0, "w", 0],
        "turn": ["x -pi/2", "z left"],
    },
    {
        "name": "right wheel",
        "shape": "wheel",
        "on": "axle",
        "radius": "R",
        "thickness": "R/4",
        "at": [0, "-w", 0],
        "turn": ["x -pi/2", "z right"],
    },
]
RANGES = {"m": (0.2, 5), "J": (0.1, 2), "a": (-0.5, 0.5), "omega": (-3, 3)}


def system(
    *, m: float = 1.0, J: float = 0.3, C: float = 0.01, w: float = 0.25, R: float = 0.15, a: float = 0.2
) -> System:
    """The carriage; J is about its centre of mass, C the moment of inertia of a wheel about the axle."""
    body = (VX - ARM * OMEGA * sp.sin(THETA)) ** 2 + (VY + ARM * OMEGA * sp.cos(THETA)) ** 2
    return System(
        space=SPACE,
        lagrangian=(MASS * body + INERTIA * OMEGA**2 + AXIAL * (VLEFT**2 + VRIGHT**2)) / 2,
        constraints={
            "across": VY * sp.cos(THETA) - VX * sp.sin(THETA),
            "left_wheel": FORWARD - WIDTH * OMEGA - RADIUS * VLEFT,
            "right_wheel": FORWARD + WIDTH * OMEGA - RADIUS * VRIGHT,
        },
        symmetry=[euclidean("x y", "theta"), "left right"],
        parameters={"m": m, "J": J, "C": C, "w": w, "R": R, "a": a},
        bodies=BODIES,
        explore={"ranges": RANGES},
        title="Two-wheeled robot",
        cite=SOURCE,
    )


EXACT = ("theta", "vx", "vy", "omega")


def exact(t: np.ndarray | float, start: Sequence[float], parameters: Mapping[str, float]) -> np.ndarray:
    """The columns `EXACT` at times t >= 0 for a > 0, shape (4, ...): those of the sleigh that it equals.

    Args:
        t: times, not before the start.
        start: the same columns at t = 0.
        parameters: m, J, C, w, R, a.
    """
    return chaplygin_sleigh.exact(t, start, sleigh(parameters))


def sleigh(parameters: Mapping[str, float]) -> dict[str, float]:
    """m, J and a of the Chaplygin sleigh with the same motion."""
    m, J, C, w, R, a = (parameters[n] for n in ("m", "J", "C", "w", "R", "a"))
    # (m + 2 C/R^2) vdot = m a omega^2 ,  (J + m a^2 + 2 C w^2/R^2) omegadot = -m a v omega
    mass = m + 2 * C / R**2
    arm = m * a / mass
    return {"m": mass, "J": J + m * a**2 + 2 * C * (w / R) ** 2 - mass * arm**2, "a": arm}
