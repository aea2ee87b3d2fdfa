"""From fits to a verdict: who is rejected and by what, who remains, and what the record cannot tell apart."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy import stats

from ...findings.fit import DECIDES, Fit
from ...findings.ranking import EQUAL, NO_SUPPORT, Candidate, Nested, Tie
from ..fit.model import NoMotion
from .follow import Followed
from .search import Found

SAME = 1e-3  # of the noise, all numbers together: a candidate that contains another one predicts the same
LEVEL = 0.95


def criterion(fit: Fit) -> float:
    """AIC where the noise is known, for then its 2 k is exact for linear models; AICc where it was estimated."""
    return fit.aicc if fit.estimated and math.isfinite(fit.aicc) else fit.aic


def weighed(candidates: Sequence[Candidate]) -> list[Candidate]:
    """With differences and weights, the best first."""
    values = {c.label: criterion(c.fit) for c in candidates if c.fit is not None}
    least = min(values.values())
    total = sum(math.exp(-(v - least) / 2) for v in values.values())
    found = [
        replace(c, difference=values[c.label] - least, weight=math.exp(-(values[c.label] - least) / 2) / total)
        if c.label in values
        else c
        for c in candidates
    ]
    return sorted(found, key=lambda c: c.difference)


def apart(one: Fit, other: Fit, noise: np.ndarray) -> tuple[float, float]:
    """Largest difference of two predictions over the noise, and the root of the sum of all squares."""
    d = (one.predicted - other.predicted) / noise
    return float(np.abs(d).max(initial=0.0)), float(np.linalg.norm(d))


# --- candidates that contain others ----------------------------------------------------------------------------------


def contained(founds: Mapping[str, Found], fits: Mapping[str, Fit]) -> dict[str, list[str]]:
    """``{larger: [smaller, ...]}``: with its extra unknowns at 0 the larger predicts what the smaller does."""
    found: dict[str, list[str]] = {}
    for larger, smaller in itertools.permutations(founds, 2):
        if _contains(founds[larger], founds[smaller], fits[larger], fits[smaller]):
            found.setdefault(larger, []).append(smaller)
    return found


def at_zero(larger: Found, smaller: Found) -> np.ndarray | None:
    """The smaller's best values for the larger, its extra unknowns 0; None where the smaller has others."""
    names, others = larger.model.unknowns.names, smaller.model.unknowns.names
    if not set(others) < set(names):
        return None
    own = dict(zip(others, smaller.best.theta, strict=True))
    return np.array([own.get(n, 0.0) for n in names])


def _contains(larger: Found, smaller: Found, fit: Fit, other: Fit) -> bool:
    theta = at_zero(larger, smaller)
    if theta is None or fit.principle != other.principle:
        return False
    try:
        predicted = larger.model.values(theta)
    except NoMotion:
        return False
    return float(np.linalg.norm((predicted - other.predicted) / other.sigma)) < SAME


def nested(larger: Fit, smaller: Fit, labels: tuple[str, str]) -> Nested:
    """What the extra unknowns gain, and where they may lie."""
    extra = [n for n in larger.names if n not in smaller.names]
    gain = max(2 * (larger.loglikelihood - smaller.loglikelihood), 0.0)
    return Nested(*labels, {n: _limits(larger, n) for n in extra}, gain, float(stats.chi2.sf(gain, len(extra))))


def _limits(fit: Fit, name: str) -> tuple[float, float]:
    """The interval of 95 per cent; the upper limit of as much for an unknown that cannot be negative."""
    if not math.isfinite(fit.errors[name]) and name not in fit.at_bound:
        return -math.inf, math.inf
    low, high = fit.interval(name, LEVEL)
    if low == 0.0:
        # one side: the rise of a two-sided interval of 1 - 2 (1 - level)
        return 0.0, fit.interval(name, 2 * LEVEL - 1)[1]
    return low, high


# --- rejections ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Grounds:
    """What a candidate is judged by, besides its own fit.

    Attributes:
        best: the candidate with the least criterion.
        name: of the criterion.
        equal: is its best motion that of the best within the noise?
        spared: does it contain a candidate that has no less support?
    """

    best: Candidate
    name: str
    equal: bool
    spared: bool


def rejected(c: Candidate, grounds: Grounds) -> tuple[str, ...]:
    """Why a candidate is rejected, in words; empty if it is not."""
    if c.fit is None:
        return ()
    why = [fitted(c.fit)] if c.fit.adequate is False else []
    if c.difference > NO_SUPPORT and not grounds.equal and not grounds.spared:
        why.append(f"{grounds.name} is higher by {c.difference:.4g} than for {grounds.best.label}")
    f = c.forecast
    # F of an estimated noise is rough: residuals of few rows, one noise for each column
    least = DECIDES if not c.fit.estimated else DECIDES / 10
    if f is not None and f.p_value is not None and f.p_value < least:
        why.append(f"rows after t = {f.cuts[0]:.4g} do not follow from those before ({chance(f.p_value)})")
    return tuple(why)


def fitted(fit: Fit) -> str:
    """chi2 in words."""
    return f"chi2 = {fit.chi2:.4g} for {fit.dof} degrees of freedom ({chance(fit.p_value)})"


def chance(p: float | None) -> str:
    """A p-value in words."""
    if p is None:
        return "p not known"
    return f"p = {p:.2g}" if p >= 1e-99 else "p < 1e-99"


def ties(candidates: Sequence[Candidate]) -> tuple[Tie, ...]:
    """All pairs of candidates that remain, with how far apart their best motions are."""
    remain = [c for c in candidates if c.remains]
    found = []
    for one, other in itertools.combinations(remain, 2):
        assert one.fit is not None and other.fit is not None
        largest, distance = apart(one.fit, other.fit, one.fit.sigma)
        found.append(Tie(one.label, other.label, other.difference - one.difference, largest, distance))
    return tuple(found)


def equal(one: Fit, other: Fit) -> bool:
    """Are two best motions one within the noise?"""
    return apart(one, other, one.sigma)[1] < EQUAL


# --- candidates that cannot be followed to the end -------------------------------------------------------------------


def up_to(part: Followed) -> tuple[str, tuple[str, ...]]:
    """Why a candidate is left open, or why it is rejected all the same."""
    if math.isnan(part.until):
        return "its runs are known less well than the noise: give a smaller rtol, or a shorter record", ()
    fits = f"chi2 = {part.chi2:.4g} for {part.dof} degrees of freedom ({chance(part.p_value)})"
    if part.p_value < DECIDES:
        return "", (f"already up to t = {part.until:.4g}, {fits}",)
    beyond = (
        "beyond, its motions are too sensitive to be followed"
        if part.found
        else "beyond, none of its motions was found"
    )
    return f"up to t = {part.until:.4g} it describes the data, {fits}; {beyond}", ()
