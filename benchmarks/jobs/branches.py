"""Motions a second on branches of steady motions, against what one writes by hand with SciPy and NumPy.

By hand: at each value of the parameter the steady motion by `fsolve` from that before, or where it is known; central
differences of the rates; `eigvals`. For the disc the rates are hand-reduced, for the whole bicycle the library's own
(`to_callable`), at all shifted states at once. By hand no step is chosen, and no fold or change of stability is found.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache
from typing import NamedTuple

import numpy as np
from scipy.optimize import fsolve

import dalembert as da
from dalembert.systems import rolling_disc, whipple_bicycle

from .. import disc
from ..contest import Bar, Contest, Job, Measured, alternate

LEAN, FIRST, CIRCLES, SPEEDS = 1.4, 6.0, (0.5, 8.0), (3.0, 7.0)  # rad, rad/s, and ranges of rates and of m/s
STEP = 6e-6  # of central differences


class Family(NamedTuple):
    """Steady motions of reduced equations along one of their states; `fix` is held besides."""

    equations: da.nouns.Equations
    parameter: str
    over: tuple[float, float]
    start: da.nouns.Steady
    fix: tuple[str, ...] = ()

    def branch(self) -> da.nouns.Branch:
        """As a user asks for it."""
        return da.continue_steady(
            self.equations, parameter=self.parameter, start=self.start, over=self.over, fix=self.fix
        )


@cache
def circles() -> Family:
    """A disc that leans and rolls in circles, by the rate of its heading."""
    equations = da.nonholonomic(da.reduce(rolling_disc.system(**disc.PARAMETERS)).system)
    start = da.steady(equations, {"theta": LEAN, "vphi": FIRST, "vpsi": 0.3}, fix=["theta", "vphi"])
    return Family(equations, "vphi", CIRCLES, start, ("theta",))


@cache
def ahead() -> Family:
    """The whole bicycle straight ahead, by its speed."""
    equations = da.nonholonomic(da.reduce(whipple_bicycle.system()).system)
    start = da.steady(equations, _straight(5.0), fix="vx")
    return Family(equations, "vx", SPEEDS, start)


def _straight(v: float) -> dict[str, float]:
    """The bicycle upright at a speed, states that are 0 left out."""
    p = whipple_bicycle.BENCHMARK
    return {"vx": v, "vrear": -v / p["rR"], "vfront": -v / p["rF"], "z": -p["rR"]}


def circles_by_hand(rates: np.ndarray) -> list[np.ndarray]:
    """Eigenvalues (4,) of the circle with each rate of the heading: of theta, its rate, that of phi, and w."""

    def slopes(y: np.ndarray) -> np.ndarray:
        f = disc.rates(math, [0.0, 0.0, y[0], 0.0, 0.0, y[1], y[2], y[3]], disc.P)
        return np.array([f[2], f[5], f[6], f[7]])

    w, found = 0.0, []
    for rate in rates:
        (w,) = fsolve(lambda x, rate=rate: [slopes(np.array([LEAN, 0.0, rate, x[0]]))[1]], [w])
        found.append(_by_differences(slopes, np.array([LEAN, 0.0, rate, w])))
    return found


def _by_differences(slopes: Callable[[np.ndarray], np.ndarray], y: np.ndarray) -> np.ndarray:
    columns = [(slopes(y + h) - slopes(y - h)) / (2 * STEP) for h in STEP * np.eye(len(y))]
    return np.linalg.eigvals(np.array(columns).T)


@cache
def _rates() -> Callable[[float, np.ndarray], np.ndarray]:
    return ahead().equations.to_callable()


def ahead_by_hand(speeds: np.ndarray) -> list[np.ndarray]:
    """Eigenvalues of the bicycle at each speed; shifts that leave the constraints add zeros."""
    rates, found = _rates(), []
    for v in speeds:
        y = np.array([_straight(v).get(name, 0.0) for name in ahead().equations.states])
        shifts = STEP * np.eye(len(y))
        both = rates(0.0, np.hstack([y[:, None] + shifts, y[:, None] - shifts]))
        found.append(np.linalg.eigvals((both[:, : len(y)] - both[:, len(y) :]) / (2 * STEP)))
    return found


def _rate(family: Family, by_hand: Callable[[np.ndarray], object], over: tuple[float, float]) -> Measured:
    """Our motions a second over theirs."""
    count = len(family.branch())
    values = np.linspace(*over, count)
    timing = alternate(family.branch, lambda: by_hand(values), rounds=5)
    value = timing.gain().value
    shown = [f"{count / min(seconds):.3g}/s" for seconds in (timing.ours, timing.theirs)]
    return Measured(value, *shown, timing.gain().spread)


JOB = Job(
    "branches",
    "Steady motions and their eigenvalues along a branch: motions a second, ratio",
    [
        Contest("disc", "circles of a disc, by hand", None, lambda: _rate(circles(), circles_by_hand, CIRCLES)),
        Contest("bicycle", "whole bicycle, by hand", Bar(">=", 1.0), lambda: _rate(ahead(), ahead_by_hand, SPEEDS)),
    ],
)
