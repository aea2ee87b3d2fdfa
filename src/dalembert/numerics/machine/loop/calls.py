"""Calls: of other functions of the program, of those in `arithmetic`, of machine code; arrays and tuples are made."""

from __future__ import annotations

import ast
import math
import types
from collections.abc import Callable, Mapping, Sequence

import numpy as np

from .arithmetic import OF_ONE, called
from .expressions import ExpressionWriter
from .function_address import call
from .syntax_tree import Function, source_of
from .value_types import COUNT, NOTHING, REAL, TRUTH, Array, Scalar, Value, components, fields_of

_ELEMENTS: Mapping[object, Scalar] = {np.int64: COUNT, np.bool_: TRUTH, float: REAL}


class Calls(ExpressionWriter):
    """Writes calls."""

    def called(self, node: ast.Call) -> Value:
        """What a call returns."""
        if node.keywords or any(isinstance(a, ast.Starred) for a in node.args):
            self.refuse(node, "plain arguments are wanted")
        if isinstance(node.func, ast.Attribute) and node.func.attr == "reshape":
            return self._reshaped(node, self.value(node.func.value))
        function = self.static(node.func)
        if function in (np.empty, np.zeros):
            return self._made(node, function is np.zeros)
        given = [self.value(each) for each in node.args]
        if function is call:
            return self._machine_code(node, given)
        if function in OF_ONE and len(given) == 1:
            write, needed = OF_ONE[function]
            self.whole.needed |= {needed} - {""}
            return write(self, self.real(node, given[0]))
        if function in _SPECIAL:
            return _SPECIAL[function](self, node, given)
        if isinstance(function, type) and issubclass(function, tuple):
            return self._record(node, function, given)
        function = getattr(function, "function", function)
        if isinstance(function, types.FunctionType):
            return self.apply(node, function, given)
        self.refuse(node, "no function of a loop")

    def apply(self, node: ast.AST, function: Function, given: Sequence[Value]) -> Value:
        """A call of another function of the program."""
        wanted = source_of(function).parameters
        if len(wanted) != len(given):
            self.refuse(node, f"{len(wanted)} arguments are wanted")
        given = [self.declared(node, v, t) for v, t in zip(given, wanted.values(), strict=True)]
        name, kind = self.whole.made(function, [v.kind for v in given])
        parts = [f"{t} {p}" for v in given for t, p in zip(components(v.kind), v.parts, strict=True)]
        types = components(kind)
        if not types:
            self.do(f"call void @{name}({', '.join(parts)})")
            return Value(NOTHING, ())
        result = self.new(f"call {returned(types)} @{name}({', '.join(parts)})")
        if len(types) == 1:
            return Value(kind, (result,))
        return Value(kind, tuple(self.new(f"extractvalue {returned(types)} {result}, {i}") for i in range(len(types))))

    def _record(self, node: ast.Call, kind: type, given: Sequence[Value]) -> Value:
        """A named tuple."""
        types = fields_of(kind)
        if len(types) != len(given):
            self.refuse(node, f"{len(types)} values are wanted")
        values = [self.declared(node, v, t) for v, t in zip(given, types.values(), strict=True)]
        return self.gathered(values, kind.__name__, tuple(types))

    def _machine_code(self, node: ast.Call, given: Sequence[Value]) -> Value:
        """A call by address with the addresses of arrays."""
        if any(v.kind != COUNT for v in given[:1]) or any(
            not isinstance(v.kind, Array) or v.kind.element != REAL for v in given[1:]
        ):
            self.refuse(node, "an int and arrays of floats are wanted")
        target = self.new(f"inttoptr i64 {given[0].parts[0]} to ptr")
        self.do(f"call void {target}({', '.join(f'ptr {v.parts[0]}' for v in given[1:])})")
        return Value(NOTHING, ())

    def _reshaped(self, node: ast.Call, row: Value) -> Value:
        """The numbers of a row with more axes."""
        if not isinstance(row.kind, Array) or row.kind.rank != 1:
            self.refuse(node, "a row is wanted")
        sizes = [self.count(each) for each in node.args]
        return Value(Array(row.kind.element, len(sizes), row.kind.made), (row.parts[0], *sizes))

    def _made(self, node: ast.Call, cleared: bool) -> Value:
        """A new array on the stack."""
        if self.repeated:
            self.refuse(node, "an array made again and again")
        shape = node.args[0].elts if isinstance(node.args[0], ast.Tuple) else [node.args[0]]
        element = _ELEMENTS.get(self.static(node.args[1]) if len(node.args) > 1 else float)
        if element is None:
            self.refuse(node, "an array of neither float64, np.int64 nor np.bool_")
        sizes = [self.count(each) for each in shape]
        total = sizes[0]
        for size in sizes[1:]:
            total = self.times(total, size)
        room = f"%{self.fresh('r')}"
        where = self.rooms if total.isdigit() else self.lines
        where.append(f"  {room} = alloca {element.memory}, i64 {total}, align 16")
        if cleared:
            size = self.times(total, str(element.size))
            self.whole.needed.add("llvm.memset.p0.i64")
            self.do(f"call void @llvm.memset.p0.i64(ptr align 8 {room}, i8 0, i64 {size}, i1 false)")
        return Value(Array(element, len(sizes), made=True), (room, *sizes))


