"""One sweep as data: what is to be done, and one batch of it as a function of its first and last member."""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from time import perf_counter
from typing import Any

import numpy as np

from ...calculus.fork_locks import lock
from ...equations import Equations
from ...errors import InvalidValue, as_given, kind_of
from ...trajectory import Trajectory
from ...trajectory.audit import STOPPED
from ..ensembles import ensemble
from ..ensembles.results import Ensemble, Results
from . import member_starts
from .kept_columns import Kept, Measure, Variable
from .member_audit import Looking, MembersAudit, Moments, columns, of
from .parameter_grid import Inputs

_PART, _IN_TURN = 2048, 32  # members between two looks at whether to stop, in lanes and in turn
_MORE, _SOON = 8, 0.2  # times as many at most, where those before took fewer seconds
_ROOM = 2**23  # numbers of samples at once: 64 MB
_ROWS = 50_000  # members times sample times at once, while columns are computed
# outcomes of members that were refused when they met their events, or their contacts; the latter may end a run as well
_NEVER_RAN, _AT_CONTACTS = (129, 130, 138, 240, 310, 311), (410, 411, 412)

_preparing = lock()

Batch = dict[str, np.ndarray]
Progress = Callable[[int], None]


@dataclass(frozen=True, eq=False)
class Task:
    """What is to be done.

    Attributes:
        ensemble: what all members share.
        given: starts and parameters.
        kept: what is kept of each member.
        seed: of the samples.
    """

    ensemble: Ensemble
    given: Inputs
    kept: Kept
    seed: int = 0
    _others: dict[tuple[int, ...], Ensemble] = field(default_factory=dict, repr=False)

    @property
    def equations(self) -> Equations:
        """Of all members."""
        return self.ensemble.equations

    @property
    def total(self) -> int:
        """How many members there are."""
        return self.given.grid.total

    @cached_property
    def variables(self) -> tuple[Variable, ...]:
        """Of the result."""
        times = self.ensemble.times
        return self.kept.variables(self.equations, None if times is None else len(times))

    @property
    def bytes(self) -> int:
        """Of the result of one member."""
        return sum(v.bytes for v in self.variables)

    def bare(self) -> Task:
        """Without what is computed on demand, to be sent elsewhere."""
        return replace(self, ensemble=replace(self.ensemble, equations=self.equations.apart()), _others={})

    def batch(self, first: int, last: int, stop: threading.Event | None = None, tick: Progress | None = None) -> Batch:
        """The variables of the members from `first` to before `last`; stopped on the way, an error.

        Args:
            first, last: of the members.
            stop: whether to go on is asked now and then.
            tick: told how many members were finished, each time some are.
        """
        self._prepare(self.equations)
        room = {v.name: np.full((last - first, *v.shape), _empty(v), v.kind) for v in self.variables}
        i, step, most = first, self._step(), self._step(_MORE)
        while i < last:
            if stop is not None and stop.is_set():
                raise InterruptedError
            begun, end = perf_counter(), min(i + step, last)
            for name, part in self._part(i, end).items():
                room[name][i - first : end - first] = part
            if tick is not None:
                tick(end - i)
            i, step = end, min(2 * step, most) if perf_counter() - begun < _SOON else step
        for array in room.values():
            if array.dtype.kind == "f":
                array[np.isnan(array)] = np.nan  # of one bit pattern, so that equal results are equal bits
        return room

    def _step(self, more: int = 1) -> int:
        """How many members are run at once; fewer where their samples are many, or one is run after the other."""
        numbers = (len(self.equations.states) + 1) * (1 if self.ensemble.times is None else len(self.ensemble.times))
        return int(np.clip(_ROOM // numbers, 1, more * _PART if ensemble.in_lanes(self.ensemble) else _IN_TURN))

    def _part(self, first: int, last: int) -> Batch:
        begun = member_starts.complete(self.equations, self.given, first, last)
        results = self._run(begun)
        outcome = np.where(begun.code > 0, begun.code, of(results)).astype(np.int16)
        first_moment = Moments(
            np.full(last - first, self.ensemble.t0), np.column_stack([begun.states, np.zeros(last - first)]), begun[1]
        )
        refused = begun.code > 0
        with np.errstate(all="ignore"):
            audit = MembersAudit(self.equations, first_moment, Looking(self.equations, self.total))
            kept = self._columns(results, begun.parameters, audit)
        drift = audit.drift(results.steps)
        blank = {"constraint_residual": audit.residual, "energy_drift": drift}
        # members that friction has stopped, and no event that was asked for (K,)
        asked = [results.marks[event.name].counts > 0 for event in self.ensemble.events if event.stops]
        unasked = (outcome == STOPPED) & ~np.any(asked or [np.zeros(len(outcome), bool)], axis=0)
        return {
            **kept,
            **self._events(results),
            **results.sums,
            **self._measures(begun, outcome),
            "t_end": results.t,
            "outcome": outcome,
            "verdict": audit.verdict(outcome, unasked, drift),
            **{name: np.where(refused, np.nan, value) for name, value in blank.items()},
            "margin": results.margin,
            "steps": results.steps,
            "rejected": results.rejected,
        }

    def _run(self, begun: member_starts.Starts) -> Results:
        """Carry out the members that were not refused, by the constraint rows that they keep."""
        whole = Results.nothing(self.ensemble, len(begun.code))
        ordinary = begun.code == 0
        groups = {kept: rows[begun.code[rows] == 0] for kept, rows in begun.rows.items()}
        for rows in groups.values():
            ordinary[rows] = False
        for kept, rows in {self.equations.kept: np.flatnonzero(ordinary), **groups}.items():
            if len(rows):
                parameters = {name: np.ascontiguousarray(column[rows]) for name, column in begun.parameters.items()}
                states = np.ascontiguousarray(begun.states[rows])
                whole.put(rows, ensemble.carry_out(self._keeping(kept), states, parameters))
        return whole

    def _keeping(self, kept: tuple[int, ...]) -> Ensemble:
        """The ensemble on other constraint rows, the same object each time, so that it is compiled once."""
        if kept == self.equations.kept:
            return self.ensemble
        if kept not in self._others:
            new = replace(self.ensemble, equations=replace(self.equations, kept=kept))
            self._prepare(new.equations)
            self._others.setdefault(kept, new)
        return self._others[kept]

    @staticmethod
    def _prepare(equations: Equations) -> None:
        """Make the expression graph once: two threads that both made it would mix the nodes of two graphs."""
        with _preparing:
            _ = equations.machine

    def _columns(self, results: Results, parameters: dict[str, np.ndarray], audit: MembersAudit) -> Batch:
        """The kept columns at the end or at the sample times; the audit sees them all."""
        end = Moments(results.t, results.y, parameters)
        audit.add(end)
        if results.samples is None or self.ensemble.times is None:
            return columns(self.equations, self.kept.columns, end)
        room = {name: np.empty(results.samples.shape[:2]) for name in self.kept.columns}
        count, times = len(results.t), self.ensemble.times
        together = max(1, _ROWS // count)
        for j in range(0, len(times), together):
            t = times[j : j + together]
            y = results.samples[:, j : j + together].reshape(count * len(t), -1)
            repeated = {name: np.repeat(column, len(t)) for name, column in parameters.items()}
            moments = Moments(np.tile(t, count), y, repeated)
            audit.add(moments)
            for name, column in columns(self.equations, self.kept.columns, moments).items():
                room[name][:, j : j + together] = column.reshape(count, len(t))
        return room

    def _events(self, results: Results) -> Batch:
        found: Batch = {}
        for name, count in self.kept.events.items():
            happened = results.marks[name]
            found[f"{name}_count"] = happened.counts
            found[f"{name}_time"] = happened.t[:, 0] if count == 1 else happened.t[:, :count]
        return found

    def _measures(self, begun: member_starts.Starts, outcome: np.ndarray) -> Batch:
        """The measures of each path, NaN where a function has no number for it."""
        found = {name: np.full(len(outcome), np.nan) for name in self.kept.measures}
        if not found:
            return found
        ran = np.flatnonzero((begun.code == 0) & ~np.isin(outcome, _NEVER_RAN))
        for i in ran:
            try:
                path = self._path(begun, int(i))
            except InvalidValue as error:
                if int(error.code[1:]) in _AT_CONTACTS:
                    continue
                raise
            for name, measure in self.kept.measures.items():
                found[name][i] = _measured(name, measure, path)
        return found

    def path(self, member: int) -> Trajectory | None:
        """The whole path of a member; None where its start is refused."""
        self._prepare(self.equations)
        begun = member_starts.complete(self.equations, self.given, member, member + 1)
        return None if begun.code[0] else self._path(begun, 0)

    def _path(self, begun: member_starts.Starts, i: int) -> Trajectory:
        """The whole path from the start i of some."""
        kept = next((kept for kept, rows in begun.rows.items() if i in rows), self.equations.kept)
        values = {name: float(column[i]) for name, column in begun.parameters.items()}
        return ensemble.member(self._keeping(kept), begun.states[i], values)

    def refused(self, first: int, last: int) -> np.ndarray:
        """The code with which the start of each member is refused, or 0 (last - first,)."""
        return member_starts.complete(self.equations, self.given, first, last).code


def batches(total: int, size: int) -> Iterator[tuple[int, int]]:
    """First member, and the one after the last, of each batch."""
    return ((first, min(first + size, total)) for first in range(0, total, size))


def _measured(name: str, measure: Measure, path: Trajectory) -> float:
    """A measure of a path; NaN where it has none, as for one that ended early. A name that no path has is a slip."""
    try:
        found = measure(replace(path, t=path.t.copy(), values=path.values.copy()))  # what it changes is its own
        if isinstance(found, str):
            raise TypeError(f"it returns the text {as_given(found)}")
        return float(found)
    except (ArithmeticError, IndexError, ValueError):
        return math.nan
    except Exception as error:
        fact = f"the measure {as_given(name)} fails: {kind_of(error)}: {error}"
        raise InvalidValue("E318", fact, "a measure is a function of a Trajectory that returns a number") from error


def _empty(variable: Variable) -> Any:
    return np.nan if variable.kind == "f8" else 0
