"""Modes of contacts one behind the other in compiled code, see `contacts.relay`: tables for it, and what comes back.

The first mode is run by the usual way, each other one is made when it begins. What is left to the usual way, and when
it is tried again, depends on the run alone: a run has the same bits whenever it is made.
"""

from __future__ import annotations

import time
import weakref
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import NamedTuple

import numpy as np

from ...calculus.frame import TIME
from ...equations.contacts import NEWTON, Contacts, Modes
from ...errors import DalembertError
from ..contacts import deciding, passing, relay
from ..contacts.change import Changed, Stuck
from ..contacts.instant import Eye
from ..contacts.pieces import Piece
from ..contacts.segment import Runner
from ..events.compiled_guards import Watch
from ..events.crossings import MOST as CROSSINGS
from ..events.guard import Guard
from ..events.narrow import places_of
from ..events.roots import NODES
from ..machine.library import Library
from ..machine.llvm import emit
from ..machine.loop.table import Frame
from ..methods.dop853 import Dop853
from ..methods.dop853.code import POWERS, Work
from ..methods.dop853.stepper import layout_of
from ..methods.method import turning
from ..policy import Policy
from ..vector_field.field import Field
from .bouts import Bout
from .carried import provenance, request_of, resting
from .chained import NUMBERS, Gear, Stretch, Wound
from .columns import Columns
from .fine_steps import EARLY
from .gathered import Leg, Made, Run
from .integrate import WATCHED
from .reused import Reused

FIRST = 0  # modes of a run by the usual way behind the first one, before code for more of them is compiled
LONGEST = 20_000  # nodes of what is seen at a change, beyond which compiling it takes longer than it saves
_PIECES, _NODES = 256, 4096  # of a stretch
_PATIENCE = 64  # changes at most that are left to the usual way where the compiled one came to nothing
_LOOKS: weakref.WeakKeyDictionary[Contacts, dict[tuple[str, ...], Library]] = weakref.WeakKeyDictionary()


class Shop(NamedTuple):
    """What a stretch is made in, in the order of `relay.relay`; laid out once for all that have the same shape."""

    bench: Frame[relay.Bench]
    tape: Frame[relay.Tape]
    turn: Frame[passing.Turn]
    sizes: Frame[deciding.Sizes]
    sight: Frame[deciding.Sight]
    desk: Frame[deciding.Desk]


Shops = dict[object, tuple[Library, Shop]]  # by what they see by and how many numbers a state has


class Tables(NamedTuple):
    """What a stretch is made with: the modes that are known, how far and how, and in what."""

    gears: relay.Gears
    road: relay.Road
    shop: Shop


@dataclass(eq=False)
class Relayed:
    """The compiled way through the modes of one run.

    Attributes:
        policy, reused: how it is run, and what its runs share.
        tick: told the time reached.
        shops: what its stretches are made in, which other runs may have left.
        ahead: does it begin with the first mode, and is nothing noticed of what only paths tell?
    """

    policy: Policy
    reused: Reused
    tick: Callable[[float], None]
    shops: Shops = field(default_factory=dict)
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
        if found.modes not in self.gears:
            self._make(runner, found)
        return found.modes in self.gears

    def _make(self, runner: Runner, found: Changed) -> None:
        """A mode that begins; one that cannot be made is left to the usual way, which says why."""
        try:
            mission = runner.mission(found.t, found.y, found.modes, runner.end)
            made = mission.field
            guards, leg = (*mission.guards, *resting(made)), Leg(made, (), [np.array([found.t])], [made.first[None]])
            source = partial(provenance, made, runner.policy, runner.end, runner.steering)
            bout = Bout(Made(made, Run([leg]), [], None, 0.0), runner.policy, guards, Columns([leg]), tuple, (), source)
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
        opens = all(law.load is None and law.sides == 1 for law in contacts.laws.values())
        return plain and few and opens and max(contacts.slips.values()) < 2

    # --- running -----------------------------------------------------------------------------------------------------

    def onwards(self, runner: Runner, found: Changed, bouncing: Mapping[str, float]) -> Iterator[Stretch]:
        """Piece after piece from a change on, as far as it goes."""
        gears = list(self.gears.values())
        tables = self.tables = self.tables or _tables(runner, gears, self.shops)
        bench, tape, turn = (tables.shop.bench.record, tables.shop.tape.record, tables.shop.turn.record)
        turn.modes[:] = [NUMBERS[mode] for _, mode in found.modes]
        turn.since[:] = [bouncing.get(name, np.nan) for name in runner.eye.contacts.slips]
        turn.speeds[:] = runner.eye.speeds
        bench.row[:-1] = found.y
        t, how, count, total = found.t, relay.ROOM, 1, 0
        while how == relay.ROOM and count and not (runner.policy.halt and runner.policy.halt()):
            began = time.perf_counter()
            how, count = relay.relay(tables.gears, tables.road, *tables.shop, float(t))
            seconds = (time.perf_counter() - began) / max(count, 1)
            wound = _wound(tables, gears, how, count, runner)
            if wound.links and not wound.chatters(runner.end - runner.first.t):
                yield wound.chain(seconds * count, not self.ahead)
            else:
                yield from (wound.stretch(i, seconds) for i in range(len(wound.links)))
            total += count
            if count:
                last = int(tape.pieces[count - 1, relay.TO])
                t = float(tape.times[last])
                bench.row[:-1] = tape.after[count - 1]
                self.tick(t)
        self.waits = 0 if total else self.patience
        self.patience = 1 if total else min(2 * self.patience, _PATIENCE)


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
    gaps, extents, laws, _, *matrices = np.cumsum([m, *[len(parts)] * 2, 3 * len(parts), len(parts), k * k, m * k, k])
    at = map(int, (gaps, extents, laws, *matrices))
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
        np.array([[NUMBERS[mode] for _, mode in gear.modes] for gear in gears], np.int64),
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


