"""Motions whose contacts change: a mode, a change, the next mode, to the end; one with its path, and members of an
ensemble with what is kept of each.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial, reduce
from types import MappingProxyType
from typing import NamedTuple

import numpy as np

from ...calculus.fork_locks import lock
from ...equations import Equations, Start
from ...equations.contact_modes import APART, JUMPS, MODES, SUMS, Contacts, Modes
from ...errors import InvalidValue, Note
from ...event import Event
from ...trajectory import IMPULSE, Branching, Ending, Marks, Trajectory
from ...trajectory.audit import FAILED, OK, SUSPECT, Audit
from ...trajectory.join import audits
from ..contacts.change import Cause, Changed, Span, Stuck, change, held_in, loosely, started
from ..events.compiled_guards import Watch
from ..events.guard import Guard, events_of
from ..policy import Policy
from .contact_mode import LIFTS, Carry, Runner, runner_of
from .hybrid_path import CHATTER, WITHIN, ModeRun, Passed, Path, Segment, audits_of
from .integrate import execute
from .mode_runs import ModeRuns, Rooms
from .path_columns import PathColumns
from .path_of_run import doubtful, noticed
from .resting_guards import stopping
from .run_context import Made, Reused, RunRequest

MOST = 10_000  # changes in one run
_BALANCED = 1e-7  # of the energy: what work may leave unaccounted, as in any run
_ROUNDING = 1e-14  # of the largest state: a residual below it is rounding
_SMALL = 1e-9  # of a combination of forces: what is not part of it
_PUT_BACK = 32  # roundings of the energy, for one of a motion that is free
_NEVER = "N309"  # an event that never happened
_HIDDEN = "N410"  # all change of a segment's energy is rounding
_HIDES = 1e-3  # of the energy's scale: so is that of the whole above it
Known = tuple[dict[Modes, tuple[Guard, ...]], dict[object, tuple[object, Watch]]]
_KNOWN: weakref.WeakKeyDictionary[Contacts, dict[tuple[object, ...], Known]] = weakref.WeakKeyDictionary()
in_turn = lock()  # equations of modes are made when they are met, and code is shared


@dataclass
class Story:
    """What a run has gathered.

    Attributes:
        runner: with the inputs of now.
        segments: the motion in each mode.
        modes: ``(t, contact, word)``, the first ones at the start.
        branches: places that were passed at which branches cross.
        hits: of each contact the times of its impacts, the segments before them, their nodes there, and impulses.
        times: of all changes.
        bouncing: since when each contact has been bouncing.
        failure: ``(code, words)`` where it could not go on.
        lowered: times at which restitutions were lowered.
        begun: what each segment began with.
        early: what is said of the start.
        cut: of piles of bounces the time that was left, and how far contacts slip in it.
        loose: in words, where first the motion depends on forces that are not unique.
    """

    runner: Runner
    segments: list[Segment] = field(default_factory=list)
    modes: list[tuple[float, str, str]] = field(default_factory=list)
    branches: tuple[Branching, ...] = ()
    hits: dict[str, list[tuple[float, int, int, np.ndarray]]] = field(default_factory=dict)
    times: list[float] = field(default_factory=list)
    bouncing: dict[str, float] = field(default_factory=dict)
    failure: tuple[str, str] | None = None
    lowered: list[float] = field(default_factory=list)
    begun: list[Changed] = field(default_factory=list)
    early: list[Note] = field(default_factory=list)
    loose: str = ""
    cut: list[tuple[float, float]] = field(default_factory=list)

    @cached_property
    def path(self) -> Path:
        """The path of all segments, when it has ended."""
        return Path(self.segments, [found.opening for found in self.begun])

    def span(self, t: float) -> Span:
        """The run's length, and how far it is to other inputs."""
        runner = self.runner
        return Span(runner.end - runner.first.t, self.bouncing, runner.steering.after(t, runner.end) - t)

    def note(self, before: Modes | None, found: Changed) -> None:
        """Take down one change, at the end of the last segment or at the start."""
        t = found.at
        self.modes += found.said(before or ())
        self.bouncing = found.since(self.bouncing)
        if self.segments:
            self._hit(t, len(self.segments) - 1, -1, found.impulses)
        if found.lowered < 1:
            self.lowered.append(t)
        self.cut += found.cut
        if found.loose:
            closed = {*found.impulses, *(name for name, mode in found.modes if mode.word != APART)}
            self.loose = self.loose or loosely(t, sorted(closed))
        self.times.append(t)

    def _hit(self, t: float, segment: int, node: int, impulses: Mapping[str, np.ndarray]) -> None:
        """Take down an impact at a node of a segment."""
        for name, p in impulses.items():
            if p.any():
                self.hits.setdefault(name, []).append((t, segment, node, p))

    def add(self, began: Changed, segment: Segment, passed: Passed | None = None) -> None:
        """The next segment, and what happened within."""
        if passed is not None:
            self.times += passed.times
            self.modes += passed.said
            for t, node, impulses in passed.hits:
                self._hit(t, len(self.segments), node, impulses)
            self.bouncing = dict(passed.bouncing)
        self.segments.append(segment)
        self.begun.append(began)

    def goes_on(self, found: Changed | Cause | None) -> Changed | None:
        """The change at the end of the last segment, taken down, or what a cause brings; None where the motion ends.

        It does where changes follow each other in no time, or without end (E408).
        """
        segment, length = self.segments[-1], self.runner.end - self.runner.first.t
        t, y = float(segment.nodes[0][-1]), segment.nodes[1][-1, :-1]
        try:
            if isinstance(found, Cause):
                self.runner = self.runner.at(t, y)
                found = change(self.runner.eye, t, y, segment.modes, found, self.span(t))
        except Stuck as error:
            self.failure = (error.code, error.words)
            return None
        if found is None:
            return None
        self.note(segment.modes, found)
        last = self.times[-CHATTER:]
        within = last[-1] - last[0]
        if len(self.times) > MOST or (len(last) == CHATTER and within <= WITHIN * length):
            many = f"{len(self.times)} changes of contact, the last {len(last)} of them within {within:.1e}"
            self.failure = ("E408", f"at t = {last[-1]:.10g}: {many}")
        return None if self.failure or found.t >= self.runner.end else found


