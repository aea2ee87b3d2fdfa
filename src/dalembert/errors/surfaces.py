"""Where a refusal is met: in Python, in a system file, on the command line; each has a printer of its own."""

from __future__ import annotations

from collections.abc import Callable

from .command import on_a_command_line
from .python import in_python
from .remedies import Value, Words
from .toml import in_a_file

PYTHON, FILE, COMMAND = "python", "file", "command"
_PRINTERS: dict[str, Callable[[Value], str]] = {PYTHON: in_python, FILE: in_a_file, COMMAND: on_a_command_line}


def said(words: Words, surface: str) -> str:
    """Text and values as one text, in the words of a surface."""
    if isinstance(words, tuple):
        return "".join(said(part, surface) for part in words)
    return words if isinstance(words, str) else _PRINTERS[surface](words)
