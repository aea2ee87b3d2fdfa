"""From the lines of a file to columns of numbers: E540 to E547, each with its line."""

from __future__ import annotations

import math
import re
from array import array
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice

import numpy as np

from ..errors import DalembertError, InvalidValue, Place, as_given
from ..errors.remedies import Option, Words
from .heading import check_heading, split, unit_row
from .layout import Layout, Line, cells, fits, layout, place
from .opening import MOST_ROWS, Source, looked_at, too_many

SAMPLE = 10_000  # lines by which the layout is told
_PLAIN = re.compile(r"[-0-9eE+., ;\t]*")  # float() reads nothing but numbers in it
_NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eEdD][+-]?\d+)?", re.ASCII)
_THOUSANDS = re.compile(r"[+-]?[0-9]{1,3}(?:['’_ \u00a0\u2009\u202f][0-9]{3})+(?:[.,][0-9]+)?")
_UNIT = re.compile(r"[+-]?[0-9][0-9.,]*(?:[eE][+-]?[0-9]+)?\s*((?:[^\W\d_]|°)(?:[^\W\d_]|[/*^·° -]|[1-9](?![0-9]))*)")
_EXCEL = re.compile(r"sep=(.)\s*")


@dataclass(frozen=True)
class Table:
    """Columns of numbers as they stand in a text.

    Attributes:
        names, units: of the columns; a unit is empty where none is given.
        values: (N, columns), NaN where a value is missing.
        lines: (N,), the line of each row.
        source: the file.
        layout: how it is written.
        every: all names of the file, those left out among them.
        head_line: where the names stand.
        unit_line: where units stand in a row of their own, else 0.
    """

    names: tuple[str, ...]
    units: tuple[str, ...]
    values: np.ndarray
    lines: np.ndarray
    source: Source
    layout: Layout
    every: tuple[str, ...]
    head_line: int = 1
    unit_line: int = 0

    def place(self, row: int, name: str = "") -> Place:
        """Where a row stands, or a cell of it."""
        number = int(self.lines[row])
        line = Line(number, self.source.line(number))
        if not name:
            return place(self.source.name, line)
        return place(self.source.name, line, self.layout.cells(line.text), self.every.index(name))


def read_table(
    path: str,
    *,
    keep: Sequence[str] | None = None,
    leave: Sequence[str] = (),
    names: Sequence[str] | None = None,
    separator: str | None = None,
    decimal: str | None = None,
    skip: int = 0,
) -> Table:
    """The columns of a file.

    Args:
        path: of a text with a heading and rows of cells; lines that begin with ``#`` are comments.
        keep: names of the columns that are read, all by default; others may hold text.
        leave: names of columns that are not read.
        names: of the columns, if the file turns out to be without a heading.
        separator, decimal: as in `layout.layout`.
        skip: lines to leave out before the heading.

    Raises:
        DalembertError: E501 to E506 and E510 as in `opening`, E540 to E542 and E546, E547 as in `recording`.
    """
    source = looked_at(path)
    told, comment = _sample(source, skip)
    if len(told) > 1 and _EXCEL.fullmatch(told[0].text):
        separator = separator or told[0].text[4]
        skip, told = told[0].number, told[1:]
    bare = names is not None and bool(_PLAIN.fullmatch(told[0].text))
    form = layout(told[:1] + told if bare else told, source.name, separator, decimal)
    head = list(names or ()) if bare else check_heading(told[0], form, source.name, comment)
    parted = [split(cell) for cell in head]
    every = tuple(name for name, _ in parted)
    units, start, unit_line = [unit for _, unit in parted], told[0].number - bare, 0
    below = None if bare or any(units) or len(told) < 2 else unit_row(_cells(told[1], form, source.name))
    if below is not None:
        units, start, unit_line = (below + [""] * len(every))[: len(every)], told[1].number, told[1].number
    taken = [i for i, name in enumerate(every) if (keep is None or name in keep) and name not in leave]
    values, lines = _Reader(source, form, every, taken).read(_rows(source, start))
    return Table(
        tuple(every[i] for i in taken),
        tuple(units[i] for i in taken),
        values,
        lines,
        source,
        form,
        every,
        told[0].number,
        unit_line,
    )


def _rows(source: Source, after: int) -> Iterator[Line]:
    """The lines after one, without comments and blank lines."""
    for number, text in enumerate(source.lines(), 1):
        if number > after and text.strip() and not text.lstrip().startswith("#"):
            yield Line(number, text)


def _sample(source: Source, skip: int) -> tuple[list[Line], Line | None]:
    """The first lines, and the last comment before them; E546 if there is no row, E540 if nothing at all."""
    told = list(islice(_rows(source, skip), SAMPLE))
    first = told[0].number if told else 1
    before = (Line(n, text) for n, text in enumerate(islice(source.lines(), first - 1), 1))
    comment = None
    for line in before:
        comment = line if line.text.lstrip().startswith("#") and line.number > skip else comment
    if not told:
        raise InvalidValue("E540", f"{source.name} holds no heading and no rows", "a table begins with names: t,x,y")
    return told, comment


def _cells(line: Line, form: Layout, file: str) -> list[str]:
    """The cells of a line (E542 if a quote is not closed)."""
    try:
        return cells(line.text, form.separator)
    except ValueError:
        error = InvalidValue("E542", f"a quote in line {line.number} is not closed", 'close it with "')
        raise error.at(Place(file, line.number, line.text.find('"'), line.text)) from None


