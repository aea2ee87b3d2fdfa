"""A plane double pendulum in Cartesian coordinates: two holonomic constraints given on positions [goldstein2002].

    L = sum m_i/2 (vx_i^2 + vy_i^2) - m_i g y_i
    upper:  x1^2 + y1^2 - l1^2 = 0
    lower:  (x2 - x1)^2 + (y2 - y1)^2 - l2^2 = 0

Holonomic, so both principles agree. The motion is not known in closed form; two equal masses on equal rods swing with
the frequencies omega^2 = (2 +- sqrt(2)) g/l when the swings are small.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np
import sympy as sp

from ..model.space_factors import coordinates
from ..model.system import System
from .facts import Facts

SOURCE = "goldstein2002"
UNSOLVED = "none: it is chaotic; one quadrature if g = 0"
SPACE = coordinates("x1 y1 x2 y2")
X1, Y1, X2, Y2, VX1, VY1, VX2, VY2 = SPACE
UPPER_MASS, LOWER_MASS, GRAVITY, UPPER_LENGTH, LOWER_LENGTH = sp.symbols("m1 m2 g l1 l2", positive=True)

UPPER, LOWER = X1**2 + Y1**2, (X2 - X1) ** 2 + (Y2 - Y1) ** 2


def positions(upper: float, lower: float, l1: float = 1.0, l2: float = 1.0) -> dict[str, float]:
    """x1, y1, x2, y2 at the angles of both rods from below, in radians."""
    x1, y1 = l1 * math.sin(upper), -l1 * math.cos(upper)
    return {"x1": x1, "y1": y1, "x2": x1 + l2 * math.sin(lower), "y2": y1 - l2 * math.cos(lower)}


_REST = {"vx1": 0.0, "vy1": 0.0, "vx2": 0.0, "vy2": 0.0}
STARTS: dict[str, dict[str, object]] = {
    "high": {**positions(1.8, 1.2), **_REST},
    "moving": {**positions(0.4, -0.7), "vx1": 0.5, "vx2": -0.3},
}
START = STARTS["high"]

FACTS = Facts(
    kinds={"upper": "holonomic", "lower": "holonomic"},
    growth=(2,),
    generating=False,
    integrals={"upper": UPPER, "lower": LOWER},
    agree=dict.fromkeys(STARTS, True),
    coincide="always",
)


# what is drawn, and what a page lets a person change
BODIES: list[dict[str, object]] = [
    {"name": "pivot", "shape": "point", "radius": "l1/40", "both": True},
    {"name": "upper rod", "shape": "rod", "radius": "l1/80", "from": [0, 0, 0], "to": ["x1", "y1", 0]},
    {"name": "lower rod", "shape": "rod", "radius": "l1/80", "from": ["x1", "y1", 0], "to": ["x2", "y2", 0]},
    {"name": "upper bob", "shape": "ball", "radius": "l1/12", "at": ["x1", "y1", 0]},
    {"name": "lower bob", "shape": "ball", "radius": "l1/12", "at": ["x2", "y2", 0], "trace": True},
]
RANGES = {"m1": (0.2, 5), "m2": (0.2, 5), "g": (1, 20)}


def system(*, m1: float = 1.0, m2: float = 1.0, g: float = 9.81, l1: float = 1.0, l2: float = 1.0) -> System:
    """The double pendulum: masses m1 and m2 on rods of lengths l1 and l2; y points up."""
    T = UPPER_MASS * (VX1**2 + VY1**2) + LOWER_MASS * (VX2**2 + VY2**2)
    return System(
        space=SPACE,
        lagrangian=T / 2 - GRAVITY * (UPPER_MASS * Y1 + LOWER_MASS * Y2),
        constraints={"upper": UPPER - UPPER_LENGTH**2, "lower": LOWER - LOWER_LENGTH**2},
        parameters={"m1": m1, "m2": m2, "g": g, "l1": l1, "l2": l2},
        bodies=BODIES,
        scene={"up": "y"},
        explore={"ranges": RANGES},
        title="Double pendulum in Cartesian coordinates",
        cite=SOURCE,
    )


def small_frequencies(parameters: Mapping[str, float]) -> np.ndarray:
    """Both angular frequencies of small swings, rising: roots of  det(V - omega^2 T) = 0  in the angles of the rods."""
    m1, m2, g, l1, l2 = (parameters[n] for n in ("m1", "m2", "g", "l1", "l2"))
    # l1 l2 m1 s^2 - (m1 + m2) g (l1 + l2) s + (m1 + m2) g^2 = 0,  s = omega^2
    s = np.roots([l1 * l2 * m1, -(m1 + m2) * g * (l1 + l2), (m1 + m2) * g**2])
    return np.sqrt(np.sort(s.real))
