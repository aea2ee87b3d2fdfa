"""Parameter values: finite real numbers, known by name, never defaulted."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from typing import Any, NamedTuple

import sympy as sp

from ..argument_checks import names, overriding
from ..calculus.from_sympy import read
from ..calculus.graph import Graph, evaluate
from ..calculus.quantity import Dimension, is_formula, number, quantity, scaled
from ..calculus.symbols import beyond_real, by_name, in_words, kept, kept_by
from ..errors import InvalidValue, Note, UnknownName, WrongType, as_given, closest, did_you_mean, warn
from ..errors.remedies import Option
from .names import check_name, key_name

# --- Parameters that are given by a formula in others, I = 2/5 m r^2: the system is written in these others ----------

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


_SIGNS = {
    "positive": ("positive", ">"),
    "nonnegative": ("at least 0", ">="),
    "negative": ("negative", "<"),
    "nonpositive": ("at most 0", "<="),
}
_REAL = 'sp.Symbol("{}", real=True)'


class GivenParameters(NamedTuple):
    """Parameter values by name (None: comes later), dimensions and texts of those given with a unit."""

    values: dict[str, float | None]
    dimensions: dict[str, Dimension]
    written: dict[str, str]


def check(name: str, value: object, symbol: sp.Symbol | None) -> float:
    """A parameter's value, which is what its symbol is assumed to be (E205 if not)."""
    result = number(value, name)
    if symbol is not None and beyond_real(symbol) and not kept_by(symbol, result):
        word, limit = _SIGNS.get(in_words(symbol), (in_words(symbol), ""))
        raise InvalidValue(
            "E205",
            f"{name} = {result:.12g} must be {word}",
            f"give {name} {limit} 0" if limit else f"another value, or declare {name} without it: {_REAL.format(name)}",
            f"its symbol was declared {word}",
        )
    return result


def interval(symbol: sp.Symbol) -> tuple[float, float]:
    """The numbers between which all are what the symbol is assumed to be.

    Raises:
        InvalidValue: E205, it is assumed to be of another kind, such as an integer.
    """
    above, below = (bool(kept(symbol, side)) for side in (math.pi, -math.pi))
    if not above and not below:
        fact = f"{symbol.name} must be {in_words(symbol)}, and a search takes any number"
        remedy = f"give it a value of its own, or declare it without that: {_REAL.format(symbol.name)}"
        raise InvalidValue("E205", fact, remedy, subject=("fit", "free"))
    return (-math.inf if below else 0.0), (math.inf if above else 0.0)


def given(parameters: Mapping[Any, Any] | None) -> GivenParameters:
    """Values by name, and the dimensions of those given with a unit; None declares a parameter whose value comes later.

    Args:
        parameters: ``{name or symbol: number, text with a unit, or None}``.
    """
    parameters = overriding(parameters)
    named = by_name(parameters, "parameters", _name)
    read = {k: quantity(v, k) for k, v in named.items() if v is not None}
    for key in parameters:  # SymPy may have simplified away a symbol that is known from here alone
        if isinstance(key, sp.Symbol) and _name(key.name) in read:
            check(key.name, read[_name(key.name)].value, key)
    dimensions = {k: q.dimension for k, q in read.items() if q.dimension is not None}
    written = {k: v for k, v in named.items() if isinstance(v, str)}
    return GivenParameters({k: read[k].value if k in read else None for k in named}, dimensions, written)


def parted(parameters: Mapping[Any, Any] | str) -> tuple[GivenParameters, dict[str, str | sp.Expr]]:
    """Parameters that are given by values, and those given by formulas in others; text names some without values."""
    if isinstance(parameters, str):
        if "=" in parameters or ":" in parameters:
            raise WrongType(
                "E204", f"parameters with values are a mapping, not {as_given(parameters)}", 'write {"m": 1.0}'
            )
        parameters = dict.fromkeys(names(parameters, "parameters", "E719", some=False))
    return given(without_formulas(parameters)), formulas_in(parameters)


def _name(name: object) -> str:
    if not isinstance(name, str):
        raise InvalidValue(
            "E719", f"{as_given(name)} is not the name of a parameter", "name parameters by text or symbol"
        )
    return check_name(name, "a parameter")


def complete(
    known: Mapping[str, float | None],
    override: Mapping[Any, Any] | None,
    needed: Mapping[str, sp.Symbol],
    used_in: Mapping[str, str],
    others: Collection[str] = (),
) -> dict[str, float]:
    """Values of all needed parameters, with overrides; `others` are names that one may have meant.

    Raises:
        UnknownName: E202 an override that nothing here bears; E201 a parameter without a value.
    """
    changes = given(override).values
    unknown = [k for k in changes if k not in known and k not in needed]
    missing = [k for k in needed if changes.get(k, known.get(k)) is None]
    if unknown:
        names = missing or {**needed, **known}
        raise UnknownName("E202", f"unknown parameter {as_given(unknown[0])}", did_you_mean(unknown[0], names))
    if missing:
        name = missing[0]
        valued = sorted({*known, *needed} - set(missing))
        near = [n for n in missing if n not in known and closest(n, others)]
        meant = [f"{n}: {did_you_mean(n, others)}\n" for n in near]
        raise UnknownName(
            "E201",
            f"no value for {', '.join(missing)} (used in {used_in.get(name, 'the system')})",
            (
                *(*meant, "give ", Option("parameters", {name: ...})),
                f"; if {name} is a coordinate or velocity, the space must declare it\n",
                f"parameters with a value: {', '.join(valued) or 'none'}",
            ),
            subject=("parameters", name),
        )
    values = {**known, **changes}
    return {k: check(k, values[k], needed.get(k)) for k in values if values[k] is not None}


def bare_notes(
    written: Mapping[str, str], before: Mapping[str, float | None], override: Mapping[str, float]
) -> list[Note]:
    """W210: a number without a unit that lies nearer to that before a declared unit than to its value in base SI."""
    notes = []
    for name, value in override.items():
        text, known = written.get(name, ""), before.get(name)
        if not known or not scaled(text):
            continue
        x, number_before = value / known, float(text.split(None, 1)[0]) / known
        if x > 0 and abs(math.log(x / number_before)) < min(abs(math.log(x)), abs(math.log(number_before)) / 2):
            unit = text.split(None, 1)[1]
            fact = (
                f"{name} = {value:g} has no unit and is taken in base SI, but {name} was declared as {as_given(text)}"
            )
            notes.append(warn("W210", f'{fact}: was "{value:g} {unit}" meant?', 6))
    return notes
