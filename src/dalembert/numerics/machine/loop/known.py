"""Functions of numbers that loops may call, and how they are computed."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

import numpy as np

from ..real import SCALAR
from .kinds import COUNT, REAL, TRUTH, Value, several
from .writer import Writer

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
