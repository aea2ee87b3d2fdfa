"""A carriage on two wheels with a body that it would have to balance: the wheeled inverted pendulum [pathak2005].

    L = M/2 (vx^2 + vy^2 + w^2 omega^2) + m/2 |v_c|^2 + J/2 valpha^2 + (J sin(alpha)^2 + K cos(alpha)^2)/2 omega^2
        + C/2 (vleft^2 + vright^2) - m g l cos(alpha)
    across:      vy cos(theta) - vx sin(theta) = 0
    left_wheel:  vx cos(theta) + vy sin(theta) - w omega - R vleft = 0
    right_wheel: vx cos(theta) + vy sin(theta) + w omega - R vright = 0

(x, y) is the middle of the axle, theta the heading, alpha how far the body leans ahead; its centre of mass is l from
the axle and has the velocity v_c; w is half the distance of the wheels, R their radius. Three linear constraints on six
coordinates, nonholonomic, growth vector (3, 4, 5): the difference of the wheels is integrable. Nothing drives the
wheels; upright the body falls, and near rolling straight ahead

    (J + m l^2 - (m l)^2/(M + m + 2 C/R^2)) alphaddot = m g l alpha .
"""

from __future__ import annotations

import sympy as sp

from ..model.space import Space
from ..model.space_factors import angle, plane
from ..model.symmetry import euclidean
from ..model.system import System
from . import two_wheeled_robot
from .facts import Facts, Starts

SOURCE = "pathak2005"
UNSOLVED = "none is known but for rolling straight on: then one quadrature, for alpha"
SPACE = Space.product(plane("x y"), angle("theta", "omega"), angle("alpha"), angle("left"), angle("right"))
X, Y, THETA, ALPHA, LEFT, RIGHT, VX, VY, OMEGA, VALPHA, VLEFT, VRIGHT = SPACE
MASS, BODY, LENGTH, WIDTH, RADIUS, GRAVITY = sp.symbols("M m l w R g", positive=True)
AXIAL, ACROSS, ALONG = sp.symbols("C J K", positive=True)

_PLACE = {"x": 0.0, "y": 0.0, "left": 0.0, "right": 0.0}
STARTS: Starts = {
    "turning": {**_PLACE, "theta": 0.4, "alpha": 0.2, "valpha": -0.3, "vleft": 5.0, "vright": -2.0},
    "straight": {**_PLACE, "theta": 1.0, "alpha": 0.0, "valpha": 0.0, "vleft": 3.0, "vright": 3.0},
}
START = STARTS["turning"]

FORWARD = VX * sp.cos(THETA) + VY * sp.sin(THETA)
FACTS = Facts(
    kinds={"across": "linear", "left_wheel": "linear", "right_wheel": "linear"},
    growth=(3, 4, 5),
    generating=False,
    integrals={"difference": RADIUS * (RIGHT - LEFT) - 2 * WIDTH * THETA},
    agree={"turning": False, "straight": True},
)


# what is drawn, and what a page lets a person change
_TOP = ["l*sin(alpha)", 0, "l*cos(alpha)"]
BODIES: list[dict[str, object]] = [
    *(body for body in two_wheeled_robot.BODIES if body.get("name") != "carriage"),
    {"name": "pole", "shape": "rod", "on": "axle", "radius": "R/8", "from": [0, 0, 0], "to": _TOP},
    {"name": "body", "shape": "box", "on": "axle", "size": ["l/4", "1.2*w", "l"], "at": _TOP, "turn": "y alpha"},
]
RANGES = {"m": (0.2, 20), "l": (0.1, 1), "alpha": (-0.5, 0.5), "valpha": (-2, 2)}


def system(
    *,
    M: float = 4.0,
    m: float = 8.0,
    l: float = 0.3,
    J: float = 0.3,
    K: float = 0.1,
    C: float = 0.02,
    w: float = 0.25,
    R: float = 0.15,
    g: float = 9.81,
) -> System:
    """The carriage, its wheels free.

    Args:
        M, C: mass of both wheels together, and the moment of inertia of one about its axle.
        m, l: mass of the body, and how far its centre is from the axle.
        J, K: moments of inertia of the body about its centre, across it and about its own long axis.
        w, R: half the distance of the wheels, and their radius.
        g: gravity.
    """
    across = VY * sp.cos(THETA) - VX * sp.sin(THETA)
    ahead = LENGTH * sp.sin(ALPHA)
    # c = axle + l sin(alpha) e1 + l cos(alpha) e3
    velocity = FORWARD + LENGTH * sp.cos(ALPHA) * VALPHA, across + ahead * OMEGA, -ahead * VALPHA
    wheels = MASS * (VX**2 + VY**2 + WIDTH**2 * OMEGA**2) + AXIAL * (VLEFT**2 + VRIGHT**2)
    turning = ACROSS * VALPHA**2 + (ACROSS * sp.sin(ALPHA) ** 2 + ALONG * sp.cos(ALPHA) ** 2) * OMEGA**2
    T = (wheels + turning + BODY * sum(v**2 for v in velocity)) / 2
    return System(
        space=SPACE,
        lagrangian=T - BODY * GRAVITY * LENGTH * sp.cos(ALPHA),
        constraints={
            "across": across,
            "left_wheel": FORWARD - WIDTH * OMEGA - RADIUS * VLEFT,
            "right_wheel": FORWARD + WIDTH * OMEGA - RADIUS * VRIGHT,
        },
        symmetry=[euclidean("x y", "theta"), "left right"],
        parameters={"M": M, "m": m, "l": l, "J": J, "K": K, "C": C, "w": w, "R": R, "g": g},
        bodies=BODIES,
        explore={"ranges": RANGES},
        title="Two-wheeled robot with a pole",
        cite=SOURCE,
    )
