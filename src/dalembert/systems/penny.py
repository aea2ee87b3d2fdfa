"""A penny, a coin or vertical disc, that rolls upright on a plane [bloch1996; neimark1972].

    L = m/2 (vx^2 + vy^2) + C/2 vpsi^2 + A/2 vphi^2
    along:   vx - R cos(phi) vpsi = 0
    across:  vy - R sin(phi) vpsi = 0

(x, y) is the point of contact, phi the heading, psi the angle of rolling, C and A the moments of inertia about the axle
and about the vertical diameter. Two linear constraints, nonholonomic, growth vector (2, 3, 4). Both rates vphi and vpsi
are constant, the contact runs on a circle. Every nonholonomic motion is vakonomic, with lam(0) = m (vx, vy)
[bloch1995]; for vpsi != 0 this lam(0) is the only one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import sympy as sp

from ..model.space import Space
from ..model.space_factors import angle, plane
from ..model.symmetry import euclidean
from ..model.system import System
from .closed import path
from .facts import Facts

SOURCE = "bloch1996"
SPACE = Space.product(plane("x y"), angle("phi"), angle("psi"))
X, Y, PHI, PSI, VX, VY, VPHI, VPSI = SPACE
MASS, RADIUS, AXIAL, DIAMETRAL = sp.symbols("m R C A", positive=True)

STARTS: dict[str, dict[str, object]] = {
    "circle": {"x": 0.4, "y": -0.2, "phi": 0.3, "psi": 0.0, "vphi": 0.9, "vpsi": 2.0},
    "straight": {"x": 0.0, "y": 0.0, "phi": 1.1, "psi": 0.0, "vphi": 0.0, "vpsi": -1.5},
}
START = STARTS["circle"]

FACTS = Facts(
    kinds={"along": "linear", "across": "linear"},
    growth=(2, 3, 4),
    generating=True,
    conserved={"turning": VPHI, "rolling": VPSI},
    agree={"circle": True, "straight": True},
    coincide="always",
    multipliers={"lam_along": MASS * VX, "lam_across": MASS * VY},
)


# what is drawn, and what a page lets a person change
BODIES: list[dict[str, object]] = [
    {"shape": "floor"},
    {
        "name": "penny",
        "shape": "disc",
        "radius": "R",
        "thickness": "R/10",
        "at": ["x", "y", "R"],
        "turn": ["z phi", "x -pi/2", "z psi"],
        "trace": ["x", "y", 0],
    },
]
RANGES = {"m": (0.2, 5), "R": (0.2, 1), "vphi": (-3, 3), "vpsi": (-6, 6)}


def system(*, m: float = 1.0, R: float = 0.5, C: float = 0.125, A: float = 0.0625) -> System:
    """The penny; by default a homogeneous disc, C = m R^2/2 and A = m R^2/4."""
    return System(
        space=SPACE,
        lagrangian=MASS / 2 * (VX**2 + VY**2) + AXIAL / 2 * VPSI**2 + DIAMETRAL / 2 * VPHI**2,
        constraints={"along": VX - RADIUS * sp.cos(PHI) * VPSI, "across": VY - RADIUS * sp.sin(PHI) * VPSI},
        symmetry=[euclidean("x y", "phi"), "psi"],
        parameters={"m": m, "R": R, "C": C, "A": A},
        bodies=BODIES,
        explore={"ranges": RANGES},
        title="Rolling penny",
        cite=SOURCE,
    )


EXACT = ("x", "y", "phi", "psi", "vx", "vy", "vphi", "vpsi")


def exact(t: np.ndarray | float, start: Sequence[float], parameters: Mapping[str, float]) -> np.ndarray:
    """The columns `EXACT` at times t, shape (8, ...): a circle of radius R vpsi/vphi, or a straight line.

    Args:
        t: times.
        start: the same columns at t = 0.
        parameters: R.
    """
    x, y, phi, psi, _, _, vphi, vpsi = start
    t = np.asarray(t, float)
    speed = parameters["R"] * vpsi
    way = path(t, phi, vphi, speed)
    heading = phi + vphi * t
    rates = [speed * np.cos(heading), speed * np.sin(heading), np.full_like(t, vphi), np.full_like(t, vpsi)]
    return np.array([x + way.real, y + way.imag, heading, psi + vpsi * t, *rates])
