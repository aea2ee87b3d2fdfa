"""The result as an xarray Dataset: variables over the axes of the grid, from memory or, where large, from the store."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ...errors import Note
from ...trajectory.audit import MEANINGS
from . import fingerprint, member_audit
from .kept_columns import Variable
from .parameter_grid import MEMBER
from .store import Store
from .task import Batch, Task

if TYPE_CHECKING:
    import xarray as xr

IN_MEMORY = 2**26  # bytes of a result that is read whole


def of_memory(task: Task, arrays: Batch, notes: Mapping[str, object]) -> xr.Dataset:
    """The Dataset of arrays over all members (K, ...)."""
    checksum = fingerprint.of_result((v.name, [arrays[v.name]]) for v in task.variables)
    return _dataset(task, {name: array.reshape(_shape(task, array)) for name, array in arrays.items()}, notes, checksum)


def of_store(task: Task, store: Store, notes: Mapping[str, object]) -> xr.Dataset:
    """The Dataset of a finished store; in chunks that are read when they are needed, if it is large."""
    import dask.array

    stored, told, batch = store.arrays, {**notes, "store": str(store.path)}, store.batch
    if task.bytes * task.total <= IN_MEMORY:
        return of_memory(task, {name: np.asarray(array[:]) for name, array in stored.items()}, told)
    steps = range(0, task.total, batch)
    checksum = fingerprint.of_result(
        (name, (np.asarray(array[i : i + batch]) for i in steps)) for name, array in stored.items()
    )
    lazy = {name: dask.array.from_array(array, chunks=array.chunks) for name, array in stored.items()}
    return _dataset(task, {name: array.reshape(_shape(task, array)) for name, array in lazy.items()}, told, checksum)


def _shape(task: Task, array: Any) -> tuple[int, ...]:
    return (*task.given.grid.shape, *array.shape[1:])


def _dataset(task: Task, arrays: Mapping[str, object], notes: Mapping[str, object], checksum: str) -> xr.Dataset:
    import xarray as xr

    axes = task.given.grid.axes
    dims = tuple(axis.dim for axis in axes)
    unit = _units(task)
    coordinates: dict[str, Any] = {}
    for axis in axes:
        for name, label in axis.labels.items():
            coordinates[name] = (axis.dim, label, unit.get(name, {}))
        if axis.dim == MEMBER:
            coordinates.setdefault(MEMBER, (MEMBER, np.arange(len(axis))))
    if task.ensemble.times is not None:
        coordinates["time"] = ("time", task.ensemble.times)
    variables = {v.name: ((*dims, *v.dims), arrays[v.name], _attributes(v)) for v in task.variables}
    return xr.Dataset(variables, coordinates, {**notes, "checksum": checksum})


def _units(task: Task) -> dict[str, dict[str, str]]:
    """Attributes of the axes, by name of the coordinate."""
    system = task.equations.system
    symbols = {**{s.name: s for s in task.equations.space}, **system.symbols}
    found: dict[str, dict[str, str]] = {}
    for axis in task.given.grid.axes:
        for label, name in zip(axis.labels, axis.columns, strict=False):
            unit = system.unit(symbols[name]) if name in symbols else ""
            found |= {label: {"units": unit}} if unit else {}
    return found


def _attributes(variable: Variable) -> dict[str, Any]:
    found: dict[str, Any] = {"long_name": variable.text} if variable.text else {}
    found |= {"units": variable.unit} if variable.unit else {}
    if variable.name == "outcome":
        found |= member_audit.flags(MEANINGS)
    if variable.name == "verdict":
        found |= member_audit.flags(member_audit.VERDICTS)
    return found


def notes(task: Task) -> dict[str, str]:
    """Attributes of the result: who says so, with which options and versions; texts, so that any file holds them."""
    equations, shared, grid = task.equations, task.ensemble, task.given.grid
    known = {k: v for k, v in {**equations.system.parameters, **grid.constants}.items() if k not in grid.varied}
    return {
        "title": equations.system.title,
        "cite": json.dumps(list(equations.system.cite)),
        "principle": equations.principle,
        "multipliers": json.dumps([symbol.name for symbol in equations.multipliers]),
        "t0": repr(shared.t0),
        "until": repr(shared.until),
        "start": json.dumps(task.given.shown),
        "parameters": json.dumps({k: v for k, v in known.items() if k in equations.system.parameters}),
        "options": json.dumps(fingerprint.options(shared.policy)),
        "seed": str(task.seed),
        **doubts(task, ()),
        "versions": json.dumps(fingerprint.versions()),
        "machine": fingerprint.machine(),
    }


def doubts(task: Task, of_runs: Sequence[Note]) -> dict[str, str]:
    """Attributes of the result: what is doubted of the members, and of their runs."""
    return {"notes": json.dumps([str(note) for note in (*task.given.notes, *of_runs)])}
