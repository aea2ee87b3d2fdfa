"""``dalembert reproduce PAPER``."""

from __future__ import annotations

import contextlib
import io
import sys
from importlib.metadata import entry_points
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import click

from ...errors import InvalidValue
from ...output_file import Maker, as_page, free, write
from ..process import MODEL, OK
from ..terminal import AS_JSON, Command, Reply

GROUP = "dalembert.papers"  # entry points: functions that give papers by name, each with what is asked of it below


def papers() -> dict[str, Any]:
    """The papers that are installed beside the library, by name."""
    there = (point for point in entry_points(group=GROUP) if find_spec(point.module.partition(".")[0]))
    return {name: paper for point in there for name, paper in point.load()().items()}


_PAPERS = papers()
_REMEDY = "in a copy of the repository: pip install ./src/dalembert_papers"
_LIST = [f"  {name}: {each.summary}" for name, each in _PAPERS.items()] or [f"  none; {_REMEDY}"]
_EXAMPLE = "Example: dalembert reproduce lewis-murray --out figures"


@click.command(cls=Command, epilog="\n\n".join(["Papers:", *_LIST, _EXAMPLE]))
@click.argument("paper", type=click.Choice(list(_PAPERS)) if _PAPERS else str, required=bool(_PAPERS))
@click.option(
    "--out", type=click.Path(file_okay=False, path_type=Path), default=None, help="Draw the figures, into this folder."
)
@click.option("--no-figures", is_flag=True, help="With --html: a page without figures.")
@click.option(
    "--chapter", multiple=True, metavar="NUMBER|TEXT", help="Some chapters only: a number, or part of a title."
)
@click.option(
    "--only",
    multiple=True,
    metavar="PLACE|NAME",
    help="Some claims only: a place of the paper, (3.6) or Lemma 3.1, or a name as --json has it, with *.",
)
@click.option("--claims", "each", is_flag=True, help="Every claim in full, not a line an equation.")
@click.option(
    "--html", type=click.Path(dir_okay=False, path_type=Path), default=None, help="One page that needs nothing else."
)
@click.pass_context
def command(
    ctx: click.Context,
    paper: str,
    out: Path | None,
    no_figures: bool,
    chapter: tuple[str, ...],
    only: tuple[str, ...],
    each: bool,
    html: Path | None,
) -> Reply:
    """Reproduce a published paper: derive, run, compare, and with --out or --html draw.

    Ends with a table of claims; the exit code is 1 if one is other than the derivation says, 2 if the command cannot be
    carried out, 4 if it was interrupted. With --json every claim is told with its name, kind, residual and bound.
    """
    if not _PAPERS:
        raise InvalidValue("E801", "this needs the papers, which are not installed", _REMEDY)
    folder = None if no_figures else out or (Path("figures") / paper if html else None)
    maker = Maker("reproduce --html", of=paper, remedy="give another name, or remove that file")
    if html is not None:
        free(as_page(html), maker)
    words = io.StringIO() if ctx.meta[AS_JSON] else sys.stdout
    with contextlib.redirect_stdout(words):
        worked = _PAPERS[paper].work_through(folder, chapter, only, each)
    claims = worked.claims
    if html is not None:
        write(html, _PAPERS[paper].page(worked), maker, "html")
    said = words.getvalue().splitlines() if isinstance(words, io.StringIO) else []
    told = {"claims": [claim.data for claim in claims], "report": said}
    right = all(claim.is_right for claim in claims)
    return Reply("", {"paper": paper, "folder": folder and str(folder), **told}, OK if right else MODEL)