def story_of(runner: Runner, carry: Carry, faster: ModeRuns | None = None) -> Story:
    """What happens from the start to the end, mode after mode, each as `carry` runs it, or the faster way.

    Raises:
        InvalidValue: E240, E410, E411: no motion begins at the start.
    """
    story, start = Story(runner), runner.first
    runner.eye.note(start.vector[None])
    try:
        found: Changed | None = started(runner.eye, start.t, start.vector, story.span(start.t))
    except Stuck as error:
        beyond = ", or write the gap so that it is positive where the motion is free"
        inside = beyond if "beyond" in error.words else ", with a gap of 0" if error.code == "E240" else ""
        raise InvalidValue(error.code, error.words, f"start otherwise{inside}") from None
    assert found is not None
    story.note(None, found)
    if found.impulses:
        names = " and ".join(name for name in found.impulses if name in runner.eye.contacts.whole)
        story.early = [Note("N131", f"the start moves into {names}: the run begins with the impact there")]
    while found is not None:
        if faster is not None and faster.goes(story.runner, found):
            for segment, then, passed in faster.onwards(story.runner, found, story.bouncing):
                story.add(found, segment, passed)
                found = story.goes_on(then)
                if found is None:
                    break
            continue
        found = _run(carry, story, found)
        if faster is not None and story.segments:
            faster.learn(story.runner, story.segments[-1])
        if found is not None:
            found = _driven(story, found)
    story.failure = story.failure or _torn(story)
    return story


def _run(carry: Carry, story: Story, found: Changed) -> Changed | None:
    """One mode, run; what changes at its end, None where the motion ends there."""
    runner = story.runner
    try:
        path, cause, loose = runner.run(carry, found.t, found.y, found.modes, len(story.branches))
    except Stuck as error:
        if not story.segments:
            raise InvalidValue(error.code, error.words, "start otherwise, or with an adaptive method") from None
        story.failure = (error.code, error.words)
        return None
    story.branches += tuple(path.run.branches)
    segment = Segment.of(runner.eye, found.modes, path)
    t, y = float(segment.nodes[0][-1]), segment.nodes[1][-1, :-1]
    runner.eye.note(segment.nodes[1][:, :-1])
    if loose is not None:
        story.loose = story.loose or loosely(loose, [name for name, mode in found.modes if mode.word != APART])
    story.add(found, segment)
    if cause is None:
        goes_on = path.reached and not path.ending.event and t < runner.end
        return replace(found, t=t, y=y, opening=None) if goes_on else None
    return story.goes_on(cause)


