"""What a residual counts against: the size of the constraint's own terms."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ..calculus.graph import Node, evaluate, gradient
from .form import MachineForm

FLOOR = 1e-6  # of |dphi/dx| |x|: a constraint whose terms all vanish is still only known to rounding


def scales(
    machine: MachineForm, rows: Sequence[Node], variables: Sequence[Any], values: Mapping[str, Any]
) -> list[float]:
    """The size of each row's terms, at its largest where `values` are arrays.

    That is sum |term| over the summands as the user wrote them, so that (x - 1000)^2 + y^2 - 1 is of size 1 on its
    circle; for a row with one term, |dphi/dx| |x|.

    Args:
        machine: the equations.
        rows: constraints on velocities or positions.
        variables: their velocities or coordinates.
        values: numbers or arrays by symbol.
    """
    if not rows:
        return []
    xs = [machine.graph.symbol(v.name) for v in variables]
    parts = [nodes for row in rows for nodes in (gradient(row, xs), machine.terms[row])]
    numbers = iter(evaluate([node for nodes in parts for node in nodes], values))
    found = [[np.abs(next(numbers)) for _ in nodes] for nodes in parts]
    largest = max((float(np.abs(values[x.key[1]]).max()) for x in xs), default=0.0)
    return [_size(slopes, terms, largest) for slopes, terms in zip(found[::2], found[1::2], strict=True)]


def _size(slopes: Sequence[Any], terms: Sequence[Any], largest: float) -> float:
    steepest = max((float(np.max(s)) for s in slopes), default=0.0)
    if len(terms) == 1:
        return steepest * largest
    return max(float(np.max(sum(terms))), FLOOR * steepest * largest)
