"""A woodpecker that comes down its pole: a sleeve that jams, and a bird on a spring that frees it [leine2003].

    L = M/2 v^2 + J/2 ws^2 + m/2 (v + a ws + b wb)^2 + I/2 wb^2 - k/2 (sleeve - bird)^2
        - (M + m) g y - m g (a sleeve + b bird)
    beak:       a + b - c - r - H bird >= 0 ,   slip v + a ws + (b - c) wb
    low, high:  R - r +- h sleeve >= 0 ,        slip v + R ws

y is the height of the sleeve's middle, R its inner radius, r that of the pole, and the angles of sleeve and bird are
small. In turn the sleeve jams and sticks to the pole, the bird swings out and back, frees it, both fall, the beak pecks
the pole, and the sleeve jams again: a cycle of 0.15 s. With the values of [leine2003] it is jammed anew with the bird
at -0.2788, v = -0.3411 m/s and wb = -7.4583 rad/s.
"""

from __future__ import annotations

import sympy as sp

from ..model.contact import contact
from ..model.space import Space
from ..model.space_factors import angle, line
from ..model.system import System
from .facts import Facts, Starts

SOURCE = "leine2003"
UNSOLVED = "between changes of its contacts its equations are linear"
SPACE = Space.product(line("y", "v"), angle("sleeve", "ws"), angle("bird", "wb"))
Y, SLEEVE, BIRD, V, WS, WB = SPACE
M, MASS, J, I, STIFFNESS, A, B, BEAK, LOW, HIGH, POLE, RING, GRAVITY = sp.symbols(
    "M m J I k a b c h H r R g", positive=True
)
MU, RESTITUTION = sp.symbols("mu e", nonnegative=True)

STARTS: Starts = {
    "jammed": {"y": 0.0, "sleeve": -0.0006 / 0.0058, "bird": -0.2788, "v": -0.3411, "ws": 0.0, "wb": -7.4583},
}
START = STARTS["jammed"]
SPAN = 0.3

_CYCLE = (
    *(("low", word) for word in ("sticks", "slides", "apart")),
    *(("high", "slides"), ("high", "apart"), ("low", "slides")),
)
_JAMMED = (("beak", "apart"), ("low", "slides"), ("high", "apart"))
FACTS = Facts(kinds={}, growth=(), generating=True, modes={"jammed": _JAMMED + 2 * _CYCLE})


# what is drawn, and what a page lets a person change
BODIES: list[dict[str, object]] = [
    {"name": "pole", "shape": "rod", "radius": "r", "from": [0, -0.08, 0], "to": [0, 0.03, 0]},
    {"name": "sleeve", "shape": "box", "size": ["2*R", "2*h", "2*R"], "at": [0, "y", 0], "turn": "z sleeve"},
    {"name": "arm", "shape": "rod", "radius": 0.0005, "from": ["R", "y", 0], "to": ["a", "y + a*sleeve", 0]},
    {
        "name": "bird",
        "shape": "ellipsoid",
        "size": [0.014, 0.034, 0.012],
        "at": ["a + b*cos(bird)", "y + a*sleeve + b*sin(bird)", 0],
        "turn": "z bird",
        "trace": True,
    },
    {"name": "head", "shape": "ball", "radius": 0.005, "on": "bird", "at": [0, "H - 0.002", 0]},
    {"name": "beak", "shape": "rod", "radius": 0.001, "on": "bird", "from": [0, "H", 0], "to": ["a - c", "H", 0]},
]
RANGES = {"mu": (0.1, 0.6), "e": (0, 0.9), "k": (0.002, 0.02)}


def system(
    *,
    M: float = 0.0003,
    m: float = 0.0045,
    J: float = 5e-9,
    I: float = 7e-7,
    k: float = 0.0056,
    mu: float = 0.3,
    e: float = 0.5,
    **lengths: float,
) -> System:
    """The toy: sleeve M, J and bird m, I on a spring k; friction mu, restitution e of the beak.

    Other lengths and g by name: a, b and c to the bird's spring, its middle and its beak, the half height h of the
    sleeve and H of the beak, the radii r of the pole and R of the sleeve.
    """
    known = {"a": 0.010, "b": 0.015, "c": 0.0201, "h": 0.0058, "H": 0.02, "r": 0.0025, "R": 0.0031, "g": 9.81}
    return System(
        space=SPACE,
        lagrangian=_lagrangian(),
        contacts={
            "beak": contact(
                A + B - BEAK - POLE - HIGH * BIRD, [V + A * WS + (B - BEAK) * WB], mu=MU, restitution=RESTITUTION
            ),
            "low": contact(RING - POLE + LOW * SLEEVE, [V + RING * WS], mu=MU),
            "high": contact(RING - POLE - LOW * SLEEVE, [V + RING * WS], mu=MU),
        },
        parameters={"M": M, "m": m, "J": J, "I": I, "k": k, "mu": mu, "e": e, **known, **lengths},
        bodies=BODIES,
        scene={"up": "y"},
        explore={"ranges": RANGES},
        title="Woodpecker toy",
        cite=SOURCE,
    )


def _lagrangian() -> sp.Expr:
    T = M * V**2 + J * WS**2 + MASS * (V + A * WS + B * WB) ** 2 + I * WB**2
    spring = STIFFNESS * (SLEEVE - BIRD) ** 2 / 2
    return T / 2 - spring - (M + MASS) * GRAVITY * Y - MASS * GRAVITY * (A * SLEEVE + B * BIRD)
