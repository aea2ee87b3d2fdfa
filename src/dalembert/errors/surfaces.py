"""Where a refusal is met: in Python, in a system file, on the command line; each has a printer of its own."""

from __future__ import annotations

from collections.abc import Callable

from .command import on_a_command_line
from .python import in_python
from .remedies import Value, Words
from .toml import in_a_file

LONGEST, HEAD, TAIL = 1500, 1000, 300  # characters of one line of a message; what is shown of a longer one
PYTHON, FILE, COMMAND = "python", "file", "command"
_PRINTERS: dict[str, Callable[[Value], str]] = {PYTHON: in_python, FILE: in_a_file, COMMAND: on_a_command_line}


def said(words: Words, surface: str) -> str:
    """Text and values as one text, in the words of a surface, each line as a message can show it."""
    whole = _joined(words, surface)
    return whole if len(whole) <= LONGEST and whole.isprintable() else "\n".join(map(brief, whole.split("\n")))


def brief(line: str) -> str:
    """The line, or its two ends if it is too long; with a mark for what does not show, or speaks to a terminal."""
    if not line.isprintable():
        line = "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in line)
    return line if len(line) <= LONGEST else f"{line[:HEAD]} ... {line[-TAIL:]}"


def _joined(words: Words, surface: str) -> str:
    if isinstance(words, tuple):
        return "".join(_joined(part, surface) for part in words)
    return words if isinstance(words, str) else _PRINTERS[surface](words)
