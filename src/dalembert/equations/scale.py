"""What a residual counts against: the size of the constraint's own terms."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ..calculus.graph import Node, evaluate, gradient
from .form import MachineForm

FLOOR = 1e-6  # of |dphi/dx| |x|: a constraint whose terms all vanish is still only known to rounding


def scale(machine: MachineForm, row: Node, variables: Sequence[Any], values: Mapping[str, Any]) -> float:
    """The size of a row's terms, at its largest where `values` are arrays.

    That is sum |term| over the summands as the user wrote them, so that (x - 1000)^2 + y^2 - 1 is of size 1 on its
    circle; for a row with one term, |dphi/dx| |x|.

    Args:
        machine: the equations.
        row: a constraint on velocities or positions.
        variables: its velocities or coordinates.
        values: numbers or arrays by symbol.
    """
    xs = [row.graph.symbol(v.name) for v in variables]
    steepest = max((float(np.abs(s).max()) for s in evaluate(gradient(row, xs), values)), default=0.0)
    largest = max((float(np.abs(values[x.key[1]]).max()) for x in xs), default=0.0)
    terms = machine.terms[row]
    if len(terms) == 1:
        return steepest * largest
    size = sum(np.abs(np.asarray(term)) for term in evaluate(terms, values))
    return max(float(np.max(size)), FLOOR * steepest * largest)
