"""One motion with contacts: a mode, a change, the next mode, to the end; and the path that they make together."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial, reduce
from typing import NamedTuple, Protocol

import numpy as np

from ...equations.contacts import APART, JUMPS, MODES, SUMS, Modes
from ...errors import InvalidValue, Note
from ...trajectory import IMPULSE, Ending, Marks, Trajectory
from ...trajectory.audit import FAILED, OK, SUSPECT, Audit
from ...trajectory.join import audits
from .change import Cause, Changed, Span, Stuck, change, held_in, loosely, started
from .pieces import Piece, Pieces, Ran
from .segment import LIFTS, Carry, Runner

MOST = 10_000  # changes in one run
CHATTER, WITHIN = 100, 1e-9  # so many changes within this part of the run's length are no motion
_BALANCED = 1e-7  # of the energy: what work may leave unaccounted, as in any run
_ROUNDING = 1e-14  # of the largest state: a residual below it is rounding
_SMALL = 1e-9  # of a combination of forces: what is not part of it
_PUT_BACK = 32  # roundings of the energy, for one of a motion that is free
NEVER = "N309"  # an event that never happened
_HIDDEN, _HIDES = (
    "N410",
    1e-3,
)  # all change of a piece's energy is rounding; so of the whole above this part of its scale
Audited = Callable[[Sequence[Ran]], list[Audit]]  # of all modes of a run, in order; one may be of several of them


class Passed(NamedTuple):
    """What happened at the changes within a piece.

    Attributes:
        times: of all of them.
        said: ``(t, contact, word)`` of what does something else than before.
        hits: of each impact its time, its node, and the impulses by contact.
        bouncing: since when each contact has been bouncing at the end.
    """

    times: Sequence[float]
    said: Sequence[tuple[float, str, str]]
    hits: Sequence[tuple[float, int, Mapping[str, np.ndarray]]]
    bouncing: Mapping[str, float]


@dataclass
class Story:
    """What a run has gathered.

    Attributes:
        pieces: the motion in each mode.
        modes: ``(t, contact, word)``, the first ones at the start.
        hits: of each contact the times of its impacts, the pieces before them, their nodes there, and impulses.
        times: of all changes.
        bouncing: since when each contact has been bouncing.
        failure: ``(code, words)`` where it could not go on.
        lowered: times at which restitutions were lowered.
        begun: what each piece began with.
        early: what is said of the start.
        cut: of piles of bounces the time that was left, and how far contacts slip in it.
        loose: in words, where first the motion depends on forces that are not unique.
    """

    pieces: list[Piece] = field(default_factory=list)
    modes: list[tuple[float, str, str]] = field(default_factory=list)
    hits: dict[str, list[tuple[float, int, int, np.ndarray]]] = field(default_factory=dict)
    times: list[float] = field(default_factory=list)
    bouncing: dict[str, float] = field(default_factory=dict)
    failure: tuple[str, str] | None = None
    lowered: list[float] = field(default_factory=list)
    begun: list[Changed] = field(default_factory=list)
    early: list[Note] = field(default_factory=list)
    loose: str = ""
    cut: list[tuple[float, float]] = field(default_factory=list)

    def note(self, before: Modes | None, found: Changed, piece: int | None) -> None:
        """Take down one change, at the end of a piece, if it is not the start."""
        t = found.at
        self.modes += found.said(before or ())
        self.bouncing = found.since(self.bouncing)
        if piece is not None:
            self._hit(t, piece, -1, found.impulses)
        if found.lowered < 1:
            self.lowered.append(t)
        self.cut += found.cut
        if found.loose:
            closed = {*found.impulses, *(name for name, mode in found.modes if mode.word != APART)}
            self.loose = self.loose or loosely(t, sorted(closed))
        self.times.append(t)

    def _hit(self, t: float, piece: int, node: int, impulses: Mapping[str, np.ndarray]) -> None:
        """Take down an impact at a node of a piece."""
        for name, p in impulses.items():
            if p.any():
                self.hits.setdefault(name, []).append((t, piece, node, p))

    def within(self, passed: Passed) -> None:
        """Take down what happened within the piece that comes next."""
        self.times += passed.times
        self.modes += passed.said
        for t, node, impulses in passed.hits:
            self._hit(t, len(self.pieces), node, impulses)
        self.bouncing = dict(passed.bouncing)

    def tired(self, length: float) -> tuple[str, str] | None:
        """E408 where changes follow each other in no time, or without end."""
        last = self.times[-CHATTER:]
        within = last[-1] - last[0]
        if len(self.times) <= MOST and not (len(last) == CHATTER and within <= WITHIN * length):
            return None
        many = f"{len(self.times)} changes of contact, the last {len(last)} of them within {within:.1e}"
        return ("E408", f"at t = {last[-1]:.10g}: {many}")


class Onwards(Protocol):
    """A faster way through the modes, which learns them from what was run."""

    def learn(self, runner: Runner, piece: Piece) -> None:
        """A piece that was run."""

    def goes(self, runner: Runner, found: Changed) -> bool:
        """Is it to be tried from a change on?"""

    def onwards(
        self, runner: Runner, found: Changed, bouncing: Mapping[str, float]
    ) -> Iterator[tuple[Piece, Changed | Cause | None, Passed | None]]:
        """Piece after piece from a change on, as far as it goes; with each the change at its end, or why one is to be
        made there, None where the run ends; and what happened within it, where it is several as one.
        """


def story_of(runner: Runner, carry: Carry, faster: Onwards | None = None) -> Story:
    """What happens from the start to the end, mode after mode, each as `carry` runs it, or the faster way.

    Raises:
        InvalidValue: E240, E410, E411: no motion begins at the start.
    """
    story, start = Story(), runner.first
    runner.eye.note(start.vector[None])
    try:
        found: Changed | None = started(runner.eye, start.t, start.vector, _span(runner, story, start.t))
    except Stuck as error:
        beyond = ", or write the gap so that it is positive where the motion is free"
        inside = beyond if "beyond" in error.words else ", with a gap of 0" if error.code == "E240" else ""
        raise InvalidValue(error.code, error.words, f"start otherwise{inside}") from None
    assert found is not None
    story.note(None, found, None)
    story.early = _hits_at_start(runner, story, found)
    while found is not None:
        while found is not None and faster is not None and faster.goes(runner, found):
            found = _faster(runner, faster, story, found)
        if found is None:
            break
        runner, found = _next(runner, carry, story, found)
        if faster is not None:
            faster.learn(runner, story.pieces[-1])
        if found is not None:
            runner, found = _driven(runner, story, found)
    story.failure = story.failure or _torn(runner, story)
    return story


def _faster(runner: Runner, faster: Onwards, story: Story, found: Changed) -> Changed | None:
    """The modes that the faster way goes through; from where the motion goes on, None where it ends."""
    for piece, then, passed in faster.onwards(runner, found, story.bouncing):
        if passed is not None:
            story.within(passed)
        story.pieces.append(piece)
        story.begun.append(found)
        t, y = float(piece.nodes[0][-1]), piece.nodes[1][-1, :-1]
        changed = _changed(runner, story, (t, y), then) if isinstance(then, Cause) else then
        if changed is None or not _goes_on(runner, story, changed):
            return None
        found = changed
    return found


def _changed(runner: Runner, story: Story, there: tuple[float, np.ndarray], cause: Cause) -> Changed | None:
    """What changes at a time and a state; None where the motion cannot go on."""
    try:
        return change(runner.eye, *there, story.pieces[-1].modes, cause, _span(runner, story, there[0]))
    except Stuck as error:
        story.failure = (error.code, error.words)
        return None


def _goes_on(runner: Runner, story: Story, changed: Changed) -> bool:
    """Take down a change at the end of the last piece; does the motion go on behind it?"""
    story.note(story.pieces[-1].modes, changed, len(story.pieces) - 1)
    story.failure = story.tired(runner.end - runner.first.t)
    return not story.failure and changed.t < runner.end


def _driven(runner: Runner, story: Story, found: Changed) -> tuple[Runner, Changed | None]:
    """The runner with the inputs of now, and how the motion goes on with them; None where it cannot."""
    t, y = found.t, found.y
    try:
        now = runner.at(t, y)
        if now is runner:
            return runner, found
        changed = change(now.eye, t, y, found.modes, now.moved(runner.eye, t, y), _span(runner, story, t))
    except Stuck as error:
        story.failure = (error.code, error.words)
        return runner, None
    if changed.modes != found.modes or changed.impulses:
        story.note(found.modes, changed, len(story.pieces) - 1)
    return now, changed


def _span(runner: Runner, story: Story, t: float) -> Span:
    """The run's length, and how far it is to other inputs."""
    return Span(runner.end - runner.first.t, story.bouncing, runner.steering.after(t, runner.end) - t)


