"""Orbits of a light body about the points between and behind earth and moon, as they are catalogued [jpl2020].

The points on the line stand where x = (1 - mu)/(x + mu)^2 sgn + mu/(x - 1 + mu)^2 sgn, at a distance d from the moon:

    L1:  d^5 - (3 - mu) d^4 + (3 - 2 mu) d^3 - mu d^2 + 2 mu d - mu = 0
    L2:  d^5 + (3 - mu) d^4 + (3 - 2 mu) d^3 - mu d^2 - 2 mu d - mu = 0

Flat orbits begin there. Beside one of them (x(t), y(t)) a small height obeys Hill's equation

    z'' + ((1 - mu)/r1^3 + mu/r2^3) z = 0

and the halo orbits begin where it comes back after a period: where the trace of its map is 2.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

import numpy as np
from scipy.integrate import solve_ivp
from scipy.optimize import newton

from dalembert import steady
from dalembert.numerics.families.equilibrium_branches import BRANCH_POINT, FASTEST, SLOWEST, swing_about
from dalembert.numerics.families.orbit_family import Orbits, orbits_of
from dalembert.numerics.families.periodic_orbits import Periodic
from dalembert.numerics.families.periodicity_conditions import PERIOD, What
from dalembert.numerics.relative_equilibria import Steady

from .claim import Claim, Kind, small
from .followed import FEW, at_height, follow, space

RATIO = 1.215058560962404e-2  # of the moon's mass to both, as the catalogue has it
DIGITS, PLACED, JOINED = 1e-9, 1e-12, 1e-7  # orbits; points; where families meet
_TIGHT = {"method": "DOP853", "rtol": 1e-13, "atol": 1e-14}


class Listed(NamedTuple):
    """An orbit of the catalogue: where it crosses y = 0 at right angles, its constant, period and stability index."""

    x: float
    z: float
    vy: float
    jacobi: float
    period: float
    stability: float


# [jpl2020], families lyapunov and halo (northern) about L1 and L2
FLAT = {
    1: (
        Listed(0.830023864314168, 0, 0.06088309999599009, 3.18515736797775, 2.702881200253821, 1300.72578337944),
        Listed(0.8007325761918545, 0, 0.35248700747556716, 3.07728036254377, 3.297097386764505, 425.868250560381),
    ),
    2: (
        Listed(1.1599891825364728, 0, -0.023755466801822275, 3.1717305860487, 3.3740716677049702, 724.023759109433),
        Listed(1.039766165259229, 0, 0.6277452743730177, 3.03331847496241, 4.056819398703425, 164.905262178291),
    ),
}
TALL = {
    1: (
        Listed(0.82338170995994, 0.02009468999581, 0.13277938547317, 3.17090835020532, 2.74572451347568, 1112.5818399),
        Listed(0.82797351621672, 0.09991400182671, 0.21535645073113, 3.10327926695392, 2.78576228990627, 294.356283370),
        Listed(0.83685563325192, 0.14762561541055, 0.25609960278658, 3.04249102645587, 2.74573721845580, 57.4683313367),
    ),
    2: (
        Listed(1.18050682484393, 0.01990687479634, -0.15811356683024, 3.15038629071539, 3.41228776971, 588.198937534),
        Listed(1.16936407222817, 0.09676015177793, -0.19391736078339, 3.11454583707881, 3.333623559286, 297.067658),
    ),
}
POINTS = {1: 0.836915125772357, 2: 1.15568216544488}
AHEAD, LONGEST = {1: 0.01, 2: -0.01}, {1: 3.35, 2: 4.1}  # where flat orbits begin, away from the moon; their periods


def placed() -> Iterator[Claim]:
    """Where the points on the line stand, and how fast small flat and upright swings about them are."""
    for n, side in ((1, 1), (2, -1)):
        # d^5 -+ (3 - mu) d^4 + (3 - 2 mu) d^3 - mu d^2 +- 2 mu d - mu = 0
        roots = np.roots([1, -side * (3 - RATIO), 3 - 2 * RATIO, -RATIO, side * 2 * RATIO, -RATIO])
        d = float(roots.real[(np.abs(roots.imag) < DIGITS) & (roots.real > 0)].min())
        x = _rest(n).state["x"]
        yield small("section 25", f"L{n} is a root of the quintic", abs(x - (1 - RATIO - side * d)), PLACED)
        yield small("section 25", f"L{n} is that of the catalogue", abs(x - POINTS[n]), PLACED)
        c = (1 - RATIO) / (x + RATIO) ** 3 + RATIO / d**3
        for name, pair, w in (("flat", FASTEST, _flat(c)), ("upright", SLOWEST, math.sqrt(c))):
            orbit = swing_about(space(), _rest(n), pair, 1e-3)
            off = abs(orbit.period * w / math.tau - 1)
            yield small("section 25", f"{name} swings about L{n} begin with the frequency {w:.8f}", off, 1e-5)


def _flat(c: float) -> float:
    return math.sqrt((2 - c + math.sqrt(9 * c**2 - 8 * c)) / 2)


def catalogued() -> Iterator[Claim]:
    """Families that begin at the points lead to the orbits of the catalogue."""
    for n in POINTS:
        for listed in FLAT[n]:
            off = _off(_of_period(_flat_family(n), listed.period), listed)
            yield small("section 25", f"the flat orbit about L{n} of the period {listed.period:.6f}", off, DIGITS)
        aside = _flat_family(n).switch(0)
        side = math.copysign(1.0, float(aside.start["z"]))
        tall = follow(aside, "z", (0.0, 0.16) if side > 0 else (-0.16, 0.0))
        for listed in TALL[n]:
            off = _off(at_height(tall, side * listed.z), listed)
            yield small("section 25", f"the halo orbit about L{n} at z = {listed.z:.6f}", off, DIGITS)


def branching() -> Iterator[Claim]:
    """Halo orbits begin where a small height beside a flat orbit comes back."""
    for n in POINTS:
        family = _flat_family(n)
        kind, period = family.special[0]
        found = family.orbit(int(np.abs(family["period"] - period).argmin()))
        known = _hill(n, float(found.start["x"]), float(found.start["vy"]))
        off = abs(period - known) if kind == BRANCH_POINT else math.inf
        yield small("section 25", f"halo orbits about L{n} begin at the period {known:.8f}", off, JOINED, kind=Kind.NEW)


# --- families --------------------------------------------------------------------------------------------------------


@cache
def _rest(n: int) -> Steady:
    return steady(space(), {"x": POINTS[n], "y": 0.0, "z": 0.0}, (), {"mu": RATIO})


@cache
def _flat_family(n: int) -> Orbits:
    """Flat orbits by their periods, from small ones on."""
    flat = swing_about(space(), _rest(n), FASTEST, AHEAD[n])
    return _by_period(flat, (flat.period - 1e-3, LONGEST[n]))


def _by_period(start: Periodic, over: tuple[float, float], within: float | None = None) -> Orbits:
    width = over[1] - over[0] if within is None else within
    return orbits_of(start, What(PERIOD, False, None, None, width), over, [], {})


def _of_period(family: Orbits, period: float) -> Periodic:
    """The motion of a family with a period."""
    near = family.orbit(int(np.abs(family["period"] - period).argmin()))
    over = min(near.period, period), max(near.period, period)
    way = _by_period(near, over, within=FEW * (over[1] - over[0]))
    return way.orbit(-1 if period > near.period else 0)


def _off(orbit: Periodic, listed: Listed) -> float:
    """How far an orbit is from one of the catalogue, at that of its crossings which is listed."""
    ends = [{name: float(orbit.path.at(t)[name]) for name in orbit.equations.states} for t in (0, orbit.period / 2)]
    at = min(ends, key=lambda end: abs(end["x"] - listed.x))
    # C = x^2 + y^2 + 2 (1 - mu)/r1 + 2 mu/r2 - v^2
    r1, r2 = (math.hypot(at["x"] + RATIO - i, at["z"]) for i in (0, 1))
    jacobi = at["x"] ** 2 + 2 * (1 - RATIO) / r1 + 2 * RATIO / r2 - at["vy"] ** 2
    # (|mu| + 1/|mu|)/2 of the largest multiplier
    largest = float(np.abs(orbit.multipliers).max())
    index = (largest + 1 / largest) / 2
    pairs = zip((at["x"], abs(at["z"]), at["vy"], jacobi, orbit.period, index / listed.stability), listed, strict=True)
    return max(abs(found - (1.0 if known == listed.stability else known)) for found, known in pairs)


# --- by Hill's equation ----------------------------------------------------------------------------------------------


def _rates(_: float, s: np.ndarray) -> np.ndarray:
    """Of (x, y, vx, vy) and two heights beside it."""
    x, y, vx, vy, a, va, b, vb = s
    near, far = (1 - RATIO) / math.hypot(x + RATIO, y) ** 3, RATIO / math.hypot(x - 1 + RATIO, y) ** 3
    ax = 2 * vy + x - near * (x + RATIO) - far * (x - 1 + RATIO)
    ay = -2 * vx + y - (near + far) * y
    return np.array([vx, vy, ax, ay, va, -(near + far) * a, vb, -(near + far) * b])


def _half(x: float, vy: float) -> tuple[float, np.ndarray]:
    """When it crosses y = 0 again, and the state there."""

    def crossed(_: float, s: np.ndarray) -> float:
        return float(s[1])

    crossed.terminal, crossed.direction = True, -math.copysign(1.0, vy)  # type: ignore[attr-defined]
    begin = [x, 0, 0, vy, 1, 0, 0, 1]
    found = solve_ivp(_rates, (0, 10), begin, events=crossed, **_TIGHT)
    return float(found.t[-1]), found.y[:, -1]


def _hill(n: int, x: float, vy: float) -> float:
    """The period near a guess at which the height comes back."""

    def flat(place: float) -> float:
        """The speed at which the orbit crosses at right angles again; small ones have speeds as they are wide."""
        guess = vy * (place - POINTS[n]) / (x - POINTS[n])
        return float(newton(lambda v: _half(place, v)[1][2], guess, x1=guess * (1 + 1e-6), tol=1e-14))

    def off(place: float) -> float:
        """Trace of the map of the height, less 2: with its half map (a b; a' b') it is 2 (a b' + b a') - 2."""
        a, va, b, vb = _half(place, flat(place))[1][4:]
        return 2 * (a * vb + b * va) - 2

    place = float(newton(off, x, x1=x + 1e-5, tol=1e-12))
    return 2 * _half(place, flat(place))[0]
