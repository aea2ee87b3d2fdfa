"""Chaplygin's sleigh: a knife edge at a distance a behind the centre of mass [neimark1972; bloch2015].

    L = m/2 ((vx - a omega sin(theta))^2 + (vy + a omega cos(theta))^2) + J/2 omega^2
    blade:  vy cos(theta) - vx sin(theta) = 0

(x, y) is the point of the blade, theta the heading. One linear constraint, nonholonomic, growth vector (2, 3). With v
the speed along the blade,  vdot = a omega^2  and  (J + m a^2) omegadot = -m a v omega:  the motion runs on an ellipse
of constant energy from backward to forward sliding. Forward sliding attracts, though the energy is conserved: no volume
is preserved. The nonholonomic motion is vakonomic only where it needs no reaction: straight sliding.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np
import sympy as sp

from ..model.space import Space
from ..model.space_factors import angle, plane
from ..model.symmetry import euclidean
from ..model.system import System
from .closed import separatrix
from .facts import Facts

SOURCE = "neimark1972"
SPACE = Space.product(plane("x y"), angle("theta", "omega"))
X, Y, THETA, VX, VY, OMEGA = SPACE
MASS, INERTIA, ARM = sp.symbols("m J a", positive=True)

STARTS: dict[str, dict[str, object]] = {
    "turning": {"x": 0.0, "y": 0.0, "theta": 0.4, "vx": -0.9, "omega": 0.8},
    "other way": {"x": 0.0, "y": 0.0, "theta": -0.2, "vx": 0.5, "omega": -1.6},
    "straight": {"x": 0.3, "y": 0.1, "theta": 1.0, "vx": 0.7, "omega": 0.0},
}
START = STARTS["turning"]

SPEED = VX * sp.cos(THETA) + VY * sp.sin(THETA)
FACTS = Facts(
    kinds={"blade": "linear"},
    growth=(2, 3),
    generating=True,
    conserved={"ellipse": MASS * SPEED**2 + (INERTIA + MASS * ARM**2) * OMEGA**2},
    agree={"turning": False, "other way": False, "straight": True},
    where=[[OMEGA]],
    multipliers={"lam_blade": sp.Integer(0)},
)


# what is drawn, and what a page lets a person change
BODIES: list[dict[str, object]] = [
    {"shape": "floor"},
    {
        "name": "sleigh",
        "shape": "box",
        "size": ["2.5*a", "a", "a/5"],
        "at": ["x + a*cos(theta)", "y + a*sin(theta)", "0.4*a"],
        "turn": "z theta",
    },
    {
        "name": "blade",
        "shape": "blade",
        "size": ["a", "a/20", "0.3*a"],
        "at": ["x", "y", "0.15*a"],
        "turn": "z theta",
        "trace": ["x", "y", 0],
    },
]
RANGES = {"m": (0.2, 5), "J": (0.1, 2), "a": (0.1, 1), "vx": (-2, 2), "omega": (-3, 3)}


def system(*, m: float = 1.0, J: float = 0.5, a: float = 0.4) -> System:
    """The sleigh; J is about the centre of mass."""
    return System(
        space=SPACE,
        lagrangian=MASS / 2 * ((VX - ARM * OMEGA * sp.sin(THETA)) ** 2 + (VY + ARM * OMEGA * sp.cos(THETA)) ** 2)
        + INERTIA / 2 * OMEGA**2,
        constraints={"blade": VY * sp.cos(THETA) - VX * sp.sin(THETA)},
        symmetry=euclidean("x y", "theta"),
        parameters={"m": m, "J": J, "a": a},
        bodies=BODIES,
        explore={"ranges": RANGES},
        title="Chaplygin sleigh",
        cite=SOURCE,
    )


EXACT = ("theta", "vx", "vy", "omega")


def exact(t: np.ndarray | float, start: Sequence[float], parameters: Mapping[str, float]) -> np.ndarray:
    """The columns `EXACT` at times t >= 0, shape (4, ...).

    With k^2 = a^2 + J/m,  v = V sin(chi)  and  k omega = V cos(chi):  chidot = (a V/k^2) cos(chi),  theta = (k/a) chi.

    Args:
        t: times, not before the start.
        start: the same columns at t = 0.
        parameters: m, J, a.
    """
    theta, vx, vy, omega = start
    a, k = parameters["a"], math.sqrt(parameters["a"] ** 2 + parameters["J"] / parameters["m"])
    speed = vx * math.cos(theta) + vy * math.sin(theta)
    V = math.hypot(speed, k * omega)
    if not V:
        return np.array([np.full(np.shape(t), value) for value in start])
    sine, cosine = separatrix(t, a * V / k**2, speed / V, k * omega / V)
    side = -1.0 if omega < 0 else 1.0
    turned = side * (np.arctan2(sine, side * cosine) - math.atan2(speed, k * abs(omega)))
    heading = theta + k / a * turned
    return np.array([heading, V * sine * np.cos(heading), V * sine * np.sin(heading), V / k * cosine])


def whole_turn(parameters: Mapping[str, float]) -> float:
    """The angle between backward sliding long ago and forward sliding at last: pi sqrt(1 + J/(m a^2))."""
    return math.pi * math.sqrt(1 + parameters["J"] / (parameters["m"] * parameters["a"] ** 2))
