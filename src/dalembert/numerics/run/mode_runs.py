"""Mode after mode in compiled code: the tables of `contacts.mode_loop`, and what comes back: many segments as one.

The first mode is run by the usual way, each other one is made when it begins. What is left to the usual way, and when
it is tried again, depends on the run alone: a run has the same bits whenever it is made.
"""

from __future__ import annotations

import math
import time
import weakref
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TypeVar

import numpy as np

from ...calculus.frame import TIME
from ...equations.contact_modes import APART, NEWTON, SLIDES, STICKS, Contacts, Mode, Modes
from ...errors import DalembertError, Note
from ...trajectory import Interpolant
from ..contacts import active_set, mode_loop
from ..contacts.change import Cause, Changed, Stuck
from ..contacts.instant import Eye
from ..contacts.mode_loop import EVALUATED, EVENT, FROM, HIT, MODE, ROOM, STEPPED, TO, UNDECIDED
from ..events.compiled_guards import Watch
from ..events.crossings import MOST as CROSSINGS
from ..events.guard import Guard
from ..events.narrow_features import places_of
from ..events.roots import NODES
from ..machine.compiler import Library
from ..machine.llvm_ir import emit
from ..machine.loop.argument_layout import ArgumentFrame
from ..methods.explicit_runge_kutta.step_ir import POWERS, Work
from ..methods.explicit_runge_kutta.stepper import layout_of
from ..methods.method import Request, turning
from ..policy import Policy
from ..vector_field.field import Field
from .accuracy import EARLY, DisturbanceGrowth, few_steps
from .contact_mode import Runner
from .hybrid_path import CHATTER, WITHIN, ModeRun, Passed, Segment
from .integrate import WATCHED, stepping_of
from .path_columns import PathColumns
from .resting_guards import stopping
from .run_context import Leg, Made, Reused, Run, Spent, named

FIRST = 0  # modes of a run by the usual way behind the first one, before code for more of them is compiled
LONGEST = 20_000  # nodes of what is seen at a change, beyond which compiling it takes longer than it saves
_SEGMENTS, _NODES = 256, 4096  # of a tape
_PATIENCE = 64  # changes at most that are left to the usual way where the compiled one came to nothing
_WORDS = (Mode(APART), Mode(STICKS), Mode(SLIDES), Mode(SLIDES, 1), Mode(SLIDES, -1))  # by their numbers
_NUMBERS = {mode: number for number, mode in enumerate(_WORDS)}
_KINDS = np.array([(APART, STICKS, SLIDES).index(mode.word) for mode in _WORDS])
_LOOKS: weakref.WeakKeyDictionary[Contacts, dict[tuple[str, ...], Library]] = weakref.WeakKeyDictionary()
Value = TypeVar("Value")


@dataclass(frozen=True, eq=False)
class KnownMode:
    """A mode that was run, or made.

    Attributes:
        segment: that run, of which others in the mode are copies.
        watch: its guards.
        stepping: what was asked of its stepper.
    """

    segment: Segment
    watch: Watch
    stepping: Request

    @property
    def field(self) -> Field:
        """Its equations."""
        return self.segment.path.made.field

    @cached_property
    def few(self) -> int:
        """So many steps cannot lose all digits."""
        return few_steps(self.segment.path.request.policy)

    def run_of(
        self,
        path: Interpolant,
        spent: Spent,
        event: str,
        seconds: float = 0.0,
        remarks: Callable[[], Sequence[Note]] = tuple,
    ) -> ModeRun:
        """A run along a path to an event, or to its end."""
        leg = Leg(self.field, self.watch.guards, [path.t], [path.y], [path.h], [path.F])
        leg.__dict__["path"] = path
        end = float(path.t[-1])
        outcome = f"stopped by {event} at t = {end:.10g}" if event else f"reached t = {end:g}"
        run = Run([leg], named(self.watch.guards), outcome=outcome, stopped_by=event, spent=spent)
        made = Made(self.field, run, [], None, seconds)
        return _like(
            self.segment.path, made=made, dense=self.segment.path.dense.of_legs(run.legs), remarks=remarks, early=()
        )

    def doubts(self, path: Interpolant) -> list[Note]:
        """Of the growth of a disturbance along a path."""
        growth = DisturbanceGrowth.of(self.field, self.segment.path.request.policy, float(path.t[-1]))
        if growth is None:
            return []
        growth.span = float(path.t[0]), float(path.t[-1])
        return growth.finish([(self.field, path)])


