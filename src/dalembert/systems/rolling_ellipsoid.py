"""An ellipsoid that rolls on a plane, its centre of mass in its middle, its axes those of inertia [borisov2002].

    L = m/2 |v|^2 + 1/2 (I1 w1^2 + I2 w2^2 + I3 w3^2) - m g s
    roll_1, roll_2, roll_3:  v + w x p = 0

v is the velocity of the middle (x, y, z) and w the angular velocity, both along the half-axes a, b, c. With
gamma = R^T e3 the height of the middle is s = sqrt(a^2 gamma1^2 + b^2 gamma2^2 + c^2 gamma3^2), and
p = -(a^2 gamma1, b^2 gamma2, c^2 gamma3)/s leads from it to the contact. The contact is at rest: three linear
constraints on six coordinates, growth vector (3, 5); their part along gamma is the contact itself, z - s = const. It is
the `rattleback` without what makes that one turn round. End over end, in a plane across axis 2, it rolls as a pendulum,

    (I2 + m |p|^2)/2 w2^2 + m g s = E .

If a = b and I1 = I2, as the body of revolution that it then is, it keeps two more constants, linear in the velocities:
w3 and <w, gamma> are the same linear functions, at every lean of axis 3, of what they were at another one.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

from scipy.integrate import quad

from ..model.symmetry import rotations, translations
from ..model.system import System
from . import rattleback
from .facts import Facts, Starts, Variant
from .rattleback import LAGRANGIAN, MIXED, OFFSET, ROLL, SPACE, SUPPORT, Z

SOURCE = "borisov2002"
UNSOLVED = "one quadrature end over end, and with two more constants as a body of revolution; none is known otherwise"
_MOMENTS = ("I1", "I2", "I3")
_CENTRED = {OFFSET: 0, MIXED: 0}

_TILTED = [[0.8, -0.36, 0.48], [0.6, 0.48, -0.64], [0.0, 0.8, 0.6]]
_PLACE: Mapping[str, object] = {"x": 0.0, "y": 0.0, "z": 0.2}
STARTS: Starts = {
    "tumbling": {**_PLACE, "R": _TILTED, "w1": 0.6, "w2": -0.9, "w3": 2.0},
    "end over end": {**_PLACE, "R": "identity", "w1": 0.0, "w2": 10.0, "w3": 0.0},
    "spinning": {**_PLACE, "R": "identity", "w1": 0.0, "w2": 0.0, "w3": 9.0},
}
START = STARTS["tumbling"]

FACTS = Facts(
    kinds={f"roll_{i}": "linear" for i in (1, 2, 3)},
    growth=(3, 5),
    generating=False,
    integrals={"contact": Z - SUPPORT},
    agree={"tumbling": False, "end over end": True, "spinning": True},
)
VARIANTS = {"a = b": Variant({"b": 0.3}, STARTS, FACTS)}


# what is drawn, and what a page lets a person change
BODIES: list[dict[str, object]] = [
    {"shape": "floor", "at": [0, 0, Z - SUPPORT]},
    {
        **{
            "name": "ellipsoid",
            "shape": "ellipsoid",
            "size": ["2*a", "2*b", "2*c"],
            "at": ["x", "y", "z"],
            "turn": "R",
        },
        "trace": [e.subs(_CENTRED) for e in rattleback.CONTACT],
    },
]
RANGES = {"m": (0.2, 5), "g": (0, 20), "w1": (-5, 5), "w2": (-8, 8), "w3": (-12, 12)}
FOLLOWS = {"I1": "m/5*(b^2 + c^2)", "I2": "m/5*(c^2 + a^2)", "I3": "m/5*(a^2 + b^2)"}  # of a homogeneous body


def system(
    *,
    m: float = 1.0,
    a: float = 0.3,
    b: float = 0.2,
    c: float = 0.15,
    I1: float | None = None,
    I2: float | None = None,
    I3: float | None = None,
    g: float = 9.81,
) -> System:
    """The ellipsoid.

    Args:
        m: mass.
        a, b, c: half-axes.
        I1, I2, I3: moments of inertia about these; those of a homogeneous ellipsoid if they are left out.
        g: gravity.
    """
    solid = (m / 5 * (b**2 + c**2), m / 5 * (c**2 + a**2), m / 5 * (a**2 + b**2))
    moments = [s if given is None else given for s, given in zip(solid, (I1, I2, I3), strict=True)]
    return System(
        space=SPACE,
        lagrangian=LAGRANGIAN.subs(_CENTRED),
        constraints={name: slip.subs(_CENTRED) for name, slip in ROLL.items()},
        symmetry=[translations("x y"), rotations("R", vectors="x y z", axis=3)],
        parameters={"m": m, "a": a, "b": b, "c": c, **dict(zip(_MOMENTS, moments, strict=True)), "g": g},
        bodies=BODIES,
        explore={"ranges": RANGES},
        title="Rolling ellipsoid",
        cite=SOURCE,
    )


def half_turn(spin: float, parameters: Mapping[str, float]) -> float:
    """Time of half a turn end over end about axis 2, with w2 = spin where c is upright; inf if it does not get over.

    Raises:
        ValueError: where a < c: then it starts at its highest, which is another formula's start.
    """
    m, a, c, I2, g = (parameters[n] for n in ("m", "a", "c", "I2", "g"))
    if a < c:
        raise ValueError("half_turn starts where the shorter of a and c is upright: a >= c")
    energy = (I2 + m * c**2) / 2 * spin**2 + m * g * c
    if energy <= m * g * a:
        return math.inf

    def slowness(angle: float) -> float:
        """1/|w2|, where gamma = (-sin(angle), 0, cos(angle))."""
        flat, up = a * math.sin(angle), c * math.cos(angle)
        height = math.hypot(flat, up)
        lever = (a * flat / height) ** 2 + (c * up / height) ** 2
        return math.sqrt((I2 + m * lever) / (2 * (energy - m * g * height)))

    return 2 * float(quad(slowness, 0, math.pi / 2, epsabs=0, epsrel=1e-11)[0])
