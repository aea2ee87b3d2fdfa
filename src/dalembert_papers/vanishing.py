"""Is an expression identically 0? Decided by expansion and by random rational points.

A value that is not 0 is a proof that it is not. That it is 0 at every point, to 60 digits or exactly, stands in for a
proof where expansion is not one; algebra decides where no point is finite. Points come in pairs of opposite signs, so
that what holds on one side only is refuted.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator
from typing import Any

import sympy as sp
from sympy.core.function import AppliedUndef

POINTS, FEW = 6, 3  # that decide; that tell a size
DIGITS = 120  # points lie between 1/3 and 3, so that values are neither huge nor tiny
_LONGEST = 70  # characters of a residual that is shown as it stands


def vanishes(expression: Any) -> bool:
    """Is the expression identically 0, its symbols and unknown functions (with their derivatives) being arbitrary?

    Raises:
        ArithmeticError: neither algebra nor a random point decides.
    """
    generic = _generic(expression)
    expanded = sp.expand(generic)
    if expanded == 0:
        return True
    points = [(seed, side) for seed in range(POINTS) for side in (1, -1)]
    values = [v for v in (_value(generic, seed, side) for seed, side in points) if v is not None]
    if any(v != 0 for v in values):
        return False
    if not values and sp.cancel(expanded) != 0 and sp.simplify(expanded) != 0:
        raise ArithmeticError(f"undecided whether this vanishes: {expression}")
    return True


def all_vanish(*residuals: Any) -> bool:
    """Is every residual (expression, matrix or list of them) identically 0?"""
    return all(vanishes(e) for e in entries(residuals))


def entries(residuals: Iterable[Any]) -> Iterator[Any]:
    """Expressions out of matrices and lists, however nested."""
    for residual in residuals:
        if isinstance(residual, sp.MatrixBase | list | tuple):
            yield from entries(residual)
        else:
            yield residual if isinstance(residual, sp.Basic) else sp.Integer(residual)


def size(expression: Any) -> float:
    """The largest absolute value at the random points where the expression is finite (nan if it is finite at none)."""
    generic = _generic(expression)
    values = [v for v in (_value(generic, seed) for seed in range(FEW)) if v is not None]
    return max((float(abs(v)) for v in values), default=float("nan"))


def shown(residual: sp.Expr) -> str:
    """A residual as text: itself if it is short, else its size at random points."""
    text = str(sp.factor(residual)) if sp.count_ops(residual) < 60 else ""
    return text if 0 < len(text) <= _LONGEST else f"up to {size(residual):.3g} at random points"


def _generic(expression: Any) -> sp.Expr:
    """Unknown functions and their derivatives replaced by symbols of their own."""
    expression = expression.doit() if isinstance(expression, sp.Basic) else sp.Integer(expression)
    unknown = sorted(expression.atoms(sp.Derivative, AppliedUndef), key=str)
    return expression.xreplace({f: sp.Symbol(f"_{i}", real=True) for i, f in enumerate(unknown)})


def _value(expression: sp.Expr, seed: int, side: int = 1) -> sp.Expr:
    """The value at a random rational point; 0 where `DIGITS` digits cannot tell it from 0, None if it is not finite."""
    draw = random.Random(seed)
    point = {s: _rational(s, draw, side) for s in sorted(expression.free_symbols, key=str)}
    value = expression.xreplace(point)
    if value.is_Rational:
        return value
    value = sp.N(value, DIGITS)
    if not value.is_number or value.has(sp.nan, sp.zoo, sp.oo, -sp.oo):
        return None
    return value if abs(value) > sp.Float(10) ** (-DIGITS // 2) else sp.S.Zero


def _rational(symbol: sp.Symbol, draw: random.Random, side: int) -> sp.Rational:
    sign = 1 if symbol.is_nonnegative else side * draw.choice((-1, 1))
    return sp.Rational(sign * draw.randint(33, 99), draw.randint(33, 99))