# what runs are made in, laid out once for all that have the same shape
Room = tuple[ArgumentFrame[mode_loop.ModeWork], ArgumentFrame[mode_loop.Tape], ArgumentFrame[active_set.ActiveSet]]
Rooms = dict[object, tuple[Library, Room]]  # by what they see by and how many numbers a state has
Tables = tuple[mode_loop.Modes, mode_loop.ModeSpan, Room]  # the modes that are known, how far and how, and in what


@dataclass(eq=False)
class ModeRuns:
    """The compiled way through the modes of one run.

    Attributes:
        policy, reused: how it is run, and what its runs share.
        tick: told the time reached.
        rooms: what it is made in, which other runs may have left.
        ahead: does it begin with the first mode, and is nothing noticed of what only paths tell?
    """

    policy: Policy
    reused: Reused
    tick: Callable[[float], None]
    rooms: Rooms = field(default_factory=dict)
    ahead: bool = False
    known: dict[Modes, KnownMode] = field(default_factory=dict)
    waits: int = 0
    patience: int = 1
    seen: int = 0
    tables: Tables | None = None

    # --- what is known -----------------------------------------------------------------------------------------------

    def learn(self, runner: Runner, segment: Segment) -> None:
        """A mode that was run by the usual way."""
        path, self.seen = segment.path, self.seen + 1
        if len(path.run.legs) > 1 or path.run.failure is not None:
            return
        old, made = self.known.get(segment.modes), path.made.field
        if old is None or old.field.lean is not made.lean or old.field.kernel is not made.kernel:
            self._add(segment, path)

    def _add(self, segment: Segment, path: ModeRun) -> None:
        """A mode that compiled code goes through, if its equations and guards are such that it goes on as usual."""
        made, events = path.made.field, path.request.events
        whole = len(made.equations.kept) == len(made.equations.constraints) or not made.equations.by_multipliers
        if whole and not places_of(made.equations) and not any(guard.event.jumps for guard in events):
            stepping = stepping_of(made, self.policy, events, 0)
            self.known[segment.modes] = KnownMode(segment, self.reused.watch(events, made), stepping)
            self.tables = None

    def goes(self, runner: Runner, found: Changed) -> bool:
        """Is the compiled way to be tried from here?"""
        if self.waits > 0:
            self.waits -= 1
            return False
        equations, contacts = runner.eye.equations, runner.eye.contacts
        plain = runner.policy.method.pair is not None and not equations.system.inputs
        few = not contacts.rows.form.large and len(contacts.rows.phi[0].graph.nodes) <= LONGEST
        opens = all(law.load is None and law.sides == 1 for law in contacts.laws.values())
        line = max(contacts.slips.values()) < 2
        if not ((self.ahead or self.seen > FIRST) and plain and few and opens and line):
            return False
        if found.modes not in self.known:
            self._make(runner, found)
        return found.modes in self.known

    def _make(self, runner: Runner, found: Changed) -> None:
        """A mode that begins; one that cannot be made is left to the usual way, which says why."""
        try:
            request = stopping(runner.request(found.t, found.y, found.modes, runner.end))
            field = request.field
            leg = Leg(field, (), [np.array([found.t])], [field.first[None]])
            begun = ModeRun(Made(field, Run([leg]), [], None, 0.0), request, PathColumns([leg]), tuple, ())
            self._add(Segment.of(runner.eye, found.modes, begun), begun)
        except (Stuck, DalembertError):
            return

    # --- running -----------------------------------------------------------------------------------------------------

    def onwards(self, runner: Runner, found: Changed, bouncing: Mapping[str, float]) -> Iterator[Stretch]:
        """Segment after segment from a change on, as far as it goes."""
        known = list(self.known.values())
        tables = self.tables = self.tables or _tables(runner, known, self.rooms)
        modes, span, (bench, tape, active) = tables
        s = active.record
        s.modes[:] = [_NUMBERS[mode] for _, mode in found.modes]
        s.since[:] = [bouncing.get(name, np.nan) for name in runner.eye.contacts.slips]
        s.speeds[:] = runner.eye.speeds
        bench.record.row[:-1] = found.y
        t, how, count, total = found.t, ROOM, 1, 0
        while how == ROOM and count and not (runner.policy.halt and runner.policy.halt()):
            began = time.perf_counter()
            how, count = mode_loop.run_modes(modes, span, bench, tape, active, float(t))
            if count:
                segments = Segments(runner, known, how, _cut(tape.record, 0, count), s.since.copy())
                runner.eye.note(segments.tape.full[:, :-1])
                yield from segments.stretches((time.perf_counter() - began) / count, not self.ahead)
                t, bench.record.row[:-1] = float(segments.tape.times[-1]), segments.tape.after[-1]
                self.tick(t)
            total += count
        self.waits = 0 if total else self.patience
        self.patience = 1 if total else min(2 * self.patience, _PATIENCE)


