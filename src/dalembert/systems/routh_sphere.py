"""Routh's sphere: a ball with its centre of mass off the middle, on an axis of symmetry, that rolls [routh1905].

    L = m/2 |v + w x c|^2 + I1/2 |w|^2 + (I3 - I1)/2 <w, z>^2 - m g <c, e3> ,   v = (vx, vy, 0)
    roll_x:  vx - r w2 = 0
    roll_y:  vy + r w1 = 0

w is the angular velocity in space axes, z = R e3 the axis of the body, c = a z leads from the middle (x, y, r) to the
centre of mass; I1 and I3 are about the centre of mass. Two linear constraints, nonholonomic, growth vector (3, 5).
With p = -r e3 - a z from the centre of mass to the contact, and J w the angular momentum about the centre of mass,

    <J w, p>                                       (Jellett)
    <w, z> sqrt(I1 I3 + m <p, J p>)                (Routh)

are constant [routh1905; borisov2002]. Neither belongs to a horizontal symmetry.
"""

from __future__ import annotations

import sympy as sp

from ..model.space import Space
from ..model.space_factors import plane, rotation
from ..model.symmetry import euclidean, spin, translations
from ..model.system import System
from .facts import Facts

SOURCE = "routh1905"
UNSOLVED = "Jellett's and Routh's constants leave one quadrature for the lean"
SPACE = Space.product(plane("x y"), rotation("R", velocities="w1 w2 w3", frame="space"))
X, Y, VX, VY = (SPACE[n] for n in ("x", "y", "vx", "vy"))
W = sp.Matrix([SPACE[n] for n in ("w1", "w2", "w3")])
MASS, RADIUS, GRAVITY, FIRST, THIRD = sp.symbols("m r g I1 I3", positive=True)
OFFSET = sp.Symbol("a", real=True)
AXIS = sp.Matrix(SPACE.R)[:, 2]

# p = -r e3 - a z
LEVER = -RADIUS * sp.Matrix([0, 0, 1]) - OFFSET * AXIS
# J w = I1 w + (I3 - I1) <w, z> z
MOMENTUM = FIRST * W + (THIRD - FIRST) * W.dot(AXIS) * AXIS
# <p, J p> = I1 |p|^2 + (I3 - I1) <p, z>^2 ,  |p|^2 = r^2 + 2 a r z3 + a^2
SQUARE = FIRST * (RADIUS**2 + 2 * OFFSET * RADIUS * AXIS[2] + OFFSET**2)
SQUARE += (THIRD - FIRST) * (RADIUS * AXIS[2] + OFFSET) ** 2
JELLETT = MOMENTUM.dot(LEVER)
ROUTH = W.dot(AXIS) * sp.sqrt(FIRST * THIRD + MASS * SQUARE)

_TILTED = [[0.8, -0.36, 0.48], [0.6, 0.48, -0.64], [0.0, 0.8, 0.6]]
STARTS: dict[str, dict[str, object]] = {
    "tumbling": {"x": 0.0, "y": 0.1, "R": _TILTED, "w1": 0.7, "w2": -0.9, "w3": 2.0},
    "spinning upright": {"x": 0.0, "y": 0.0, "R": "identity", "w1": 0.0, "w2": 0.0, "w3": 3.0},
}
START = STARTS["tumbling"]

FACTS = Facts(
    kinds={"roll_x": "linear", "roll_y": "linear"},
    growth=(3, 5),
    generating=True,
    conserved={"Jellett": JELLETT, "Routh": ROUTH},
    agree={"tumbling": False, "spinning upright": True},
)
# all of its group, which leaves the lean of the axis, with poles upright; shifts and spin, which are declared, leave
# z = R e3, without a pole
GROUP = [euclidean("x y", "R"), spin("R")]


# what is drawn, and what a page lets a person change
BODIES: list[dict[str, object]] = [
    {"shape": "floor"},
    {"shape": "ball", "radius": "r", "at": ["x", "y", "r"], "turn": "R", "trace": ["x", "y", 0]},
    {"name": "axis", "shape": "rod", "on": "ball", "radius": "r/20", "from": [0, 0, "-1.3*r"], "to": [0, 0, "1.3*r"]},
    {"name": "centre of mass", "shape": "point", "on": "ball", "radius": "r/8", "at": [0, 0, "a"]},
]
RANGES = {"r": (0.3, 1), "a": (-0.25, 0.25), "w1": (-5, 5), "w2": (-5, 5), "w3": (-10, 10)}


def system(
    *, m: float = 1.0, r: float = 0.5, a: float = -0.15, I1: float = 0.09, I3: float = 0.07, g: float = 9.81
) -> System:
    """The sphere.

    Args:
        m, r: mass and radius.
        a: place of the centre of mass on the body's axis; negative: it lies low when the axis points up.
        I1, I3: moments of inertia about the centre of mass, across the axis and about it.
        g: gravity.
    """
    v = sp.Matrix([VX, VY, 0]) + W.cross(OFFSET * AXIS)
    T = MASS * v.dot(v) + FIRST * W.dot(W) + (THIRD - FIRST) * W.dot(AXIS) ** 2
    return System(
        space=SPACE,
        lagrangian=T / 2 - MASS * GRAVITY * OFFSET * AXIS[2],
        constraints={"roll_x": VX - RADIUS * W[1], "roll_y": VY + RADIUS * W[0]},
        symmetry=[translations("x y"), spin("R")],
        parameters={"m": m, "r": r, "a": a, "I1": I1, "I3": I3, "g": g},
        bodies=BODIES,
        explore={"ranges": RANGES},
        title="Routh sphere",
        cite=SOURCE,
    )
