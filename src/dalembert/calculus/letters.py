"""The symbols in expressions: SymPy's `free_symbols` walks a part again wherever it stands, here it is walked once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

import sympy as sp

from .remembered import Remembered


def parts(*expressions: sp.Basic) -> Iterator[sp.Basic]:
    """All parts of expressions, each object once, however often it stands."""
    met: dict[int, sp.Basic] = {}
    left = list(expressions)
    while left:
        part = left.pop()
        if id(part) not in met:
            met[id(part)] = part
            left.extend(part.args)
            yield part


def letters(expressions: Iterable[sp.Basic]) -> frozenset[sp.Symbol]:
    """All symbols in expressions that bind none (no sums over an index, no integrals)."""
    return frozenset(part for part in parts(*expressions) if isinstance(part, sp.Symbol))


def holds(expression: sp.Basic, *kinds: type) -> bool:
    """Is a part of an expression of one of these kinds?"""
    return any(isinstance(part, kinds) for part in parts(expression))


@Remembered
def size(e: sp.Basic) -> int:
    """How many parts an expression has where all of them are written out."""
    return 1 + sum(map(size, e.args))


@Remembered
def free_symbols(e: sp.Basic) -> frozenset[sp.Symbol]:
    """The free symbols of one expression, kept for each part: for those that share parts and are asked in turn."""
    if e.is_Add or e.is_Mul or e.is_Pow or e.is_Function:
        return frozenset().union(*map(free_symbols, e.args))
    return frozenset(e.free_symbols)


def put(expression: sp.Expr, by: Mapping[str, sp.Expr]) -> sp.Expr:
    """An expression with what stands for symbols, by their names, in their places."""
    return expression.xreplace({s: by[s.name] for s in expression.free_symbols if s.name in by})
