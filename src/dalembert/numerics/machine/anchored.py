"""A function near to where it was evaluated before: its sines and cosines are those of that place, turned on.

    anchor(t, y, p, out, kept)    the function, and what its sines and cosines were taken of, and these
    onward(t, y, p, out, kept)    the function elsewhere: the angle since then takes no reduction (`sincos.turned`)

Both are written into their caller, with the operations of the function itself in their order.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from . import sincos
from .function import Function
from .llvm import ARGUMENTS, Body, Inputs
from .real import Real

ANCHOR, ONWARD = "anchor", "onward"
KEPT = "kept"  # the argument behind the output


class Anchored(NamedTuple):
    """The texts of both functions and of what they call, and how many numbers are kept."""

    texts: frozenset[str]
    room: int

    @classmethod
    def of(cls, function: Function, inputs: Inputs, real: Real) -> Anchored | None:
        """Of a function that finds its symbols where `inputs` says; None where it has no sine, or solves a system."""
        if function.size:
            return None
        bodies = {name: _Kept(inputs, {**_POINTERS}, real, anchors=name == ANCHOR) for name in (ANCHOR, ONWARD)}
        texts: set[str] = set()
        for name, body in bodies.items():
            body.compute_into(_OUT, function.outputs)
            body.give_back()
            texts |= {*body.declarations, _text(name, body)}
        return cls(frozenset(texts), bodies[ANCHOR].room_kept) if bodies[ANCHOR].room_kept else None


_POINTERS = {name: f"%a{i}" for i, name in enumerate((*ARGUMENTS, "out", KEPT))}
_OUT = _POINTERS["out"]


def _text(name: str, body: Body) -> str:
    arguments = ", ".join(f"ptr noalias {a}" for a in _POINTERS.values())
    return "\n".join([f"define internal void @{name}({arguments}) alwaysinline {{", *body.lines, "  ret void", "}"])


@dataclass
class _Kept(Body):
    """Instructions that keep angles with their sines and cosines, or that turn those on."""

    anchors: bool = field(default=False)
    room_kept: int = field(default=0)

    def _sincos(self, real: Real, x: str) -> tuple[str, str]:
        first, wide = self.room_kept, real.width // self.real.width
        places = [self.at(_POINTERS[KEPT], first + i * wide) for i in range(3)]
        self.room_kept += 3 * wide
        if self.anchors:
            found = super()._sincos(real, x)
            for value, place in zip((x, *found), places, strict=True):
                self.do(f"store {real.type} {value}, ptr {place}, align 8")
            return found
        self.declarations |= {*sincos.declarations(real), sincos.function(real), sincos.turned(real)}
        before = [f"{real.type} {self.new(f'load {real.type}, ptr {place}, align 8')}" for place in places]
        return self.both(real, f"{sincos.name(real)}_turned({', '.join([f'{real.type} {x}', *before])})")
