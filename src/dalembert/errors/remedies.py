"""Remedies as values: what to do about a refusal, to be said in Python, in a system file or on the command line.

A remedy is text, one of these values, or a tuple of both. What reads the same everywhere is text. The printers are in
`surfaces`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Code:
    """A value of which only Python has a spelling, such as ``{velocity: Q}``; elsewhere the option is named."""

    text: str


@dataclass(frozen=True)
class Option:
    """Give an option this value; without a value the option itself, as in ``more starts=``.

    Attributes:
        option: its name, with what it belongs to where another option bears the name: ``"read.columns"`` of a record,
            ``"fit.parameters"`` of a fit.
        value: number, text, list, or a mapping from names; `...` in it is the user's part.
        of: the function of the library whose argument it is, where that must be said.
    """

    option: str
    value: object = None
    of: str = ""


@dataclass(frozen=True)
class Give:
    """Give values of the start.

    Attributes:
        names: of what is to be given.
        rates: the coordinate whose rate a velocity is, by velocity.
        example: a number that serves where every number does, as Python has it.
    """

    names: tuple[str, ...]
    rates: Mapping[str, str] = field(default_factory=dict)
    example: str = "..."


@dataclass(frozen=True)
class Call:
    """Call a function of the library; `arguments` as Python has them, None where only its name is said."""

    function: str
    arguments: str | None = None


@dataclass(frozen=True)
class Principle:
    """Choose this principle."""

    name: str


@dataclass(frozen=True)
class NoNumber:
    """That a value is no number, and what it is instead: a part of a fact.

    Attributes:
        shown: the value as Python writes it.
        kind: its type.
    """

    shown: str
    kind: str


Value = Option | Give | Call | Principle | NoNumber
Words = str | Value | tuple["Words", ...]
