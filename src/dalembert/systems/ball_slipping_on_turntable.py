"""A ball that is set down on a turning table: it slips, and then it rolls on a circle that was settled before.

    L = m/2 |v|^2 + I/2 |w|^2 - m g z ,    I = 2/5 m r^2
    table: z - r >= 0 ,  slip (vx - r w2 + Omega y, vy + r w1 - Omega x)

Friction of any size acts at the contact, and leaves v + 2/5 r (w2, -w1) as it is, while the ball slips as while it
rolls. Rolling, v turns at 2/7 of the rate of the table [lewis1995, section 3.3], so that the middle of its circle is
known before the ball touches the table:

    (x, y) = 5/(2 Omega) (-C2, C1) ,    C = v + 2/5 r (w2, -w1)

A ball that is set down at rest rolls about the axis, wherever it was. Friction decides the radius alone: of one that is
set down at rest at R it is R on a rough table, where the slip ends at once, and

    R + a^2 T^4/(24 R) ,    a = mu g ,  T = 2 Omega R/(7 a)

to leading order, T being how long it slips.

So an experiment that fits a circle and its period learns nothing of the slip: 7/2 turns of the table is the period of
either motion, and the middle follows from C as if the ball had rolled. What tells is the beginning, where the ball goes
along the table's motion at mu g, and a radius that differs from the distance between the start and the middle.
"""

from __future__ import annotations

from collections.abc import Mapping

import sympy as sp

from ..model.bodies import Body
from ..model.rolling.rolling import rolling
from ..model.symmetry import spin
from ..model.system import System
from .facts import Facts, Starts

SOURCE = "lewis1995"
UNSOLVED = "a circle as of `ball_on_turntable` once it rolls; none is given while it slips"
BALL = rolling(Body("ball", radius="r"), "z", moving=("-Omega*y", "Omega*x", 0), parameters="r Omega")
SPACE = BALL.space
X, Y = SPACE["x"], SPACE["y"]
VX, VY, VZ, W1, W2, W3 = SPACE.velocities
MASS, RADIUS, GRAVITY = sp.symbols("m r g", positive=True)
OMEGA = sp.Symbol("Omega", real=True)
MU = sp.Symbol("mu", nonnegative=True)

_ON = {"y": 0.0, "z": 0.0127, "vx": 0.0, "vz": 0.0, "R": "identity", "w1": 0.0, "w2": 0.0, "w3": 0.0}
STARTS: Starts = {
    "set down": {**_ON, "x": 0.1, "vy": 0.0},
    "thrown": {**_ON, "x": 0.1, "vy": 0.05},
    "against the table": {**_ON, "x": 0.08, "vy": -0.3},
}
START = STARTS["set down"]
SPAN = 5.0

ALONG = (VX + 2 * RADIUS * W2 / 5, VY - 2 * RADIUS * W1 / 5)
FACTS = Facts(
    kinds={},
    growth=(),
    generating=True,
    conserved={"along x": ALONG[0], "along y": ALONG[1], "spin": W3},
    modes=dict.fromkeys(STARTS, (("table", "slides"), ("table", "sticks"))),
)

# what is drawn, and what a page lets a person change
TABLE = {
    "name": "table",
    "shape": "table",
    "radius": 0.2,
    "thickness": 0.006,
    "at": [0, 0, -0.003],
    "turn": "z Omega*t",
}
RANGES = {"mu": (0.02, 0.6), "Omega": (-8, 8), "vx": (-0.5, 0.5), "vy": (-0.5, 0.5)}


def system(*, m: float = 0.0669, r: float = 0.0127, Omega: float = 4.71, g: float = 9.81, mu: float = 0.05) -> System:
    """The homogeneous ball on a table that turns at Omega, with friction mu."""
    return System(
        space=SPACE,
        lagrangian=BALL.kinetic(MASS, 2 * MASS * RADIUS**2 / 5) - MASS * GRAVITY * BALL.position[2],
        constraints=BALL.held,
        contacts={"table": BALL.contact(mu=MU)},
        symmetry=[*(spin("R", axis) for axis in ((1, 0, 0), (0, 1, 0), (0, 0, 1)))],
        parameters={"m": m, "r": r, "Omega": Omega, "g": g, "mu": mu},
        bodies=[TABLE, BALL.bodies[-1]],
        explore={"ranges": RANGES},
        title="Ball that slips on a turning table",
        cite=SOURCE,
    )


def middle(start: Mapping[str, float], parameters: Mapping[str, float]) -> complex:
    """x + i y of the middle of the circle on which the ball will roll.

    Args:
        start: vx, vy, w1, w2 at any time of the motion.
        parameters: r, Omega.
    """
    r, Omega = parameters["r"], parameters["Omega"]
    C = complex(start["vx"] + 0.4 * r * start["w2"], start["vy"] - 0.4 * r * start["w1"])
    return 2.5j / Omega * C
