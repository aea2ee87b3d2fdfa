"""A tippe top: a ball with its centre of mass below the middle, which turns over while it slides [or1994].

    L = m/2 |v|^2 + 1/2 w . I w - m g z ,    I = diag(I1, I1, I3) in the body
    table: z + a e3 . n - r >= 0 ,  slip (v + w x p)_x, (v + w x p)_y ,  p = a e - r n

(x, y, z) is the centre of mass, at -a along the body's axis e from the middle of the ball, n the vertical and p the arm
to the contact. Only friction that does work can lift the centre of mass: the top slides, and turns its heavy side up;
one on a rough table rolls and stays as it is. The force at the contact does not change Jellett's constant,

    -(I w) . p = (I w) . (r n - a e)
"""

from __future__ import annotations

import math

import sympy as sp

from ..model.bodies import Body
from ..model.rolling.rolling import rolling
from ..model.space_factors import rotation
from ..model.symmetry import euclidean, spin
from ..model.system import System
from .facts import Facts, Starts, Variant

SOURCE = "or1994"
UNSOLVED = "none is known; Jellett's constant remains"
TOP = rolling(Body("ball", radius="r", at=(0, 0, "a")), "z", rotation=rotation("R", frame="body"), parameters="r a")
SPACE = TOP.space
MASS, INERTIA, AXIAL, GRAVITY = sp.symbols("m I1 I3 g", positive=True)
RADIUS, OFFSET = sp.symbols("r a", real=True)
MU = sp.Symbol("mu", nonnegative=True)
W = sp.Matrix(SPACE.velocities[3:])
NORMAL = sp.Matrix(SPACE.R).T * sp.Matrix([0, 0, 1])
ARM = RADIUS * NORMAL - OFFSET * sp.Matrix([0, 0, 1])
JELLETT = (sp.diag(INERTIA, INERTIA, AXIAL) * W).dot(ARM)
_R, _A = 0.02, 0.003


def _spun(tilt: float, spin: float) -> dict[str, object]:
    """Spun about the vertical, its axis tilted."""
    place = {"x": 0.0, "y": 0.0, "z": _R - _A * math.cos(tilt), "vx": 0.0, "vy": 0.0, "vz": 0.0}
    turned = {"w": math.cos(tilt / 2), "x": math.sin(tilt / 2), "y": 0.0, "z": 0.0}
    return {**place, "R": turned, "w1": 0.0, "w2": spin * math.sin(tilt), "w3": spin * math.cos(tilt)}


STARTS: Starts = {"turns over": _spun(0.3, 155.0)}
START = STARTS["turns over"]
SPAN = 4.0

FACTS = Facts(
    kinds={},
    growth=(),
    generating=True,
    conserved={"jellett": JELLETT / (AXIAL * RADIUS)},
    modes={"turns over": (("table", "slides"), ("table", "sticks"))},
)
VARIANTS = {"rough table": Variant({"mu": 0.5}, STARTS, FACTS)}

# what is drawn, and what a page lets a person change
CAP = {"name": "cap", "shape": "rod", "radius": "r/3", "on": "top", "from": [0, 0, "r/2"], "to": [0, 0, "1.02*r"]}
RANGES = {"mu": (0.02, 0.6), "a": (0, 0.008), "w3": (-250, 250)}
FOLLOWS = {"I1": "131/350*m*r^2", "I3": "2/5*m*r^2"}  # of a homogeneous body


def system(
    *,
    m: float = 0.006,
    r: float = _R,
    a: float = _A,
    I1: float | None = None,
    I3: float | None = None,
    g: float = 9.81,
    mu: float = 0.1,
) -> System:
    """The top on a table with friction mu; I1 = 131/350 m r^2 and I3 = 2/5 m r^2 if they are left out."""
    return System(
        space=SPACE,
        lagrangian=TOP.kinetic(MASS, [INERTIA, INERTIA, AXIAL]) - MASS * GRAVITY * TOP.position[2],
        constraints=TOP.held,
        contacts={"table": TOP.contact(mu=MU)},
        symmetry=[euclidean("x y", "R"), spin("R")],
        parameters={
            "m": m,
            "r": r,
            "a": a,
            "I1": 131 / 350 * m * r**2 if I1 is None else I1,
            "I3": 2 / 5 * m * r**2 if I3 is None else I3,
            "g": g,
            "mu": mu,
        },
        bodies=[TOP.bodies[0], {"name": "top", "shape": "ball", "radius": "r", "at": list(_MIDDLE), "turn": "R"}, CAP],
        explore={"ranges": RANGES},
        title="Tippe top",
        cite=SOURCE,
    )


_MIDDLE = sp.Matrix(TOP.position) + OFFSET * sp.Matrix(SPACE.R)[:, 2]
