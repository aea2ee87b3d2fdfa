"""Arithmetic and comparisons of numbers; an int becomes a float beside a float, and where a float is declared."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import NoReturn, Protocol

import numpy as np

from ..real import SCALAR
from .kinds import COUNT, DECLARED, REAL, TRUTH, Kind, Refused, Value, components, told
from .known import called
from .source import Function, Source
from .writer import Writer

_REAL_TESTS: dict[type, str] = {
    ast.Lt: "olt", ast.LtE: "ole", ast.Gt: "ogt", ast.GtE: "oge", ast.Eq: "oeq", ast.NotEq: "une",
}  # fmt: skip
_COUNT_TESTS: dict[type, str] = {
    ast.Lt: "slt", ast.LtE: "sle", ast.Gt: "sgt", ast.GtE: "sge", ast.Eq: "eq", ast.NotEq: "ne",
}  # fmt: skip
_REAL_WORK: dict[type, str] = {ast.Add: "fadd", ast.Sub: "fsub", ast.Mult: "fmul", ast.Div: "fdiv"}
_COUNT_WORK: dict[type, str] = {ast.Add: "add nsw", ast.Sub: "sub nsw", ast.Mult: "mul nsw"}


class Whole(Protocol):
    """What all functions of a program share."""

    needed: set[str]

    def made(self, function: Function, kinds: Sequence[Kind]) -> tuple[str, Kind]:
        """Name and kind of result of a function that is compiled for kinds of arguments."""

    def hint(self) -> str:
        """What the optimiser is told about one loop."""

    def constant(self, numbers: np.ndarray) -> str:
        """The address of numbers that never change."""


class Arithmetic(Writer):
    """Writes what numbers are computed by."""

    def __init__(self, source: Source, whole: Whole) -> None:
        super().__init__()
        self.source, self.whole = source, whole

    def refuse(self, node: ast.AST, why: str) -> NoReturn:
        """Say what cannot be compiled, and where."""
        function = self.source.function
        line = f"{function.__code__.co_filename}:{getattr(node, 'lineno', 0)}"
        raise Refused(f"{line}: {function.__name__}: {why}: {ast.unparse(node)}")

    def real(self, node: ast.AST, value: Value) -> str:
        """A number as a float."""
        if value.kind == COUNT:
            return self.new(f"sitofp i64 {value.parts[0]} to double")
        if value.kind != REAL:
            self.refuse(node, f"a number is wanted, not {told(value.kind)}")
        return value.parts[0]

    def declared(self, node: ast.AST, value: Value, annotation: str) -> Value:
        """A value where a type is declared: there an int becomes a float."""
        kind = DECLARED.get(annotation, value.kind)
        if kind == REAL and value.kind == COUNT:
            return Value(REAL, (self.real(node, value),))
        if kind != value.kind:
            self.refuse(node, f"{told(kind)} is declared, not {told(value.kind)}")
        return value

    def work(self, node: ast.AST, op: ast.operator, a: Value, b: Value) -> Value:
        """Arithmetic."""
        if isinstance(op, ast.Pow):
            return self._power(node, a, b)
        if a.kind == b.kind == COUNT and not isinstance(op, ast.Div):
            return self._whole(node, op, a.parts[0], b.parts[0])
        name = _REAL_WORK.get(type(op))
        if name is None:
            self.refuse(node, "no arithmetic of a loop")
        x, y = self.real(node, a), self.real(node, b)
        return Value(REAL, (self.new(f"{name} double {x}, {y}"),))

    def _whole(self, node: ast.AST, op: ast.operator, a: str, b: str) -> Value:
        if type(op) in _COUNT_WORK:
            return Value(COUNT, (self.new(f"{_COUNT_WORK[type(op)]} i64 {a}, {b}"),))
        if not isinstance(op, ast.FloorDiv | ast.Mod) or not b.isdigit() or b == "0":
            self.refuse(node, "no arithmetic of ints in a loop, which are divided by constants above 0 only")
        # a = b floor(a/b) + r, 0 <= r < b
        rest = self.new(f"srem i64 {a}, {b}")
        below = self.new(f"icmp slt i64 {rest}, 0")
        r = self.new(f"select i1 {below}, i64 {self.plus(rest, b)}, i64 {rest}")
        if isinstance(op, ast.Mod):
            return Value(COUNT, (r,))
        return Value(COUNT, (self.new(f"sdiv i64 {self.minus(a, r)}, {b}"),))

    def _power(self, node: ast.AST, a: Value, b: Value) -> Value:
        if a.kind != REAL or not (b.kind == REAL or b.parts[0].isdigit()):
            self.refuse(node, "a power of a float with a float or a constant as exponent is wanted")
        if b.kind == REAL:
            self.whole.needed.add("llvm.pow.f64")
            return Value(REAL, (called(self, "llvm.pow.f64", a.parts[0], b.parts[0]),))
        result, factor, left = "", a.parts[0], int(b.parts[0])
        while left:
            if left & 1:
                result = self.new(f"fmul double {result}, {factor}") if result else factor
            left >>= 1
            if left:
                factor = self.new(f"fmul double {factor}, {factor}")
        return Value(REAL, (result or SCALAR.number(1.0),))

    def test(self, node: ast.AST, op: ast.cmpop, a: Value, b: Value) -> str:
        """A comparison of two numbers."""
        if a.kind == b.kind and a.kind in (COUNT, TRUTH):
            name = _COUNT_TESTS.get(type(op))
            if name is None or (a.kind == TRUTH and name not in ("eq", "ne")):
                self.refuse(node, "no comparison in a loop")
            return self.new(f"icmp {name} {components(a.kind)[0]} {a.parts[0]}, {b.parts[0]}")
        if type(op) not in _REAL_TESTS:
            self.refuse(node, "no comparison in a loop")
        return self.new(f"fcmp {_REAL_TESTS[type(op)]} double {self.real(node, a)}, {self.real(node, b)}")
