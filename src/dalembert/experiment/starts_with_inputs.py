"""Starts of runs with inputs: consistent states may depend on the values of the inputs there."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..equations import Equations, Start
from ..numerics.inputs.run_inputs import shaped_at


def start_with_inputs(
    equations: Equations,
    given: Mapping[str, Any],
    t: float,
    parameters: Mapping[str, object],
    inputs: Mapping[str, object] | None,
) -> Start:
    """The start of some values by name, for a run with inputs.

    Raises:
        DalembertError: what `Equations.start` raises, and E180 to E186 for inputs on which it depends.
    """
    at = None if inputs is None else shaped_at(equations, inputs, t, parameters)
    return equations.start(**given, t=t, parameters=parameters, inputs=at)
