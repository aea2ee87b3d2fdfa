"""What the library says when it refuses or doubts: coded errors, warnings and notes.

Every message names a code, the fact, the user's own text where there is one, and a remedy to type. Errors derive from
`DalembertError` and from the built-in exception that fits (`ValueError`, `KeyError`, `TypeError`,
`ArithmeticError`), so ordinary `except` clauses keep working.
"""

from __future__ import annotations

import difflib
import warnings
from collections.abc import Iterable
from dataclasses import dataclass


class DalembertError(Exception):
    """Base of every refusal.

    Attributes:
        code: catalogue code, such as ``"E231"``.
        fact: one line, what is wrong.
        remedy: what to do about it, as something to type (may be empty).
    """

    def __init__(self, code: str, fact: str, remedy: str = "", detail: str = "") -> None:
        self.code, self.fact, self.remedy, self.detail = code, fact, remedy, detail
        lines = [f"{code} {fact}"]
        lines += [f"  {line}" for line in detail.splitlines()]
        lines += [f"  {'do: ' if i == 0 else '    '}{line}" for i, line in enumerate(remedy.splitlines())]
        super().__init__("\n".join(lines))

    def __str__(self) -> str:  # KeyError would show the repr of its argument
        return str(self.args[0])

    def __reduce__(self) -> tuple[type, tuple[str, str, str, str]]:
        return type(self), (self.code, self.fact, self.remedy, self.detail)


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


class DalembertWarning(UserWarning):
    """A doubt: the computation goes on, the doubt is shown once and kept with the result."""


@dataclass(frozen=True)
class Note:
    """A coded remark kept with a result: `code` (``N...`` or ``W...``) and `text`."""

    code: str
    text: str

    def __str__(self) -> str:
        return f"{self.code} {self.text}"


def warn(code: str, text: str, stacklevel: int = 3) -> Note:
    """Show a coded warning once and return it as a `Note` to be kept with the result."""
    note = Note(code, text)
    warnings.warn(str(note), DalembertWarning, stacklevel=stacklevel)
    return note


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """A remedy line for a misspelt name: the closest known one, or the list of all."""
    names = sorted(map(str, known))
    close = difflib.get_close_matches(str(name), names, n=1, cutoff=0.6)
    if not close:
        close = [k for k in names if k.lower() == str(name).lower()]
    return f"did you mean {close[0]}?" if close else "known names: " + (", ".join(names) or "none")
