"""A billiard or bowling ball that slides, and then rolls [coriolis1835].

    L = m/2 (vx^2 + vy^2 + vz^2) + I/2 (w1^2 + w2^2 + w3^2) - m g z ,    I = 2/5 m r^2
    cloth: z - r >= 0 ,  slip (vx - r w2, vy + r w1)

w is the angular velocity in space axes. The slip keeps its direction and falls by 7/2 mu g, so that the middle of the
ball moves on a parabola; after

    2 |slip|/(7 mu g)

it rolls straight on, with v = (5 v0 + 2 r (w2, -w1))/7: a ball that is thrown without spin has five sevenths of its
speed left, one that is hit low comes back. Friction acts at the contact, about which the angular momentum is constant:

    vx + 2/5 r w2 ,    vy - 2/5 r w1 ,    w3
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import sympy as sp
from numpy.typing import ArrayLike

from ..model.bodies import Body
from ..model.rolling.rolling import rolling
from ..model.symmetry import spin, translations
from ..model.system import System
from .facts import Facts, Starts

SOURCE = "coriolis1835"
BALL = rolling(Body("ball", radius="r"), "z", parameters="r")
SPACE = BALL.space
VX, VY, VZ, W1, W2, W3 = SPACE.velocities
MASS, RADIUS, GRAVITY = sp.symbols("m r g", positive=True)
MU = sp.Symbol("mu", nonnegative=True)

_ON = {"x": 0.0, "y": 0.0, "z": 0.03, "vz": 0.0, "R": "identity"}
STARTS: Starts = {
    "thrown": {**_ON, "vx": 2.0, "vy": 0.0, "w1": 0.0, "w2": 0.0, "w3": 0.0},
    "draw": {**_ON, "vx": 1.0, "vy": 0.0, "w1": 0.0, "w2": -120.0, "w3": 0.0},
    "follow": {**_ON, "vx": 1.0, "vy": 0.0, "w1": 0.0, "w2": 90.0, "w3": 0.0},
    "masse": {**_ON, "vx": 1.2, "vy": 0.0, "w1": -80.0, "w2": -60.0, "w3": 30.0},
    "rolling": {**_ON, "vx": 0.6, "vy": 0.0, "w1": 0.0, "w2": 20.0, "w3": 5.0},
}
START = STARTS["thrown"]
SPAN = 2.0

_SLIDES, _STICKS = ("cloth", "slides"), ("cloth", "sticks")
FACTS = Facts(
    kinds={},
    growth=(),
    generating=True,
    conserved={"along x": VX + 2 * RADIUS * W2 / 5, "along y": VY - 2 * RADIUS * W1 / 5, "spin": W3},
    modes={**dict.fromkeys(("thrown", "draw", "follow", "masse"), (_SLIDES, _STICKS)), "rolling": (_STICKS,)},
)

# what is drawn, and what a page lets a person change
RANGES = {"mu": (0.02, 0.6), "vx": (-3, 3), "vy": (-3, 3), "w1": (-150, 150), "w2": (-150, 150), "w3": (-100, 100)}


def system(*, m: float = 0.17, r: float = 0.03, g: float = 9.81, mu: float = 0.2) -> System:
    """The homogeneous ball of radius r on a cloth with friction mu."""
    return System(
        space=SPACE,
        lagrangian=BALL.kinetic(MASS, 2 * MASS * RADIUS**2 / 5) - MASS * GRAVITY * BALL.position[2],
        constraints=BALL.held,
        contacts={"cloth": BALL.contact(mu=MU)},
        symmetry=[translations("x y"), *(spin("R", axis) for axis in ((1, 0, 0), (0, 1, 0), (0, 0, 1)))],
        parameters={"m": m, "r": r, "g": g, "mu": mu},
        bodies=BALL.bodies,
        explore={"ranges": RANGES},
        title="Billiard ball",
        cite=SOURCE,
    )


EXACT = ("x", "y", "vx", "vy", "w1", "w2", "w3")


def exact(t: ArrayLike, start: Sequence[float], parameters: Mapping[str, float]) -> np.ndarray:
    """The columns `EXACT` at times t >= 0, shape (7, ...), of a ball on the cloth."""
    t = np.asarray(t, float)
    x, y, vx, vy, w1, w2, w3 = start
    r, g, mu = (parameters[name] for name in ("r", "g", "mu"))
    slip = complex(vx - r * w2, vy + r * w1)
    way = slip / abs(slip) if slip else 0.0
    # |slip|' = -7/2 mu g
    s = np.minimum(t, 2 * abs(slip) / (7 * mu * g))
    v = complex(vx, vy) - mu * g * s * way
    z = complex(x, y) + complex(vx, vy) * s - mu * g * s**2 / 2 * way + v * (t - s)
    # I w' = r e3 x mu m g way, against the ball's arm -r e3
    w = complex(w1, w2) - 1j * (-5 * mu * g / (2 * r)) * s * way
    return np.array([z.real, z.imag, v.real, v.imag, w.real, w.imag, w3 + 0 * t])


def rolls(start: Mapping[str, float], parameters: Mapping[str, float]) -> tuple[float, complex]:
    """When the ball begins to roll, and the velocity vx + i vy that it has then.

    Args:
        start: vx, vy, w1, w2.
        parameters: r, g, mu.
    """
    r, g, mu = (parameters[name] for name in ("r", "g", "mu"))
    v, w = complex(start["vx"], start["vy"]), complex(start["w2"], -start["w1"])
    return 2 * abs(v - r * w) / (7 * mu * g), (5 * v + 2 * r * w) / 7