def _look(eye: Eye) -> Library:
    """What is seen at a change, and the gaps alone."""
    known, key = _LOOKS.setdefault(eye.contacts, {}), tuple(sorted(eye.parameters))
    if key not in known:
        inputs = {name: ("y", i) for i, name in enumerate(eye.equations.states)}
        inputs |= {TIME.name: ("t", 0)} | {name: ("p", j) for j, name in enumerate(key)}
        gaps = [*eye.contacts.rows.gaps, *eye.contacts.rows.gap_sizes]
        known[key] = Library.compile({"look": emit("look", eye.wanted, inputs), "gaps": emit("gaps", gaps, inputs)})
    return known[key]


def _active_set(eye: Eye, look: Library) -> active_set.ActiveSet:
    """Room for what is seen of contacts, and for their problem."""
    contacts, k, kept = eye.contacts, len(eye.equations.space.velocities), list(eye.equations.kept)
    m, names, widths = len(contacts.rows.phi), list(contacts.slips), np.array(list(contacts.slips.values()), np.int64)
    parts, n, found = len(names), len(kept) + int((1 + widths).sum()), active_set.FOUND
    out = np.zeros(len(eye.wanted))
    ends = np.cumsum([m, parts, parts, 3 * parts, parts, k * k, m * k, k])
    phi, gaps, sizes, laws, _, W, N, f, g = np.split(out, ends)
    counts: dict[str, tuple[int, ...]] = {"rows": (n,), "active": (n,), "answers": (found, parts)}
    counts |= dict.fromkeys(["modes", "closed", "lasting", "rest", "held", "barred"], (parts,))
    counts |= dict.fromkeys(["listed", "spot", "place", "tried", "pushes", "sticks"], (parts,))
    reals: dict[str, tuple[int, ...]] = {"impulses": (parts, 2), "solved": (n + 1, k), "G": (n + 1, n), "b": (n,)}
    reals |= {"columns": (n, n), "paths": (found, k), "normals": (found, parts), "frictions": (found, parts)}
    reals |= dict.fromkeys(["since", "terms", "direction", "normal", "friction"], (parts,))
    reals |= dict.fromkeys(["speeds", "u", "x"], (k,)) | {"p": (len(eye.parameters),), "moment": (1,)}
    made: dict[str, object] = {name: np.zeros(shape, np.int64) for name, shape in counts.items()}
    made |= {name: np.zeros(shape) for name, shape in reals.items()}
    made |= {"address": look.address("look"), "y": np.zeros(len(eye.equations.states)), "out": out}
    made |= {"phi": phi, "gaps": gaps, "sizes": sizes, "laws": laws.reshape(-1, 3), "f": f, "g": g}
    made |= {"W": W.reshape(-1, k), "N": N.reshape(-1, k), "kept": np.array(kept, np.int64), "widths": widths}
    made["first"] = np.array(list(eye.first.values()), np.int64)
    made["masters"] = np.array([names.index(contacts.masters[name]) for name in names], np.int64)
    made["newton"] = np.array([contacts.laws[name].restitution == NEWTON for name in names], np.int64)
    return active_set.ActiveSet._make(made[name] for name in active_set.ActiveSet._fields)