def _driven(story: Story, found: Changed) -> Changed | None:
    """How the motion goes on with the inputs of now; None where it cannot."""
    t, y, before = found.t, found.y, story.runner
    try:
        now = before.at(t, y)
        if now is before:
            return found
        changed = change(now.eye, t, y, found.modes, now.moved(before.eye, t, y), story.span(t))
    except Stuck as error:
        story.failure = (error.code, error.words)
        return None
    story.runner = now
    if changed.modes != found.modes or changed.impulses:
        story.note(found.modes, changed)
    return changed


def _torn(story: Story) -> tuple[str, str] | None:
    """E410 where the force that holds a gap has become a pull by way of infinity: the normal has vanished there."""
    lifts = {name + LIFTS: name for name in story.runner.eye.contacts.whole}
    for event, t in (pole for segment in story.segments for pole in segment.path.poles.items()):
        if event in lifts:
            return "E410", f"at t = {t:.6g}: the gradient of the gap of {lifts[event]} vanishes: it has no normal there"
    return None


# --- the path --------------------------------------------------------------------------------------------------------


def ending_of(story: Story) -> tuple[str, Ending]:
    """How a motion ended, in words and for programs."""
    last = story.segments[-1].path
    if story.failure:
        return " ".join(story.failure), Ending(code=story.failure[0])
    if story.runner.cause(last.ending.event) is not None:
        return f"reached t = {story.runner.end:g}", Ending()
    return last.outcome, last.ending


def summed_up(story: Story) -> dict[str, float]:
    """What `Contacts.sums` names, of the whole motion."""
    found = {JUMPS: _energies(story.path)[1]}
    for name in story.runner.eye.contacts.whole:
        words = [word for _, contact, word in story.modes if contact == name]
        normal = [float(p[0]) for *_, p in story.hits.get(name, ())]
        numbers = len(words) - 1, MODES.index(words[-1]), len(normal), sum(normal)
        found |= {f"{name}_{what}": float(number) for what, number in zip(SUMS, numbers, strict=True)}
    return found


def path_of(story: Story, samples: np.ndarray | None) -> Trajectory:
    """The path of a motion that has ended, audited."""
    path, runner, last = story.path, story.runner, story.segments[-1].path
    found = audits_of([run for segment in story.segments for run in segment.runs])
    if samples is None:
        t, values = _nodes(story, path)
    else:
        t = samples[samples <= path.knots[-1]]
        values = path(t)
    outcome, ending = ending_of(story)
    return Trajectory(
        t=t,
        names=path.names,
        values=values,
        dense=path,
        audit=_audit(story, path, found, values),
        marks={**_marks(story, path), **_hits(story, path)},
        outcome=outcome,
        reached=last.reached and not story.failure,
        states=last.states,
        provenance={**last.provenance, "start": dict(runner.first.state), "t0": runner.first.t, "until": runner.end}
        | {"parameters": runner.constants, "principle": runner.eye.equations.principle},
        ending=ending,
        system=runner.eye.equations.system,
        modes=story.modes,
        branches=story.branches,
    )


def _nodes(story: Story, path: Path) -> tuple[np.ndarray, np.ndarray]:
    """Times and columns at the steps' ends; a time stands twice at impacts alone, with the states before and after."""
    hits = {t for found in story.hits.values() for t, *_ in found}
    times, rows = [], []
    if path.begins[0] < path.segments[0].nodes[0][0]:
        times.append(path.begins[:1])
        rows.append(path(path.begins[:1]))
    for segment, later, columns in zip(story.segments, [*story.segments[1:], None], path.told, strict=True):
        t, kept = segment.nodes[0], segment.kept
        kept[-1] = later is None or later.nodes[0][0] != t[-1] or t[-1] in hits
        times.append(t[kept])
        rows.append(columns[kept])
    return np.concatenate(times), np.vstack(rows)


