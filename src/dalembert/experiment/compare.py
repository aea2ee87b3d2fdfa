"""One system, one start, several principles: the motions, the distance between them, and a verdict.

Two motions agree if their distance stays below what the runs know: each is run again with another tolerance, and what
that changes is taken for its error (at least 100 rtol).
"""

from __future__ import annotations

import itertools
import math
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
import sympy as sp

from ..argument_checks import function, public, seconds, several
from ..comparison import Comparison, Pair, Paths, crossed
from ..equations import Equations, Start
from ..equations.start import by_name_of, dropped, refuse_unknown
from ..errors import (
    DalembertError,
    DalembertWarning,
    InvalidValue,
    UnknownName,
    WrongType,
    as_given,
    did_you_mean,
    kind_of,
)
from ..numerics.policy import LOOSEST, Policy
from ..numerics.run.run_context import RunRequest
from ..numerics.run.simulate import prepare as prepare_run
from ..numerics.run.simulate import simulate
from ..trajectory import Trajectory, check_times
from ..trajectory.interpolant import knots
from .name_arguments import by_name
from .starts_with_inputs import start_with_inputs

# --- the distance of two configurations, without units and without a metric ------------------------------------------
# d_i = q'_i - q_i                        each column; angles brought to (-pi, pi]; quaternions q' with the sign
#                                         for which q' . q >= 0
# distance = max_i |d_i| / size_i
# size_i = the range of coordinate i over all motions (an angle's at most 2 pi; one common size for the entries of a
#          rotation), or the largest |u_i| of a velocity; at least 1e-4 of the start's size or of 1, whichever is
#          smaller

STILL = 1e-4  # of the start's size: a column that moves less than this is measured against this


@dataclass(frozen=True, eq=False)
class Ruler:
    """What is compared, and what it is measured against.

    Attributes:
        columns: k names.
        sizes: (k,).
        angles: (k,), which columns are angles.
        quaternions: positions of the columns of each unit quaternion.
    """

    columns: tuple[str, ...]
    sizes: np.ndarray
    angles: np.ndarray
    quaternions: tuple[list[int], ...]

    @classmethod
    def of(
        cls, space: Any, start: Mapping[str, float], tables: Sequence[np.ndarray], columns: tuple[str, ...]
    ) -> Ruler:
        """The ruler for motions given as tables (N, k) of the columns."""
        place = {name: i for i, name in enumerate(columns)}
        rotations = [[place[s.name] for s in attitude.coordinates] for attitude in space.attitudes.values()]
        angles = np.array([name in space.angles for name in columns])
        fast = np.array([name in {u.name for u in space.velocities} for name in columns])
        # size_i = max - min over all motions; max |u_i|
        every = np.vstack(tables)
        size = np.where(fast, np.abs(every).max(axis=0), np.ptp(every, axis=0))
        size = np.where(angles, np.minimum(size, 2 * np.pi), size)
        for group in rotations:
            size[group] = size[group].max()
        floor = STILL * min(1.0, max(abs(start[name]) for name in space.by_name) or 1.0)
        return cls(columns, np.maximum(size, floor), angles, tuple(g for g in rotations if len(g) == 4))

    def difference(self, one: np.ndarray, other: np.ndarray) -> np.ndarray:
        """other - one, (N, k)."""
        other = other.copy()
        for group in self.quaternions:
            opposite = np.sum(one[:, group] * other[:, group], axis=1) < 0
            other[np.ix_(opposite, group)] *= -1
        d = other - one
        turned = np.pi - (np.pi - d) % (2 * np.pi)
        return np.where(self.angles, turned, d)

    def distance(self, difference: np.ndarray) -> np.ndarray:
        """max_i |d_i|/size_i, (N,)."""
        # distance = max_i |d_i| / size_i
        return np.asarray((np.abs(difference) / self.sizes).max(axis=-1))


def visible_columns(space: Any, start: Mapping[str, float], parameters: Mapping[str, float]) -> tuple[str, ...]:
    """The coordinates; and the velocities, where some of them move no coordinate (the spin of a direction)."""
    names = tuple(q.name for q in space.coordinates)
    here = {s: sp.Float({**parameters, **start}[s.name]) for s in space.frame.letters}
    E = np.array(space.anchor.xreplace(here).tolist(), float)
    hidden = np.linalg.matrix_rank(E) < len(space.velocities) if names else True
    return (*names, *(u.name for u in space.velocities)) if hidden else names


def table(path: Trajectory, t: np.ndarray, columns: Sequence[str]) -> np.ndarray:
    """The columns at times, (N, k)."""
    at = path.at(t)
    return np.column_stack([at[name] for name in columns])