def _next(runner: Runner, carry: Carry, story: Story, found: Changed) -> tuple[Runner, Changed | None]:
    """One mode, run; the runner and what changes at its end, None where the motion ends there."""
    try:
        path, cause, loose = runner.run(carry, found.t, found.y, found.modes)
    except Stuck as error:
        if not story.pieces:
            raise InvalidValue(error.code, error.words, "start otherwise, or with an adaptive method") from None
        story.failure = (error.code, error.words)
        return runner, None
    piece = Piece.of(runner.eye, found.modes, path)
    t, y = float(piece.nodes[0][-1]), piece.nodes[1][-1, :-1]
    runner.eye.note(piece.nodes[1][:, :-1])
    if loose is not None:
        story.loose = story.loose or loosely(loose, [name for name, mode in found.modes if mode.word != APART])
    story.pieces.append(piece)
    story.begun.append(found)
    if cause is None:
        goes_on = path.reached and not path.ending.event and t < runner.end
        return runner, (replace(found, t=t, y=y, opening=None) if goes_on else None)
    try:
        runner = runner.at(t, y)
        changed = change(runner.eye, t, y, found.modes, cause, _span(runner, story, t))
    except Stuck as error:
        story.failure = (error.code, error.words)
        return runner, None
    return runner, changed if _goes_on(runner, story, changed) else None


