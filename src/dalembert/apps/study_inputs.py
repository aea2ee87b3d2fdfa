"""Inputs of the entries of a file: what drives them in a run, and inputs that are numbers taken as parameters."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TypeVar

import sympy as sp

from ..calculus.quantity import is_quantity, quantity
from ..equations import Equations
from ..errors import DalembertWarning, InvalidValue, about
from ..model.system import System
from ..numerics.inputs.run_inputs import settled, shaped_at
from ..study.study import CompareSpec, FitSpec, RunSpec, Study, SweepSpec


def drives(study: Study, spec: RunSpec | CompareSpec | FitSpec) -> dict[str, object] | None:
    """The `inputs` of `simulate`; None where the system has none.

    Raises:
        DalembertError: E317, E501 to E547 for a file that holds a column; E182 where that is no table.
    """
    if not study.system.inputs:
        return None
    return settled(spec.question.runs.inputs or {} if isinstance(spec, FitSpec) else spec.inputs)


def at_start(equations: Equations, study: Study, spec: RunSpec | CompareSpec) -> dict[str, float] | None:
    """Values at the start of those inputs on which consistent states depend."""
    given = drives(study, spec)
    return None if given is None else shaped_at(equations, given, spec.t, spec.parameters)


def numbers(study: Study, spec: SweepSpec) -> dict[str, object]:
    """Values of inputs, and axes of such, which a sweep takes among its parameters; `formulas` drive the others.

    Raises:
        InvalidValue: E186, one is driven by something else.
    """
    found = {name: value for name, value in spec.inputs.items() if not isinstance(value, sp.Expr)}
    for name, value in found.items():
        if not isinstance(value, int | float | tuple) and not (isinstance(value, str) and is_quantity(value)):
            with about("inputs", name):
                fact = f"the input {name} is given by a table, and members of a sweep take numbers or a formula"
                # a parameter of the study with a value, as the command line takes it
                first_value = next(
                    (f"{name}={value:g}" for name, value in study.system.parameters.items() if value), "NAME=VALUE"
                )
                ways = [
                    f"{name}=0,0.1 behind the command, or inputs = {{ {name} = [0, 0.1] }} in the [[sweep]]",
                    f"or run one member after the other: dalembert run FILE {first_value}",
                ]
                raise InvalidValue("E186", fact, "\n".join(ways))
    return found


def formulas(spec: SweepSpec) -> dict[str, object] | None:
    """Formulas that drive inputs of a sweep."""
    return {name: value for name, value in spec.inputs.items() if isinstance(value, sp.Expr)} or None


# --- inputs as parameters --------------------------------------------------------------------------------------------
# Inputs that are numbers in all runs, as parameters: a page has sliders for them, and a family may change one.

_Spec = TypeVar("_Spec", RunSpec, CompareSpec)


@dataclass(frozen=True)
class _Values:
    """Values of inputs, who asks for numbers, and the entry from which they are, for messages."""

    asked: str
    given: Mapping[str, object]
    where: str = ""

    def changing(self, system: System) -> list[str]:
        """Inputs of the system that have no number here."""
        return [name for name in system.inputs if name in system.symbols and not _is_number(self.given.get(name))]

    def check(self, system: System) -> None:
        """E307: an input that is no number."""
        for name in self.changing(system):
            how = "has no value" if self.given.get(name) is None else "changes with time"
            fact = f"{self.asked} takes inputs that are numbers, and {name} {how}{self.where}"
            raise InvalidValue("E307", fact, f"give it a number: {name} = 0.1")


def inputs_as_parameters(study: Study, own: Mapping[str, object] | None = None) -> tuple[Study, list[str]]:
    """The study of a page, with parameters in place of inputs, and which entries it lost, in words.

    Runs and comparisons in which an input changes with time are left out, as long as one is left; `own` are values
    beside the one start that is asked for.

    Raises:
        InvalidValue: E307, an input that changes with time or has no value; E207, a unit that does not fit.
    """
    if own is not None:
        first = _first([*study.compares, *study.runs], study)
        return _held(study, replace(first, given={**first.given, **own})), []
    kept = replace(study, runs=_numeric(study.runs, study), compares=_numeric(study.compares, study))
    every: list[RunSpec | CompareSpec] = [*study.compares, *study.runs]
    entries: list[RunSpec | CompareSpec] = [*kept.compares, *kept.runs] or every
    lost = [(spec.name, _of(spec).changing(study.system)[0]) for spec in every if spec not in entries]
    told = [f"the start {entry} is left out: {name} changes with time" for entry, name in lost]
    return _held(kept, _first(entries, study)), told


def inputs_as_parameters_for_families(study: Study, given: Mapping[str, object]) -> Study:
    """The study of families, with parameters in place of inputs; `given` are values of the command line.

    A family begins as the first run; that of a ``[[family]]`` table has the values that the file gives for all runs,
    where these are numbers.

    Raises:
        InvalidValue: E307, an input that changes with time there or has no value; E207, a unit that does not fit.
    """
    first = replace(_first(study.runs or study.compares, study), asked="a family")
    own = {name: value for name, value in study.inputs.items() if study.families and _is_number(value)}
    own |= {name: value for name, value in given.items() if name in study.system.inputs}
    first = replace(first, given={**first.given, **own})
    runs = (*study.runs[:1], *_numeric(study.runs[1:], study))
    return _held(replace(study, runs=runs, compares=()), first)


def _held(study: Study, first: _Values) -> Study:
    """The study whose system has parameters with these values in place of its inputs."""
    if not study.system.inputs:
        return study
    first.check(study.system)
    names = [name for name in study.system.inputs if name in study.system.symbols]
    values = {name: quantity(first.given[name], name).value for name in names}
    return replace(
        study,
        system=_steady(study.system, first.given),
        runs=tuple(map(_moved, study.runs)),
        compares=tuple(map(_moved, study.compares)),
        inputs={},
        constants={**study.constants, **values},
        written={**study.written, **first.given},
        built=None if study.built is None else partial(_rebuilt, study, first),
        others={},
    )


def _rebuilt(study: Study, first: _Values, freed: Iterable[str]) -> Study:
    """The study built anew with parameters of their own, and held again."""
    assert study.built is not None
    return _held(replace(study, system=study.built(freed).system), first)


def _steady(system: System, values: Mapping[str, object]) -> System:
    """The system with parameters in place of its inputs; those that it does not use are left out.

    A parameter that stands in formulas of inputs alone is not doubted for being of no use here.
    """
    used = {name: values[name] for name in system.inputs if name in system.symbols}
    for name, value in used.items():
        dimension = quantity(value, name).dimension
        system.fits({} if dimension is None else {name: dimension}, "inputs")
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "W119", DalembertWarning)
        made = system.changed(inputs=(), parameters={**system.stated, **used})
    object.__setattr__(made, "notes", tuple(note for note in made.notes if note.code != "W119"))
    return made


def _of(spec: RunSpec | CompareSpec) -> _Values:
    """The values that an entry has on a page."""
    return _Values("a page", spec.inputs, f" in {spec.name}")


def _first(entries: Sequence[RunSpec | CompareSpec], study: Study) -> _Values:
    """The values of the first entry, or of the file where it has none."""
    return _of(entries[0]) if entries else _Values("a page", study.inputs)


def _numeric(specs: tuple[_Spec, ...], study: Study) -> tuple[_Spec, ...]:
    """The entries in which all inputs are numbers."""
    return tuple(spec for spec in specs if not _of(spec).changing(study.system))


def _moved(spec: _Spec) -> _Spec:
    """The entry with its inputs among its parameters."""
    numbers = {name: value for name, value in spec.inputs.items() if _is_number(value)}
    return replace(spec, parameters={**spec.parameters, **numbers}, inputs={})


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) or (isinstance(value, str) and is_quantity(value))