def _room(eye: Eye, look: Library, work: Work) -> Room:
    """Room for runs by a step."""
    n = work.n
    room, full, parts = np.zeros, len(eye.equations.states) + 1, len(eye.contacts.slips)
    bench = mode_loop.ModeWork(
        *(room(4), room(n), room(3, np.int64), room(1), room((1, n)), room((1, POWERS * n)), room(work.size)),
        *(room(4), room(n + 1), room(full), room(n), room(2 * parts), room(1), room(NODES), room(CROSSINGS)),
        *(room(CROSSINGS, np.int64), room(parts), room(parts), room(1)),
    )
    tape = mode_loop.Tape(
        *(np.empty(_NODES), np.empty(_NODES), np.empty((_NODES, n)), np.empty((_NODES, full))),
        *(np.empty((_NODES, POWERS * n)), room((_SEGMENTS, 8), np.int64), np.empty(_SEGMENTS)),
        *(np.empty((_SEGMENTS, full - 1)), room((_SEGMENTS, parts), np.int64), np.empty((_SEGMENTS, 2 * parts))),
    )
    return ArgumentFrame(bench), ArgumentFrame(tape), ArgumentFrame(_active_set(eye, look))


def _table(rows: Sequence[Sequence[float] | np.ndarray], dtype: type = float) -> np.ndarray:
    """Rows of different lengths, zeros behind the shorter ones."""
    found: np.ndarray = np.zeros((len(rows), max(map(len, rows), default=0)), dtype)
    for to, row in zip(found, rows, strict=True):
        to[: len(row)] = row
    return found


def _work(runner: Runner, n: int) -> Work:
    """Where things lie in a step of n numbers."""
    pair = runner.policy.method.pair
    assert pair is not None
    return Work(n, tableau=pair)


def _modes(known: Sequence[KnownMode], runner: Runner, gaps: int) -> mode_loop.Modes:
    """The tables of the modes that are known."""
    codes: list[list[int]] = []
    limits: list[list[float]] = []
    guards: list[list[int]] = []
    needed: list[np.ndarray] = []
    for mode in known:
        field, library, first, stepping = mode.field, mode.field.kernel.library, len(guards), mode.stepping
        guards += [_guard(mode.watch, number, guard, runner) for number, guard in enumerate(mode.watch.guards)]
        needed += [mode.watch.needed[number] for number in range(len(mode.watch.guards))]
        code = [library.address(name) for name in ("rhs", "step", "dense", "first")]
        lean = [library.address(name) for name in ("full", "within")] if field.lean is not None else [0, 0]
        codes.append([*code, field.project_address, *lean, len(field.first), first, len(guards) - first])
        looked = WATCHED if field.lean is None else turning(field.lean)
        limits.append([stepping.margin_limit, stepping.margin_low, looked, float(runner.policy.atol is not None)])
    return mode_loop.Modes(
        np.array([[_NUMBERS[each] for _, each in mode.segment.modes] for mode in known], np.int64),
        np.array(codes, np.int64),
        _table([mode.field.p for mode in known]),
        _table([mode.watch.p for mode in known]),
        np.array(limits),
        _table([mode.stepping.atol for mode in known]),
        np.array([layout_of(_work(runner, len(mode.field.first))) for mode in known]),
        np.array(guards, np.int64).reshape(-1, 6),
        _table(needed, np.int64),
        gaps,
    )