def _hits_at_start(runner: Runner, story: Story, found: Changed) -> list[Note]:
    """N131: the start moves into a contact, which is an impact there."""
    if not found.impulses:
        return []
    masters = runner.eye.contacts.masters
    names = " and ".join(name for name in found.impulses if masters[name] == name)
    return [Note("N131", f"the start moves into {names}: the run begins with the impact there")]


# --- the path --------------------------------------------------------------------------------------------------------


def ending_of(runner: Runner, story: Story) -> tuple[str, Ending]:
    """How a motion ended, in words and for programs."""
    last = story.pieces[-1].path
    if story.failure:
        return " ".join(story.failure), Ending(code=story.failure[0])
    if runner.cause(last.ending.event) is not None:
        return f"reached t = {runner.end:g}", Ending()
    return last.outcome, last.ending


def summed_up(story: Story, pieces: Pieces) -> dict[str, float]:
    """What `Contacts.sums` names, of the whole motion."""
    contacts = pieces.pieces[0].eye.contacts
    found = {JUMPS: _energies(pieces)[1]}
    for name in contacts.whole:
        words = [word for _, contact, word in story.modes if contact == name]
        normal = [float(p[0]) for *_, p in story.hits.get(name, ())]
        numbers = len(words) - 1, MODES.index(words[-1]), len(normal), sum(normal)
        found |= {f"{name}_{what}": float(number) for what, number in zip(SUMS, numbers, strict=True)}
    return found


