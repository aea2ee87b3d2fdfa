"""Curves along which steady motions change: circles of a rolling disc, spins of Routh's sphere.

A point at which a branch changes is followed in a second parameter. In the letters of `circles` and `spins`:

    disc:    u^2 Q(theta, u, w) = 0   on circles   D s u w = A s c u^2 - m g r c
    sphere:  n^2 (I3 + m h r)^2 = 4 m g a (I1 + m h^2) ,   h = r + a        [routh1905]
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from dalembert import steady
from dalembert.equations import Equations
from dalembert.numerics.families.bifurcation_locus import Second, SpecialCurve, curve_of
from dalembert.numerics.families.equilibrium_branches import BRANCH_POINT, HOPF, Branch, branch_of
from dalembert.numerics.relative_equilibria import Steady

from .circles import disc, edges
from .claim import Claim, Kind, small
from .spins import ball, least, upright

FOUND = 1e-7
MIDDLE, LEANS, HIGH = 1.4, (1.25, 1.5), (0.05, 0.25)  # rad; m


def falling() -> Iterator[Claim]:
    """A disc falls between two curves in the plane of tilts and rates."""
    start = steady(disc(), {"theta": MIDDLE, "vphi": 6.0, "vpsi": 0.3}, fix=["theta", "vphi"])
    branch = _branch(disc(), "vphi", start, (0.1, 8.0), ["theta"])
    for place, what in enumerate(("slow", "fast")):
        curve = _curve(branch, place, "theta", disc(), LEANS)
        known = np.array([edges(disc(), float(theta))[place] for theta in curve["theta"]])
        off = float(np.abs(curve["vphi"] / known - 1).max())
        off = off if _spans(curve, "theta", LEANS, BRANCH_POINT) else math.inf
        statement = f"the {what} edge of falling circles, from {LEANS[0]:g} to {LEANS[1]:g} rad, is where u^2 Q = 0"
        yield small("section 26", statement, off, FOUND, what=f"in {len(curve)} motions", kind=Kind.NEW)


def sleeping() -> Iterator[Claim]:
    """Routh's sphere stands upright beyond a curve of Hopf points in the plane of heights and spins."""
    p, a = ball().system.values(), 0.15
    critical = least(p, a)
    start = upright(ball(), 1.2 * critical, parameters={"a": a})
    branch = _branch(ball(), "w3", start, (0.7 * critical, 1.3 * critical), [])
    curve = _curve(branch, 0, "a", ball(), HIGH)
    known = np.array([least(p, float(height)) for height in curve["a"]])
    off = float(np.abs(curve["w3"] / known - 1).max()) if _spans(curve, "a", HIGH, HOPF) else math.inf
    statement = f"the curve of least spins, from the height {HIGH[0]:g} to {HIGH[1]:g} m, is Routh's"
    yield small("section 26", statement, off, FOUND, what=f"in {len(curve)} motions")


def _branch(equations: Equations, rate: str, start: Steady, over: tuple[float, float], fix: list[str]) -> Branch:
    return branch_of(equations, rate, equations.space.by_name[rate], start, over, fix, None)


def _curve(branch: Branch, place: int, name: str, equations: Equations, over: tuple[float, float]) -> SpecialCurve:
    """A special point of a branch in a second parameter, or in a state."""
    kind, fork = branch.fork(place)
    second = Second(name, equations.space.by_name.get(name), over[1] - over[0])
    return curve_of(fork, kind, (branch.zeros, float(np.abs(branch.eigenvalues).max())), second, over, [])


def _spans(curve: SpecialCurve, name: str, over: tuple[float, float], kind: str) -> bool:
    """Is it of this kind, from end to end?"""
    return curve.kind == kind and bool(np.allclose([curve[name].min(), curve[name].max()], over))