def _guard(watch: Watch, number: int, guard: Guard, runner: Runner) -> list[int]:
    """One row of the guards."""
    kind, who = active_set.OTHER, 0
    cause = None if guard.switch else runner.cause(guard.event.name)
    if cause is not None:
        kinds = (cause.touched, cause.left, cause.still, {name for name, _ in cause.barred})
        kind = next(kind for kind, names in enumerate(kinds) if names)
        who = list(runner.eye.contacts.slips).index(next(iter(kinds[kind])))
    value, size = (watch.library.address(f"{what}{number}") for what in ("guard", "size"))
    return [value, size, guard.event.direction, kind, who, len(watch.needed[number])]


def _tables(runner: Runner, known: Sequence[KnownMode], rooms: Rooms) -> Tables:
    """All that modes are run with."""
    eye, policy = runner.eye, runner.policy
    look, n = _look(eye), max(len(eye.equations.states) + 1, *(len(mode.field.first) for mode in known))
    if (id(look), n) not in rooms:
        rooms[id(look), n] = look, _room(eye, look, _work(runner, n))
    room = rooms[id(look), n][1]
    room[2].record.p[:] = [eye.parameters[name] for name in sorted(eye.parameters)]
    span = mode_loop.ModeSpan(
        runner.end, runner.end - runner.first.t, policy.rtol, float(policy.max_step), policy.most_steps, EARLY - 1
    )
    return _modes(known, runner, look.address("gaps")), span, room


def _cut(tape: mode_loop.Tape, first: int, count: int) -> mode_loop.Tape:
    """A copy of some of the segments."""
    begin, end = tape.table[first, FROM], tape.table[first + count - 1, TO] + 1
    nodes, each = [a[begin:end].copy() for a in tape[:5]], [a[first : first + count].copy() for a in tape[5:]]
    found = mode_loop.Tape(*nodes, *each)
    found.table[:, [FROM, TO]] -= begin
    return found


# --- what comes back -------------------------------------------------------------------------------------------------


Stretch = tuple[Segment, Changed | Cause | None, Passed]  # what comes behind a segment, and what happened within it


