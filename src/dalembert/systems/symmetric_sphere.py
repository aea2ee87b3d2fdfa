"""A sphere with an axis of symmetry that rolls on a plane, its centre of mass at its centre [cendra2001a, section 3].

    L = m/2 (vx^2 + vy^2) + I1/2 (w . w - (w . z)^2) + I3/2 (w . z)^2 ,   z = R e3
    roll_x:  vx - r w2 = 0
    roll_y:  vy + r w1 = 0

w is the angular velocity in space axes, z the body's axis, (x, y) the point of contact. Two linear constraints,
nonholonomic, growth vector (3, 5). The group SO(2) x R^2, turns of the body about its axis and shifts of the plane,
leaves everything alone, so that z on the sphere S^2 and the spin v0 = w . z can be followed by themselves. The angular
momentum about the point of contact is constant in space [chaplygin1897a]:

    K = I1 z x zdot + I3 v0 z + m r^2 e3 x (w x e3)

Spinning about the upright axis, and rolling straight on with the axis turning end over end, are steady and need no
reaction: these motions are vakonomic. In section 4 the sphere strikes rough walls: `RIGHT` and `left` say what
`da.impacts.wall` takes besides the system.
"""

from __future__ import annotations

from typing import Any

import sympy as sp

from ..model.space import Space
from ..model.space_factors import plane, rotation
from ..model.symmetry import spin, translations
from ..model.system import System
from .facts import Facts

SOURCE = "cendra2001a"
UNSOLVED = "quadratures, as of `chaplygin_ball`"
SPACE = Space.product(plane("x y"), rotation("R", velocities="w1 w2 w3", frame="space"))
X, Y, VX, VY, W1, W2, W3 = (SPACE[n] for n in ("x", "y", "vx", "vy", "w1", "w2", "w3"))
MASS, RADIUS, TRANSVERSE, AXIAL = sp.symbols("m r I1 I3", positive=True)

OMEGA, UP = sp.Matrix([W1, W2, W3]), sp.Matrix([0, 0, 1])
AXIS = SPACE.R[:, 2]  # z
SPIN = OMEGA.dot(AXIS)  # v0

# K = I1 (w - v0 z) + I3 v0 z + m r^2 e3 x (w x e3)
K = TRANSVERSE * (OMEGA - SPIN * AXIS) + AXIAL * SPIN * AXIS + MASS * RADIUS**2 * UP.cross(OMEGA.cross(UP))

_LEANING = [[0.6, 0.0, 0.8], [0.0, 1.0, 0.0], [-0.8, 0.0, 0.6]]  # z = (0.8, 0, 0.6)
_UPRIGHT = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]
STARTS: dict[str, dict[str, Any]] = {
    "tumbling": {"x": -1.0, "y": 0.0, "R": _LEANING, "w1": 0.4, "w2": 1.1, "w3": 0.8},
    "spinning upright": {"x": 0.0, "y": 0.0, "R": _UPRIGHT, "w1": 0.0, "w2": 0.0, "w3": 2.0},
    "end over end": {"x": -1.0, "y": 0.3, "R": _LEANING, "w1": 0.0, "w2": 1.5, "w3": 0.0},
}
START = STARTS["tumbling"]

FACTS = Facts(
    kinds={"roll_x": "linear", "roll_y": "linear"},
    growth=(3, 5),
    generating=True,
    conserved={f"K{i + 1}": K[i] for i in range(3)},
    agree={"tumbling": False, "spinning upright": True, "end over end": True},
)

# a rough wall at x = 0: the velocity of the sphere's point there vanishes, (vx, vy, 0) + w x r e1 = 0
RIGHT: dict[str, Any] = {"guard": -X, "constraints": {"right_y": VY + RADIUS * W3, "right_z": -RADIUS * W2}}


def left(length: float) -> dict[str, Any]:
    """A rough wall at x = -length, where (vx, vy, 0) - w x r e1 = 0."""
    return {"guard": X + length, "constraints": {"left_y": VY - RADIUS * W3, "left_z": RADIUS * W2}}


# what is drawn, and what a page lets a person change
BODIES: list[dict[str, object]] = [
    {"shape": "floor"},
    {"shape": "ball", "radius": "r", "at": ["x", "y", "r"], "turn": "R", "trace": ["x", "y", 0]},
    {"name": "axis", "shape": "rod", "on": "ball", "radius": "r/20", "from": [0, 0, "-1.3*r"], "to": [0, 0, "1.3*r"]},
]
RANGES = {"m": (0.2, 5), "r": (0.3, 2), "w1": (-3, 3), "w2": (-3, 3), "w3": (-3, 3)}


def system(*, m: float = 1.0, r: float = 1.0, I1: float = 0.4, I3: float = 0.6) -> System:
    """The sphere.

    Args:
        m, r: mass and radius.
        I1, I3: moments of inertia about an axis across z and about z; homogeneous: both 2/5 m r^2.
    """
    T = MASS * (VX**2 + VY**2) + TRANSVERSE * OMEGA.dot(OMEGA) + (AXIAL - TRANSVERSE) * SPIN**2
    return System(
        space=SPACE,
        lagrangian=T / 2,
        constraints={"roll_x": VX - RADIUS * W2, "roll_y": VY + RADIUS * W1},
        parameters={"m": m, "r": r, "I1": I1, "I3": I3},
        bodies=BODIES,
        explore={"ranges": RANGES},
        title="Symmetric rolling sphere",
        cite=SOURCE,
        symmetry=[spin("R"), translations("x y")],
    )
