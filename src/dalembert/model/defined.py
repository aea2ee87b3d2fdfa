"""Parameters that are given by a formula in others, I = 2/5 m r^2: the system is written in these others."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import sympy as sp

from ..calculus.graph import Graph, evaluate
from ..calculus.quantity import is_formula, quantity
from ..calculus.read import read
from ..errors import InvalidValue, UnknownName, as_given
from .names import key_name

_SAME = 1e-9  # of a value: a number that was printed is still the one that follows
Formulas = Mapping[str, str | sp.Expr]


def without_formulas(parameters: object) -> Any:
    """Parameters that are given by values; what is no mapping stays as it is."""
    if not isinstance(parameters, Mapping):
        return parameters
    own = _names(parameters)
    return {key: value for key, value in parameters.items() if not _is_formula(value, own)}


def formulas_in(parameters: object) -> dict[str, str | sp.Expr]:
    """Parameters that are given by formulas: text or an expression in others."""
    if not isinstance(parameters, Mapping):
        return {}
    own = _names(parameters)
    return {key_name(key): value for key, value in parameters.items() if _is_formula(value, own)}


def _names(parameters: Mapping[object, object]) -> set[str]:
    return {str(getattr(key, "name", key)) for key in parameters}


def _is_formula(given: object, own: set[str]) -> bool:
    """Text with signs in it; of SymPy what is made of parameters."""
    if isinstance(given, sp.Expr):
        names = {s.name for s in given.free_symbols if isinstance(s, sp.Symbol)}
        return bool(names) and names <= own
    return isinstance(given, str) and is_formula(given)


def again(defined: Mapping[str, sp.Expr]) -> dict[str, str | sp.Expr]:
    """The formulas, to be given to another system."""
    return {name: formula if formula.free_symbols else str(formula) for name, formula in defined.items()}


def values_of(defined: Mapping[str, sp.Expr], known: Mapping[str, float]) -> dict[str, float]:
    """The values of names that are given by formulas, of those whose parameters all have a value."""
    whole = {n: e for n, e in defined.items() if {s.name for s in e.free_symbols} <= known.keys()}
    graph = Graph()
    found = evaluate([read(e, graph) for e in whole.values()], known) if whole else ()
    return {name: float(value) for name, value in zip(whole, found, strict=True)}


def without_defined(defined: Mapping[str, sp.Expr], override: object) -> tuple[Any, dict[str, object]]:
    """Values of parameters, and those that are given for names that stand for formulas."""
    if not defined or not isinstance(override, Mapping):
        return override, {}
    also = {key_name(key): value for key, value in override.items() if key_name(key) in defined}
    return {key: value for key, value in override.items() if key_name(key) not in defined}, also


def refuse_other(defined: Mapping[str, sp.Expr], given: Mapping[str, object], known: Mapping[str, float]) -> None:
    """E202: another value for a parameter than that which follows from its formula."""
    follow = values_of(defined, known) if given else {}
    for name, value in given.items():
        own = follow.get(name)
        if own is None or not math.isclose(quantity(value, name).value, own, rel_tol=_SAME):
            names = ", ".join(sorted(s.name for s in defined[name].free_symbols))
            fact = f"{name} follows from {names}: {name} = {defined[name]}"
            free = f'the system of a file: da.read(FILE).freed(["{name}"]).system'
            raise UnknownName("E202", fact, f"give {names}; or make the system with a value for {name}, {free}")


def check_constant(name: str, formula: sp.Expr, moving: Mapping[str, object]) -> sp.Expr:
    """E103: a formula that holds what moves."""
    for symbol in formula.free_symbols:
        if symbol.name in moving:
            fact = f"{name} = {formula} is no parameter: {symbol.name} moves"
            raise InvalidValue("E103", fact, f"write it where {name} stands: in L, a constraint or a force")
    return formula


def cycle(names: tuple[str, ...]) -> InvalidValue:
    """E210: formulas that need each other."""
    fact = f"the parameter {names[0]} is defined by itself: {' -> '.join(names)}"
    return InvalidValue("E210", fact, f"give a value for {as_given(names[0])}")
