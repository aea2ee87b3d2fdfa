"""Rank: several candidates fitted to one record, and what it decides between them.

Each candidate gets its own best values. They are compared by AIC [akaike1974], AICc [hurvich1989] and BIC
[schwarz1978], tested by chi2 where the noise is known, and by what they predict of later rows from earlier ones.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import numpy as np

from ...equations import Equations
from ...errors import (
    DalembertError,
    DalembertWarning,
    InvalidValue,
    Note,
    UnknownName,
    WrongType,
    did_you_mean,
    warn,
)
from ...errors.remedies import Option
from ...findings.fit import Fit
from ...findings.ranking import Candidate, Ranking
from ...numerics.policy import Policy
from ...numerics.sensitivities.observed import Observed
from ...record import Record
from ..fit.descend import check_loss
from ..fit.result import finished
from ..series import listed
from . import judge
from .follow import followed
from .later import Earlier, Guard, cuts, forecast, passages
from .search import LOSS, Found, Search, nothing, search
from .shares import Given, Share, gathered, shares
from .words import verdict

__all__ = ["rank"]


def rank(
    candidates: Mapping[str, Equations],
    record: Record,
    *,
    start: Any,
    free: Any,
    parameters: Mapping[Any, Any] | None = None,
    bounds: Mapping[Any, Any] | None = None,
    priors: Mapping[Any, Any] | None = None,
    columns: Any = None,
    uncertainty: Mapping[Any, Any] | None = None,
    later: Any = 0.5,
    ray: Any = None,
    loss: str = LOSS,
    starts: int = 1,
    spread: float = 1.0,
    seed: int = 0,
    t: float | None = None,
    until: float | None = None,
    events: Sequence[Any] = (),
    progress: bool = False,
    **options: Any,
) -> Ranking:
    """Fit several candidates to one record and say what it decides between them.

    Args:
        candidates: ``{label: equations}``.
        record: what was seen; see `recorded`.
        start, free, parameters, bounds, priors: as of `fit`, for all candidates: each takes the names that it has, so
            ``free=["vx", "nu"]`` frees nu where a candidate has it. Multipliers that are states are unknown too, with
            guess 0, unless `start` gives them. Values that a candidate needs and that elsewhere follow from constraints
            are taken from the start of the first candidate that is complete.
        columns, uncertainty, t, until, events: as of `fit`.
        later: share of the record's time after which rows are predicted from earlier ones, in three steps; or the times
            themselves; None for no prediction.
        ray: what is crossed: a column (rising), ``(column, direction)``, an expression in the fitted columns in place
            of the column, or an `Event`. Crossings after the first cut are predicted from the rows before it.
        loss: only ``"linear"``: other losses have no likelihood.
        starts: how many places each search begins at, at least 10 where multipliers are unknown.
        spread, seed: of these places, as of `fit`.
        progress: show progress on a terminal.
        options: those of `simulate`; max_steps is 5000 by default.

    Returns:
        A `Ranking`. A candidate without a motion, or whose fit fails, is listed with the reason.

    Raises:
        InvalidValue: E559 fewer than two candidates, another loss, cuts or a ray that cannot be; what `fit` raises, if
            it raises for all candidates.
        UnknownName: E202, E229, E235, E236, E317, E553 names that no candidate has.
    """
    _check(candidates, loss, starts)
    Policy.of(options)
    given = Given.of(start, free, parameters, bounds, priors, _columns(columns, record, candidates), t)
    given_sigma = dict(uncertainty or {})
    how = {"t": given.t, "until": until, "events": tuple(events), **options}
    plan = Search(record, given_sigma, starts, spread, seed, how)
    parts = shares(given, candidates)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DalembertWarning)
        founds, refused = _searched(parts, given.columns, plan, progress)
        fits = {k: finished(f.model, record, f.minima, LOSS, f.tried) for k, f in founds.items() if f.minima}
        found = _ranking(parts, founds, fits, refused, later, ray)
    return _doubted(found)


def _check(candidates: Any, loss: Any, starts: Any) -> None:
    example = '{"rolling": da.nonholonomic(system), "free": da.free(system)}'
    if not isinstance(candidates, Mapping) or not all(isinstance(e, Equations) for e in candidates.values()):
        raise WrongType("E559", "candidates are equations by label", example)
    if len(candidates) < 2:
        raise InvalidValue("E559", f"{len(candidates)} candidate: there is nothing to rank", example)
    if check_loss(loss) != LOSS:
        remedy = (
            "leave loss out; rows that are outliers are left out of the record, or da.fit(..., loss=...) for one model"
        )
        raise InvalidValue("E559", f"candidates are ranked by likelihood, which loss={loss!r} has not", remedy)
    if isinstance(starts, bool) or not isinstance(starts, int) or not 1 <= starts <= 10_000:
        raise InvalidValue("E307", f"starts = {starts!r:.40} must be a whole number, 1 to 10000", Option("starts", 20))


def _columns(columns: Any, record: Any, candidates: Mapping[str, Equations]) -> Any:
    """What is fitted: the same for all; by default the columns that all have in common with the record."""
    if isinstance(columns, Mapping):
        return {str(getattr(k, "name", k)): v for k, v in columns.items()}
    if not isinstance(record, Record):
        raise WrongType("E318", f"the data are {type(record).__name__}, not a record", 'da.recorded("track.csv")')
    every = [{s.name for s in (*e.space, *e.states_of_multipliers)} for e in candidates.values()]
    common = set.intersection(*every)
    if columns is None:
        found = [n for n in record.names if n in common and n != record.time]
        if found:
            return found
        told = f"the record has {', '.join(record.names)[:60]}, the candidates {', '.join(sorted(common))[:60]}"
        fact = "record and candidates have no column in common"
        raise InvalidValue("E549", fact, (Option("columns", {"px": "k*x + x0"}), " says what a column shows"), told)
    for name in listed(columns):
        if name not in common:
            raise UnknownName(
                "E317",
                f"not all candidates have a state {name!r}",
                did_you_mean(name, common),
                subject=("fit", "columns", name),
            )
    return list(listed(columns))


# --- fits ------------------------------------------------------------------------------------------------------------


def _searched(
    parts: Sequence[Share], columns: Any, plan: Search, progress: bool
) -> tuple[dict[str, Found], dict[str, str]]:
    """Minima by label, and why there are none."""
    founds: dict[str, Found] = {}
    errors: dict[str, DalembertError] = {}
    with shown(len(parts), progress, "fitting candidates") as tick:
        for share in parts:
            try:
                founds[share.label] = search(share, columns, plan)
            except UnknownName:
                raise
            except DalembertError as error:
                errors[share.label] = error
            tick()
    _check_same(founds)
    every = _exchanged(founds)
    if not any(found.minima for found in every.values()):
        raise next(iter(errors.values()), nothing(parts[0].label))
    return every, {k: f"{e.code} {e.fact}" for k, e in errors.items()}


def _check_same(founds: Mapping[str, Found]) -> None:
    """E559: likelihoods of different numbers cannot be compared."""
    first = next((f.model.data for f in founds.values()), None)
    for label, found in founds.items():
        if first is not None and not np.array_equal(found.model.data.seen, first.seen):
            raise InvalidValue(
                "E559", f"{label} is not fitted to the same numbers", ("give ", Option("columns"), " that all have")
            )


def _exchanged(founds: Mapping[str, Found]) -> dict[str, Found]:
    """Each is searched from the others' best values too: one that contains another then fits no worse."""
    result = dict(founds)
    for label, found in founds.items():
        names = found.model.unknowns.names
        own = found.best.theta if found.minima else found.model.unknowns.guess
        guesses = []
        for other in founds.values():
            if other is found or not other.minima:
                continue
            zero = judge.at_zero(found, other)
            if zero is not None:
                guesses.append(zero)
            best = dict(zip(other.model.unknowns.names, other.best.theta, strict=True))
            if set(best) & set(names) and not (found.minima and found.best.cost <= other.best.cost):
                guesses.append(np.array([best.get(n, v) for n, v in zip(names, own, strict=True)]))
        result[label] = found.also(guesses)
    return result


