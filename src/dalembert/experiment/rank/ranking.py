"""From fits of all candidates to a ranking: what is lost, predicted, judged and doubted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from ...errors import InvalidValue, Note, UnknownName, as_given, did_you_mean, kind_of, warn
from ...errors.remedies import Option
from ...event import Event
from ...findings.fit import Fit
from ...findings.ranking import Candidate, Nested, Ranking
from ...numerics.sensitivities.observables import Observed
from . import verdicts
from .candidate_options import Share, gathered
from .prediction import Earlier, Guard, cuts, forecast, passages
from .search import CandidateMinima, followed, nothing
from .verdicts import verdict

_EXAMPLE = Option("ray", ("y", 1))

_Lost = tuple[str, tuple[str, ...]]  # why a candidate is left open; why it is rejected


def ranked(
    parts: Sequence[Share],
    founds: Mapping[str, CandidateMinima],
    fits: Mapping[str, Fit],
    refused: Mapping[str, str],
    later: object,
    ray: object,
) -> Ranking:
    """The ranking of candidates that were searched.

    Args:
        parts: what each of them took.
        founds: their minima.
        fits: the best of these.
        refused: why there are none.
        later, ray: as of `rank`.
    """
    lost = _lost(founds, fits)
    without = {k: nothing(k) for k in founds if k not in fits and k not in lost}
    refused = {**refused, **{k: f"{e.code} {e.fact}" for k, e in without.items()}}
    fits = {k: f for k, f in fits.items() if k not in lost or lost[k][1]}
    founds = {k: founds[k] for k in fits}
    every = verdicts.weighed([_candidate(s, fits.get(s.label), refused.get(s.label, ""), lost) for s in parts])
    best = every[0].fit
    assert best is not None
    criterion = "AICc" if best.estimated else "AIC"
    crossed = ray_of(ray, best.columns)
    at, notes = _cut(later, best, founds)
    every = [_foretold(c, founds.get(c.label), at, crossed, best.sigma) for c in every]
    larger = verdicts.contained(founds, fits)
    every = _judged(every, larger, criterion)
    found = Ranking(
        title=best.title,
        candidates=tuple(every),
        criterion=criterion,
        numbers=best.numbers,
        columns=best.columns,
        ties=verdicts.ties(every),
        nested=_nested(every, larger),
        later=at[0] if at else None,
        ray=crossed.name if at else "",
        verdict="",
        notes=(*notes, *gathered(parts)),
    )
    return replace(found, verdict=verdict(found))


def _candidate(share: Share, fit: Fit | None, refused: str, lost: Mapping[str, _Lost]) -> Candidate:
    """A candidate with its fit, or why it has none."""
    found = Candidate(share.label, share.equations.principle, share.equations, fit, refused, notes=share.notes)
    if share.label not in lost:
        return found
    left_open, rejected = lost[share.label]
    return replace(found, open=left_open, rejected=rejected)


def _lost(founds: Mapping[str, CandidateMinima], fits: Mapping[str, Fit]) -> dict[str, _Lost]:
    """Candidates that cannot be followed to the end of the record: why they are left open, or why they are rejected.

    The noise is that of the best of those that can be followed.
    """
    whole = [k for k, fit in fits.items() if followed(founds[k], fit.sigma, 0) is None]
    best = fits[min(whole or fits, key=lambda k: verdicts.criterion(fits[k]))]
    spare = best.dof if best.estimated else 0
    parts = {k: followed(found, best.sigma, spare) for k, found in founds.items()}
    return {k: verdicts.up_to(part) for k, part in parts.items() if part is not None}


def _cut(later: object, best: Fit, founds: Mapping[str, CandidateMinima]) -> tuple[tuple[float, ...], tuple[Note, ...]]:
    """Times of the cuts, and why there are none."""
    if later is None:
        return (), ()
    model = next(iter(founds.values())).model
    if not len(model.data.t) or not model.by_tangents:
        why = "functions of the whole path, or runs with events, have no earlier part"
        return (), (Note("N566", f"no later rows are predicted from earlier ones: {why}"),)
    return cuts(later, best.t, model.t), ()


def _foretold(
    c: Candidate, found: CandidateMinima | None, at: tuple[float, ...], ray: Ray, noise: np.ndarray
) -> Candidate:
    """With what it says of later rows and crossings."""
    if found is None or not at:
        return c
    earlier = Earlier(found, at)
    crossed = None if ray.guard is None else passages(earlier, ray.guard, ray.direction, noise)
    return replace(c, forecast=forecast(earlier, noise), passages=crossed)


def _judged(every: Sequence[Candidate], larger: Mapping[str, Sequence[str]], name: str) -> list[Candidate]:
    """With the reasons for which they are rejected; those with fewer unknowns are judged first."""
    best = every[0]
    assert best.fit is not None
    done: dict[str, Candidate] = {}
    for c in sorted(every, key=lambda c: c.fit.counted if c.fit is not None else 0):
        spared = any(done[s].remains for s in larger.get(c.label, ()) if s in done)
        same = c.fit is not None and verdicts.equal(best.fit, c.fit)
        why = verdicts.rejected(c, verdicts.Grounds(best, name, same, spared))
        done[c.label] = replace(c, rejected=(*c.rejected, *why))
    return [done[c.label] for c in every]


def _nested(every: Sequence[Candidate], larger: Mapping[str, Sequence[str]]) -> tuple[Nested, ...]:
    """Pairs of which the larger remains and has one law more than the smaller, which remains too."""
    by_label = {c.label: c for c in every}
    found = []
    for c in every:
        inner = [by_label[s] for s in larger.get(c.label, ()) if by_label[s].remains]
        if c.remains and c.fit is not None and inner:
            # the largest of those it contains: what it adds to that one is what it adds
            s = max(inner, key=lambda s: (len(s.fit.names) if s.fit else 0, -s.difference))
            assert s.fit is not None
            found.append(verdicts.nested(c.fit, s.fit, (c.label, s.label)))
    return tuple(found)


def doubted(r: Ranking) -> Ranking:
    """W558 and N565: said where none of the candidates stands, and where none can be tested."""
    best, notes = r.candidates[0], list(r.notes)
    assert best.fit is not None
    if not r.remaining:
        notes.append(
            warn("W558", f"none of the {len(r)} candidates stands; the nearest, {best.label}, {_lacks(best)}", 5)
        )
    if best.fit.estimated:
        names = ", ".join(best.fit.estimated)
        fact = f"the noise of {names} was estimated for each candidate: differences of AICc compare, nothing tests"
        notes.append(Note("N565", f"{fact} whether the best is right"))
    return replace(r, notes=tuple(notes))


def _lacks(c: Candidate) -> str:
    assert c.fit is not None
    return f"has {verdicts.fitted(c.fit)}" if c.fit.p_value is not None else "is rejected by what comes later"


# --- what is crossed, in the fitted columns ---------------------------------------------------------------------------


class Ray(NamedTuple):
    """The name, direction and guard of what is crossed; no guard where nothing is."""

    name: str = ""
    direction: int = 0
    guard: Guard | None = None


def ray_of(given: object, columns: Sequence[str]) -> Ray:
    """A ray from a column, an expression in the columns, a pair of either and a direction, or an event (E559)."""
    if given is None:
        return Ray()
    if isinstance(given, Event):
        name, what, direction = given.name, given.guard, given.direction
    else:
        what, direction = given if isinstance(given, tuple) and len(given) == 2 else (given, +1)
        name = str(what)
    if direction not in (-1, 0, 1):
        fact = f"a ray is crossed in the direction -1, 0 or 1, not {as_given(direction)}"
        raise InvalidValue("E559", fact, _EXAMPLE)
    return Ray(name, direction, _guard(what, columns))


def _guard(what: object, columns: Sequence[str]) -> Guard:
    """What is crossed as a function of the fitted columns."""
    if isinstance(what, str):
        if what not in columns:
            raise UnknownName("E559", f"the ray {as_given(what)} is no fitted column", did_you_mean(what, columns))
        place = list(columns).index(what)
        return lambda values: values[:, place]
    strange = sorted(s.name for s in getattr(what, "free_symbols", ()) if s.name not in columns)
    if strange or not hasattr(what, "free_symbols"):
        fact = f"the ray has {', '.join(strange)}" if strange else f"the ray is {kind_of(what)}"
        raise InvalidValue("E559", f"{fact}; it is told in the fitted columns {', '.join(columns)}", _EXAMPLE)
    observed = Observed.of([what], tuple(columns), ())
    return lambda values: observed.along(np.zeros(len(values)), values, {})[:, 0]
