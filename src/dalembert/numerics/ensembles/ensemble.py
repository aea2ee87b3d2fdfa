"""Ensembles: many runs of one set of equations, each with its own start and its own parameters."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, cast

import numpy as np

from ...calculus.fork_locks import lock
from ...equations import Start
from ...errors import DalembertError
from ...trajectory import Trajectory
from ..run.integrate import execute
from ..run.path_columns import PathColumns
from ..run.path_of_run import path_of
from ..run.run_context import RunRequest
from ..run.simulate import guards_at
from .results import OTHER, STATUS, Ensemble, Results

if TYPE_CHECKING:
    from ..run.hybrid_motion import MemberResult

_compiling = lock()


def carry_out(ensemble: Ensemble, states: np.ndarray, parameters: Mapping[str, np.ndarray]) -> Results:
    """Run every member from its start.

    Args:
        ensemble: what they share.
        states: consistent starts, in the order of the equations (K, n).
        parameters: values of all parameters (K,) by name.

    Returns:
        `Results`, the same bits whatever other members there are.
    """
    results = Results.nothing(ensemble, len(states))
    left = np.arange(len(states))
    if in_lanes(ensemble):
        from . import members_in_lanes

        left = members_in_lanes.carry_out(ensemble, states, parameters, results)
    for i in left.tolist():
        _run(ensemble, states[i], {name: float(column[i]) for name, column in parameters.items()}, i, results)
    return results


def in_lanes(ensemble: Ensemble) -> bool:
    """Are members run side by side, but for those that no lane holds?"""
    return ensemble.policy.method.pair is not None and ensemble.equations.contacts is None


def member(ensemble: Ensemble, state: np.ndarray, parameters: Mapping[str, float]) -> Trajectory:
    """The whole path of one member.

    Raises:
        DalembertError: E240, E310, E311, the start does not fit the events; E130, E138, E410, E411, nor the contacts.
    """
    field_ = ensemble.policy.leanest_field(ensemble.equations, _start(ensemble, state, parameters))
    with _compiling:
        _ = field_.kernel
    if ensemble.equations.contacts is not None:
        from ..run.hybrid_motion import in_turn, motion

        with in_turn:
            return motion(RunRequest(field_, ensemble.policy, (), ensemble.until), ensemble.events)
    guards, notes = guards_at(ensemble.events, field_, ensemble.until - ensemble.t0)
    request = RunRequest(field_, ensemble.policy, guards, ensemble.until, notes=tuple(notes))
    return path_of(execute(request), request)


def _start(ensemble: Ensemble, state: np.ndarray, parameters: Mapping[str, float]) -> Start:
    values = dict(zip(ensemble.equations.states, map(float, state), strict=True))
    return Start(values, ensemble.t0, {}, parameters=parameters)


def _run(ensemble: Ensemble, state: np.ndarray, parameters: Mapping[str, float], i: int, into: Results) -> None:
    try:
        kept = _kept(ensemble, state, parameters)
    except DalembertError as error:
        into.code[i] = int(error.code[1:])
        into.status[i] = STATUS.get(int(into.code[i]), OTHER)
        into.t[i], into.y[i] = ensemble.t0, np.r_[state, 0.0]
        return
    into.t[i], into.y[i] = kept.t, kept.y
    ended = kept.ending.outcome
    into.code[i] = ended if kept.ending.code else 0
    into.status[i] = STATUS.get(ended, OTHER) if kept.ending.code else ended
    into.steps[i], into.rejected[i], into.margin[i] = kept.steps, kept.rejected, kept.margin
    if ensemble.times is not None and into.samples is not None:
        t = ensemble.times[ensemble.times <= kept.t]
        into.samples[i, : len(t)] = kept.rows(t)
    for name, numbers in into.sums.items():
        numbers[i] = kept.sums[name]
    for name, happened in into.marks.items():
        found = kept.marks[name]
        happened.counts[i] = len(found)
        happened.t[i, : min(len(found), ensemble.marks)] = found[: ensemble.marks]


def _kept(ensemble: Ensemble, state: np.ndarray, parameters: Mapping[str, float]) -> MemberResult:
    """What is kept of a member that no lane holds."""
    if ensemble.equations.contacts is not None:
        return ensemble.crew.member(_start(ensemble, state, parameters))
    from ..run.hybrid_motion import MemberResult

    path = member(ensemble, state, parameters)
    columns = cast(PathColumns, path.dense)
    times, full = columns.nodes
    spent = path.audit.steps, path.audit.rejected, path.audit.margin
    marks = {name: path.marks[name].t for name in (event.name for event in ensemble.events)}
    return MemberResult(columns.rows, float(times[-1]), full[-1], path.ending, *spent, marks)
