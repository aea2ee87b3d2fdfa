"""Where each key and value of a TOML text stands, so that messages can point at it, and problems with their places.

`places` walks a text that `tomllib` has accepted; it decides nothing about what is valid TOML. A path is a tuple of
keys and positions, ``("constraint", 0, "phi")``.
"""

from __future__ import annotations

import bisect
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import NamedTuple

from ..errors import DalembertError, Place, Problems
from ..errors.interfaces import FILE

Path = tuple[str | int, ...]

_BLANK = re.compile(r"[ \t]*(?:#[^\n]*)?")
_SPACE = re.compile(r"(?:[ \t\n]|#[^\n]*)*")
_KEY = re.compile(r"[A-Za-z0-9_-]+|\"(?:[^\"\\\n]|\\.)*\"|'[^'\n]*'")
_DOT = re.compile(r"[ \t]*\.[ \t]*")
_STRING = re.compile(
    r'"""(?:[^"\\]|\\.|"(?!""))*"{3,5}|\'\'\'(?:[^\']|\'(?!\'\'))*\'{3,5}|"(?:[^"\\\n]|\\.)*"|\'[^\'\n]*\'', re.DOTALL
)
_PLAIN = re.compile(r"[^,\]}#\n]+")
_ESCAPE = re.compile(r"\\(?:u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|x[0-9a-fA-F]{2}|[ \t]*\n[ \t\n]*|.)")


class TextSpan(NamedTuple):
    """A stretch of the text, positions counted in characters."""

    start: int
    end: int


class Places:
    """Spans of keys and values by path, and `Place`s made of them."""

    def __init__(self, text: str, name: str) -> None:
        self.text, self.name, self.folder = text, name, ""
        self.keys: dict[Path, TextSpan] = {}
        self.values: dict[Path, TextSpan] = {}
        self._starts = [0, *(m.end() for m in re.finditer("\n", text))]

    def at(self, start: int, end: int) -> Place:
        """The place of a stretch of the text, as much of it as is on its first line."""
        line = bisect.bisect_right(self._starts, start) - 1
        first = self._starts[line]
        whole = self.text[first:].partition("\n")[0]
        return Place(self.name, line + 1, start - first, whole, max(1, min(end, first + len(whole)) - start))

    def value(self, path: Path) -> Place | None:
        """Where a value stands; of one that is left out, the table or key that would hold it."""
        return self._nearest(path, self.values, self.keys)

    def key(self, path: Path) -> Place | None:
        """Where a key stands; the table's, if it is left out."""
        return self._nearest(path, self.keys, self.values)

    def inside(self, path: Path, column: int, length: int = 1) -> Place | None:
        """Where a piece of a string value stands: `column` and `length` count its characters."""
        if path not in self.values:
            return self.value(path)
        span = self.values[path]
        token = self.text[span.start : span.end]
        if token[:1] not in ('"', "'"):
            return self.at(span.start + column, span.start + column + length)
        offsets = _offsets(token)
        first, last = (min(max(i, 0), len(offsets) - 1) for i in (column, column + length))
        return self.at(span.start + offsets[first], span.start + max(offsets[last], offsets[first] + 1))

    def moved(self, holder: Path, names: Mapping[str | int, str | int | None]) -> Places:
        """The places after entries of a table or list were renamed, moved or (None) left out."""
        new = Places(self.text, self.name)
        new.folder = self.folder
        for old, spans in ((self.keys, new.keys), (self.values, new.values)):
            for path, span in old.items():
                inside = len(path) > len(holder) and path[: len(holder)] == holder
                part = names.get(path[len(holder)], path[len(holder)]) if inside else None
                if not inside:
                    spans[path] = span
                elif part is not None:
                    spans[(*holder, part, *path[len(holder) + 1 :])] = span
        return new

    def _nearest(self, path: Path, first: dict[Path, TextSpan], second: dict[Path, TextSpan]) -> Place | None:
        for n in range(len(path), -1, -1):
            for spans in (first, second):
                if path[:n] in spans:
                    return self.at(*spans[path[:n]])
        return None


def _offsets(token: str) -> list[int]:
    """Position in the token of each character of the string it stands for, and of its end."""
    quote = token[:3] if token[:3] in ('"""', "'''") else token[:1]
    at, end = len(quote), len(token) - len(quote)
    if len(quote) == 3 and token[at : at + 1] == "\n":
        at += 1
    found: list[int] = []
    while at < end:
        escape = _ESCAPE.match(token, at) if quote[0] == '"' and token[at] == "\\" else None
        if escape is None:
            found.append(at)
            at += 1
            continue
        if "\n" not in escape[0]:
            found.append(at)
        at = escape.end()
    return [*found, at]


def places(text: str, name: str) -> Places:
    """The places of everything in a TOML text that is valid."""
    found = Places(text, name)
    _Walk(found).document()
    return found