def _audit(story: Story, path: Path, found: Sequence[Audit], values: np.ndarray) -> Audit:
    """All segments together; the jumps of the energy at impacts are told apart."""
    size = max(float(np.abs(segment.nodes[1][:, :-1]).max()) for segment in story.segments)
    whole = reduce(audits, [_but_rounding(audit, size) for audit in found])
    # what rests is put back on its constraints at each step: rounding of every coordinate, in one direction
    whole = replace(whole, energy_rounding=_PUT_BACK * whole.energy_rounding)
    change, lost = _energies(path)
    doubts, failed = [], whole.verdict == FAILED
    if whole.energy_drift > _BALANCED:
        doubts.append(f"E406 energy and work differ by {whole.energy_drift:.1e} of the energy: tighten rtol")
    if story.loose:
        doubts.append(f"E411 {story.loose}: it goes on with the least of them")
    if not np.isfinite(values).all():
        failed = True
        doubts.append("E499 a number in the result is not finite")
    if story.failure:
        failed = True
        doubts.append(" ".join(story.failure))
    verdict = FAILED if failed else SUSPECT if doubts else whole.verdict
    remarks = partial(_remarks, story, whole, tuple(path.forces), lost)
    return replace(whole, energy_change=change, remarks=remarks, reasons=(*whole.reasons, *doubts), verdict=verdict)


def _remarks(story: Story, whole: Audit, forces: Sequence[str], lost: float) -> tuple[str, ...]:
    """What is no fault, of all segments; of their own only what does not tell of what contacts add to the events."""
    internal = tuple(f"'{name}" for name in forces)
    left_out = (_NEVER,) if whole.energy_rounding > _HIDES * whole.energy_scale else (_NEVER, _HIDDEN)
    notes = [note for note in whole.notes if not (note.startswith(left_out) or any(name in note for name in internal))]
    notes += map(str, _open(story))
    if story.lowered:
        first = f"at {len(story.lowered)} impacts, the first at t = {story.lowered[0]:.6g}"
        notes.append(str(Note("N132", f"{first}, restitution is lowered to where no energy is gained")))
    if story.cut:
        left, moved = (max(sizes) for sizes in zip(*story.cut, strict=True))
        fact = f"bounces that pile up are taken to their end at once, {left:.1e} s before it at most"
        notes.append(str(Note("N135", f"{fact}: what slips moves by {moved:.1e} in that time")))
    if lost:
        notes.append(str(Note("N130", f"impacts and ends of slip changed the energy by {lost:.6g}")))
    return (*map(str, story.early), *notes)


def _open(story: Story) -> list[Note]:
    """N133: forces that are not unique, where first they are not."""
    for segment in story.segments:
        if not segment.eye.contacts.in_run(segment.modes).shared:
            continue
        t, y = segment.nodes[0][0], segment.nodes[1][0, :-1]
        problem, choices = held_in(segment.eye.see(t, y), segment.modes)
        answer = problem.forces(choices)
        ways = 0 if answer is None else answer.free.shape[1]
        if answer is None or not ways:
            continue
        way = answer.free[:, 0] / answer.free[np.argmax(np.abs(answer.free[:, 0])), 0]
        terms = [f"{size:+.3g} {name}" for name, size in zip(problem.rows, way, strict=True) if abs(size) > _SMALL]
        which = " ".join(terms).removeprefix("+") if ways == 1 else f"{ways} combinations of them"
        fact = f"from t = {t:.6g} the forces at {' and '.join(choices)} are not unique, and the least are told"
        return [Note("N133", f"{fact}; left open: {which}")]
    return []


def _but_rounding(audit: Audit, size: float) -> Audit:
    """The audit of a segment, without what says no more than that nothing moves in it but by rounding.

    A segment measures itself against itself; here the largest state of the whole path is the measure.
    """

    def says(reason: str) -> bool:
        code, name, *_ = reason.split()
        rounding = code == "E405" and audit.constraints.get(name, np.inf) <= _ROUNDING * size
        return code != "E406" and not rounding  # energies are compared once, of the whole

    reasons = tuple(filter(says, audit.reasons))
    return replace(audit, reasons=reasons, verdict=audit.verdict if reasons else OK)


