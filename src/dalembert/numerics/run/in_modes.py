"""Motions whose contacts change: one with its path, and members of an ensemble with what is kept of each."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from types import MappingProxyType
from typing import NamedTuple

import numpy as np

from ...calculus.forking import lock
from ...equations import Equations, Start
from ...equations.contacts import Contacts, Modes
from ...event import Event
from ...trajectory import Ending, Trajectory
from ..contacts.pieces import Pieces
from ..contacts.segment import Runner, runner_of
from ..contacts.whole import Story, ending_of, path_of, story_of, summed_up
from ..events.compiled_guards import Watch
from ..events.guard import Guard, events_of
from ..inputs.steering import Holds
from ..policy import Policy
from ..vector_field.field import Field
from .bouts import Bout, audits_of
from .carried import Prepared, carried, doubtful, noticed, provenance, resting
from .columns import Columns
from .gathered import Made
from .mode_runs import ModeRuns, Rooms
from .reused import Reused

Known = tuple[dict[Modes, tuple[Guard, ...]], dict[object, tuple[object, Watch]]]
_KNOWN: weakref.WeakKeyDictionary[Contacts, dict[tuple[object, ...], Known]] = weakref.WeakKeyDictionary()
in_turn = lock()  # equations of modes are made when they are met, and code is shared


def motion(prepared: Prepared, events: object, tick: Callable[[float], None]) -> Trajectory:
    """Carry out a run whose contacts change.

    Raises:
        InvalidValue: E130, E138, E240, E410, E411: no motion begins at the start.
    """

    def carry(field: Field, policy: Policy, guards: tuple[Guard, ...], end: float, holds: Holds) -> Bout:
        every = (*guards, *resting(field))
        made = _kept_steps(carried(field, policy, every, end, None, steering, tick, holds, reused))
        columns = Columns(made.run.legs)
        early = doubtful(made.run, columns, end)
        notes = partial(noticed, made.run, made.growth, policy, early)
        return Bout(made, policy, every, columns, notes, early, partial(provenance, field, policy, end, steering))

    steering = prepared.steering
    equations, start = prepared.field.equations, prepared.field.start
    runner = runner_of(equations, start, prepared.policy, events_of(events, equations), prepared.end)
    guards, watches = _known(runner)
    reused, runner = Reused(watches=watches), replace(runner, steering=steering, guards=guards)
    story = story_of(runner, carry, ModeRuns(prepared.policy, reused, tick))
    return path_of(runner, story, prepared.samples, audits_of)


def _kept_steps(made: Made) -> Made:
    """A run whose steps are those that it keeps: the ones beyond what ended it, which were tried, are none."""
    run = made.run
    kept = sum(int(np.count_nonzero(np.diff(leg.path.t))) for leg in run.legs)
    run.spent = run.spent._replace(steps=min(kept, run.spent.steps))
    return made


def _known(runner: Runner) -> Known:
    """Guards that earlier runs of the same equations have made, where the caller has no events."""
    contacts = runner.eye.contacts
    if runner.events:
        return {}, {}
    key = runner.policy.walls, tuple(sorted(runner.first.parameters))
    return _KNOWN.setdefault(contacts, {}).setdefault(key, ({}, {}))


class Kept(NamedTuple):
    """What is kept of one member.

    Attributes:
        rows: states and work at times inside, ``rows(t)`` (len(t), n + 1).
        t, y: where it ended, state and work (n + 1,).
        ending: how.
        steps, rejected, margin: what it cost.
        marks: when each event happened.
        sums: what contacts did, by the names of `Contacts.sums`.
    """

    rows: Callable[[np.ndarray], np.ndarray]
    t: float
    y: np.ndarray
    ending: Ending
    steps: int
    rejected: int
    margin: float
    marks: Mapping[str, Sequence[float] | np.ndarray]
    sums: Mapping[str, float] = MappingProxyType({})


@dataclass(frozen=True, eq=False)
class Crew:
    """Members of an ensemble, run one after the other by the code of modes that they share.

    Attributes:
        equations, policy, until, events: of all of them.
        guards: events of each combination of modes.
        sums: are they asked for?
        reused: code of guards, and steppers.
        rooms: what stretches of modes are made in.
    """

    equations: Equations
    policy: Policy
    until: float
    events: tuple[Event, ...]
    sums: bool = False
    guards: dict[Modes, tuple[Guard, ...]] = field(default_factory=dict)
    reused: Reused = field(default_factory=Reused)
    rooms: Rooms = field(default_factory=dict)

    def member(self, start: Start) -> Kept:
        """One from its start to its end; its numbers do not depend on the others.

        Raises:
            InvalidValue: those of `motion`.
        """
        with in_turn:
            runner = replace(runner_of(self.equations, start, self.policy, self.events, self.until), guards=self.guards)
            story = story_of(runner, self._carry, self._faster())
            return self._kept(story, ending_of(runner, story)[1])

    def _faster(self) -> ModeRuns:
        return ModeRuns(self.policy, self.reused, lambda t: None, self.rooms, ahead=True)

    def _carry(self, field: Field, policy: Policy, guards: tuple[Guard, ...], end: float, holds: Holds) -> Bout:
        every = (*guards, *resting(field))
        made = _kept_steps(carried(field, policy, every, end, reused=self.reused))
        return Bout(made, policy, every, Columns(made.run.legs), tuple, (), dict)

    def _kept(self, story: Story, ending: Ending) -> Kept:
        pieces = Pieces(story.pieces, [found.opening for found in story.begun])
        bouts = [piece.path for piece in story.pieces if isinstance(piece.path, Bout)]
        spent = [bout.run.spent for bout in bouts]
        marks = {e.name: [t for bout in bouts for t, _ in bout.run.marks.get(e.name, ())] for e in self.events}
        t = pieces.knots[-1]
        return Kept(
            rows=pieces.rows,
            t=float(t),
            y=pieces.rows(np.array([t]))[0],
            ending=ending,
            steps=sum(each.steps for each in spent),
            rejected=sum(each.rejected for each in spent),
            margin=min(each.margin for each in spent),
            marks=marks,
            sums=summed_up(story, pieces) if self.sums else {},
        )
