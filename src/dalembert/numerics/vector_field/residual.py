"""Residuals of the constraints along a path."""

from __future__ import annotations

import numpy as np

from ...calculus.graph import evaluate
from ...equations.scale import scale
from .field import Field


def residuals(field: Field, t: np.ndarray, full: np.ndarray) -> tuple[list[float], list[float]]:
    """Per constraint: largest |phi| (|f| too, where it is holonomic), and the same over the size of the row's terms."""
    equations = field.equations
    machine, values = equations.machine, field.known(t, full)
    absolute, relative = [], []
    for i, phi in enumerate(machine.phi):
        rows = [(phi, equations.space.velocities)]
        rows += [(machine.position[i], equations.space.coordinates)] if i in machine.position else []
        sizes = [float(np.abs(evaluate([row], values)[0]).max()) for row, _ in rows]
        absolute.append(max(sizes))
        units = [scale(machine, row, over, values) or 1.0 for row, over in rows]
        relative.append(max(size / unit for size, unit in zip(sizes, units, strict=True)))
    return absolute, relative


def row_units(field: Field, t: float, full: np.ndarray) -> list[float]:
    """Size of the terms of each constraint at one full row; infinite where all are 0."""
    machine, values = field.equations.machine, field.known(t, full)
    sizes = (scale(machine, row, field.equations.space.velocities, values) for row in machine.phi)
    return [float(np.max(size)) or np.inf for size in sizes]