def _tables(runner: Runner, gears: Sequence[Gear], shops: Shops) -> Tables:
    """All that a stretch is made with."""
    eye, policy = runner.eye, runner.policy
    look, n = _look(eye), max(len(eye.equations.states) + 1, *(len(gear.field.first) for gear in gears))
    if (id(look), n) not in shops:
        shops[id(look), n] = look, _shop(eye, look, n)
    shop = shops[id(look), n][1]
    shop.sight.record.p[:] = [eye.parameters[name] for name in sorted(eye.parameters)]
    road = relay.Road(
        runner.end, runner.end - runner.first.t, policy.rtol, float(policy.max_step), policy.most_steps, EARLY - 1
    )
    return Tables(_gears(gears, runner, look.address("gaps")), road, shop)


def _shop(eye: Eye, look: Library, n: int) -> Shop:
    """Room for stretches of states of so many numbers."""
    sizes, room, full = _sizes(eye), np.zeros, len(eye.equations.states) + 1
    parts, k = len(sizes.rows), sizes.k
    bench = relay.Bench(
        *(room(3), room(n), room(3, np.int64), room(1), room((1, n)), room((1, POWERS * n)), room(Work(n).size)),
        *(room(4), room(n + 1), room(full), room(n), room(2 * parts), room(1), room(NODES), room(CROSSINGS)),
        *(room(CROSSINGS, np.int64), room(parts), room(parts), room(1)),
    )
    tape = relay.Tape(
        *(np.empty(_NODES), np.empty(_NODES), np.empty((_NODES, n)), np.empty((_NODES, full))),
        *(np.empty((_NODES, POWERS * n)), room((_PIECES, 8), np.int64), np.empty(_PIECES)),
        *(np.empty((_PIECES, full - 1)), room((_PIECES, parts), np.int64), np.empty((_PIECES, 2 * parts))),
    )
    counts = [room(parts, np.int64) for _ in range(5)]
    turn = passing.Turn(room(parts, np.int64), room(parts), room(k), room(k), room((parts, 2)), room(parts), *counts)
    p = room(len(eye.parameters))
    sight = deciding.Sight(look.address("look"), p, room(1), room(full - 1), room(len(eye.wanted)))
    return Shop(Frame(bench), Frame(tape), Frame(turn), Frame(sizes), Frame(sight), Frame(_desk(sizes)))


def _wound(tables: Tables, gears: Sequence[Gear], how: int, count: int, runner: Runner) -> Wound:
    """What stands on the tape, copied."""
    tape, turn, codes = tables.shop.tape.record, tables.shop.turn.record, tables.gears.codes
    end = int(tape.pieces[count - 1, relay.TO]) + 1 if count else 0
    t, h, y, full, F = (a[:end].copy() for a in (tape.times, tape.sizes, tape.states, tape.full, tape.coefficients))
    margins, after, hits = (a[:count].copy() for a in (tape.margins, tape.after, tape.impulses))
    if count:
        runner.eye.note(full[:, :-1])
    links, modes, since = tape.pieces[:count].tolist(), tape.modes[:count].tolist(), turn.since.copy()
    nodes = t, h, y, full, F
    return Wound(runner, gears, how, *nodes, links, margins, after, modes, hits, codes[:, relay.GUARD], since)
