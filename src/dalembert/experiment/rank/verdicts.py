"""From fits to a verdict: who is rejected and by what, who remains, and what the record cannot tell apart."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy import stats

from ...findings.fit import DECIDES, Fit
from ...findings.ranking import EQUAL, NO_SUPPORT, Candidate, Nested, Ranking, Tie
from ..fit.model import NoMotion
from .search import CandidateMinima, FollowedPart

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


def contained(founds: Mapping[str, CandidateMinima], fits: Mapping[str, Fit]) -> dict[str, list[str]]:
    """``{larger: [smaller, ...]}``: with its extra unknowns at 0 the larger predicts what the smaller does."""
    found: dict[str, list[str]] = {}
    for larger, smaller in itertools.permutations(founds, 2):
        if _contains(founds[larger], founds[smaller], fits[larger], fits[smaller]):
            found.setdefault(larger, []).append(smaller)
    return found


def at_zero(larger: CandidateMinima, smaller: CandidateMinima) -> np.ndarray | None:
    """The smaller's best values for the larger, its extra unknowns 0; None where the smaller has others."""
    names, others = larger.model.unknowns.names, smaller.model.unknowns.names
    if not set(others) < set(names):
        return None
    own = dict(zip(others, smaller.best.theta, strict=True))
    return np.array([own.get(n, 0.0) for n in names])


def _contains(larger: CandidateMinima, smaller: CandidateMinima, fit: Fit, other: Fit) -> bool:
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


def up_to(part: FollowedPart) -> tuple[str, tuple[str, ...]]:
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


# --- the verdict in sentences ----------------------------------------------------------------------------------------

LEANS = 0.05  # chance of a gain below which the record leans towards the larger of two candidates
MOST = 4  # pairs that are told one by one


def verdict(r: Ranking) -> str:
    """What the record decides, and what it cannot; one sentence or two a line."""
    rejected = [f"{c.label} is rejected: {'; '.join(c.rejected)}." for c in r.candidates if c.rejected]
    lines = [*_headline(r), *_pairs(r), *rejected, *(_nested(n) for n in r.nested), *_hanging(r)]
    lines += [f"{label} cannot be excluded: {why}." for label, why in r.open.items()]
    lines += [f"{label} is not judged: {why}." for label, why in r.failed.items()]
    return "\n".join(lines)


def listed(names: Sequence[str], word: str = "and") -> str:
    """a, b and c."""
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} {word} {names[-1]}"


def _headline(r: Ranking) -> Iterator[str]:
    remain = [c for c in r.candidates if c.remains]
    if not remain and r.open:
        yield "The record decides for none of the candidates."
    elif not remain:
        yield _none(r)
    elif len(remain) == 1:
        only = "remains" if r.open else "is the only candidate that remains"
        yield f"{remain[0].label} {only}: {_stands(remain[0])}."
    else:
        yield f"The record cannot decide between {listed([c.label for c in remain])}."
        yield from _suffices(r, remain)
    known = remain[0].fit if remain else None
    if known is not None and known.estimated:
        told = "was estimated for each candidate from its own residuals, so none is tested by itself: all may be wrong"
        yield f"The noise of {listed(known.estimated)} {told}."


def _suffices(r: Ranking, remain: Sequence[Candidate]) -> Iterator[str]:
    """Where each of the others contains one of them and gains nothing."""
    larger = {n.larger for n in r.nested if n.p_value >= LEANS}
    left = [c.label for c in remain if c.label not in larger]
    if len(left) == 1 and len(remain) > 1 and len(larger) == len(remain) - 1:
        yield f"{left[0]} suffices: nothing in the record asks for more, and nothing excludes it."


def _none(r: Ranking) -> str:
    best = r.candidates[0]
    assert best.fit is not None
    near = f"nearest comes {best.label}, with {fitted(best.fit)}" if best.fit.p_value is not None else ""
    if best.fit.adequate is False:
        cause = "Something else acts, or the noise is larger than stated"
        return f"None of the candidates describes the data: {near}. {cause}."
    return f"None of the candidates stands{f'; {near}' if near else ''}."


def _stands(c: Candidate) -> str:
    assert c.fit is not None
    if c.fit.adequate:
        return f"it describes the data, {fitted(c.fit)}"
    return "of these it comes nearest"


def _pairs(r: Ranking) -> Iterator[str]:
    told_elsewhere = {(n.smaller, n.larger) for n in r.nested} | {(n.larger, n.smaller) for n in r.nested}
    told = sorted(
        (t for t in r.ties if (t.first, t.second) not in told_elsewhere),
        key=lambda t: (t.first != r.best.label, t.distance),
    )
    for tie in told[:MOST]:
        by = f"by at most {tie.largest:.2g} times the noise at one number, {tie.distance:.2g} times over all"
        if tie.equal:
            yield f"{tie.first} and {tie.second}: the best motions are equal within the noise, apart {by}."
        else:
            yield f"{tie.first} and {tie.second}: {r.criterion} differs by {tie.difference:.2g}, the best motions {by}."
    if len(told) > MOST:
        yield f"{len(told) - MOST} more pairs are listed in .ties."


def _nested(n: Nested) -> str:
    limits = listed([_limit(name, ends) for name, ends in n.extra.items()])
    more = f"{len(n.extra)} more unknown{'s' if len(n.extra) > 1 else ''}"
    gain = f"2 log L rises by {n.gain:.2g} with {more} ({chance(n.p_value)})"
    if n.p_value < LEANS:
        return f"The record leans to {n.larger} over {n.smaller}, without deciding: {gain}; {limits} (95 %)."
    return f"{n.larger} adds nothing to {n.smaller}: {gain}; {limits} (95 %)."


def _limit(name: str, ends: tuple[float, float]) -> str:
    low, high = ends
    if math.isinf(high) and (math.isinf(low) or low == 0):
        return f"the record does not limit {name}"
    if low == 0:
        return f"{name} < {high:.3g}"
    return f"{name} in [{low:.3g}, {high:.3g}]"


def _hanging(r: Ranking) -> Iterator[str]:
    """Residuals of those that remain, where they are not independent."""
    for c in r.candidates:
        if c.remains and c.fit is not None:
            for note in c.fit.notes:
                if note.code == "W557":
                    yield f"{c.label}: {note.text}."
