"""A block that rocks from edge to edge, and loses at each blow what Housner says [housner1963].

    L = m/2 (vx^2 + vy^2) + I/2 w^2 - m g y ,    I = m (b^2 + h^2)/3
    left, right:  y -+ b sin(th) - h cos(th) >= 0 ,  slip the velocity of the edge along the floor

The block is 2 b wide and 2 h high, (x, y) is its middle, y up, and th its tilt. About an edge it is an inverted
pendulum, whose swing takes the longer the higher it is,

    T = 4/p arccosh(1/(1 - th0/alpha)) ,    p^2 = 3 g/(4 R) ,  tan(alpha) = b/h ,  R^2 = b^2 + h^2

for a slender one, and a blow without restitution leaves the share 1 - 3/2 sin(alpha)^2 of its rate. It comes to rest on
both edges, after infinitely many blows in a finite time.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

import sympy as sp

from ..model.contact import Touch, contact
from ..model.space import Space
from ..model.space_factors import angle, plane
from ..model.system import System
from .facts import Facts, Starts

SOURCE = "housner1963"
UNSOLVED = "elliptic functions of the time between blows, as of a pendulum"
SPACE = Space.product(plane("x y"), angle("th", "w"))
X, Y, TH, VX, VY, W = SPACE
MASS, HALF_WIDTH, HALF_HEIGHT, GRAVITY = sp.symbols("m b h g", positive=True)
MU, RESTITUTION = sp.symbols("mu e", nonnegative=True)
_B, _H = 0.2, 0.8


def _tilted(th: float) -> dict[str, float]:
    """At rest on its left edge, or on its right one."""
    c, s, side = math.cos(th), math.sin(th), math.copysign(1, th)
    place = {"x": side * (_B * c - _B) - _H * s, "y": _B * abs(s) + _H * c, "th": th}
    return {**place, "vx": 0.0, "vy": 0.0, "w": 0.0}


STARTS: Starts = {"let go": _tilted(0.1), "nearly over": _tilted(-0.2)}
START = STARTS["let go"]
SPAN = 3.0


def _rocks(first: str, blows: int) -> tuple[tuple[str, str], ...]:
    """On one edge and the other in turn."""
    words = [("sticks", "apart"), ("apart", "sticks")][:: 1 if first == "left" else -1]
    return tuple(pair for n in range(blows + 1) for pair in zip(("left", "right"), words[n % 2], strict=True))


FACTS = Facts(
    kinds={},
    growth=(),
    generating=True,
    modes={"let go": _rocks("left", 6), "nearly over": _rocks("right", 3)},
)

# what is drawn, and what a page lets a person change
BODIES: list[dict[str, object]] = [
    {"shape": "floor"},
    {"name": "block", "shape": "box", "size": ["2*b", "2*h", "2*b"], "at": ["x", "y", 0], "turn": "z th"},
]
RANGES = {"mu": (0.1, 2), "e": (0, 0.8), "g": (1, 20)}


def edge(side: int) -> tuple[sp.Expr, sp.Expr]:
    """Height of the edge on a side, -1 or 1, and its velocity along the floor."""
    along = X + side * HALF_WIDTH * sp.cos(TH) + HALF_HEIGHT * sp.sin(TH)
    height = Y + side * HALF_WIDTH * sp.sin(TH) - HALF_HEIGHT * sp.cos(TH)
    return height, VX + along.diff(TH) * W


def _edge(side: int) -> Touch:
    height, slip = edge(side)
    return contact(height, [slip], mu=MU, restitution=RESTITUTION)


def system(*, m: float = 1.0, b: float = _B, h: float = _H, g: float = 9.81, mu: float = 1.0, e: float = 0.0) -> System:
    """The homogeneous block of half width b and half height h."""
    moment = MASS * (HALF_WIDTH**2 + HALF_HEIGHT**2) / 3
    return System(
        space=SPACE,
        lagrangian=MASS / 2 * (VX**2 + VY**2) + moment / 2 * W**2 - MASS * GRAVITY * Y,
        contacts={"left": _edge(-1), "right": _edge(1)},
        symmetry="x",
        parameters={"m": m, "b": b, "h": h, "g": g, "mu": mu, "e": e},
        bodies=BODIES,
        scene={"up": "y"},
        explore={"ranges": RANGES},
        title="Rocking block",
        cite=SOURCE,
    )


def kept(parameters: Mapping[str, float]) -> float:
    """The share of its rate that a blow on the other edge leaves, without restitution: 1 - 3/2 sin(alpha)^2."""
    b, h = parameters["b"], parameters["h"]
    return 1 - 1.5 * b**2 / (b**2 + h**2)


def quarter(th: float, parameters: Mapping[str, float]) -> float:
    """The time in which a slender block falls from the tilt th to its base, arccosh(1/(1 - th/alpha))/p."""
    b, h, g = (parameters[name] for name in ("b", "h", "g"))
    return math.acosh(1 / (1 - abs(th) / math.atan2(b, h))) / math.sqrt(0.75 * g / math.hypot(b, h))
