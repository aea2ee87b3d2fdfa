"""A rod whose lower end slides on the floor, and whose motion need not exist, nor be one alone [painleve1895].

    L = m/2 (vx^2 + vy^2) + I/2 w^2 - m g y ,    I = m l^2/3
    tip: y - l sin(th) >= 0 ,  slip vx + l sin(th) w

(x, y) is the middle of the rod, 2 l its length, th its angle to the floor, and the tip is its lower end, on the left.
Where the tip slides to the left, ahead of the rod, a normal force N lifts it by

    N/m (1 + k cos(th) (cos(th) - mu sin(th))) ,    k = m l^2/I ,

and the weight and the turning of the rod by l w^2 sin(th) - g. Where the first is negative, N makes the tip go down. No
force then keeps it on the floor against a weight that presses it there; if the rod turns so fast that it would leave,
it may leave or stay, pressed by a force that its own friction makes. A run says so, and ends: `PARADOX`. That takes

    mu > 2 sqrt(1 + k)/k ,

4/3 for a homogeneous rod: with less the rod goes on from wherever it is. A tip that is dragged behind always does.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

import sympy as sp

from ..model.contact import contact
from ..model.space import Space
from ..model.space_factors import angle, plane
from ..model.system import System
from .facts import Facts, Starts, Variant

SOURCE = "painleve1895"
UNSOLVED = "while the tip slides, w^2 obeys a linear equation in th"
SPACE = Space.product(plane("x y"), angle("th", "w"))
X, Y, TH, VX, VY, W = SPACE
MASS, HALF, INERTIA, GRAVITY = sp.symbols("m l I g", positive=True)
MU = sp.Symbol("mu", nonnegative=True)


def sliding(th: float, speed: float, w: float = 0.0) -> dict[str, float]:
    """The tip of a rod of l = 1/2 on the floor, at a speed along it."""
    s, c = math.sin(th) / 2, math.cos(th) / 2
    return {"x": c, "y": s, "th": th, "vx": speed - s * w, "vy": c * w, "w": w}


STARTS: Starts = {"dragged": sliding(1.2, 3.0), "let go": sliding(1.0, 0.0)}
START = STARTS["dragged"]
PARADOX: Starts = {"no way to go on": sliding(1.2, -3.0), "two ways to go on": sliding(1.2, -3.0, 5.0)}
SPAN = 0.25

FACTS = Facts(
    kinds={},
    growth=(),
    generating=True,
    modes={"dragged": (("tip", "slides"),), "let go": (("tip", "sticks"),)},
)
_AHEAD = {"pushed": PARADOX["no way to go on"], "pushed and turning": PARADOX["two ways to go on"]}
_MODES = {
    "pushed": (("tip", "slides"), ("tip", "sticks"), ("tip", "slides")),
    "pushed and turning": (("tip", "apart"),),
}
VARIANTS = {"mu = 1.3": Variant({"mu": 1.3}, _AHEAD, Facts(kinds={}, growth=(), generating=True, modes=_MODES))}

# what is drawn, and what a page lets a person change
BODIES: list[dict[str, object]] = [
    {"shape": "floor"},
    {"name": "rod", "shape": "box", "size": ["2*l", "l/20", "l/20"], "at": ["x", "y", 0], "turn": "z th"},
]
RANGES = {"mu": (0, 3), "th": (0.1, 1.5), "vx": (-5, 5), "w": (-5, 5)}
FOLLOWS = {"I": "m*l^2/3"}  # of a homogeneous body


def system(*, m: float = 1.0, l: float = 0.5, I: float | None = None, g: float = 9.81, mu: float = 2.0) -> System:
    """The rod of half length l, with I = m l^2/3 if it is left out, and friction mu at its tip."""
    return System(
        space=SPACE,
        lagrangian=MASS / 2 * (VX**2 + VY**2) + INERTIA / 2 * W**2 - MASS * GRAVITY * Y,
        contacts={"tip": contact(Y - HALF * sp.sin(TH), [VX + HALF * sp.sin(TH) * W], mu=MU)},
        symmetry="x",
        parameters={"m": m, "l": l, "I": m * l**2 / 3 if I is None else I, "g": g, "mu": mu},
        bodies=BODIES,
        scene={"up": "y"},
        explore={"ranges": RANGES},
        title="Rod of Painleve",
        cite=SOURCE,
    )


def lifted(th: float, parameters: Mapping[str, float]) -> float:
    """By how much a normal force of the size of m lifts a tip that slides ahead: below 0, motions end there."""
    k, mu = _slender(parameters), parameters["mu"]
    return 1 + k * math.cos(th) * (math.cos(th) - mu * math.sin(th))


def least_friction(parameters: Mapping[str, float]) -> tuple[float, float]:
    """The friction above which there are angles without a motion, and the first of them."""
    k = _slender(parameters)
    # the least of (1 + k cos^2)/(k sin cos) = (tan + (1 + k)/tan)/k
    return 2 * math.sqrt(1 + k) / k, math.atan(math.sqrt(1 + k))


def _slender(parameters: Mapping[str, float]) -> float:
    """k = m l^2/I, 3 for a homogeneous rod."""
    m, l, I = (parameters[name] for name in ("m", "l", "I"))
    return m * l**2 / I