def path_of(runner: Runner, story: Story, samples: np.ndarray | None, audited: Audited) -> Trajectory:
    """The path of a motion that has ended, `audited`."""
    pieces = Pieces(story.pieces, [found.opening for found in story.begun])
    last = story.pieces[-1].path
    found = audited([path for piece in story.pieces for path in piece.bouts])
    if samples is None:
        t, values = _nodes(story, pieces)
    else:
        t = samples[samples <= pieces.knots[-1]]
        values = pieces(t)
    outcome, ending = ending_of(runner, story)
    return Trajectory(
        t=t,
        names=pieces.names,
        values=values,
        dense=pieces,
        audit=_audit(story, pieces, found, values),
        marks={**_marks(story, pieces, runner), **_hits(story, pieces)},
        outcome=outcome,
        reached=last.reached and not story.failure,
        states=last.states,
        provenance={**last.provenance, "start": dict(runner.first.state), "t0": runner.first.t, "until": runner.end}
        | {"parameters": runner.constants, "principle": runner.eye.equations.principle},
        ending=ending,
        system=runner.eye.equations.system,
        modes=story.modes,
    )


def _torn(runner: Runner, story: Story) -> tuple[str, str] | None:
    """E410 where the force that holds a gap has become a pull by way of infinity: the normal has vanished there."""
    lifts = {name + LIFTS: name for name in runner.eye.contacts.masters.values()}
    for event, t in (pole for piece in story.pieces for pole in piece.path.poles.items()):
        if event in lifts:
            return "E410", f"at t = {t:.6g}: the gradient of the gap of {lifts[event]} vanishes: it has no normal there"
    return None


def _nodes(story: Story, pieces: Pieces) -> tuple[np.ndarray, np.ndarray]:
    """Times and columns at the steps' ends; a time stands twice at impacts alone, with the states before and after."""
    hits = {t for found in story.hits.values() for t, *_ in found}
    times, rows = [], []
    if pieces.begins[0] < pieces.pieces[0].nodes[0][0]:
        times.append(pieces.begins[:1])
        rows.append(pieces(pieces.begins[:1]))
    for piece, later, columns in zip(story.pieces, [*story.pieces[1:], None], pieces.told, strict=True):
        t = piece.nodes[0]
        again = later is not None and later.nodes[0][0] == t[-1] and t[-1] not in hits
        kept = piece.kept
        kept[-1] = not again
        times.append(t[kept])
        rows.append(columns[kept])
    return np.concatenate(times), np.vstack(rows)


def _audit(story: Story, pieces: Pieces, found: Sequence[Audit], values: np.ndarray) -> Audit:
    """All segments together; the jumps of the energy at impacts are told apart."""
    size = max(float(np.abs(piece.nodes[1][:, :-1]).max()) for piece in story.pieces)
    whole = reduce(audits, [_but_rounding(audit, size) for audit in found])
    # what rests is put back on its constraints at each step: rounding of every coordinate, in one direction
    whole = replace(whole, energy_rounding=_PUT_BACK * whole.energy_rounding)
    change, lost = _energies(pieces)
    reasons, verdict = whole.reasons, whole.verdict
    if whole.energy_drift > _BALANCED:
        told = f"E406 energy and work differ by {whole.energy_drift:.1e} of the energy: tighten rtol"
        reasons, verdict = (*reasons, told), FAILED if verdict == FAILED else SUSPECT
    if story.loose:
        told = f"E411 {story.loose}: it goes on with the least of them"
        reasons, verdict = (*reasons, told), FAILED if verdict == FAILED else SUSPECT
    if not np.isfinite(values).all():
        reasons, verdict = (*reasons, "E499 a number in the result is not finite"), FAILED
    remarks = partial(_remarks, story, whole, tuple(pieces.forces), lost)
    whole = replace(whole, energy_change=change, remarks=remarks, reasons=reasons, verdict=verdict)
    if story.failure:
        whole = replace(whole, verdict=FAILED, reasons=(*whole.reasons, " ".join(story.failure)))
    return whole


