"""A hollow ball that rolls with a pendulum hung in its middle; in a plane, a hoop with a pendulum [ivanova2015].

    L = m/2 (vx^2 + vy^2) + I/2 (w1^2 + w2^2 + w3^2) + p/2 |v + l udot|^2 - p g l u3
    roll_x:  vx - r w2 = 0
    roll_y:  vy + r w1 = 0

(x, y) is the middle of the ball, v = (vx, vy, 0) its velocity and w the angular velocity in space axes. The pendulum's
rod, of length l, hangs along u = (sin(alpha) cos(beta), sin(beta), -cos(alpha) cos(beta)) in a joint without friction;
a mass p is at its end. Two linear constraints, nonholonomic, growth vector (5, 7). The ground turns the ball as much as
it holds it back, r F = -I vdot/r: it moves as a mass M = m + I/r^2 would that slid without friction, and of M and p are
constant, besides the energy and the spin w3, what a holonomic system of these conserves,

    P = M v + p (v + l udot) (level parts) ,     J, the moment of momentum of both about the vertical .

The pendulum may circle, alpha steep, at the rate n about the common centre of mass, if

    M l cos(alpha) n^2 = (M + p) g .
"""

from __future__ import annotations

import math
from collections.abc import Mapping

import sympy as sp

from ..model.space import Space
from ..model.space_factors import angle
from ..model.system import System
from . import rolling_ball_on_plane
from .facts import Facts, Starts
from .rolling_ball_on_plane import INERTIA, LAGRANGIAN, MASS, RADIUS, ROLL, SYMMETRY, VX, VY, W3, X, Y

SOURCE = "ivanova2015"
UNSOLVED = "swinging in a plane it is one quadrature; none is known out of it"
SPACE = Space.product(rolling_ball_on_plane.SPACE, angle("alpha"), angle("beta"))
ALPHA, BETA, VALPHA, VBETA = (SPACE[n] for n in ("alpha", "beta", "valpha", "vbeta"))
BOB, LENGTH, GRAVITY = sp.symbols("p l g", positive=True)
ROD = sp.Matrix([sp.sin(ALPHA) * sp.cos(BETA), sp.sin(BETA), -sp.cos(ALPHA) * sp.cos(BETA)])
END = sp.Matrix([X, Y, 0]) + LENGTH * ROD
VELOCITY = sp.Matrix([VX, VY, 0]) + LENGTH * (ROD.diff(ALPHA) * VALPHA + ROD.diff(BETA) * VBETA)
SLIDING = MASS + INERTIA / RADIUS**2


def circling(alpha: float, parameters: Mapping[str, float]) -> dict[str, float]:
    """The start of a pendulum that circles at the angle alpha from the vertical, at x = y = 0."""
    m, r, I, p, l, g = (parameters[n] for n in ("m", "r", "I", "p", "l", "g"))
    M = m + I / r**2
    rate = math.sqrt((M + p) * g / (M * l * math.cos(alpha)))
    # the bob goes ahead at M/(M + p) l sin(alpha) from the axis, the ball back at p/(M + p) l sin(alpha)
    back = -p / (M + p) * l * math.sin(alpha) * rate
    place = {"x": -p / (M + p) * l * math.sin(alpha), "y": 0.0, "alpha": alpha, "beta": 0.0}
    return {**place, "vx": 0.0, "vy": back, "w3": 0.0, "valpha": 0.0, "vbeta": math.sin(alpha) * rate}


_VALUES = {"m": 1.0, "r": 0.5, "I": 0.15, "p": 0.6, "l": 0.4, "g": 9.81}
STARTS: Starts = {
    "swinging": {
        **{"x": 0.1, "y": -0.2, "alpha": 0.6, "beta": 0.3},
        **{"vx": 0.5, "vy": -0.2, "w3": 1.0, "valpha": -0.4, "vbeta": 1.5},
    },
    "circling": circling(0.7, _VALUES),
    "hanging": {
        **{"x": 0.0, "y": 0.0, "alpha": 0.0, "beta": 0.0},
        **{"vx": 0.6, "vy": 0.3, "w3": 2.0, "valpha": 0.0, "vbeta": 0.0},
    },
}
START = STARTS["swinging"]

FACTS = Facts(
    kinds={"roll_x": "linear", "roll_y": "linear"},
    growth=(5, 7),
    generating=True,
    conserved={
        "P_x": SLIDING * VX + BOB * VELOCITY[0],
        "P_y": SLIDING * VY + BOB * VELOCITY[1],
        "J": SLIDING * (X * VY - Y * VX) + BOB * (END[0] * VELOCITY[1] - END[1] * VELOCITY[0]),
        "spin": W3,
    },
    agree={"swinging": False, "circling": True, "hanging": True},
)


# what is drawn, and what a page lets a person change
_MIDDLE: list[object] = ["x", "y", "r"]
_END = ["x + l*sin(alpha)*cos(beta)", "y + l*sin(beta)", "r - l*cos(alpha)*cos(beta)"]
BODIES: list[dict[str, object]] = [
    *rolling_ball_on_plane.BODIES,
    {"name": "rod", "shape": "rod", "radius": "r/40", "from": _MIDDLE, "to": _END},
    {"name": "bob", "shape": "point", "radius": "r/8", "at": _END},
]
RANGES = {"m": (0.2, 5), "p": (0.1, 3), "l": (0.1, 0.45), "vx": (-2, 2), "valpha": (-5, 5), "vbeta": (-5, 5)}


def system(
    *,
    m: float = 1.0,
    r: float = 0.5,
    I: float = 0.15,
    p: float = 0.6,
    l: float = 0.4,
    g: float = 9.81,
) -> System:
    """The ball with its pendulum.

    Args:
        m, r: mass and radius of the ball.
        I: its moment of inertia about the middle.
        p, l: mass and length of the pendulum.
        g: gravity.
    """
    return System(
        space=SPACE,
        lagrangian=LAGRANGIAN + BOB / 2 * VELOCITY.dot(VELOCITY) - BOB * GRAVITY * LENGTH * ROD[2],
        constraints=ROLL,
        symmetry=SYMMETRY,
        parameters={"m": m, "r": r, "I": I, "p": p, "l": l, "g": g},
        bodies=BODIES,
        explore={"ranges": RANGES},
        title="Ball with a pendulum",
        cite=SOURCE,
    )
