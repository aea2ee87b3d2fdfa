"""Modes of contacts one behind the other in compiled code, see `contacts.relay`: tables for it, and what comes back.

Each mode is run by the usual way first; from what that has compiled comes its row of the tables. When what is left to
the usual way, and when it is tried again, depends on the run alone: a run has the same bits whenever it is made.
"""

from __future__ import annotations

import math
import time
import weakref
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple, TypeVar

import numpy as np

from ...calculus.frame import TIME
from ...equations.contacts import APART, NEWTON, SLIDES, STICKS, Contacts, Mode, Modes
from ...errors import DalembertError, Note
from ...trajectory import Interpolant
from ..contacts import deciding, passing, relay
from ..contacts.change import Cause, Changed, Stuck
from ..contacts.instant import Eye
from ..contacts.pieces import Piece
from ..contacts.segment import Runner
from ..contacts.whole import CHATTER, WITHIN
from ..events.compiled_guards import Watch
from ..events.crossings import MOST as CROSSINGS
from ..events.guard import Guard
from ..events.narrow import places_of
from ..events.roots import NODES
from ..machine.library import Library
from ..machine.llvm import emit
from ..methods.dop853 import Dop853
from ..methods.dop853.code import POWERS, Work
from ..methods.dop853.stepper import layout_of
from ..methods.method import Request, turning
from ..policy import Policy
from ..vector_field.field import Field
from .bouts import Bout
from .carried import request_of, resting
from .columns import Columns
from .fine_steps import EARLY
from .gathered import Leg, Made, Run, Spent, named
from .growth import Growth, few_steps
from .integrate import WATCHED
from .reused import Reused

FIRST = 2  # changes of a run before code for more of them is compiled
LONGEST = 20_000  # nodes of what is seen at a change, beyond which compiling it takes longer than it saves
_PIECES, _NODES = 256, 4096  # of a stretch
_PATIENCE = 64  # changes at most that are left to the usual way where the compiled one came to nothing
Value = TypeVar("Value")
_WORDS = (Mode(APART), Mode(STICKS), Mode(SLIDES), Mode(SLIDES, 1), Mode(SLIDES, -1))
_NUMBERS = {mode: number for number, mode in enumerate(_WORDS)}
_LOOKS: weakref.WeakKeyDictionary[Contacts, dict[tuple[str, ...], Library]] = weakref.WeakKeyDictionary()


@dataclass(frozen=True, eq=False)
class Gear:
    """A mode that was run.

    Attributes:
        modes: of its contacts.
        bout: that run, of which others in the mode are copies.
        piece: the same.
        watch: its guards.
        request: what was asked of its stepper.
    """

    modes: Modes
    bout: Bout
    piece: Piece
    watch: Watch
    request: Request

    @property
    def field(self) -> Field:
        """Its equations."""
        return self.bout.made.field

    @cached_property
    def blank(self) -> Run:
        """A run in which none of its events was marked."""
        return Run([], named(self.watch.guards))

    @cached_property
    def words(self) -> dict[tuple[int, ...], Modes]:
        """Modes of contacts by their numbers, of what came behind it."""
        return {}

    @cached_property
    def few(self) -> int:
        """So many steps cannot lose all digits."""
        return few_steps(self.bout.policy)

    def again(
        self, path: Interpolant, full: np.ndarray, spent: Spent, event: str, seconds: float, plain: bool = False
    ) -> Piece:
        """Another run in the mode, of which the path is there, and full rows at its nodes; is nothing noticed of it?"""
        leg = Leg(self.field, self.watch.guards, [path.t], [path.y], [path.h], [path.F])
        leg.__dict__["path"] = path
        end = float(path.t[-1])
        outcome = f"stopped by {event} at t = {end:.10g}" if event else f"reached t = {end:g}"
        run = like(self.blank, legs=[leg], outcome=outcome, stopped_by=event, spent=spent)
        notes = () if plain or len(path.t) <= self.few else self._doubts(run)
        made = Made(self.field, run, [], None, seconds)
        bout = like(self.bout, made=made, dense=self.bout.dense.of_legs(run.legs), remarks=notes, early=())
        return like(self.piece, path=bout, nodes=(path.t, full))

    def _doubts(self, run: Run) -> tuple[Note, ...]:
        """Of the growth of a disturbance."""
        leg = run.leg
        growth = Growth.of(self.field, self.bout.policy, float(leg.path.t[-1]))
        if growth is None:
            return ()
        growth.span = float(leg.path.t[0]), float(leg.path.t[-1])
        return tuple(growth.finish([(leg.field, leg.path)]))


