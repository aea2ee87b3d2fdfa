"""Plausibility checks of given numbers: angles in degrees, frequencies in hertz, formulas where numbers are wanted.

Angles in radians are the symbols that stand alone in the argument of a sine.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping

import numpy as np
import sympy as sp

from ..errors import DalembertError, WrongType, as_given
from .from_sympy import read
from .graph import Graph, evaluate
from .quantity import is_quantity, quantity

_TRIGONOMETRIC = (sp.sin, sp.cos, sp.tan, sp.cot, sp.sec, sp.csc)
MANY_TURNS = 4 * math.pi


def like_degrees(value: float, given: object) -> bool:
    """Is an angle in radians two turns or more, or given as a whole number above one turn, as 10 is?"""
    return abs(value) > MANY_TURNS or (isinstance(given, int | np.integer) and abs(value) > MANY_TURNS / 2)


def angles_in(expressions: Iterable[sp.Basic]) -> set[str]:
    """Names of x where sin(x), cos(2*x + y), ... occur, but not of k and x in sin(k*x): these are no angles."""
    found: set[str] = set()
    for f in _held(expressions, _TRIGONOMETRIC):
        for term in sp.Add.make_args(f.args[0]):  # numbers are multiplied in, and k*(x + y) holds no angle
            _, factor = term.as_coeff_Mul()
            found |= {factor.name} if isinstance(factor, sp.Symbol) else set()
    return found


def _held(expressions: Iterable[sp.Basic], kinds: type | tuple[type, ...]) -> Iterator[sp.Basic]:
    """Parts of these kinds; what stands in many places is entered once, where `Basic.atoms` enters it at each."""
    waiting, seen = list(expressions), dict[int, sp.Basic]()
    while waiting:
        e = waiting.pop()
        if isinstance(e, kinds):
            yield e
        new = {id(part): part for part in e.args if id(part) not in seen}
        seen |= new
        waiting += new.values()


def cyclic(name: str, expressions: Iterable[sp.Basic]) -> bool:
    """Does pi stand beside it in a product, as in sin(2*pi*f*t): is it a frequency in cycles?"""
    factors = (product.as_powers_dict() for product in _held(expressions, sp.Mul))
    return any(sp.pi in each and name in {s.name for s in each if isinstance(s, sp.Symbol)} for each in factors)


def hertz(name: str, given: str) -> str:
    """W211 in words: 1 Hz is 1/s, and as an angular velocity 1 rad/s, which is a turn in 6.28 s."""
    number = f"{quantity(given, name).value:g}"
    return (
        f"{name} = {as_given(given.strip())} is {number} rad/s where it is an angular velocity, a turn being 2 pi: "
        f'write {name}="{number} turn/s" for turns in a second, or {name}="{number} rad/s" if it is so'
    )


def in_degrees(expressions: Iterable[sp.Basic]) -> list[str]:
    """W209 in words for sines of written numbers above a turn: sin(30) was probably meant in degrees."""
    found = {f: abs(f.args[0]) for f in _held(expressions, _TRIGONOMETRIC) if f.args[0].is_Number}
    return [
        f"{f} is of {f.args[0]} rad, {float(size) / (2 * math.pi):.3g} turns: did you mean degrees? "
        f"write {f.func(sp.Symbol(f'{f.args[0]}*pi/180'))}"
        for f, size in sorted(found.items(), key=str)
        if size > 2 * math.pi
    ]


def turns(name: str, value: float) -> str:
    """W209 in words: an angle of many turns was probably meant in degrees."""
    return (
        f"{name} = {value:g} rad is {value / (MANY_TURNS / 2):.3g} turns: did you mean {value:g} degrees? "
        f'write {name}="{value:g} deg", or {name}="{value:g} rad" if it is so'
    )


# --- formulas where numbers are wanted --------------------------------------------------------------------------------

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
    from .language.from_text import read_text

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