POINTS = 2001
WITHIN, ROUNDS = 8, 4  # points in a step of the motions, between which their parting is sought, and how often anew
OTHER_TOLERANCE = 30.0  # the second run's rtol over the first's
SAFETY, ROUNDING = 3.0, 100.0  # times the change between the two runs; times rtol
SAME_END = 1e-6  # of the span: as much earlier the second run may meet an event


class _Run(NamedTuple):
    """One principle's start, motion, and the same motion with another tolerance."""

    label: str
    equations: Equations
    start: Start
    path: Trajectory
    again: Trajectory


@public
def compare(
    system: Any,
    principles: Sequence[Any] | Mapping[str, Any],
    *,
    start: Mapping[Any, Any],
    until: float,
    parameters: Mapping[Any, Any] | None = None,
    samples: object = None,
    **options: Any,
) -> Comparison:
    """Run one system under several principles from one start and say where the motions agree and where they part.

    Args:
        system: what the principles are applied to.
        principles: names, as in ``["nonholonomic", "vakonomic"]`` or ``"nonholonomic vakonomic"``, functions `System`
            -> `Equations`, or ready `Equations`; a mapping gives them labels of its own.
        start: values by name, for all: positions, velocities and rotations, of which each principle completes its own
            start. The vakonomic principle needs a multiplier for each constraint, ``lam_<constraint>=0``; it goes to
            those principles that have it as a state.
        until: the time at which to end.
        parameters: values that replace those of the systems; each goes to the systems that have it.
        samples: times of the comparison; by default 2001 over the time common to all runs.
        options: those of `simulate`: inputs, events, rtol, atol, method, ...

    Returns:
        A `Comparison`. Distances are those of `experiment.distance`: the largest over the coordinates of the
        difference over the motion's size, and that is the range over all motions up to `until`, of an angle at most a
        turn: a motion that goes on growing is larger the longer it is compared. When two are first visibly apart is
        solved for on their dense output.

    Raises:
        InvalidValue: E307 fewer than two principles, or runs that keep no path; E2xx, with the principle's name, for a
            start that a principle cannot complete.
        UnknownName: E229, E235, E236 a name in the start, E202 a parameter, that no principle knows.
        WrongType: E307 something that is neither a principle nor equations; E241 a start that is not given by name.
    """
    every = _equations(system, principles)
    begins = _begins(every, start, parameters, options)
    runs = [_run(label, e, begin, until, options) for (label, e), begin in zip(every, begins, strict=True)]
    t = _times(runs, samples)
    columns = visible_columns(every[0][1].space, runs[0].start, runs[0].start.parameters)
    tables = [table(run.path, t, columns) for run in runs]
    # sizes are those of the motions, whatever the samples are
    wide = tables if samples is None else [table(run.path, _times(runs, None), columns) for run in runs]
    ruler = Ruler.of(every[0][1].space, runs[0].start, wide, columns)
    errors = [_error(run, t, ruler, rows) for run, rows in zip(runs, tables, strict=True)]
    floor = ROUNDING * Policy.of(_policy(options)).rtol
    pairs = [
        _pair(runs[i], runs[j], t, ruler, tables[j], tables[i], np.maximum(SAFETY * (errors[i] + errors[j]), floor))
        for i, j in itertools.combinations(range(len(runs)), 2)
    ]
    labels = tuple(run.label for run in runs)
    return Comparison(
        title=every[0][1].system.title,
        principles=labels,
        paths=Paths.of(labels, (run.path for run in runs)),
        t=t,
        until=float(seconds(until, "until")),
        columns=columns,
        scales=dict(zip(columns, map(float, ruler.sizes), strict=True)),
        pairs=tuple(pairs),
    )


def prepare(
    system: object,
    principles: object,
    start: object,
    until: object,
    samples: object,
    parameters: Mapping[Any, Any] | None,
    **options: Any,
) -> dict[str, RunRequest]:
    """The runs that `compare` makes of the same arguments, by label, or what it refuses."""
    every = _equations(system, principles)
    begins = _begins(every, start, parameters, options)
    return {
        label: prepare_run(e, begin, until=until, samples=samples, **options)
        for (label, e), begin in zip(every, begins, strict=True)
    }


# --- what is compared ------------------------------------------------------------------------------------------------


