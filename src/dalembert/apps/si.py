"""A system of the gallery whose numbers are in other units, with all its numbers in base SI.

A quantity of dimension m^a kg^b s^c is x^a y^b times its number, x metres and y kilograms being the units of the file.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from ..calculus.frame import TIME
from ..calculus.quantity import quantity
from ..model.system import System
from ..study.study import Study
from ..study.writing.bodies import pictures
from ..study.writing.expressions import Expressions

_DIGITS = 15


def in_si(study: Study, units: Mapping[str, str]) -> Study:
    """The study in base SI.

    Args:
        study: whose numbers are in other units.
        units: in which unit some of its symbols are, ``{"x": "cm", "m": "g"}``; it says the units of all.
    """
    base = {name: str(quantity(f"1 {unit}", name).dimension) for name, unit in units.items()}
    scale = _scale(study.system.changed(units=base), units)
    values = {name: scale(name)(value) for name, value in study.system.parameters.items()}
    ranges = {name: tuple(map(scale(name), ends)) for name, ends in study.system.explore.ranges.items()}
    length = scale(next(name for name in units if name in study.system.space.by_name))
    shapes = [{key: _each(length, value) for key, value in body.items()} for body in _tables(study.system)]
    system = study.system.changed(
        parameters=values, units=base, bodies=shapes, explore={**_others(study.system), "ranges": ranges}
    )

    def scaled(given: Mapping[str, Any]) -> dict[str, Any]:
        return {name: _each(scale(name), value) for name, value in given.items()}

    runs = tuple(replace(run, start=scaled(run.start)) for run in study.runs)
    compares = tuple(replace(entry, start=scaled(entry.start)) for entry in study.compares)
    sweeps = tuple(replace(s, starts=scaled(s.starts), parameters=scaled(s.parameters)) for s in study.sweeps)
    return replace(study, system=system, runs=runs, compares=compares, sweeps=sweeps)


def _tables(system: System) -> list[dict[str, object]]:
    """Bodies as a file has them; the numbers in them are lengths."""
    own = [*system.space, TIME, *system.symbols.values(), *(c.multiplier for c in system.constraints)]
    found: Any = pictures(system, Expressions(own, ()))["body"]
    return list(found)


def _others(system: System) -> dict[str, Any]:
    return {} if system.explore.until is None else {"until": system.explore.until}


def _scale(system: System, units: Mapping[str, str]) -> Callable[[str], Callable[[Any], Any]]:
    """By the name of a symbol, what makes its numbers base SI."""
    factors: dict[str, float] = {}
    for name, unit in units.items():
        one = quantity(f"1 {unit}", name)
        ((base, _),) = one.dimension.powers if one.dimension else ()
        factors[base] = one.value
    own = {**system.symbols, **system.space.by_name, **{c.multiplier.name: c.multiplier for c in system.constraints}}

    def scale(name: str) -> Callable[[Any], Any]:
        unit = system.unit(own[name]) if name in own else ""
        powers = quantity(f"1 {unit}", name).dimension.powers if unit else ()
        factor = math.prod(factors.get(base, 1.0) ** float(power) for base, power in powers)
        return lambda value: value if factor == 1.0 or value is None else float(f"{value * factor:.{_DIGITS}g}")

    return scale


def _each(scale: Callable[[Any], Any], value: Any) -> Any:
    """Numbers, and those in lists; text stays as it is."""
    if isinstance(value, list | tuple):
        return type(value)(_each(scale, v) for v in value)
    return scale(value) if isinstance(value, int | float) and not isinstance(value, bool) else value
