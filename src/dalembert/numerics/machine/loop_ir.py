"""The text of a loop: what is computed in each turn, from operands that lie somewhere else in each turn."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING

from ...calculus.graph import CONSTANT, SYMBOL
from .fused_multiply_add import Nodes, operands_of
from .loop_rerolling import Column, Phase, RolledLoop

if TYPE_CHECKING:
    from .llvm_ir import Inputs, Instructions
from collections.abc import Iterator
from typing import NamedTuple

# --- Values that lie in order in one place and are wanted in order in another: copied in loops, not one by one -------

Spot = tuple[int, int]  # where a value lies, and where it is wanted

TEXT = """define internal void @dalembert_copy(ptr %from, i64 %step_from, ptr %to, i64 %step_to, i64 %count) noinline {
  br label %loop
loop:
  %i = phi i64 [ 0, %0 ], [ %next, %loop ]
  %a = mul i64 %i, %step_from
  %b = mul i64 %i, %step_to
  %source = getelementptr double, ptr %from, i64 %a
  %target = getelementptr double, ptr %to, i64 %b
  %value = load double, ptr %source, align 8
  store double %value, ptr %target, align 8
  %next = add i64 %i, 1
  %more = icmp slt i64 %next, %count
  br i1 %more, label %loop, label %done
done:
  ret void
}"""


class Copy(NamedTuple):
    """`many` values that lie `step` apart from `place` on, and are wanted `step_to` apart from `target` on."""

    place: int
    step: int
    target: int
    step_to: int
    many: int


def copies(spots: Sequence[Spot]) -> Iterator[Copy]:
    """All values in as few copies as their order gives; what is wanted twice, as in a symmetric matrix, is in two."""
    for layer in _layers(spots):
        first = 0
        while first < len(layer):
            last = _end(layer, first)
            (place, target), (behind, further) = layer[first], layer[min(first + 1, last)]
            yield Copy(place, behind - place, target, further - target, last + 1 - first)
            first = last + 1


def _layers(spots: Sequence[Spot]) -> list[list[Spot]]:
    """In the order in which they lie: where each is wanted first, where a second time, and so on."""
    layers: list[list[Spot]] = []
    before, times = None, 0
    for spot in sorted(spots):
        times = times + 1 if spot[0] == before else 0
        before = spot[0]
        if times == len(layers):
            layers.append([])
        layers[times].append(spot)
    return layers


def _end(layer: Sequence[Spot], first: int) -> int:
    """The last that lies and is wanted as far from the one before as the second from the first."""
    last = first
    while last + 1 < len(layer) and _apart(layer, last) == _apart(layer, first):
        last += 1
    return last


def _apart(layer: Sequence[Spot], k: int) -> Spot:
    (place, target), (behind, further) = layer[k : k + 2]
    return behind - place, further - target


ROOM = "room"


@dataclass(frozen=True)
class Strides:
    """Where the numbers of successive turns lie behind an argument."""

    argument: str
    at: tuple[int, ...]

    @property
    def stride(self) -> int | None:
        """How far apart they lie, None where that changes."""
        apart = {b - a for a, b in pairwise(self.at)}
        return apart.pop() if len(apart) == 1 else None


@dataclass(frozen=True)
class Before:
    """What was computed in the turn before, at a position; in the first turn, what lies at a place in room."""

    position: int
    start: int


Taken = (
    float | int | Before | Strides
)  # an operand: a constant, the value at a position of the same turn, or another one


@dataclass(frozen=True)
class Slot:
    """One operation of each turn.

    Attributes:
        position: in a turn.
        name: of the operation.
        fused: which of its operands is a product, None where none is.
        taken: its operands; an `int` is a position.
        to: where its values go, None where they are taken in their turns only.
    """

    position: int
    name: str
    fused: int | None
    taken: tuple[Taken, ...]
    to: Strides | None


@dataclass(frozen=True)
class Straight:
    """Straight-line code on the graph: operations in order, products that are parts of sums left out."""

    order: Sequence[int]
    nodes: Nodes
    fused: Mapping[int, int]
    inputs: Inputs

    def operands(self, index: int) -> tuple[int, ...]:
        """What an operation is computed from."""
        return operands_of(index, self.nodes, self.fused)

    def sign(self, index: int) -> Hashable:
        """The operation, what is fused in it, and of its operands what is the same in every turn."""
        return self.nodes[index][0], self.fused.get(index), *(self._kind(j) for j in self.operands(index))

    def _kind(self, index: int) -> Hashable:
        """A constant's bits, or the argument behind which a symbol lies."""
        name, *rest = self.nodes[index]
        if name == CONSTANT:
            return float(rest[0]).hex()
        return self.lies(index)[0] if name == SYMBOL else None

    def lies(self, index: int) -> tuple[Hashable, int]:
        """The argument behind which a symbol lies, and where there; anything else is in one place."""
        name, *rest = self.nodes[index]
        return self.inputs[rest[0]] if name == SYMBOL else (index, 0)

    def slots(self, loop: RolledLoop, phase: Phase, places: Mapping[int, int]) -> list[Slot]:
        """The operations of a phase."""
        found = []
        for position in phase[0]:
            indices = [turn[position] for turn in loop.turns]
            taken = tuple(self._taken(c, loop, phase, places) for c in loop.columns(position, self))
            to = Strides(ROOM, tuple(places[i] for i in indices)) if indices[0] in places else None
            name = self.nodes[indices[0]][0]
            found.append(Slot(position, name, self.fused.get(indices[0]), taken, to))
        return found

    def _taken(self, column: Column, loop: RolledLoop, phase: Phase, places: Mapping[int, int]) -> Taken:
        """What one operand is, given its index in every turn."""
        name, *rest = self.nodes[column[0]]
        if name == CONSTANT:
            return float(rest[0])
        if name == SYMBOL:
            argument = self.inputs[rest[0]][0]
            return Strides(argument, tuple(self.inputs[self.nodes[j][1]][1] for j in column))
        position, before = loop.at_hand(column, phase), loop.just_before(column, phase)
        if position is not None:
            return position
        if before is not None:
            return Before(before, places[column[0]])
        return Strides(ROOM, tuple(places[j] for j in column))