class Tables(NamedTuple):
    """What a stretch is made with, in the order of `relay.relay`."""

    gears: relay.Gears
    road: relay.Road
    bench: relay.Bench
    tape: relay.Tape
    turn: passing.Turn
    sizes: deciding.Sizes
    sight: deciding.Sight
    desk: deciding.Desk


class Stretch(NamedTuple):
    """A piece, and what comes behind it: a change that was made, why one is to be made, or the end of the run.

    Where it is a chain, the changes within it, and since when contacts have been bouncing at its end.
    """

    piece: Piece
    then: Changed | Cause | None
    changes: Sequence[float] = ()
    bouncing: Mapping[str, float] | None = None


@dataclass(eq=False)
class Relayed:
    """The compiled way through the modes of one run.

    Attributes:
        policy, reused: how it is run, and what its runs share.
        tick: told the time reached.
        ahead: are modes made for it that were not run yet?
    """

    policy: Policy
    reused: Reused
    tick: Callable[[float], None]
    ahead: bool = False
    gears: dict[Modes, Gear] = field(default_factory=dict)
    waits: int = 0
    patience: int = 1
    seen: int = 0
    tables: Tables | None = None

    # --- what is known -----------------------------------------------------------------------------------------------

    def learn(self, runner: Runner, piece: Piece) -> None:
        """A mode that was run by the usual way."""
        bout, self.seen = piece.path, self.seen + 1
        if not isinstance(bout, Bout) or len(bout.run.legs) > 1 or bout.run.failure is not None:
            return
        old, made = self.gears.get(piece.modes), bout.made.field
        if old is None or old.field.lean is not made.lean or old.field.kernel is not made.kernel:
            self._add(piece, bout)

    def _add(self, piece: Piece, bout: Bout) -> None:
        """A mode that compiled code goes through, if it is plain."""
        made = bout.made.field
        if _is_plain(made, bout.guards):
            watch = self.reused.watch(bout.guards, made)
            request = request_of(made, self.policy, bout.guards, 0)
            self.gears[piece.modes] = Gear(piece.modes, bout, piece, watch, request)
            self.tables = None

    def goes(self, runner: Runner, found: Changed) -> bool:
        """Is the compiled way to be tried from here?"""
        if self.waits > 0:
            self.waits -= 1
            return False
        if not (self.ahead or self.seen > FIRST) or not self._possible(runner):
            return False
        if self.ahead and found.modes not in self.gears:
            self._make(runner, found)
        return found.modes in self.gears

    def _make(self, runner: Runner, found: Changed) -> None:
        """A mode that begins; one that cannot be made is left to the usual way, which says why."""
        try:
            mission = runner.mission(found.t, found.y, found.modes, runner.end)
            made = mission.field
            guards, leg = (*mission.guards, *resting(made)), Leg(made, (), [np.array([found.t])], [made.first[None]])
            bout = Bout(Made(made, Run([leg]), [], None, 0.0), runner.policy, guards, Columns([leg]), (), (), dict)
            self._add(Piece.of(runner.eye, found.modes, bout), bout)
        except (Stuck, DalembertError):
            return

    @staticmethod
    def _possible(runner: Runner) -> bool:
        """Are method, inputs and contacts such that it can be?"""
        equations, contacts = runner.eye.equations, runner.eye.contacts
        plain = isinstance(runner.policy.method, Dop853) and not equations.system.inputs
        rows = contacts.rows
        few = not rows.form.large and len(rows.phi[0].graph.nodes) <= LONGEST
        return plain and few and max(contacts.slips.values()) < 2

    # --- running -----------------------------------------------------------------------------------------------------

    def onwards(self, runner: Runner, found: Changed, bouncing: Mapping[str, float]) -> Iterator[Stretch]:
        """Piece after piece from a change on, as far as it goes."""
        tables = self.tables = self.tables or _tables(runner, list(self.gears.values()))
        turn, gears = tables.turn, list(self.gears.values())
        turn.modes[:] = [_NUMBERS[mode] for _, mode in found.modes]
        turn.since[:] = [bouncing.get(name, np.nan) for name in runner.eye.contacts.slips]
        turn.speeds[:] = runner.eye.speeds
        tables.bench.row[:-1] = found.y
        t, how, count, total = found.t, relay.ROOM, 1, 0
        while how == relay.ROOM and count and not (runner.policy.halt and runner.policy.halt()):
            began = time.perf_counter()
            how, count = relay.relay(*tables, float(t))
            seconds = (time.perf_counter() - began) / max(count, 1)
            tape = Wound.off(tables, gears, how, count, runner)
            if self.ahead and tape.links and not tape.chatters(runner.end - runner.first.t):
                yield tape.chain()
            else:
                yield from (tape.stretch(i, seconds) for i in range(len(tape.links)))
            total += count
            if count:
                last = int(tables.tape.pieces[count - 1, relay.TO])
                t = float(tables.tape.times[last])
                tables.bench.row[:-1] = tables.tape.after[count - 1]
                self.tick(t)
        self.waits = 0 if total else self.patience
        self.patience = 1 if total else min(2 * self.patience, _PATIENCE)


