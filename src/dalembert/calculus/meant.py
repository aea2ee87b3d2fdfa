"""A formula where a number is wanted: what it is at the values of its parameters, told by the refusal."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import sympy as sp

from ..errors import DalembertError, WrongType, as_given
from .graph import Graph, evaluate
from .language import read_text
from .quantity import is_quantity
from .read import read

_FOLLOWS = "; where a parameter varies, give the values of both as the columns of a table"


def refuse_formula(
    name: str,
    given: object,
    symbols: Mapping[str, sp.Symbol],
    numbers: Mapping[str, float | None],
    unit: Callable[[sp.Expr], str],
) -> None:
    """Refuse a start value that is a formula in parameters; everything else is left to who reads values.

    Args:
        name: what the value is for.
        given: the value.
        symbols: the parameters that occur in the system, by name.
        numbers: values of parameters in base SI, of those that have one.
        unit: the unit of an expression in base SI, "" where it is a number or not known.

    Raises:
        WrongType: E204, a formula; the remedy is its number.
    """
    if not isinstance(given, str) or is_quantity(given):
        return
    try:
        formula = read_text(given, {**{key: sp.Symbol(key, real=True) for key in numbers}, **symbols})
        known = {s.name: numbers[s.name] for s in formula.free_symbols}
        value = float(evaluate([read(formula, Graph())], known)[0])
        number = f"{value:.12g}" if abs(value) < float("inf") else ""
        shown = f'"{number} {of}"' if (of := unit(formula)) else number
    except (DalembertError, KeyError, TypeError):  # unknown names; without a value; not real
        return
    at = ", ".join(f"{key} = {known[key]:.6g}" for key in sorted(known))
    fact = f"{name} = {as_given(given)} is a formula, and a start is given in numbers"
    told = f"its number{f' at {at}' if at else ''}: {shown}" if number else "a number"
    raise WrongType("E204", fact, f"give {told}{_FOLLOWS if at else ''}")
