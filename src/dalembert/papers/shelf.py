"""Which papers are here, read from the files without importing any.

A paper is a file or a folder of this room that defines ``PAPER``. Its name on the command line is the file's, and the
first line of its docstring says what is reproduced.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from pkgutil import iter_modules

ROOM = Path(__file__).parent


@dataclass(frozen=True)
class Entry:
    """A paper on the shelf.

    Attributes:
        name: as it is asked for, ``lewis-murray``.
        module: the file or folder, ``lewis_murray``.
        summary: what is reproduced, in one line.
    """

    name: str
    module: str
    summary: str


def papers(room: Path = ROOM) -> dict[str, Entry]:
    """Every paper of the room by its name."""
    return {entry.name: entry for entry in _entries(room)}


def _entries(room: Path) -> Iterator[Entry]:
    for found in iter_modules([str(room)]):
        file = room / found.name / "__init__.py" if found.ispkg else room / f"{found.name}.py"
        tree = ast.parse(file.read_text(encoding="utf-8"))
        if "PAPER" in _assigned(tree):
            first = (ast.get_docstring(tree) or "").partition("\n")[0]
            yield Entry(found.name.replace("_", "-"), found.name, first.rstrip("."))


def _assigned(tree: ast.Module) -> set[str]:
    """The names that are given values at the top of a file."""
    lines = [node for node in tree.body if isinstance(node, ast.Assign)]
    return {target.id for line in lines for target in line.targets if isinstance(target, ast.Name)}