@dataclass(frozen=True, eq=False)
class Wound:
    """The pieces that stand on the tape.

    Attributes:
        runner, gears, how: whose they are, their modes, and how they ended.
        t, h, y, full, F: of their nodes.
        links, margins: of each first and last node, gear, event and counts (P, 8); and its margin.
        after, modes, impulses: behind each.
        first: of each gear its first guard.
        since: when contacts began to bounce, NaN for those that do not.
    """

    runner: Runner
    gears: Sequence[Gear]
    how: int
    t: np.ndarray
    h: np.ndarray
    y: np.ndarray
    full: np.ndarray
    F: np.ndarray
    links: list[list[int]]
    margins: np.ndarray
    after: np.ndarray
    modes: list[list[int]]
    impulses: np.ndarray
    first: np.ndarray
    since: np.ndarray

    @classmethod
    def off(cls, tables: Tables, gears: Sequence[Gear], how: int, count: int, runner: Runner) -> Wound:
        """Copied from the tape."""
        tape, codes = tables.tape, tables.gears.codes
        end = int(tape.pieces[count - 1, relay.TO]) + 1 if count else 0
        t, h, y, full, F = (a[:end].copy() for a in (tape.times, tape.sizes, tape.states, tape.full, tape.coefficients))
        margins, after, hits = (a[:count].copy() for a in (tape.margins, tape.after, tape.impulses))
        if count:
            runner.eye.note(full[:, :-1])
        links, modes, since = tape.pieces[:count].tolist(), tape.modes[:count].tolist(), tables.turn.since
        nodes = t, h, y, full, F
        return cls(runner, gears, how, *nodes, links, margins, after, modes, hits, codes[:, relay.GUARD], since)

    def path(self, i: int) -> Interpolant:
        """Of one piece."""
        first, last, g, *_ = self.links[i]
        n, those, steps = len(self.gears[g].field.first), slice(first, last + 1), slice(first + 1, last + 1)
        F = self.F[steps, : POWERS * n].reshape(-1, POWERS, n)
        return Interpolant(self.t[those], self.y[those, :n], self.h[steps], F)

    def event(self, i: int) -> str:
        """What ended a piece; nothing at the end of the run."""
        _, _, g, event, *_ = self.links[i]
        return self.gears[g].watch.guards[event - self.first[g]].event.name if event >= 0 else ""

    def stretch(self, i: int, seconds: float) -> Stretch:
        """One piece, and what comes behind it."""
        link, name = self.links[i], self.event(i)
        spent = Spent(link[relay.STEPPED], link[relay.REFUSED], link[relay.EVALUATED], float(self.margins[i]))
        full = self.full[link[relay.FROM] : link[relay.TO] + 1]
        piece = self.gears[link[relay.GEAR]].again(self.path(i), full, spent, name, seconds)
        return Stretch(piece, self.then(i, name))

    def then(self, i: int, event: str) -> Changed | Cause | None:
        """What comes behind a piece."""
        if not event:
            return None
        if self.how == relay.UNDECIDED and i == len(self.links) - 1:
            return self.runner.cause(event)
        eye, t = self.runner.eye, float(self.t[self.links[i][relay.TO]])
        hits = _hits(eye, self.impulses[i]) if self.links[i][relay.HIT] else {}
        key, known = tuple(self.modes[i]), self.gears[self.links[i][relay.GEAR]].words
        if key not in known:
            known[key] = tuple(zip(eye.contacts.slips, (_WORDS[number] for number in key), strict=True))
        return Changed(t, t, self.after[i], known[key], hits, {})

    # --- all of them as one ------------------------------------------------------------------------------------------

    @cached_property
    def table(self) -> np.ndarray:
        """`links` as numbers."""
        return np.array(self.links, np.int64)

    def chatters(self, length: float) -> bool:
        """May so many changes follow each other in no time that a motion has to end between them?"""
        ends = self.t[self.table[:, relay.TO]]
        many = CHATTER // 2  # on this side of where the chain begins or ends
        return bool((ends[many:] - ends[:-many] <= WITHIN * length).any())

    def chain(self) -> Stretch:
        """One piece of them all."""
        table, last = self.table, len(self.links) - 1
        steps, rejected, asked = table[:, relay.STEPPED : relay.EVALUATED + 1].sum(axis=0).tolist()
        spent = Spent(steps, rejected, asked, float(self.margins.min()))
        full, event = self.full, self.event(last)
        supplied = self._supplied(table)
        full[:, -1] += np.repeat(supplied, table[:, relay.TO] - table[:, relay.FROM] + 1)
        whole = self.gears[table[last, relay.GEAR]].again(self.path(last), full, spent, event, 0.0, plain=True)
        piece = Chain(whole.eye, whole.modes, whole.path, whole.forces, self, supplied)
        piece.__dict__["nodes"] = self.t, full
        since = zip(self.runner.eye.contacts.slips, self.since.tolist(), strict=True)
        changes = self.t[table[:-1, relay.TO]].tolist()
        return Stretch(piece, self.then(last, event), changes, {name: t for name, t in since if not math.isnan(t)})

    def _supplied(self, table: np.ndarray) -> np.ndarray:
        """The work supplied before each piece, what changes have taken included (P,)."""
        ends = table[:, relay.FROM : relay.TO + 1]
        energy = np.empty(ends.shape)
        for g, gear in enumerate(self.gears):
            those = table[:, relay.GEAR] == g
            if those.any():
                at = ends[those].ravel()
                energy[those] = gear.field.energy(self.t[at], self.full[at]).reshape(-1, 2)
        works = self.full[ends[:-1, 1], -1]
        return np.concatenate([[0.0], np.cumsum(works + energy[1:, 0] - energy[:-1, 1])])


