"""Numbers that are parameters: 1.3666 written as J/m where it is that."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import combinations, permutations

import sympy as sp

_SAME = 1e-9


def named(number: sp.Expr, known: Mapping[sp.Symbol, float]) -> sp.Expr:
    """A parameter, its inverse, or a product or quotient of two, with either sign, of this value; else the number.

    That the values agree is no proof: who asks looks whether the claim still holds at other values.
    """
    if not number.is_Float:
        return number
    return next(meant(float(number), known), number)


def meant(wanted: float, known: Mapping[sp.Symbol, float]) -> Iterator[sp.Expr]:
    """All of these that have this value."""
    for expression, value in _candidates({s: v for s, v in known.items() if v}):
        if abs(abs(wanted) - abs(value)) <= _SAME * abs(wanted):
            yield expression if wanted * value > 0 else -expression


def _candidates(known: Mapping[sp.Symbol, float]) -> Iterator[tuple[sp.Expr, float]]:
    """Expressions and their values, short ones first."""
    for s, v in known.items():
        yield s, v
        yield 1 / s, 1 / v
    for (s, v), (r, w) in permutations(known.items(), 2):
        yield s / r, v / w
    for (s, v), (r, w) in combinations(known.items(), 2):
        yield s * r, v * w
        yield 1 / (s * r), 1 / (v * w)