@contextmanager
def shown(total: int, wanted: bool, what: str) -> Iterator[Callable[[], None]]:
    """A progress bar on a terminal, nothing elsewhere."""
    if not wanted:
        yield lambda: None
        return
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(what, total=total)
        yield lambda: bar.advance(task)


# --- what follows from them ------------------------------------------------------------------------------------------


def _ranking(
    parts: Sequence[Share],
    founds: Mapping[str, Found],
    fits: Mapping[str, Fit],
    refused: Mapping[str, str],
    later: Any,
    ray: Any,
) -> Ranking:
    lost = _lost(founds, fits)
    without = {k: nothing(k) for k in founds if k not in fits and k not in lost}
    refused = {**refused, **{k: f"{e.code} {e.fact}" for k, e in without.items()}}
    fits = {k: f for k, f in fits.items() if k not in lost or lost[k][1]}
    founds = {k: founds[k] for k in fits}
    every = [
        Candidate(
            s.label, s.equations.principle, s.equations, fits.get(s.label), refused.get(s.label, ""), notes=s.notes
        )
        for s in parts
    ]
    every = [replace(c, open=lost[c.label][0], rejected=lost[c.label][1]) if c.label in lost else c for c in every]
    every = judge.weighed(every)
    best = every[0].fit
    assert best is not None
    name, direction, guard = _ray(ray, best.columns)
    at, notes = _cut(later, best, founds)
    every = [_foretold(c, founds.get(c.label), at, guard, direction, best.sigma) for c in every]
    larger = judge.contained(founds, fits)
    every = _judged(every, larger, "AICc" if best.estimated else "AIC")
    found = Ranking(
        title=best.title,
        candidates=tuple(every),
        criterion="AICc" if best.estimated else "AIC",
        numbers=best.numbers,
        columns=best.columns,
        ties=judge.ties(every),
        nested=_nested(every, larger),
        later=at[0] if at else None,
        ray=name if at else "",
        verdict="",
        notes=(*notes, *gathered(parts)),
    )
    return replace(found, verdict=verdict(found))


