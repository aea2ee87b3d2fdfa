"""Symbols in SymPy's expressions: which occur, what they are assumed to be, and values that are given for them.

SymPy's `free_symbols` walks a part again wherever it stands; here it is walked once, and what was found of a part is
remembered by the part's identity. SymPy compares equal expressions part by part, down to their symbols, whenever they
are not the same object: a table in which expressions are keys pays for that as soon as a system is made anew.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import lru_cache, wraps
from typing import Any, Generic, TypeVar

import numpy as np
import sympy as sp
from numpy.typing import ArrayLike, NDArray
from sympy.core.facts import InconsistentAssumptions

from ..errors import InvalidValue
from ..errors.remedies import Call

REMEMBERED = 2**14  # parts that are kept; then all are forgotten

T = TypeVar("T")


class Remembered(Generic[T]):
    """A function of one expression that remembers what it found.

    Attributes:
        known: what was found, by `id`, with the expression, so that no other takes its place in memory.
    """

    def __init__(self, function: Callable[[sp.Basic], T]) -> None:
        self._function = function
        self.known: dict[int, tuple[sp.Basic, T]] = {}
        wraps(function)(self)

    def __call__(self, e: sp.Basic) -> T:
        """What the function finds of an expression."""
        kept = self.known.get(id(e))
        if kept is not None:
            return kept[1]
        found = self._function(e)
        if len(self.known) >= REMEMBERED:
            self.known.clear()
        self.known[id(e)] = e, found
        return found


# --- which symbols occur ----------------------------------------------------------------------------------------------


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


# --- values by symbol or name -----------------------------------------------------------------------------------------


def by_name(given: Mapping[Any, Any], what: str, normal: Callable[[Any], Any] = lambda name: name) -> dict[Any, Any]:
    """The mapping with symbols replaced by their names; other keys stay as they are.

    Args:
        given: ``{name or symbol: value}``.
        what: what it is called in the message.
        normal: brings a name to its normal form.

    Raises:
        InvalidValue: E102, a symbol and text, or two symbols, of one name.
    """
    named: dict[Any, Any] = {}
    for key, value in given.items():
        own = getattr(key, "name", None)
        name = normal(own if isinstance(own, str) else key)
        if name in named:
            raise InvalidValue("E102", f"{what}: {name} is given twice", f"give {name} once, as text or as a symbol")
        named[name] = value
    return named


# --- assumptions ------------------------------------------------------------------------------------------------------

# SymPy simplifies by them before any value is known: sqrt(x**2) becomes x where x is positive, and sin(n*pi) becomes 0
# where n is an integer. A parameter's values are held against what its symbol assumes; what moves cannot be held to
# anything, and is real and no more.

Flags = NDArray[np.bool_]
_REAL = sp.Symbol("x", real=True).assumptions0
_FACTS = (*_REAL, *sp.Symbol("x", prime=True).assumptions0, *sp.Symbol("x", irrational=True).assumptions0, "composite")


@lru_cache(maxsize=4096)
def beyond_real(symbol: sp.Expr) -> Mapping[str, bool]:
    """What is assumed of a symbol, or of a function of the time, beyond that it is real: ``{"positive": True}``."""
    known = {fact: getattr(symbol, f"is_{fact}") for fact in dict.fromkeys(_FACTS)}
    return {fact: is_so for fact, is_so in known.items() if is_so is not None and _REAL.get(fact) is not is_so}


def in_words(symbol: sp.Expr) -> str:
    """What is assumed beyond real, in a few words: the strongest signs and kinds."""
    facts = {fact.removeprefix("extended_"): is_so for fact, is_so in beyond_real(symbol).items()}
    held = [fact for fact in _TELLING if facts.get(fact)]
    weaker = {w for fact in held for w in _TELLING[fact]}
    told = [fact for fact in held if fact not in weaker]
    told = told or [fact for fact, is_so in facts.items() if is_so] or [f"not {next(iter(facts))}"]
    return " and ".join(_NOUNS.get(fact, fact) for fact in told)


def only_real(symbol: sp.Expr, name: str, where: str, remedy: str = "") -> None:
    """Refuse a symbol of what moves, or is driven, that is assumed to be more than real (E721)."""
    if beyond_real(symbol):
        raise InvalidValue(
            "E721",
            f"{name} in {where} was declared {in_words(symbol)}: SymPy simplifies by that, "
            "and its values need not keep it",
            ("declare it real and no more: ", remedy or Call("coordinates", f'"{name}"')),
        )


@lru_cache(maxsize=4096)
def kept_by(symbol: sp.Expr, value: float) -> bool:
    """Is a number what the symbol is assumed to be? Asked for the same numbers in every run."""
    return bool(kept(symbol, value))


def kept(symbol: sp.Expr, value: ArrayLike) -> Flags:
    """Is a value, or each of an array, what the symbol is assumed to be?"""
    held: Flags = _always(value)
    for fact, is_so in beyond_real(symbol).items():
        held = held & np.equal(_HOLDS[fact.removeprefix("extended_")](value), is_so)
    return held


def joined(one: sp.Symbol, other: sp.Symbol) -> sp.Symbol:
    """A symbol that is assumed to be what either of one name is.

    Raises:
        InvalidValue: E721, nothing is both.
    """
    first, second = beyond_real(one), beyond_real(other)
    if second.items() <= first.items():
        return one
    if first.items() <= second.items():
        return other
    try:
        if not all(first.get(fact, is_so) is is_so for fact, is_so in second.items()):
            raise InconsistentAssumptions
        return sp.Symbol(one.name, **{**first, **second, "real": True})
    except InconsistentAssumptions:
        fact = f"{one.name} was declared {in_words(one)} in one place and {in_words(other)} in another"
        raise InvalidValue("E721", fact, "declare it once, and use the one symbol") from None


def _whole(value: ArrayLike) -> Flags:
    return np.asarray(np.equal(value, np.floor(value)))


def _prime(value: ArrayLike) -> Flags:
    return np.asarray(np.vectorize(lambda v: bool(v == int(v) and sp.isprime(int(v))), otypes=[bool])(value))


def _always(value: ArrayLike) -> Flags:
    return np.ones(np.shape(value), bool)


_HOLDS: dict[str, Callable[[ArrayLike], Flags]] = {
    "positive": lambda v: np.greater(v, 0),
    "negative": lambda v: np.less(v, 0),
    "nonnegative": lambda v: np.greater_equal(v, 0),
    "nonpositive": lambda v: np.less_equal(v, 0),
    "zero": lambda v: np.equal(v, 0),
    "nonzero": lambda v: np.not_equal(v, 0),
    "integer": _whole,
    "noninteger": lambda v: ~_whole(v),
    "even": lambda v: np.equal(np.mod(v, 2), 0),
    "odd": lambda v: np.equal(np.mod(v, 2), 1),
    "prime": _prime,
    "composite": lambda v: _whole(v) & np.greater(v, 1) & ~_prime(v),
    # a number of floating point is a fraction
    **dict.fromkeys(("rational", "algebraic", "real", "complex", "hermitian", "finite", "commutative"), _always),
    **dict.fromkeys(("irrational", "transcendental", "imaginary", "antihermitian", "infinite"), lambda v: ~_always(v)),
}
_NOUNS = {"integer": "an integer", "prime": "a prime", "composite": "a composite number"}
# facts worth telling, and those that follow from each
_TELLING: dict[str, tuple[str, ...]] = {
    "positive": ("nonnegative", "nonzero"),
    "negative": ("nonpositive", "nonzero"),
    "zero": ("nonnegative", "nonpositive", "integer", "even", "rational", "algebraic"),
    "prime": ("positive", "nonnegative", "nonzero", "integer", "rational", "algebraic"),
    "composite": ("positive", "nonnegative", "nonzero", "integer", "rational", "algebraic"),
    "even": ("integer", "rational", "algebraic"),
    "odd": ("integer", "nonzero", "rational", "algebraic"),
    "integer": ("rational", "algebraic"),
    "rational": ("algebraic",),
    "irrational": ("nonzero", "noninteger"),
    "transcendental": ("nonzero", "irrational", "noninteger"),
    **dict.fromkeys(("nonnegative", "nonpositive", "nonzero", "noninteger", "algebraic"), ()),
}


def leaves(expression: sp.Basic) -> int:
    """With how many symbols and numbers an expression is written; parts that it shares are looked at once."""
    known: dict[int, int] = {}

    def count(e: sp.Basic) -> int:
        if id(e) not in known:
            known[id(e)] = sum(map(count, e.args)) or 1
        return known[id(e)]

    return count(expression)