@dataclass(frozen=True, eq=False)
class Chain(Piece):
    """Pieces one behind the other, of which no more is kept than their states.

    Attributes:
        wound: they.
        supplied: the work before each.
    """

    wound: Wound
    supplied: np.ndarray

    def rows(self, t: np.ndarray) -> np.ndarray:
        """States and the work supplied since it began (len(t), n + 1) at times inside."""
        wound, found = self.wound, np.empty((len(t), self.wound.full.shape[1]))
        begins = wound.t[wound.table[:, relay.FROM]]
        which = np.maximum(np.searchsorted(begins, t, side="right") - 1, 0)
        for i in np.unique(which):
            field, those = wound.gears[wound.links[i][relay.GEAR]].field, which == i
            inside = t[those]
            found[those] = field.full(inside, field.project(inside, wound.path(i)(inside)))
            found[those, -1] += self.supplied[i]
        return found


def like(one: Value, **new: object) -> Value:
    """Another of the same kind with other attributes, which is made often: nothing is checked."""
    made = object.__new__(type(one))
    made.__dict__.update(vars(one), **new)
    return made


def _hits(eye: Eye, row: np.ndarray) -> dict[str, np.ndarray]:
    """The impulses of an impact, of each part the normal one, where it is a contact, and friction's."""
    masters, found = eye.contacts.masters, {}
    for i, (name, width) in enumerate(eye.contacts.slips.items()):
        found[name] = row[2 * i + (masters[name] != name) : 2 * i + 1 + width]
    return found


