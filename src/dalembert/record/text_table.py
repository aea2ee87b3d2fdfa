"""A table of text: from a file to its lines, its heading, and columns of numbers, or a refusal with its line.

E501 to E506, E510 and E547 are of the file, E540 of the heading, E541 to E546 of the rows.
"""

from __future__ import annotations

import codecs
import hashlib
import io
import math
import os
import re
from array import array
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

import numpy as np

from ..errors import DalembertError, InvalidValue, Place, as_given
from ..errors.lookalike_letters import apart, twins
from ..errors.remedies import Option, Words
from ..input_file import Wanted, name_of, opened
from .cell_separators import MISSING, Layout, TextLine, cells, fits, is_number, layout, place

# --- the file --------------------------------------------------------------------------------------------------------
# The file is gone through once before anything of it is kept: for its sha256, its encoding and the number of its lines.

MOST_ROWS = 10**7
MOST_BYTES = 2**32
BLOCK = 2**20
SPARE = 10**4  # lines beyond the rows: comments, heading
_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
WANTED = Wanted('da.recorded("track.csv")', "track.csv", "check the name and the folder")
_OTHERS = ((b"{", "JSON"), (b"[[", "JSON"), (b"[{", "JSON"), (b"<", "HTML or XML"), (b"%PDF", "PDF"))
_TABLE = "a table is lines of text such as: t,x,y"


@dataclass(frozen=True)
class Source:
    """A file of text that was looked at.

    Attributes:
        path: where it lies.
        name: what it is called in messages.
        encoding: by which it is read.
        sha256: of its bytes.
    """

    path: Path
    name: str
    encoding: str
    sha256: str

    def lines(self) -> Iterator[str]:
        """Its lines without their ends: of Unix, Windows and old Macintosh."""
        with opened(self.path, self.name, WANTED) as file, io.TextIOWrapper(file, self.encoding) as text:
            yield from (line.rstrip("\n") for line in text)

    def line(self, number: int) -> str:
        """One line, counted from 1."""
        return next(islice(self.lines(), number - 1, None), "")


def looked_at(path: str | os.PathLike[str]) -> Source:
    """The file behind a name.

    Raises:
        WrongType: E501, no path.
        MissingFile: E501, there is no such file.
        InvalidValue: E502 a folder, E503 no permission, E504 empty, E505 binary, E506 an encoding that is not known,
            E510 not a plain file, or an address, E547 more than 10^7 rows.
    """
    name, label = name_of(path, WANTED)
    return _surveyed(Path(name), label)


def _surveyed(path: Path, label: str) -> Source:
    """One pass over the bytes, a block at a time."""
    digest, ends = hashlib.sha256(), [0, 0]
    with opened(path, label, WANTED) as file:
        head = file.read(BLOCK)
        if not head.strip():
            raise InvalidValue("E504", f"{label} is empty", _TABLE)
        if os.fstat(file.fileno()).st_size > MOST_BYTES:
            raise InvalidValue("E547", f"{label} is larger than 4 GiB", "keep a part of it, or every tenth row")
        encoding = _marked(head, label)
        _check_kind(head, label)
        reads = {each: codecs.getincrementaldecoder(each)() for each in ([encoding] if encoding else _TRIED)}
        block = head
        while block:
            digest.update(block)
            ends = [ends[0] + block.count(b"\n"), ends[1] + block.count(b"\r")]
            if max(ends) > MOST_ROWS + SPARE:
                raise too_many(label)
            _decode(reads, block)
            block = file.read(BLOCK)
        _decode(reads, b"", final=True)
    if not reads:
        wanted = encoding or "UTF-8, nor Latin-1"
        raise InvalidValue("E506", f"{label} is not {wanted}", "save it as UTF-8")
    return Source(path, label, next(iter(reads)), digest.hexdigest())


_TRIED = ("utf-8", "cp1252")  # the second is Latin-1 with the signs that Windows adds


def too_many(label: str) -> InvalidValue:
    """E547."""
    return InvalidValue("E547", f"{label} has more than 10^7 rows", "keep a part of it, or every tenth row")


def _marked(head: bytes, label: str) -> str:
    """The encoding that the first bytes tell, or nothing."""
    for mark, encoding in _MARKS:
        if head.startswith(mark):
            return encoding
    start = head[:4096]
    zeros = [start[i::2].count(0) for i in (0, 1)]
    if max(zeros) > len(start) // 3 and min(zeros) == 0:
        return "utf-16-be" if zeros[0] else "utf-16-le"
    strange = sum(byte < 9 or 13 < byte < 32 for byte in start)
    if max(zeros) or strange > len(start) // 50:
        raise InvalidValue("E505", f"{label} is binary, not text", _TABLE)
    return ""


