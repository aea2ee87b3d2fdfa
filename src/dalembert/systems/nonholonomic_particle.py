"""The nonholonomic free particle, zdot = y xdot [bates1993; rosenberg1977].

    L = m/2 (vx^2 + vy^2 + vz^2)
    contact:  vz - y vx = 0

The simplest nonholonomic constraint: linear, growth vector (2, 3). vy and vx sqrt(1 + y^2) are constant. The
nonholonomic motion is vakonomic only where it needs no reaction: vx = 0 or vy = 0.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import sympy as sp

from ..model.space_factors import coordinates
from ..model.system import System
from .facts import Facts

SOURCE = "bates1993"
SPACE = coordinates("x y z")
X, Y, Z, VX, VY, VZ = SPACE
MASS = sp.Symbol("m", positive=True)

STARTS: dict[str, dict[str, object]] = {
    "curved": {"x": 0.1, "y": -0.6, "z": 0.2, "vx": 1.1, "vy": 0.8},
    "along x": {"x": 0.0, "y": 0.7, "z": 0.0, "vx": -0.5, "vy": 0.0},
    "along y": {"x": 0.0, "y": 0.3, "z": 0.0, "vx": 0.0, "vy": 1.0},
}
START = STARTS["curved"]

FACTS = Facts(
    kinds={"contact": "linear"},
    growth=(2, 3),
    generating=True,
    conserved={"across": VY, "along": VX * sp.sqrt(1 + Y**2)},
    agree={"curved": False, "along x": True, "along y": True},
    where=[[VX], [VY]],
    multipliers={"lam_contact": sp.Integer(0)},
)


# what is drawn, and what a page lets a person change
BODIES: list[dict[str, object]] = [
    {"shape": "floor"},
    {"name": "particle", "shape": "point", "radius": 0.05, "at": ["x", "y", "z"], "trace": True},
]
RANGES = {"m": (0.2, 5), "y": (-1, 1), "vx": (-2, 2), "vy": (-2, 2)}


def system(*, m: float = 1.0) -> System:
    """The particle, without a potential."""
    return System(
        space=SPACE,
        lagrangian=MASS / 2 * (VX**2 + VY**2 + VZ**2),
        constraints={"contact": VZ - Y * VX},
        symmetry="x z",
        parameters={"m": m},
        bodies=BODIES,
        explore={"ranges": RANGES},
        title="Nonholonomic particle",
        cite=SOURCE,
    )


EXACT = ("x", "y", "z", "vx", "vy", "vz")


def exact(t: np.ndarray | float, start: Sequence[float], parameters: Mapping[str, float]) -> np.ndarray:
    """The columns `EXACT` at times t, shape (6, ...): with C = vx sqrt(1 + y^2), dx/dy = (C/vy)/sqrt(1 + y^2).

    Args:
        t: times.
        start: the same columns at t = 0.
        parameters: none is needed.
    """
    x, y, z, vx, vy, _ = start
    t = np.asarray(t, float)
    height, root = y + vy * t, np.sqrt(1 + y**2)
    roots = np.sqrt(1 + height**2)
    # int_0^t ds/sqrt(1 + y^2)
    way = (np.arcsinh(height) - np.arcsinh(y)) / vy if vy else t / root
    C = vx * root
    # int_0^t y/sqrt(1 + y^2) ds = (sqrt(1 + y^2) - sqrt(1 + y0^2))/vy
    rise = t * (height + y) / (roots + root)
    return np.array([x + C * way, height, z + C * rise, C / roots, np.full_like(t, vy), C * height / roots])