def _is_plain(made: Field, guards: Sequence[Guard]) -> bool:
    """Are a mode's equations and guards such that compiled code goes on in it as the usual way does?"""
    equations = made.equations
    whole = len(equations.kept) == len(equations.constraints) or equations.explicit is not None
    return whole and not places_of(equations) and not any(guard.event.jumps for guard in guards)


def _look(eye: Eye) -> Library:
    """What is seen at a change, and the gaps alone."""
    known, key = _LOOKS.setdefault(eye.contacts, {}), tuple(sorted(eye.parameters))
    if key not in known:
        inputs = {name: ("y", i) for i, name in enumerate(eye.equations.states)}
        inputs |= {TIME.name: ("t", 0)} | {name: ("p", j) for j, name in enumerate(key)}
        rows = eye.contacts.rows
        gaps = [*rows.gaps, *rows.sizes]
        known[key] = Library.compile({"look": emit("look", eye.wanted, inputs), "gaps": emit("gaps", gaps, inputs)})
    return known[key]


def _sizes(eye: Eye) -> deciding.Sizes:
    """Where things lie in what is seen."""
    contacts, k = eye.contacts, len(eye.equations.space.velocities)
    m, parts = len(contacts.rows.phi), list(contacts.slips)
    widths = np.array(list(contacts.slips.values()), np.int64)
    rows = m - int((1 + widths).sum()) + np.cumsum(np.r_[0, 1 + widths[:-1]]).astype(np.int64)
    masters = np.array([parts.index(contacts.masters[name]) for name in parts], np.int64)
    plain = np.array([contacts.laws[name].restitution == NEWTON for name in parts], np.int64)
    at = np.cumsum([m, len(parts), len(parts), 3 * len(parts), k * k, m * k, k]).tolist()
    return deciding.Sizes(k, np.array(eye.equations.kept, np.int64), rows, widths, masters, plain, *at)


def _desk(sizes: deciding.Sizes) -> deciding.Desk:
    """Room to decide in."""
    parts, k = len(sizes.rows), sizes.k
    n = len(sizes.kept) + int((1 + sizes.widths).sum())

    def counts() -> np.ndarray:
        return np.zeros(parts, np.int64)

    few = deciding.FOUND
    return deciding.Desk(
        *(counts(), np.zeros(parts), counts(), np.zeros((n, k)), np.zeros(n), np.zeros((n + 1, k))),
        *(np.zeros((n + 1, n)), np.zeros(n, np.int64), np.zeros((n, n)), np.zeros(parts), np.zeros(parts)),
        *(counts(), np.zeros(k), counts(), np.zeros((few, parts), np.int64), np.zeros((few, k))),
        *(np.zeros((few, parts)), np.zeros((few, parts))),
    )


def _table(rows: Sequence[Sequence[float] | np.ndarray], dtype: type = float) -> np.ndarray:
    """Rows of different lengths, zeros behind the shorter ones."""
    found: np.ndarray = np.zeros((len(rows), max(map(len, rows), default=0)), dtype)
    for to, row in zip(found, rows, strict=True):
        to[: len(row)] = row
    return found


