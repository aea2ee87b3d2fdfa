"""What drives the inputs of an entry of a file: what the entry says, or else the file; columns are read too."""

from __future__ import annotations

from ..calculus.quantity import is_quantity
from ..equations import Equations
from ..errors import InvalidValue, about
from ..numerics.inputs.read import settled, shaped_at
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
    """Values of inputs, and axes of such, which a sweep takes among its parameters.

    Raises:
        InvalidValue: E186, one is driven by something else.
    """
    for name, value in spec.inputs.items():
        if not isinstance(value, int | float | tuple) and not (isinstance(value, str) and is_quantity(value)):
            with about("inputs", name):
                fact = f"the input {name} changes with time, and members of a sweep take numbers"
                raise InvalidValue("E186", fact, f"inputs = {{ {name} = 0.1 }} in the [[sweep]], or an axis of it")
    return dict(spec.inputs)
