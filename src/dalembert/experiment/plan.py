"""Plan: which start or parameter separates two candidates best, before anything is measured.

For each design one candidate is taken for right and simulated without noise; the other's unknowns are fitted to that
motion. What is left is the separation

    s^2 = min over the rival's unknowns of  sum_i (f_i - g_i(theta))^2/sigma_i^2  +  sum_j (theta_j - m_j)^2/s_j^2

and the best design has the largest s: it is T-optimal [atkinson1975]. With noise AIC of the rival is higher by about
s^2 + k_rival - k_truth, with a variance of 4 s^2 + 2 |k_rival - k_truth|.
"""

from __future__ import annotations

import itertools
import math
import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy.stats import norm

from .. import argument_checks as door
from ..equations import Equations
from ..errors import (
    DalembertError,
    DalembertWarning,
    InvalidValue,
    Note,
    UnknownName,
    WrongType,
    as_given,
    did_you_mean,
)
from ..findings.plan import Design, Plan, Separation
from ..findings.ranking import NO_SUPPORT
from ..numerics.run.simulate import simulate
from ..numerics.sensitivities.observables import Observed
from ..question import Guess, Likelihood, Question, Runs
from ..record import Record
from .fit.model import Column
from .name_arguments import by_name, name_of
from .progress_bar import progress
from .rank import likely
from .rank.candidate_options import Share, by_names, shares
from .rank.search import MAX_STEPS, nothing, search
from .starts_with_inputs import start_with_inputs

ROWS = 50  # of a track, unless told otherwise
MOST_DESIGNS = 10_000
SAME = 1e-2  # standard deviations: the rival does the same motion
_OWN = ("until", "count")  # what can be varied besides values of the start and parameters
_VARY = 'vary={"vy": [2, 5, 8], "until": [5, 10]}'


def plan(
    candidates: Mapping[str, Equations],
    vary: object,
    question: Question,
    *,
    count: int | None = None,
    times: object = None,
    shown: bool = False,
) -> Plan:
    """Find the designs that separate two candidates best.

    Args:
        candidates: two, ``{label: equations}``.
        vary: ``{name: values}`` of values of the start and of parameters, and of ``"until"`` and ``"count"``; all
            combinations are tried.
        question: what will be asked of the track. What the experimenter will not know is free. Multipliers that are
            states are free for the rival; where their candidate is taken for right they have those of the start, or 0.
            A prior may be a standard deviation alone: its mean is the design's value. Uncertainties are of what will be
            measured: columns, by default states. The track ends at `until`.
        count: of its rows, evenly spaced, the first at the start; by default `ROWS`.
        times: of the rows, in place of these two.
        shown: show progress on a terminal.

    Returns:
        A `Plan`, the best design first: the largest of the smaller of both separations.

    Raises:
        InvalidValue: E559 other than two candidates, nothing to vary, no times, uncertainties that are not positive.
        UnknownName: E202, E229, E235, E236, E317, E553 names that no candidate has.
        DalembertError: what `rank` raises, if it raises for every design.
    """
    question, priors = _checked(candidates, question)
    track = _Track.of(question.likelihood, candidates, times)
    _check_rows(track, count=count, until=question.runs.until)
    varied = _varied(vary, question.guess, candidates, track)
    states = {n for e in candidates.values() for n in e.states}
    designs, errors, notes = [], list[DalembertError](), dict[str, Note]()
    points = [dict(zip(varied, p, strict=True)) for p in itertools.product(*varied.values())]
    with warnings.catch_warnings(), progress(len(points), shown, "trying designs") as tick:
        warnings.simplefilter("ignore", DalembertWarning)
        for point in points:
            until, rows = point.get("until", question.runs.until), point.get("count", ROWS if count is None else count)
            here = track.at(until, rows, question.runs.t)
            asked = _at(question, point, priors, here, states)
            parts = shares(asked, candidates)
            notes |= {str(n): n for s in parts for n in _assumed(s)}
            found = [_separation(a, b, here, asked, errors) for a, b in (parts, parts[::-1])]
            designs.append(Design(point, tuple(found)))
            tick()
    return _ordered(candidates, designs, errors, track, tuple(notes.values()))


def _checked(candidates: object, question: Question) -> tuple[Question, Mapping[str, Any]]:
    """The question, and the priors, of which some have no means yet."""
    if not isinstance(candidates, Mapping) or len(candidates) != 2:
        raise InvalidValue("E559", "a plan is made between two candidates", 'between=("nonholonomic", "vakonomic")')
    if question.runs.events:
        raise InvalidValue("E307", "plan has no option 'events'", "leave it out: a plan is made without events")
    priors = by_name(question.guess.priors, "priors", "E553", 'priors={"r": 0.01}')
    without = replace(question, guess=replace(question.guess, priors={}))
    return by_names(likely(without), question.likelihood.columns, [*candidates.values()]), priors


