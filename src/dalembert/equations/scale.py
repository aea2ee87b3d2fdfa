"""What a residual counts against: the size of the constraint's own terms."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..calculus.graph import Node, evaluate
from ..calculus.slopes import Slopes
from .form import MachineForm

FLOOR = 1e-6  # of |dphi/dx| |x|: a constraint whose terms all vanish is still only known to rounding

NEAR, ROUNDING = 1e-13, 1e-14  # of the origin, where a row with one term has no size of its own; a rounding there


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
    slopes, written = Slopes(rows, xs), [node for row in rows for node in machine.terms[row]]
    few = [] if slopes.many else [e for row in slopes for e in row]
    numbers = iter(evaluate([*written, *few], values))
    terms = [[np.abs(next(numbers)) for _ in machine.terms[row]] for row in rows]
    largest = max((float(np.abs(values[x.key[1]]).max()) for x in xs), default=0.0)
    # the largest |dphi/dx| of each row
    if slopes.many:
        steepest = list(map(float, slopes.steepest(values)))
    else:
        steepest = [max((float(np.max(np.abs(next(numbers)))) for _ in row), default=0.0) for row in slopes]
    return [_size(*pair, largest) for pair in zip(steepest, terms, strict=True)]


def _size(steepest: float, terms: Sequence[np.ndarray], largest: float) -> float:
    if len(terms) == 1:
        return steepest * largest
    return max(float(np.max(sum(terms))), FLOOR * steepest * largest)


def is_rounding(residual: ArrayLike, slopes: Sequence[ArrayLike], coordinates: Sequence[ArrayLike]) -> np.ndarray:
    """Is a relation between positions kept but for a rounding of numbers of order 1, at the origin?

    All terms of z = 0 are z: where the other coordinates are 0 as well, nothing says what 5e-15 is small against.
    """
    near = [np.abs(np.asarray(x, float)) <= NEAR for x in coordinates]
    # |f| <= 1e-14 max |df/dx|
    kept = [np.abs(np.asarray(residual, float)) <= ROUNDING * np.abs(np.asarray(slope, float)) for slope in slopes]
    return np.asarray(np.logical_and.reduce(near) & np.logical_or.reduce(kept)) if near and kept else np.asarray(False)
