"""A particle whose speed a thermostat holds constant, in a uniform field [evans1983; dettmann1996].

    L = m/2 (vx^2 + vy^2) - m g y
    thermostat:  vx^2 + vy^2 - c^2 = 0

One nonlinear constraint; by Gauss's principle, or by Chetaev's rule, its reaction is along the velocity. It does work,
and the energy m g y + m c^2/2 is not constant. With  v = c (cos(chi), sin(chi)),

    chidot = -(g/c) cos(chi) ,     vx exp(-g y/c^2) = const ,

so that every particle but one that rises straight turns until it falls at the speed c [dettmann1996].
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import sympy as sp

from ..model.space_factors import coordinates
from ..model.system import System
from .closed import separatrix
from .facts import Facts, Starts

SOURCE = "evans1983"
SPACE = coordinates("x y")
X, Y, VX, VY = SPACE
MASS, GRAVITY, SPEED = sp.symbols("m g c", positive=True)

STARTS: Starts = {
    "rising": {"x": 0.0, "y": 0.0, "vx": 0.6, "vy": 0.8},
    "backwards": {"x": 0.5, "y": 1.0, "vx": -0.8, "vy": -0.6},
    "falling": {"x": 0.0, "y": 1.0, "vx": 0.0, "vy": -1.0},
}
START = STARTS["rising"]

FACTS = Facts(
    kinds={"thermostat": "nonlinear"},
    growth=(),
    generating=False,
    conserved={"reach": VX * sp.exp(-GRAVITY * Y / SPEED**2)},
    agree={"rising": False, "backwards": False, "falling": True},
)


# what is drawn, and what a page lets a person change
BODIES: list[dict[str, object]] = [
    {"name": "particle", "shape": "point", "radius": 0.05, "at": ["x", "y", 0], "trace": True},
]
RANGES = {"m": (0.2, 5), "g": (0.1, 5), "c": (0.2, 3)}


def system(*, m: float = 1.0, g: float = 1.0, c: float = 1.0) -> System:
    """The particle.

    Args:
        m: mass.
        g: strength of the field.
        c: the speed that is held.
    """
    return System(
        space=SPACE,
        lagrangian=MASS / 2 * (VX**2 + VY**2) - MASS * GRAVITY * Y,
        constraints={"thermostat": VX**2 + VY**2 - SPEED**2},
        symmetry="x",
        parameters={"m": m, "g": g, "c": c},
        bodies=BODIES,
        explore={"ranges": RANGES},
        title="Isokinetic particle",
        cite=SOURCE,
    )


EXACT = ("x", "y", "vx", "vy")


def exact(t: np.ndarray | float, start: Sequence[float], parameters: Mapping[str, float]) -> np.ndarray:
    """The columns `EXACT` at times t >= 0, shape (4, ...).

    Args:
        t: times, not before the start.
        start: the same columns at t = 0.
        parameters: g, c.
    """
    x, y, vx, vy = start
    g, c = parameters["g"], parameters["c"]
    # -chi obeys the equation of the separatrix
    sine, cosine = separatrix(t, g / c, -vy / c, vx / c)
    turned = np.arctan2(sine * vx / c + cosine * vy / c, cosine * vx / c - sine * vy / c)
    # ydot = c sin(chi) = (c^2/g) d/dt log|cos(chi)|;  straight up or down cos(chi) stays 0
    climbed = np.log(cosine * c / vx) * c**2 / g if vx else vy * np.asarray(t, float)
    return np.array([x + c**2 / g * turned, y + climbed, c * cosine, -c * sine])