def returned(types: Sequence[str]) -> str:
    """The type of what a function returns."""
    if len(types) > 1:
        return f"{{ {', '.join(types)} }}"
    return types[0] if types else "void"


# --- what Python and its math know, of other than one float ---


def _length(writer: Calls, node: ast.Call, given: Sequence[Value]) -> Value:
    (whole,) = given
    if not isinstance(whole.kind, Array):
        writer.refuse(node, "an array is wanted")
    return Value(COUNT, whole.parts[1:2])


def _size(writer: Calls, node: ast.Call, given: Sequence[Value]) -> Value:
    writer.whole.needed.add("llvm.fabs.f64")
    return Value(REAL, (called(writer, "llvm.fabs.f64", writer.wanted(node.args[0], given[0], REAL)),))


def _extreme(test: ast.cmpop) -> Callable[[Calls, ast.Call, Sequence[Value]], Value]:
    """min and max as Python has them: the first one, unless a later one is less, or more."""

    def write(writer: Calls, node: ast.Call, given: Sequence[Value]) -> Value:
        kind = COUNT if all(v.kind == COUNT for v in given) else REAL
        best, *others = [Value(kind, (v.parts[0] if kind == COUNT else writer.real(node, v),)) for v in given]
        for other in others:
            so = writer.test(node, test, other, best)
            chosen = writer.new(f"select i1 {so}, {kind.type} {other.parts[0]}, {kind.type} {best.parts[0]}")
            best = Value(kind, (chosen,))
        return best

    return write


def _to_int(writer: Calls, node: ast.Call, given: Sequence[Value]) -> Value:
    x = writer.wanted(node.args[0], given[0], REAL)
    return Value(COUNT, (writer.new(f"fptosi double {x} to i64"),))


def _to_float(writer: Calls, node: ast.Call, given: Sequence[Value]) -> Value:
    return Value(REAL, (writer.real(node, given[0]),))


def _copysign(writer: Calls, node: ast.Call, given: Sequence[Value]) -> Value:
    writer.whole.needed.add("llvm.copysign.f64")
    return Value(REAL, (called(writer, "llvm.copysign.f64", *(writer.real(node, v) for v in given)),))


def _ldexp(writer: Calls, node: ast.Call, given: Sequence[Value]) -> Value:
    writer.whole.needed.add("ldexp")
    x, e = writer.real(node, given[0]), writer.wanted(node.args[1], given[1], COUNT)
    small = writer.new(f"trunc i64 {e} to i32")
    return Value(REAL, (writer.new(f"call double @ldexp(double {x}, i32 {small})"),))


_SPECIAL: Mapping[object, Callable[[Calls, ast.Call, Sequence[Value]], Value]] = {
    len: _length,
    abs: _size,
    min: _extreme(ast.Lt()),
    max: _extreme(ast.Gt()),
    int: _to_int,
    float: _to_float,
    math.copysign: _copysign,
    math.ldexp: _ldexp,
}
