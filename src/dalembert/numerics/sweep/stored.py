"""A finished sweep read from its folder alone: beside the results stand the axes, with names and units."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ...errors import InvalidValue, MissingFile
from ...trajectory.archive import Archive, as_path, opened, write
from . import store
from .packages import require

if TYPE_CHECKING:
    import xarray as xr

AXES = store.AXES


def keep_axes(path: Path, found: Any) -> None:
    """Write what the Dataset has besides the results: dimensions, coordinates, attributes."""
    coordinates = {str(name): found.coords[name] for name in found.coords}
    about = {
        "sizes": {str(d): n for d, n in found.sizes.items()},
        "coordinates": {name: [list(c.dims), dict(c.attrs), c.dtype.str] for name, c in coordinates.items()},
        "variables": {str(name): [list(v.dims), dict(v.attrs)] for name, v in found.data_vars.items()},
        "attributes": dict(found.attrs),
    }
    text = np.frombuffer(json.dumps(about, default=str).encode(), np.uint8)
    write(path / AXES, {"about": text, **{f"axis_{i}": c.values for i, c in enumerate(coordinates.values())}})


def stored(path: Any) -> xr.Dataset:
    """The Dataset of a finished sweep that `sweep` stored, without its equations.

    Raises:
        WrongType, MissingFile: E501, not the name of a folder, or nothing is there.
        InvalidValue: E520, no stored sweep, or one that was not finished; E523, damaged; E801, a package is missing.
    """
    folder = as_path(path, "sweep.zarr")
    if not os.path.exists(folder):  # a name that no folder can have is none that is there
        raise MissingFile("E501", f"there is no {folder}", "check the name and the folder")
    if not (folder / store.TASK).exists() or not (folder / AXES).exists():
        fact = f"{folder} is no finished sweep"
        raise InvalidValue("E520", fact, "run the sweep with this store again: it goes on where it was stopped")
    require(True)
    with opened(folder / AXES) as archive:
        return _dataset(folder, archive)


def _dataset(folder: Path, axes: Archive) -> xr.Dataset:
    import xarray as xr

    group = store.open_results(folder)
    about = json.loads(axes.array("about", "|u1").tobytes().decode())
    coordinates = {
        name: (dims, axes.array(f"axis_{i}", kind), attrs)
        for i, (name, (dims, attrs, kind)) in enumerate(about["coordinates"].items())
    }
    variables = {
        name: (dims, group[name][:].reshape([about["sizes"][d] for d in dims]), attrs)
        for name, (dims, attrs) in about["variables"].items()
    }
    return xr.Dataset(variables, coordinates, about["attributes"])
