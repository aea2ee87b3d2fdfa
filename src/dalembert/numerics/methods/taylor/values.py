"""Functions of a state in two parts, with linear equations on the way."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ....calculus.graph import Node
from ...machine import solve
from ...machine.llvm import Inputs
from .cut import cut
from .point import Point


@dataclass(frozen=True)
class Saddle:
    """Linear equations K x = b on the way: K by rows and then b, n (n + 1) nodes; x_i is the symbol ``"x:i"``."""

    size: int
    assemble: Sequence[Node]

    def row(self, i: int) -> tuple[Sequence[Node], Node]:
        """K_i, b_i."""
        n = self.size
        return self.assemble[i * n : (i + 1) * n], self.assemble[n * n + i]


NONE = Saddle(0, ())


def emit_values(name: str, outputs: Sequence[Node], inputs: Inputs, saddle: Saddle) -> str:
    """IR text of a function that writes the values of the outputs at y in two parts."""
    body = Point(inputs, len(outputs))
    body.lines.append("entry:")
    if saddle.size:
        solved(body, saddle)
    body.store("%a3", body.compute(outputs))
    return function_text(name, body)


def function_text(name: str, body: Point) -> str:
    """IR of the function with this body."""
    lines, parts = cut(name, body.lines)
    head = "\n".join([*sorted(body.declarations), *parts])
    define = f"define void @{name}(ptr noalias %a0, ptr noalias %a1, ptr noalias %a2, ptr noalias %a3) {{"
    return "\n".join([head, define, *lines, "  ret void", "}", ""])


def solved(body: Point, saddle: Saddle) -> tuple[str, list[str]]:
    """Assemble and solve the linear equations; afterwards x is an input. The matrix and its entries."""
    inputs, size = body.inputs, saddle.size
    body.inputs = {s: i for s, i in inputs.items() if i[0] != "x"}
    matrix = body.new(f"alloca double, i64 {size * (size + 1) + 1}, align 64")
    entries = body.compute(saddle.assemble)
    body.store(matrix, entries)
    solution = solve_in_place(body, matrix, size)
    body.inputs, body.pointers = inputs, {**body.pointers, "x": solution}
    return matrix, entries


def solve_in_place(body: Point, matrix: str, size: int) -> str:
    """Solve in place; the pointer to x, behind which the margin follows."""
    body.declarations.add(f"declare void @{solve.SYMBOL}(ptr, ptr, i64, ptr)")
    solution, margin = body.at(matrix, size * size), body.at(matrix, size * (size + 1))
    body.do(f"call void @{solve.SYMBOL}(ptr {matrix}, ptr {solution}, i64 {size}, ptr {margin})")
    return solution
