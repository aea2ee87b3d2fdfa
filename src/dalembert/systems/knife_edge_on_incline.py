"""A knife edge (skate) on an inclined plane [neimark1972; arnold1988].

    L = m/2 (vx^2 + vy^2) + J/2 omega^2 + m g sin(alpha) x
    edge:  vx sin(phi) - vy cos(phi) = 0

x points down the slope, y is level, phi is the heading of the edge and its point of contact is the centre of mass. One
linear constraint, nonholonomic, growth vector (2, 3). omega is constant, and so is the speed along the edge less
(g sin(alpha)/omega) sin(phi). A turning edge does not descend: x keeps within bounds, and started at rest with phi = 0
the contact runs on a cycloid across the slope. The nonholonomic motion is vakonomic only where it needs no reaction:
straight down the slope, or straight on a level plane.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np
import sympy as sp

from ..model.space import Space
from ..model.space_factors import angle, plane
from ..model.system import System
from .closed import moments
from .facts import Facts, Variant

SOURCE = "neimark1972"
SPACE = Space.product(plane("x y"), angle("phi", "omega"))
X, Y, PHI, VX, VY, OMEGA = SPACE
MASS, INERTIA, GRAVITY = sp.symbols("m J g", positive=True)
SLOPE = sp.Symbol("alpha", real=True)

STARTS: dict[str, dict[str, object]] = {
    "cycloid": {"x": 0.0, "y": 0.0, "phi": 0.0, "vx": 0.0, "vy": 0.0, "omega": 1.5},
    "drifting": {"x": 0.1, "y": -0.3, "phi": 0.7, "vx": 0.8, "omega": -2.0},
    "straight down": {"x": 0.0, "y": 0.0, "phi": 0.0, "vx": 0.2, "vy": 0.0, "omega": 0.0},
}
START = STARTS["cycloid"]

PULL = GRAVITY * sp.sin(SLOPE)
SPEED = VX * sp.cos(PHI) + VY * sp.sin(PHI)
FACTS = Facts(
    kinds={"edge": "linear"},
    growth=(2, 3),
    generating=True,
    # with omega constant, written without a division by it
    conserved={"turning": OMEGA, "speed": OMEGA * SPEED - PULL * sp.sin(PHI)},
    agree={"cycloid": False, "drifting": False, "straight down": True},
    where=[[OMEGA, sp.sin(PHI)]],
    multipliers={"lam_edge": sp.Integer(0)},
)
VARIANTS = {
    "level": Variant(
        {"alpha": 0.0},
        {"circle": STARTS["drifting"], "straight": {**STARTS["drifting"], "omega": 0.0}},
        Facts(
            kinds={"edge": "linear"},
            growth=(2, 3),
            generating=True,
            conserved={"turning": OMEGA, "speed": SPEED},
            agree={"circle": False, "straight": True},
            where=[[OMEGA]],
            multipliers={"lam_edge": sp.Integer(0)},
        ),
        exact=True,
    )
}


# what is drawn, and what a page lets a person change
BODIES: list[dict[str, object]] = [
    {"name": "slope", "shape": "floor", "turn": "y alpha"},
    {
        "name": "skate",
        "shape": "blade",
        "on": "slope",
        "size": [0.5, 0.02, 0.12],
        "at": ["x", "y", 0.06],
        "turn": "z phi",
        "trace": True,
    },
]
RANGES = {"m": (0.2, 5), "g": (1, 20), "alpha": (0, 1.2), "vx": (-2, 2), "omega": (-4, 4)}


def system(*, m: float = 1.0, J: float = 0.3, g: float = 9.81, alpha: float = math.pi / 6) -> System:
    """The knife edge.

    Args:
        m: mass.
        J: moment of inertia about the normal of the plane.
        g: gravity.
        alpha: slope of the plane.
    """
    return System(
        space=SPACE,
        lagrangian=MASS / 2 * (VX**2 + VY**2) + INERTIA / 2 * OMEGA**2 + MASS * PULL * X,
        constraints={"edge": VX * sp.sin(PHI) - VY * sp.cos(PHI)},
        symmetry="y",
        parameters={"m": m, "J": J, "g": g, "alpha": alpha},
        bodies=BODIES,
        explore={"ranges": RANGES},
        title="Knife edge on an inclined plane",
        cite=SOURCE,
    )


EXACT = ("x", "y", "phi", "vx", "vy", "omega")


def exact(t: np.ndarray | float, start: Sequence[float], parameters: Mapping[str, float]) -> np.ndarray:
    """The columns `EXACT` at times t, shape (6, ...).

    With G = g sin(alpha) the speed v along the edge obeys  vdot = G cos(phi),  phi = phi0 + omega t.

    Args:
        t: times.
        start: the same columns at t = 0.
        parameters: g, alpha.
    """
    x, y, phi, vx, vy, omega = start
    t = np.asarray(t, float)
    G = parameters["g"] * math.sin(parameters["alpha"])
    speed = vx * math.cos(phi) + vy * math.sin(phi)
    first, second = moments(1j * omega * t)
    # E = int_0^t e^(i phi) ds
    E = t * first * np.exp(1j * phi)
    v = speed + G * E.real
    # int_0^t e^(i phi(s)) int_0^s cos(phi) = (E^2/2 + int_0^t (t - s) e^(i omega s) ds)/2
    z = speed * E + G / 2 * (E**2 / 2 + t**2 * (first - second))
    heading = phi + omega * t
    return np.array([x + z.real, y + z.imag, heading, v * np.cos(heading), v * np.sin(heading), np.full_like(t, omega)])


def drift(omega: float, parameters: Mapping[str, float]) -> tuple[float, float]:
    """Mean velocity (down the slope, level) of an edge that turns with omega: the descent is 0."""
    # v = c + (G/omega) sin(phi):  <v cos(phi)> = 0 ,  <v sin(phi)> = G/(2 omega)
    return 0.0, parameters["g"] * math.sin(parameters["alpha"]) / (2 * omega)


def depth(omega: float, parameters: Mapping[str, float]) -> float:
    """How far the cycloid from rest at phi = 0 reaches down the slope: G/(2 omega^2)."""
    return parameters["g"] * math.sin(parameters["alpha"]) / (2 * omega**2)