def _equations(system: Any, principles: Any) -> list[tuple[str, Equations]]:
    """Equations by label; labels that occur twice are numbered."""
    if isinstance(principles, Equations) or not several(principles):
        raise WrongType("E307", "principles are given as a list", "[da.nonholonomic, da.vakonomic]")
    labelled = list(principles.items() if isinstance(principles, Mapping) else ((None, p) for p in principles))
    found: list[tuple[str, Equations]] = []
    made: dict[int, Equations] = {}  # a principle that is given twice gives the same equations
    for label, principle in labelled:
        equations = made.get(id(principle)) or equations_of(system, principle)
        made[id(principle)] = equations
        found.append((_distinct(str(label or equations.principle), [k for k, _ in found]), equations))
    if len(found) < 2:
        raise InvalidValue("E307", "a comparison needs at least two principles", "[da.nonholonomic, da.vakonomic]")
    _check_same_space([e for _, e in found])
    return found


def equations_of(system: object, principle: object) -> Equations:
    """The equations of a system under a principle, or those given (WrongType E307 if it is neither)."""
    if isinstance(principle, Equations):
        return principle
    if not callable(principle) or isinstance(principle, type):
        raise WrongType("E307", f"{as_given(principle)} is no principle", "da.nonholonomic, da.vakonomic or da.free")
    equations = function(principle, "a principle", "system")(system)
    if not isinstance(equations, Equations):
        raise WrongType(
            "E307", f"{as_given(principle)} gave {kind_of(equations)} instead of equations", "give a principle"
        )
    return equations


def _distinct(label: str, taken: Sequence[str]) -> str:
    numbered = (f"{label} ({i})" for i in itertools.count(2))
    return label if label not in taken else next(n for n in numbered if n not in taken)


def _check_same_space(every: Sequence[Equations]) -> None:
    """E307: motions in different coordinates cannot be compared."""
    first = tuple(every[0].space.by_name)
    for other in every[1:]:
        if tuple(other.space.by_name) != first:
            raise InvalidValue(
                "E307", f"{other.principle} has other coordinates than {every[0].principle}", "compare in one space"
            )


# --- one start for all -----------------------------------------------------------------------------------------------


def _given(
    start: object, every: Sequence[Equations], parameters: Iterable[object] | None
) -> tuple[dict[str, Any], float]:
    """Values by name, of which each is known to some principle, and the time."""
    start = by_name_of(start, every, parameters)
    if not isinstance(start, Mapping):
        raise WrongType(
            "E241", f"the start of a comparison is given by name, not as {kind_of(start)}", 'start={"x": 0}'
        )
    given = by_name(start, "values of the start", "E241", 'start={"x": 0}')
    time = given.pop("t", start.t if isinstance(start, Start) else 0.0)
    known = list(dict.fromkeys(name for e in every for name in _own(e)))
    for name in given:
        if name not in known:
            symbols = [s for e in every for s in e.system.symbols]
            refuse_unknown(name, known, symbols, [s.name for e in every for s in e.multipliers])
    return given, time


def _own(equations: Equations) -> tuple[str, ...]:
    """The names a start of these equations may hold."""
    return (*equations.states, *equations.space.attitudes)


def _parameters(given: Mapping[Any, Any] | None, start: object, every: Sequence[Equations]) -> dict[str, Any]:
    """Parameter values by name, of which each is known to some system."""
    if not isinstance(given, Mapping | None):
        raise WrongType("E204", f"parameters must be a mapping, not {kind_of(given)}", 'write {"m": 1.0}')
    own = by_name(given, "parameters", "E204", 'write {"m": 1.0}')
    known = {name for e in every for name in (*e.system.symbols, *e.system.parameters)}
    for name in own:
        if name not in known:
            raise UnknownName("E202", f"unknown parameter {as_given(name)}", did_you_mean(name, known))
    return {**(start.parameters if isinstance(start, Start) else {}), **own}


def _begins(
    every: Sequence[tuple[str, Equations]],
    start: object,
    parameters: Mapping[Any, Any] | None,
    options: Mapping[str, object],
) -> list[Start]:
    """The start under each principle, of the values that it has."""
    if not options.get("dense", True):
        raise InvalidValue("E307", "a comparison needs the paths between the samples", "leave dense out")
    given, t0 = _given(start, [e for _, e in every], parameters)
    values, inputs = _parameters(parameters, start, [e for _, e in every]), options.get("inputs")
    begins = [(e, _begin(label, e, given, t0, values, inputs)) for label, e in every]
    return [replace(begin, notes=(*dropped(e, start), *begin.notes)) for e, begin in begins]


def _begin(
    label: str, equations: Equations, given: Mapping[str, Any], t0: Any, parameters: Mapping[str, Any], inputs: Any
) -> Start:
    """The start under one principle."""
    known = {*equations.system.symbols, *equations.system.parameters}
    own = {k: v for k, v in given.items() if k in _own(equations)}
    values = {k: v for k, v in parameters.items() if k in known}
    return named_refusal(label, lambda: start_with_inputs(equations, own, t0, values, inputs))