@dataclass
class Turn:
    """The instructions of one turn, or of several side by side.

    Attributes:
        body: of the function; its real numbers are the turns side by side, or what the caller computes with.
        width: lanes of the caller's numbers.
        name: for the names of tables.
    """

    body: Instructions
    width: int
    name: str
    made: dict[int, str] = field(default_factory=dict)
    carried: dict[Before, str] = field(default_factory=dict)
    loaded: dict[Strides, str] = field(default_factory=dict)
    tables: dict[Strides, str] = field(default_factory=dict)

    @property
    def together(self) -> int:
        """How many turns are done side by side."""
        return self.body.real.width // self.width

    def compute(self, slots: Sequence[Slot]) -> None:
        """The operations, in their order."""
        for slot in slots:
            args = [self._operand(taken) for taken in slot.taken]
            self.made[slot.position] = made = self.body.operation(slot.name, args, slot.fused)
            if slot.to is not None:
                self.body.do(f"store {self.body.real.type} {made}, ptr {self._address(slot.to)}, align 8")

    def _operand(self, taken: Taken) -> str:
        if isinstance(taken, float):
            return self.body.real.number(taken)
        if isinstance(taken, int):
            return self.made[taken]
        if isinstance(taken, Before):
            return self.carried.setdefault(taken, f"%carried{len(self.carried)}")
        if taken not in self.loaded:
            self.loaded[taken] = self._load(taken)
        return self.loaded[taken]

    def _load(self, along: Strides) -> str:
        body, real = self.body, self.body.real
        if self.together == 1 or along.stride == 1:
            return body.new(f"load {real.type}, ptr {self._address(along)}, align 8")
        packed = "undef"
        if along.stride == 0:
            one = body.new(f"load double, ptr {self._address(along)}, align 8")
            first = body.new(f"insertelement {real.type} undef, double {one}, i32 0")
            alike = f"<{real.width} x i32> zeroinitializer"
            return body.new(f"shufflevector {real.type} {first}, {real.type} undef, {alike}")
        for lane in range(self.together):
            one = body.new(f"load double, ptr {self._address(along, lane)}, align 8")
            packed = body.new(f"insertelement {real.type} {packed}, double {one}, i32 {lane}")
        return packed

    def _address(self, along: Strides, lane: int = 0) -> str:
        """Where the number of this turn, or of one of those beside it, lies."""
        body = self.body
        turn = body.new(f"add i64 %turn, {lane}") if lane else "%turn"
        if along.stride is None:
            entry = body.new(f"getelementptr i32, ptr {self._table(along)}, i64 {turn}")
            short = body.new(f"load i32, ptr {entry}, align 4")
            index = body.new(f"sext i32 {short} to i64")
        else:
            index = body.new(f"add i64 {body.new(f'mul i64 {turn}, {along.stride}')}, {along.at[0]}")
        if self.width > 1:
            index = body.new(f"mul i64 {index}, {self.width}")
        return body.new(f"getelementptr double, ptr {body.pointers[along.argument]}, i64 {index}")

    def _table(self, along: Strides) -> str:
        """A constant array of places."""
        if along not in self.tables:
            self.tables[along] = f"@{self.name}_at{len(self.tables)}"
            entries = ", ".join(f"i32 {place}" for place in along.at)
            kind = f"[{len(along.at)} x i32]"
            self.body.declarations.add(f"{self.tables[along]} = internal constant {kind} [{entries}]")
        return self.tables[along]

    def function(self, name: str, first: int, end: int) -> str:
        """The whole loop over turns, from one to before another."""
        pointers, real = self.body.pointers, self.body.real.type
        head = f"define internal void @{name}({', '.join(f'ptr {a}' for a in pointers.values())}) noinline {{"
        starts, turn = [], [f"%turn = phi i64 [ {first}, %0 ], [ %next, %loop ]"]
        for before, value in self.carried.items():
            starts += [
                f"{value}_at = getelementptr double, ptr {pointers[ROOM]}, i64 {before.start * self.width}",
                f"{value}_start = load {real}, ptr {value}_at, align 8",
            ]
            turn.append(f"{value} = phi {real} [ {value}_start, %0 ], [ {self.made[before.position]}, %loop ]")
        after = [f"%next = add i64 %turn, {self.together}", f"%more = icmp slt i64 %next, {end}"]
        lines = [*starts, "br label %loop\nloop:", *turn, *map(str.strip, self.body.lines), *after]
        jump = "br i1 %more, label %loop, label %done\ndone:\n  ret void"
        return "\n  ".join([head, *lines, jump]) + "\n}"
