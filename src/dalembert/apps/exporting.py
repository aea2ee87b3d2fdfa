"""Stored results as files for other programs."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import InvalidValue
from ..trajectory import Trajectory
from .report import report
from .results import drawn
from .sweeps import members

_APART = {"npz": "-columns"}  # so that plain arrays do not replace the stored path
_FORMULA = ("=", "+", "-", "@", "\t", "\r")  # text with which a spreadsheet begins a formula


def write(thing: Any, kind: str, base: Path, samples: int | None) -> Path:
    """One file of one kind beside `base`.

    Raises:
        InvalidValue: E307, this kind of result has no such form; E801 a package is missing.
    """
    forms = _OF_PATHS if isinstance(thing, Trajectory) else _OF_SWEEPS
    if kind not in forms:
        raise InvalidValue("E307", f"this result cannot be written as {kind}", "--" + ", --".join(forms))
    file = base.with_name(f"{base.name}{_APART.get(kind, '')}.{kind}")
    draft = file.with_name(f"{file.stem}.part.{kind}")
    file.parent.mkdir(parents=True, exist_ok=True)
    forms[kind](thing, draft, samples)
    draft.replace(file)
    return file


def table(path: Trajectory, samples: int | None) -> np.ndarray:
    """Times and columns, at the stored samples or at so many even times."""
    if samples is None:
        return path.to_numpy()
    t = np.linspace(path.t[0], path.t[-1], samples)
    at = path.at(t)
    return np.column_stack([t, *(at[name] for name in path.names if name in at)])


def rows(file: Path, heads: Sequence[str], values: Iterable[Sequence[float]]) -> None:
    """A table with one line of heads; numbers with all their digits."""
    with file.open("w", newline="", encoding="utf-8") as stream:
        writer = csv.writer(stream)
        writer.writerow([_harmless(head) for head in heads])
        writer.writerows([[repr(float(v)) for v in row] for row in values])


def _harmless(text: str) -> str:
    """Text that no spreadsheet takes for a formula."""
    return f"'{text}" if text.startswith(_FORMULA) else text


def _csv_of_path(path: Trajectory, file: Path, samples: int | None) -> None:
    values = table(path, samples)
    rows(file, ["t", *path.names][: values.shape[1]], values)


def _npz_of_path(path: Trajectory, file: Path, samples: int | None) -> None:
    values = table(path, samples)
    with file.open("wb") as stream:
        np.savez(stream, **dict(zip(["t", *path.names], values.T, strict=False)))


def _html_of_path(path: Trajectory, file: Path, samples: int | None) -> None:
    report(path, file)


def _svg_of_path(path: Trajectory, file: Path, samples: int | None) -> None:
    drawn(path, file)


def _nc_of_path(path: Trajectory, file: Path, samples: int | None) -> None:
    path.to_xarray().to_netcdf(file)


def _csv_of_sweep(found: Any, file: Path, samples: int | None) -> None:
    rows(file, *members(found))


def _npz_of_sweep(found: Any, file: Path, samples: int | None) -> None:
    arrays = {str(name): found[name].values for name in (*found.coords, *found.data_vars)}
    with file.open("wb") as stream:
        np.savez(stream, **arrays)


def _nc_of_sweep(found: Any, file: Path, samples: int | None) -> None:
    found.to_netcdf(file)


Writer = Callable[[Any, Path, int | None], None]
_OF_PATHS: dict[str, Writer] = {
    "csv": _csv_of_path,
    "html": _html_of_path,
    "svg": _svg_of_path,
    "npz": _npz_of_path,
    "nc": _nc_of_path,
}
_OF_SWEEPS: dict[str, Writer] = {"csv": _csv_of_sweep, "npz": _npz_of_sweep, "nc": _nc_of_sweep}
