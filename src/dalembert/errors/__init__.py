"""What the library says when it refuses or doubts: coded errors, warnings and notes.

Every message names a code, the fact, the user's own text where there is one, and a remedy to type. Errors derive from
`DalembertError` and from the built-in exception that fits (`ValueError`, `KeyError`, `TypeError`,
`ArithmeticError`), so ordinary `except` clauses keep working.
"""

from __future__ import annotations

import difflib
import sys
import warnings
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from types import CodeType, FrameType
from typing import Any, Self

from .interfaces import PYTHON, brief, said
from .lookalike_letters import apart, shape
from .remedies import Words
from .shown_values import as_given as as_given
from .shown_values import kind_of as kind_of

MOST_SHOWN = 20  # problems of one file
MANY = 2000  # names, among which no close one is looked for: that takes long
BETWEEN: set[CodeType] = set()  # code that stands between a caller and what it calls: no frame of its own
_WIDTH = 78  # of a source line in a message, behind its indent: 80 columns in all
_LEAST = 30  # of it, however long the name of the file is


@dataclass(frozen=True)
class Place:
    """Where in a text something stands.

    Attributes:
        file: name of the file or text.
        line: counted from 1.
        column: counted from 0, in characters.
        text: the whole source line.
        length: characters that are meant, at least 1.
    """

    file: str
    line: int
    column: int = 0
    text: str = ""
    length: int = 1

    def __str__(self) -> str:
        return f"{self.file}:{self.line}"

    @property
    def shown(self) -> list[str]:
        """The source line behind its place, and a line of carets below what is meant."""
        label = f"{self}  "
        if not self.text:
            return [label.rstrip()]
        # a long line is cut around what is meant
        room = max(_LEAST, _WIDTH - len(label))
        first, room = self._cut(room - 4) if len(self.text) > room else (0, room)
        piece = self.text[first : first + room]
        before, after = "… " if first else "", " …" if first + room < len(self.text) else ""
        piece = "".join(c if c.isprintable() else " " if c == "\t" else "\N{REPLACEMENT CHARACTER}" for c in piece)
        at = len(label) + len(before) + self.column - first
        carets = max(1, min(self.length, len(piece) - (self.column - first)))
        return [label + before + piece + after, " " * at + "^" * carets]

    def _cut(self, room: int) -> tuple[int, int]:
        """Where the piece of a long line begins that has what is meant in it, and how long it is."""
        if self.column + self.length <= room:
            return 0, room
        return max(0, min(self.column - room // 3, len(self.text) - room)), room


class DalembertError(Exception):
    """Base of every refusal.

    Attributes:
        code: catalogue code, such as ``"E231"``.
        told: fact and remedy as they were given: text, values of `remedies`, or tuples of both.
        detail: more lines about it (may be empty).
        subject: what it is about, ``("constraints", "blade")`` or ``("start", "vx")``; empty if it is no one thing.
        where: the `Place` in a file that it is about, if there is one.
        surface: in whose words it is said: `PYTHON`, `FILE` or `COMMAND`.
    """

    where: Place | None = None
    surface: str = PYTHON

    def __init__(
        self, code: str, fact: Words, remedy: Words = "", detail: str = "", *, subject: tuple[str, ...] = ()
    ) -> None:
        self.code, self.detail, self.subject = code, detail, subject
        self.told: tuple[Words, Words] = fact, remedy
        super().__init__(f"{code} {said(fact, PYTHON)}")

    @property
    def fact(self) -> str:
        """One line, what is wrong."""
        return said(self.told[0], self.surface)

    @property
    def remedy(self) -> str:
        """What to do about it, as something to type (may be empty)."""
        return said(self.told[1], self.surface)

    def __str__(self) -> str:
        return self.after(None)

    def after(self, before: DalembertError | None) -> str:
        """All that is said, but for a remedy that the refusal before it has said already."""
        lines = [] if self.where is None else self.where.shown
        lines = lines + [brief(line) for line in self.detail.splitlines()]
        if before is None or (before.code, before.remedy) != (self.code, self.remedy):
            lines += [f"{'do: ' if i == 0 else '    '}{line}" for i, line in enumerate(self.remedy.splitlines())]
            lines += [] if self.where is None else [f"dalembert explain {self.code}"]
        return "\n".join([f"{self.code} {self.fact}", *(f"  {line}" for line in lines)])

    @property
    def line(self) -> str:
        """One line, for logs: code, place, fact."""
        place = "" if self.where is None else f" {self.where}:"
        return f"{self.code}{place} {self.fact}"

    def at(self, where: Place | None) -> DalembertError:
        """The same error with its place; a place that it has already is kept."""
        self.where = self.where or where
        return self

    def on(self, surface: str) -> Self:
        """The same error in the words of a surface."""
        self.surface = surface
        return self

    def also(self, *more: Words) -> Self:
        """The same error with more to do about it."""
        self.told = self.told[0], (self.told[1], *more)
        return self

    def about(self, *subject: str) -> Self:
        """The same error with its subject; one that it has already is kept."""
        self.subject = self.subject or subject
        return self

    @property
    def state(self) -> dict[str, Any]:
        """What is not among the arguments, for another process."""
        return {"subject": self.subject, "where": self.where, "surface": self.surface}

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.code, *self.told, self.detail), self.state


class InvalidValue(DalembertError, ValueError):
    """A value, expression or option that cannot be used."""


class WrongType(DalembertError, TypeError):
    """Something of the wrong kind: text for a number, a list for an expression, an option that does not exist."""


class UnknownName(DalembertError, KeyError):
    """A name that nothing here bears."""


class Singular(DalembertError, ArithmeticError):
    """The motion is not determined: a rank is missing, or a number stopped being finite."""


class MissingFile(DalembertError, FileNotFoundError):
    """A file that is not there."""


class Unwritable(DalembertError, OSError):
    """A place where nothing can be written, or no more."""


class Problems(InvalidValue):
    """Several refusals at once, of one file: all of them in `problems`, the first 20 shown.

    `code` is that of the first.
    """

    def __init__(self, problems: Iterable[DalembertError], name: str = "") -> None:
        self.problems, self.name = tuple(problems), name
        first = self.problems[0]
        super().__init__(first.code, f"{len(self.problems)} problems{f' in {name}' if name else ''}")

    def __str__(self) -> str:
        told = self.problems[:MOST_SHOWN]
        shown = [problem.after(before) for before, problem in zip((None, *told), told, strict=False)]
        left = len(self.problems) - len(shown)
        return "\n\n".join([f"{self.fact}:", *shown, *([f"and {left} more"] if left else [])])

    def on(self, surface: str) -> Self:
        """The problems in the words of a surface."""
        for problem in self.problems:
            problem.on(surface)
        return super().on(surface)

    @property
    def line(self) -> str:
        """One line for each problem, for logs."""
        return "\n".join(problem.line for problem in self.problems)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.problems, self.name)


