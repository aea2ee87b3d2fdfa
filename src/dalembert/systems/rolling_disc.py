"""A disc that rolls on a plane, leaning as it likes [cushman1995, section 6; neimark1972].

    L = m/2 (vx^2 + vy^2 + r^2 cos(theta)^2 vtheta^2) + A/2 (vtheta^2 + sin(theta)^2 vphi^2)
        + C/2 (vpsi + cos(theta) vphi)^2 - m g r sin(theta)
    along:   vx cos(phi) + vy sin(phi) - r sin(theta) vtheta = 0
    across:  vy cos(phi) - vx sin(phi) + r cos(theta) vphi + r vpsi = 0

zyz Euler angles: theta between the vertical and the axle (pi/2: upright), psi about the axle; (x, y) is below the
centre of mass, whose height is r sin(theta). Two linear constraints, nonholonomic, growth vector (3, 4, 5): every
position can be reached. Straight upright rolling is steady, and stable when vpsi^2 > A m g r/(C (C + m r^2)); so is
upright spinning on the spot when vphi^2 > m g r/(A + m r^2). Upright rolling in a straight line is vakonomic, as the
penny's is.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import sympy as sp

from ..model.factors import angle, plane
from ..model.space import Space
from ..model.system import System
from .facts import Facts

SOURCE = "cushman1995"
SPACE = Space.product(plane("x y"), angle("theta"), angle("phi"), angle("psi"))
X, Y, THETA, PHI, PSI, VX, VY, VTHETA, VPHI, VPSI = SPACE
MASS, RADIUS, DIAMETRAL, AXIAL, GRAVITY = sp.symbols("m r A C g", positive=True)

_PLACE = {"x": 0.0, "y": 0.0, "phi": 0.3, "psi": 0.0}
STARTS: dict[str, dict[str, Any]] = {
    "leaning": {**_PLACE, "theta": 1.2, "vtheta": 0.1, "vphi": 0.8, "vpsi": 4.0},
    "upright": {**_PLACE, "theta": math.pi / 2, "vtheta": 0.0, "vphi": 0.0, "vpsi": 5.0},
}
START = STARTS["leaning"]

FACTS = Facts(
    kinds={"along": "linear", "across": "linear"},
    growth=(3, 4, 5),
    generating=True,
    agree={"leaning": False, "upright": True},
)


def system(
    *, m: float = 1.0, r: float = 0.5, A: float | None = None, C: float | None = None, g: float = 9.81
) -> System:
    """The disc; A = m r^2/4 and C = m r^2/2, homogeneous, if they are left out."""
    T = MASS * (VX**2 + VY**2 + RADIUS**2 * sp.cos(THETA) ** 2 * VTHETA**2)
    T += DIAMETRAL * (VTHETA**2 + sp.sin(THETA) ** 2 * VPHI**2) + AXIAL * (VPSI + sp.cos(THETA) * VPHI) ** 2
    return System(
        space=SPACE,
        lagrangian=T / 2 - MASS * GRAVITY * RADIUS * sp.sin(THETA),
        constraints={
            "along": VX * sp.cos(PHI) + VY * sp.sin(PHI) - RADIUS * sp.sin(THETA) * VTHETA,
            "across": VY * sp.cos(PHI) - VX * sp.sin(PHI) + RADIUS * (sp.cos(THETA) * VPHI + VPSI),
        },
        parameters={
            "m": m,
            "r": r,
            "A": m * r**2 / 4 if A is None else A,
            "C": m * r**2 / 2 if C is None else C,
            "g": g,
        },
        title="Rolling disc",
    )


def least_rolling(parameters: Mapping[str, float]) -> float:
    """The rate psidot above which straight rolling is stable: sqrt(A m g r/(C (C + m r^2)))."""
    m, r, A, C, g = (parameters[n] for n in ("m", "r", "A", "C", "g"))
    return math.sqrt(A * m * g * r / (C * (C + m * r**2)))


def least_spinning(parameters: Mapping[str, float]) -> float:
    """The rate phidot above which spinning on the spot, upright, is stable: sqrt(m g r/(A + m r^2))."""
    m, r, A, g = (parameters[n] for n in ("m", "r", "A", "g"))
    return math.sqrt(m * g * r / (A + m * r**2))