class _Walk:
    """One pass over the text."""

    def __init__(self, found: Places) -> None:
        self.found, self.text, self.i = found, found.text, 0
        self.counts: dict[Path, int] = {}  # tables of each array so far

    def document(self) -> None:
        table: Path = ()
        self._skip(_SPACE)
        while self.i < len(self.text):
            if self.text[self.i] == "[":
                table = self._header()
            else:
                self._pair(table)
            self._skip(_SPACE)

    def _header(self) -> Path:
        start, brackets = self.i, 2 if self.text.startswith("[[", self.i) else 1
        self.i += brackets
        self._skip(_BLANK)
        names = [name for name, _ in self._names()]
        self._skip(_BLANK)
        self.i += brackets
        table = (*self._resolved(names[:-1]), names[-1])
        span = TextSpan(start, self.i)
        if brackets == 2:
            self.found.keys.setdefault(table, span)
            n = self.counts[table] = self.counts.get(table, -1) + 1
            table = (*table, n)
        elif table in self.counts:
            table = (*table, self.counts[table])
        self.found.keys[table] = span
        return table

    def _resolved(self, names: list[str]) -> Path:
        """The path of these keys, in the last table of each array on the way."""
        path: Path = ()
        for name in names:
            path = (*path, name)
            if path in self.counts:
                path = (*path, self.counts[path])
        return path

    def _pair(self, table: Path) -> None:
        path = table
        for name, span in self._names():
            path = (*path, name)
            self.found.keys.setdefault(path, span)
        self._skip(_BLANK)
        self.i += 1  # =
        self._skip(_BLANK)
        self._value(path)

    def _names(self) -> Iterator[tuple[str, TextSpan]]:
        while True:
            token = _KEY.match(self.text, self.i)
            if token is None:  # cannot be in valid text: leave it
                self.i = len(self.text)
                return
            self.i = token.end()
            yield _unquoted(token[0]), TextSpan(*token.span())
            dot = _DOT.match(self.text, self.i)
            if dot is None:
                return
            self.i = dot.end()

    def _value(self, path: Path) -> None:
        start, first = self.i, self.text[self.i : self.i + 1]
        if first == "[":
            self._array(path)
        elif first == "{":
            self._inline(path)
        else:
            token = (_STRING if first in ('"', "'") else _PLAIN).match(self.text, self.i)
            self.i = token.end() if token else len(self.text)
        plain = first not in ("[", "{", '"', "'")
        end = start + len(self.text[start : self.i].rstrip()) if plain else self.i
        self.found.values[path] = TextSpan(start, end)

    def _array(self, path: Path) -> None:
        self.i += 1
        for n in range(len(self.text)):
            self._skip(_SPACE)
            if self._closed("]"):
                return
            self._value((*path, n))
            self._skip(_SPACE)
            self._comma()

    def _inline(self, path: Path) -> None:
        self.i += 1
        while self.i < len(self.text):
            self._skip(_SPACE)
            if self._closed("}"):
                return
            self._pair(path)
            self._skip(_SPACE)
            self._comma()

    def _closed(self, bracket: str) -> bool:
        closed = self.text[self.i : self.i + 1] in (bracket, "")
        self.i += closed
        return closed

    def _comma(self) -> None:
        self.i += self.text[self.i : self.i + 1] == ","

    def _skip(self, pattern: re.Pattern[str]) -> None:
        found = pattern.match(self.text, self.i)
        self.i = found.end() if found else self.i


def _unquoted(token: str) -> str:
    if token[0] == '"' and "\\" in token:
        import tomllib

        return next(iter(tomllib.loads(f"{token} = 0")))
    return token[1:-1] if token[0] in "\"'" else token


# --- problems --------------------------------------------------------------------------------------------------------


class Collector:
    """Collects the problems of one file.

    Attributes:
        partial: constraints were refused, so that not all names of multipliers are known.
    """

    def __init__(self, places: Places) -> None:
        self.places, self.partial = places, False
        self.found: list[DalembertError] = []

    def add(self, error: DalembertError, path: Path, *, key: bool = False) -> None:
        """A problem of the value (or the key) at this path."""
        self.found.append(error.at(self.places.key(path) if key else self.places.value(path)))

    @contextmanager
    def watch(self, path: Path, *, key: bool = False) -> Iterator[None]:
        """Collect the refusal that the body ends with, if any."""
        try:
            yield
        except DalembertError as error:
            self.add(error, path, key=key)

    def settle(self) -> None:
        """Raise what was found: one problem as itself, several as `Problems`, in the order of the file."""
        said = [error.on(FILE) for error in self.found]
        found = sorted(_distinct(said), key=lambda error: _order(error.where))
        if len(found) == 1:
            raise found[0]
        if found:
            raise Problems(found, self.places.name)


def _order(where: Place | None) -> tuple[int, int]:
    return (where.line, where.column) if where else (0, 0)


def _distinct(errors: list[DalembertError]) -> list[DalembertError]:
    return list({(error.code, error.fact, error.where): error for error in errors}.values())