def _check_rows(track: _Track, **given: object) -> None:
    """E559: something that would make rows of a track whose times are given."""
    for name, value in given.items() if track.times is not None else ():
        if value is not None:
            raise InvalidValue("E559", f"{name} and times are given", f"leave {name} or times out")


def _ordered(
    candidates: Mapping[str, Equations],
    designs: Sequence[Design],
    errors: Sequence[DalembertError],
    track: _Track,
    notes: tuple[Note, ...],
) -> Plan:
    """The best design first; refused where none can be told."""
    if all(math.isnan(d.sigmas) for d in designs):
        raise errors[0]
    every = [replace(d, idle=_idle(designs)) for d in designs]
    every.sort(key=lambda d: -1.0 if math.isnan(d.sigmas) else d.sigmas, reverse=True)
    title = next(iter(candidates.values())).system.title
    one, other = candidates
    return Plan(title, (one, other), tuple(every), dict(track.uncertainty), notes)


def _idle(designs: Sequence[Design]) -> tuple[str, ...]:
    """Truths that no design tells from the rival, where the other truth can be told by some."""
    most: dict[str, float] = {}
    for s in (s for d in designs for s in d.separations):
        most[s.truth] = max(most.get(s.truth, 0.0), 0.0 if math.isnan(s.sigmas) else s.sigmas)
    found = tuple(truth for truth, sigmas in most.items() if sigmas < SAME)
    return found if len(found) < len(most) else ()


# --- what is measured ------------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class _Track:
    """A track that is not measured yet.

    Attributes:
        uncertainty: of each column.
        columns: an expression for each.
        times: of the rows.
    """

    uncertainty: Mapping[str, float]
    columns: Mapping[str, Column]
    times: np.ndarray | None

    @classmethod
    def of(cls, likelihood: Likelihood, candidates: Mapping[str, Equations], times: object) -> _Track:
        """Checked."""
        uncertainty, columns = likelihood.uncertainty, likelihood.columns
        example = 'uncertainty={"x": 0.01, "y": 0.01}'
        if not isinstance(uncertainty, Mapping) or not uncertainty:
            raise WrongType("E559", "a plan needs the uncertainty of each column that will be measured", example)
        sigma = {name_of(k): _positive(v, k, example) for k, v in uncertainty.items()}
        if columns is not None:
            own = by_name(columns, "columns", "E559", 'columns={"px": "k*x + x0"}')
            for name in own.keys() ^ sigma.keys():
                raise UnknownName("E559", f"{as_given(name)} has a column or an uncertainty, not both", example)
            return cls(sigma, {n: own[n] for n in sigma}, _times(times))
        states = [{s.name: s for s in e.space} for e in candidates.values()]
        for name in sigma:
            if not all(name in each for each in states):
                known = set.intersection(*(set(each) for each in states))
                raise UnknownName(
                    "E317", f"not both candidates have a state {as_given(name)}", did_you_mean(name, known)
                )
        return cls(sigma, {n: states[0][n] for n in sigma}, _times(times))

    def at(self, until: float | None, count: float, t: float | None) -> _Track:
        """With the times of one design."""
        if self.times is not None:
            return self
        remedy = "until=10.0, count=50; or times=[...]"
        first = 0.0 if t is None else door.number(door.seconds(t, "t", "E559"), "t", "E559")
        last = math.nan if until is None else door.number(door.seconds(until, "until", "E559"), "until", "E559")
        if not last > first:
            raise InvalidValue(
                "E559", f"until = {as_given(until)}: a plan needs the time at which a track ends", remedy
            )
        # a count that is varied comes as a float
        counted = int(count) if isinstance(count, float) and count.is_integer() else count
        rows = door.whole(counted, "count", "E559", least=2, most=100_000)
        return replace(self, times=np.linspace(first, last, rows))

    def record(self, truth: Share, runs: Runs) -> Record:
        """What would be seen without noise."""
        assert self.times is not None
        e, t = truth.equations, self.times
        begin = start_with_inputs(e, truth.guess.start, float(t[0]), _of_system(truth), runs.inputs)
        settings = {"rtol": 1e-10, "max_steps": MAX_STEPS, "inputs": runs.inputs, **runs.options}
        path = simulate(e, begin, until=float(t[-1]), **settings)
        if path.audit.verdict == "failed" or path.t[-1] < t[-1]:
            fact = f"there is no motion to t = {t[-1]:g}: {'; '.join(path.audit.reasons)[:120]}"
            raise InvalidValue("E551", fact, "other designs in vary=, or an earlier until=")
        known = {**begin.parameters, **truth.guess.parameters}
        seen = Observed.of(list(self.columns.values()), e.states, ()).along(t, path.dense(t)[:, : path.states], known)
        return Record({"t": t, **dict(zip(self.columns, seen.T, strict=True))}, "planned", dict(self.uncertainty))


def _positive(given: Any, name: Any, example: str) -> float:
    try:
        value = float(given)
    except (TypeError, ValueError):
        value = math.nan
    if not 0 < value < math.inf:
        raise InvalidValue("E559", f"the uncertainty of {name} is {as_given(given)}, it must be positive", example)
    return value


