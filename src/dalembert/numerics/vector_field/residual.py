"""Residuals of the constraints along a path."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from ...calculus.graph import Node
from ...equations.form import MachineForm
from ...equations.scale import measured, scales
from .field import Field

_TOGETHER = 100_000  # rows times states that are evaluated at once: they share what they have in common


def residuals(field: Field, t: np.ndarray, full: np.ndarray) -> tuple[list[float], list[float]]:
    """Per constraint: largest |phi| (|f| too, where it is holonomic), and the same over the size of the row's terms."""
    machine, space, values = field.equations.machine, field.equations.space, field.known(t, full)
    held, many = sorted(machine.position), 1 + _TOGETHER // len(t)
    speeds = {u.name: float(np.max(np.abs(values[u.name]))) for u in space.velocities}
    ways = {q.name: float(np.ptp(values[q.name])) for q in space.coordinates}
    absolute, relative = _sizes(machine, machine.phi, space.velocities, values, many, speeds)
    places = _sizes(machine, [machine.position[i] for i in held], space.coordinates, values, many, ways)
    for i, size, share in zip(held, *places, strict=True):
        absolute[i], relative[i] = max(absolute[i], size), max(relative[i], share)
    return absolute, relative


def _sizes(
    machine: MachineForm,
    rows: Sequence[Node],
    over: Sequence[object],
    values: Mapping[str, object],
    many: int,
    extents: Mapping[str, float],
) -> tuple[list[float], list[float]]:
    """The largest value of each row, and the same over the size of its terms; `many` rows at a time."""
    absolute, relative = list[float](), list[float]()
    for first in range(0, len(rows), many):
        some = rows[first : first + many]
        sizes, units = measured(machine, some, over, values, extents)
        absolute += sizes
        relative += [size / (unit or 1.0) for size, unit in zip(sizes, units, strict=True)]
    return absolute, relative


def row_units(field: Field, t: float, full: np.ndarray) -> list[float]:
    """Size of the terms of each constraint at one full row; infinite where all are 0."""
    machine, values = field.equations.machine, field.known(t, full)
    return [size or np.inf for size in scales(machine, machine.phi, field.equations.space.velocities, values)]
