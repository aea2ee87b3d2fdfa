"""What a value in a loop is: a number, an array, a tuple of these; how it lies in registers and in memory."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache


class NotCompilable(TypeError):
    """A function is no loop: it says or is given something outside of what can be compiled."""


@dataclass(frozen=True)
class Scalar:
    """A number: its word in Python, its type in registers and in arrays, and NumPy's letter and size there."""

    word: str
    type: str
    memory: str
    letter: str
    size: int


@dataclass(frozen=True)
class Array:
    """A C-contiguous array; `made` in the function itself, so that it is gone when that returns."""

    element: Scalar
    rank: int
    made: bool = False


@dataclass(frozen=True)
class TupleKind:
    """A tuple, by the address of a table of 8-byte words where it is `framed`, else part by part."""

    name: str
    fields: tuple[str, ...]
    kinds: tuple[Kind, ...]
    framed: bool = False


Kind = Scalar | Array | TupleKind

REAL = Scalar("float", "double", "double", "f", 8)
COUNT = Scalar("int", "i64", "i64", "i", 8)
TRUTH = Scalar("bool", "i1", "i8", "b", 1)
DECLARED = {kind.word: kind for kind in (REAL, COUNT, TRUTH)}
NOTHING = TupleKind("None", (), ())


@dataclass(frozen=True)
class Value:
    """A value of a kind, in as many operands as `components` says: an array is its address and its shape."""

    kind: Kind
    parts: tuple[str, ...]


def several(*kinds: Kind) -> TupleKind:
    """The kind of a tuple without names."""
    return TupleKind("tuple", tuple(str(i) for i in range(len(kinds))), kinds)


@cache
def fields_of(tuples: type) -> Mapping[str, str]:
    """The declared types of the fields of named tuples."""
    return {
        name: str(getattr(declared, "__forward_arg__", "") or getattr(declared, "__name__", ""))
        for name, declared in tuples.__annotations__.items()
    }


def components(kind: Kind) -> tuple[str, ...]:
    """The types of a value's parts."""
    if isinstance(kind, Scalar):
        return (kind.type,)
    if isinstance(kind, Array):
        return ("ptr", *["i64"] * kind.rank)
    return ("ptr",) if kind.framed else tuple(part for each in kind.kinds for part in components(each))


def words(kind: Kind) -> int:
    """How many words a value takes in a table."""
    if isinstance(kind, TupleKind):
        return sum(words(each) for each in kind.kinds)
    return 1 + kind.rank if isinstance(kind, Array) else 1


def outlives(kind: Kind) -> bool:
    """May a function return it?"""
    if isinstance(kind, TupleKind):
        return all(outlives(each) for each in kind.kinds)
    return not (isinstance(kind, Array) and kind.made)


def told(kind: Kind) -> str:
    """A kind in words."""
    if isinstance(kind, Scalar):
        return kind.word
    return f"array of {kind.element.word}, {kind.rank} axes" if isinstance(kind, Array) else kind.name
