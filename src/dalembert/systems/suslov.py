"""Suslov's problem: a body that cannot turn about one axis fixed in it [kozlov1988; bloch2015].

    L = 1/2 (I1 w1^2 + I2 w2^2 + I3 w3^2) + I13 w1 w3 + I23 w2 w3
    axis:  w3 = 0

w is the angular velocity in body axes; the axes 1 and 2 are turned so that I12 = 0. One linear constraint on SO(3),
nonholonomic, growth vector (2, 3). With s = I13 w1 + I23 w2,

    I1 w1dot = -s w2 ,   I2 w2dot = s w1 :

(w1, w2) runs on an ellipse of constant energy from one steady turning with s = 0 to the opposite one. One of the two
attracts, though the energy is conserved: no volume is preserved, unless I13 = I23 = 0 [kozlov1988]. A motion is
vakonomic only where the reaction about the axis vanishes for ever: never, but at rest, if I1, I2, I13 and I23 are
generic; where it is steady, if I1 = I2.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
import sympy as sp

from ..model.space_factors import rotation
from ..model.symmetry import rotations
from ..model.system import System
from .closed import separatrix
from .facts import Facts, Variant

SOURCE = "kozlov1988"
SPACE = rotation("R", velocities="w1 w2 w3", frame="body")
W1, W2, W3 = SPACE.velocities
FIRST, SECOND, THIRD = sp.symbols("I1 I2 I3", positive=True)
MIXED_1, MIXED_2 = sp.symbols("I13 I23", real=True)

STARTS: dict[str, dict[str, object]] = {
    "turning": {"w1": -0.7, "w2": 0.5},
    "nearly steady": {"w1": 0.8, "w2": 0.9},
    "steady": {"w1": 0.6, "w2": 0.8},
}
START = STARTS["turning"]

FACTS = Facts(
    kinds={"axis": "linear"},
    growth=(2, 3),
    generating=True,
    conserved={"ellipse": FIRST * W1**2 + SECOND * W2**2},
    agree=dict.fromkeys(STARTS, False),
    coincide="never",
)
_SYMMETRIC = replace(
    FACTS,
    agree={"turning": False, "nearly steady": False, "steady": True},
    coincide="sometimes",
    where=[[MIXED_1 * W1 + MIXED_2 * W2]],
    multipliers={"lam_axis": sp.Integer(0)},
)
VARIANTS = {"I1 = I2": Variant({"I1": 2.0, "I2": 2.0}, STARTS, _SYMMETRIC, exact=True)}


# what is drawn, and what a page lets a person change
BODIES: list[dict[str, object]] = [
    {"name": "body", "shape": "box", "size": [0.9, 0.6, 0.3], "turn": "R", "trace": False},
    {"name": "axis", "shape": "rod", "on": "body", "radius": 0.02, "from": [0, 0, -0.7], "to": [0, 0, 0.7]},
    {"name": "tip", "shape": "point", "on": "body", "radius": 0.03, "at": [0, 0, 0.7], "trace": True},
]
RANGES = {"I13": (-0.5, 0.5), "I23": (-0.5, 0.5), "w1": (-2, 2), "w2": (-2, 2)}


def system(*, I1: float = 2.0, I2: float = 3.0, I3: float = 2.0, I13: float = 0.4, I23: float = -0.3) -> System:
    """The body, free but for its constraint.

    Args:
        I1, I2, I3: moments of inertia.
        I13, I23: entries of the tensor of inertia off its diagonal.

    Raises:
        ValueError: where no body has this tensor of inertia.
    """
    refuse_no_body(I1, I2, I3, I13, I23)
    T = FIRST * W1**2 + SECOND * W2**2 + THIRD * W3**2
    return System(
        space=SPACE,
        lagrangian=T / 2 + MIXED_1 * W1 * W3 + MIXED_2 * W2 * W3,
        constraints={"axis": W3},
        symmetry=rotations("R"),
        parameters={"I1": I1, "I2": I2, "I3": I3, "I13": I13, "I23": I23},
        bodies=BODIES,
        explore={"ranges": RANGES},
        title="Suslov's problem",
        cite=SOURCE,
    )


def refuse_no_body(I1: float, I2: float, I3: float, I13: float, I23: float) -> None:
    """Raise ValueError where no body has the tensor of inertia with these entries, I12 = 0."""
    tensor = np.array([[I1, 0, I13], [0, I2, I23], [I13, I23, I3]])
    least, *others = np.linalg.eigvalsh(tensor)
    if least <= 0 or others[1] > least + others[0]:
        raise ValueError("principal moments of inertia are positive, and none exceeds the sum of the others")


EXACT = ("w1", "w2", "w3")


def exact(t: np.ndarray | float, start: Sequence[float], parameters: Mapping[str, float]) -> np.ndarray:
    """The columns `EXACT` at times t >= 0, shape (3, ...).

    With  a_i w_i = V (cos(psi), sin(psi)),  a_i = sqrt(I_i):  psidot = kappa cos(psi - psi0).

    Args:
        t: times, not before the start.
        start: the same columns at t = 0.
        parameters: I1, I2, I13, I23.
    """
    a1, a2 = math.sqrt(parameters["I1"]), math.sqrt(parameters["I2"])
    n1, n2 = parameters["I13"] / a1, parameters["I23"] / a2
    u, n = complex(a1 * start[0], a2 * start[1]), complex(n1, n2)
    V, size = abs(u), abs(n)
    if not V * size:
        return np.array([np.full(np.shape(t), value) for value in start])
    # u = V e^(i psi), n = size e^(i psi0):  chi = psi - psi0
    turned = u / V * (n / size).conjugate()
    sine, cosine = separatrix(t, V * size / (a1 * a2), turned.imag, turned.real)
    moved = V * n / size * (cosine + 1j * sine)
    return np.array([moved.real / a1, moved.imag / a2, np.zeros(np.shape(t))])


def attractor(energy: float, parameters: Mapping[str, float]) -> tuple[float, float]:
    """(w1, w2) of the steady turning that attracts, at a kinetic energy; the opposite one repels."""
    p = parameters
    # chi = pi/2:  (a1 w1, a2 w2) = V i n/|n|
    w1, w2 = -p["I23"] / math.sqrt(p["I2"] * p["I1"]), p["I13"] / math.sqrt(p["I1"] * p["I2"])
    scale = math.sqrt(2 * energy / (p["I1"] * w1**2 + p["I2"] * w2**2))
    return scale * w1, scale * w2
