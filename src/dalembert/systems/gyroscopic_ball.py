"""Chaplygin's ball with a gyroscope: a rotor turns freely on an axis fixed in the ball [kilin2001; chaplygin1903].

    L = m/2 (vx^2 + vy^2) + 1/2 (I1 w1^2 + I2 w2^2 + I3 w3^2) + C/2 (<w, e> + vpsi)^2
    roll_x:  vx - r (R w)_2 = 0
    roll_y:  vy + r (R w)_1 = 0

w is the angular velocity in body axes, (x, y) the centre, which is the centre of mass of ball and rotor; psi is how far
the rotor has turned in the ball, C its moment of inertia about its axis e = (sin(beta), 0, cos(beta)); all other
inertia is in I1, I2, I3. Two linear constraints, nonholonomic, growth vector (4, 6). The rotor's momentum
p = C (<w, e> + vpsi) is constant, and with gamma = R^T e3 and D = m r^2 the angular momentum about the contact is so in
space,

    K = I w + p e + D gamma x (w x gamma) ,   Kdot = K x w ,   gammadot = gamma x w .

The measure of `chaplygin_ball` is preserved whatever p is. With e and gamma along axis 3 and w = n gamma the ball spins
on the spot, steadily, and swings about this at the rate Q if Q^2 > 0, where with G = (I3 + D) n + p

    (I1 + D) (I2 + D) Q^2 = (G - (I1 + D) n) (G - (I2 + D) n) :

a rotor that is fast enough makes a spin about the middle axis stable.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

import sympy as sp

from ..model.space import Space
from ..model.space_factors import angle
from ..model.symmetry import euclidean
from ..model.system import System
from . import chaplygin_ball
from .chaplygin_ball import CONTACT, LAGRANGIAN, ROLL, W
from .facts import Facts, Starts

SOURCE = "kilin2001"
UNSOLVED = "its constants and its measure leave quadratures, by the last multiplier"
SPACE = Space.product(chaplygin_ball.SPACE, angle("psi"))
VPSI = SPACE["vpsi"]
AXIAL, TILT = sp.Symbol("C", positive=True), sp.Symbol("beta", real=True)
AXIS = sp.Matrix([sp.sin(TILT), 0, sp.cos(TILT)])
MOMENTUM = AXIAL * (W.dot(AXIS) + VPSI)


def leaning(a: float) -> Mapping[str, object]:
    """The place of a ball at x = y = 0 whose axis 3 leans by a, so that the vertical is towards axis 1."""
    s, c = math.sin(a), math.cos(a)
    return {"x": 0.0, "y": 0.0, "R": [[c, 0.0, -s], [0.0, 1.0, 0.0], [s, 0.0, c]], "psi": 0.0}


def spinning(a: float, n: float) -> Mapping[str, object]:
    """The steady spin n about the vertical, which is a off axis 3 towards axis 1, for the values by default."""
    I1, I3, C, beta = 0.2, 0.35, 0.05, 0.6
    s, c = math.sin(a), math.cos(a)
    # I w + p e is along w = n (s, 0, c)
    p = (I3 - I1) * n * s * c / math.sin(beta - a)
    return {**leaning(a), "w1": n * s, "w2": 0.0, "w3": n * c, "vpsi": p / C - n * math.cos(beta - a)}


STARTS: Starts = {
    "tumbling": {**chaplygin_ball.STARTS["tumbling"], "psi": 0.0, "vpsi": 12.0},
    "on the spot": spinning(0.3, 1.5),
}
START = STARTS["tumbling"]

FACTS = Facts(
    kinds={"roll_x": "linear", "roll_y": "linear"},
    growth=(4, 6),
    generating=True,
    conserved={
        "rotor": MOMENTUM,
        **{f"K_{axis}": K for axis, K in zip("xyz", CONTACT + chaplygin_ball.SPACE.R * AXIS * MOMENTUM, strict=True)},
    },
    agree={"tumbling": False, "on the spot": True},
)


# what is drawn, and what a page lets a person change
_ENDS = [[f"{side}*r*sin(beta)", 0, f"{side}*r*cos(beta)"] for side in ("-1.3", "1.3")]
BODIES: list[dict[str, object]] = [
    {"shape": "floor"},
    {"shape": "ball", "radius": "r", "at": ["x", "y", "r"], "turn": "R", "trace": ["x", "y", 0]},
    {"name": "axis", "shape": "rod", "on": "ball", "radius": "r/20", "from": _ENDS[0], "to": _ENDS[1]},
    {
        **{"name": "rotor", "shape": "wheel", "on": "ball", "radius": "r/3", "thickness": "r/10"},
        **{"at": _ENDS[1], "turn": ["y beta", "z psi"]},
    },
]
RANGES = {**chaplygin_ball.RANGES, "C": (0.01, 0.2), "beta": (0.0, 1.5), "vpsi": (-20, 20)}


def system(
    *,
    m: float = 1.0,
    r: float = 0.8,
    I1: float = 0.2,
    I2: float = 0.3,
    I3: float = 0.35,
    C: float = 0.05,
    beta: float = 0.6,
) -> System:
    """The ball with its rotor.

    Args:
        m: mass of ball and rotor.
        r: radius.
        I1, I2, I3: principal moments of inertia about the centre, without that of the rotor about its axis.
        C: moment of inertia of the rotor about its axis.
        beta: angle between the rotor's axis and axis 3, towards axis 1.
    """
    return System(
        space=SPACE,
        lagrangian=LAGRANGIAN + MOMENTUM**2 / (2 * AXIAL),
        constraints=ROLL,
        symmetry=[euclidean("x y", "R"), "psi"],
        parameters={"m": m, "r": r, "I1": I1, "I2": I2, "I3": I3, "C": C, "beta": beta},
        bodies=BODIES,
        explore={"ranges": RANGES},
        title="Gyroscopic ball",
        cite=SOURCE,
    )


def least_momentum(n: float, parameters: Mapping[str, float]) -> float:
    """The rotor's momentum p along axis 3 above which a spin n > 0 about that axis, upright, is stable."""
    # G > (I_i + D) n
    return n * (max(parameters["I1"], parameters["I2"]) - parameters["I3"])
