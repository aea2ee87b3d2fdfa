"""Strange attractors: exponents of driven oscillators and of flows, as they are published [sprott2003; wolf1985].

    pendulum   x'' + b x' + sin(x) = A sin(W t)         Ueda      x'' + b x' + x^3 = B sin(t)
    two wells  x'' + b x' - x + x^3 = A sin(W t)

A flow y' = f(y) is a system whose constraints determine all velocities, y' - f = 0. Exponents sum to the mean
divergence: to -b of the oscillators; of flows up to what the volume that is measured on y' = f(y), which is bounded,
leaves over in the time of the run.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import sympy as sp

from dalembert import System, coordinates, free, lyapunov, nonholonomic
from dalembert.numerics.families.lyapunov_exponents import Lyapunov

from .claim import Claim, said, small

SURE, DIGIT = 4, 3e-3  # estimated errors within which a published number lies; half of the last digit of 2.16
LEFT = 5.0  # of the logarithm of a volume on y' = f(y), between the ends of a run


class Driven(NamedTuple):
    """A driven oscillator: L, friction, drive, a start, the time of the run, exponents beside 0, how near they come."""

    L: str
    friction: float
    drive: str
    x: float
    until: float
    exponents: tuple[float, float]
    near: float


class Flow(NamedTuple):
    """A flow: rates, a start, the time of the run, exponents, how near they come, and the divergence if constant."""

    rates: tuple[str, ...]
    start: tuple[float, ...]
    until: float
    exponents: tuple[float, ...]
    near: float
    divergence: float | None = None


BITS = math.log(2)  # [wolf1985] counts bits a second
DRIVEN = {
    "a driven pendulum": Driven("vx^2/2 + cos(x)", 0.05, "0.6*sin(0.7*t)", 0.0, 6000.0, (0.1400, -0.1900), 0.02),
    "Ueda's oscillator": Driven("vx^2/2 - x^4/4", 0.05, "7.5*sin(t)", 2.5, 6000.0, (0.1034, -0.1534), 0.02),
    "two wells": Driven("vx^2/2 + x^2/2 - x^4/4", 0.25, "0.4*sin(t)", 0.2, 6000.0, (0.1572, -0.4072), 0.02),
}
LORENZ, LARGER = ("10*(y - x)", "28*x - y - x*z", "x*y - 8*z/3"), ("16*(y - x)", "45.92*x - y - x*z", "x*y - 4*z")
ROSSLER, THERMOSTAT = ("-y - z", "x + y/5", "1/5 + z*(x - 57/10)"), ("y", "y*z - x", "1 - y^2")
FLOWS = {
    "Lorenz' flow": Flow(LORENZ, (1.0, 1.0, 20.0), 1000.0, (0.9056, 0.0, -14.5723), 0.02, -41 / 3),
    "Rossler's flow": Flow(ROSSLER, (-9.0, 0.0, 0.0), 2000.0, (0.0714, 0.0, -5.3943), 0.02),
    "Nose and Hoover's": Flow(THERMOSTAT, (0.0, 5.0, 0.0), 5000.0, (0.0139, 0.0, -0.0139), 0.008),
    "Lorenz' at r = 45.92": Flow(LARGER, (1.0, 1.0, 40.0), 600.0, (2.16 * BITS, 0.0, -32.4 * BITS), 0.08, -21.0),
}


def driven() -> Iterator[Claim]:
    """Oscillators that are driven have the exponents of their attractors."""
    q = coordinates("x")
    for name, given in DRIVEN.items():
        equations = free(System(q, given.L, forces={"vx": f"{given.drive} - {given.friction}*vx"}))
        found = lyapunov(equations, {"x": given.x, "vx": 0.0}, until=given.until)
        yield from _as_published("section 27", name, found, given)
        yield small("section 27", f"{name}: exponents sum to the divergence", abs(found.sum + given.friction), 1e-8)


def flows() -> Iterator[Claim]:
    """Flows, whose constraints determine all velocities, have the exponents of their attractors."""
    q = coordinates("x y z")
    T = sum((u**2 for u in q.velocities), sp.S.Zero) / 2
    for name, given in FLOWS.items():
        rows = {f"rate_{n}": f"v{n} - ({rate})" for n, rate in zip("xyz", given.rates, strict=True)}
        start = dict(zip("xyz", given.start, strict=True))
        found = lyapunov(nonholonomic(System(q, T, rows)), start, until=given.until)
        yield from _as_published("section 28", name, found, given)
        if given.divergence is not None:
            off = abs(found.sum - given.divergence) * given.until
            yield small("section 28", f"{name}: logarithm of what volumes lose, but for the ends", off, LEFT)


def _as_published(where: str, name: str, found: Lyapunov, given: Driven | Flow) -> Iterator[Claim]:
    """Every exponent is as published, and within the errors that the run tells."""
    off = np.abs(found.exponents - given.exponents)
    shown = ", ".join(f"{e:.4g}" for e in given.exponents)
    yield small(where, f"{name}: exponents {shown}", float(off.max()), given.near)
    errors = ", ".join(f"{e:.2g}" for e in found.errors)
    sure = bool((off <= SURE * found.errors + DIGIT * np.abs(given.exponents)).all())
    yield said(where, f"{name}: they are within {SURE} of the errors that are told", sure, errors)
