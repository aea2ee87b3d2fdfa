"""Where families begin and end in closed form: a ball on a vibrating table, swings about rest, ellipses that turn."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
import sympy as sp

from dalembert import System, coordinates, free, line, steady
from dalembert.numerics.families.equilibrium_branches import swing_about
from dalembert.numerics.families.orbit_family import orbits_of
from dalembert.numerics.families.periodic_orbits import periodic
from dalembert.numerics.families.periodicity_conditions import What
from dalembert.reconstruction.acting_group import group_of
from dalembert.symmetry import turns

from .claim import Claim, said, small
from .followed import space

GRAVITY, RATE, RESTITUTION, HEIGHT = 9.81, 30.0, 0.6, 0.01  # of the table and the ball, SI
BEGUN = 0.0181  # s after the table's middle it is hit, about


def bounces() -> Iterator[Claim]:
    """A ball that bounces once in each period of a table A sin(w t): from a fold on, to where its period doubles."""
    (z, v), A, t = line("z"), sp.Symbol("A"), sp.Symbol("t", real=True)
    walls = {"table": {"guard": z - A * sp.sin(RATE * t), "restitution": RESTITUTION}}
    equations = free(System(line("z"), v**2 / 2 - GRAVITY * z, walls=walls, parameters={"A": HEIGHT}))
    e, T = RESTITUTION, math.tau / RATE
    # (1 + e) A w cos(w t0) = (1 - e) g T/2
    least = (1 - e) * GRAVITY * T / (2 * (1 + e) * RATE)
    begun, later = BEGUN, T / 3
    height = HEIGHT * math.sin(RATE * begun) + GRAVITY * later * (T - later) / 2
    start = equations.start(z=height, vz=GRAVITY * (T / 2 - later), t=begun + later)
    what = What("A", True, None, None, 0.016)
    family = orbits_of(periodic(equations, start, period=T), what, (0.008, 0.015), [], {})
    kinds = [kind for kind, _ in family.special]
    yield said("section 15", "a fold and a doubling", kinds == ["fold", "period doubling"], ", ".join(kinds))
    # 1 + trace + det = 0: A w^2 sin(w t0) = 2 g (1 + e^2)/(1 + e)^2
    doubled = math.hypot(least, 2 * GRAVITY * (1 + e**2) / ((1 + e) ** 2 * RATE**2))
    for (kind, value), known in zip(family.special, (least, doubled), strict=False):
        yield small("section 15", f"the {kind} at A = {known:.8f} m", abs(value - known), 1e-10)
    area = np.abs(np.prod(family.multipliers, axis=1) - e**2).max()
    yield small("section 15", "areas shrink by e^2 in a bounce", float(area), 1e-7)


def swings() -> Iterator[Claim]:
    """Flat and upright swings between two bodies begin with the frequencies of [szebehely1967]."""
    rest = steady(space(), {"x": 0.72, "y": 0.0, "z": 0.0})
    x, mu = rest.state["x"], 0.04
    c = (1 - mu) / (x + mu) ** 3 + mu / (1 - mu - x) ** 3
    flat = math.sqrt((2 - c + math.sqrt(9 * c**2 - 8 * c)) / 2)
    for name, frequency in (("flat", flat), ("upright", math.sqrt(c))):
        orbit = swing_about(space(), rest, frequency, 1e-3)
        off = abs(orbit.period * frequency / math.tau - 1)
        yield small("section 16", f"{name} swings begin with the frequency {frequency:.8f}", off, 1e-5)


def ellipses() -> Iterator[Claim]:
    """A force beta/r^3 beside that of the square turns an ellipse and leaves its period [newton1687 I.44]."""
    q, beta = coordinates("x y"), sp.Symbol("beta")
    x, y, vx, vy = q["x"], q["y"], q["vx"], q["vy"]
    r = sp.sqrt(x**2 + y**2)
    L = (vx**2 + vy**2) / 2 + 1 / r - beta / r**2
    equations = free(System(q, L, parameters={"beta": 0.05}, symmetry=turns("x y")))
    group, start = group_of(equations, True), {"x": 1, "y": 0, "vx": 0, "vy": 1.2}
    first = periodic(equations, start, period=19.0, group=group)
    family = orbits_of(first, What("beta", True, None, None, 0.1), (0.0, 0.1), ["vy", "x"], {})
    b, energy = family["beta"], 1.2**2 / 2 - 1 + family["beta"]
    period = float(np.abs(family["period"] * (-2 * energy) ** 1.5 / math.tau - 1).max())
    yield small("section 17", "its period is Kepler's", period, 1e-8)
    # k theta has the period 2 pi, k^2 = 1 + 2 beta/J^2
    turned = family["drift turn x y"] - math.tau / np.sqrt(1 + 2 * b / 1.2**2)
    off = float(np.abs(turned - math.tau * np.rint(turned / math.tau)).max())
    yield small("section 17", "it turns by 2 pi (1/k - 1) in it, k^2 = 1 + 2 beta/J^2", off, 1e-7)
