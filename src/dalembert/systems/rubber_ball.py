"""Chaplygin's ball of rubber: it rolls on a plane and does not spin about the vertical [ehlers2005].

    L = m/2 (vx^2 + vy^2) + 1/2 (I1 w1^2 + I2 w2^2 + I3 w3^2)
    roll_x:  vx - r (R w)_2 = 0
    roll_y:  vy + r (R w)_1 = 0
    twist:   (R w)_3 = 0

w is the angular velocity in body axes, (x, y) the centre, which is the centre of mass. Three linear constraints,
nonholonomic, growth vector (2, 3, 5), that of Cartan. The angular momentum about the contact K = (I + m r^2) w changes
along the vertical alone, by the moment that prevents the twist: its level parts in space, (R K)_1 and (R K)_2, are
constant. As in Veselova's problem, with I + m r^2 in place of I.
"""

from __future__ import annotations

import sympy as sp

from ..model.space import Space
from ..model.space_factors import plane, rotation
from ..model.symmetry import euclidean
from ..model.system import System
from .facts import Facts, Starts

SOURCE = "ehlers2005"
UNSOLVED = "as of Veselova's problem, with I + m r^2 in place of I"
SPACE = Space.product(plane("x y"), rotation("R", velocities="w1 w2 w3", frame="body"))
X, Y, VX, VY = (SPACE[n] for n in ("x", "y", "vx", "vy"))
W = sp.Matrix([SPACE[n] for n in ("w1", "w2", "w3")])
MASS, RADIUS = sp.symbols("m r", positive=True)
INERTIA = sp.Matrix(sp.symbols("I1 I2 I3", positive=True))
SPIN = SPACE.R * W
# R K ,  K = (I + m r^2) w
CONTACT = SPACE.R * sp.Matrix([(i + MASS * RADIUS**2) * w for i, w in zip(INERTIA, W, strict=True)])

_TILTED = [[0.8, -0.36, 0.48], [0.6, 0.48, -0.64], [0.0, 0.8, 0.6]]
STARTS: Starts = {
    "tumbling": {"x": 0.1, "y": -0.2, "R": _TILTED, "w1": 2.4, "w2": -1.6},
    "principal": {"x": 0.0, "y": 0.0, "R": "identity", "w1": 0.0, "w2": 1.5},
}
START = STARTS["tumbling"]

FACTS = Facts(
    kinds={"roll_x": "linear", "roll_y": "linear", "twist": "linear"},
    growth=(2, 3, 5),
    generating=True,
    conserved={f"K_{axis}": CONTACT[i] for i, axis in enumerate("xy")},
    agree={"tumbling": False, "principal": True},
)


# what is drawn, and what a page lets a person change
BODIES: list[dict[str, object]] = [
    {"shape": "floor"},
    {"shape": "ball", "radius": "r", "at": ["x", "y", "r"], "turn": "R", "trace": ["x", "y", 0]},
    {"name": "axis", "shape": "rod", "on": "ball", "radius": "r/20", "from": [0, 0, "-1.3*r"], "to": [0, 0, "1.3*r"]},
]
RANGES = {"m": (0.2, 5), "r": (0.3, 1.5), "w1": (-3, 3), "w2": (-3, 3)}


def system(*, m: float = 1.0, r: float = 0.4, I1: float = 0.2, I2: float = 0.3, I3: float = 0.35) -> System:
    """The ball; I1, I2, I3 are its principal moments of inertia about the centre."""
    turning = sum(i * w**2 for i, w in zip(INERTIA, W, strict=True))
    return System(
        space=SPACE,
        lagrangian=MASS / 2 * (VX**2 + VY**2) + turning / 2,
        constraints={"roll_x": VX - RADIUS * SPIN[1], "roll_y": VY + RADIUS * SPIN[0], "twist": SPIN[2]},
        symmetry=euclidean("x y", "R"),
        parameters={"m": m, "r": r, "I1": I1, "I2": I2, "I3": I3},
        bodies=BODIES,
        explore={"ranges": RANGES},
        title="Rubber ball",
        cite=SOURCE,
    )
