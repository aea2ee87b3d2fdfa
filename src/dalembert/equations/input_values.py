"""Inputs at one instant: numbers by name, which take their places among the values of parameters."""

from __future__ import annotations

from collections.abc import Mapping
from numbers import Real
from typing import TYPE_CHECKING

from ..argument_checks import mapping, overriding
from ..calculus.quantity import is_quantity, quantity
from ..calculus.symbols import by_name
from ..errors import UnknownName, WrongType, as_given, did_you_mean
from ..errors.remedies import Option
from .start import Row

if TYPE_CHECKING:
    from . import Equations


NOMINAL = 1.0  # stands for an input without a value, on which nothing that is asked depends


def named(equations: Equations, inputs: Mapping[str, object]) -> dict[str, object]:
    """What is given by the names of inputs.

    Raises:
        WrongType: E182, it is not given by name.
        UnknownName: E181, a name that is no input's.
    """
    system = equations.system
    given = by_name(mapping(inputs, "inputs", "E182", Option("inputs", {"tau": 0.1})), "inputs")
    for name in given:
        if name not in system.inputs:
            is_parameter = name in {*system.parameters, *system.symbols}
            hint = Option("parameters", {name: ...}) if is_parameter else did_you_mean(str(name), system.inputs)
            raise UnknownName("E181", f"the system has no input {as_given(name)}", hint, subject=("inputs", str(name)))
    return given


def driven_in(equations: Equations, state: object) -> dict[str, float]:
    """What the inputs are in a row of a path, whose columns say it; of other states nothing is known."""
    columns = dict(state) if isinstance(state, Row) else {}  # type: ignore[call-overload]
    return {name: float(columns[name]) for name in equations.system.inputs if name in columns}


def with_inputs(
    equations: Equations,
    parameters: Mapping[str, object] | None,
    inputs: Mapping[str, object] | None,
    at: object = None,
) -> Mapping[str, object] | None:
    """Values of parameters with those of inputs, each a number or text with a unit; `at` a row of a path those it has.

    Raises:
        DalembertError: E181, E182 as of `named`; E203 to E207 for values.
        WrongType: E204, what changes with time, of which one value is wanted.
    """
    driven = driven_in(equations, at)
    if inputs is None and not driven:
        return parameters
    given = named(equations, {} if inputs is None else inputs)
    read = {name: quantity(of_one_instant(name, value), name) for name, value in given.items()}
    equations.system.fits({name: q.dimension for name, q in read.items() if q.dimension is not None}, "inputs")
    return {**driven, **overriding(parameters), **{name: q.value for name, q in read.items()}}


def of_one_instant(name: str, value: object) -> object:
    """E204: a table, a formula or a function where an input has one value."""
    formula = not is_quantity(value) if isinstance(value, str) else bool(getattr(value, "free_symbols", ()))
    changes = isinstance(value, tuple | list | Mapping) or getattr(value, "changes", False)
    if not (formula or changes or (callable(value) and not isinstance(value, Real))):
        return value
    fact = f"the input {name} is given by {as_given(value)}, and one value is wanted here: this is of one instant"
    remedy = "give its value: ", Option("inputs", {name: 0.1}), "; da.simulate and da.sensitivities take what changes"
    raise WrongType("E204", fact, remedy, subject=("inputs", name))


def unset(equations: Equations) -> dict[str, float]:
    """A value for each input, for what depends on none."""
    return dict.fromkeys(equations.system.inputs, NOMINAL)


def check_shaped(equations: Equations, values: Mapping[str, float]) -> None:
    """E180: an input without a value on which consistent states depend."""
    system = equations.system
    missing = [name for name in system.inputs if name not in values]
    for name in missing and system.shaping:
        if name in missing:
            raise UnknownName(
                "E180",
                f"no value for the input {name}: it stands in {system.shaping[name]}, so that the start depends on it",
                ("give ", Option("inputs", {name: 0.0})),
                subject=("inputs", name),
            )