def _remarks(story: Story, whole: Audit, forces: Sequence[str], lost: float) -> tuple[str, ...]:
    """What is no fault, of all segments; of their own only what does not tell of what contacts add to the events."""
    internal = tuple(f"'{name}" for name in forces)
    left_out = (NEVER,) if whole.energy_rounding > _HIDES * whole.energy_scale else (NEVER, _HIDDEN)
    notes = [note for note in whole.notes if not (note.startswith(left_out) or any(name in note for name in internal))]
    notes += map(str, _open(story))
    if story.lowered:
        text = (
            f"at {len(story.lowered)} impacts, the first at t = {story.lowered[0]:.6g}, restitution is lowered to where"
        )
        notes.append(str(Note("N132", f"{text} no energy is gained")))
    if story.cut:
        left, moved = (max(sizes) for sizes in zip(*story.cut, strict=True))
        fact = f"bounces that pile up are taken to their end at once, {left:.1e} s before it at most"
        notes.append(str(Note("N135", f"{fact}: what slips moves by {moved:.1e} in that time")))
    if lost:
        notes.append(str(Note("N130", f"impacts and ends of slip changed the energy by {lost:.6g}")))
    return (*map(str, story.early), *notes)


def _open(story: Story) -> list[Note]:
    """N133: forces that are not unique, where first they are not."""
    for piece in story.pieces:
        if not piece.eye.contacts.in_mode(piece.modes).shared:
            continue
        t, y = piece.nodes[0][0], piece.nodes[1][0, :-1]
        problem, choices = held_in(piece.eye.see(t, y), piece.modes)
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
    """The audit of a piece, without what says no more than that nothing moves in it but by rounding.

    A piece measures itself against itself; here the largest state of the whole path is the measure.
    """
    reasons = tuple(reason for reason in audit.reasons if not _is_rounding(reason, audit, size))
    return replace(audit, reasons=reasons, verdict=audit.verdict if reasons else OK)


def _is_rounding(reason: str, audit: Audit, size: float) -> bool:
    code, name, *_ = reason.split()
    if code == "E406":
        return True  # it is told once, of the whole
    return code == "E405" and audit.constraints.get(name, np.inf) <= _ROUNDING * size


def _energies(pieces: Pieces) -> tuple[float, float]:
    """The change of the energy, and how much of it is in jumps between the modes."""
    if "energy" not in pieces.names:
        return float("nan"), 0.0
    ends = pieces.energies
    within = sum(piece.lost for piece in pieces.pieces)
    return float(ends[-1, 1] - ends[0, 0]), float((ends[1:, 0] - ends[:-1, 1]).sum()) + within


def _marks(story: Story, pieces: Pieces, runner: Runner) -> dict[str, Marks]:
    """Where the caller's events happened, and the walls."""
    found: dict[str, Marks] = {}
    for piece in story.pieces:
        for name in piece.path.marks:
            if runner.cause(name) is not None:
                continue
            marks = piece.path.marks[name]
            width = len(piece.path.names)
            told = piece.columns(marks.t, marks.values[:, :width]) if len(marks) else np.empty((0, len(pieces.names)))
            values = np.hstack([told, marks.values[:, width:]])
            names = (*pieces.names, *marks.names[width:])
            old = found.get(name)
            known = old is not None and len(old) and len(marks)
            if old is None or not len(old):
                found[name] = Marks(marks.t, values, names)
            elif known:
                found[name] = Marks(np.r_[old.t, marks.t], np.vstack([old.values, values]), names)
    return found


def _hits(story: Story, pieces: Pieces) -> Mapping[str, Marks]:
    """When contacts were hit, the columns just before, and the impulses."""
    found = {}
    for name, hits in story.hits.items():
        t, p = np.array([h[0] for h in hits]), np.array([h[3] for h in hits])
        rows = np.array([pieces.told[piece][node] for _, piece, node, _ in hits])
        labels = [IMPULSE + part.removeprefix(f"{name}_") for part in pieces.forces[name]]
        found[name] = Marks(t, np.hstack([rows, p]), (*pieces.names, *labels))
    return found