def _lost(founds: Mapping[str, Found], fits: Mapping[str, Fit]) -> dict[str, tuple[str, tuple[str, ...]]]:
    """Candidates that cannot be followed to the end of the record: why they are left open, or why they are rejected.

    The noise is that of the best of those that can be followed.
    """
    whole = [k for k, fit in fits.items() if followed(founds[k], fit.sigma, 0) is None]
    best = fits[min(whole or fits, key=lambda k: judge.criterion(fits[k]))]
    spare = best.dof if best.estimated else 0
    parts = {k: followed(found, best.sigma, spare) for k, found in founds.items()}
    return {k: judge.up_to(part) for k, part in parts.items() if part is not None}


def _cut(later: Any, best: Fit, founds: Mapping[str, Found]) -> tuple[tuple[float, ...], tuple[Note, ...]]:
    """Times of the cuts, and why there are none."""
    if later is None:
        return (), ()
    model = next(iter(founds.values())).model
    if not len(model.data.t) or not model.by_tangents:
        why = "functions of the whole path, or runs with events, have no earlier part"
        return (), (Note("N566", f"no later rows are predicted from earlier ones: {why}"),)
    return cuts(later, best.t, model.t), ()


def _foretold(
    c: Candidate, found: Found | None, at: tuple[float, ...], guard: Guard | None, direction: int, noise: np.ndarray
) -> Candidate:
    """With what it says of later rows and crossings."""
    if found is None or not at:
        return c
    earlier = Earlier(found, at)
    crossed = None if guard is None else passages(earlier, guard, direction, noise)
    return replace(c, forecast=forecast(earlier, noise), passages=crossed)


