"""Reading the expressions of a file: the names they may hold, and refusals that point into the file's text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import sympy as sp

from ..calculus.language import TextError, find, read_text
from ..errors import DalembertError, InvalidValue, Place
from .places import Path
from .problems import Collector

Name = Mapping[str, sp.Expr]


class Texts:
    """Reads expressions in some names; problems go to the collector, and the expression then is None."""

    def __init__(self, collector: Collector, names: Name, rates: Name, parameters: Sequence[str] = ()) -> None:
        self.collector, self.names, self.rates, self.parameters = collector, dict(names), rates, parameters

    def read(self, given: Any, path: Path, where: str) -> sp.Expr | None:
        """One expression, from text or a number."""
        if not isinstance(given, str):
            return sp.Integer(given) if isinstance(given, int) else sp.Float(given)
        try:
            return read_text(given, self.names, self.rates, where=where, parameters=self.parameters)
        except DalembertError as error:
            self.collector.found.append(self._located(error, path))
            return None

    def place(self, e: sp.Expr, given: Mapping[Path, object]) -> Place | None:
        """Where in one of the texts that were read, by their paths, an expression stands, but for a number."""
        for path, text in given.items():
            found = find(e, text, self.names, self.rates, self.parameters) if isinstance(text, str) else None
            if found is not None:
                return self.collector.places.inside(path, *found)
        return None

    def all(self, given: Sequence[Any], path: Path, where: str) -> list[sp.Expr] | None:
        """Several expressions; None if one is refused."""
        return whole([self.read(entry, (*path, n), where) for n, entry in enumerate(given)])

    def by_name(self, given: Mapping[str, Any], path: Path, where: str) -> dict[str, sp.Expr]:
        """Expressions by name; those that are refused are left out."""
        found = {name: self.read(entry, (*path, name), f"{where} {name}".strip()) for name, entry in given.items()}
        return {name: e for name, e in found.items() if e is not None}

    def _located(self, error: DalembertError, path: Path) -> DalembertError:
        places = self.collector.places
        if not isinstance(error, TextError):
            return error.at(places.value(path))
        error.detail = ""  # the caret stands below the line of the file
        return error.at(places.inside(path, error.column, error.length))


def whole(found: Sequence[sp.Expr | None]) -> list[sp.Expr] | None:
    """The list, if nothing in it is missing."""
    kept = [e for e in found if e is not None]
    return kept if len(kept) == len(found) else None


def in_order(given: Mapping[str, Any], uses: Mapping[str, set[str]]) -> tuple[list[str], list[list[str]]]:
    """Names so that each comes after those it uses, and the cycles among them.

    Args:
        given: what is to be ordered, by name.
        uses: which of these names each uses.
    """
    order: list[str] = []
    left = dict.fromkeys(given)
    while True:
        ready = [name for name in left if not uses.get(name, set()) & left.keys()]
        if not ready:
            return order, _cycles(left, uses)
        for name in ready:
            del left[name]
        order += ready


def _cycles(left: Mapping[str, None], uses: Mapping[str, set[str]]) -> list[list[str]]:
    """The cycles among names of which each uses another; what only hangs on a cycle is left out."""
    found: list[list[str]] = []
    seen: set[str] = set()
    for name in left:
        way: list[str] = []
        while name not in seen:
            seen.add(name)
            way.append(name)
            name = min(uses[name] & left.keys())
        if name in way:
            found.append(way[way.index(name) :])
    return found


def cycle_error(cycle: Sequence[str], what: str) -> InvalidValue:
    """E210: definitions that need each other."""
    chain = " -> ".join([*cycle, cycle[0]])
    return InvalidValue(
        "E210", f"{what} {cycle[0]} is defined by itself: {chain}", "give one of them without the others"
    )