def _gears(gears: Sequence[Gear], runner: Runner, gaps: int) -> relay.Gears:
    """The tables of the modes that are known."""
    codes: list[list[int]] = []
    limits: list[list[float]] = []
    guards: list[list[int]] = []
    needed: list[np.ndarray] = []
    for gear in gears:
        field, library, first = gear.field, gear.field.kernel.library, len(guards)
        for number, guard in enumerate(gear.watch.guards):
            guards.append(_guard(gear.watch, number, guard, runner))
            needed.append(gear.watch.needed[number])
        code = [library.address(name) for name in ("rhs", "step", "dense", "first")]
        lean = [library.address(name) for name in ("full", "within")] if field.lean is not None else [0, 0]
        codes.append([*code, field.project_address, *lean, len(field.first), first, len(guards) - first])
        looked = WATCHED if field.lean is None else turning(field.lean)
        request = gear.request
        limits.append([request.margin_limit, request.margin_low, looked, float(gear.bout.policy.atol is not None)])
    n = [len(gear.field.first) for gear in gears]
    return relay.Gears(
        np.array([[_NUMBERS[mode] for _, mode in gear.modes] for gear in gears], np.int64),
        np.array(codes, np.int64),
        _table([gear.field.p for gear in gears]),
        _table([gear.watch.p for gear in gears]),
        np.array(limits),
        _table([gear.request.atol for gear in gears]),
        np.array([layout_of(each) for each in n]),
        np.array(guards, np.int64).reshape(-1, 6),
        _table(needed, np.int64),
        gaps,
    )


def _guard(watch: Watch, number: int, guard: Guard, runner: Runner) -> list[int]:
    """One row of the guards."""
    kind, who = passing.OTHER, 0
    cause = None if guard.switch else runner.cause(guard.event.name)
    if cause is not None:
        kinds = (cause.touched, cause.left, cause.still, {name for name, _ in cause.barred})
        kind = next(kind for kind, names in enumerate(kinds) if names)
        who = list(runner.eye.contacts.slips).index(next(iter(kinds[kind])))
    value, size = (watch.library.address(f"{what}{number}") for what in ("guard", "size"))
    return [value, size, guard.event.direction, kind, who, len(watch.needed[number])]


def _room(*shape: int) -> np.ndarray:
    """Room for numbers."""
    return np.zeros(shape)


def _tables(runner: Runner, gears: Sequence[Gear]) -> Tables:
    """All that a stretch is made with."""
    eye, policy = runner.eye, runner.policy
    look, sizes = _look(eye), _sizes(eye)
    p = np.array([eye.parameters[name] for name in sorted(eye.parameters)], float)
    full, parts, k = len(eye.equations.states) + 1, len(sizes.rows), sizes.k
    n = max(full, *(len(gear.field.first) for gear in gears))
    road = relay.Road(
        runner.end, runner.end - runner.first.t, policy.rtol, float(policy.max_step), policy.most_steps, EARLY - 1
    )
    room = lambda *shape: np.zeros(shape)  # noqa: E731
    bench = relay.Bench(
        *(room(3), room(n), np.zeros(3, np.int64), room(1), room(1, n), room(1, POWERS * n)),
        *(room(Work(n).size), room(4), room(n + 1), room(full), room(n), room(2 * parts), room(1)),
        *(room(NODES), room(CROSSINGS), np.zeros(CROSSINGS, np.int64), room(parts), room(parts), room(1)),
    )
    tape = relay.Tape(
        *(np.empty(_NODES), np.empty(_NODES), np.empty((_NODES, n)), np.empty((_NODES, full))),
        *(np.empty((_NODES, POWERS * n)), np.zeros((_PIECES, 8), np.int64), np.empty(_PIECES)),
        *(np.empty((_PIECES, full - 1)), np.zeros((_PIECES, parts), np.int64), np.empty((_PIECES, 2 * parts))),
    )
    counts = [np.zeros(parts, np.int64) for _ in range(5)]
    turn = passing.Turn(np.zeros(parts, np.int64), room(parts), room(k), room(k), room(parts, 2), room(parts), *counts)
    out = room(len(eye.wanted))
    sight = deciding.Sight(look.address("look"), p, room(1), room(full - 1), out)
    return Tables(_gears(gears, runner, look.address("gaps")), road, bench, tape, turn, sizes, sight, _desk(sizes))
