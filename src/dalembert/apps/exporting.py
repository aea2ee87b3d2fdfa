"""Stored results as files for other programs."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import InvalidValue, Unwritable
from ..output import Maker, draft, free
from ..plain_file import shown
from ..show.draw import draw
from ..show.plan import pyplot
from ..study.leaves import MOST
from ..study.study import Study
from ..trajectory import Trajectory
from .report import Known, page
from .sweeps import members

_APART = {"npz": "-columns"}  # so that plain arrays do not replace the stored path
_FORMULA = ("=", "+", "-", "@", "\N{FULLWIDTH EQUALS SIGN}", "\N{FULLWIDTH PLUS SIGN}", "\N{FULLWIDTH HYPHEN-MINUS}")
_PLAIN = re.compile(r"[^\W\d][\w()]*|[+-]?(?:[0-9][0-9.e+-]*|inf|nan)")  # a name, or a number
_NUMBERS = re.compile(rb"[0-9.e+,\-infa]*\r\n")
_LONG = 10**6


def place(thing: object, kind: str, base: Path, maker: Maker, samples: int | None) -> Path:
    """The file of one kind beside `base`.

    Raises:
        InvalidValue: E307, this is no result, or this kind of result has no such form; E303, E304 samples.
        Unwritable: E530, something else lies there, or the name is that of no file.
    """
    forms = _forms(thing)
    if kind not in forms:
        raise InvalidValue("E307", f"this result cannot be written as {kind}", "--" + ", --".join(forms))
    _check_samples(thing, samples)
    if not base.name.strip(".") or (base.exists() and not base.is_file()):
        raise Unwritable("E530", f"{base} names no file", f"--out {base / 'path'} is one in a folder; .{kind} is added")
    file = base.with_name(f"{base.name}{_APART.get(kind, '')}.{kind}")
    free(file, maker, _own(thing, kind, samples))
    return file


def write(thing: object, kind: str, file: Path, maker: Maker, samples: int | None) -> None:
    """Write that file, whole or not at all.

    Raises:
        InvalidValue: E801 a package is missing.
        Unwritable: E530, it cannot be written.
    """
    file.parent.mkdir(parents=True, exist_ok=True)
    with draft(file, maker, kind, _own(thing, kind, samples)) as beside:
        _forms(thing)[kind](thing, beside, samples)


def _check_samples(thing: object, samples: int | None) -> None:
    """E307, E303, E304: samples of what has none, too few or too many."""
    if samples is None:
        return
    if not isinstance(thing, Trajectory):
        raise InvalidValue("E307", "a sweep has no times between those it stored", "leave --samples out")
    if samples < 2:
        raise InvalidValue("E303", f"--samples {samples}: there are two sample times at least", "--samples 1001")
    if samples > MOST:
        raise InvalidValue("E304", f"--samples {samples}: the limit is {MOST}", "take fewer")


def _forms(thing: object) -> dict[str, Writer]:
    if isinstance(thing, Study):
        fact = "this is a system file, and what is exported is a result"
        raise InvalidValue("E307", fact, "dalembert run FILE stores one and says where")
    return _OF_PATHS if isinstance(thing, Trajectory) else _OF_SWEEPS


def table(thing: object, samples: int | None) -> tuple[list[str], Iterable[Sequence[float]]]:
    """Heads and rows: of a path its stored samples, or so many even times; of a sweep its members."""
    if not isinstance(thing, Trajectory):
        return members(thing)  # type: ignore[arg-type]
    if samples is None:
        return ["t", *thing.names], thing.to_numpy()
    t = np.linspace(thing.t[0], thing.t[-1], samples)
    at = thing.at(t)
    known = [name for name in thing.names if name in at]
    return ["t", *known], np.column_stack([t, *(at[name] for name in known)])


# --- tables, which bear no mark --------------------------------------------------------------------------------------


def _own(thing: object, kind: str, samples: int | None) -> Callable[[Path], bool] | None:
    """Is what lies there such a table of the same: its heads and its first row, and all numbers as we write them?"""
    if kind != "csv":
        return None
    heads, values = table(thing, samples)
    first = [_line(heads), *(_line(map(_number, row)) for row in itertools.islice(values, 1))]

    def own(place: Path) -> bool:
        with place.open("rb") as stream:
            same = all(line.encode() == stream.readline(_LONG) for line in first)
            return same and all(map(_NUMBERS.fullmatch, stream))

    return own


def as_csv(heads: Sequence[str], rows: Iterable[Sequence[float]]) -> str:
    """A table with one line of heads; numbers with all their digits."""
    return "".join([_line(heads), *(_line(map(_number, row)) for row in rows)])


def _csv(thing: object, file: Path, samples: int | None) -> None:
    """A table with one line of heads; numbers with all their digits."""
    heads, values = table(thing, samples)
    with file.open("w", newline="", encoding="utf-8") as stream:
        stream.write(_line(heads))
        stream.writelines(_line(map(_number, row)) for row in values)


def _line(cells: Iterable[str]) -> str:
    """One line of a table; text of others is in quotes and no formula, and all in one line."""
    known = [_harmless(cell) for cell in cells]
    return ",".join(known) + "\r\n"


def _harmless(text: str) -> str:
    """Text that no spreadsheet takes for a formula, and that no other separator cuts."""
    if _PLAIN.fullmatch(text):
        return text
    text = shown(text).replace('"', '""')
    return f'"\'{text}"' if text.lstrip().startswith(_FORMULA) else f'"{text}"'


def _number(value: float) -> str:
    return repr(float(value))


# --- forms -----------------------------------------------------------------------------------------------------------


def _npz_of_path(path: Trajectory, file: Path, samples: int | None) -> None:
    heads, values = table(path, samples)
    with file.open("wb") as stream:
        np.savez(stream, **dict(zip(heads, np.asarray(values).T, strict=True)))


def _html_of_path(path: Trajectory, file: Path, samples: int | None) -> None:
    file.write_text(page(path, Known()), encoding="utf-8", newline="\n")


def _svg_of_path(path: Trajectory, file: Path, samples: int | None) -> None:
    plt = pyplot()
    plt.switch_backend("Agg")
    figure = draw(path)
    figure.savefig(file, format="svg")
    plt.close(figure)


def _nc_of_path(path: Trajectory, file: Path, samples: int | None) -> None:
    path.to_xarray().to_netcdf(file)


def _npz_of_sweep(found: Any, file: Path, samples: int | None) -> None:
    arrays = {str(name): found[name].values for name in (*found.coords, *found.data_vars)}
    with file.open("wb") as stream:
        np.savez(stream, **arrays)


def _nc_of_sweep(found: Any, file: Path, samples: int | None) -> None:
    found.to_netcdf(file)


Writer = Callable[[Any, Path, int | None], None]
_OF_PATHS: dict[str, Writer] = {
    "csv": _csv,
    "html": _html_of_path,
    "svg": _svg_of_path,
    "npz": _npz_of_path,
    "nc": _nc_of_path,
}
_OF_SWEEPS: dict[str, Writer] = {"csv": _csv, "npz": _npz_of_sweep, "nc": _nc_of_sweep}
