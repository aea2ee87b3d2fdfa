"""Parameter values: finite real numbers, known by name, never defaulted."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import sympy as sp

from ..calculus.number import number
from ..errors import InvalidValue, UnknownName, WrongType, did_you_mean
from .names import check_name


def check(name: str, value: Any, symbol: sp.Symbol | None) -> float:
    """A parameter's value, of the sign its symbol promises (E205 if not)."""
    result = number(value, name)
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
    by_name = {_name(k): v for k, v in parameters.items()}
    return {k: None if v is None else number(v, k) for k, v in by_name.items()}


def _name(key: Any) -> str:
    name = getattr(key, "name", key)
    if not isinstance(name, str):
        raise InvalidValue("E719", f"{key!r:.40} is not the name of a parameter", "name parameters by text or symbol")
    return check_name(name, "a parameter")


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
