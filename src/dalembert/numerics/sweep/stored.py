"""A finished sweep read from its folder alone: beside the results stand the axes, with names and units."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ...errors import InvalidValue, MissingFile
from ...given import public
from ...output import as_path
from ...trajectory.archive import Archive, Kind, opened, write
from . import journal, manifest
from .chunks import Chunks, damaged
from .store import AXES

if TYPE_CHECKING:
    import xarray as xr


_AGAIN = "run the sweep with this store again: it goes on where it was stopped"
_KIND = Kind("the axes of a stored sweep", "run the sweep with this store again: they are written anew")


def keep_axes(path: Path, found: Any, identity: str) -> None:
    """Write what the Dataset has besides the results: dimensions, coordinates, attributes, and of which sweep."""
    coordinates = {str(name): found.coords[name] for name in found.coords}
    about = {
        "sweep": identity,
        "sizes": {str(d): n for d, n in found.sizes.items()},
        "coordinates": {name: [list(c.dims), dict(c.attrs), c.dtype.str] for name, c in coordinates.items()},
        "variables": {str(name): [list(v.dims), dict(v.attrs)] for name, v in found.data_vars.items()},
        "attributes": dict(found.attrs),
    }
    text = np.frombuffer(json.dumps(about, default=str).encode(), np.uint8)
    write(path / AXES, {"about": text, **{f"axis_{i}": c.values for i, c in enumerate(coordinates.values())}})


@public
def stored(path: Any) -> xr.Dataset:
    """The Dataset of a finished sweep that `sweep` stored, without its equations. Every number is held against the
    checksum with which it was written.

    Raises:
        WrongType, MissingFile: E501, not the name of a folder, or nothing is there.
        InvalidValue: E520, no stored sweep, or one that was not finished; E522, of a newer version; E523, damaged, with
            the file; E503, E524, E525, files that cannot be what was written; E801, a package is missing.
    """
    folder = as_path(path, "sweep.zarr")
    if not os.path.exists(folder):  # a name that no folder can have is none that is there
        raise MissingFile("E501", f"there is no {folder}", "check the name and the folder")
    if not folder.is_dir():
        raise InvalidValue("E520", f"{folder} is a file; a stored sweep is a folder", f'da.load("{folder}")')
    task = manifest.read(folder)
    if task is None:
        raise InvalidValue("E520", f"{folder} is no stored sweep", "name a folder that da.sweep was given as store")
    require(True)
    return _dataset(folder, _results(folder, task), task)


def _results(folder: Path, task: manifest.Manifest) -> dict[str, np.ndarray]:
    """All arrays, over all members."""
    if not task.metadata or not (folder / AXES).exists():
        raise InvalidValue("E520", f"{folder} is no finished sweep", _AGAIN)
    results = Chunks(folder, task, task.identity, writing=False)
    if not (folder / journal.JOURNAL).exists():
        raise damaged(folder / journal.JOURNAL, _AGAIN, "is missing")
    told = journal.read(folder, task.identity)
    if told.damaged:
        fact = f"line {told.damaged[0]} is damaged, or of another sweep"
        raise damaged(folder / journal.JOURNAL, _AGAIN, fact)
    done = sum(i in told.lines for i in range(results.batches))
    if done < results.batches:
        fact = f"{folder} is no finished sweep: {done} of {results.batches} batches are there"
        raise InvalidValue("E520", fact, _AGAIN)
    return results.whole(told.lines)


def _dataset(folder: Path, arrays: dict[str, np.ndarray], task: manifest.Manifest) -> xr.Dataset:
    import xarray as xr

    with manifest.part_of_a_store(), opened(folder / AXES, _KIND) as archive:
        about = json.loads(archive.array("about", "|u1").tobytes().decode())
        coordinates = _coordinates(archive, about)
        archive.verify()
        if about["sweep"] != task.identity or list(about["variables"]) != list(arrays):
            raise damaged(folder / AXES, _KIND.again, "belongs to another sweep")
        variables = {
            name: (dims, arrays[name].reshape([about["sizes"][d] for d in dims]), attrs)
            for name, (dims, attrs) in about["variables"].items()
        }
        return xr.Dataset(variables, coordinates, about["attributes"])


def _coordinates(archive: Archive, about: dict[str, Any]) -> dict[str, Any]:
    return {
        name: (dims, archive.array(f"axis_{i}", kind), attrs)
        for i, (name, (dims, attrs, kind)) in enumerate(about["coordinates"].items())
    }


def require(stored: bool) -> None:
    """E801 where a package of the extra is missing."""
    try:
        import xarray  # noqa: F401

        if stored:
            import dask.array  # noqa: F401
            import zarr  # noqa: F401
    except ImportError as error:
        fact = f"sweeps need {error.name}, which is not installed"
        raise InvalidValue("E801", fact, "pip install 'dalembert[sweep]'") from None