@dataclass(frozen=True, eq=False)
class Segments:
    """Segments one behind the other, as they stand on the tape.

    Attributes:
        runner, known, how: whose they are, the modes, and how they ended.
        tape: their part of it, copied.
        since: when contacts began to bounce, NaN for those that do not.
    """

    runner: Runner
    known: Sequence[KnownMode]
    how: int
    tape: mode_loop.Tape
    since: np.ndarray

    def stretches(self, seconds: float, noticed: bool) -> Iterator[Stretch]:
        """All of them as one; each alone where so many changes may follow each other in no time that a motion has to
        end between them.

        Args:
            seconds: that a segment took.
            noticed: are long ones looked at for the growth of a disturbance?
        """
        ends, length = self.tape.times[self.tape.table[:, TO]], self.runner.end - self.runner.first.t
        many = CHATTER // 2  # on this side of where these begin or end
        if not (ends[many:] - ends[:-many] <= WITHIN * length).any():
            yield self._stretch(seconds * len(ends), noticed)
            return
        for i in range(len(ends)):
            how = self.how if i == len(ends) - 1 else ROOM
            # times of bounces are those behind all, which nothing is decided by here
            yield replace(self, how=how, tape=_cut(self.tape, i, 1))._stretch(seconds, noticed)

    def _stretch(self, seconds: float, noticed: bool) -> Stretch:
        """All of them as one, and what comes behind it."""
        last = len(self.tape.table) - 1
        mode, event = self.known[self.tape.table[last, MODE]], self._event(last)
        supplied = self._supplied(self.energies)
        self.tape.full[:, -1] += np.repeat(supplied, self.counts)
        notes = self._doubts if noticed else tuple
        run = mode.run_of(self.path(last), self._spent(slice(None)), event, seconds, notes)
        chain = Chain(mode.segment.eye, mode.segment.modes, run, mode.segment.forces, self, supplied)
        chain.__dict__["nodes"] = self.tape.times, self.tape.full
        return chain, self._then(event), self._passed()

    def _then(self, event: str) -> Changed | Cause | None:
        """What comes behind the last."""
        if not event or self.how == UNDECIDED:
            return self.runner.cause(event) if event else None
        t, names = float(self.tape.times[-1]), self.runner.eye.contacts.slips
        hits = self._hits(-1) if self.tape.table[-1, HIT] else {}
        modes = tuple(zip(names, (_WORDS[number] for number in self.tape.modes[-1]), strict=True))
        return Changed(at=t, t=t, y=self.tape.after[-1], modes=modes, impulses=hits)

    def _passed(self) -> Passed:
        """What happened at the changes within."""
        times, names = self.tape.times[self.inner], list(self.runner.eye.contacts.slips)
        old = np.array([[_NUMBERS[each] for _, each in mode.segment.modes] for mode in self.known])
        old, new = old[self.tape.table[:-1, MODE]], self.tape.modes[:-1]
        said = [(float(times[i]), names[j], _WORDS[new[i, j]].word) for i, j in np.argwhere(_KINDS[old] != _KINDS[new])]
        those = np.flatnonzero(self.tape.table[:-1, HIT]).tolist()
        hits = [(float(times[i]), int(self.inner[i]), self._hits(i)) for i in those]
        since = zip(names, self.since.tolist(), strict=True)
        return Passed(times.tolist(), said, hits, {name: t for name, t in since if not math.isnan(t)})

    def _hits(self, i: int) -> dict[str, np.ndarray]:
        """The impulses of an impact, of each part the normal one, where it is a contact, and friction's."""
        contacts, row, found = self.runner.eye.contacts, self.tape.impulses[i], {}
        for j, (name, width) in enumerate(contacts.slips.items()):
            found[name] = row[2 * j + (contacts.masters[name] != name) : 2 * j + 1 + width]
        return found

    def path(self, i: int) -> Interpolant:
        """Of one of them."""
        first, last, m, _ = self.tape.table[i, : EVENT + 1]
        n, those, steps = len(self.known[m].field.first), slice(first, last + 1), slice(first + 1, last + 1)
        F = self.tape.coefficients[steps, : POWERS * n].reshape(-1, POWERS, n)
        return Interpolant(self.tape.times[those], self.tape.states[those, :n], self.tape.sizes[steps], F)

    def _event(self, i: int) -> str:
        """What ended one of them; nothing at the end of the run."""
        m, event = self.tape.table[i, [MODE, EVENT]]
        first = sum(len(mode.watch.guards) for mode in self.known[:m])
        return self.known[m].watch.guards[event - first].event.name if event >= 0 else ""

    @property
    def counts(self) -> np.ndarray:
        """How many nodes each has (P,)."""
        return np.asarray(self.tape.table[:, TO] - self.tape.table[:, FROM] + 1)

    @property
    def inner(self) -> np.ndarray:
        """The last node of each but the last (P - 1,)."""
        return np.asarray(self.tape.table[:-1, TO])

    def _spent(self, those: slice | np.ndarray) -> Spent:
        """What some of them have cost."""
        steps, rejected, asked = self.tape.table[those, STEPPED : EVALUATED + 1].sum(axis=0).tolist()
        return Spent(steps, rejected, asked, float(self.tape.margins[those].min()))

    def _doubts(self) -> list[Note]:
        """Of the growth of a disturbance in each that is long."""
        found: list[Note] = []
        for i, (m, count) in enumerate(zip(self.tape.table[:, MODE], self.counts, strict=True)):
            found += self.known[m].doubts(self.path(i)) if count > self.known[m].few else []
        return found

    @cached_property
    def energies(self) -> np.ndarray:
        """At the first and the last time of each (P, 2)."""
        ends = self.tape.table[:, FROM : TO + 1]
        found = np.empty(ends.shape)
        for m in np.unique(self.tape.table[:, MODE]):
            those = self.tape.table[:, MODE] == m
            at = ends[those].ravel()
            found[those] = self.known[m].field.energy(self.tape.times[at], self.tape.full[at]).reshape(-1, 2)
        return found

    def _supplied(self, energies: np.ndarray) -> np.ndarray:
        """The work supplied before each, what changes have taken included (P,)."""
        works = self.tape.full[self.inner, -1]
        return np.concatenate([[0.0], np.cumsum(works + energies[1:, 0] - energies[:-1, 1])])

    def in_mode(self, m: int) -> ModeRun:
        """All that are in one mode as one run with stretches, to be looked at together."""
        those = self.tape.table[:, MODE] == m
        nodes, mode = np.repeat(those, self.counts), self.known[m]
        first, n = np.zeros(len(self.tape.times), bool), len(mode.field.first)
        first[self.tape.table[:, FROM]] = True
        steps = nodes & ~first
        F = self.tape.coefficients[steps, : POWERS * n].reshape(-1, POWERS, n)
        path = Interpolant(self.tape.times[nodes], self.tape.states[nodes, :n], self.tape.sizes[steps], F)
        starts = np.concatenate([[0], np.cumsum(self.counts[those])[:-1]])
        return _like(mode.run_of(path, self._spent(those), ""), starts=starts)


