"""What drives the inputs of an entry of a file: what the entry says, or else the file; columns are read too."""

from __future__ import annotations

import sympy as sp

from ..calculus.quantity import is_quantity
from ..equations import Equations
from ..errors import InvalidValue, about
from ..numerics.inputs.steering import settled, shaped_at
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
                ways = [
                    f"{name}=0,0.1 behind the command, or inputs = {{ {name} = [0, 0.1] }} in the [[sweep]]",
                    f"or run one member after the other: dalembert run FILE {_first(study)}",
                ]
                raise InvalidValue("E186", fact, "\n".join(ways))
    return found


def formulas(spec: SweepSpec) -> dict[str, object] | None:
    """Formulas that drive inputs of a sweep."""
    return {name: value for name, value in spec.inputs.items() if isinstance(value, sp.Expr)} or None


def _first(study: Study) -> str:
    """A parameter of the study with a value, as the command line takes it."""
    return next((f"{name}={value:g}" for name, value in study.system.parameters.items() if value), "NAME=VALUE")
