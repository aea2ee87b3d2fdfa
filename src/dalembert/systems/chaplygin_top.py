"""Chaplygin's top: a ball whose centre of mass lies anywhere, rolling on a plane [borisov2014].

    L = m/2 |v + w x R c|^2 + 1/2 (I1 u1^2 + I2 u2^2 + I3 u3^2) - m g <R c, e3> ,   v = (vx, vy, 0) ,  u = R^T w
    roll_x:  vx - r w2 = 0
    roll_y:  vy + r w1 = 0

w is the angular velocity in space axes and u in body axes, (x, y, r) the middle of the ball, c = (c1, c2, c3) leads
from there to the centre of mass in the body; I1, I2, I3 are about the centre of mass. Two linear constraints,
nonholonomic, growth vector (3, 5). Only the energy is known to be constant, the motion is the same backwards, and
neither hinders it from having attractors: it turns over, from spinning with one sense to the other, and is chaotic
[borisov2014]. With c on an axis of symmetry it is `routh_sphere`, with c = 0 `chaplygin_ball`.
"""

from __future__ import annotations

import sympy as sp

from ..model.space import Space
from ..model.space_factors import plane, rotation
from ..model.symmetry import euclidean
from ..model.system import System
from .facts import Facts, Starts

SOURCE = "borisov2014"
UNSOLVED = "none: it is chaotic [borisov2014]"
SPACE = Space.product(plane("x y"), rotation("R", velocities="w1 w2 w3", frame="space"))
X, Y, VX, VY = (SPACE[n] for n in ("x", "y", "vx", "vy"))
W = sp.Matrix([SPACE[n] for n in ("w1", "w2", "w3")])
MASS, RADIUS, GRAVITY = sp.symbols("m r g", positive=True)
INERTIA = sp.symbols("I1 I2 I3", positive=True)
ARM = sp.Matrix(sp.symbols("c1 c2 c3", real=True))
BODY = SPACE.R.T * W

_TILTED = [[0.8, -0.36, 0.48], [0.6, 0.48, -0.64], [0.0, 0.8, 0.6]]
STARTS: Starts = {
    "tumbling": {"x": 0.0, "y": 0.1, "R": _TILTED, "w1": 0.7, "w2": -0.9, "w3": 2.0},
    "spinning": {"x": 0.0, "y": 0.0, "R": "identity", "w1": 0.0, "w2": 0.0, "w3": 5.0},
}
START = STARTS["tumbling"]

FACTS = Facts(
    kinds={"roll_x": "linear", "roll_y": "linear"},
    growth=(3, 5),
    generating=True,
    agree={"tumbling": False, "spinning": False},
    coincide="never",
)


# what is drawn, and what a page lets a person change
BODIES: list[dict[str, object]] = [
    {"shape": "floor"},
    {"shape": "ball", "radius": "r", "at": ["x", "y", "r"], "turn": "R", "trace": ["x", "y", 0]},
    {"name": "centre of mass", "shape": "point", "on": "ball", "radius": "r/8", "at": ["c1", "c2", "c3"]},
]
RANGES = {"c1": (-0.1, 0.1), "c2": (-0.1, 0.1), "c3": (-0.2, 0.2), "w1": (-5, 5), "w2": (-5, 5), "w3": (-10, 10)}


def system(
    *,
    m: float = 1.0,
    r: float = 0.5,
    c1: float = 0.05,
    c2: float = 0.03,
    c3: float = -0.15,
    I1: float = 0.08,
    I2: float = 0.1,
    I3: float = 0.07,
    g: float = 9.81,
) -> System:
    """The top.

    Args:
        m, r: mass and radius.
        c1, c2, c3: the centre of mass, from the middle, in the body.
        I1, I2, I3: moments of inertia about the centre of mass, along the axes of the body.
        g: gravity.
    """
    arm = SPACE.R * ARM
    v = sp.Matrix([VX, VY, 0]) + W.cross(arm)
    turning = sum(i * u**2 for i, u in zip(INERTIA, BODY, strict=True))
    values = {"m": m, "r": r, "c1": c1, "c2": c2, "c3": c3, "I1": I1, "I2": I2, "I3": I3, "g": g}
    return System(
        space=SPACE,
        lagrangian=MASS / 2 * v.dot(v) + turning / 2 - MASS * GRAVITY * arm[2],
        constraints={"roll_x": VX - RADIUS * W[1], "roll_y": VY + RADIUS * W[0]},
        symmetry=euclidean("x y", "R"),
        parameters=values,
        bodies=BODIES,
        explore={"ranges": RANGES},
        title="Chaplygin top",
        cite=SOURCE,
    )
