"""The search for the best motion of one candidate.

Where small changes of the start grow large, a motion that begins at a guess is far off long before the record ends, or
there is none that long. So the search begins with the first rows, from many places, and takes in more rows as it goes:
each best motion is the guess for a longer part.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy import stats

from ... import question as asked
from ...argument_checks import mapping
from ...errors import InvalidValue
from ...errors.remedies import Option
from ...question import Question
from ...record import Record
from ..fit.fit_problem import RTOL, prepared
from ..fit.least_squares import Asked, Care, Minimum, descend, merge, merit
from ..fit.minima import Places, grown, on, part_up_to, scattered
from ..fit.model import ELSEWHERE, Model, NoMotion, data, is_function
from .candidate_options import Share

LONGER = 1.4  # one part's length over that of the part before
ENOUGH, MORE = 1.0, 4.0  # numbers over unknowns: of the first part, and of a longer one where searches begin anew
FAMILY = 10  # places that a search over lam(0) begins at, at least
DOWNHILL = Care(1e-15, 40)  # in a part: motions may part fast
MAX_STEPS = 5_000  # of a motion at trial values
LOSS = "linear"


@dataclass(frozen=True, eq=False)
class CandidateMinima:
    """A candidate's model and the minima that were found, the best first.

    Attributes:
        model: of the whole record.
        minima: of it.
        tried: how many places the search began at.
        ways: longer and longer parts of the record, and places that were reached on each.
    """

    model: Model
    minima: tuple[Minimum, ...]
    tried: int
    ways: tuple[tuple[Model, tuple[np.ndarray, ...]], ...] = ()

    @property
    def best(self) -> Minimum:
        """The lowest minimum."""
        return self.minima[0]

    def also(self, guesses: Iterable[np.ndarray]) -> CandidateMinima:
        """The minima after searches from further places."""
        found = list(self.minima)
        for theta in guesses:
            _try(found, self.model, theta)
        return replace(self, minima=tuple(sorted(found, key=merit)))


def search(share: Share, record: Record, question: Question, halt: Asked = lambda: False) -> CandidateMinima:
    """All minima that were found for one candidate; none where no motion lasts to the end of the record.

    A search that `halt` tells to stop hands over what it has.

    Raises:
        DalembertError: what `fit` refuses; E551 if from the guess there is no motion even for the first rows.
    """
    if share.refused is not None:
        raise share.refused
    question = replace(question, guess=share.guess, search=_wide(question.search, share))
    patient, whole = _whole(share, record, question)
    model = patient.halting(halt)
    how, found = question.search, list[Minimum]()
    parts = _parts(model)
    if whole:
        rng = np.random.default_rng(how.seed)
        for k in range(1 if parts and _multipliers(share) else how.starts):
            if not k or not halt():
                _try(found, model, model.unknowns.guess if k == 0 else scattered(model, rng, how.spread))
    ways = tuple(zip(parts, _grown(parts, how), strict=True))
    for theta in ways[-1][1] if ways else ():
        _try(found, model, theta)
    ways = tuple((part.patient, places) for part, places in ways)
    return CandidateMinima(patient, tuple(sorted(found, key=merit)), how.starts, ways)


def _wide(how: asked.Search, share: Share) -> asked.Search:
    """At least so many places where multipliers are unknown: a motion from a guess is soon far away."""
    wide = set(share.guess.free) & set(_multipliers(share))
    return replace(how, starts=max(how.starts, FAMILY)) if wide else how


def nothing(label: str) -> InvalidValue:
    """E551: no search came to a motion."""
    return InvalidValue("E551", f"no motion of {label} was found that lasts to the end of the record", ELSEWHERE)


def _multipliers(share: Share) -> list[str]:
    return [s.name for s in share.equations.states_of_multipliers]


def _grown(parts: Sequence[Model], how: asked.Search) -> list[tuple[np.ndarray, ...]]:
    """Places that are reached on each part, from those of the part before; on two of them also from all over.

    On a short part predictions change evenly with the unknowns; on a longer one noise misleads less.
    """
    rng = np.random.default_rng(how.seed)
    anew = {0, next((i for i, part in enumerate(parts) if len(part.data) >= MORE * len(part.unknowns)), 0)}

    def fresh(i: int, part: Model) -> Places:
        if i not in anew:
            return []
        random = [scattered(part, rng, how.spread) for _ in range(how.starts - 1)]
        return [part.unknowns.guess, *random]

    return list(grown(parts, fresh, LOSS, DOWNHILL, patient=True))


def _try(found: list[Minimum], model: Model, theta: np.ndarray) -> None:
    try:
        merge(found, descend(model, theta, LOSS), model.unknowns.size)
    except NoMotion:
        return


# --- parts of a record -----------------------------------------------------------------------------------------------


def _whole(share: Share, record: Record, question: Question) -> tuple[Model, bool]:
    """The model of the whole record; does the guess last to its end?"""
    rows, refusal = len(record), None
    while rows >= 2 or refusal is None:
        whole = rows == len(record)
        try:
            model = _prepared(share, record if whole else record[:rows], question, rows, whole)
        except InvalidValue as error:
            if error.code != "E551" or record.time not in record.columns or _by_function(question.likelihood.columns):
                raise
            refusal, rows = refusal or error, int(rows / LONGER)
            continue
        if whole:
            return model, True
        return on(model, data(record, model.data.names, question.likelihood.uncertainty), question.runs.until), False
    assert refusal is not None
    raise refusal


def _by_function(columns: object) -> bool:
    return isinstance(columns, Mapping) and any(map(is_function, columns.values()))


def _prepared(share: Share, record: Record, question: Question, rows: int, whole: bool) -> Model:
    sigma = mapping(question.likelihood.uncertainty, "uncertainty", "E553", Option("uncertainty", {"x": 0.01}))
    known = {k: v[:rows] if np.ndim(v) else v for k, v in sigma.items()}
    likelihood = replace(question.likelihood, uncertainty=known)
    until = question.runs.until if whole else None
    runs = replace(question.runs, until=until, options={"max_steps": MAX_STEPS, **question.runs.options})
    return prepared(share.equations, record, replace(question, likelihood=likelihood, runs=runs), least=0)


def until(model: Model, time: float) -> Model | None:
    """The model of the numbers up to a time, None where they are fewer than unknowns, or all at the start."""
    return part_up_to(model, time, len(model.unknowns) - int(model.unknowns.has_prior.sum()) + 1)


def _parts(model: Model) -> list[Model]:
    """Longer and longer parts of the numbers, without the whole; none where a column is a function of the path."""
    if not model.by_tangents or not len(model.data.t):
        return []
    times = np.sort(model.data.t[model.data.row])
    least = int(np.ceil(ENOUGH * max(len(model.unknowns), 1)))
    if least >= len(times):
        return []
    first, last, ends = times[least] - model.t, times[-1] - model.t, list[float]()
    while first > 0 and first * LONGER < last:
        ends.append(model.t + first)
        first *= LONGER
    return [part for part in (until(model, end) for end in ends) if part is not None]


# --- how far motions can be followed ---------------------------------------------------------------------------------
# Where neighbouring motions part by e^(k t), a run with relative tolerance rtol is off by about rtol e^(k t). Once that
# is more than the noise, no search can tell whether some motion of the candidate describes what comes later. It is then
# judged by the part of the record over which its motions are known: if it does not describe that part, it does not
# describe the whole; if it does, the record leaves it open.

KNOWN = 0.3  # of the noise: a prediction that is known so well can be judged


@dataclass(frozen=True)
class FollowedPart:
    """The part of a record over which a candidate can be followed.

    Attributes:
        until: its end; NaN if there is none.
        chi2: least chi2 of its numbers.
        dof: numbers less unknowns.
        p_value: chance of a larger chi2 if the candidate is right.
        found: was a motion found that lasts to the end of the record?
    """

    until: float
    chi2: float
    dof: int
    p_value: float
    found: bool = True


def followed(found: CandidateMinima, noise: np.ndarray, spare: int) -> FollowedPart | None:
    """What is known of a candidate that cannot be followed to the end of the record; None if it can, or has no motion.

    Args:
        found: of the candidate.
        noise: standard deviations (K,), those of the best candidate where they were estimated.
        spare: degrees of freedom from which these were estimated, 0 where they are known.
    """
    if found.minima and known(found.model, found.best, noise):
        return None
    if not found.minima and not any(places for _, places in found.ways):
        return None
    for part, places in reversed(found.ways):
        own = noise[_within(found.model, part)]
        reached = [m for m in (_reached(part, theta, own) for theta in places) if m is not None and known(part, m, own)]
        if reached:
            return replace(_judged(part, reached, spare), found=bool(found.minima))
    return FollowedPart(float("nan"), 0.0, 0, 1.0)


def known(model: Model, m: Minimum, noise: np.ndarray) -> bool:
    """Are the predictions known to a part of the noise?"""
    # |df/dtheta| theta rtol/sigma, the largest
    J = m.jacobian[: len(noise)] * model.unknowns.size * (m.noise / noise)[:, None]
    rtol = model.span.options.get("rtol", RTOL)
    return bool(np.linalg.norm(J, axis=1).max(initial=0.0) * rtol < KNOWN)


def _within(whole: Model, part: Model) -> np.ndarray:
    """Which numbers of the whole are those of a part."""
    t = whole.data.t[whole.data.row]
    return np.asarray(t <= part.data.t[part.data.row].max())


def _reached(part: Model, theta: np.ndarray, noise: np.ndarray) -> Minimum | None:
    try:
        return descend(part, theta, LOSS, noise)
    except NoMotion:
        return None


def _judged(part: Model, reached: Sequence[Minimum], spare: int) -> FollowedPart:
    best = min(reached, key=lambda m: m.cost)
    dof = len(part.data) + int(part.unknowns.has_prior.sum()) - len(part.unknowns)
    chi2 = 2 * best.cost
    p = stats.f.sf(chi2 / dof, dof, spare) if spare else stats.chi2.sf(chi2, dof)
    return FollowedPart(part.until, chi2, dof, float(p))
