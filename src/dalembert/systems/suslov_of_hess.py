"""Suslov's body in a field, of a kind like Hess and Appelrot's: one relation is kept [dragovic2006; kharlamova1957].

    L = 1/2 (I1 w1^2 + I2 w2^2 + I3 w3^2) + I13 w1 w3 + I23 w2 w3 - m g <c, gamma> ,     gamma = R^T e3
    axis:  w3 = 0

As in `suslov_in_field` w is the angular velocity in body axes and c = (c1, c2, 0) leads from the fixed point to the
centre of mass; the axis about which the body cannot turn is no principal one, (I13, I23) = mu (I1 c1, I2 c2). One
linear constraint on SO(3), nonholonomic, growth vector (2, 3). With F = I1 c1 w1 + I2 c2 w2,

    I1 w1dot = -mu F w2 - m g c2 gamma3 ,     I2 w2dot = mu F w1 + m g c1 gamma3 ,     Fdot = mu (c2 w1 - c1 w2) F .

F is a constant for mu = 0 alone, but F = 0 is kept for any mu, as by tops of Hess and Appelrot [dragovic2006]: then the
body swings as a pendulum about an axis at rest. Elsewhere the volume in (w, gamma) is preserved with the density 1/|F|.
"""

from __future__ import annotations

import sympy as sp

from ..model.symmetry import rotations
from ..model.system import System
from . import suslov_in_field
from .facts import Facts, Starts
from .suslov import refuse_no_body
from .suslov_in_field import ARM, BODIES, INERTIA, SPACE, W1, W2, W3, lagrangian

SOURCE = "dragovic2006"
UNSOLVED = "elliptic functions as of a pendulum where F = 0; none is known otherwise"
SLANT = sp.Symbol("mu", real=True)
RELATION = INERTIA[0] * ARM[0] * W1 + INERTIA[1] * ARM[1] * W2

_TILTED = suslov_in_field.START["R"]
STARTS: Starts = {
    "tumbling": {"R": _TILTED, "w1": 0.7, "w2": -0.5},
    # I1 c1 w1 + I2 c2 w2 = 0 with the values by default
    "as a pendulum": {"R": _TILTED, "w1": 0.9, "w2": 1.2},
}
START = STARTS["tumbling"]

FACTS = Facts(
    kinds={"axis": "linear"},
    growth=(2, 3),
    generating=True,
    agree={"tumbling": False, "as a pendulum": False},
    coincide="never",
)


# what is drawn, and what a page lets a person change
RANGES = {**suslov_in_field.RANGES, "mu": (-2, 2)}


def system(
    *,
    m: float = 1.0,
    c1: float = 0.2,
    c2: float = -0.1,
    I1: float = 0.4,
    I2: float = 0.6,
    I3: float = 0.5,
    mu: float = 1.5,
    g: float = 9.81,
) -> System:
    """The body.

    Args:
        m: mass.
        c1, c2: place of the centre of mass, across the axis.
        I1, I2, I3: moments of inertia about the fixed point, I12 = 0.
        mu: I13 = mu I1 c1 and I23 = mu I2 c2.
        g: gravity.

    Raises:
        ValueError: where no body has this tensor of inertia.
    """
    refuse_no_body(I1, I2, I3, mu * I1 * c1, mu * I2 * c2)
    return System(
        space=SPACE,
        lagrangian=lagrangian() + SLANT * RELATION * W3,
        constraints={"axis": W3},
        symmetry=rotations("R", axis=3),
        parameters={"m": m, "c1": c1, "c2": c2, "I1": I1, "I2": I2, "I3": I3, "mu": mu, "g": g},
        bodies=BODIES,
        explore={"ranges": RANGES},
        title="Suslov's body of Hess's kind",
        cite=SOURCE,
    )