def _run(label: str, equations: Equations, begin: Start, until: float, options: Mapping[str, Any]) -> _Run:
    """The motion under one principle, twice."""
    path = simulate(equations, begin, until=until, **options)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DalembertWarning)
        again = simulate(equations, begin, until=until, **_with_other_tolerance(options))
    return _Run(label, equations, begin, path, again)


def named_refusal(label: str, complete: Callable[[], Start]) -> Start:
    """A start; a refusal says under which principle it was refused."""
    try:
        return complete()
    except DalembertError as error:
        raise type(error)(error.code, (f"{label}: ", error.told[0]), error.told[1], error.detail) from None


def _policy(options: Mapping[str, object]) -> dict[str, object]:
    return {k: v for k, v in options.items() if k not in ("events", "inputs")}


def _with_other_tolerance(options: Mapping[str, object]) -> dict[str, Any]:
    """The options with rtol (and a given atol) larger by a factor; smaller where there is no room above."""
    rtol = Policy.of(_policy(options)).rtol
    factor = OTHER_TOLERANCE if rtol * OTHER_TOLERANCE <= LOOSEST else 1 / OTHER_TOLERANCE
    changed = {**options, "rtol": rtol * factor}
    atol = options.get("atol")
    if isinstance(atol, Mapping):
        changed["atol"] = {k: v * factor for k, v in atol.items()}
    elif atol is not None:
        changed["atol"] = np.asarray(atol) * factor
    return changed


# --- distances -------------------------------------------------------------------------------------------------------


def _times(runs: Sequence[_Run], samples: object) -> np.ndarray:
    """Times within all paths: the given ones, or evenly spaced ones."""
    first, last = runs[0].path.t[0], min(run.path.t[-1] for run in runs)
    if samples is None:
        return np.linspace(first, last, POINTS) if last > first else np.array([first])
    times = check_times(samples, first, max(run.path.provenance["until"] for run in runs))
    inside = times[times <= last]
    return inside if len(inside) else np.array([first])


def _error(run: _Run, t: np.ndarray, ruler: Ruler, rows: np.ndarray) -> np.ndarray:
    """What another tolerance changes in a motion, the largest up to each time, (N,)."""
    end = run.again.t[-1]
    inside = np.minimum(t, end)
    change = ruler.distance(ruler.difference(rows, table(run.again, inside, ruler.columns)))
    # the two runs may meet an event at slightly different times: there the earlier end is compared with nothing
    close = t - end <= SAME_END * (t[-1] - t[0])
    change = np.where(t <= end, change, np.where(close, 0.0, np.inf))
    return np.asarray(np.maximum.accumulate(change))


def _pair(
    one: _Run, other: _Run, t: np.ndarray, ruler: Ruler, second: np.ndarray, first: np.ndarray, known: np.ndarray
) -> Pair:
    difference = ruler.difference(first, second)
    both = (one, other)
    doubts = [doubt(r.label, r.path) for r in both if not r.path.ok]
    early = [f"{r.label} {r.path.outcome}" for r in both if r.path.ok and r.path.t[-1] < r.path.provenance["until"]]
    distance = ruler.distance(difference)
    at = _visible_at(one.path, other.path, t, ruler, crossed(t, distance)[1])
    told = tuple(doubts), tuple(early), at, one.equations is other.equations
    return Pair(one.label, other.label, t, ruler.columns, difference, distance, known, *told)


def _visible_at(one: Trajectory, other: Trajectory, t: np.ndarray, ruler: Ruler, seen: float) -> float:
    """The first time at which the distance is visible, NaN if it never is: sought on the steps of both motions.

    Of the times `t` it is visible first at `seen`; where the motions are fast beside these, it was so before.
    """
    last = t[-1] if math.isnan(seen) else seen
    steps = np.unique(np.concatenate([knots(one), knots(other), t]))
    steps = steps[(steps >= t[0]) & (steps <= last)]
    parts = steps[:-1, None] + np.arange(WITHIN) / WITHIN * np.diff(steps)[:, None]
    times, found = np.append(parts.ravel(), last), math.nan
    for _ in range(ROUNDS):
        rows = [table(path, times, ruler.columns) for path in (one, other)]
        first, then, found = crossed(times, ruler.distance(ruler.difference(*rows)))
        if math.isnan(found) or first == then:
            break
        times = np.linspace(first, then, len(parts[0]) + 1)
    return found


def doubt(label: str, path: Trajectory) -> str:
    """Why a run cannot be trusted, in words."""
    return f"{label} {'failed' if path.audit.verdict == 'failed' else 'is suspect'} ({'; '.join(path.audit.reasons)})"
