"""The rattleback: an ellipsoid that rolls, its axes of inertia turned against those of its surface [kane1982].

    L = m/2 |v|^2 + 1/2 <w, I w> - m g h
    roll_1, roll_2, roll_3:  v + w x p = 0

v is the velocity of the centre of mass and w the angular velocity, both along the half-axes a, b, c of the surface; the
centre of mass (x, y, z) lies d below the middle. With gamma = R^T e3 the vertical seen from the body and
s = sqrt(a^2 gamma1^2 + b^2 gamma2^2 + c^2 gamma3^2),

    p = d e3 - (a^2 gamma1, b^2 gamma2, c^2 gamma3)/s      from the centre of mass to the contact
    h = -<p, gamma> = s - d gamma3                         height of the centre of mass

The contact is at rest: three linear constraints on six coordinates, growth vector (3, 5); their part along gamma is the
contact itself, z - h = const. Spinning on the lowest point is steady. Motions can be run backwards, so the eigenvalues
of the spin -n are those of n with the other sign: what grows at one sense decays at the other [bondi1986]. A slow swing
grows slowly where a fast one decays, so that both senses may be unstable, one of them much more; the product of inertia
I12 decides which: with the values by default, those of [kane1982] in SI, w3 < 0.
"""

from __future__ import annotations

import sympy as sp

from ..model.space_factors import SE3
from ..model.symmetry import rotations, translations
from ..model.system import System
from .facts import Facts

SOURCE = "kane1982"
UNSOLVED = "none is known but for steady spins"
SPACE = SE3("x y z", "R", velocities="v1 v2 v3 w1 w2 w3", frame="body")
Z = SPACE["z"]
V, W = sp.Matrix(SPACE.velocities[:3]), sp.Matrix(SPACE.velocities[3:])
MASS, GRAVITY = sp.symbols("m g", positive=True)
AXES = sp.Matrix(sp.symbols("a b c", positive=True))
FIRST, SECOND, THIRD = sp.symbols("I1 I2 I3", positive=True)
OFFSET, MIXED = sp.symbols("d I12", real=True)
GAMMA = sp.Matrix(SPACE.R.T)[:, 2]

_SQUARED = sp.Matrix([a**2 * g for a, g in zip(AXES, GAMMA, strict=True)])
SUPPORT = sp.sqrt(_SQUARED.dot(GAMMA))
LEVER = OFFSET * sp.Matrix([0, 0, 1]) - _SQUARED / SUPPORT
HEIGHT = SUPPORT - OFFSET * GAMMA[2]
_TURNING = FIRST * W[0] ** 2 + SECOND * W[1] ** 2 + THIRD * W[2] ** 2 + 2 * MIXED * W[0] * W[1]
LAGRANGIAN = (MASS * V.dot(V) + _TURNING) / 2 - MASS * GRAVITY * HEIGHT
ROLL = {f"roll_{i + 1}": slip for i, slip in enumerate(V + W.cross(LEVER))}

_TILTED = [[0.995, 0.0, 0.0998749217771909], [0.0, 1.0, 0.0], [-0.0998749217771909, 0.0, 0.995]]
STARTS: dict[str, dict[str, object]] = {
    "rocking": {"x": 0.0, "y": 0.0, "z": 0.02, "R": _TILTED, "w1": 0.3, "w2": 0.0, "w3": 2.0},
    "spinning": {"x": 0.0, "y": 0.0, "z": 0.01, "R": "identity", "w1": 0.0, "w2": 0.0, "w3": -5.0},
}
START = STARTS["rocking"]
SPAN = 0.1  # some of its swings

FACTS = Facts(
    kinds={f"roll_{i}": "linear" for i in (1, 2, 3)},
    growth=(3, 5),
    generating=False,
    integrals={"contact": Z - HEIGHT},
    agree={"rocking": False, "spinning": True},
)


# what is drawn, and what a page lets a person change
GROUND = Z - HEIGHT  # constant: a start may have the stone rest at any height
CONTACT = sp.Matrix(SPACE.coordinates[:3]) + SPACE.R * LEVER
BODIES: list[dict[str, object]] = [
    {"shape": "floor", "at": [0, 0, GROUND]},
    {"name": "centre of mass", "shape": "point", "radius": "c/6", "at": ["x", "y", "z"], "turn": "R"},
    {
        **{"name": "stone", "shape": "ellipsoid", "on": "centre of mass", "size": ["2*a", "2*b", "2*c"]},
        **{"at": [0, 0, "d"], "trace": list(CONTACT)},
    },
]
RANGES = {"I12": (-1e-4, 1e-4), "w1": (-2, 2), "w2": (-2, 2), "w3": (-8, 8)}


def system(
    *,
    m: float = 1.0,
    a: float = 0.2,
    b: float = 0.03,
    c: float = 0.02,
    d: float = 0.01,
    I1: float = 2e-4,
    I2: float = 1.6e-3,
    I3: float = 1.7e-3,
    I12: float = -2e-5,
    g: float = 9.81,
) -> System:
    """The rattleback.

    Args:
        m: mass.
        a, b, c: half-axes of the ellipsoid, c upright.
        d: how far the centre of mass lies below its middle.
        I1, I2, I3, I12: entries of the tensor of inertia about the centre of mass, along the half-axes.
        g: gravity.
    """
    return System(
        space=SPACE,
        lagrangian=LAGRANGIAN,
        constraints=ROLL,
        symmetry=[translations("x y z"), rotations("R", vectors="x y z", axis=3)],
        parameters={"m": m, "a": a, "b": b, "c": c, "d": d, "I1": I1, "I2": I2, "I3": I3, "I12": I12, "g": g},
        bodies=BODIES,
        explore={"ranges": RANGES},
        title="Rattleback",
        cite=SOURCE,
    )
