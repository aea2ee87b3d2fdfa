"""A block on a belt, held by a spring, which sticks and slips in turn [andronov1966].

    L = m/2 (vx^2 + vy^2) - k/2 x^2 - m g y ,    belt: y >= 0 ,  slip vx - V

The belt runs with V and takes the block along until the spring pulls with mu_s m g; then it slides back, as an
oscillator about mu m g/k, until its velocity is that of the belt again. With w^2 = k/m and a = (mu_s - mu) m g/k the
cycle is

    2 (pi - arctan(a w/V))/w  of sliding,    2 a/V  of sticking

A block that stays where the spring balances the friction of sliding, x = mu m g/k, slides there for ever.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence

import numpy as np
import sympy as sp
from numpy.typing import ArrayLike

from ..model.contact import contact
from ..model.space_factors import plane
from ..model.system import System
from .facts import Facts, Starts

SOURCE = "andronov1966"
SPACE = plane("x y")
X, Y, VX, VY = SPACE
MASS, STIFFNESS, SPEED, GRAVITY = sp.symbols("m k V g", positive=True)
MU, MU_S = sp.symbols("mu mu_s", nonnegative=True)

STARTS: Starts = {
    "taken along": {"x": 0.0, "y": 0.0, "vx": 0.3, "vy": 0.0},
    "let go": {"x": 0.7, "y": 0.0, "vx": 0.0, "vy": 0.0},
    "balanced": {"x": 0.3 * 9.81 / 10, "y": 0.0, "vx": 0.0, "vy": 0.0},
}
START = STARTS["taken along"]
SPAN = 6.0

_SLIDES, _STICKS = ("belt", "slides"), ("belt", "sticks")
FACTS = Facts(
    kinds={},
    growth=(),
    generating=True,
    modes={
        "taken along": (_STICKS, _SLIDES, _STICKS, _SLIDES, _STICKS),
        "let go": (_SLIDES, _STICKS, _SLIDES, _STICKS, _SLIDES),
        "balanced": (_SLIDES,),
    },
)


# what is drawn, and what a page lets a person change
_ROLLED = ["x -pi/2", ("z", "V*t/0.1")]
BODIES: list[dict[str, object]] = [
    {"name": "belt", "shape": "table", "size": [2.4, 0.6, 0.04], "at": [0.3, 0, 0]},
    *(
        {"name": name, "shape": "wheel", "radius": 0.1, "thickness": 0.5, "at": [at, 0, -0.14], "turn": _ROLLED}
        for name, at in (("roller", -0.75), ("other roller", 1.35))
    ),
    {"name": "post", "shape": "box", "size": [0.04, 0.3, 0.3], "at": [-0.9, 0, 0.15]},
    {"name": "block", "shape": "box", "size": [0.2, 0.2, 0.15], "at": ["x", 0, "y + 0.075"]},
    {"name": "spring", "shape": "rod", "radius": 0.012, "from": [-0.88, 0, 0.075], "to": ["x - 0.1", 0, "y + 0.075"]},
]
RANGES = {"V": (0.05, 1), "k": (2, 40), "mu": (0.05, 1), "mu_s": (0.05, 1), "x": (-0.6, 0.8)}


def system(
    *, m: float = 1.0, k: float = 10.0, V: float = 0.3, g: float = 9.81, mu: float = 0.3, mu_s: float = 0.5
) -> System:
    """The block of mass m on a spring k and a belt that runs with V; friction mu sliding, mu_s sticking."""
    return System(
        space=SPACE,
        lagrangian=MASS / 2 * (VX**2 + VY**2) - STIFFNESS / 2 * X**2 - MASS * GRAVITY * Y,
        contacts={"belt": contact(Y, [VX - SPEED], mu=MU, mu_static=MU_S)},
        parameters={"m": m, "k": k, "V": V, "g": g, "mu": mu, "mu_s": mu_s},
        bodies=BODIES,
        explore={"ranges": RANGES},
        title="Block on a belt",
        cite=SOURCE,
    )


def cycle(parameters: Mapping[str, float]) -> tuple[float, float]:
    """How long the block slides and how long it sticks, in a cycle."""
    m, k, V, g, mu, mu_s = (parameters[name] for name in ("m", "k", "V", "g", "mu", "mu_s"))
    w, a = math.sqrt(k / m), (mu_s - mu) * m * g / k
    return 2 * (math.pi - math.atan(a * w / V)) / w, 2 * a / V


EXACT = ("x", "vx")


def exact(t: ArrayLike, start: Sequence[float], parameters: Mapping[str, float]) -> np.ndarray:
    """The columns `EXACT` at times t >= 0, shape (2, ...), of a block that is no faster than the belt."""
    t = np.asarray(t, float)
    x, v = np.zeros_like(t), np.zeros_like(t)
    for begin, end, (at, moves, sticks) in _phases(float(np.max(t)), start, parameters):
        here, s = (t >= begin) & (t <= end), t - begin
        w, middle, V = _numbers(parameters)
        swung = (at - middle) * np.cos(w * s) + moves / w * np.sin(w * s) + middle
        speed = moves * np.cos(w * s) - (at - middle) * w * np.sin(w * s)
        x, v = np.where(here, at + V * s if sticks else swung, x), np.where(here, V if sticks else speed, v)
    return np.array([x, v])


def _numbers(parameters: Mapping[str, float]) -> tuple[float, float, float]:
    """w, mu m g/k, V."""
    m, k, g, mu = (parameters[name] for name in ("m", "k", "g", "mu"))
    return math.sqrt(k / m), mu * m * g / k, parameters["V"]


def _phases(
    until: float, start: Sequence[float], parameters: Mapping[str, float]
) -> Iterator[tuple[float, float, tuple[float, float, bool]]]:
    """Beginning, end, and x, vx and whether it sticks at the beginning, until a time."""
    w, middle, V = _numbers(parameters)
    most = middle * parameters["mu_s"] / parameters["mu"]
    (x, v), t = start, 0.0
    while t <= until:
        sticks = abs(v - V) < _SAME * V and abs(x) <= most * (1 - _SAME)
        if sticks:
            v, end = V, t + (most - x) / V
        else:
            # (x - middle) + i v/w turns with -w;  v = V again at the later of two places
            size, phase = math.hypot(x - middle, v / w), math.atan2(v / w, x - middle)
            again = math.asin(V / (w * size)) if w * size > V else math.inf
            turned = (phase - (math.pi - again)) % math.tau if math.isfinite(again) else math.inf
            end = t + (turned if turned > _SAME else math.tau) / w
        yield t, end, (x, v, sticks)
        x, v = (most, V) if sticks else (middle - math.sqrt(max(size**2 - (V / w) ** 2, 0.0)), V)
        t = end


_SAME = 1e-9