class _Reader:
    """Cells into numbers, row by row."""

    def __init__(self, source: Source, form: Layout, every: Sequence[str], taken: Sequence[int]) -> None:
        self.file, self.form, self.every, self.taken = source.name, form, every, taken
        self.whole = len(taken) == len(every)

    def read(self, rows: Iterable[Line]) -> tuple[np.ndarray, np.ndarray]:
        """Values (N, columns) and lines (N,); E546, fewer than 2 rows; E547, more than 10^7."""
        values, lines = array("d"), array("q")
        for line in rows:
            values.extend(self._row(line))
            lines.append(line.number)
            if len(lines) > MOST_ROWS:
                raise too_many(self.file)
        if len(lines) < 2:
            raise too_few(self.file, len(lines)).at(Place(self.file, lines[-1] if lines else 1))
        return np.array(values).reshape(len(lines), len(self.taken)), np.array(lines)

    def _row(self, line: Line) -> list[float]:
        text = line.text
        if self.whole and self.form.separator and _PLAIN.fullmatch(text):
            parts = text.split(None if self.form.separator == " " else self.form.separator)
            with suppress(ValueError):
                if len(parts) == len(self.every) and self.form.decimal == ".":
                    return _finite([*map(float, parts)])
        return self._slowly(line)

    def _slowly(self, line: Line) -> list[float]:
        parts = _cells(line, self.form, self.file)
        if not fits(parts, len(self.every)):
            raise self._uneven(line, parts)
        values = [self.form.value(parts[i]) for i in self.taken]
        for i, value in zip(self.taken, values, strict=True):
            if value is None or math.isinf(value):
                raise self._refused(line, parts, i)
        return [float("nan") if value is None else value for value in values]

    def _uneven(self, line: Line, parts: Sequence[str]) -> DalembertError:
        found, wanted = len(parts), len(self.every)
        if found > wanted and self.form.separator == ",":
            fact = f"{found} cells below {wanted} names: are some commas decimal marks?"
            return InvalidValue("E541", fact, 'part the cells by ";", or write . as decimal mark').at(self._at(line))
        others = (s for s in "\t;," if s != self.form.separator)
        if found < wanted and any(fits(_cells(line, Layout(s, "."), self.file), wanted) for s in others):
            fact = f"line {line.number} is parted otherwise than the heading"
            return InvalidValue("E541", fact, "part all lines alike").at(self._at(line))
        fact = f"line {line.number} has {found} cells below {wanted} names"
        return InvalidValue("E543", fact, "was it cut off? write separators for cells without a value").at(
            self._at(line)
        )

    def _at(self, line: Line) -> Place:
        return place(self.file, line)

    def _refused(self, line: Line, parts: Sequence[str], i: int) -> DalembertError:
        """E541 or E542."""
        cell, where, name = parts[i], place(self.file, line, parts, i), self.every[i]
        other = "," if self.form.decimal == "." else "."
        if other in cell and Layout("", other).value(cell) is not None:
            told = "decimal comma" if other == "," else "decimal point"
            fact = f"{as_given(cell[:24])} has a {told}, other numbers not"
            return InvalidValue("E541", fact, f"write {self.form.decimal} everywhere").at(where)
        return text_cell(cell, name).at(where)


def _finite(values: list[float]) -> list[float]:
    """The same (ValueError if one is beyond the largest float)."""
    if math.inf in values or -math.inf in values:
        raise ValueError
    return values


def too_few(file: str, rows: int) -> InvalidValue:
    """E546."""
    told = {0: "no rows", 1: "one row"}[rows]
    return InvalidValue("E546", f"{file} has {told}, a track needs 2", "record for longer, or check the file")


def text_cell(cell: str, name: str) -> InvalidValue:
    """E542, with the remedy that the text suggests."""
    shown = repr("".join(c if c.isprintable() else " " for c in cell[:24]))
    parted = _UNIT.fullmatch(cell)
    if cell.partition("[")[0].strip() == name.partition("[")[0].strip():
        fact = f"{name} holds {shown}: the heading stands twice"
        return InvalidValue("E542", fact, "leave this line out, or one table in each file")
    if cell.lower().lstrip("+-") in ("inf", "infinity"):
        remedy: Words = ("leave the cell empty and give ", Option("read.gaps", "keep"))
    elif re.fullmatch(r"[0-9:T./ -]+Z?", cell) and (":" in cell or cell.count("-") > 1):
        remedy = "give times in seconds from the start, such as 12.5"
    elif _NUMBER.fullmatch(cell):
        if math.isfinite(float(re.sub("[dD]", "e", cell))):
            return InvalidValue("E542", f"{name} holds the text {shown}", "give numbers: np.array(values, float)")
        fact = f"{name} holds {shown}, more than the largest number, 1.8e308"
        return InvalidValue("E542", fact, ("leave the cell empty and give ", Option("read.gaps", "keep")))
    elif _THOUSANDS.fullmatch(cell):
        remedy = f"write {re.sub(r'[^-+0-9.,]', '', cell)[:24]}, without marks for thousands"
    elif parted:
        remedy = f"write the number alone, and a unit behind the name: {name} [{parted[1][:12]}]"
    elif cell.endswith("%") and _NUMBER.fullmatch(cell[:-1].strip()):
        remedy = "write a hundredth of it, without the %: 0.1 for 10%"
    else:
        remedy = ("write a number, or nan; a column of text is left out: ", Option("read.leave", [name]))
    return InvalidValue("E542", f"{name} holds {shown}, which is no number", remedy)
