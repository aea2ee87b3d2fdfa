"""What only a whole path tells: some members are run once more by themselves, and what these runs doubt is said.

Steps of one size that are too long (W305), states without digits (W306), a friction law that ends a motion before its
time (W310), digits that the start does not determine (W408). Measures that have a number for no member (W318).
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from ...equations.check import slip_speeds
from ...errors import Note, as_given, warn
from ...trajectory import Trajectory
from ..run.growth import few_steps
from ..run.sizes import may_be_unweighed
from . import starts
from .keep import Measure
from .outcomes import REACHED, STOPPED
from .task import Task

SAID = ("W305", "W306", "W310", "W311", "W408")
_MOST = 3  # members that are run again, besides the one of most steps


def doubted(task: Task, found: Mapping[str, Any]) -> list[Note]:
    """The doubts, once each: of how many of the members that were run again, and of which first."""
    told: dict[str, list[tuple[int, str]]] = {}
    members = _chosen(task, np.asarray(found["outcome"][:]), np.asarray(found["steps"][:]))
    for i in members:
        for code, text in _of(task, i):
            told.setdefault(code, []).append((i, text))
    notes = []
    for code, said in told.items():
        where = f"{len(said)} of {len(members)} members that were run alone, first of member {said[0][0]}"
        notes.append(warn(code, f"{said[0][1]} (said of {where})", 5))
    return [*notes, *_unmeasured(task, found)]


def _unmeasured(task: Task, found: Mapping[str, Any]) -> Iterator[Note]:
    """W318 for each measure that has a number for no member that ran, and why for the first of them."""
    ran = np.flatnonzero(np.isin(found["outcome"][:], (REACHED, STOPPED)))
    for name, measure in task.kept.measures.items() if len(ran) else ():
        if np.isnan(np.asarray(found[name][:])[ran]).all():
            told = f"the measure {as_given(name)} gives no number for any of the {len(ran)} members that ran"
            yield warn("W318", f"{told}: of member {ran[0]} {_said(measure, task.path(int(ran[0])))}", 5)


def _said(measure: Measure, path: Trajectory | None) -> str:
    """What a measure says of a path that it has no number for."""
    if path is None:
        return "it was not asked again"
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return f"it returns {measure(path)}"
    except Exception as error:
        return f"it raises {type(error).__name__}: {error}"


def _small(task: Task, member: int) -> bool:
    """Does a member start so small beside the tolerance that its run may leave few digits?"""
    begun = starts.complete(task.equations, task.given, member, member + 1)
    return may_be_unweighed(task.ensemble.policy, task.equations.states, begun.states[0])


def _of(task: Task, member: int) -> Iterator[tuple[str, str]]:
    path = task.path(member)
    for note in () if path is None else path.audit.notes:
        code, _, text = note.partition(" ")
        if code in SAID:
            yield code, text


def _chosen(task: Task, outcome: np.ndarray, steps: np.ndarray) -> list[int]:
    """Members that ran to their ends, far apart, and that of most steps; none where none of the doubts can be."""
    ran = np.flatnonzero(np.isin(outcome, (REACHED, STOPPED)))
    policy = task.ensemble.policy
    long = len(ran) > 0 and steps[ran].max() > few_steps(policy)
    if not len(ran):
        return []
    apart = ran[np.linspace(0, len(ran) - 1, _MOST).round().astype(int)]
    if not (policy.method.fixed or slip_speeds(task.equations) or long or any(_small(task, int(i)) for i in apart)):
        return []
    return sorted({*apart.tolist(), int(ran[steps[ran].argmax()])})
