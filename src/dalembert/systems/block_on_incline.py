"""A block on an incline, which slides, stops, stays or slides back [coulomb1821].

    L = m/2 (vx^2 + vy^2) - m g (x sin(alpha) + y cos(alpha)) ,    ramp: y >= 0 ,  slip vx

x points up the incline and y away from it. Sliding it is slowed by mu g cos(alpha), at rest it is held up to mu_s times
its weight across the incline: it stays where tan(alpha) <= mu_s, and slides down with

    g (sin(alpha) - mu cos(alpha))

where the incline is steeper. A block that is pushed up comes to rest and, on a steep one, returns with a smaller
acceleration than it rose.
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

SOURCE = "coulomb1821"
SPACE = plane("x y")
X, Y, VX, VY = SPACE
MASS, GRAVITY = sp.symbols("m g", positive=True)
MU, MU_S = sp.symbols("mu mu_s", nonnegative=True)
ALPHA = sp.Symbol("alpha", real=True)

STARTS: Starts = {
    "pushed up": {"x": 0.0, "y": 0.0, "vx": 2.5, "vy": 0.0},
    "pushed down": {"x": 1.0, "y": 0.0, "vx": -0.5, "vy": 0.0},
    "left alone": {"x": 0.5, "y": 0.0, "vx": 0.0, "vy": 0.0},
}
START = STARTS["pushed up"]
SPAN = 1.5

_SLIDES, _STICKS = ("ramp", "slides"), ("ramp", "sticks")
FACTS = Facts(
    kinds={},
    growth=(),
    generating=True,
    modes={"pushed up": (_SLIDES, _STICKS), "pushed down": (_SLIDES, _STICKS), "left alone": (_STICKS,)},
)
_STEEP = Facts(kinds={}, growth=(), generating=True, modes=dict.fromkeys(STARTS, (_SLIDES,)))
VARIANTS = {"steep": Variant({"alpha": 0.6}, STARTS, _STEEP, exact=True)}


# what is drawn, and what a page lets a person change
BODIES: list[dict[str, object]] = [
    {"name": "ramp", "shape": "table", "size": [4, 0.8, 0.05], "at": [0, 0, 0], "turn": "y -alpha"},
    {"name": "block", "shape": "box", "size": [0.3, 0.2, 0.15], "on": "ramp", "at": ["x", 0, "y + 0.075"]},
]
RANGES = {"alpha": (0, 1.2), "mu": (0, 1), "mu_s": (0, 1), "vx": (-4, 4)}


def system(*, m: float = 1.0, g: float = 9.81, alpha: float = 0.25, mu: float = 0.3, mu_s: float = 0.4) -> System:
    """The block on an incline of the angle alpha, with friction mu where it slides and mu_s where it stays."""
    return System(
        space=SPACE,
        lagrangian=MASS / 2 * (VX**2 + VY**2) - MASS * GRAVITY * (X * sp.sin(ALPHA) + Y * sp.cos(ALPHA)),
        contacts={"ramp": contact(Y, [VX], mu=MU, mu_static=MU_S)},
        parameters={"m": m, "g": g, "alpha": alpha, "mu": mu, "mu_s": mu_s},
        bodies=BODIES,
        explore={"ranges": RANGES},
        title="Block on an incline",
        cite=SOURCE,
    )


EXACT = ("x", "vx")


def exact(t: ArrayLike, start: Sequence[float], parameters: Mapping[str, float]) -> np.ndarray:
    """The columns `EXACT` at times t >= 0, shape (2, ...), of a block on the incline."""
    t = np.asarray(t, float)
    x, v = start
    g, alpha, mu, mu_s = (parameters[name] for name in ("g", "alpha", "mu", "mu_s"))
    down, rubbed = -g * math.sin(alpha), mu * g * math.cos(alpha)
    first = down - math.copysign(rubbed, v)
    # it stops at -v/a, if friction and weight slow it
    stop = 0.0 if v == 0 else (-v / first if v * first < 0 else math.inf)
    held = abs(down) <= mu_s * g * math.cos(alpha)
    second = 0.0 if held else down - math.copysign(rubbed, down)
    s, late = np.minimum(t, stop), np.maximum(t - stop, 0.0)
    moved = x + v * s + first * s**2 / 2 + second * late**2 / 2
    return np.array([moved, np.where(t < stop, v + first * s, second * late)])
