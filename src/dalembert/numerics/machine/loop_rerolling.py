"""Long straight-line code rolled up again: what is computed alike for every link of a chain becomes a loop.

The operations stay those of the straight line, in an order that gives the same bits; what becomes shorter is the code.
A value that is taken outside its own turn of its loop lies in room, side by side with those of the other turns.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

Turns = Sequence[Sequence[int]]  # the operations of each turn; a single turn is no loop
Operands = Callable[[int], Sequence[int]]
NEAR = 8  # turns by which loops may differ that are done together; those that are left are written straight

PREFIX = "dalembert_loop"  # of the names of loops
FROM = 6000  # operations, beyond which code is rolled up where it can be
SHORTER = 4  # times, at least: where it becomes less short, code stays as it is
TOGETHER = 2  # turns of the shortest period that may become one
STEP = 32  # sizes of blocks in room are multiples of it, so that blocks are used again

Seat = tuple[int, int, int]  # of a value: its part, its turn there, its position in the turn
Column = tuple[int, ...]  # one operand in every turn
Phase = tuple[tuple[int, ...], bool]  # positions, and whether turns can be done side by side


class LoopCode(Protocol):
    """Straight-line code. Operations and values have numbers; what is taken is computed before or not at all."""

    @property
    def order(self) -> Sequence[int]:
        """All operations."""

    def operands(self, index: int) -> tuple[int, ...]:
        """What an operation is computed from."""

    def sign(self, index: int) -> Hashable:
        """Equal for operations that are the same but for where their operands lie."""

    def lies(self, index: int) -> tuple[Hashable, int]:
        """Where a value lies that is not computed: in what, and how far from its beginning."""


@dataclass(frozen=True)
class RolledLoop:
    """Operations that are computed in turns.

    Attributes:
        first: the operations of the first turn, which is written straight: what it takes often lies elsewhere.
        turns: the operations of each other turn, in order.
        phases: positions in a turn, in parts that are done for all turns before the next part, and whether the turns of
            a part can be done side by side.
    """

    first: Sequence[int]
    turns: tuple[Sequence[int], ...]
    phases: tuple[Phase, ...]

    def columns(self, position: int, code: LoopCode) -> Iterator[Column]:
        """For each operand of an operation, its index in every turn."""
        return _columns(self.turns, position, code)

    def at_hand(self, column: Column, phase: Phase) -> int | None:
        """The position in the phase that computes an operand in the same turn."""
        return _position(self.turns, column, phase[0])

    def just_before(self, column: Column, phase: Phase) -> int | None:
        """The position in the phase that computed an operand in the turn before, if turns are done one by one."""
        return None if phase[1] else _position(self.turns[:-1], column[1:], phase[0])


def _columns(turns: Sequence[Sequence[int]], position: int, code: LoopCode) -> Iterator[Column]:
    return zip(*(code.operands(turn[position]) for turn in turns), strict=True)


def _turns(ordered: Sequence[int], period: int) -> list[Turns]:
    """Turns, and apart from them the last one and what is left, which often take what no other turn does."""
    count = len(ordered) // period - 1
    return [[ordered[k * period : (k + 1) * period] for k in range(count)], [ordered[count * period :]]]


def _in_order(spots: Sequence[tuple[Hashable, int]]) -> bool:
    """Whether all lie in the same, and equally far apart."""
    apart = {b - a for (_, a), (_, b) in pairwise(spots)}
    return len({one for one, _ in spots}) == 1 and len(apart) == 1


def _position(turns: Sequence[Sequence[int]], column: Column, positions: Sequence[int]) -> int | None:
    alike = (p for p in positions if all(turn[p] == j for turn, j in zip(turns, column, strict=True)))
    return next(alike, None)


@dataclass
class Rolled:
    """Straight-line code as loops and what lies between them.

    Attributes:
        parts: single operations, or loops.
        places: where values lie in room that are taken elsewhere.
        room: how many places there are.
    """

    parts: list[RolledLoop | Sequence[int]]
    places: Mapping[int, int]
    room: int

    @classmethod
    def of(cls, code: LoopCode, asked: Collection[int], known: Collection[int]) -> Rolled | None:
        """Code as loops; None where they would not make it much shorter.

        Args:
            code: straight-line code.
            asked: what is wanted in the end.
            known: what the caller has computed already.
        """
        numbers: dict[Hashable, int] = {}
        cuts = stretches([numbers.setdefault(code.sign(i), len(numbers)) for i in code.order])
        if SHORTER * sum(cut.period for cut in cuts) > len(code.order):
            return None
        flow = _Flow(code, cuts)
        places, room = flow.places(asked, known)
        return cls(flow.parts, places, room)


class _Flow:
    """Which values go where."""

    def __init__(self, code: LoopCode, cuts: Sequence[Repetition]) -> None:
        self.code = code
        self.seat: dict[int, Seat] = {}
        self.count = 0
        parts = [phase for cut in cuts for phase in self._phases(code.order[cut.first : cut.end], cut)]
        self.count = 0
        self.parts: list[RolledLoop | Sequence[int]] = []
        for turns in in_levels(parts, code.operands):
            self._seat(turns)
            self.parts.append(self._loop(turns) if turns[1:] else turns[0])
            self.count += 1

    def _phases(self, ordered: Sequence[int], cut: Repetition) -> Iterator[Turns]:
        """A part in turns, as many in one as make operands lie in order, each phase apart, and what is left."""
        several = [_turns(ordered, cut.period * m) for m in range(1, TOGETHER + 1) if m * FEWEST <= cut.count]
        for turns in min(several, key=self._disorder) if several else [[ordered]]:
            self._seat(turns)
            if turns[1:]:
                yield from ([[turn[p] for p in some] for turn in turns] for some, _ in phases(self._before(turns, 0)))
            else:
                yield turns
            self.count += 1

    def _loop(self, turns: Turns) -> RolledLoop:
        """Operations in turns, in phases."""
        return RolledLoop(turns[0], tuple(turns[1:]), phases(self._before(turns, 1)))

    def _before(self, turns: Turns, first: int) -> list[set[int]]:
        """For each position of a turn those that it takes values of, from the first of the turns on that count."""
        before: list[set[int]] = [set() for _ in turns[0]]
        for turn in turns[first:]:
            for own, i in enumerate(turn):
                seats = (self.seat[j] for j in self.code.operands(i) if j in self.seat)
                before[own].update(p for number, k, p in seats if number == self.count and k >= first)
        return before

    def _seat(self, turns: Turns) -> None:
        self.seat |= {i: (self.count, k, p) for k, turn in enumerate(turns) for p, i in enumerate(turn)}

    def _disorder(self, cut: Sequence[Turns]) -> float:
        """The share of operands that lie without order, for turns that would be the next part."""
        turns = cut[0]
        self._seat(turns)
        columns = [column for p in range(len(turns[0])) for column in _columns(turns[1:], p, self.code)]
        return sum(not _in_order([self._spot(j) for j in column]) for column in columns) / len(columns)

    def _spot(self, j: int) -> tuple[Hashable, int]:
        """What a value lies in, and how far from its beginning."""
        if j in self.seat:
            number, turn, position = self.seat[j]
            return (number, position), turn
        return self.code.lies(j)

    def places(self, asked: Collection[int], known: Collection[int]) -> tuple[dict[int, int], int]:
        """Where values lie: a block for each position of a loop, one place for each other value."""
        last = {self._block(i): len(self.parts) for i in asked if self._looped(i)}  # of a block: who takes it last
        for number in reversed(range(len(self.parts))):
            for i in self._needed(self.parts[number]):
                if i in self.seat or i in known:
                    last.setdefault(self._block(i), number)
        starts, room = _blocks(last, lambda block: self._count(block[0]))
        found = {}
        for i in (*self.seat, *known):
            block = self._block(i)
            if block in starts:
                found[i] = starts[block] + (self.seat[i][1] if i in self.seat else 0)
        return found, room

    def _needed(self, part: RolledLoop | Sequence[int]) -> Iterator[int]:
        """Values that a part takes from room: what lies between loops has the values there at hand."""
        straight = part.first if isinstance(part, RolledLoop) else part
        yield from (j for i in straight for j in self.code.operands(i) if self._looped(j))
        if not isinstance(part, RolledLoop):
            return
        for phase in part.phases:
            for column in (column for position in phase[0] for column in part.columns(position, self.code)):
                if part.at_hand(column, phase) is None:
                    yield from column if part.just_before(column, phase) is None else column[:1]

    def _looped(self, i: int) -> bool:
        return i in self.seat and self.seat[i][1] > 0

    def _count(self, number: int) -> int:
        part = self.parts[number] if number >= 0 else ()
        return 1 + len(part.turns) if isinstance(part, RolledLoop) else 1

    def _block(self, i: int) -> tuple[int, int]:
        number, _, position = self.seat.get(i, (-1, 0, i))
        return number, position


def _blocks(
    last: Mapping[tuple[int, int], int], size: Callable[[tuple[int, int]], int]
) -> tuple[dict[tuple[int, int], int], int]:
    """Where blocks begin that are needed from a part (the first of their name) to their last one, and the room."""
    gone: dict[int, list[tuple[int, int]]] = {}
    starts: dict[tuple[int, int], int] = {}
    free: dict[int, list[int]] = {}
    room, now = 0, -1
    for block in sorted(last):
        while now < block[0]:  # what was taken last by a part before this one
            for old in gone.pop(now, []):
                free.setdefault(_whole(size(old)), []).append(starts[old])
            now += 1
        places = free.get(_whole(size(block)))
        if places:
            starts[block] = places.pop()
        else:
            starts[block], room = room, room + _whole(size(block))
        gone.setdefault(last[block], []).append(block)
    return starts, max(room, 1)


def _whole(size: int) -> int:
    return size if size == 1 else -(-size // STEP) * STEP


def phases(before: Sequence[Collection[int]]) -> tuple[Phase, ...]:
    """Positions of a turn in parts, each done for all turns before the next part is, and whether side by side.

    Args:
        before: for each position, those that it takes values of, in its turn or in earlier ones. Positions that wait
            for each other are a circle and stay together, turn after turn.
    """
    circles = {a for a in range(len(before)) if a in _behind(a, before)}
    left, found = set(range(len(before))), []
    while left:
        for side_by_side in (True, False):
            some = _ready(left, before, circles, side_by_side)
            if some:
                found.append((some, side_by_side))
                left -= set(some)
    return tuple(found)


def _ready(
    left: Collection[int], before: Sequence[Collection[int]], circles: Collection[int], side_by_side: bool
) -> tuple[int, ...]:
    """What can be done next, in its order: positions outside circles, or those of circles."""
    kind = {a for a in left if (a in circles) != side_by_side}
    while True:  # without what waits for another kind
        waiting = {a for a in kind if any(b in left and b not in kind for b in before[a])}
        if not waiting:
            break
        kind -= waiting
    return tuple(_sorted(kind, before) if side_by_side else sorted(kind))


def _sorted(some: Collection[int], before: Sequence[Collection[int]]) -> list[int]:
    """Without circles: what others take comes first."""
    order: dict[int, None] = {}

    def add(a: int) -> None:
        if a in some and a not in order:
            for b in sorted(before[a]):
                add(b)
            order[a] = None

    for a in sorted(some):
        add(a)
    return list(order)


def _behind(a: int, before: Sequence[Collection[int]]) -> set[int]:
    """All that a position waits for, itself where it is in a circle."""
    found: set[int] = set()
    stack = list(before[a])
    while stack:
        b = stack.pop()
        if b not in found:
            found.add(b)
            stack += before[b]
    return found


# --- loops that do not wait for each other ----------------------------------------------------------------------------


def in_levels(parts: Iterable[Turns], operands: Operands) -> list[Turns]:
    """The same operations in an order that leaves their operands first, with fewer and wider loops.

    A loop is one level above all that it takes; what lies between loops is done as soon as the loops before it are.
    """
    level: dict[int, int] = {}
    loops: dict[int, list[Turns]] = {}
    straight: dict[int, list[int]] = {}
    for turns in parts:
        if len(turns) > 1:
            own = 1 + _above(level, (j for turn in turns for i in turn for j in operands(i)))
            level |= {i: own for turn in turns for i in turn}
            loops.setdefault(own, []).append(turns)
        else:
            for i in turns[0]:
                level[i] = _above(level, operands(i))
                straight.setdefault(level[i], []).append(i)
    found: list[Turns] = []
    for own in range(1 + max(level.values(), default=0)):
        wide, left = _together(loops.get(own, []))
        rest = left + straight.get(own, [])
        found += [*wide, *([[rest]] if rest else [])]
    return found


def _above(level: dict[int, int], taken: Iterable[int]) -> int:
    return max((level[j] for j in taken if j in level), default=0)


def _together(loops: Sequence[Turns]) -> tuple[list[Turns], list[int]]:
    """Loops of nearly as many turns as one, and the operations of turns that are left."""
    wide: list[list[Turns]] = []
    for turns in sorted(loops, key=len):
        if wide and len(turns) - len(wide[-1][0]) <= NEAR:
            wide[-1].append(turns)
        else:
            wide.append([turns])
    left = [i for some in wide for turns in some for turn in turns[len(some[0]) :] for i in turn]
    return [[[i for turn in each for i in turn] for each in zip(*some, strict=False)] for some in wide], left


# --- where a long sequence repeats itself: straight-line code says the same of every link of a chain -----------------

LONGEST = 600  # elements of a period
FEWEST = 8  # times that a period comes back
LEAST = 64  # elements of a stretch, all together
WINDOW = 6  # elements that have to agree before more of them are compared
TRIED = 8  # periods at one place, the shortest ones

Numbers = NDArray[np.int64]


@dataclass(frozen=True)
class Repetition:
    """A part of a sequence: `count` times `period` elements from `first` on; count 1 where nothing repeats."""

    first: int
    period: int
    count: int = 1

    @property
    def end(self) -> int:
        """Where the next one begins."""
        return self.first + self.period * self.count


def stretches(sequence: Sequence[int]) -> list[Repetition]:
    """A sequence cut into parts that repeat and what lies between, from the front and without going back."""
    marks = np.asarray(sequence, dtype=np.int64)
    found: list[Repetition] = []
    at = 0
    for first, following in _places_that_come_again(marks):
        if first < at:
            continue
        repeated = _longest(marks, first, following)
        if repeated:
            found += [Repetition(at, first - at)] * (first > at) + [repeated]
            at = repeated.end
    return found + [Repetition(at, len(marks) - at)] * (at < len(marks))


def _places_that_come_again(marks: Numbers) -> Iterator[tuple[int, Numbers]]:
    """Places from which on the next elements are seen again soon, and where."""
    windows = np.lib.stride_tricks.sliding_window_view(marks, WINDOW) if len(marks) >= WINDOW else marks[:0, None]
    _, kinds = np.unique(windows, axis=0, return_inverse=True)
    kinds = kinds.ravel()
    order = np.argsort(kinds, kind="stable")
    place = np.empty_like(order)
    place[order] = np.arange(len(order))
    for first, where in enumerate(place):
        near = order[where + 1 : where + 1 + TRIED]
        near = near[(kinds[near] == kinds[first]) & (near <= first + LONGEST)]
        if len(near):
            yield first, near


def _longest(marks: Numbers, first: int, following: Numbers) -> Repetition | None:
    """What repeats longest from a place on; the shortest period where several do."""
    best: Repetition | None = None
    for period in following - first:
        count = 1 + _agreeing(marks, first, int(period)) // int(period)
        if count >= FEWEST and count * period >= LEAST and (best is None or count * period > best.end - first):
            best = Repetition(first, int(period), count)
    return best


def _agreeing(marks: Numbers, first: int, period: int) -> int:
    """How many elements from a place on are those one period later."""
    size = 8 * LONGEST
    for low in range(first, len(marks) - period, size):
        one, other = marks[low : low + size], marks[low + period : low + period + size]
        different = np.flatnonzero(one[: len(other)] != other)
        if len(different):
            return low + int(different[0]) - first
    return len(marks) - period - first