class DalembertWarning(UserWarning):
    """A doubt: the computation goes on, the doubt is shown once and kept with the result."""

    def __init__(self, code: str, text: Words) -> None:
        self.code, self.told = code, text
        super().__init__(f"{code} {said(text, PYTHON)}")

    def on(self, surface: str) -> str:
        """The doubt in the words of a surface."""
        return f"{self.code} {said(self.told, surface)}"

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.code, self.told)


@dataclass(frozen=True)
class Note:
    """A coded remark kept with a result: `code` (``N...`` or ``W...``) and `text`."""

    code: str
    text: str

    def __str__(self) -> str:
        return f"{self.code} {self.text}"


_OURS = {__name__.partition(".")[0], "functools", "contextlib"}  # what Python puts between us and us is no caller


def _own(frame: FrameType) -> bool:
    return str(frame.f_globals.get("__name__")).partition(".")[0] in _OURS


def warn(code: str, text: Words, stacklevel: int = 3) -> Note:
    """Show a coded warning once and return it as a `Note` to be kept with the result.

    It is shown at the line of the caller that is so far away, and outside this package.
    """
    frame, level = sys._getframe(), 1
    while (level < stacklevel or _own(frame)) and frame.f_back is not None:
        frame, level = frame.f_back, level + 1
        stacklevel += frame.f_code in BETWEEN
    stacklevel = level
    warnings.warn(DalembertWarning(code, text), stacklevel=stacklevel)
    return Note(code, said(text, PYTHON))


@contextmanager
def about(*subject: str) -> Iterator[None]:
    """What the body refuses is about this, unless it says of what."""
    try:
        yield
    except DalembertError as error:
        error.about(*subject)
        raise


@contextmanager
def written(place: object, remedy: str) -> Iterator[None]:
    """What the operating system refuses while something is written, in the library's words (Unwritable E530)."""
    try:
        yield
    except DalembertError:
        raise
    except OSError as error:
        why = error.strerror or str(error)
        raise Unwritable("E530", f"{place} cannot be written: {why}", remedy) from None


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """A remedy line for a misspelt name: the closest known one, or the list of all."""
    names = sorted(map(str, known))
    close = closest(name, names)
    if close and close != name and shape(close) == shape(name):
        return f"did you mean {close}? It only looks the same: {apart(name, close)}"
    return f"did you mean {close}?" if close else "known names: " + (", ".join(names) or "none")


def closest(name: str, known: Iterable[str]) -> str | None:
    """The known name that is probably meant, if one is close."""
    names = sorted(map(str, known))
    if len(names) > MANY:
        return next((k for k in names if k.lower() == str(name).lower()), None)
    same = [k for k in names if shape(k) == shape(str(name)) and k != name]
    if same:
        return same[0]
    close = difflib.get_close_matches(str(name), names, n=1, cutoff=0.6)
    return next(iter(close or [k for k in names if k.lower() == str(name).lower()]), None)