def _ray(ray: Any, columns: Sequence[str]) -> tuple[str, int, Guard | None]:
    """Name, direction and guard of what is crossed, the guard as a function of the fitted columns."""
    if ray is None:
        return "", 0, None
    if hasattr(ray, "guard"):
        name, what, direction = ray.name, ray.guard, ray.direction
    else:
        what, direction = ray if isinstance(ray, tuple) and len(ray) == 2 else (ray, +1)
        name = str(what)
    if direction not in (-1, 0, 1):
        raise InvalidValue(
            "E559", f"a ray is crossed in the direction -1, 0 or 1, not {direction!r:.40}", Option("ray", ("y", 1))
        )
    if isinstance(what, str):
        if what not in columns:
            raise UnknownName("E559", f"the ray {what!r:.60} is no fitted column", did_you_mean(what, columns))
        place = list(columns).index(what)
        return name, direction, lambda values: values[:, place]
    strange = sorted(s.name for s in getattr(what, "free_symbols", ()) if s.name not in columns)
    if strange or not hasattr(what, "free_symbols"):
        fact = f"the ray has {', '.join(strange)}" if strange else f"the ray is {type(what).__name__}"
        raise InvalidValue(
            "E559", f"{fact}; it is told in the fitted columns {', '.join(columns)}", Option("ray", ("y", 1))
        )
    observed = Observed.of([what], tuple(columns), ())
    return name, direction, lambda values: observed.along(np.zeros(len(values)), values, {})[:, 0]


def _judged(every: Sequence[Candidate], larger: Mapping[str, Sequence[str]], name: str) -> list[Candidate]:
    """With the reasons for which they are rejected; those with fewer unknowns are judged first."""
    best = every[0]
    assert best.fit is not None
    done: dict[str, Candidate] = {}
    for c in sorted(every, key=lambda c: c.fit.counted if c.fit is not None else 0):
        spared = any(done[s].remains for s in larger.get(c.label, ()) if s in done)
        same = c.fit is not None and judge.equal(best.fit, c.fit)
        why = judge.rejected(c, judge.Grounds(best, name, same, spared))
        done[c.label] = replace(c, rejected=(*c.rejected, *why))
    return [done[c.label] for c in every]


def _nested(every: Sequence[Candidate], larger: Mapping[str, Sequence[str]]) -> tuple[Any, ...]:
    """Pairs of which the larger remains and has one law more than the smaller, which remains too."""
    by_label = {c.label: c for c in every}
    found = []
    for c in every:
        inner = [by_label[s] for s in larger.get(c.label, ()) if by_label[s].remains]
        if c.remains and c.fit is not None and inner:
            # the largest of those it contains: what it adds to that one is what it adds
            s = max(inner, key=lambda s: (len(s.fit.names) if s.fit else 0, -s.difference))
            assert s.fit is not None
            found.append(judge.nested(c.fit, s.fit, (c.label, s.label)))
    return tuple(found)


def _doubted(r: Ranking) -> Ranking:
    """W558 and N565: said where none of the candidates stands, and where none can be tested."""
    best, notes = r.candidates[0], list(r.notes)
    assert best.fit is not None
    if not r.remaining:
        notes.append(
            warn("W558", f"none of the {len(r)} candidates stands; the nearest, {best.label}, {_lacks(best)}", 4)
        )
    if best.fit.estimated:
        names = ", ".join(best.fit.estimated)
        fact = f"the noise of {names} was estimated for each candidate: differences of AICc compare, nothing tests"
        notes.append(Note("N565", f"{fact} whether the best is right"))
    return replace(r, notes=tuple(notes))


def _lacks(c: Candidate) -> str:
    assert c.fit is not None
    return f"has {judge.fitted(c.fit)}" if c.fit.p_value is not None else "is rejected by what comes later"
