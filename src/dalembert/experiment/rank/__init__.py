"""Rank: several candidates fitted to one record, and what it decides between them.

Each candidate gets its own best values. They are compared by AIC [akaike1974], AICc [hurvich1989] and BIC
[schwarz1978], tested by chi2 where the noise is known, and by what they predict of later rows from earlier ones.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from ...equations import Equations
from ...errors import (
    DalembertError,
    DalembertWarning,
    InvalidValue,
    UnknownName,
    WrongType,
    as_given,
    did_you_mean,
    kind_of,
)
from ...errors.remedies import Option
from ...findings.ranking import Ranking
from ...question import Question
from ...record import Record
from ..fit.fit_problem import check_options, nothing_in_common
from ..fit.least_squares import Asked, RankInterrupted, asking
from ..fit.result import finished
from ..name_arguments import by_name, listed
from ..progress_bar import progress
from . import verdicts
from .candidate_options import Share, by_names, shares
from .prediction import check_later
from .ranking import doubted, ranked
from .search import LOSS, CandidateMinima, nothing, search

__all__ = ["rank"]

LATER = 0.5  # share of the record's time after which rows are predicted from earlier ones


def rank(
    candidates: Mapping[str, Equations],
    record: Record,
    question: Question,
    *,
    later: object = LATER,
    ray: object = None,
    shown: bool = False,
) -> Ranking:
    """Fit several candidates to one record and say what it decides between them.

    Args:
        candidates: ``{label: equations}``.
        record: what was seen; see `recorded`.
        question: what is asked of it, the same for all candidates: each takes the names that it has. Multipliers that
            are states are unknown too, with guess 0, unless a start gives them. Values that a candidate needs and that
            elsewhere follow from constraints are taken from the start of the first candidate that is complete.
        later: share of the record's time after which rows are predicted from earlier ones, in three steps; or the times
            themselves; None for no prediction.
        ray: what is crossed: a column (rising), ``(column, direction)``, an expression in the fitted columns in place
            of the column, or an `Event`. Crossings after the first cut are predicted from the rows before it.
        shown: show progress on a terminal.

    Returns:
        A `Ranking`. A candidate without a motion, or whose fit fails, is listed with the reason.

    Raises:
        InvalidValue: E559 fewer than two candidates, another loss, cuts or a ray that cannot be; what `fit` raises, if
            it raises for all candidates.
        UnknownName: E202, E229, E235, E236, E317, E553 names that no candidate has.
        RankInterrupted: a KeyboardInterrupt (Ctrl-C) whose `fits` are those until then.
    """
    _check(candidates, record)
    if later is not None:
        check_later(later)
    columns = _columns(question.likelihood.columns, record, candidates)
    question = by_names(likely(question), columns, [*candidates.values()])
    parts = shares(question, candidates)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DalembertWarning)
        with asking(question) as (asked, halt, _):
            founds, refused = _searched(parts, record, asked, shown, halt)
            fits = {k: finished(f.model, record, f.minima, LOSS, f.tried) for k, f in founds.items() if f.minima}
            if halt():
                raise RankInterrupted(fits)
        try:
            found = ranked(parts, founds, fits, refused, later, ray)
        except KeyboardInterrupt:
            raise RankInterrupted(fits) from None
    return doubted(found)


def _check(candidates: object, record: object) -> None:
    example = '{"rolling": da.nonholonomic(system), "free": da.free(system)}'
    if not isinstance(candidates, Mapping) or not all(isinstance(e, Equations) for e in candidates.values()):
        raise WrongType("E559", "candidates are equations by label", example)
    if len(candidates) < 2:
        raise InvalidValue("E559", f"{len(candidates)} candidate: there is nothing to rank", example)
    if not isinstance(record, Record):
        raise WrongType("E318", f"the data are {kind_of(record)}, not a record", 'da.recorded("track.csv")')


def likely(question: Question) -> Question:
    """The question, checked: candidates are compared by likelihood, which only one loss has (E559)."""
    loss = question.likelihood.checked().loss
    if loss != LOSS:
        remedy = (
            "leave loss out; rows that are outliers are left out of the record, or da.fit(..., loss=...) for one model"
        )
        raise InvalidValue("E559", f"candidates are ranked by likelihood, which loss={as_given(loss)} has not", remedy)
    check_options(question.runs.options)
    return replace(question, search=question.search.checked())


def _columns(columns: object, record: Record, candidates: Mapping[str, Equations]) -> object:
    """What is fitted: the same for all; by default the columns that all have in common with the record."""
    if isinstance(columns, Mapping):
        return by_name(columns, "columns", "E554", "columns={...}")
    every = [{s.name for s in (*e.space, *e.states_of_multipliers)} for e in candidates.values()]
    common = set.intersection(*every)
    if columns is None:
        found = [n for n in record.names if n in common and n != record.time]
        if found:
            return found
        raise nothing_in_common(record, "candidates", f"the candidates {', '.join(sorted(common))[:60]}")
    for name in listed(columns):
        if name not in common:
            raise UnknownName(
                "E317",
                f"not all candidates have a state {as_given(name)}",
                did_you_mean(name, common),
                subject=("fit", "columns", name),
            )
    return list(listed(columns))


def _searched(
    parts: Sequence[Share], record: Record, question: Question, shown: bool, halt: Asked
) -> tuple[dict[str, CandidateMinima], dict[str, str]]:
    """Minima by label, and why there are none."""
    founds: dict[str, CandidateMinima] = {}
    errors: dict[str, DalembertError] = {}
    with progress(len(parts), shown, "fitting candidates") as tick:
        for share in parts:
            try:
                founds[share.label] = search(share, record, question, halt)
            except UnknownName:
                raise
            except DalembertError as error:
                errors[share.label] = error
            tick()
            if halt():
                return founds, {}
    _check_same(founds)
    every = _exchanged(founds)
    if not any(found.minima for found in every.values()):
        raise next(iter(errors.values()), nothing(parts[0].label))
    return every, {k: f"{e.code} {e.fact}" for k, e in errors.items()}


def _check_same(founds: Mapping[str, CandidateMinima]) -> None:
    """E559: likelihoods of different numbers cannot be compared."""
    first = next((f.model.data for f in founds.values()), None)
    for label, found in founds.items():
        if first is not None and not np.array_equal(found.model.data.seen, first.seen):
            raise InvalidValue(
                "E559", f"{label} is not fitted to the same numbers", ("give ", Option("columns"), " that all have")
            )


def _exchanged(founds: Mapping[str, CandidateMinima]) -> dict[str, CandidateMinima]:
    """Each is searched from the others' best values too: one that contains another then fits no worse."""
    result = dict(founds)
    for label, found in founds.items():
        names = found.model.unknowns.names
        own = found.best.theta if found.minima else found.model.unknowns.guess
        guesses = []
        for other in founds.values():
            if other is found or not other.minima:
                continue
            zero = verdicts.at_zero(found, other)
            if zero is not None:
                guesses.append(zero)
            best = dict(zip(other.model.unknowns.names, other.best.theta, strict=True))
            if set(best) & set(names) and not (found.minima and found.best.cost <= other.best.cost):
                guesses.append(np.array([best.get(n, v) for n, v in zip(names, own, strict=True)]))
        result[label] = found.also(guesses)
    return result