def _times(times: object) -> np.ndarray | None:
    if times is None:
        return None
    try:
        found = np.atleast_1d(np.asarray(times, float))
    except (TypeError, ValueError):
        found = np.empty(0)
    if found.ndim != 1 or len(found) < 2 or not np.isfinite(found).all() or (np.diff(found) <= 0).any():
        raise InvalidValue("E559", "the times of a track rise, and are at least two", "until=10.0, count=50")
    return found


# --- designs ---------------------------------------------------------------------------------------------------------


def _varied(vary: object, guess: Guess, candidates: Mapping[str, Equations], track: _Track) -> dict[str, list[float]]:
    """Values by name."""
    if not isinstance(vary, Mapping) or not vary:
        raise WrongType("E559", "nothing is varied", _VARY)
    every = list(candidates.values())
    known = {n for e in every for n in (*e.states, *e.system.symbols, *e.system.parameters)}
    known |= {*guess.parameters, *_OWN}
    found: dict[str, list[float]] = {}
    for key, values in vary.items():
        name = name_of(key)
        if name not in known:
            raise UnknownName(
                "E202",
                f"vary: {as_given(name)} is neither a value of the start nor a parameter",
                did_you_mean(name, known),
            )
        if name in _OWN and track.times is not None:
            raise InvalidValue("E559", f"{name} is varied and times are given", "leave times out")
        try:
            found[name] = [float(v) for v in np.atleast_1d(values)]
        except (TypeError, ValueError):
            raise WrongType("E559", f"vary: the values of {name} are no numbers: {as_given(values)}", _VARY) from None
        if not found[name] or not np.isfinite(found[name]).all():
            raise InvalidValue("E559", f"vary: {name} has no finite values", _VARY)
    if math.prod(map(len, found.values())) > MOST_DESIGNS:
        raise InvalidValue("E559", f"more than {MOST_DESIGNS} designs", "vary less at once")
    return found


def _at(
    question: Question, point: Mapping[str, float], priors: Mapping[str, Any], track: _Track, states: set[str]
) -> Question:
    """What is asked of one design; priors about its values."""
    guess, own = question.guess, {n: v for n, v in point.items() if n not in _OWN}
    start = {**guess.start, **{n: v for n, v in own.items() if n in states}}
    parameters = {**guess.parameters, **{n: v for n, v in own.items() if n not in states}}
    known = {**guess.start, **guess.parameters, **own}
    told = {n: v if np.ndim(v) else (known.get(n), v) for n, v in priors.items()}
    for name, prior in told.items():
        if prior[0] is None:
            raise InvalidValue(
                "E553", f"the prior of {name} has no mean", f"priors={{{as_given(name)}: (mean, {as_given(prior[1])})}}"
            )
    return replace(
        question,
        guess=replace(guess, start=start, parameters=parameters, priors=told),
        likelihood=Likelihood(columns=dict(track.columns)),
    )


def _assumed(share: Share) -> Iterator[Note]:
    if share.multipliers:
        names = ", ".join(f"{n}(0) = 0" for n in share.multipliers)
        yield Note(
            "N564", f"{share.label}: {names} where it is taken for right, unless start gives others; else unknown"
        )


def _of_system(share: Share) -> dict[str, object]:
    known = {*share.equations.system.symbols, *share.equations.system.parameters}
    return {n: v for n, v in share.guess.parameters.items() if n in known}


def _separation(
    truth: Share,
    rival: Share,
    track: _Track,
    question: Question,
    errors: list[DalembertError],
) -> Separation:
    """How far the rival's nearest motion is from that of the truth."""
    try:
        if truth.refused is not None:
            raise truth.refused
        record = track.record(truth, question.runs)
    except DalembertError as error:
        errors.append(error)
        return Separation(truth.label, rival.label, math.nan, 0.0, {}, error.fact)
    runs = replace(question.runs, t=float(record.t[0]), until=None)
    try:
        found = search(rival, record, replace(question, runs=runs))
        if not found.minima:
            raise nothing(rival.label)
    except UnknownName:
        raise
    except DalembertError as error:
        if error.code != "E551":
            raise
        errors.append(error)
        return Separation(truth.label, rival.label, math.inf, 1.0, {}, error.fact)
    s = math.sqrt(max(2 * found.best.cost, 0.0))
    nearest = dict(zip(found.model.unknowns.names, map(float, found.best.theta), strict=True))
    return Separation(truth.label, rival.label, s, chance(s, len(nearest) - len(truth.guess.free)), nearest)


def chance(s: float, more: int) -> float:
    """That AIC is higher by 10 or more for a rival s away with `more` unknowns than the truth has."""
    width = math.sqrt(4 * s**2 + 2 * abs(more))
    rise = s**2 + more - NO_SUPPORT
    return float(norm.cdf(rise / width)) if width else float(rise > 0)
