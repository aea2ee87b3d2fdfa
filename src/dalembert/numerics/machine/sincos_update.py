"""A function near to where it was evaluated before: its sines and cosines are those of that place, turned on.

    anchor(t, y, p, out, kept)    the function, and what its sines and cosines were taken of, and these
    onward(t, y, p, out, kept)    the function elsewhere: the angle since then takes no reduction (`sincos.turned`)
    nearby(t, y, p, out, kept)    the same for lanes that are all as near as `sincos.NEARBY`, at which it does not look

They are written into their caller, with the operations of the function itself in their order. In lanes the first row of
what is kept is the square of the largest turn since the anchor.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from . import sincos
from .function_source import Function
from .ir_numbers import Real
from .llvm_ir import ARGUMENTS, Inputs, Instructions

ANCHOR, ONWARD, NEARBY = "anchor", "onward", "nearby"
KEPT = "kept"  # the argument behind the output


class Anchored(NamedTuple):
    """The texts of the functions and of what they call, and how many numbers are kept."""

    texts: frozenset[str]
    room: int

    @classmethod
    def of(cls, function: Function, inputs: Inputs, real: Real) -> Anchored | None:
        """Of a function that finds its symbols where `inputs` says; None where it has no sine, or solves a system."""
        if function.size:
            return None
        names = (ANCHOR, ONWARD) if real.width == 1 else (ANCHOR, ONWARD, NEARBY)
        bodies = {name: _Kept(inputs, {**_POINTERS}, real, which=name) for name in names}
        texts: set[str] = set()
        for name, body in bodies.items():
            body.compute_into(_OUT, function.outputs)
            body.give_back()
            texts |= {*body.declarations, _text(name, body)}
        room = bodies[ANCHOR].room_kept
        return cls(frozenset(texts), room) if room > _FIRST else None


_POINTERS = {name: f"%a{i}" for i, name in enumerate((*ARGUMENTS, "out", KEPT))}
_OUT = _POINTERS["out"]
_FIRST = 1  # row of angles


def _text(name: str, body: Instructions) -> str:
    arguments = ", ".join(f"ptr noalias {a}" for a in _POINTERS.values())
    return "\n".join([f"define internal void @{name}({arguments}) alwaysinline {{", *body.lines, "  ret void", "}"])


@dataclass
class _Kept(Instructions):
    """Instructions that keep angles with their sines and cosines, or that turn those on."""

    which: str = field(default=ANCHOR)
    room_kept: int = field(default=_FIRST)

    def _sincos(self, real: Real, x: str) -> tuple[str, str]:
        first, wide = self.room_kept, real.width // self.real.width
        places = [self.at(_POINTERS[KEPT], first + i * wide) for i in range(3)]
        self.room_kept += 3 * wide
        if self.which == ANCHOR:
            found = super()._sincos(real, x)
            for value, place in zip((x, *found), places, strict=True):
                self.do(f"store {real.type} {value}, ptr {place}, align 8")
            return found
        before = [self.new(f"load {real.type}, ptr {place}, align 8") for place in places]
        if self.real.width > 1:
            self._note(self.new(f"fsub {real.type} {x}, {before[0]}"))
        given = ", ".join(f"{real.type} {a}" for a in (x, *before))
        if self.which == NEARBY:
            self.declarations |= {*sincos.declarations(real), sincos.nearby(real)}
            return self.both(real, f"{sincos.name(real)}_nearby({given})")
        self.declarations |= {*sincos.declarations(real), sincos.function(real), sincos.turned(real)}
        return self.both(real, f"{sincos.name(real)}_turned({given})")

    def _note(self, turn: str) -> None:
        """Keep the square of the largest turn; a later one is taken where there is no number."""
        kind, kept = self.real.type, self.at(_POINTERS[KEPT], 0)
        square, largest = self.new(f"fmul {kind} {turn}, {turn}"), self.new(f"load {kind}, ptr {kept}, align 8")
        larger = self.new(f"fcmp ogt {kind} {largest}, {square}")
        largest = self.new(f"select {self.real.mask} {larger}, {kind} {largest}, {kind} {square}")
        self.do(f"store {kind} {largest}, ptr {kept}, align 8")
