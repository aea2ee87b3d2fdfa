"""A plane pendulum in Cartesian coordinates: a holonomic constraint given on positions [whittaker1937].

    L = m/2 (vx^2 + vy^2) - m g y
    rod:  x^2 + y^2 - l^2 = 0

In the angle from below, x = l sin(theta) and y = -l cos(theta), it is  thetaddot = -(g/l) sin(theta);  its motion is
elliptic, its period 4 sqrt(l/g) K. The constraint is holonomic, so both principles agree; as a relation on velocities
its integral is the length of the rod.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np
import sympy as sp
from scipy.special import ellipj, ellipk, ellipkinc

from ..model.space_factors import plane
from ..model.system import System
from .facts import Facts

SOURCE = "whittaker1937"
SPACE = plane("x y")
X, Y, VX, VY = SPACE
MASS, GRAVITY, LENGTH = sp.symbols("m g l", positive=True)

STARTS: dict[str, dict[str, object]] = {
    "swinging": {"x": 0.6, "y": -0.8, "vx": 0.4},
    "turning over": {"x": 0.0, "y": -1.0, "vx": -7.0, "vy": 0.0},
}
START = STARTS["swinging"]

FACTS = Facts(
    kinds={"rod": "holonomic"},
    growth=(1,),
    generating=False,
    integrals={"length": X**2 + Y**2},
    agree=dict.fromkeys(STARTS, True),
    coincide="always",
)


# what is drawn, and what a page lets a person change
BODIES: list[dict[str, object]] = [
    {"name": "pivot", "shape": "point", "radius": "l/40", "both": True},
    {"name": "rod", "shape": "rod", "radius": "l/80", "from": [0, 0, 0], "to": ["x", "y", 0]},
    {"name": "bob", "shape": "ball", "radius": "l/12", "at": ["x", "y", 0], "trace": True},
]
RANGES = {"m": (0.2, 5), "g": (1, 20), "vx": (-8, 8)}


def system(*, m: float = 1.0, g: float = 9.81, l: float = 1.0) -> System:
    """The pendulum: mass m on a rod of length l; y points up."""
    return System(
        space=SPACE,
        lagrangian=MASS / 2 * (VX**2 + VY**2) - MASS * GRAVITY * Y,
        constraints={"rod": X**2 + Y**2 - LENGTH**2},
        parameters={"m": m, "g": g, "l": l},
        bodies=BODIES,
        scene={"up": "y"},
        explore={"ranges": RANGES},
        title="Pendulum in Cartesian coordinates",
        cite=SOURCE,
    )


EXACT = ("x", "y", "vx", "vy")


def exact(t: np.ndarray | float, start: Sequence[float], parameters: Mapping[str, float]) -> np.ndarray:
    """The columns `EXACT` at times t, shape (4, ...), swinging or turning over, by elliptic functions.

    With k^2 = sin^2(theta/2) + thetadot^2/(4 g/l):  sin(theta/2) = k sn(sqrt(g/l) t + c, k)  for k <= 1, and
    theta/2 = +-am(k sqrt(g/l) t + c, 1/k)  for k > 1.

    Args:
        t: times.
        start: the same columns at t = 0.
        parameters: g, l.
    """
    x, y, vx, vy = start
    length, w = parameters["l"], math.sqrt(parameters["g"] / parameters["l"])
    theta, rate = math.atan2(x, -y), (-y * vx + x * vy) / length**2
    k = math.hypot(math.sin(theta / 2), rate / (2 * w))
    # s = sin(theta/2), c = cos(theta/2), half = thetadot/2 at the times
    if k <= 1:
        begin = ellipkinc(math.atan2(math.sin(theta / 2), rate / (2 * w)), k**2)
        sn, cn, c, _ = ellipj(w * np.asarray(t, float) + begin, k**2)
        s, half = k * sn, k * w * cn
    else:
        side = math.copysign(1.0, rate)
        sn, c, dn, _ = ellipj(k * w * np.asarray(t, float) + ellipkinc(side * theta / 2, 1 / k**2), 1 / k**2)
        s, half = side * sn, side * k * w * dn
    down = c**2 - s**2
    return length * np.array([2 * s * c, -down, 2 * half * down, 4 * half * s * c])


def period(amplitude: float, parameters: Mapping[str, float]) -> float:
    """4 sqrt(l/g) K(sin(amplitude/2)): the time of a full swing, amplitude in radians, less than pi."""
    return float(4 * math.sqrt(parameters["l"] / parameters["g"]) * ellipk(math.sin(amplitude / 2) ** 2))
