"""Parameter values: finite real numbers, known by name, never defaulted."""

from __future__ import annotations

import math
from collections.abc import Mapping
from fractions import Fraction
from numbers import Real
from typing import Any

import sympy as sp

from ..errors import InvalidValue, UnknownName, WrongType, did_you_mean
from .names import check_name


def number(value: Any, name: str, what: str = "value") -> float:
    """The value as a float.

    Raises:
        WrongType: E204, text, bool, complex, or an array instead of a number.
        InvalidValue: E203, not finite.
    """
    if isinstance(value, sp.Expr) and value.is_number and value.is_real:
        value = float(value)
    if getattr(value, "shape", None) == () and hasattr(value, "item"):  # a NumPy scalar or 0-d array
        value = value.item()
    if isinstance(value, bool) or not isinstance(value, Real | Fraction):
        shown = f"{value!r:.40}"
        raise WrongType(
            "E204", f"{name} = {shown} is not a number but {type(value).__name__}", f"give the {what} as a number"
        )
    try:
        result = float(value)
    except OverflowError:
        result = math.inf
    if not math.isfinite(result):
        raise InvalidValue("E203", f"{name} = {result} is not a finite number", f"give a finite {what}")
    return result


def check(name: str, value: Any, symbol: sp.Symbol | None) -> float:
    """A parameter's value, of the sign its symbol promises (E205 if not)."""
    result = number(value, name, "parameter")
    if symbol is not None:
        for promised, kept, word in (
            (symbol.is_positive, result > 0, "positive"),
            (symbol.is_nonnegative, result >= 0, "at least 0"),
            (symbol.is_negative, result < 0, "negative"),
        ):
            if promised and not kept:
                raise InvalidValue("E205", f"{name} = {result:g} must be {word}", f"its symbol was declared {word}")
    return result


def given(parameters: Mapping[Any, Any]) -> dict[str, float | None]:
    """Values by name; None declares a parameter whose value comes later."""
    if not isinstance(parameters, Mapping):
        raise WrongType("E204", f"parameters must be a mapping, not {type(parameters).__name__}", 'write {"m": 1.0}')
    by_name = {check_name(getattr(k, "name", None) or str(k), "a parameter"): v for k, v in parameters.items()}
    return {k: None if v is None else number(v, k, "parameter") for k, v in by_name.items()}


def complete(
    known: Mapping[str, float | None],
    override: Mapping[Any, Any] | None,
    needed: Mapping[str, sp.Symbol],
    used_in: Mapping[str, str],
) -> dict[str, float]:
    """Values of all needed parameters, with overrides.

    Raises:
        UnknownName: E202 an override that nothing here bears; E201 a parameter without a value.
    """
    changes = given(override or {})
    unknown = [k for k in changes if k not in known and k not in needed]
    missing = [k for k in needed if changes.get(k, known.get(k)) is None]
    if unknown:
        names = missing or {**needed, **known}
        raise UnknownName("E202", f"unknown parameter {unknown[0]!r}", did_you_mean(unknown[0], names))
    if missing:
        name = missing[0]
        others = sorted({*known, *needed} - set(missing))
        raise UnknownName(
            "E201",
            f"no value for {', '.join(missing)} (used in {used_in.get(name, 'the system')})",
            f"give parameters={{{name!r}: ...}}; if {name} is a coordinate or velocity, the space must declare it\n"
            f"parameters with a value: {', '.join(others) or 'none'}",
        )
    values = {**known, **changes}
    return {k: check(k, values[k], needed.get(k)) for k in values if values[k] is not None}
