"""Vectors and matrices of numbers and expressions, in which nothing is multiplied out and parts are shared."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypeAlias

import numpy as np
import sympy as sp

from ..calculus.symbols import leaves

Scalar: TypeAlias = sp.Expr | float
Vector: TypeAlias = tuple[Scalar, Scalar, Scalar]
Matrix: TypeAlias = tuple[Vector, Vector, Vector]  # by rows

ZERO: Vector = (0.0, 0.0, 0.0)
UNIT: Matrix = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
_SHORT = 1000  # symbols in an expression
_EXACT = 1e-15  # an entry of a rotation that is nearer to 0 or 1 is that: the cosine of a rounded right angle


def is_number(*parts: Scalar) -> bool:
    """Are all of them numbers?"""
    return all(isinstance(x, float | int) for x in parts)


def plain(e: Scalar) -> Scalar:
    """A number as a float, an expression as it is."""
    return float(e) if not isinstance(e, sp.Expr) or e.is_number else e


def expression(e: Scalar) -> sp.Expr:
    """A number or expression as one of SymPy; a short one is evaluated, so that it is written as usual."""
    if not isinstance(e, sp.Expr):
        return _shown(e)
    return e.doit() if leaves(e) <= _SHORT else e


def times(*factors: Scalar) -> Scalar:
    """Their product; sums in it stay as they are."""
    number, others = 1.0, []
    for x in factors:
        if isinstance(x, float | int):
            number *= x
        elif isinstance(x, sp.Mul) and x.args[0].is_Number:
            number *= float(x.args[0])
            others.append(x.args[1] if len(x.args) == 2 else sp.Mul(*x.args[1:], evaluate=False))
        else:
            others.append(x)
    if number == 0 or not others:
        return number
    if len(others) == 2 and others[0] is others[1]:
        others = [sp.Pow(others[0], 2, evaluate=False)]
    if number != 1:
        others.insert(0, _shown(number))
    return others[0] if len(others) == 1 else sp.Mul(*others, evaluate=False)


def total(terms: Iterable[Scalar]) -> Scalar:
    """Their sum; products and sums in it stay as they are, so that what is used twice is formed once."""
    number, others = 0.0, []
    for x in terms:
        if isinstance(x, float | int):
            number += x
        else:
            others.append(x)
    if not others:
        return number
    if number != 0:
        others.append(_shown(number))
    return others[0] if len(others) == 1 else sp.Add(*others, evaluate=False)


def _shown(number: float) -> sp.Number:
    """Whole numbers and halves are printed as such."""
    return sp.Integer(int(2 * number)) / 2 if (2 * number).is_integer() and abs(number) < 2**50 else sp.Float(number)


def added(*vectors: Sequence[Scalar]) -> Vector:
    """Their sum."""
    a, b, c = (total(parts) for parts in zip(*vectors, strict=True))
    return a, b, c


def scaled(k: Scalar, a: Sequence[Scalar]) -> Vector:
    """k a."""
    x, y, z = (times(k, each) for each in a)
    return x, y, z


def dot(a: Sequence[Scalar], b: Sequence[Scalar]) -> Scalar:
    """a . b"""
    return total(times(x, y) for x, y in zip(a, b, strict=True))


def cross(a: Sequence[Scalar], b: Sequence[Scalar]) -> Vector:
    """a x b"""
    x, y, z = (
        total((times(a[i], b[j]), times(-1.0, a[j], b[i]))) for i, j in ((1, 2), (2, 0), (0, 1))
    )  # fmt: skip
    return x, y, z


def transposed(M: Matrix) -> Matrix:
    """M^T"""
    a, b, c = zip(*M, strict=True)
    return a, b, c


def applied(M: Matrix, a: Sequence[Scalar]) -> Vector:
    """M a"""
    x, y, z = (dot(row, a) for row in M)
    return x, y, z


def composed(M: Matrix, N: Matrix) -> Matrix:
    """M N"""
    a, b, c = (applied(transposed(N), row) for row in M)
    return a, b, c


def turn(axis: int, angle: Scalar) -> Matrix:
    """The rotation about a coordinate axis."""
    c, s = (
        (exact(float(np.cos(angle))), exact(float(np.sin(angle))))
        if isinstance(angle, float | int)
        else (sp.cos(angle), sp.sin(angle))
    )
    i, j = (axis + 1) % 3, (axis + 2) % 3
    rows = [list(row) for row in UNIT]
    rows[i][i], rows[i][j], rows[j][i], rows[j][j] = c, times(-1.0, s), s, c
    a, b, d = ((row[0], row[1], row[2]) for row in rows)
    return a, b, d


def exact(x: float) -> float:
    """An entry of a rotation, rounded to 0, 1 or -1 where it is that but for the last digit."""
    return float(round(x)) if abs(x - round(x)) < _EXACT else x


def onto(axis: Sequence[float]) -> Matrix:
    """A rotation whose third column is this unit vector: the identity for z, a cyclic one for x and y."""
    a = np.asarray(axis, float)
    k = int(np.argmax(abs(a)))
    across = np.eye(3)[(k + 1) % 3]
    x = across - a * (a @ across)
    x /= np.linalg.norm(x)
    R = np.column_stack([x, np.cross(a, x), a])
    p, q, r = (tuple(exact(float(e)) for e in row) for row in R)
    return p, q, r  # type: ignore[return-value]
