"""Limits of a text, and refusals: the fact, the text with a caret line under the place, and the remedy."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from typing import Any

from ...errors import InvalidValue, UnknownName
from ...errors.remedies import Words

# --- limits: a file cannot raise them, the person who calls may -------------------------------------------------------


@dataclass(frozen=True)
class TextLimits:
    """Limits of one text.

    Attributes:
        characters: of the text.
        depth: of brackets, and of the parse tree.
        operations: operators and function calls.
        exponent: largest absolute value of a numerical exponent.
        digits: of one number.
        decimal: largest absolute decimal exponent; numbers lie between 1e-300 and 1e300.
        bits: of numerators and denominators together when numbers are multiplied out.
        radical: the same for a number under a root, which SymPy factors.
        name: characters of a name.
    """

    characters: int = 40_000
    depth: int = 60
    operations: int = 20_000
    exponent: int = 64
    digits: int = 40
    decimal: int = 300
    bits: int = 4096
    radical: int = 512
    name: int = 64


LIMITS = TextLimits()


_WIDTH = 88
_STRANGE = {"Cc", "Cf", "Co", "Cs", "Cn", "Zl", "Zp"}  # characters that do not show, or that move others


# --- refusals ---------------------------------------------------------------------------------------------------------


class TextError(InvalidValue):
    """A text that is not an expression of the language.

    Attributes:
        text: what was read.
        column: where in it, from 0.
        length: how many characters are meant, at least 1.
    """

    def __init__(
        self, code: str, fact: Words, remedy: Words = "", text: str = "", column: int = 0, length: int = 1
    ) -> None:
        self.text, self.column, self.length = text, column, max(1, length)
        super().__init__(code, fact, remedy, caret(text, column, self.length))

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.code, *self.told, self.text, self.column, self.length), self.state


class UnknownText(TextError, UnknownName):
    """A name in a text that nothing bears."""

    def advised(self, remedy: Words) -> UnknownText:
        """The error with a further line of remedy."""
        remedies = (self.told[1], "\n", remedy) if self.remedy else remedy
        return UnknownText(self.code, self.told[0], remedies, self.text, self.column, self.length)


def caret(text: str, column: int, length: int = 1) -> str:
    """The line of the text that holds the column, cut to the width of a terminal, and carets below the place."""
    begin = max(text.rfind("\n", 0, column), text.rfind("\r", 0, column)) + 1
    ends = [i for i in (text.find("\n", column), text.find("\r", column)) if i >= 0]
    line, at = text[begin : min(ends, default=len(text))], column - begin
    if not line.strip():
        return ""
    start = 0 if len(line) <= _WIDTH else min(max(0, at - _WIDTH // 2), len(line) - _WIDTH)
    stop = start + _WIDTH
    head, tail = ("..." if start else ""), ("..." if stop < len(line) else "")
    shown = "".join(map(_visible, line[start:stop]))
    gap = len(head) + sum(map(_columns, line[start:at]))
    width = max(1, sum(map(_columns, line[at : min(at + length, stop)])))
    return f"{head}{shown}{tail}\n{' ' * gap}{'^' * width}"


def _visible(c: str) -> str:
    if c == "\t":
        return " "
    return "\N{REPLACEMENT CHARACTER}" if unicodedata.category(c) in _STRANGE else c


def _columns(c: str) -> int:
    """Columns of a terminal that a character takes."""
    if unicodedata.combining(c):
        return 0
    return 2 if unicodedata.east_asian_width(c) in "WF" else 1
