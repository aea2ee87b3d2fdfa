"""What is found once for each part of expressions, which those that follow share: parts are known by what they are.

SymPy compares equal expressions part by part, down to their symbols, whenever they are not the same object; a table in
which expressions are looked up as keys pays for that, as soon as a system is made anew.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Generic, TypeVar

import sympy as sp

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
