"""Residuals of the constraints along a path."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..calculus.graph import evaluate, gradient
from .field import Field


def residuals(field: Field, t: np.ndarray, y: np.ndarray) -> tuple[list[float], list[float]]:
    """Per constraint: largest |phi| (|f| too, where it is holonomic), and the same over the size of the row's terms."""
    equations = field.equations
    machine, values = equations.machine, field.values(t, y)
    absolute, relative = [], []
    for i, phi in enumerate(machine.phi):
        rows = [(phi, equations.space.velocities)]
        rows += [(machine.position[i], equations.space.coordinates)] if i in machine.position else []
        sizes = [_row(row, [machine.graph.symbol(s.name) for s in over], values, t) for row, over in rows]
        absolute.append(max(float(np.abs(r).max()) for r, _ in sizes))
        relative.append(max(float((np.abs(r) / s).max()) for r, s in sizes))
    return absolute, relative


def _row(row: Any, over: list[Any], values: dict[str, Any], t: np.ndarray) -> tuple[np.ndarray, Any]:
    """The row's values (N,), and their scale |dphi/dx| |x|, each at its largest along the path."""
    value, *slopes = evaluate([row, *gradient(row, over)], values)
    steepest = max((float(np.abs(s).max()) for s in slopes), default=0.0)
    largest = max((float(np.abs(values[x.key[1]]).max()) for x in over), default=0.0)
    return np.broadcast_to(np.asarray(value, float), t.shape), steepest * largest or 1.0
