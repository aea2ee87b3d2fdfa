"""Options that several commands share: ``--columns``, what the shell completes, and the files that a command writes.

This file is loaded with every command, also for ``--help``: it imports no room that computes.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click
from click.shell_completion import CompletionItem

from ..errors import Unwritable
from ..output_file import Maker, as_page, free
from .terminal import FORCE

if TYPE_CHECKING:
    from ..model.space import Space


_COLUMNS = "dalembert.columns"  # of the context's notes
_Function = TypeVar("_Function", bound=Callable[..., object])


def columns_option(command: _Function) -> _Function:
    """The command with the option; `asked_columns` has its names."""
    text = 'What is shown, "x y energy".'
    return click.option("--columns", default="", expose_value=False, callback=_keep, help=text)(command)


def _keep(context: click.Context, option: click.Parameter, given: str) -> None:
    context.meta[_COLUMNS] = given.replace(",", " ").split()


def asked_columns(space: Space) -> list[str]:
    """The names that were given to the command at work; ``dot(x)`` is the velocity that is the rate of x."""
    found: list[str] = click.get_current_context().meta.get(_COLUMNS, [])
    return [space.spelled(name) for name in found]


# --- completion by the shell -----------------------------------------------------------------------------------------


def complete_gallery(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Systems of the gallery."""
    from .gallery import names

    return [CompletionItem(name) for name in names() if name.startswith(incomplete)]


def complete_principles(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Principles, also after a comma."""
    from ..principles.principle_table import PRINCIPLES

    before, comma, last = incomplete.rpartition(",")
    return [CompletionItem(f"{before}{comma}{name}") for name in PRINCIPLES if name.startswith(last)]


def complete_fits(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Names of the ``[[fit]]`` tables of the file that stands before."""
    return _names_of_entries(ctx, "fit", incomplete)


def complete_families(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Names of the ``[[family]]`` tables of the file that stands before."""
    return _names_of_entries(ctx, "family", incomplete)


def _names_of_entries(ctx: click.Context, kind: str, incomplete: str) -> list[CompletionItem]:
    """Names of the tables of a kind of the file that stands before."""
    from ..errors import DalembertError
    from ..study.toml_text import parsed, text_of

    file = ctx.params.get("file") or next(iter(ctx.args), "")  # click keeps words after an open option as they are
    try:
        entries = parsed(*text_of(file))[0].get(kind, [])
    except DalembertError:
        return []
    names = [each.get("name") for each in entries if isinstance(each, dict)] if isinstance(entries, list) else []
    return [CompletionItem(name) for name in names if isinstance(name, str) and name.startswith(incomplete)]


class SystemFile(click.Path):
    """A system file; the shell proposes files that end in .toml."""

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        """All files: the shell filters by what is typed."""
        return [CompletionItem(incomplete, type="file")]

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """As it was typed: reading it says what is wrong with it."""
        return value


# --- files that a command writes -------------------------------------------------------------------------------------

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


def numbered(file: Path, i: int) -> Path:
    """The file for the i-th of several results: page.html, page-2.html, ..."""
    return file if i == 0 else file.with_name(f"{file.stem}-{i + 1}{file.suffix}")


def drawings(count: int, figure: Path | None, report: Path | None = None) -> list[tuple[Path, Maker]]:
    """So many figures and pages."""
    asked = [("--figure", figure), ("--report", report and as_page(report))]
    return [(numbered(file, i), maker(option)) for option, file in asked if file for i in range(count)]
