"""The functions of the language: those of the table `ELEMENTARY`, and some that are written with them."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial, reduce

import sympy as sp

from ..elementary_functions import ELEMENTARY, EVERYWHERE, HIGHEST_ORDER, Domain, Elementary, hypergeometric


@dataclass(frozen=True)
class LanguageFunction:
    """One function.

    Attributes:
        least, most: how many arguments it takes; no `most` means any number.
        build: its SymPy class.
        value: the function of numbers; ValueError where it is not real.
        domain: where it is real.
        ordered: is its first argument a whole number that stands in the text, the order?
        fixed: how many of its first arguments are numbers.
        reserved: may no symbol have its name?
    """

    least: int
    most: int | None
    build: Callable[..., sp.Expr]
    value: Callable[..., float]
    domain: Domain = EVERYWHERE
    ordered: bool = False
    fixed: int = 0
    reserved: bool = True

    @classmethod
    def of(cls, row: Elementary) -> LanguageFunction:
        """A function of the table; one that is commutative takes any number of arguments."""
        assert row.symbol is not None
        least, most = (1, None) if row.commutative else (row.arity, row.arity)
        value = (lambda *x: reduce(row.scalar, x)) if row.commutative else row.scalar
        return cls(least, most, row.symbol, value, row.domain or EVERYWHERE, bool(row.ordered), row.fixed)


def _pole(build: Callable[..., sp.Expr], value: Callable[..., float]) -> LanguageFunction:
    return LanguageFunction(1, 1, build, value, Domain(poles=(0,)))


def _legendre(n: sp.Expr, x: sp.Expr) -> sp.Expr:
    """P_n(x): a polynomial where n is a whole number."""
    return sp.legendre(n, x) if n.is_Integer else hypergeometric(-n, n + 1, sp.S.One, (1 - x) / 2)


def _legendre_at(n: float, x: float) -> float:
    return float(ELEMENTARY["hyp2f1"].scalar(-n, n + 1, 1.0, (1 - x) / 2))


def _step(x: float, at_zero: float = 0.5) -> float:
    return at_zero if x == 0 else float(x > 0)


def _where(*parts: float) -> float:
    """The value that belongs to the first condition that holds; the last of an odd number of parts belongs to all."""
    pairs = list(zip(parts[::2], parts[1::2], strict=False))
    for condition, value in pairs:
        if condition:
            return value
    if len(parts) % 2 == 0:
        raise ValueError
    return parts[-1]


def _branches(*parts: sp.Basic) -> sp.Expr:
    pairs = list(zip(parts[1::2], parts[::2], strict=False))
    found = sp.Piecewise(*pairs, *([(parts[-1], sp.true)] if len(parts) % 2 else []))
    # SymPy writes a condition on the value of another where(...) as ITE(c, a, b), for which the language has no word
    return found.replace(sp.ITE, lambda c, a, b: sp.Or(sp.And(c, a), sp.And(sp.Not(c), b)))


FUNCTIONS: dict[str, LanguageFunction] = {
    **{name: LanguageFunction.of(row) for name, row in ELEMENTARY.items() if row.spoken},
    "cot": _pole(sp.cot, lambda x: 1 / math.tan(x)),
    "sec": LanguageFunction(1, 1, sp.sec, lambda x: 1 / math.cos(x)),
    "csc": _pole(sp.csc, lambda x: 1 / math.sin(x)),
    "heaviside": LanguageFunction(1, 2, sp.Heaviside, _step),
    "legendre": LanguageFunction(2, 2, _legendre, _legendre_at, fixed=1),
    "where": LanguageFunction(2, None, _branches, _where),
    **{
        name: LanguageFunction(1, 1, partial(row.symbol, n), partial(row.scalar, n), reserved=False)
        for row in ELEMENTARY.values()
        if row.symbol is not None
        for n, name in enumerate(row.ordered)
    },
}

CONSTANTS = {"pi": (sp.pi, math.pi)}
WORDS = ("and", "or", "not")  # between the conditions of where(...)
DOT = "dot"
RESERVED = frozenset((*(name for name, f in FUNCTIONS.items() if f.reserved), *CONSTANTS, *WORDS, DOT))

# What people write for them in other languages.
ALIASES = {other: name for name, row in ELEMENTARY.items() for other in row.synonyms}
ALIASES |= {"ctg": "cot", "piecewise": "where", "select": "where", "if": "where"}
ALIASES |= {"theta": "heaviside", "step": "heaviside"}


def arity(f: LanguageFunction) -> str:
    """How many arguments it takes, in words."""
    if f.least == f.most:
        return f"{f.least} argument" + "s" * (f.least > 1)
    return (
        f"at least {f.least} argument" + "s" * (f.least > 1) if f.most is None else f"{f.least} or {f.most} arguments"
    )


def is_order(text: str) -> bool:
    """Is this text a whole number that can be the order of a function?"""
    return text.isdigit() and text.isascii() and len(text) < 9 and int(text) <= HIGHEST_ORDER


def fits(f: LanguageFunction, count: int) -> bool:
    """Can it take so many arguments?"""
    return f.least <= count and (f.most is None or count <= f.most)


def conditions(name: str, arguments: Sequence[object]) -> set[int]:
    """Positions of the arguments that are conditions."""
    return set(range(0, len(arguments) - len(arguments) % 2, 2)) if name == "where" else set()
