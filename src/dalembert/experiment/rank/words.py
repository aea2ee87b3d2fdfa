"""The verdict in sentences."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from ...findings.ranking import Candidate, Nested, Ranking
from .judge import chance, fitted

LEANS = 0.05  # chance of a gain below which the record leans towards the larger of two candidates
MOST = 4  # pairs that are told one by one


def verdict(r: Ranking) -> str:
    """What the record decides, and what it cannot; one sentence or two a line."""
    lines = [*_headline(r), *_pairs(r), *_rejected(r), *(_nested(n) for n in r.nested), *_hanging(r)]
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


def _rejected(r: Ranking) -> Iterator[str]:
    for c in r.candidates:
        if c.rejected:
            yield f"{c.label} is rejected: {'; '.join(c.rejected)}."


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
