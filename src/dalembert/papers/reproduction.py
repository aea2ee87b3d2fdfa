"""The frame of every reproduction: introduction, chapters of claims, figures, verdict.

A paper is data: its heading, what is printed first, its chapters, its figures. All papers print, count
and exit alike.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.padding import Padding
from rich.progress import Progress, SpinnerColumn, TextColumn
from rich.table import Table

from ..show.plan import prepare
from .claim import Claim

WIDTH = 80
Printer = Callable[[Console], None]


@dataclass(frozen=True)
class Chapter:
    """Claims that belong together.

    Attributes:
        title: its heading.
        claims: worked through in order, one at a time.
        after: prints what belongs below, a table of numbers for instance; called when all claims are checked.
        listed: are the claims printed one by one, or only counted?
    """

    title: str
    claims: Iterable[Claim]
    after: Printer | None = None
    listed: bool = True


@dataclass(frozen=True)
class Reproduction:
    """A paper to be reproduced.

    Attributes:
        heading: authors and title.
        about: one line: the system, the units.
        introduction: prints what is derived before anything is claimed.
        chapters: called once; each chapter is worked through before the next is asked for.
        figures: draws into a folder, yielding the files of one figure after another; None if there are none.
    """

    heading: str
    about: str
    introduction: Printer
    chapters: Callable[[], Iterable[Chapter]]
    figures: Callable[[Path], Iterable[list[Path]]] | None = None

    def run(self, folder: Path | None) -> int:
        """Derive, check, run and draw; print what came out. Returns 0 if every claim is as it should be, else 1.

        Args:
            folder: where the figures go; None: no figures, and Matplotlib is not needed.

        Raises:
            InvalidValue: E801, figures are wanted and Matplotlib is not installed.
            OSError: the folder cannot be written.
        """
        draw = self.figures if folder is not None else None
        if folder is not None and draw is not None:
            prepare(folder)
        console = _console()
        console.print(f"[bold]{plain(self.heading)}[/bold]")
        console.print(f"{plain(self.about)}\n")
        self.introduction(console)
        claims = [claim for chapter in self.chapters() for claim in _work_through(console, chapter)]
        if folder is not None and draw is not None:
            _draw(console, draw(folder))
        return _verdict(console, claims)


# --- for a paper's own printing --------------------------------------------------------------------------------------


def plain(text: str) -> str:
    """Text in which a bracket is a bracket and no markup."""
    return text.replace("[", r"\[")


def print_equations(console: Console, equations: Iterable[Any]) -> None:
    """Sets of `Equations` as text, one below the other."""
    for each in equations:
        console.print(each.text(WIDTH), markup=False, soft_wrap=True)
        console.print()


def print_lines(console: Console, heading: str, lines: Iterable[str]) -> None:
    """A heading, lines below it with continuation lines indented alike, and an empty line."""
    console.print(plain(heading))
    for line in lines:
        console.print(Padding(plain(line), (0, 0, 0, 2)))
    console.print()


def print_table(console: Console, title: str, headings: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """A table of texts and an empty line."""
    grid = Table(title=plain(title), padding=(0, 1))
    for heading in headings:
        grid.add_column(plain(heading), overflow="fold")
    for row in rows:
        grid.add_row(*map(plain, row))
    console.print(grid)
    console.print()


# --- the frame -------------------------------------------------------------------------------------------------------


def _console() -> Console:
    """A console as wide as the terminal; elsewhere `WIDTH` columns."""
    return Console(highlight=False) if Console().is_terminal else Console(width=WIDTH, highlight=False)


def _work_through(console: Console, chapter: Chapter) -> list[Claim]:
    """Check a chapter, with progress on a terminal, and print it."""
    done = _check(console, chapter)
    if chapter.listed:
        _list(console, chapter.title, done)
    if chapter.after:
        chapter.after(console)
    return done


def _check(console: Console, chapter: Chapter) -> list[Claim]:
    done: list[Claim] = []
    columns = (SpinnerColumn(), TextColumn("{task.description}"))
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as progress:
        task = progress.add_task(chapter.title)
        for claim in chapter.claims:
            done.append(claim)
            progress.update(task, description=plain(f"{chapter.title}: {len(done)}, {claim.where}"))
    return done


def _list(console: Console, title: str, done: Sequence[Claim]) -> None:
    right = sum(claim.is_right for claim in done)
    console.print(f"[bold]{plain(title)}[/bold]: {right} of {len(done)} as they should be")
    grid = Table.grid(padding=(0, 1))
    for claim in done:
        sign, colour = ("holds" if claim.holds else "fails"), ("" if claim.is_right else "bold red")
        grid.add_row(f"  {sign}", plain(f"{claim.where}: {claim.statement}"), style=colour)
    console.print(grid)
    console.print()


def _draw(console: Console, figures: Iterable[list[Path]]) -> None:
    for files in figures:
        console.print("drawn " + ", ".join(str(f) for f in files), markup=False, soft_wrap=True)
    console.print()


def _verdict(console: Console, claims: Sequence[Claim]) -> int:
    """The short table at the end."""
    title = "Verdict ('no': printed or claimed, and rightly found not to hold)"
    shown = [claim for claim in claims if claim.key or not claim.is_right]
    grid = Table(title=title, padding=(0, 1))
    for heading in ("claim", "computed", "holds"):
        grid.add_column(heading, overflow="fold")
    for claim in shown:
        grid.add_row(plain(f"{claim.where} {claim.statement}"), plain(claim.computed), _mark(claim))
    console.print(grid)
    wrong = sum(not claim.is_right for claim in claims)
    console.print(f"{len(claims) - wrong} of {len(claims)} claims are as the derivation says they should be.")
    return 1 if wrong else 0


def _mark(claim: Claim) -> str:
    should = "" if claim.is_right else f" (should: {'yes' if claim.expected else 'no'})"
    return ("yes" if claim.holds else "no") + should
