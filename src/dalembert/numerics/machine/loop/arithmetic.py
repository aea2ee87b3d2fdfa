"""Arithmetic and comparisons of numbers; an int becomes a float beside a float, and where a float is declared."""

from __future__ import annotations

import ast
import math
from collections.abc import Callable, Mapping, Sequence
from typing import NoReturn, Protocol

import numpy as np

from ..ir_numbers import SCALAR
from .ir_builder import Writer
from .syntax_tree import Function, FunctionSource
from .value_types import COUNT, DECLARED, REAL, TRUTH, Kind, NotCompilable, Value, components, several, told

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

    def __init__(self, source: FunctionSource, whole: Whole) -> None:
        super().__init__()
        self.source, self.whole = source, whole

    def refuse(self, node: ast.AST, why: str) -> NoReturn:
        """Say what cannot be compiled, and where."""
        function = self.source.function
        line = f"{function.__code__.co_filename}:{getattr(node, 'lineno', 0)}"
        raise NotCompilable(f"{line}: {function.__name__}: {why}: {ast.unparse(node)}")

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


# --- functions of numbers that loops may call ------------------------------------------------------------------------

Known = Callable[[Writer, str], Value]


def declared(functions: set[str]) -> list[str]:
    """Declarations of the functions of C and LLVM that are called."""
    return sorted(f"declare {_DECLARED.get(name, 'double (double)').replace('(', f'@{name}(')}" for name in functions)


_DECLARED = {
    "llvm.pow.f64": "double (double, double)",
    "llvm.copysign.f64": "double (double, double)",
    "frexp": "double (double, ptr)",
    "ldexp": "double (double, i32)",
    "llvm.memset.p0.i64": "void (ptr, i8, i64, i1)",
}


def called(writer: Writer, function: str, *arguments: str) -> str:
    """A call of a function of doubles."""
    return writer.new(f"call double @{function}({', '.join(f'double {a}' for a in arguments)})")


def _by(function: str) -> Known:
    return lambda writer, x: Value(REAL, (called(writer, function, x),))


def _finite(writer: Writer, x: str) -> Value:
    size = called(writer, "llvm.fabs.f64", x)
    return Value(TRUTH, (writer.new(f"fcmp olt double {size}, {SCALAR.number(math.inf)}"),))


def _no_number(writer: Writer, x: str) -> Value:
    return Value(TRUTH, (writer.new(f"fcmp uno double {x}, {x}"),))


def _whole(writer: Writer, x: str) -> Value:
    return Value(COUNT, (writer.new(f"fptosi double {called(writer, 'llvm.floor.f64', x)} to i64"),))


def _spacing(writer: Writer, x: str) -> Value:
    """To the next number away from 0: the one whose bits are 1 more."""
    bits = writer.new(f"add i64 {writer.new(f'bitcast double {x} to i64')}, 1")
    return Value(REAL, (writer.new(f"fsub double {writer.new(f'bitcast i64 {bits} to double')}, {x}"),))


def _mantissa(writer: Writer, x: str) -> Value:
    """frexp: x = m 2^e."""
    room = writer.room("i32")
    m = writer.new(f"call double @frexp(double {x}, ptr {room})")
    e = writer.new(f"sext i32 {writer.new(f'load i32, ptr {room}, align 4')} to i64")
    return Value(several(REAL, COUNT), (m, e))


# of one number: what writes it, and the functions of C and LLVM that this calls
OF_ONE: Mapping[object, tuple[Known, str]] = {
    math.sqrt: (_by("llvm.sqrt.f64"), "llvm.sqrt.f64"),
    math.exp: (_by("llvm.exp.f64"), "llvm.exp.f64"),
    math.log: (_by("llvm.log.f64"), "llvm.log.f64"),
    math.floor: (_whole, "llvm.floor.f64"),
    math.isfinite: (_finite, "llvm.fabs.f64"),
    math.isnan: (_no_number, ""),
    math.frexp: (_mantissa, "frexp"),
    np.ceil: (_by("llvm.ceil.f64"), "llvm.ceil.f64"),
    np.isfinite: (_finite, "llvm.fabs.f64"),
    np.spacing: (_spacing, ""),
}
