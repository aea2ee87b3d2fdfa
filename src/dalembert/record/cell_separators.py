"""How the cells of a table are parted, and which mark parts the decimals: only what the text leaves no doubt about."""

from __future__ import annotations

import csv
import re
from collections.abc import Sequence
from dataclasses import dataclass

from ..errors import InvalidValue, Place, as_given
from ..errors.remedies import Option, Words

SEPARATORS = {"\t": "tab", ";": "semicolon", ",": "comma", " ": "blank", "": "none"}
MISSING = {"", "nan", "na", "n/a", "null", "none", "-", "--", "?", "#n/a"}
_NUMBER = re.compile(r"[+-]?(?:[0-9]+[.,]?[0-9]*|[.,][0-9]+)(?:[eEdD][+-]?[0-9]+)?")
_THOUSANDS = re.compile(r"[+-]?[1-9][0-9]{0,2},[0-9]{3}")
_SAY = (
    *("say which: ", Option("read.decimal", ","), " or ", Option("read.decimal", "."), ", "),
    *(Option("read.separator", ";"), ' or "," or "\\t"'),
)


@dataclass(frozen=True)
class TextLine:
    """A line of a file: its number, counted from 1, and its text."""

    number: int
    text: str


@dataclass(frozen=True)
class Layout:
    """The separator of cells (a tab, ``;``, ``,``, a blank, or nothing for a single column) and the decimal mark."""

    separator: str
    decimal: str

    def cells(self, text: str) -> list[str]:
        """The cells of a line, without blanks and quotes about them."""
        return cells(text, self.separator)

    def value(self, cell: str) -> float | None:
        """A number, NaN for a missing value, None for anything else."""
        plain = cell.replace("\N{MINUS SIGN}", "-")
        if plain.lower() in MISSING:
            return float("nan")
        other = "," if self.decimal == "." else "."
        if other in plain or not _NUMBER.fullmatch(plain):
            return None
        return float(plain.replace(",", ".").replace("d", "e").replace("D", "e"))


def cells(text: str, separator: str) -> list[str]:
    """The cells of a line (ValueError if a quote is not closed)."""
    if separator == " ":
        return text.split()
    if '"' in text:
        try:
            found = next(csv.reader([text], delimiter=separator or "\0", skipinitialspace=True, strict=True))
        except (csv.Error, StopIteration):
            raise ValueError from None
        return [cell.strip() for cell in found]
    return [cell.strip() for cell in text.split(separator)] if separator else [text.strip()]


def check_mark(key: str, mark: str | None) -> None:
    """E307: the ``separator`` or ``decimal`` that was given is no mark of its kind."""
    if key == "separator" and mark and (len(mark) > 1 or mark.isalnum() or mark in "\"'+-.\r\n"):
        remedy = (Option("read.separator", ";"), ' or "," or "\\t"')
        raise InvalidValue("E307", f"separator = {as_given(mark)} parts no cells", remedy)
    if key == "decimal" and mark not in (None, ".", ","):
        raise InvalidValue("E307", f"decimal = {as_given(mark)} is no decimal mark", Option("read.decimal", ","))


def place(file: str, line: TextLine, parts: Sequence[str] = (), i: int = 0) -> Place:
    """Where cell i of a line stands."""
    at = 0
    for part in parts[:i]:
        at = line.text.find(part, at) + len(part) + (1 if part or at else 0)
    if not parts:
        return Place(file, line.number, 0, line.text, max(1, len(line.text)))
    at = max(0, line.text.find(parts[i], at)) if parts[i] else min(at, max(0, len(line.text) - 1))
    return Place(file, line.number, at, line.text, max(1, len(parts[i])))


def is_number(cell: str) -> bool:
    """Is it a number, with either decimal mark?"""
    return bool(_NUMBER.fullmatch(cell.replace("\N{MINUS SIGN}", "-")))


def fits(parts: Sequence[str], count: int) -> bool:
    """Are there so many cells, but for empty ones at the end?"""
    return len(parts) >= count and not any(parts[count:])


def layout(lines: Sequence[TextLine], file: str, separator: str | None = None, decimal: str | None = None) -> Layout:
    """The layout of a table whose first line is the heading.

    Args:
        lines: the heading and rows, without comments.
        file: its name in messages.
        separator, decimal: where they are known.

    Raises:
        InvalidValue: E540 the first line is no heading of the rows, E541 the text can be read in two ways.
    """
    mark = _separator(lines, file) if separator is None else separator
    if mark == "," and decimal == "," and not any('"' in line.text for line in lines):
        remedy = Option("read.separator", ";")
        raise InvalidValue("E541", f"{file}: the comma cannot part both cells and decimals", remedy)
    return Layout(mark, decimal or _decimal(lines, file, mark))


