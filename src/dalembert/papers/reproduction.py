"""The frame of every reproduction: introduction, chapters of claims, figures, verdict.

A paper is data, and so is a chapter. All papers print, count and exit alike.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.progress import Progress, SpinnerColumn, TextColumn
from rich.table import Table

from ..show.plan import prepare
from .claim import Claim, Group
from .printing import WIDTH, plain

Printer = Callable[[Console], None]
Drawing = Callable[[Path], Iterable[list[Path]]]


@dataclass(frozen=True)
class Chapter:
    """Claims that belong together.

    Attributes:
        title: its heading.
        groups: functions that yield claims, called in order, each when the one before it is worked through.
        after: prints what belongs below, a table of numbers for instance; called when all claims are checked.
        listed: are the claims printed one by one, or only counted?
    """

    title: str
    groups: Sequence[Group]
    after: Printer | None = None
    listed: bool = True

    def claims(self) -> Iterator[Claim]:
        """Every claim of the chapter, one after the other."""
        for group in self.groups:
            yield from group()


@dataclass(frozen=True)
class Paper:
    """A paper to be reproduced.

    Attributes:
        title: authors and title.
        source: its key in ``references.bib``.
        about: one line: the system, the units.
        chapters: worked through in order.
        introduction: prints what is derived before anything is claimed.
        figures: draw into a folder, yielding the files of one figure after another.
    """

    title: str
    source: str
    about: str
    chapters: Sequence[Chapter]
    introduction: Printer | None = None
    figures: Sequence[Drawing] = ()

    def reproduce(self, folder: Path | None) -> int:
        """Derive, check, run and draw; print what came out. Returns 0 if every claim is as it should be, else 1.

        Args:
            folder: where the figures go; None: no figures, and Matplotlib is not needed.

        Raises:
            InvalidValue: E801, figures are wanted and Matplotlib is not installed.
            OSError: the folder cannot be written.
        """
        if folder is not None and self.figures:
            prepare(folder)
        console = _console()
        console.print(f"[bold]{plain(self.title)}[/bold]")
        console.print(f"{plain(self.about)}\n")
        if self.introduction:
            self.introduction(console)
        claims = [claim for chapter in self.chapters for claim in _work_through(console, chapter)]
        if folder is not None and self.figures:
            _draw(console, folder, self.figures)
        return _verdict(console, claims)


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
        for claim in chapter.claims():
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


def _draw(console: Console, folder: Path, figures: Iterable[Drawing]) -> None:
    for draw in figures:
        for files in draw(folder):
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
