"""A system of the gallery whose numbers are in other units, with all its numbers in base SI.

A quantity of dimension m^a kg^b s^c is x^a y^b times its number, x metres and y kilograms being the units of the file.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction

from ..calculus.frame import TIME
from ..calculus.quantity import Dimension, quantity
from ..model.system import System
from ..study.study import Study
from ..study.writing.system_tables import Expressions, pictures
from . import gallery

_DIGITS = 15


def in_base_units(name: str, variant: str | None = None) -> Study:
    """`gallery.study` with all numbers in base SI, whatever the units of the gallery's file; errors as there.

    Parameters that follow from others by the formulas of the file are written so.
    """
    found, units = gallery.study(name, variant), getattr(gallery.module(name), "UNITS", None)
    found = in_si(found, units) if units else found
    return replace(found, derived=gallery.formulas_of(name, found.system))


def in_si(study: Study, units: Mapping[str, str]) -> Study:
    """The study in base SI.

    Args:
        study: whose numbers are in other units.
        units: in which unit some of its symbols are, ``{"x": "cm", "m": "g"}``; it says the units of all.
    """
    base = {name: str(quantity(f"1 {unit}", name).dimension) for name, unit in units.items()}
    scale = _scale(study.system.changed(units=base), units)
    values = {name: _each(scale(name), value) for name, value in study.system.parameters.items()}
    ranges = {name: tuple(map(scale(name), ends)) for name, ends in study.system.explore.ranges.items()}
    length = scale(next(name for name in units if name in study.system.space.by_name))
    shapes = [{key: _each(length, value) for key, value in body.items()} for body in _tables(study.system)]
    system = study.system.changed(
        parameters=values, units=base, bodies=shapes, explore={**_others(study.system), "ranges": ranges}
    )

    def scaled(given: Mapping[str, object]) -> dict[str, object]:
        return {name: _each(scale(name), value) for name, value in given.items()}

    runs = tuple(replace(run, start=scaled(run.start)) for run in study.runs)
    compares = tuple(replace(entry, start=scaled(entry.start)) for entry in study.compares)
    sweeps = tuple(replace(s, start=scaled(s.start), parameters=scaled(s.parameters)) for s in study.sweeps)
    return replace(study, system=system, runs=runs, compares=compares, sweeps=sweeps)


def _tables(system: System) -> Sequence[Mapping[str, object]]:
    """Bodies as a file has them; the numbers in them are lengths."""
    own = [*system.space, TIME, *system.symbols.values(), *(c.multiplier for c in system.constraints)]
    found = pictures(system, Expressions(own, ()))["body"]
    return found if isinstance(found, list) else []


def _others(system: System) -> dict[str, object]:
    return {} if system.explore.until is None else {"until": system.explore.until}


Scale = Callable[[float], float]


def _scale(system: System, units: Mapping[str, str]) -> Callable[[str], Scale]:
    """By the name of a symbol, what makes its numbers base SI."""
    factors: dict[str, float] = {}
    for name, unit in units.items():
        one = quantity(f"1 {unit}", name)
        factors |= {base: one.value for base, _ in _powers(one.dimension)}
    own = {**system.symbols, **system.space.by_name, **{c.multiplier.name: c.multiplier for c in system.constraints}}

    def scale(name: str) -> Scale:
        unit = system.unit(own[name]) if name in own else ""
        powers = _powers(quantity(f"1 {unit}", name).dimension if unit else None)
        factor = math.prod(factors.get(base, 1.0) ** float(power) for base, power in powers)
        return lambda value: value if factor == 1.0 else float(f"{value * factor:.{_DIGITS}g}")

    return scale


def _powers(dimension: Dimension | None) -> tuple[tuple[str, Fraction], ...]:
    return () if dimension is None else dimension.powers


def _each(scale: Scale, value: object) -> object:
    """Numbers, and those in lists; text stays as it is."""
    if isinstance(value, list | tuple):
        return type(value)(_each(scale, v) for v in value)
    return scale(value) if isinstance(value, int | float) and not isinstance(value, bool) else value
