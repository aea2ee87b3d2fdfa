"""The roller racer: two hinged links on wheels, moved by turning the hinge [krishnaprasad2001; bloch2015].

    L = m/2 (vx^2 + vy^2) + I1/2 omega^2 + I2/2 (omega + vphi)^2
    rear:   vy cos(theta) - vx sin(theta) = 0
    front:  vy cos(theta + phi) - vx sin(theta + phi) + (l2 + l1 cos(phi)) omega + l2 vphi = 0

(x, y) is the middle of the rear axle, the centre of mass of the rear link, theta its heading; the hinge lies l1 ahead,
the front axle l2 beyond it on a link without mass turned by phi. Two linear constraints on four coordinates,
nonholonomic, growth vector (2, 3, 4). One direction of SE(2) is horizontal, the turn about the point where the axles
meet; its momentum changes by the momentum equation, and by turning the hinge to and fro the racer goes forward. Without
a torque in the hinge a motion is vakonomic only where it needs no reaction: straight rolling.
"""

from __future__ import annotations

import sympy as sp

from ..model.space import Space
from ..model.space_factors import angle, plane
from ..model.symmetry import euclidean
from ..model.system import System
from .facts import Facts

SOURCE = "krishnaprasad2001"
UNSOLVED = "the energy is constant; one equation of the first order is left, for phi and the ratio of two velocities"
SPACE = Space.product(plane("x y"), angle("theta", "omega"), angle("phi"))
X, Y, THETA, PHI, VX, VY, OMEGA, VPHI = SPACE
MASS, REAR, FRONT, BODY, ARM = sp.symbols("m I1 I2 l1 l2", positive=True)

_PLACE = {"x": 0.1, "y": -0.2, "theta": 0.3}
STARTS: dict[str, dict[str, object]] = {
    "turning": {**_PLACE, "phi": 0.5, "omega": -0.4, "vphi": 0.7},
    "straight": {**_PLACE, "phi": 0.0, "vx": 0.8, "vphi": 0.0},
}
START = STARTS["turning"]

FACTS = Facts(
    kinds={"rear": "linear", "front": "linear"},
    growth=(2, 3, 4),
    generating=True,
    agree={"turning": False, "straight": True},
)


# what is drawn, and what a page lets a person change
BODIES: list[dict[str, object]] = [
    {"shape": "floor"},
    {
        "name": "rear link",
        "shape": "box",
        "size": ["l1", "l1/4", "l1/12"],
        "at": ["x + l1/2*cos(theta)", "y + l1/2*sin(theta)", "l1/6"],
        "turn": "z theta",
        "trace": ["x", "y", 0],
    },
    {
        "name": "front link",
        "shape": "box",
        "on": "rear link",
        "size": ["l1/8", "l1/6", "l1/12"],
        "at": ["l1/2", 0, 0],
        "turn": "z phi",
    },
    {"name": "arm", "shape": "rod", "on": "front link", "radius": "l1/40", "from": [0, 0, 0], "to": ["l2", 0, 0]},
    {
        "name": "rear axle",
        "shape": "rod",
        "on": "rear link",
        "radius": "l1/40",
        "from": ["-l1/2", "-l1/3", 0],
        "to": ["-l1/2", "l1/3", 0],
    },
    {
        "name": "front axle",
        "shape": "rod",
        "on": "front link",
        "radius": "l1/40",
        "from": ["l2", "-l1/4", 0],
        "to": ["l2", "l1/4", 0],
    },
    {
        "name": "rear left wheel",
        "shape": "wheel",
        "on": "rear link",
        "radius": "l1/6",
        "thickness": "l1/20",
        "at": ["-l1/2", "l1/3", 0],
        "turn": "x -pi/2",
    },
    {
        "name": "rear right wheel",
        "shape": "wheel",
        "on": "rear link",
        "radius": "l1/6",
        "thickness": "l1/20",
        "at": ["-l1/2", "-l1/3", 0],
        "turn": "x -pi/2",
    },
    {
        "name": "front left wheel",
        "shape": "wheel",
        "on": "front link",
        "radius": "l1/6",
        "thickness": "l1/20",
        "at": ["l2", "l1/4", 0],
        "turn": "x -pi/2",
    },
    {
        "name": "front right wheel",
        "shape": "wheel",
        "on": "front link",
        "radius": "l1/6",
        "thickness": "l1/20",
        "at": ["l2", "-l1/4", 0],
        "turn": "x -pi/2",
    },
]
RANGES = {"m": (0.5, 8), "l1": (0.2, 1), "l2": (0.05, 0.5), "vx": (-2, 2), "vphi": (-3, 3)}


def system(*, m: float = 2.0, I1: float = 0.3, I2: float = 0.05, l1: float = 0.5, l2: float = 0.2) -> System:
    """The roller racer, its hinge free.

    Args:
        m, I1: mass of the rear link and its moment of inertia.
        I2: moment of inertia of the front link.
        l1, l2: from the rear axle to the hinge, from the hinge to the front axle.
    """
    return System(
        space=SPACE,
        lagrangian=(MASS * (VX**2 + VY**2) + REAR * OMEGA**2 + FRONT * (OMEGA + VPHI) ** 2) / 2,
        constraints={
            "rear": VY * sp.cos(THETA) - VX * sp.sin(THETA),
            "front": VY * sp.cos(THETA + PHI)
            - VX * sp.sin(THETA + PHI)
            + (ARM + BODY * sp.cos(PHI)) * OMEGA
            + ARM * VPHI,
        },
        symmetry=euclidean("x y", "theta"),
        parameters={"m": m, "I1": I1, "I2": I2, "l1": l1, "l2": l2},
        bodies=BODIES,
        explore={"ranges": RANGES},
        title="Roller racer",
        cite=SOURCE,
    )