def _check_kind(head: bytes, label: str) -> None:
    """E505: text of another kind, told by its first sign."""
    kind = next((word for sign, word in _OTHERS if head.lstrip().startswith(sign)), "")
    if kind:
        raise InvalidValue("E505", f"{label} is {kind}, not a table", f"save the numbers as CSV: {_TABLE}")


def _decode(reads: dict[str, codecs.IncrementalDecoder], block: bytes, final: bool = False) -> None:
    """Leave out the encodings that the bytes are not in."""
    for encoding, decoder in list(reads.items()):
        try:
            decoder.decode(block, final)
        except UnicodeError:
            del reads[encoding]


# --- the heading -----------------------------------------------------------------------------------------------------
# The heading of a table: names, units in it or in a row of their own, and columns that are uncertainties (E540).

LONGEST = 200  # characters of a name with its unit
_OWN = "give every column a name of its own"
_UNCERTAIN = re.compile(r"(?:sigma|u|σ)\s*\(\s*([^()]*?)\s*\)|(?:sigma|σ)_([^\s/()\[\]]+)")
_BRACKETS = re.compile(r"(.*?[^\s/])\s*/?\s*(?:\[([^\[\]]*)\]|\(([^()]*(?:\([^()]*\)[^()]*)*)\))")
_SLASH = re.compile(r"([^/]*[^/\s])\s*/\s*(\S.*)")
_WORD = re.compile(r"[^\W\d_]|[°%µ]")


def split(cell: str) -> tuple[str, str]:
    """Name and unit of ``x [cm]``, ``x (cm)``, ``x/cm`` or ``x``: ``("x", "cm")``, the unit empty if there is none."""
    if _UNCERTAIN.fullmatch(cell):
        return cell, ""
    found = _BRACKETS.fullmatch(cell)
    if found:
        return found[1], (found[2] or found[3] or "").strip()
    found = _SLASH.fullmatch(cell)
    return (found[1], found[2]) if found else (cell, "")


def uncertain(name: str, names: Collection[str]) -> str:
    """The column whose uncertainty this one holds: ``x`` for ``sigma_x``, ``sigma(x)``, ``u(x)``; empty if none."""
    found = _UNCERTAIN.fullmatch(name)
    base = (found[1] or found[2]) if found else ""
    return base if base in names else ""


def check_heading(head: TextLine, layout: Layout, file: str, comment: TextLine | None) -> list[str]:
    """The cells of the heading.

    Raises:
        InvalidValue: E540, numbers in the place of names, a name missing, or twice.
    """
    parts = layout.cells(head.text)
    while parts and not parts[-1]:
        parts.pop()
    seen: dict[str, int] = {}
    for i, part in enumerate(parts):
        if is_number(part) or part.lower() in MISSING - {"", "?"}:
            raise _headless(head, layout, file, comment)
        name = split(part)[0] if len(part) <= LONGEST else part
        fact = _wrong(name, i, seen)
        if fact:
            raise InvalidValue("E540", fact, _OWN).at(place(file, head, parts, i))
        seen[name] = i
    fact = _alike(seen)
    if fact:
        raise InvalidValue("E540", fact, _OWN).at(place(file, head))
    return parts


def check_names(names: Sequence[str]) -> None:
    """E540: what is given by name and not in a file has a name that is none, twice, or one that looks like another."""
    seen: dict[str, int] = {}
    for i, name in enumerate(names):
        fact = _wrong(name, i, seen)
        if fact:
            raise InvalidValue("E540", fact, _OWN)
        seen[name] = i
    fact = _alike(seen)
    if fact:
        raise InvalidValue("E540", fact, _OWN)


def _alike(names: Collection[str]) -> str:
    """Which two names look alike, if any do."""
    pair = None if all(map(str.isascii, names)) else twins(names)
    return f"{pair[0]} and {pair[1]} look alike: {apart(*pair)}" if pair else ""


def _wrong(name: str, i: int, seen: Collection[str]) -> str:
    """What is wrong with the name of column i; nothing if it is one."""
    strange = next((c for c in name if not c.isprintable()), "")
    if not name:
        return f"column {i + 1} has no name"
    if len(name) > LONGEST:
        return f"the name of column {i + 1} has {len(name)} characters, the limit is {LONGEST}"
    if strange:
        return f"the name of column {i + 1} holds the character U+{ord(strange):04X}, which is not seen"
    return f"the name {as_given(name)} stands twice" if name in seen else ""


def _headless(head: TextLine, layout: Layout, file: str, comment: TextLine | None) -> InvalidValue:
    count = len(layout.cells(head.text))
    if comment is not None and len(layout.cells(comment.text.lstrip("# "))) == count > 1:
        remedy: Words = f"take the # away before the names in line {comment.number}"
    else:
        names = ("t", "x", "y", "z")[:count] if count <= 4 else ("t", "x", "y", "...")
        remedy = (
            f"write a first line with names, such as {','.join(names)}, or give them: ",
            Option("read.columns", list(names)),
        )
    error = InvalidValue("E540", f"{file} has no heading: line {head.number} holds numbers", remedy)
    error.at(place(file, head))
    return error


