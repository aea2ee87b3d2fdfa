"""Parameters that are given by a formula in others, I = 2/5 m r^2: the system is written in these others."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import sympy as sp

from ..calculus.quantity import is_formula
from ..errors import InvalidValue, UnknownName, as_given
from .names import key_name

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
    """Text with signs in it; of SymPy what is made of parameters, a symbol alone being none."""
    if isinstance(given, sp.Expr):
        names = {s.name for s in given.free_symbols if isinstance(s, sp.Symbol)}
        return bool(names) and names <= own and not given.is_Symbol
    return isinstance(given, str) and is_formula(given)


def again(defined: Mapping[str, sp.Expr]) -> dict[str, str | sp.Expr]:
    """The formulas, to be given to another system."""
    return {name: formula if formula.free_symbols else str(formula) for name, formula in defined.items()}


def refuse_given(defined: Mapping[str, sp.Expr], override: object) -> None:
    """E202: a value for a parameter that was defined by a formula."""
    for key in override if isinstance(override, Mapping) else ():
        name = key_name(key)
        if name in defined:
            given = ", ".join(sorted(s.name for s in defined[name].free_symbols))
            fact = f"{name} follows from {given}: {name} = {defined[name]}"
            raise UnknownName("E202", fact, f"give {given}; or make the system with a value for {name}")


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
