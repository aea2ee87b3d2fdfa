"""Euler's disc: a coin that whirls ever faster the lower it is, and stops after a finite time [moffatt2000].

    L = m/2 |v|^2 + 1/2 w . I w - m g z ,    I = m r^2 diag(1/4, 1/4, 1/2) in the disc
    table: the lowest point of the edge, with friction mu, and a moment of rolling friction d N

Its middle stays where it is, and its contact goes round at a rate W with W^2 sin(al) = 4 g/r, where al is the angle of
disc and table. In this steady motion the energy, and what rolling friction takes of it,

    E = 3/2 m g r sin(al) ,    E' = - d m g W sin(al) cos(al)

are functions of al alone. While they change slowly, so is

    al' = - 4 d/(3 r) sqrt(g sin(al)/r) :

al falls as (t_f - t)^2, the rate grows as 1/(t_f - t), and both end at the finite time t_f. The dissipation decides the
power: that of the air that is pressed out below the disc gives al^3 = 2 pi (t_f - t)/t_1 [moffatt2000].
"""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np
import sympy as sp
from numpy.typing import ArrayLike
from scipy.integrate import quad

from ..model.bodies import Body
from ..model.contact import coulomb
from ..model.rolling.rolling import rolling
from ..model.space_factors import rotation
from ..model.symmetry import euclidean, spin
from ..model.system import System
from .facts import Facts, Starts

SOURCE = "moffatt2000"
UNSOLVED = "that of slow whirling, to leading order: `left`"
DISC = rolling(Body("disc", radius="r"), "z", rotation=rotation("R", frame="body"), parameters="r")
SPACE = DISC.space
MASS, RADIUS, GRAVITY = sp.symbols("m r g", positive=True)
MU, ARM = sp.symbols("mu d", nonnegative=True)
_R, _G = 0.0375, 9.81


def whirling(angle: float, r: float = _R, g: float = _G) -> dict[str, object]:
    """The steady motion at an angle to the table, 0 < angle < pi/2."""
    s = math.sin(angle)
    place = {"x": 0.0, "y": 0.0, "z": r * s, "vx": 0.0, "vy": 0.0, "vz": 0.0}
    turned = {"w": math.cos(angle / 2), "x": math.sin(angle / 2), "y": 0.0, "z": 0.0}
    # w = - W sin(al) along the diameter through the contact
    return {**place, "R": turned, "w1": 0.0, "w2": math.sqrt(4 * g * s / r), "w3": 0.0}


STARTS: Starts = {"whirls": whirling(0.2)}
START = STARTS["whirls"]
SPAN = 1.5

FACTS = Facts(
    kinds={},
    growth=(),
    generating=True,
    modes={"whirls": (("table", "sticks"), ("table_rolling", "slides"))},
)

# what is drawn, and what a page lets a person change
RANGES = {"d": (0.0001, 0.003), "mu": (0.05, 1), "g": (1, 20)}


def system(*, m: float = 0.4, r: float = _R, d: float = 5e-4, g: float = _G, mu: float = 0.6) -> System:
    """The thin homogeneous disc on a table with friction mu and the arm d of rolling friction."""
    return System(
        space=SPACE,
        lagrangian=DISC.kinetic(MASS, [MASS * RADIUS**2 / n for n in (4, 4, 2)]) - MASS * GRAVITY * DISC.position[2],
        constraints=DISC.held,
        contacts={"table": DISC.contact(friction=coulomb(MU, rolling=ARM))},
        symmetry=[euclidean("x y", "R"), spin("R")],
        parameters={"m": m, "r": r, "d": d, "g": g, "mu": mu},
        bodies=DISC.bodies,
        explore={"ranges": RANGES},
        title="Euler's disc",
        cite=SOURCE,
    )


def left(angle: ArrayLike, parameters: Mapping[str, float]) -> np.ndarray:
    """The time from an angle to the end, for d much smaller than r."""
    r, d, g = (parameters[name] for name in ("r", "d", "g"))
    # al = s^2:  dal/sqrt(sin(al)) = 2 s/sqrt(sin(s^2)) ds
    found = [quad(lambda s: 2 / math.sqrt(np.sinc(s**2 / math.pi)), 0, math.sqrt(each))[0] for each in np.ravel(angle)]
    return np.reshape(3 * r / (4 * d) * math.sqrt(r / g) * np.array(found), np.shape(angle))
