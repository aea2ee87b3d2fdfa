"""Chaplygin's ball: a sphere, balanced but not homogeneous, that rolls on a plane [chaplygin1903].

    L = m/2 (vx^2 + vy^2) + 1/2 (I1 w1^2 + I2 w2^2 + I3 w3^2)
    roll_x:  vx - r (R w)_2 = 0
    roll_y:  vy + r (R w)_1 = 0

w is the angular velocity in body axes, (x, y) the centre, which is the centre of mass. Two linear constraints,
nonholonomic, growth vector (3, 5). With gamma = R^T e3 and D = m r^2 the angular momentum about the contact,

    K = I w + D gamma x (w x gamma) ,   Kdot = K x w ,   gammadot = gamma x w ,

is constant in space, and a measure is preserved: its density in (w, gamma) is sqrt(1 - D <gamma, (I + D)^-1 gamma>)
[chaplygin1903; borisov2002]. For I1 = I2 = I3 it is the homogeneous ball, `rolling_ball_on_plane`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import sympy as sp

from ..model.space import Space
from ..model.space_factors import plane, rotation
from ..model.symmetry import euclidean
from ..model.system import System
from .facts import Facts

SOURCE = "chaplygin1903"
UNSOLVED = "hyperelliptic functions of a time of its own [chaplygin1903]"
SPACE = Space.product(plane("x y"), rotation("R", velocities="w1 w2 w3", frame="body"))
X, Y, VX, VY = (SPACE[n] for n in ("x", "y", "vx", "vy"))
W = sp.Matrix([SPACE[n] for n in ("w1", "w2", "w3")])
MASS, RADIUS = sp.symbols("m r", positive=True)
INERTIA = sp.Matrix(sp.symbols("I1 I2 I3", positive=True))
GAMMA = sp.Matrix(SPACE.R.T)[:, 2]
SPIN = SPACE.R * W
# K in space: R I w + D (w - <w, e3> e3)
CONTACT = SPACE.R * sp.Matrix([i * w for i, w in zip(INERTIA, W, strict=True)])
CONTACT += MASS * RADIUS**2 * sp.Matrix([SPIN[0], SPIN[1], 0])
TURNING = sum(i * w**2 for i, w in zip(INERTIA, W, strict=True)) / 2
LAGRANGIAN = MASS / 2 * (VX**2 + VY**2) + TURNING
ROLL = {"roll_x": VX - RADIUS * SPIN[1], "roll_y": VY + RADIUS * SPIN[0]}

_TILTED = [[0.8, -0.36, 0.48], [0.6, 0.48, -0.64], [0.0, 0.8, 0.6]]
STARTS: dict[str, dict[str, object]] = {
    "tumbling": {"x": 0.1, "y": -0.2, "R": _TILTED, "w1": 1.1, "w2": -0.6, "w3": 0.8},
    "principal": {"x": 0.0, "y": 0.0, "R": "identity", "w1": 0.0, "w2": 0.0, "w3": 1.5},
}
START = STARTS["tumbling"]

FACTS = Facts(
    kinds={"roll_x": "linear", "roll_y": "linear"},
    growth=(3, 5),
    generating=True,
    conserved={f"K_{axis}": K for axis, K in zip("xyz", CONTACT, strict=True)},
    agree={"tumbling": False, "principal": True},
)


# what is drawn, and what a page lets a person change
BODIES: list[dict[str, object]] = [
    {"shape": "floor"},
    {"shape": "ball", "radius": "r", "at": ["x", "y", "r"], "turn": "R", "trace": ["x", "y", 0]},
    {"name": "axis", "shape": "rod", "on": "ball", "radius": "r/20", "from": [0, 0, "-1.3*r"], "to": [0, 0, "1.3*r"]},
]
RANGES = {"m": (0.2, 5), "r": (0.3, 1.5), "w1": (-3, 3), "w2": (-3, 3), "w3": (-3, 3)}


def system(*, m: float = 1.0, r: float = 0.8, I1: float = 0.2, I2: float = 0.3, I3: float = 0.35) -> System:
    """The ball; I1, I2, I3 are its principal moments of inertia about the centre."""
    return System(
        space=SPACE,
        lagrangian=LAGRANGIAN,
        constraints=ROLL,
        symmetry=euclidean("x y", "R"),
        parameters={"m": m, "r": r, "I1": I1, "I2": I2, "I3": I3},
        bodies=BODIES,
        explore={"ranges": RANGES},
        title="Chaplygin ball",
        cite=SOURCE,
    )


def density(gamma: Any, parameters: Mapping[str, float]) -> np.ndarray:
    """Density of the measure in (w, gamma) that is preserved [chaplygin1903], for columns gamma of shape (3, ...)."""
    D = parameters["m"] * parameters["r"] ** 2
    inertia = np.array([parameters["I1"], parameters["I2"], parameters["I3"]])
    # sqrt(1 - D <gamma, (I + D)^-1 gamma>)
    return np.asarray(np.sqrt(1 - D * np.einsum("i...,i->...", np.asarray(gamma, float) ** 2, 1 / (inertia + D))))
