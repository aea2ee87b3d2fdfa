"""Columns on their way to a record: what was given, a file, arrays or a DataFrame, as a `Draft`, and its times."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

import numpy as np

from ..argument_checks import name as name_of
from ..argument_checks import names as names_of
from ..errors import InvalidValue, Place, UnknownName, WrongType, as_given, did_you_mean, kind_of
from ..errors.remedies import Option
from ..record.cell_separators import SEPARATORS, TextLine, place
from ..record.text_table import (
    MOST_ROWS,
    TextTable,
    check_names,
    read_table,
    split,
    text_cell,
    too_few,
    too_many,
    uncertain,
)

PIXEL = "px"


@dataclass
class Draft:
    """Columns that are being read.

    Attributes:
        name: of the file, or "the data".
        values: ``{name: (N,)}``.
        sigma: ``{name: number or (N,)}``.
        units: ``{name: unit}``, empty where it is not known.
        done: what was done, in words.
        provenance: of the record.
        table: the text behind it, if there is one.
        rows: which row of the table each row was.
        old: ``{name: its name in the table}``.
    """

    name: str
    values: dict[str, np.ndarray]
    units: dict[str, str]
    sigma: dict[str, Any] = field(default_factory=dict)
    done: list[str] = field(default_factory=list)
    provenance: dict[str, Any] = field(default_factory=dict)
    table: TextTable | None = None
    rows: np.ndarray = field(default_factory=lambda: np.empty(0, int))
    old: dict[str, str] = field(default_factory=dict)

    def where(self, row: int, name: str = "") -> Place | None:
        """Where a value stands in the file."""
        return None if self.table is None else self.table.place(int(self.rows[row]), self.old.get(name, name))

    def told(self, row: int) -> str:
        """A row in words: its line in a file, else its number counted from 0."""
        if self.table is None:
            return f"row {int(self.rows[row])}"
        return f"line {int(self.table.lines[int(self.rows[row])])}"

    def heading(self, name: str) -> Place | None:
        """Where the unit of a column stands."""
        if self.table is None:
            return None
        number = self.table.unit_line or self.table.head_line
        line = TextLine(number, self.table.source.line(number))
        return place(
            self.name, line, self.table.layout.cells(line.text), self.table.every.index(self.old.get(name, name))
        )


# --- what was given --------------------------------------------------------------------------------------------------

DATA = "the data"


def draft_of(
    data: object,
    columns: Mapping[str, str] | Sequence[str] | None,
    leave: Sequence[str],
    separator: str | None,
    decimal: str | None,
    skip: int,
) -> Draft:
    """The columns of whatever was given, renamed, uncertainties told from values."""
    new = {str(k): str(v) for k, v in columns.items()} if isinstance(columns, Mapping) else {}
    chosen = None if columns is None or isinstance(columns, Mapping) else list(names_of(columns, "columns"))
    found = (
        _of_file(data, chosen, list(names_of(leave, "leave", some=False)), separator, decimal, skip)
        if isinstance(data, str | os.PathLike | bytes)
        else _of_arrays(_arrays(data, chosen), chosen, list(names_of(leave, "leave", some=False)))
    )
    return _renamed(found, new)


def _of_file(
    data: Any, chosen: list[str] | None, leave: list[str], separator: str | None, decimal: str | None, skip: int
) -> Draft:
    table = read_table(data, keep=chosen, leave=leave, names=chosen, separator=separator, decimal=decimal, skip=skip)
    _check_known([*(chosen or ()), *leave], table.every)
    told = {
        "file": table.source.name,
        "sha256": table.source.sha256,
        "encoding": table.source.encoding,
        "separator": SEPARATORS.get(table.layout.separator, table.layout.separator),
        "decimal": table.layout.decimal,
    }
    values = {name: table.values[:, i].copy() for i, name in enumerate(table.names)}
    units = dict(zip(table.names, table.units, strict=True))
    rows = np.arange(len(table.lines))
    return Draft(table.source.name, values, units, provenance=told, table=table, rows=rows)


def _check_known(names: Sequence[str], every: Sequence[str]) -> None:
    for name in names:
        if name not in every:
            raise UnknownName("E317", f"there is no column {as_given(name)}", did_you_mean(name, every))


# --- arrays ----------------------------------------------------------------------------------------------------------


def _arrays(data: object, chosen: list[str] | None) -> list[tuple[str, Any]]:
    """Named columns of a mapping, a DataFrame, an array with fields, or an array (N, k)."""
    if isinstance(data, Mapping):
        if None in data:
            raise InvalidValue("E540", "a column has no name, but None", "give every column a name of its own")
        return [(str(k), v) for k, v in data.items()]
    pandas = sys.modules.get("pandas")
    if pandas is not None and isinstance(data, pandas.DataFrame):
        columns = [(str(k), data.iloc[:, i].to_numpy()) for i, k in enumerate(data.columns)]
        index = "" if data.index.name is None else str(data.index.name)
        return columns if not index or index in dict(columns) else [(index, data.index.to_numpy()), *columns]
    if not isinstance(data, np.ndarray | list | tuple):
        fact = f"{kind_of(data)} is neither a file nor columns of numbers"
        raise WrongType("E501", fact, 'da.recorded("track.csv") or da.recorded({"t": t, "x": x})')
    array = data if isinstance(data, np.ndarray) else _column(data, DATA)
    if array.dtype.names:
        return [(name, array[name]) for name in array.dtype.names]
    if array.ndim != 2 or chosen is None or len(chosen) != array.shape[1]:
        fact = f"an array of shape {array.shape} has no names of columns"
        raise InvalidValue("E540", fact, (Option("read.columns", ["t", "x", "y"]), ", one for each column"))
    return list(zip(chosen, array.T, strict=True))


def _of_arrays(data: list[tuple[str, Any]], chosen: list[str] | None, leave: list[str]) -> Draft:
    check_names([split(name)[0] for name, _ in data])
    parted = {split(name)[0]: (split(name)[1], column) for name, column in data}
    _check_known([*(chosen or ()), *leave], list(parted))
    taken = [name for name in parted if (chosen is None or name in chosen) and name not in leave]
    if not taken:
        raise InvalidValue("E540", "no columns are given", 'da.recorded({"t": t, "x": x})')
    values = {name: _column(parted[name][1], name) for name in taken}
    lengths = {name: len(column) if column.ndim == 1 else -1 for name, column in values.items()}
    if len(set(lengths.values())) > 1 or -1 in lengths.values():
        told = ", ".join(f"{name} has shape {values[name].shape}" for name in taken)
        raise InvalidValue("E543", f"the columns differ in length: {told:.80}", "give one value a row, NaN for a gap")
    count = lengths[taken[0]]
    if count < 2:
        raise too_few(DATA, count)
    if count > MOST_ROWS:
        raise too_many(DATA)
    return Draft(DATA, values, {name: parted[name][0] for name in taken}, rows=np.arange(count))


def _column(column: Any, name: str) -> np.ndarray:
    """An array of floats of its own, NaN where a value is masked or None (E542 for anything but numbers)."""
    masked = isinstance(column, np.ma.MaskedArray) and column.dtype.kind in "iuf"
    plain = column.astype(float).filled(np.nan) if masked else column
    try:
        array = np.asarray(plain)
    except ValueError:  # ragged
        raise InvalidValue("E543", f"{name} is ragged", "give one value a row, NaN for a gap") from None
    except Exception:  # a thing that does not tell whether it is an array, or cannot be written
        raise _objects_only(name) from None
    if array.dtype.kind == "O":
        array = _objects(array, name)
    if array.dtype.kind in "SU":
        raise text_cell(str(array.ravel()[0]) if array.size else "", name)
    if array.dtype.kind not in "iuf":
        raise InvalidValue("E542", f"{name} holds {array.dtype} values, not real numbers", "give an array of floats")
    floats = array.astype(float)
    if np.isinf(floats).any():
        raise text_cell("inf", name)
    return floats


def _objects(array: np.ndarray, name: str) -> np.ndarray:
    for value in array.ravel():
        if isinstance(value, str | bytes | bool | complex):
            raise text_cell(str(value), name)
    try:
        return array.astype(float)
    except OverflowError:
        raise text_cell("inf", name) from None
    except (TypeError, ValueError):
        raise _objects_only(name) from None


def _objects_only(name: str) -> InvalidValue:
    return InvalidValue("E542", f"{name} holds objects, not numbers", "give an array of floats")


# --- names -----------------------------------------------------------------------------------------------------------


def _renamed(found: Draft, new: Mapping[str, str]) -> Draft:
    """New names, and columns of uncertainties put aside (E542 where one is not positive)."""
    _check_known(list(new), list(found.values))
    old = dict.fromkeys(found.values)
    names = {name: new.get(name, name) for name in old}
    if len(set(names.values())) < len(names):
        raise InvalidValue("E540", "two columns would bear one name", f"give other names: {sorted(names.values())}")
    found.old = {names[name]: name for name in old}
    found.values = {names[name]: found.values[name] for name in old}
    found.units = {names[name]: found.units[name] for name in old}
    for name in list(found.values):
        base = uncertain(name, found.values) or names.get(uncertain(found.old[name], old), "")
        if base:
            found.sigma[base] = _positive(found, name)
            found.units[f"sigma {base}"] = found.units.pop(name)
            found.old[f"sigma {base}"] = found.old[name]
            del found.values[name]
    return found


def _positive(found: Draft, name: str) -> np.ndarray:
    sigma = found.values[name]
    wrong = np.flatnonzero(sigma <= 0)
    if len(wrong):
        row = int(wrong[0])
        fact = f"{name} is {sigma[row]:g}, and an uncertainty is positive"
        raise InvalidValue("E542", fact, "leave the cell empty where it is not known").at(found.where(row, name))
    return sigma


def check_gaps(found: Draft, clock: str | None, gaps: str) -> None:
    """E543, values that are missing; times must never be."""
    for name, column in found.values.items():
        rows = np.flatnonzero(np.isnan(column))
        if len(rows) and gaps == "refuse":
            total = sum(int(np.isnan(each).sum()) for each in found.values.values())
            told = f"{total} values are missing, the first" if total > 1 else "a value is missing,"
            fact = f"{told} of {name} in {found.told(int(rows[0]))}"
            raise InvalidValue("E543", fact, ("keep the gaps: ", Option("read.gaps", "keep"))).at(
                found.where(int(rows[0]), name)
            )
        if len(rows) == len(column):
            raise InvalidValue("E543", f"{name} has no values at all", ("leave it out: ", Option("read.leave", [name])))


# --- times -----------------------------------------------------------------------------------------------------------

V = TypeVar("V")


def time_column(draft: Draft, time: str | None) -> str | None:
    """The column of times (UnknownName E317 if it is not there); a column ``time`` becomes ``t``."""
    if time is None or (time := name_of(time, "time")) in draft.values:
        return time
    close = [name for name in draft.values if name.lower() == "time"]
    if time == "t" and len(close) == 1:
        draft.values = _called_t(draft.values, close[0])
        draft.units = _called_t(draft.units, close[0])
        draft.old = _called_t(draft.old, close[0])
        draft.done.append(f"column {close[0]} called t")
        return "t"
    remedy = (
        f"{did_you_mean(time, draft.values)}\n",
        Option("read.time", "NAME"),
        ", or in Python time=None if there are no times",
    )
    raise UnknownName("E317", f"{draft.name} has no column of times {as_given(time)}", remedy, subject=("read", "time"))


def _called_t(part: dict[str, V], name: str) -> dict[str, V]:
    return {"t" if k == name else k: v for k, v in part.items()}


def in_order_of_time(draft: Draft, clock: str, sort: bool) -> None:
    """Rows in order of time.

    Raises:
        InvalidValue: E543 a time is missing, E544 they do not rise, E545 one stands twice.
    """
    t = draft.values[clock]
    for row in np.flatnonzero(np.isnan(t))[:1]:
        fact = f"the time is missing in {draft.told(row)}"
        raise InvalidValue("E543", fact, "give the time, or leave the row out").at(draft.where(row, clock))
    falls = np.flatnonzero(np.diff(t) < 0)
    if len(falls) and not sort:
        row = int(falls[0]) + 1
        fact = f"time falls from {t[row - 1]:.9g} to {t[row]:.9g} s in {draft.told(row)}"
        more = f" and {len(falls) - 1} times more" if len(falls) > 1 else ""
        raise InvalidValue("E544", fact + more, ("put the rows in order: ", Option("read.sort", True))).at(
            draft.where(row, clock)
        )
    if len(falls):
        _sorted(draft, np.argsort(t, kind="stable"))
        draft.done.append(f"sorted by {clock}")
    _check_once(draft, clock)


def _sorted(draft: Draft, order: np.ndarray) -> None:
    draft.values = {name: column[order] for name, column in draft.values.items()}
    draft.sigma = {name: column[order] if np.ndim(column) else column for name, column in draft.sigma.items()}
    draft.rows = draft.rows[order]


def _check_once(draft: Draft, clock: str) -> None:
    t = draft.values[clock]
    for row in np.flatnonzero(np.diff(t) == 0)[:1]:
        first, second = draft.told(row), draft.told(row + 1)
        fact = f"the time {t[row]:.9g} s stands twice: {first} and {second}"
        remedy = f"leave out {first} or {second}, or give the times with more digits"
        raise InvalidValue("E545", fact, remedy).at(draft.where(row + 1, clock))