def unit_row(parts: Sequence[str]) -> list[str] | None:
    """Units, if that is what the cells of a row are: no number among them but a 1, and one at least with letters."""
    plain = [part.strip("[]() ") if part.strip()[:1] in ("[", "(") else part for part in parts]
    if any(is_number(part) and part != "1" for part in plain):
        return None
    if not any(_WORD.search(part) and part.lower() not in MISSING for part in plain):
        return None
    return ["" if part.lower() in MISSING or part == "1" else part for part in plain]


SAMPLE = 10_000  # lines by which the layout is told
_PLAIN = re.compile(r"[-0-9eE+., ;\t]*")  # float() reads nothing but numbers in it
_NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eEdD][+-]?\d+)?", re.ASCII)
_THOUSANDS = re.compile(r"[+-]?[0-9]{1,3}(?:['’_ \u00a0\u2009\u202f][0-9]{3})+(?:[.,][0-9]+)?")
_UNIT = re.compile(r"[+-]?[0-9][0-9.,]*(?:[eE][+-]?[0-9]+)?\s*((?:[^\W\d_]|°)(?:[^\W\d_]|[/*^·° -]|[1-9](?![0-9]))*)")
_EXCEL = re.compile(r"sep=(.)\s*")


@dataclass(frozen=True)
class TextTable:
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
        line = TextLine(number, self.source.line(number))
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
) -> TextTable:
    """The columns of a file.

    Args:
        path: of a text with a heading and rows of cells; lines that begin with ``#`` are comments.
        keep: names of the columns that are read, all by default; others may hold text.
        leave: names of columns that are not read.
        names: of the columns, if the file turns out to be without a heading.
        separator, decimal: as in `layout.layout`.
        skip: lines to leave out before the heading.

    Raises:
        DalembertError: E501 to E506 and E510 as of `Source`, E540 to E542 and E546, E547 as in `recording`.
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
    values, lines = _CellReader(source, form, every, taken).read(_rows(source, start))
    return TextTable(
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


def _rows(source: Source, after: int) -> Iterator[TextLine]:
    """The lines after one, without comments and blank lines."""
    for number, text in enumerate(source.lines(), 1):
        if number > after and text.strip() and not text.lstrip().startswith("#"):
            yield TextLine(number, text)


def _sample(source: Source, skip: int) -> tuple[list[TextLine], TextLine | None]:
    """The first lines, and the last comment before them; E546 if there is no row, E540 if nothing at all."""
    told = list(islice(_rows(source, skip), SAMPLE))
    first = told[0].number if told else 1
    before = (TextLine(n, text) for n, text in enumerate(islice(source.lines(), first - 1), 1))
    comment = None
    for line in before:
        comment = line if line.text.lstrip().startswith("#") and line.number > skip else comment
    if not told:
        raise InvalidValue("E540", f"{source.name} holds no heading and no rows", "a table begins with names: t,x,y")
    return told, comment


def _cells(line: TextLine, form: Layout, file: str) -> list[str]:
    """The cells of a line (E542 if a quote is not closed)."""
    try:
        return cells(line.text, form.separator)
    except ValueError:
        error = InvalidValue("E542", f"a quote in line {line.number} is not closed", 'close it with "')
        raise error.at(Place(file, line.number, line.text.find('"'), line.text)) from None


class _CellReader:
    """Cells into numbers, row by row."""

    def __init__(self, source: Source, form: Layout, every: Sequence[str], taken: Sequence[int]) -> None:
        self.file, self.form, self.every, self.taken = source.name, form, every, taken
        self.whole = len(taken) == len(every)

    def read(self, rows: Iterable[TextLine]) -> tuple[np.ndarray, np.ndarray]:
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

    def _row(self, line: TextLine) -> list[float]:
        text = line.text
        if self.whole and self.form.separator and _PLAIN.fullmatch(text):
            parts = text.split(None if self.form.separator == " " else self.form.separator)
            with suppress(ValueError):
                if len(parts) == len(self.every) and self.form.decimal == ".":
                    return _finite([*map(float, parts)])
        return self._slowly(line)

    def _slowly(self, line: TextLine) -> list[float]:
        parts = _cells(line, self.form, self.file)
        if not fits(parts, len(self.every)):
            raise self._uneven(line, parts)
        values = [self.form.value(parts[i]) for i in self.taken]
        for i, value in zip(self.taken, values, strict=True):
            if value is None or math.isinf(value):
                raise self._refused(line, parts, i)
        return [float("nan") if value is None else value for value in values]

    def _uneven(self, line: TextLine, parts: Sequence[str]) -> DalembertError:
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

    def _at(self, line: TextLine) -> Place:
        return place(self.file, line)

    def _refused(self, line: TextLine, parts: Sequence[str], i: int) -> DalembertError:
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
