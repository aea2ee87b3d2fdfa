"""Which papers are here, read from the files without importing any.

A paper is a file or a folder of this room that defines ``PAPER``. Its name on the command line is the file's, and the
first line of its docstring says what is reproduced.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .reproduction import Paper, Worked

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

    @property
    def paper(self) -> Paper:
        """The paper itself, imported now."""
        found: Paper = import_module(f"{__package__}.{self.module}").PAPER
        return found

    def work_through(self, folder: Path | None, chapters: Sequence[str], only: Sequence[str], each: bool) -> Worked:
        """Work through the paper, or through the chapters and claims that are named, as `Paper.work_through` does."""
        from .wanted import Wanted

        return self.paper.work_through(folder, Wanted(chapters, only), each)

    def page(self, worked: Worked) -> str:
        """What came out, as one page of HTML that needs nothing else."""
        from .page import paged

        return paged(self.paper, worked)


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
