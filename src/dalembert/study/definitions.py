"""Subexpressions with names: ``[definitions]``, and the parts of ``[lagrangian]`` besides L."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import sympy as sp

from ..calculus.symbols import free_symbols
from ..errors import InvalidValue, as_given
from ..errors.alike import apart, shape
from ..model.names import check_name, taken
from .places import Path
from .texts import Texts, cycle_error, in_order

_MARK = "a definition"


def define(texts: Texts, given: Mapping[Path, Any], found: dict[str, sp.Expr]) -> set[str]:
    """Put the expressions of definitions, given by their paths, into `found`; the names of those that others use.

    Each may use the others and their rates, in whatever order. Afterwards `texts` knows them all.
    """
    collector, names = texts.collector, {str(path[-1]): path for path in given}
    for path in given:
        name = str(path[-1])
        with collector.watch(path, key=True):
            taken(check_name(name, _MARK), _MARK)
            if name in texts.names or names[name] != path:
                raise InvalidValue(
                    "E103", f"{as_given(name)} is already the name of something else", "rename the definition"
                )
    alike = {shape(name): name for name in texts.names}
    for name, path in names.items():
        other = alike.setdefault(shape(name), name)
        if other != name:
            fact = f"{name} and {other} look alike: {apart(name, other)}"
            collector.add(InvalidValue("E102", fact, "rename one of them"), path, key=True)
    # read with symbols in the place of definitions first, to see which needs which
    stand_ins = {name: sp.Symbol(name, real=True) for name in names if name not in texts.names}
    first = Texts(collector, {**texts.names, **stand_ins}, {**texts.rates, **stand_ins}, texts.parameters)
    drafts = {name: first.read(given[path], path, name) for name, path in names.items()}
    whole = {name: e for name, e in drafts.items() if e is not None}
    uses = {name: {s.name for s in free_symbols(e)} & stand_ins.keys() for name, e in whole.items()}
    order, cycles = in_order(whole, uses)
    for cycle in cycles:
        collector.add(cycle_error(cycle, "definition"), names[cycle[0]])
    for name in order:
        e = texts.read(given[names[name]], names[name], name)
        if e is not None and name in stand_ins:
            found[name] = texts.names[name] = e
    for name in names:  # so that what uses a refused one is not refused as well
        texts.names.setdefault(name, stand_ins.get(name, sp.Symbol(name, real=True)))
    return set().union(*uses.values())


def mentioned(name: str, texts: list[Any]) -> bool:
    """Does the name occur in one of these texts?"""
    word = re.compile(rf"(?<!\w){re.escape(name)}(?!\w)")
    return any(isinstance(text, str) and word.search(text) for text in texts)