# --- the separator ---------------------------------------------------------------------------------------------------


def _split(line: TextLine, separator: str) -> list[str]:
    try:
        return cells(line.text, separator)
    except ValueError:
        return []


def _separator(lines: Sequence[TextLine], file: str) -> str:
    head, rows = lines[0], lines[1:]
    possible = [s for s in "\t;," if len(_split(head, s)) > 1]
    possible = possible or [
        s for s in " " if len(_split(head, s)) > 1 and "(" not in head.text and "[" not in head.text
    ]
    if not possible:
        return _single(head, rows, file)
    right = {s: sum(fits(_split(row, s), _count(head, s)) for row in rows) for s in possible}
    best = [s for s in possible if right[s] == max(right.values())]
    if len(best) > 1:
        numbers = {s: sum(map(is_number, (c for row in rows for c in _split(row, s)))) for s in best}
        clean = {s: not any(other in c for row in rows for c in _split(row, s) for other in "\t;") for s in best}
        best = [s for s in best if clean[s] and numbers[s]] or best
    if len(best) > 1:
        told = " or ".join(SEPARATORS[s] for s in best)
        fact = f"{file}: cells may be parted by {told}"
        raise InvalidValue("E541", fact, _SAY).at(place(file, rows[0] if rows else head))
    if rows and not max(right.values()):
        raise _unlike(head, rows[0], best[0], file)
    return best[0]


def _count(head: TextLine, separator: str) -> int:
    """How many names; an empty one at the end counts not."""
    parts = _split(head, separator)
    while parts and not parts[-1]:
        parts.pop()
    return len(parts)


def _single(head: TextLine, rows: Sequence[TextLine], file: str) -> str:
    """One column; or a line of another kind before the heading."""
    for s in "\t;,":
        counts = {len(_split(row, s)) for row in rows}
        if len(counts) == 1 and counts != {1} and any(not is_number(c) for c in _split(rows[0], s)):
            raise _unlike(head, rows[0], s, file)
    for row in rows:
        if any(s in row.text for s in "\t;,"):
            fact = f"the heading names one column, and line {row.number} may hold more, or a decimal comma"
            raise InvalidValue("E541", fact, _SAY).at(place(file, row))
    return ""


def _unlike(head: TextLine, row: TextLine, separator: str, file: str) -> InvalidValue:
    """E541 if commas may be decimal marks; else E540."""
    names, found = _count(head, separator), len(_split(row, separator))
    if separator == "," and found > names and all(is_number(c) for c in _split(row, separator)):
        fact = f"{found} cells below {names} names: are the commas decimal marks?"
        remedy = "part the cells by semicolons, or write . as decimal mark"
        error = InvalidValue("E541", fact, remedy)
    else:
        fact = f"line {head.number} is no heading: {names} names above {found} cells in line {row.number}"
        error = InvalidValue(
            "E540", fact, ("leave out lines that come before the heading: ", Option("read.skip", head.number))
        )
    error.at(place(file, row if error.code == "E541" else head))
    return error


# --- the decimal mark ------------------------------------------------------------------------------------------------


def _decimal(lines: Sequence[TextLine], file: str, separator: str) -> str:
    """The mark that every number bears, if there is one way to read them."""
    found: dict[str, tuple[TextLine, list[str], int]] = {}
    certain = False
    for line in lines[1:]:
        parts = _split(line, separator)
        for i, cell in enumerate(parts):
            marks = {mark for mark in ".," if mark in cell and cell[:1] in "+-.,0123456789\N{MINUS SIGN}"}
            if len(marks) == 2 or cell.count(",") > 1:
                fact = f"is {as_given(cell[:24])} written with a mark for thousands?"
                raise _doubtful(fact, "write 1234.5, without marks for thousands", file, line, parts, i)
            for mark in marks:
                found.setdefault(mark, (line, parts, i))
            certain = certain or ("," in marks and not _THOUSANDS.fullmatch(cell))
    if len(found) == 2:
        line, parts, i = max(found.values(), key=lambda each: each[0].number)
        raise _doubtful("decimal points and decimal commas in one table", _SAY, file, line, parts, i)
    if "," in found and not certain:
        line, parts, i = found[","]
        raise _doubtful(
            f"does the comma in {as_given(parts[i][:24])} mark decimals or thousands?", _SAY, file, line, parts, i
        )
    return "," if "," in found else "."


def _doubtful(fact: str, remedy: Words, file: str, line: TextLine, parts: Sequence[str], i: int) -> InvalidValue:
    error = InvalidValue("E541", fact, remedy)
    error.at(place(file, line, parts, i))
    return error