def _energies(path: Path) -> tuple[float, float]:
    """The change of the energy, and how much of it is in jumps between the modes."""
    if "energy" not in path.names:
        return float("nan"), 0.0
    ends = path.energies
    within = sum(segment.lost for segment in path.segments)
    return float(ends[-1, 1] - ends[0, 0]), float((ends[1:, 0] - ends[:-1, 1]).sum()) + within


def _marks(story: Story, path: Path) -> dict[str, Marks]:
    """Where the caller's events happened, and the walls."""
    found: dict[str, Marks] = {}
    for segment in story.segments:
        for name in segment.path.marks:
            if story.runner.cause(name) is not None:
                continue
            marks, old = segment.path.marks[name], found.get(name)
            width = len(segment.path.names)
            told = segment.columns(marks.t, marks.values[:, :width]) if len(marks) else np.empty((0, len(path.names)))
            values = np.hstack([told, marks.values[:, width:]])
            if old is None or not len(old):
                found[name] = Marks(marks.t, values, (*path.names, *marks.names[width:]))
            elif len(marks):
                found[name] = Marks(np.r_[old.t, marks.t], np.vstack([old.values, values]), old.names)
    return found


def _hits(story: Story, path: Path) -> Mapping[str, Marks]:
    """When contacts were hit, the columns just before, and the impulses."""
    found = {}
    for name, hits in story.hits.items():
        t, p = np.array([h[0] for h in hits]), np.array([h[3] for h in hits])
        rows = np.array([path.told[segment][node] for _, segment, node, _ in hits])
        labels = [IMPULSE + part.removeprefix(f"{name}_") for part in path.forces[name]]
        found[name] = Marks(t, np.hstack([rows, p]), (*path.names, *labels))
    return found


# --- whole runs -----------------------------------------------------------------------------------------------------


def motion(asked: RunRequest, events: object) -> Trajectory:
    """Carry out a run whose contacts change.

    Raises:
        InvalidValue: E130, E138, E240, E410, E411: no motion begins at the start.
    """

    def carry(request: RunRequest) -> ModeRun:
        request = stopping(replace(request, tick=asked.tick, reused=reused))
        made, policy = _kept_steps(execute(request)), request.policy
        columns = PathColumns(made.run.legs)
        early = doubtful(made.run, columns, request.until)
        return ModeRun(made, request, columns, partial(noticed, made.run, made.growth, policy, early), early)

    equations, start = asked.field.equations, asked.field.start
    runner = runner_of(equations, start, asked.policy, events_of(events, equations), asked.until)
    guards, watches = _known(runner)
    reused, runner = Reused(watches=watches), replace(runner, steering=asked.steering, guards=guards)
    story = story_of(runner, carry, ModeRuns(asked.policy, reused, asked.tick))
    return path_of(story, asked.samples)


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


class MemberResult(NamedTuple):
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

    def member(self, start: Start) -> MemberResult:
        """One from its start to its end; its numbers do not depend on the others.

        Raises:
            InvalidValue: those of `motion`.
        """
        with in_turn:
            runner = replace(runner_of(self.equations, start, self.policy, self.events, self.until), guards=self.guards)
            faster = ModeRuns(self.policy, self.reused, lambda t: None, self.rooms, ahead=True)
            return self._kept(story_of(runner, self._carry, faster))

    def _carry(self, request: RunRequest) -> ModeRun:
        request = stopping(replace(request, reused=self.reused))
        made = _kept_steps(execute(request))
        return ModeRun(made, request, PathColumns(made.run.legs), tuple, ())

    def _kept(self, story: Story) -> MemberResult:
        path, runs = story.path, [segment.path for segment in story.segments]
        spent = [each.run.spent for each in runs]
        marks = {e.name: [t for each in runs for t, _ in each.run.marks.get(e.name, ())] for e in self.events}
        t = path.knots[-1]
        return MemberResult(
            rows=path.rows,
            t=float(t),
            y=path.rows(np.array([t]))[0],
            ending=ending_of(story)[1],
            steps=sum(each.steps for each in spent),
            rejected=sum(each.rejected for each in spent),
            margin=min(each.margin for each in spent),
            marks=marks,
            sums=summed_up(story) if self.sums else {},
        )
