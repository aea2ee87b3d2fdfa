"""The snakeboard: a board on two steered axles, moved by a rotor [ostrowski1994; bloch1996].

    L = m/2 (vx^2 + vy^2) + J/2 omega^2 + K/2 (omega + vpsi)^2 + I/2 ((omega + vback)^2 + (omega + vfront)^2)
    back:   vy cos(theta + back) - vx sin(theta + back) - l omega cos(back) = 0
    front:  vy cos(theta + front) - vx sin(theta + front) + l omega cos(front) = 0

(x, y) is the middle of the board, theta its heading, psi the angle of the rotor; back and front are the angles of the
axles against the board, at -l and +l. Two linear constraints on six coordinates, nonholonomic, growth vector
(4, 6). The angular momentum of the rotor K (omega + vpsi) is constant where no motor drives it; without motors the
momenta of the axles about their pivots are constant too. With both axles turned alike by a right angle the constraints
lose a rank.
"""

from __future__ import annotations

import sympy as sp

from ..model.space import Space
from ..model.space_factors import angle, plane
from ..model.symmetry import euclidean
from ..model.system import System
from .facts import Facts

SOURCE = "ostrowski1994"
UNSOLVED = "three momenta and the energy are constant; equations of the first order are left, for the axles"
SPACE = Space.product(plane("x y"), angle("theta", "omega"), angle("psi"), angle("back"), angle("front"))
X, Y, THETA, PSI, BACK, FRONT, VX, VY, OMEGA, VPSI, VBACK, VFRONT = SPACE
MASS, BOARD, ROTOR, AXLE, HALF = sp.symbols("m J K I l", positive=True)

_PLACE = {"x": 0.0, "y": 0.0, "theta": 0.2, "psi": 0.0}
STARTS: dict[str, dict[str, object]] = {
    "turning": {**_PLACE, "back": -0.4, "front": 0.4, "vx": 0.6, "vpsi": 0.5, "vback": 0.1, "vfront": -0.2},
    "straight": {**_PLACE, "back": 0.0, "front": 0.0, "vx": 0.6, "vpsi": 0.5, "vback": 0.0, "vfront": 0.0},
}
START = STARTS["turning"]

FACTS = Facts(
    kinds={"back": "linear", "front": "linear"},
    growth=(4, 6),
    generating=True,
    conserved={"rotor": OMEGA + VPSI, "back axle": OMEGA + VBACK, "front axle": OMEGA + VFRONT},
    agree={"turning": False, "straight": True},
)


# what is drawn, and what a page lets a person change
BODIES: list[dict[str, object]] = [
    {"shape": "floor"},
    {
        "name": "board",
        "shape": "box",
        "size": ["2*l", "l/2", "l/10"],
        "at": ["x", "y", "l/2"],
        "turn": "z theta",
        "trace": ["x", "y", 0],
    },
    {
        "name": "rotor",
        "shape": "box",
        "on": "board",
        "size": ["1.2*l", "l/6", "l/8"],
        "at": [0, 0, "l/5"],
        "turn": "z psi",
    },
    {
        "name": "rear axle",
        "shape": "box",
        "on": "board",
        "size": ["l/8", "l", "l/12"],
        "at": ["-l", 0, "-l/4"],
        "turn": "z back",
    },
    {
        "name": "front axle",
        "shape": "box",
        "on": "board",
        "size": ["l/8", "l", "l/12"],
        "at": ["l", 0, "-l/4"],
        "turn": "z front",
    },
    {
        "name": "rear left wheel",
        "shape": "wheel",
        "on": "rear axle",
        "radius": "l/4",
        "thickness": "l/10",
        "at": [0, "l/2", 0],
        "turn": "x -pi/2",
    },
    {
        "name": "rear right wheel",
        "shape": "wheel",
        "on": "rear axle",
        "radius": "l/4",
        "thickness": "l/10",
        "at": [0, "-l/2", 0],
        "turn": "x -pi/2",
    },
    {
        "name": "front left wheel",
        "shape": "wheel",
        "on": "front axle",
        "radius": "l/4",
        "thickness": "l/10",
        "at": [0, "l/2", 0],
        "turn": "x -pi/2",
    },
    {
        "name": "front right wheel",
        "shape": "wheel",
        "on": "front axle",
        "radius": "l/4",
        "thickness": "l/10",
        "at": [0, "-l/2", 0],
        "turn": "x -pi/2",
    },
]
RANGES = {
    "m": (0.5, 8),
    "K": (0.05, 1),
    "l": (0.1, 1),
    "vx": (-2, 2),
    "vpsi": (-4, 4),
    "vback": (-2, 2),
    "vfront": (-2, 2),
}


def system(*, m: float = 2.0, J: float = 0.3, K: float = 0.2, I: float = 0.1, l: float = 0.3) -> System:
    """The snakeboard without motors.

    Args:
        m: mass of the whole.
        J, K, I: moments of inertia of the board, of the rotor and of each axle about the vertical.
        l: distance of the axles from the middle.
    """
    turning = BOARD * OMEGA**2 + ROTOR * (OMEGA + VPSI) ** 2
    turning += AXLE * ((OMEGA + VBACK) ** 2 + (OMEGA + VFRONT) ** 2)
    return System(
        space=SPACE,
        lagrangian=(MASS * (VX**2 + VY**2) + turning) / 2,
        constraints={"back": _sideways(BACK, -HALF), "front": _sideways(FRONT, HALF)},
        symmetry=[euclidean("x y", "theta"), "psi"],
        parameters={"m": m, "J": J, "K": K, "I": I, "l": l},
        bodies=BODIES,
        explore={"ranges": RANGES},
        title="Snakeboard",
        cite=SOURCE,
    )


def _sideways(turned: sp.Symbol, place: sp.Expr) -> sp.Expr:
    # velocity (vx, vy) + place omega (-sin(theta), cos(theta)) across the axle's heading theta + turned
    return VY * sp.cos(THETA + turned) - VX * sp.sin(THETA + turned) + place * OMEGA * sp.cos(turned)
