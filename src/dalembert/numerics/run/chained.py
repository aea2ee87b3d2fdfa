"""What comes back of modes that ran one behind the other in compiled code: a piece for all of them, or one for each."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import NamedTuple, TypeVar, cast

import numpy as np

from ...equations.contacts import APART, SLIDES, STICKS, Mode, Modes
from ...errors import Note
from ...trajectory import Interpolant
from ..contacts import relay
from ..contacts.change import Cause, Changed
from ..contacts.instant import Eye
from ..contacts.pieces import Piece
from ..contacts.segment import Runner
from ..contacts.whole import CHATTER, WITHIN, Passed
from ..events.compiled_guards import Watch
from ..methods.dop853.code import POWERS
from ..methods.method import Request
from ..vector_field.field import Field
from .bouts import Bout
from .gathered import Leg, Made, Run, Spent, named
from .growth import Growth, few_steps

Value = TypeVar("Value")
WORDS = (Mode(APART), Mode(STICKS), Mode(SLIDES), Mode(SLIDES, 1), Mode(SLIDES, -1))  # by their numbers
NUMBERS = {mode: number for number, mode in enumerate(WORDS)}
_KINDS = np.array([(APART, STICKS, SLIDES).index(mode.word) for mode in WORDS])


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

    def again(self, path: Interpolant, full: np.ndarray, spent: Spent, event: str, seconds: float) -> Piece:
        """Another run in the mode, of which the path is there, and full rows at its nodes."""
        bout = self.bout_of(path, spent, event, seconds, partial(self.doubts, path))
        return like(self.piece, path=bout, nodes=(path.t, full))

    def bout_of(
        self,
        path: Interpolant,
        spent: Spent,
        event: str,
        seconds: float = 0.0,
        remarks: Callable[[], Sequence[Note]] = tuple,
    ) -> Bout:
        """A run along a path to an event, or to its end."""
        leg = Leg(self.field, self.watch.guards, [path.t], [path.y], [path.h], [path.F])
        leg.__dict__["path"] = path
        end = float(path.t[-1])
        outcome = f"stopped by {event} at t = {end:.10g}" if event else f"reached t = {end:g}"
        run = like(self.blank, legs=[leg], outcome=outcome, stopped_by=event, spent=spent)
        made = Made(self.field, run, [], None, seconds)
        return like(self.bout, made=made, dense=self.bout.dense.of_legs(run.legs), remarks=remarks, early=())

    def doubts(self, path: Interpolant) -> tuple[Note, ...]:
        """Of the growth of a disturbance, where the steps are enough for it."""
        if len(path.t) <= self.few:
            return ()
        growth = Growth.of(self.field, self.bout.policy, float(path.t[-1]))
        if growth is None:
            return ()
        growth.span = float(path.t[0]), float(path.t[-1])
        return tuple(growth.finish([(self.field, path)]))


class Stretch(NamedTuple):
    """A piece, and what comes behind it: a change that was made, why one is to be made, or the end of the run.

    Where it is a chain, what happened within it.
    """

    piece: Piece
    then: Changed | Cause | None
    passed: Passed | None = None


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
            known[key] = tuple(zip(eye.contacts.slips, (WORDS[number] for number in key), strict=True))
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

    def chain(self, seconds: float, noticed: bool) -> Stretch:
        """One piece of them all; are long ones looked at for the growth of a disturbance?"""
        table, last = self.table, len(self.links) - 1
        full, event = self.full, self.event(last)
        supplied = self._supplied(self.energies)
        full[:, -1] += np.repeat(supplied, self.counts)
        notes = self._doubts if noticed else tuple
        gear = self.gears[table[last, relay.GEAR]]
        bout = gear.bout_of(self.path(last), self._spent(slice(None)), event, seconds, notes)
        known = gear.piece.eye, gear.modes, bout, gear.piece.forces
        piece = Chain(*known, self, supplied)
        piece.__dict__["nodes"] = self.t, full
        return Stretch(piece, self.then(last, event), self.passed)

    @property
    def counts(self) -> np.ndarray:
        """How many nodes each piece has (P,)."""
        return np.asarray(self.table[:, relay.TO] - self.table[:, relay.FROM] + 1)

    @property
    def inner(self) -> np.ndarray:
        """The last node of each piece but the last (P - 1,)."""
        return np.asarray(self.table[:-1, relay.TO])

    @property
    def passed(self) -> Passed:
        """What happened at the changes within."""
        eye, times = self.runner.eye, self.t[self.inner]
        names = list(eye.contacts.slips)
        old = np.array([[NUMBERS[mode] for _, mode in gear.modes] for gear in self.gears])[self.table[:-1, relay.GEAR]]
        new = np.array(self.modes).reshape(-1, len(names))[:-1]
        said = [(float(times[i]), names[j], WORDS[new[i, j]].word) for i, j in np.argwhere(_KINDS[old] != _KINDS[new])]
        hits = [
            (float(times[i]), int(self.inner[i]), _hits(eye, self.impulses[i]))
            for i in np.flatnonzero(self.table[:-1, relay.HIT])
        ]
        since = zip(names, self.since.tolist(), strict=True)
        return Passed(times.tolist(), said, hits, {name: t for name, t in since if not math.isnan(t)})

    def _spent(self, those: slice | np.ndarray) -> Spent:
        """What some of the pieces have cost."""
        steps, rejected, asked = self.table[those, relay.STEPPED : relay.EVALUATED + 1].sum(axis=0).tolist()
        return Spent(steps, rejected, asked, float(self.margins[those].min()))

    def _doubts(self) -> list[Note]:
        """Of the growth of a disturbance in each piece that is long."""
        gears, few = self.table[:, relay.GEAR], np.array([gear.few for gear in self.gears])
        long = np.flatnonzero(self.counts > few[gears])
        return [note for i in long for note in self.gears[gears[i]].doubts(self.path(int(i)))]

    @cached_property
    def energies(self) -> np.ndarray:
        """At the first and the last time of each piece (P, 2)."""
        ends = self.table[:, relay.FROM : relay.TO + 1]
        found = np.empty(ends.shape)
        for g, gear in enumerate(self.gears):
            those = self.table[:, relay.GEAR] == g
            if those.any():
                at = ends[those].ravel()
                found[those] = gear.field.energy(self.t[at], self.full[at]).reshape(-1, 2)
        return found

    def _supplied(self, energies: np.ndarray) -> np.ndarray:
        """The work supplied before each piece, what changes have taken included (P,)."""
        works = self.full[self.inner, -1]
        return np.concatenate([[0.0], np.cumsum(works + energies[1:, 0] - energies[:-1, 1])])

    def strand(self, g: int) -> Bout | None:
        """All pieces in one mode as one run with stretches, to be looked at together; None where there are none."""
        those = self.table[:, relay.GEAR] == g
        if not those.any():
            return None
        nodes, gear = np.repeat(those, self.counts), self.gears[g]
        first, n = np.zeros(len(self.t), bool), len(gear.field.first)
        first[self.table[:, relay.FROM]] = True
        steps = nodes & ~first
        F = self.F[steps, : POWERS * n].reshape(-1, POWERS, n)
        path = Interpolant(self.t[nodes], self.y[nodes, :n], self.h[steps], F)
        starts = np.concatenate([[0], np.cumsum(self.counts[those])[:-1]])
        return like(gear.bout_of(path, self._spent(those), ""), starts=starts)


@dataclass(frozen=True, eq=False)
class Chain(Piece):
    """Pieces one behind the other as one, without an object for each.

    Attributes:
        wound: they.
        supplied: the work before each.
    """

    wound: Wound
    supplied: np.ndarray

    @property
    def lost(self) -> float:
        """By how much the energy changed within it by jumps."""
        energies = self.wound.energies
        return float((energies[1:, 0] - energies[:-1, 1]).sum())

    @property
    def kind(self) -> object:
        """Told for itself."""
        return id(self)

    @property
    def kept(self) -> np.ndarray:
        """Which of its nodes are told (N,): a change of modes stands once, an impact twice."""
        wound, found = self.wound, np.ones(len(self.wound.t), bool)
        hit = wound.table[:-1, relay.HIT].astype(bool) & wound.impulses[:-1].any(axis=1)
        times = wound.t[wound.inner]
        found[wound.inner] = np.isin(times, times[hit])
        return found

    @property
    def bouts(self) -> list[Bout]:
        """The runs in each of its modes."""
        *found, last = (bout for g in range(len(self.wound.gears)) if (bout := self.wound.strand(g)) is not None)
        return [*found, like(last, remarks=cast(Bout, self.path).remarks)]

    @property
    def told(self) -> np.ndarray:
        """The columns at its nodes."""
        return self._told(np.repeat(self.wound.table[:, relay.GEAR], self.wound.counts), *self.nodes)

    def at(self, t: np.ndarray, full: np.ndarray) -> np.ndarray:
        """The columns at times (N,), of states and work there (N, n + 1)."""
        return self._told(self.wound.table[self._which(t), relay.GEAR], t, full)

    def _told(self, gears: np.ndarray, t: np.ndarray, full: np.ndarray) -> np.ndarray:
        """The same, in the mode of each time."""
        found = np.empty((len(t), len(self.names)))
        for g in np.unique(gears):
            those = gears == g
            found[those] = self.wound.gears[g].piece.at(t[those], full[those])
        return found

    def __call__(self, t: np.ndarray) -> np.ndarray:
        """The columns at times inside."""
        return self.at(t, self.rows(t))

    def _which(self, t: np.ndarray) -> np.ndarray:
        """The piece of each time; at a change the later one."""
        begins = self.wound.t[self.wound.table[:, relay.FROM]]
        return np.maximum(np.searchsorted(begins, t, side="right") - 1, 0)

    def rows(self, t: np.ndarray) -> np.ndarray:
        """States and the work supplied since it began (len(t), n + 1) at times inside."""
        wound, found, which = self.wound, np.empty((len(t), self.wound.full.shape[1])), self._which(t)
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
