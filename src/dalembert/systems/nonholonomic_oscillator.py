"""The nonholonomic oscillator: the nonholonomic particle, with a spring across [bates1999].

    L = m/2 (vx^2 + vy^2 + vz^2) - k/2 y^2
    contact:  vz - y vx = 0

One linear constraint, nonholonomic, growth vector (2, 3). y swings as if it were free, C = vx sqrt(1 + y^2) is
constant, and the motion is integrable: in one swing of amplitude A

    x goes on by  4 (C/kappa) K(-A^2) ,     z by 0 ,     kappa = sqrt(k/m)

with K the complete elliptic integral of the first kind, of the parameter -A^2.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import sympy as sp
from scipy.special import ellipkinc

from ..model.space_factors import coordinates
from ..model.system import System
from . import nonholonomic_particle
from .facts import Facts, Starts

SOURCE = "bates1999"
SPACE = coordinates("x y z")
X, Y, Z, VX, VY, VZ = SPACE
MASS, SPRING = sp.symbols("m k", positive=True)

STARTS: Starts = {
    "swinging": {"x": 0.1, "y": -0.6, "z": 0.2, "vx": 1.1, "vy": 0.8},
    "across": {"x": 0.0, "y": 0.5, "z": 0.0, "vx": 0.0, "vy": 1.0},
    "along": {"x": 0.0, "y": 0.0, "z": 0.3, "vx": 0.7, "vy": 0.0},
}
START = STARTS["swinging"]

FACTS = Facts(
    kinds={"contact": "linear"},
    growth=(2, 3),
    generating=True,
    conserved={"along": VX * sp.sqrt(1 + Y**2), "swinging": MASS * VY**2 + SPRING * Y**2},
    agree={"swinging": False, "across": True, "along": True},
    where=[[VX], [Y, VY]],
    multipliers={"lam_contact": sp.Integer(0)},
)


# what is drawn, and what a page lets a person change
BODIES: list[dict[str, object]] = [
    *nonholonomic_particle.BODIES,
    {"name": "spring", "shape": "rod", "radius": 0.01, "from": ["x", 0, "z"], "to": ["x", "y", "z"]},
]
RANGES = {"m": (0.2, 5), "k": (0.2, 10), "y": (-1, 1), "vx": (-2, 2), "vy": (-2, 2)}


def system(*, m: float = 1.0, k: float = 4.0) -> System:
    """The particle on its spring of stiffness k."""
    return System(
        space=SPACE,
        lagrangian=MASS / 2 * (VX**2 + VY**2 + VZ**2) - SPRING / 2 * Y**2,
        constraints={"contact": VZ - Y * VX},
        symmetry="x z",
        parameters={"m": m, "k": k},
        bodies=BODIES,
        explore={"ranges": RANGES},
        title="Nonholonomic oscillator",
        cite=SOURCE,
    )


EXACT = ("x", "y", "z", "vx", "vy", "vz")


def exact(t: np.ndarray | float, start: Sequence[float], parameters: Mapping[str, float]) -> np.ndarray:
    """The columns `EXACT` at times t, shape (6, ...): y = A cos(s), s = kappa t + s0, and C = vx sqrt(1 + y^2).

    Args:
        t: times.
        start: the same columns at t = 0.
        parameters: m, k.
    """
    x, y, z, vx, vy, _ = start
    t, kappa = np.asarray(t, float), np.sqrt(parameters["k"] / parameters["m"])
    A, s0 = np.hypot(y, vy / kappa), np.arctan2(-vy / kappa, y)
    s, C = kappa * t + s0, vx * np.sqrt(1 + y**2)
    height, root = A * np.cos(s), np.sqrt(1 + (A * np.cos(s)) ** 2)
    # 1 + A^2 cos^2 = 1 - (-A^2) sin^2(s + pi/2):  int ds/sqrt(1 + A^2 cos^2) = F(s + pi/2 | -A^2)
    way = ellipkinc(s + np.pi / 2, -(A**2)) - ellipkinc(s0 + np.pi / 2, -(A**2))
    # int A cos(s)/sqrt(1 + A^2 - A^2 sin^2(s)) ds
    rise = [np.arcsin(A / np.sqrt(1 + A**2) * np.sin(angle)) for angle in (s, s0)]
    v = C / root
    return np.array(
        [x + C / kappa * way, height, z + C / kappa * (rise[0] - rise[1]), v, -A * kappa * np.sin(s), height * v]
    )
