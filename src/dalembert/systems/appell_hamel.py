"""The Appell-Hamel machine: a weight drives a rolling wheel [xu2007; neimark1972].

A block of mass m hangs on a thread wound on a drum of radius b, which is fixed to a wheel of radius a and mass M. The
frame keeps the wheel upright; theta is its heading, x, y, z the block's position (between pulleys that are close
together), phi the angle of the wheel [xu2007 (1)-(4), (33)]:

    L = (m + M)/2 (vx^2 + vy^2) + m/2 vz^2 + I/2 (vz/b)^2 + I'/2 omega^2 - m g z
    blade:  vx sin(theta) - vy cos(theta) = 0
    roll:   vx cos(theta) + vy sin(theta) + (a/b) vz = 0            linear set
    cone:   vx^2 + vy^2 - (a/b)^2 vz^2 = 0                          nonlinear set: cone in place of roll

`I'` is called J, and the drum's inertia I turns with phidot = -vz/b. A force F follows the heading of the wheel. With
``wheel=True`` phi is a coordinate of its own, and roll is  vx cos(theta) + vy sin(theta) = a vphi,  vz = -b vphi.

The cone loses its rank at rest and does not know the sign of phidot; the linear set does neither. The linear set has
growth vector (2, 3, 4); with the wheel's angle, z + b phi is an integral and (2, 3, 4) ends in dimension 5. The forward
speed grows steadily. Without F every nonholonomic motion is vakonomic; with F only straight rolling is.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
import sympy as sp

from ..model.force import applied
from ..model.space import Space
from ..model.space_factors import angle, coordinates
from ..model.symmetry import euclidean
from ..model.system import System
from .closed import path
from .facts import Facts, Variant

SOURCE = "xu2007"
SPACE = Space.product(coordinates("x y z"), angle("theta", "omega"))
X, Y, Z, THETA, VX, VY, VZ, OMEGA = (SPACE[n] for n in ("x", "y", "z", "theta", "vx", "vy", "vz", "omega"))
WHEEL_SPACE = Space.product(SPACE, angle("phi"))
PHI, VPHI = WHEEL_SPACE["phi"], WHEEL_SPACE["vphi"]
BLOCK, WHEEL, WHEEL_RADIUS, DRUM_RADIUS, GRAVITY = sp.symbols("m M a b g", positive=True)
INERTIA = sp.Symbol("J", positive=True)  # I' of the paper
DRUM_INERTIA = sp.Symbol("I", nonnegative=True)
FORCE = sp.Symbol("F", real=True)

FORWARD = VX * sp.cos(THETA) + VY * sp.sin(THETA)
BLADE = VX * sp.sin(THETA) - VY * sp.cos(THETA)
LINEAR = {"blade": BLADE, "roll": FORWARD + WHEEL_RADIUS / DRUM_RADIUS * VZ}
NONLINEAR = {"blade": BLADE, "cone": VX**2 + VY**2 - (WHEEL_RADIUS / DRUM_RADIUS) ** 2 * VZ**2}
WITH_WHEEL = {"blade": BLADE, "roll": FORWARD - WHEEL_RADIUS * VPHI, "thread": VZ + DRUM_RADIUS * VPHI}
SETS = {"linear": LINEAR, "nonlinear": NONLINEAR}

_PLACE = {"x": 0.0, "y": 0.0, "z": 0.0}
STARTS: dict[str, dict[str, object]] = {
    "turning from rest": {**_PLACE, "theta": 0.0, "vx": 0.0, "omega": 1.2},
    "straight from rest": {**_PLACE, "theta": 0.6, "vx": 0.0, "omega": 0.0},
    "turning": {**_PLACE, "theta": -0.3, "vx": 0.5, "omega": 0.9},
}
START = STARTS["turning from rest"]

# starts with all velocities, for the cone; vz = -(b/a) speed with the values of `system`
_MOVING = {"vx": 0.5, "vy": 0.0, "vz": -0.25}
_STARTS_OF_THE_CONE: dict[str, dict[str, object]] = {
    "turning": {**_PLACE, "theta": 0.0, **_MOVING, "omega": 0.9},
    "straight": {**_PLACE, "theta": 0.0, **_MOVING, "omega": 0.0},
}

FACTS = Facts(
    kinds={"blade": "linear", "roll": "linear"},
    growth=(2, 3, 4),
    generating=True,
    conserved={"turning": OMEGA},
    agree={"turning from rest": False, "straight from rest": True, "turning": False},
    where=[[OMEGA]],
)
_NO_FORCE = replace(
    FACTS,
    agree=dict.fromkeys(STARTS, True),
    coincide="always",
    where=(),
    # theta is cyclic on the motion and  d/dt((m + M) v - lam_roll) = 0  along the wheel
    multipliers={"lam_blade": sp.Integer(0), "lam_roll": (BLOCK + WHEEL) * FORWARD},
)
_CONE = replace(
    FACTS, kinds={"blade": "linear", "cone": "nonlinear"}, growth=(), agree={"turning": False, "straight": True}
)
_WITH_WHEEL = replace(
    FACTS,
    kinds={"blade": "linear", "roll": "linear", "thread": "linear"},
    generating=False,
    integrals={"thread": Z + DRUM_RADIUS * PHI},
)
VARIANTS = {
    "no force": Variant({"F": 0.0}, STARTS, _NO_FORCE, exact=True),
    "heavy drum": Variant({"I": 0.4}, STARTS, FACTS, exact=True),
    "nonlinear": Variant({"constraints": "nonlinear"}, _STARTS_OF_THE_CONE, _CONE, exact=True),
    "with wheel": Variant(
        {"wheel": True, "I": 0.4}, {k: {**v, "phi": 0.0} for k, v in STARTS.items()}, _WITH_WHEEL, exact=True
    ),
}


# what a page lets a person change
RANGES = {"m": (0.2, 5), "M": (0.1, 3), "F": (0, 5), "vx": (-2, 2), "omega": (-3, 3)}


def _bodies(rolled: str) -> list[dict[str, object]]:
    """The wheel with its drum, and the block on its thread, high enough above."""
    thread: dict[str, object] = {
        "name": "thread",
        "shape": "rod",
        "radius": "a/60",
        "from": ["x", "y", "12*a"],
        "to": ["x", "y", "z + 10*a"],
    }
    return [
        {"shape": "floor"},
        {
            **{"name": "wheel", "shape": "wheel", "radius": "a", "thickness": "a/6", "at": ["x", "y", "a"]},
            **{"turn": ["z theta", "x -pi/2", f"z {rolled}"], "trace": ["x", "y", 0]},
        },
        {"name": "drum", "shape": "disc", "on": "wheel", "radius": "b", "thickness": "a/2"},
        {"name": "block", "shape": "box", "size": ["a", "a", "a"], "at": ["x", "y", "z + 10*a"], "turn": "z theta"},
        thread,
    ]


def system(
    *,
    m: float = 1.0,
    M: float = 0.5,
    a: float = 0.4,
    b: float = 0.2,
    J: float = 0.3,
    I: float = 0.0,
    F: float = 0.7,
    g: float = 9.81,
    constraints: str = "linear",
    wheel: bool = False,
) -> System:
    """The machine.

    Args:
        m, M: masses of the block and of the wheel with its drum.
        a, b: radii of the wheel and of the drum.
        J: moment of inertia about the vertical (I' in the paper).
        I: moment of inertia of wheel and drum about their axle (0 in sections 3 and 4 of the paper).
        F: force along the heading.
        g: gravity.
        constraints: ``"linear"`` (blade, roll) or ``"nonlinear"`` (blade, cone).
        wheel: with the angle phi of the wheel as a coordinate; linear only.

    Raises:
        KeyError: an unknown set of constraints.
        ValueError: the cone together with the wheel's angle.
    """
    rows = SETS[constraints]
    if wheel and rows is not LINEAR:
        raise ValueError("with the angle of the wheel the constraints are linear")
    spin = VPHI if wheel else VZ / DRUM_RADIUS
    T = (BLOCK + WHEEL) * (VX**2 + VY**2) + BLOCK * VZ**2 + DRUM_INERTIA * spin**2 + INERTIA * OMEGA**2
    follower = applied([VX, VY], [FORCE * sp.cos(THETA), FORCE * sp.sin(THETA)], "follower force")
    return System(
        space=WHEEL_SPACE if wheel else SPACE,
        lagrangian=T / 2 - BLOCK * GRAVITY * Z,
        constraints=WITH_WHEEL if wheel else rows,
        forces=follower,
        symmetry=euclidean("x y", "theta"),
        parameters={"m": m, "M": M, "a": a, "b": b, "J": J, "I": I, "F": F, "g": g},
        massless=[VPHI] if wheel and not I else [],
        bodies=_bodies("phi" if wheel else "-z/b"),
        explore={"ranges": RANGES},
        title="Appell-Hamel machine",
        cite=SOURCE,
    )


def acceleration(parameters: Mapping[str, float]) -> float:
    """The forward acceleration (F a + m g b) a/(I + (m + M) a^2 + m b^2) [xu2007 (12)]."""
    p = parameters
    inertia = p["I"] + (p["m"] + p["M"]) * p["a"] ** 2 + p["m"] * p["b"] ** 2
    return (p["F"] * p["a"] + p["m"] * p["g"] * p["b"]) * p["a"] / inertia


EXACT = ("x", "y", "z", "theta", "vx", "vy", "vz", "omega")


def exact(t: np.ndarray | float, start: Sequence[float], parameters: Mapping[str, float]) -> np.ndarray:
    """The columns `EXACT` at times t, shape (8, ...), for a wheel that rolls forward or starts from rest.

    x + i y = int (v0 + A s) e^(i (theta0 + omega s)) ds; from rest with theta0 = 0 this is [xu2007 (27), (28)], and for
    omega = 0 straight rolling, (17) and (18) in repaired form: x0 + A t^2 cos(theta0)/2, y0 + A t^2 sin(theta0)/2.

    Args:
        t: times.
        start: the same columns at t = 0.
        parameters: m, M, a, b, I, F, g.
    """
    x, y, z, theta, vx, vy, _, omega = start
    t = np.asarray(t, float)
    A, ratio = acceleration(parameters), parameters["b"] / parameters["a"]
    speed = vx * math.cos(theta) + vy * math.sin(theta)
    way = path(t, theta, omega, speed, A)
    heading, v = theta + omega * t, speed + A * t
    fallen = ratio * (speed * t + A * t**2 / 2)
    rates = [v * np.cos(heading), v * np.sin(heading), -ratio * v, np.full_like(t, omega)]
    return np.array([x + way.real, y + way.imag, z - fallen, heading, *rates])
