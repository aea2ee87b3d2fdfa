"""Inputs that are numbers in all runs, as parameters: a page has sliders for them, and a family may change one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import partial
from typing import TypeVar

from ..calculus.quantity import is_quantity, quantity
from ..errors import InvalidValue
from ..model.defined import again
from ..model.system import System
from ..study.study import CompareSpec, RunSpec, Study

_Spec = TypeVar("_Spec", RunSpec, CompareSpec)


def held(study: Study, asked: str, own: Mapping[str, object] | None = None) -> Study:
    """The study with parameters in place of inputs; `own` are values beside the one start that is asked for.

    Raises:
        InvalidValue: E307, an input that changes with time or has no value; E207, a unit that does not fit.
    """
    if not study.system.inputs:
        return study
    specs: list[RunSpec | CompareSpec] = [*study.compares, *study.runs]
    first = {**(specs[0].inputs if specs else study.inputs), **(own or {})}
    _check(study, first, asked, f" in {specs[0].name}" if specs else "")
    for spec in specs if own is None else ():
        _check(study, spec.inputs, asked, f" in {spec.name}")
    values = {name: quantity(first[name], name).value for name in study.system.inputs if name in study.system.symbols}
    return replace(
        study,
        system=_steady(study.system, first),
        runs=tuple(map(_moved, study.runs)),
        compares=tuple(map(_moved, study.compares)),
        inputs={},
        constants={**study.constants, **values},
        written={**study.written, **first},
        built=None if study.built is None else partial(_rebuilt, study, asked, own),
        others={},
    )


def _rebuilt(study: Study, asked: str, own: Mapping[str, object] | None, freed: Iterable[str]) -> Study:
    """The study built anew with parameters of their own, and held again."""
    assert study.built is not None
    return held(replace(study, system=study.built(freed).system), asked, own)


def _steady(system: System, values: Mapping[str, object]) -> System:
    """The system with parameters in place of its inputs; those that it does not use are left out."""
    used = {name: values[name] for name in system.inputs if name in system.symbols}
    for name, value in used.items():
        dimension = quantity(value, name).dimension
        system.fits({} if dimension is None else {name: dimension}, "inputs")
    return system.changed(inputs=(), parameters={**system.parameters, **again(system.defined), **used})


def _moved(spec: _Spec) -> _Spec:
    """The entry with its inputs among its parameters."""
    return replace(spec, parameters={**spec.parameters, **spec.inputs}, inputs={})


def _check(study: Study, given: Mapping[str, object], asked: str, where: str) -> None:
    """E307: an input that is no number."""
    for name in study.system.inputs:
        value = given.get(name)
        number = isinstance(value, int | float) or (isinstance(value, str) and is_quantity(value))
        if name in study.system.symbols and not number:
            how = "has no value" if value is None else "changes with time"
            fact = f"{asked} takes inputs that are numbers, and {name} {how}{where}"
            raise InvalidValue("E307", fact, f"give it a number: {name} = 0.1")
