"""Veselova's problem: a body that cannot turn about one axis fixed in space [veselov1988; fedorov1995].

    L = 1/2 (I1 w1^2 + I2 w2^2 + I3 w3^2) - k <b, gamma>
    axis:  <gamma, w> = 0

w is the angular velocity in body axes and gamma = R^T e3 the axis seen from the body. One linear constraint on SO(3),
nonholonomic, growth vector (2, 3). Turns about the two level axes do no work on the reaction, so the level parts of the
angular momentum R I w are constant without a potential, though these turns leave the constraint not as it is. With

    K = I w - <I w, gamma> gamma :   Kdot = K x w ,   gammadot = gamma x w ,

a measure of density sqrt(<gamma, I^-1 gamma>) in (w, gamma) is preserved. A motion is vakonomic only where the reaction
about the axis vanishes for ever, as in turning about a level principal axis.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import sympy as sp

from ..model.space_factors import rotation
from ..model.symmetry import rotations
from ..model.system import System
from .facts import Facts, Variant

SOURCE = "veselov1988"
UNSOLVED = "theta functions of a time of its own, as of Neumann's problem on the sphere [veselov1988]"
SPACE = rotation("R", velocities="w1 w2 w3", frame="body")
W = sp.Matrix(SPACE.velocities)
INERTIA = sp.Matrix(sp.symbols("I1 I2 I3", positive=True))
STIFFNESS = sp.Symbol("k", real=True)
GAMMA = sp.Matrix(SPACE.R.T)[:, 2]
MOMENTUM = SPACE.R * sp.Matrix([i * w for i, w in zip(INERTIA, W, strict=True)])
LOAD = sp.Matrix([1, sp.Rational(1, 2), -1])

_TILTED = [[0.8, -0.36, 0.48], [0.6, 0.48, -0.64], [0.0, 0.8, 0.6]]
STARTS: dict[str, dict[str, object]] = {
    "turning": {"R": _TILTED, "w1": 0.9, "w2": -0.5},
    "principal": {"R": "identity", "w1": 1.2, "w2": 0.0},
}
START = STARTS["turning"]

FACTS = Facts(
    kinds={"axis": "linear"},
    growth=(2, 3),
    generating=True,
    conserved={"L_x": MOMENTUM[0], "L_y": MOMENTUM[1]},
    agree={"turning": False, "principal": True},
)
VARIANTS = {
    "heavy": Variant(
        {"k": 0.7},
        {"turning": STARTS["turning"], "slow": {"R": _TILTED, "w1": 0.1, "w2": 0.2}},
        Facts(
            kinds={"axis": "linear"},
            growth=(2, 3),
            generating=True,
            agree={"turning": False, "slow": False},
            coincide="never",
        ),
    )
}


# what is drawn, and what a page lets a person change
BODIES: list[dict[str, object]] = [
    {"name": "body", "shape": "box", "size": [0.9, 0.6, 0.3], "turn": "R"},
    {"name": "axis", "shape": "rod", "radius": 0.02, "from": [0, 0, -0.7], "to": [0, 0, 0.7], "both": True},
    {"name": "end", "shape": "point", "on": "body", "radius": 0.03, "at": [0.45, 0, 0], "trace": True},
]
RANGES = {"k": (0, 5), "w1": (-2, 2), "w2": (-2, 2)}


def system(*, I1: float = 1.0, I2: float = 2.0, I3: float = 2.5, k: float = 0.0) -> System:
    """The body; by default without a potential.

    Args:
        I1, I2, I3: principal moments of inertia.
        k: weight on the body's axis (1, 1/2, -1).
    """
    T = sum(i * w**2 for i, w in zip(INERTIA, W, strict=True)) / 2
    return System(
        space=SPACE,
        lagrangian=T - STIFFNESS * LOAD.dot(GAMMA),
        constraints={"axis": GAMMA.dot(W)},
        symmetry=rotations("R", axis=3),
        parameters={"I1": I1, "I2": I2, "I3": I3, "k": k},
        bodies=BODIES,
        explore={"ranges": RANGES},
        title="Veselova's problem",
        cite=SOURCE,
    )


def density(gamma: Any, parameters: Mapping[str, float]) -> np.ndarray:
    """Density of the measure in (w, gamma) that is preserved [veselov1988], for columns gamma of shape (3, ...)."""
    inertia = np.array([parameters["I1"], parameters["I2"], parameters["I3"]])
    # sqrt(<gamma, I^-1 gamma>)
    return np.asarray(np.sqrt(np.einsum("i...,i->...", np.asarray(gamma, float) ** 2, 1 / inertia)))
