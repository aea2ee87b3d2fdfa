"""Ensembles: many runs of one set of equations, each with its own start and its own parameters."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ...calculus.forking import lock
from ...equations import Start
from ...errors import DalembertError
from ...trajectory import Trajectory
from ..methods import Dop853
from ..run.simulate import Prepared, _events, _in_modes, _simulate
from . import members_in_lanes
from .results import OTHER, STATUS, Ensemble, Results

_compiling = lock()
_in_turn = lock()  # members with contacts make the equations of modes when they meet them


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
        left = members_in_lanes.carry_out(ensemble, states, parameters, results)
    for i in left.tolist():
        _run(ensemble, states[i], {name: float(column[i]) for name, column in parameters.items()}, i, results)
    return results


def in_lanes(ensemble: Ensemble) -> bool:
    """Are members run side by side, but for those that no lane holds?"""
    return isinstance(ensemble.policy.method, Dop853) and ensemble.equations.contacts is None


def member(ensemble: Ensemble, state: np.ndarray, parameters: Mapping[str, float]) -> Trajectory:
    """The whole path of one member.

    Raises:
        DalembertError: E240, E310, E311, the start does not fit the events; E130, E138, E410, E411, nor the contacts.
    """
    values = dict(zip(ensemble.equations.states, map(float, state), strict=True))
    field_ = ensemble.policy.leanest_field(ensemble.equations, Start(values, ensemble.t0, {}, parameters=parameters))
    with _compiling:
        _ = field_.kernel
    if ensemble.equations.contacts is not None:
        prepared = Prepared(field_, ensemble.policy, (), ensemble.until, None, ())
        with _in_turn:
            return _in_modes(prepared, ensemble.events, lambda t: None)
    guards, notes = _events(ensemble.events, field_, ensemble.until - ensemble.t0)
    return _simulate(field_, ensemble.policy, guards, ensemble.until, None, tuple(notes), lambda t: None)


def _run(ensemble: Ensemble, state: np.ndarray, parameters: Mapping[str, float], i: int, into: Results) -> None:
    try:
        path = member(ensemble, state, parameters)
    except DalembertError as error:
        into.code[i] = int(error.code[1:])
        into.status[i] = STATUS.get(int(into.code[i]), OTHER)
        into.t[i], into.y[i] = ensemble.t0, np.r_[state, 0.0]
        return
    columns: Any = path.dense
    times, full = columns.nodes
    into.t[i], into.y[i] = times[-1], full[-1]
    into.code[i] = 0 if path.reached else int(path.ending.code[1:])
    into.status[i] = bool(path.ending.event) if path.reached else STATUS.get(int(into.code[i]), OTHER)
    into.steps[i], into.rejected[i], into.margin[i] = path.audit.steps, path.audit.rejected, path.audit.margin
    if ensemble.times is not None and into.samples is not None:
        t = ensemble.times[ensemble.times <= times[-1]]
        into.samples[i, : len(t)] = columns.rows(t)
    for name, happened in into.marks.items():
        found = path.marks[name].t
        happened.counts[i] = len(found)
        happened.t[i, : min(len(found), ensemble.marks)] = found[: ensemble.marks]
