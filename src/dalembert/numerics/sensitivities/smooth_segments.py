"""A motion in stretches on which it is smooth, and what happens between them: walls, switches, changes of contacts.

Where coefficients of inputs change, at times that nothing moves, states and derivatives go on as they are.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import NamedTuple, Protocol

import numpy as np

from ...calculus.frame import TIME
from ...calculus.from_sympy import read
from ...equations import Equations, Start
from ...equations.contact_modes import APART, SLIDES, STICKS, Modes
from ...errors import DalembertError, Note
from ...event import Event
from ..contacts.change import Changed
from ..contacts.problem import Choice
from ..events.guard import Guard, compile_guards, switches, with_walls
from ..events.guard_signs import INSTANT
from ..inputs.run_inputs import NONE, Steering
from ..policy import Policy
from ..run.contact_mode import Runner, runner_of
from ..run.hybrid_motion import Story, story_of
from ..run.hybrid_path import ModeRun
from ..run.integrate import execute
from ..run.path_columns import PathColumns
from ..run.path_of_run import undetermined
from ..run.run_context import Made, Passage, Reused, Run, RunRequest
from ..vector_field.field import Field
from .saltation import Coursed, Push, Saltation, StateSlopes, refused

SHARP = 100  # of rtol, and of a stretch: so long before a surface on which a force jumps it is not asked for
TURNING = 1e-6  # of a slip of two components: so long before its end its direction is not asked for
RESTS = 1e-9  # of the terms of a guard's rate after a jump: below it the motion rests against the guard


class Leap(Protocol):
    """What an instant does to derivatives by some names."""

    @property
    def name(self) -> str:
        """What happens there."""

    def __call__(self, by: Sequence[str]) -> Saltation:
        """Its saltation (E319 where there is none)."""


@dataclass(frozen=True, eq=False)
class Stretch:
    """A part of a motion on which it is smooth.

    Attributes:
        field: the equations, from its own start.
        end: when it ends.
        leap: what happens there; None where the motion ends, or goes on as it was.
        gap_before_end: how long before the end the force is no longer smooth, and is not asked for.
    """

    field: Field
    end: float
    leap: Leap | None = None
    gap_before_end: float = 0.0


@dataclass(frozen=True, eq=False)
class StretchedMotion:
    """All stretches in order.

    Attributes:
        stretches: of it.
        notes: what is doubted.
        begun: its start, where it has contacts.
    """

    stretches: tuple[Stretch, ...]
    notes: tuple[Note, ...] = ()
    begun: Begun | None = None

    @property
    def met(self) -> tuple[str, ...]:
        """What happens, in order: what contacts do at the start, then what each stretch ends with."""
        began = () if self.begun is None else self.begun.found.modes
        return (*(f"{name} {mode.word}" for name, mode in began), *(s.leap.name for s in self.stretches if s.leap))

    def first(self, by: Sequence[str], S: np.ndarray) -> np.ndarray:
        """Derivatives at the start (n, d), moved so that contacts keep what they keep (E319)."""
        return S if self.begun is None else self.begun(by, S)

    def opens(self, by: Sequence[str], S: np.ndarray) -> list[bool]:
        """Which names open or close a contact at the start."""
        return [False] * len(by) if self.begun is None else self.begun.opens(by, S)


def motion(
    equations: Equations, start: Start, policy: Policy, events: object, end: float, steering: Steering = NONE
) -> StretchedMotion:
    """The motion from a start to its end.

    Raises:
        InvalidValue: E319, it ends before, or there are no derivatives at what happens on the way.
        DalembertError: E4xx, it cannot go on.
    """
    given = with_walls(events, equations, policy.walls, steering.jumping)
    if equations.contacts is not None:
        return _in_modes(equations, start, policy, given, end)
    field = policy.leanest_field(equations, start)
    guards = _guards(given, field)
    if end <= start.t or not (guards or steering.after(start.t, end) < end):
        return StretchedMotion((Stretch(field, end),))
    made = execute(RunRequest(field, policy, guards, end, steering=steering))
    _check(made.run, end)
    stretches = _stretches(made, field, policy, guards, Stretch(field, end))
    return StretchedMotion(tuple(stretches), tuple(undetermined(made.growth, made.run, policy.dense)))


def _guards(events: Sequence[Event], field: Field) -> tuple[Guard, ...]:
    """What acts on the motion; marks do not."""
    form, acting = field.equations.machine.form, [event for event in events if event.then != "mark"]
    found = compile_guards(acting, field.equations.states, field.start.parameters)
    return (*found, *switches([*form.f, *form.g]))


def _check(run: Run, end: float) -> None:
    """The run must have come to its end."""
    if run.failure:
        raise DalembertError(run.failure[0], run.failure[1], "end before")
    if run.stopped_by:
        raise refused(f"the motion {run.outcome}, before t = {end:g}")


# --- walls, jumps and switches ---------------------------------------------------------------------------------------


def _stretches(made: Made, field: Field, policy: Policy, guards: Sequence[Guard], whole: Stretch) -> list[Stretch]:
    """A run cut where it goes on otherwise, the last stretch as `whole` ends."""
    given = {id(guard.event): guard for guard in guards}
    found: list[Stretch] = []
    cuts: list[Passage | InputChange] = sorted([*made.run.passages, *_changes(made.run)], key=lambda cut: cut.t)
    for cut, last in zip(cuts, [None, *cuts], strict=False):
        _check_apart(cut, last)
        if isinstance(cut, InputChange):
            found.append(Stretch(field, cut.t))
            field = _from(cut.field, policy, cut.t, cut.y)
        elif cut.guard is not None:
            guard = given[id(cut.guard.event)]
            gap = SHARP * policy.rtol * (cut.t - field.start.t) if guard.switch else 0.0
            found.append(Stretch(field, cut.t, _Leap(field, guard, cut), gap))
            field = _from(field, policy, cut.on, cut.after[:-1])
    return [*found, replace(whole, field=field)]


def _check_apart(cut: Passage | InputChange, last: Passage | InputChange | None) -> None:
    """E319 where several things happen at one instant: a neighbour meets them in another order."""
    changes = isinstance(cut, InputChange), isinstance(last, InputChange)
    before = -np.inf if last is None else last.on if changes == (True, False) else last.t
    at_once = cut.t - before <= INSTANT * abs(cut.t)
    if at_once and any(changes):
        fact = f"an input changes at t = {cut.t:.6g}, where the motion or a force jumps, and derivatives differ"
        raise refused(f"{fact} by the side")
    if at_once or (isinstance(cut, Passage) and cut.guard is None):
        raise refused(f"walls are met at once at t = {cut.t:.6g}, and derivatives differ by the side")


class InputChange(NamedTuple):
    """Where coefficients of inputs change.

    Attributes:
        t: when.
        field: the equations with the new ones.
        y: the state (n,).
    """

    t: float
    field: Field
    y: np.ndarray

    @property
    def on(self) -> float:
        """When it goes on."""
        return self.t


def _changes(run: Run) -> list[InputChange]:
    """All of a run in order; where it goes on in another chart nothing changes."""
    found = []
    for old, new in pairwise(run.legs):
        if new.field.parameters != old.field.parameters:
            t = new.t[0]
            found.append(InputChange(float(t[0]), new.field, new.field.full(t, new.y[0])[0, :-1]))
    return found


def _from(field: Field, policy: Policy, t: float, y: np.ndarray) -> Field:
    """The same equations from a later state on."""
    state = dict(zip(field.equations.states, y.tolist(), strict=True))
    start = replace(field.start, state=state, t=t, given=state, follows=())
    return policy.leanest_field(field.equations, start)


@dataclass(frozen=True, eq=False)
class _Leap:
    """A jump at a guard, or a surface on which a force jumps."""

    field: Field
    guard: Guard
    passage: Passage

    @property
    def name(self) -> str:
        """As of `Leap`."""
        return self.guard.event.name

    def __call__(self, by: Sequence[str]) -> Saltation:
        """Its saltation (E319 where the motion rests there from then on)."""
        states, (t, _, before, after, on) = self.field.equations.states, self.passage
        values, field = self.field.known(t, before), self.field.as_written()
        graph = self.guard.value.graph
        known = [name for name in by if name in field.parameters]
        h = _wide(StateSlopes.of([self.guard.value], states, known, values), by, known)
        if self.guard.switch:
            # the force on either side, as far before the surface as the run goes on behind it
            hair = on - t
            f = field.rate(t - hair, before - hair * field.rate(t, before))[:-1]
            g = StateSlopes(np.eye(len(states)), np.zeros(len(states)), np.zeros((len(states), len(by))))
        else:
            f = field.rate(t, before)[:-1]
            nodes = [self.guard.jump.get(name, graph.symbol(name)) for name in states]
            g = _wide(StateSlopes.of(nodes, states, known, values), by, known)
        there = field.rate(on, after)[:-1]
        where = f"{self.guard.event.name} at t = {t:.6g}"
        if not self.guard.switch:
            self._check_left(h, there, where)
        return Saltation(where, h, g, f, there)

    def _check_left(self, h: StateSlopes, after: np.ndarray, where: str) -> None:
        """E319 where the jump has left no speed at a guard with a direction, as a plastic wall."""
        way = self.guard.event.direction
        speed, terms = float(h.y[0] @ after + h.t[0]), float(np.abs(h.y[0]) @ np.abs(after) + abs(h.t[0]))
        if way and abs(speed) <= RESTS * terms:
            raise refused(f"the motion rests against {where}, and derivatives differ by the side")


def _wide(slopes: StateSlopes, by: Sequence[str], known: Sequence[str]) -> StateSlopes:
    """Columns for all names, 0 for those of the start."""
    p = np.zeros((len(slopes.t), len(by)))
    p[:, [by.index(name) for name in known]] = slopes.p
    return replace(slopes, p=p)


# --- contacts --------------------------------------------------------------------------------------------------------


def _in_modes(
    equations: Equations, start: Start, policy: Policy, events: Sequence[Event], end: float
) -> StretchedMotion:
    """The motion of a system with contacts, whose modes change."""
    shared = Reused()

    def carry(request: RunRequest) -> ModeRun:
        acting = tuple(guard for guard in request.events if not guard.marks)
        request = replace(request, events=acting, reused=shared)
        made = execute(request)
        return ModeRun(made, request, PathColumns(made.run.legs), tuple, ())

    given = [event for event in events if event.then != "mark"]
    runner = runner_of(equations, start, policy, given, end)
    story = story_of(runner, carry)
    _check_story(story, end)
    bouts, found = [segment.path for segment in story.segments], list[Stretch]()
    for i, (bout, began) in enumerate(zip(bouts, story.begun, strict=True)):
        later = story.begun[i + 1] if i + 1 < len(story.begun) else None
        field, last = bout.made.field, float(bout.t[-1])
        leap = None
        if later is not None and not bout.ending.event and later.modes != began.modes:
            raise refused(f"forces of contacts that are not unique come to their limit at t = {last:.6g}")
        if later is not None and bout.ending.event:
            _check_change(runner, began, later)
            guard = next(g for g in bout.request.events if g.event.name == bout.ending.event)
            leap = _Change(runner, field, bout, guard, later, bouts[i + 1].made.field)
        found += _stretches(bout.made, field, policy, bout.request.events, Stretch(field, last, leap))
        if leap is not None and leap.turning:
            found = _short_of_turning(found)
    return StretchedMotion(tuple(found), (), Begun(runner, story.begun[0]))


def _short_of_turning(found: Sequence[Stretch]) -> list[Stretch]:
    """Stretches up to the end of a slip of two components, the last moments of it left out."""
    *before, last = found
    slipping = len(before)
    while slipping and before[slipping - 1].leap is None:
        slipping -= 1
    first = (*before, last)[slipping].field.start.t
    gap = TURNING * (last.end - first)
    kept = [stretch for stretch in found if stretch.field.start.t < last.end - 2 * gap]
    return [*kept[:-1], replace(kept[-1], end=last.end, leap=last.leap, gap_before_end=gap)]


def _check_story(story: Story, end: float) -> None:
    """The motion must have come to its end, and must not begin with an impact."""
    if story.failure:
        raise DalembertError(*story.failure, "end before")
    path = story.segments[-1].path
    if not path.reached:
        raise DalembertError(path.ending.code, path.outcome.partition(" ")[2], "end before")
    if path.ending.event and story.runner.cause(path.ending.event) is None:
        raise refused(f"the motion {path.outcome}, before t = {end:g}")
    _check_begun(story.runner, story.begun[0])
    if story.early:
        raise refused("the motion begins with an impact")


def _check_begun(runner: Runner, found: Changed) -> None:
    """E319 where a slip of two components begins, whose direction a neighbour need not have."""
    sliding = [name for name, mode in found.modes if mode.word == SLIDES and runner.eye.contacts.slips[name] > 1]
    if found.t > found.at and sliding:
        where = f"{' and '.join(sliding)} at t = {found.at:.6g}"
        raise refused(f"a slip of two components begins from rest at {where}, where derivatives have no bound")


def _check_change(runner: Runner, before: Changed, found: Changed) -> None:
    """E319 for what has no derivatives."""
    _check_begun(runner, found)
    at = f"at t = {found.at:.6g}"
    if found.ends:
        raise refused(f"the bounces at {' and '.join(found.ends)} pile up {at}: their limit has no derivatives here")
    if found.lowered < 1:
        raise refused(f"restitution is lowered in the impact {at}, to where no energy is gained")
    old = dict(before.modes)
    hit = [*(name for name, word in found.struck.items() if word.word != APART), *found.followed]
    whole = [name for name in hit if runner.eye.contacts.masters[name] == name and old[name].word == APART]
    if len(whole) > 1:
        raise refused(f"{' and '.join(whole)} are hit at once {at}, and derivatives differ by the side")


@dataclass(frozen=True, eq=False)
class Begun:
    """The start of a motion with contacts."""

    runner: Runner
    found: Changed

    def __call__(self, by: Sequence[str], S: np.ndarray) -> np.ndarray:
        """Derivatives at the start, velocities moved so that closed contacts stay closed and what sticks sticks.

        Raises:
            InvalidValue: E319, by a name that opens a contact.
        """
        wrong = [name for name, opens in zip(by, self.opens(by, S), strict=True) if opens]
        if wrong:
            raise refused(f"{wrong[0]} opens or closes a contact at the start, and derivatives differ by the side")
        k = len(self.runner.eye.equations.space.velocities)
        slopes = _held(self.runner, self.found.modes).slopes(self.found.t, self.found.y, np.zeros(k), by)
        moved = S.copy()
        moved[-k:] = slopes.along(S, np.zeros(len(by)), np.zeros(len(S)))
        return moved

    def opens(self, by: Sequence[str], S: np.ndarray) -> list[bool]:
        """Does each name change a gap that is closed?"""
        eye, found = self.runner.eye, self.found
        closed = [i for i, (_, mode) in enumerate(found.modes) if mode.word != APART]
        values = {**eye.parameters, **dict(zip(eye.equations.states, found.y, strict=True)), TIME.name: found.t}
        slopes = StateSlopes.of([eye.contacts.rows.gaps[i] for i in closed], eye.equations.states, by, values)
        change, size = slopes.y @ S + slopes.p, np.abs(slopes.y) @ np.abs(S) + np.abs(slopes.p)
        return [bool(e) for e in (np.abs(change) > RESTS * size).any(axis=0)]


def _held(runner: Runner, modes: Modes) -> Push:
    """What contacts keep in these modes."""
    words = {name: STICKS if mode.word == STICKS else mode.word for name, mode in modes}
    return Push(runner.eye, {name: Choice(word) for name, word in words.items()}, bounces=False)


@dataclass(frozen=True, eq=False)
class _Change:
    """A change of modes."""

    runner: Runner
    field: Field
    path: ModeRun
    guard: Guard
    found: Changed
    next: Field

    @property
    def name(self) -> str:
        """As of `Leap`."""
        return self.guard.event.name.strip()

    def __call__(self, by: Sequence[str]) -> Saltation:
        """Its saltation."""
        t, y = float(self.path.t[-1]), self.path.dense.nodes[1][-1, :-1]
        row = np.append(y, 0.0)
        f = self.field.as_written().rate(t, row)[:-1]
        there = self.next.as_written().rate(self.found.t, np.append(self.found.y, 0.0))[:-1]
        where = f"{self.guard.event.name.strip()} at t = {t:.6g}"
        return Saltation(where, self._guard(t, y, by), self._map(t, y, by), f, there)

    @property
    def turning(self) -> str:
        """The contact whose slip of two components ends here, or nothing."""
        cause = self.runner.cause(self.guard.event.name)
        still = cause.still if cause is not None else ()
        return next((name for name in still if self.runner.eye.contacts.slips[name] > 1), "")

    def _guard(self, t: float, y: np.ndarray, by: Sequence[str]) -> StateSlopes:
        """Of the slip that ends, along its direction; of any other guard as it is."""
        contacts, states = self.runner.eye.contacts, self.runner.eye.equations.states
        values = {**self.field.parameters, **dict(zip(states, y, strict=True)), TIME.name: t}
        known = [name for name in by if name in self.field.parameters]
        nodes = [self.guard.value]
        if self.turning:
            slip = self.runner.eye.see(t, y).touching[self.turning].slip
            d, given = slip / np.linalg.norm(slip), contacts.laws[self.turning].slip
            nodes = [read(sum(float(e) * s for e, s in zip(d, given, strict=True)), self.guard.value.graph)]
        return _wide(StateSlopes.of(nodes, states, known, values), by, known)

    def _map(self, t: float, y: np.ndarray, by: Sequence[str]) -> StateSlopes:
        """Of the state after by the state before: an impact, and what the next modes keep."""
        k, n = len(self.runner.eye.equations.space.velocities), len(y)
        du = self.found.y[-k:] - y[-k:] if self.found.impulses else np.zeros(k)
        total = StateSlopes(np.eye(n), np.zeros(n), np.zeros((n, len(by))))
        if self.found.struck:
            total = _after(Push(self.runner.eye, self.found.struck, bounces=True).slopes(t, y, du, by), total)
        elif self.found.followed:
            where = f"{' and '.join(self.found.followed)} at t = {t:.6g}"
            total = _after(Coursed(self.runner.eye, self.found.followed, where).slopes(t, y, by), total)
        there = np.concatenate([y[:-k], y[-k:] + du])
        return _after(_held(self.runner, self.found.modes).slopes(t, there, np.zeros(k), by), total)


def _after(u: StateSlopes, first: StateSlopes) -> StateSlopes:
    """Of a map that sets the velocities, behind another map."""
    k = len(u.t)
    y, t, p = first.y.copy(), first.t.copy(), first.p.copy()
    y[-k:], t[-k:], p[-k:] = u.y @ first.y, u.y @ first.t + u.t, u.y @ first.p + u.p
    return StateSlopes(y, t, p)
