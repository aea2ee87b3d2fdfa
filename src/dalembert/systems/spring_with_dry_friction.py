"""A mass on a spring with dry friction, which comes to rest within a range of places [andronov1966 (Chapter III)].

    L = m/2 vx^2 - k/2 x^2 ,    friction F against vx, at most F at rest

With w^2 = k/m each half swing lasts pi/w, about the place F/k on the side from which it comes: its end is nearer to
the middle by 2 F/k than its beginning. The mass stays where a half swing ends with k |x| <= F.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np
import sympy as sp
from numpy.typing import ArrayLike

from ..model.contact import dry
from ..model.space_factors import coordinates
from ..model.system import System
from .facts import Facts, Starts

SOURCE = "andronov1966"
SPACE = coordinates("x")
X, VX = SPACE
MASS, STIFFNESS = sp.symbols("m k", positive=True)
SIZE = sp.Symbol("F", nonnegative=True)

STARTS: Starts = {
    "let go": {"x": 1.0, "vx": 0.0},
    "pulled little": {"x": 0.1, "vx": 0.0},
    "within the range": {"x": 0.04, "vx": 0.0},
    "pushed": {"x": 0.0, "vx": -2.0},
}
START = STARTS["let go"]
SPAN = 9.0

_SLIDES, _STICKS = ("joint", "slides"), ("joint", "sticks")
_MODES = {name: (_SLIDES, _STICKS) for name in STARTS} | {"within the range": (_STICKS,)}
FACTS = Facts(kinds={}, growth=(), generating=True, modes=_MODES)

# what is drawn, and what a page lets a person change
BODIES: list[dict[str, object]] = [
    {"name": "post", "shape": "box", "size": [0.04, 0.3, 0.3], "at": [-1.6, 0, 0.15]},
    {"name": "block", "shape": "box", "size": [0.2, 0.2, 0.15], "at": ["x", 0, 0.075]},
    {"name": "spring", "shape": "rod", "radius": 0.012, "from": [-1.58, 0, 0.075], "to": ["x - 0.1", 0, 0.075]},
]
RANGES = {"k": (2, 40), "F": (0, 5), "x": (-1.2, 1.2)}


def system(*, m: float = 1.0, k: float = 20.0, F: float = 0.9) -> System:
    """The mass m on a spring k, with dry friction F."""
    return System(
        space=SPACE,
        lagrangian=MASS / 2 * VX**2 - STIFFNESS / 2 * X**2,
        forces=[dry("x", SIZE, name="joint")],
        parameters={"m": m, "k": k, "F": F},
        bodies=BODIES,
        explore={"ranges": RANGES},
        title="Spring with dry friction",
        cite=SOURCE,
    )


EXACT = ("x", "vx")


def exact(t: ArrayLike, start: Sequence[float], parameters: Mapping[str, float]) -> np.ndarray:
    """The columns `EXACT` at times t >= 0, shape (2, ...)."""
    m, k, F = (parameters[name] for name in ("m", "k", "F"))
    (x, v), w, step = start, math.sqrt(k / m), F / k
    # to where it turns, of the phase psi:  x = c + A sin psi ,  v = A w cos psi
    c = -math.copysign(step, v)
    psi, A = math.atan2(math.copysign(x - c, (x - c) * v), abs(v) / w), math.copysign(math.hypot(x - c, v / w), v)
    first = (math.pi / 2 - psi) / w if v else 0.0
    swung = np.where(v != 0, psi + w * np.minimum(t, first), math.pi / 2)
    far, late = (c + A if v else x), np.maximum(np.asarray(t, float) - first, 0.0) * w
    # then half swings, of which the last, n, ends with  |x| - 2 n F/k <= F/k
    last = max(math.ceil((abs(far) - step) / (2 * step)), 0) if step else math.inf
    n = np.minimum(late // math.pi, last)
    swing = np.where(n < last, abs(far) - (2 * n + 1) * step, 0.0)
    middle = np.where(n < last, step, abs(far) - 2 * n * step)
    sign, turned = math.copysign(1.0, far) * (-1.0) ** n, late - n * math.pi
    begins = np.asarray(t, float) < first
    return np.array(
        [
            np.where(begins, c + A * np.sin(swung), sign * (middle + swing * np.cos(turned))),
            np.where(begins, A * w * np.cos(swung), -sign * swing * w * np.sin(turned)),
        ]
    )
