"""What the author assumes of symbols, ``Symbol("m", positive=True)``, wherever one is given.

A text names a symbol and cannot say what is assumed of it. The order in which a system is read must not decide this:
what is assumed anywhere in it holds in every text, so that one name is one symbol.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import fields, is_dataclass

import sympy as sp

from ..calculus.assumptions import beyond_real, joined


def assumed(given: object) -> dict[str, sp.Symbol]:
    """The symbols in what was given that are assumed to be more than real, by name.

    Args:
        given: expressions, texts, or mappings, lists and parts of a system that hold some.

    Raises:
        InvalidValue: E721, a name that is assumed to be one thing in one place and another in the next.
    """
    found: dict[str, sp.Symbol] = {}
    for symbol in _symbols(given):
        if beyond_real(symbol):
            found[symbol.name] = joined(found.get(symbol.name, symbol), symbol)
    return found


def _symbols(given: object) -> Iterable[sp.Symbol]:
    """The symbols in what was given, in its order; each object is asked once, since expressions share their parts."""
    met: dict[int, object] = {}
    symbols: dict[sp.Symbol, None] = {}
    left = [given]
    while left:
        part = left.pop()
        if id(part) in met:
            continue
        met[id(part)] = part
        if isinstance(part, sp.Symbol):
            symbols[part] = None
        else:
            left.extend(reversed(_parts(part)))
    return symbols


def _parts(given: object) -> list[object]:
    if isinstance(given, sp.Basic):
        return list(given.args)
    if isinstance(given, sp.MatrixBase):
        return [e for _, e in sorted(given.todok().items())]  # zeros hold none
    if isinstance(given, Mapping):
        return [*given.keys(), *given.values()]
    if isinstance(given, list | tuple | set | frozenset):
        return list(given)
    if is_dataclass(given) and not isinstance(given, type):
        return [getattr(given, f.name) for f in fields(given)]
    return []
