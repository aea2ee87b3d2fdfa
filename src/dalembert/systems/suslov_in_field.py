"""Suslov's body in a field of gravity, its axis a principal one [kozlov1988; kharlamova1957].

    L = 1/2 (I1 w1^2 + I2 w2^2 + I3 w3^2) - m g <c, gamma> ,     gamma = R^T e3
    axis:  w3 = 0

w is the angular velocity in body axes, c = (c1, c2, 0) leads from the fixed point to the centre of mass, across the
axis about which the body cannot turn. One linear constraint on SO(3), nonholonomic, growth vector (2, 3). Then

    I1 w1dot = -m g c2 gamma3 ,     I2 w2dot = m g c1 gamma3 ,

so that besides the energy  I1 c1 w1 + I2 c2 w2  is constant [kharlamova1957]; a volume is preserved, as the axis is a
principal one.
"""

from __future__ import annotations

import sympy as sp

from ..model.space_factors import rotation
from ..model.symmetry import rotations
from ..model.system import System
from .facts import Facts, Starts

SOURCE = "kharlamova1957"
UNSOLVED = "its constants and its measure leave quadratures, by the last multiplier"
SPACE = rotation("R", velocities="w1 w2 w3", frame="body")
W1, W2, W3 = SPACE.velocities
MASS, GRAVITY = sp.symbols("m g", positive=True)
INERTIA = sp.symbols("I1 I2 I3", positive=True)
ARM = sp.symbols("c1 c2", real=True)
# gamma = R^T e3
GAMMA = SPACE.R[2, :]

_TILTED = [[0.8, -0.36, 0.48], [0.6, 0.48, -0.64], [0.0, 0.8, 0.6]]
STARTS: Starts = {
    "tumbling": {"R": _TILTED, "w1": 0.7, "w2": -0.5},
    "swinging": {"R": "identity", "w1": 0.0, "w2": 0.0},
}
START = STARTS["tumbling"]

FACTS = Facts(
    kinds={"axis": "linear"},
    growth=(2, 3),
    generating=True,
    conserved={"Kharlamova": INERTIA[0] * ARM[0] * W1 + INERTIA[1] * ARM[1] * W2},
    agree={"tumbling": False, "swinging": False},
    coincide="never",
)


# what is drawn, and what a page lets a person change
BODIES: list[dict[str, object]] = [
    {"name": "body", "shape": "box", "size": [0.9, 0.6, 0.3], "turn": "R", "trace": False},
    {"name": "axis", "shape": "rod", "on": "body", "radius": 0.02, "from": [0, 0, -0.7], "to": [0, 0, 0.7]},
    {"name": "centre of mass", "shape": "point", "on": "body", "radius": 0.05, "at": ["c1", "c2", 0], "trace": True},
]
RANGES = {"g": (0, 20), "c1": (-0.5, 0.5), "c2": (-0.5, 0.5), "w1": (-2, 2), "w2": (-2, 2)}


def lagrangian() -> sp.Expr:
    """L of the body with principal axes of inertia."""
    T = sum(i * w**2 for i, w in zip(INERTIA, SPACE.velocities, strict=True)) / 2
    return T - MASS * GRAVITY * (ARM[0] * GAMMA[0] + ARM[1] * GAMMA[1])


def system(
    *,
    m: float = 1.0,
    c1: float = 0.2,
    c2: float = -0.1,
    I1: float = 0.4,
    I2: float = 0.6,
    I3: float = 0.5,
    g: float = 9.81,
) -> System:
    """The body.

    Args:
        m: mass.
        c1, c2: place of the centre of mass, across the axis.
        I1, I2, I3: principal moments of inertia about the fixed point.
        g: gravity.
    """
    return System(
        space=SPACE,
        lagrangian=lagrangian(),
        constraints={"axis": W3},
        symmetry=rotations("R", axis=3),
        parameters={"m": m, "c1": c1, "c2": c2, "I1": I1, "I2": I2, "I3": I3, "g": g},
        bodies=BODIES,
        explore={"ranges": RANGES},
        title="Suslov's body in a field",
        cite=SOURCE,
    )
