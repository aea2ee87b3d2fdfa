"""What somebody gave, shown in a message: short, and without running code of theirs."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from itertools import islice
from typing import cast

WIDTH, MANY, DEEP, LARGEST = 72, 8, 3, 1000  # characters, parts of a list, lists in lists, parts of a formula
_PLAIN = (bool, int, float, complex, str, bytes, bytearray)  # what these and their heirs hold, they show by themselves
_TEXTS = (str, bytes, bytearray)
_EXACT = (type(None), Fraction, Decimal)  # and these, but not their heirs, whose text is the user's own
_BRACKETS: dict[type, str] = {list: "[]", tuple: "()", set: "{}", frozenset: "{}", dict: "{}"}


def as_given(thing: object) -> str:
    """Text, numbers, expressions and lists of them as they are written, anything else by the name of its type.

    No method of a foreign class is called: its text may be endless, raise, or be that of something else.
    """
    try:
        text = " ".join(_written(thing, DEEP).split())
    except Exception:  # a number of too many digits; what changes while it is read
        text = _kind(thing)
    return text if len(text) <= WIDTH else f"{text[: WIDTH - 4]} ..."


def _written(thing: object, depth: int) -> str:
    own = _at_home(thing)
    cls = type(own)
    for plain in _PLAIN:
        if issubclass(cls, plain):
            return plain.__repr__(cast(str, own)[: WIDTH + 1] if plain in _TEXTS else own)
    if cls in _EXACT:
        return str(own) if cls is Fraction else repr(own)
    if cls in _BRACKETS and depth:
        return _listed(cast(list[object], own), _BRACKETS[cls], depth)
    return str(own) if _home(cls) == "sympy" and _is_small(own) else _kind(own)


def _at_home(thing: object) -> object:
    """Numbers, texts and short arrays of NumPy as Python's own."""
    if _home(type(thing)) != "numpy" or not 0 <= getattr(thing, "size", -1) <= MANY:
        return thing
    found: object = getattr(thing, "tolist", lambda: thing)()
    return found if type(found) in (*_PLAIN, list) else thing


def _listed(parts: list[object] | dict[object, object], brackets: str, depth: int) -> str:
    if isinstance(parts, dict):
        shown = [f"{_written(k, depth - 1)}: {_written(v, depth - 1)}" for k, v in islice(parts.items(), MANY)]
    else:
        shown = [_written(part, depth - 1) for part in islice(parts, MANY)]
    shown += ["..."] * (len(parts) > MANY)
    lone = "," if brackets == "()" and len(parts) == 1 else ""
    return f"{brackets[0]}{', '.join(shown)}{lone}{brackets[1]}"


def _is_small(expression: object) -> bool:
    """Is it of SymPy throughout, and soon written?"""
    left, seen = [expression], 0
    while left:
        seen += 1
        part = left.pop()
        if seen > LARGEST or _home(type(part)) != "sympy":
            return False
        left += getattr(part, "args", ())
    return True


def _home(cls: type) -> str:
    """The package of a class; functions that SymPy makes have no module."""
    return str(type.__getattribute__(cls, "__module__") or "sympy").partition(".")[0]


def kind_of(thing: object) -> str:
    """The name of a thing's type; of a noun that of the noun, as equations are Equations, whatever their principle."""
    cls = type(thing)
    name = type.__getattribute__(cls, "__name__")
    return str(getattr(cls, "_noun", name) if _home(cls) == "dalembert" else name)


def _kind(thing: object) -> str:
    """The same, or its own name if it is a type."""
    own = issubclass(type(thing), type)
    return str(type.__getattribute__(cast(type, thing), "__name__")) if own else kind_of(thing)
