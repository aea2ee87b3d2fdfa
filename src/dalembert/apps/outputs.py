"""Files that a command writes: who makes them, of what; and whether they can be written, said before any work."""

from __future__ import annotations

from pathlib import Path

import click

from ..errors import Unwritable
from ..output import Maker, as_page, free
from .results import numbered
from .terminal import FORCE

_REMEDY = "give another name, or replace it: --force"


def maker(option: str = "", of: str | Path | None = None, remedy: str = _REMEDY) -> Maker:
    """The command that runs with one of its options, of the first file that it is given, or of something else."""
    context = click.get_current_context()
    arguments = [each for each in context.command.params if isinstance(each, click.Argument)]
    names = [context.params.get(str(each.name)) for each in arguments if isinstance(each.type, click.Path)]
    read = tuple(Path(name) for name in names if name)
    by = f"{context.info_name} {option}".strip()
    return Maker(by, of or next(iter(read), ""), read, bool(context.meta.get(FORCE)), remedy)


def ready(*wanted: tuple[Path, Maker]) -> None:
    """Make the folders of files that will be written, and see that nothing else lies there.

    Raises:
        Unwritable: E530, one of them cannot be written, or two are one.
    """
    places: set[Path] = set()
    for file, maker in wanted:
        place = free(file, maker)
        if place in places:
            raise Unwritable("E530", f"{file} would be written twice", "give each its own name")
        places.add(place)
    for place in places:
        place.parent.mkdir(parents=True, exist_ok=True)


def drawings(count: int, figure: Path | None, report: Path | None = None) -> list[tuple[Path, Maker]]:
    """So many figures and pages."""
    asked = [("--figure", figure), ("--report", report and as_page(report))]
    return [(numbered(file, i), maker(option)) for option, file in asked if file for i in range(count)]
