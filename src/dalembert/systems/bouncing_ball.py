"""A ball that bounces on a floor until it rests: infinitely many impacts in a finite time [brogliato2016].

    L = m/2 (vx^2 + vy^2) - m g y ,    floor: y - r >= 0 ,  vy+ = -e vy-

y points up. There is no friction, so that vx stays. Between impacts the ball falls freely; each of them leaves the
share e of the speed, the hops last (2 v1/g) e^n, and with v1 the speed of the first impact, at t1, the ball rests from

    t1 + 2 e v1/(g (1 - e))

on. With e = 1 it bounces for ever.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np
import sympy as sp
from numpy.typing import ArrayLike

from ..model.contact import contact
from ..model.space_factors import plane
from ..model.system import System
from .facts import Facts, Starts, Variant

SOURCE = "brogliato2016"
SPACE = plane("x y")
X, Y, VX, VY = SPACE
MASS, RADIUS, GRAVITY = sp.symbols("m r g", positive=True)
RESTITUTION = sp.Symbol("e", nonnegative=True)

STARTS: Starts = {
    "dropped": {"x": 0.0, "y": 1.1, "vx": 0.3, "vy": 0.0},
    "thrown": {"x": 0.0, "y": 0.5, "vx": 1.0, "vy": 2.0},
}
START = STARTS["dropped"]
SPAN = 3.0

_RESTS = (("floor", "apart"), ("floor", "slides"))
FACTS = Facts(
    kinds={},
    growth=(),
    generating=True,
    conserved={"momentum": VX},
    modes=dict.fromkeys(STARTS, _RESTS),
)
_FOR_EVER = Facts(
    kinds={},
    growth=(),
    generating=True,
    conserved={"momentum": VX, "energy": VY**2 / 2 + GRAVITY * Y},
    modes=dict.fromkeys(STARTS, _RESTS[:1]),
)
VARIANTS = {"for ever": Variant({"e": 1.0}, STARTS, _FOR_EVER, exact=True)}


# what is drawn, and what a page lets a person change
BODIES: list[dict[str, object]] = [
    {"shape": "floor"},
    {"name": "ball", "shape": "ball", "radius": "r", "at": ["x", "y", 0], "trace": True},
]
RANGES = {"e": (0, 1), "g": (1, 20), "y": (0.2, 3), "vx": (-2, 2), "vy": (-5, 5)}


def system(*, m: float = 1.0, r: float = 0.1, g: float = 9.81, e: float = 0.7) -> System:
    """The ball: radius r, restitution e."""
    return System(
        space=SPACE,
        lagrangian=MASS / 2 * (VX**2 + VY**2) - MASS * GRAVITY * Y,
        contacts={"floor": contact(Y - RADIUS, restitution=RESTITUTION)},
        symmetry="x",
        parameters={"m": m, "r": r, "g": g, "e": e},
        bodies=BODIES,
        scene={"up": "y"},
        explore={"ranges": RANGES},
        title="Bouncing ball",
        cite=SOURCE,
    )


EXACT = ("x", "y", "vx", "vy")


def exact(t: ArrayLike, start: Sequence[float], parameters: Mapping[str, float]) -> np.ndarray:
    """The columns `EXACT` at times t, shape (4, ...); for t >= 0, and behind the impact where one is at t."""
    t = np.asarray(t, float)
    x, y, vx, vy = start
    r, g, e = (parameters[name] for name in ("r", "g", "e"))
    v1 = math.sqrt(vy**2 + 2 * g * (y - r))
    # y + vy t - g t^2/2 = r
    t1 = (vy + v1) / g
    s = np.maximum(t - t1, 0.0)
    n = _hops(s * g / (2 * v1), e) if v1 else np.full_like(s, np.inf)
    before, rests = t < t1, np.isinf(n)
    done = np.where(rests, 0.0, n)
    # the hop n begins at (2 v1/g) (e + ... + e^n), with the speed v1 e^(n + 1)
    began = 2 * v1 / g * (done if e == 1 else e * (1 - e**done) / (1 - e))
    up, since = v1 * e ** (done + 1), s - began
    height = np.where(before, y + vy * t - g * t**2 / 2, r + np.where(rests, 0.0, up * since - g * since**2 / 2))
    speed = np.where(before, vy - g * t, np.where(rests, 0.0, up - g * since))
    return np.array([x + vx * t, height, vx + 0 * t, speed])


def _hops(s: np.ndarray, e: float) -> np.ndarray:
    """How many hops are over after the time 2 v1/g s from the first impact, infinite where all are."""
    if e == 1:
        return np.floor(s)
    if e == 0:
        return np.full_like(s, np.inf)
    # e (1 - e^n)/(1 - e) <= s
    left = 1 - s * (1 - e) / e
    return np.where(left > 0, np.floor(np.log(np.where(left > 0, left, 1.0)) / math.log(e)), np.inf)


def rest(start: Mapping[str, float], parameters: Mapping[str, float]) -> float:
    """When the ball comes to rest, infinite for e = 1.

    Args:
        start: y and vy.
        parameters: r, g, e.
    """
    r, g, e = (parameters[name] for name in ("r", "g", "e"))
    v1 = math.sqrt(start["vy"] ** 2 + 2 * g * (start["y"] - r))
    return math.inf if e == 1 else (start["vy"] + v1) / g + 2 * e * v1 / (g * (1 - e))