@dataclass(frozen=True, eq=False)
class Chain(Segment):
    """Segments one behind the other as one, without an object for each.

    Attributes:
        segments: they.
        supplied: the work before each.
    """

    segments: Segments
    supplied: np.ndarray

    @property
    def lost(self) -> float:
        """By how much the energy changed within it by jumps."""
        energies = self.segments.energies
        return float((energies[1:, 0] - energies[:-1, 1]).sum())

    @property
    def kind(self) -> object:
        """Told for itself."""
        return id(self)

    @property
    def kept(self) -> np.ndarray:
        """Which of its nodes are told (N,): a change of modes stands once, an impact twice."""
        segments, found = self.segments, np.ones(len(self.segments.tape.times), bool)
        hit = segments.tape.table[:-1, HIT].astype(bool) & segments.tape.impulses[:-1].any(axis=1)
        times = segments.tape.times[segments.inner]
        found[segments.inner] = np.isin(times, times[hit])
        return found

    @property
    def runs(self) -> list[ModeRun]:
        """The runs in each of its modes."""
        *found, last = (self.segments.in_mode(m) for m in np.unique(self.segments.tape.table[:, MODE]))
        return [*found, _like(last, remarks=self.path.remarks)]

    @property
    def told(self) -> np.ndarray:
        """The columns at its nodes."""
        return self._told(np.repeat(self.segments.tape.table[:, MODE], self.segments.counts), *self.nodes)

    def at(self, t: np.ndarray, full: np.ndarray) -> np.ndarray:
        """The columns at times (N,), of states and work there (N, n + 1)."""
        return self._told(self.segments.tape.table[self._which(t), MODE], t, full)

    def _told(self, modes: np.ndarray, t: np.ndarray, full: np.ndarray) -> np.ndarray:
        """The same, in the mode of each time."""
        found = np.empty((len(t), len(self.names)))
        for m in np.unique(modes):
            those = modes == m
            found[those] = self.segments.known[m].segment.at(t[those], full[those])
        return found

    def __call__(self, t: np.ndarray) -> np.ndarray:
        """The columns at times inside."""
        return self.at(t, self.rows(t))

    def _which(self, t: np.ndarray) -> np.ndarray:
        """The segment of each time; at a change the later one."""
        begins = self.segments.tape.times[self.segments.tape.table[:, FROM]]
        return np.maximum(np.searchsorted(begins, t, side="right") - 1, 0)

    def rows(self, t: np.ndarray) -> np.ndarray:
        """States and the work supplied since it began (len(t), n + 1) at times inside."""
        segments, found, which = self.segments, np.empty((len(t), self.segments.tape.full.shape[1])), self._which(t)
        for i in np.unique(which):
            field, those = segments.known[segments.tape.table[i, MODE]].field, which == i
            inside = t[those]
            found[those] = field.full(inside, field.project(inside, segments.path(i)(inside)))
            found[those, -1] += self.supplied[i]
        return found


def _like(one: Value, **new: object) -> Value:
    """Another of the same kind with other attributes, which is made often: nothing is checked."""
    made = object.__new__(type(one))
    made.__dict__.update(vars(one), **new)
    return made
