"""``dalembert reproduce PAPER``."""

from __future__ import annotations

import contextlib
import io
import sys
from importlib import import_module
from pathlib import Path

import click

from ...output import Maker, as_page, free, write
from ...papers.shelf import papers
from ..process import MODEL, OK
from ..terminal import AS_JSON, Command, Reply

_PAPERS = papers()
_LIST = [f"  {each.name}: {each.summary}" for each in _PAPERS.values()]
_EXAMPLE = "Example: dalembert reproduce lewis-murray --out figures"


@click.command(cls=Command, epilog="\n\n".join(["Papers:", *_LIST, _EXAMPLE]))
@click.argument("paper", type=click.Choice(list(_PAPERS)))
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
    from ...papers.wanted import Wanted  # Rich, and more, that `dalembert --help` can do without

    folder = None if no_figures else out or (Path("figures") / paper if html else None)
    wanted = import_module(f"...papers.{_PAPERS[paper].module}", __package__).PAPER
    maker = Maker("reproduce --html", of=paper, remedy="give another name, or remove that file")
    if html is not None:
        free(as_page(html), maker)
    words = io.StringIO() if ctx.meta[AS_JSON] else sys.stdout
    with contextlib.redirect_stdout(words):
        worked = wanted.work_through(folder, Wanted(chapter, only), each)
    claims = worked.claims
    if html is not None:
        from ...papers.page import paged

        write(html, paged(wanted, worked), maker, "html")
    said = words.getvalue().splitlines() if isinstance(words, io.StringIO) else []
    told = {"claims": [claim.data for claim in claims], "report": said}
    right = all(claim.is_right for claim in claims)
    return Reply("", {"paper": paper, "folder": folder and str(folder), **told}, OK if right else MODEL)
