"""A hoop with a weight on its rim: it rolls, slips, and may hop [theron2008].

    L = m/2 (vx^2 + vy^2 + r^2 w^2) + p/2 |v_p|^2 - m g y - p g (y + r cos(th))
    floor: y - r >= 0 ,  slip vx - r w

(x, y) is the middle of a thin hoop of mass m; the weight p, whose velocity is v_p, is at th from its top, and goes down
ahead as the hoop rolls to the right. While it rolls its energy says how fast, and the floor pushes with F and N,

    r^2 (m + p (1 + cos(th))) w^2 + p g r cos(th) = E ,     (m + p (1 + cos(th))) r wdot = p/2 sin(th) (g + r w^2) ,
    F = (m + p) r wdot + p r (wdot cos(th) - w^2 sin(th)) ,     N = (m + p) g - p r (wdot sin(th) + w^2 cos(th)) ,

until |F| = mu N. Where N would become 0 it slips first, however rough the floor is. Without the hoop's mass this would
be where r w^2 = g: after a quarter of a turn, as Littlewood said [theron2008], if the weight began at rest on the top,
and where cos(th) = r w^2/g if it came over the top at w.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

import sympy as sp
from scipy.integrate import quad
from scipy.optimize import brentq

from ..model.contact import contact
from ..model.space import Space
from ..model.space_factors import angle, plane
from ..model.system import System
from .facts import Facts, Starts

SOURCE = "theron2008"
UNSOLVED = "one quadrature while it rolls: `slips`"
SPACE = Space.product(plane("x y"), angle("th", "w"))
X, Y, TH, VX, VY, W = SPACE
MASS, WEIGHT, RADIUS, GRAVITY = sp.symbols("m p r g", positive=True)
MU = sp.Symbol("mu", nonnegative=True)


def over_the_top(w: float, r: float = 0.5) -> dict[str, float]:
    """A hoop of radius r that rolls with its weight uppermost."""
    return {"x": 0.0, "y": r, "th": 0.0, "vx": r * w, "vy": 0.0, "w": w}


STARTS: Starts = {"slow": over_the_top(1.0), "slipping": over_the_top(3.0), "hopping": over_the_top(5.0)}
START = STARTS["slow"]
SPAN = 0.72

_SLIP = (("floor", "sticks"), ("floor", "slides"), ("floor", "sticks"))
FACTS = Facts(
    kinds={},
    growth=(),
    generating=True,
    modes={
        "slow": (("floor", "sticks"),),
        "slipping": _SLIP,
        "hopping": (*_SLIP, ("floor", "slides"), ("floor", "apart")),
    },
)

# what is drawn, and what a page lets a person change
BODIES: list[dict[str, object]] = [
    {"shape": "floor"},
    {"name": "hoop", "shape": "wheel", "radius": "r", "thickness": "r/10", "at": ["x", "y", 0], "turn": "z -th"},
    {"name": "weight", "shape": "point", "on": "hoop", "radius": "r/6", "at": [0, "r", 0], "trace": True},
]
RANGES = {"m": (0.05, 2), "p": (0.1, 2), "mu": (0.05, 3), "th": (-3, 3), "w": (-8, 8)}


def system(*, m: float = 0.5, p: float = 1.0, r: float = 0.5, g: float = 9.81, mu: float = 0.5) -> System:
    """The hoop of mass m and radius r, with the weight p on its rim, and friction mu."""
    end = (VX + RADIUS * sp.cos(TH) * W) ** 2 + (VY - RADIUS * sp.sin(TH) * W) ** 2
    T = MASS * (VX**2 + VY**2 + RADIUS**2 * W**2) + WEIGHT * end
    return System(
        space=SPACE,
        lagrangian=T / 2 - MASS * GRAVITY * Y - WEIGHT * GRAVITY * (Y + RADIUS * sp.cos(TH)),
        contacts={"floor": contact(Y - RADIUS, [VX - RADIUS * W], mu=MU)},
        symmetry="x",
        parameters={"m": m, "p": p, "r": r, "g": g, "mu": mu},
        bodies=BODIES,
        scene={"up": "y"},
        explore={"ranges": RANGES},
        title="Loaded hoop",
        cite=SOURCE,
    )


def rolling(th: float, energy: float, parameters: Mapping[str, float]) -> tuple[float, float, float]:
    """w > 0 and the forces F, N of the floor while the hoop rolls.

    Args:
        th: where the weight is.
        energy: E = r^2 (m + p (1 + cos(th))) w^2 + p g r cos(th).
        parameters: m, p, r, g.
    """
    m, p, r, g = (parameters[n] for n in ("m", "p", "r", "g"))
    s, c = math.sin(th), math.cos(th)
    heavy = m + p * (1 + c)
    square = (energy - p * g * r * c) / (r**2 * heavy)
    turned = p * s * (g + r * square) / (2 * r * heavy)
    F = (m + p) * r * turned + p * r * (turned * c - square * s)
    return math.sqrt(square), F, (m + p) * g - p * r * (turned * s + square * c)


def slips(w: float, parameters: Mapping[str, float]) -> tuple[float, float]:
    """When and where (th) a hoop that rolls with w > 0, its weight uppermost, first slips.

    (inf, inf) if it does not in the first turn, (0, 0) if it leaves the floor at once, p r w^2 > (m + p) g.
    """
    m, p, r, g, mu = (parameters[n] for n in ("m", "p", "r", "g", "mu"))
    energy = r**2 * (m + 2 * p) * w**2 + p * g * r

    def held(th: float) -> float:
        """mu N - |F|, less than 0 where the floor would have to do more than it can."""
        _, F, N = rolling(th, energy, parameters)
        return mu * N - abs(F)

    steps = [math.tau * i / 2000 for i in range(2001)]
    after = next((b for b in steps if held(b) < 0), None)
    if after is None:
        return math.inf, math.inf
    where = float(brentq(held, after - math.tau / 2000, after, xtol=1e-14)) if after else 0.0
    return float(quad(lambda th: 1 / rolling(th, energy, parameters)[0], 0, where, epsrel=1e-12)[0]), where
