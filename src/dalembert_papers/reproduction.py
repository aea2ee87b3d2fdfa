"""The frame of every reproduction: introduction, chapters of claims, figures, verdict.

A paper is data, and so is a chapter. All papers print, count and exit alike.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from rich.console import Console
from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

from dalembert.show.top_view import prepare

from .broken_by import with_laws
from .chapter import Chapter as Chapter
from .chapter import Printer
from .chapter import named as named
from .claim import Claim, Group
from .listing import print_counts, print_errata, print_legend, print_lines_of
from .printing import WIDTH, plain
from .wanted import Wanted as Wanted

Drawing = Callable[[Path], Iterable[list[Path]]]


@dataclass(frozen=True)
class Worked:
    """What came out.

    Attributes:
        claims: by the chapter they belong to, in order.
        figures: the files of each figure that was drawn.
    """

    chapters: list[tuple[Chapter, list[Claim]]] = field(default_factory=list)
    figures: list[list[Path]] = field(default_factory=list)

    @property
    def claims(self) -> list[Claim]:
        """All claims."""
        return [claim for _, claims in self.chapters for claim in claims]


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
        return int(any(not claim.is_right for claim in self.work_through(folder).claims))

    def work_through(self, folder: Path | None, wanted: Wanted | None = None, each: bool = False) -> Worked:
        """Work through the paper, or a part of it, which has neither introduction nor figures.

        `each` lists every claim in full, as those are that `wanted` names.

        Raises:
            InvalidValue: E801 as above; E307, a part is asked for that is not there.
            OSError: the folder cannot be written.
        """
        wanted = wanted or Wanted()
        each = each or bool(wanted.only)
        chapters = wanted.of(self.chapters) if not wanted.whole else [(c, None) for c in self.chapters]
        folder = folder if wanted.whole and self.figures else None
        if folder is not None:
            prepare(folder)
        console, found = _console(), Worked()
        console.print(f"[bold]{plain(self.title)}[/bold]")
        console.print(f"{plain(self.about)}\n")
        if self.introduction and wanted.whole:
            self.introduction(console)
        for chapter, groups in chapters:
            claims = [c for c in with_laws(self.source, _checked(chapter, groups)) if wanted.takes(c)]
            if claims or wanted.whole:
                found.chapters.append((chapter, claims))
                _print(console, chapter, claims, wanted, each)
        if not found.claims and not wanted.whole:
            raise wanted.nothing(self.chapters)
        if folder is not None:
            found.figures.extend(_draw(console, folder, self.figures))
        elif wanted.whole and self.figures:
            console.print("no figures: --out FOLDER draws them\n")
        print_errata(console, found.claims)
        print_counts(console, found.claims)
        print_legend(console, found.claims, each)
        return found


# --- the frame -------------------------------------------------------------------------------------------------------


def _console() -> Console:
    """A console as wide as the terminal; elsewhere `WIDTH` columns."""
    return Console(highlight=False) if Console().is_terminal else Console(width=WIDTH, highlight=False)


def _checked(chapter: Chapter, groups: Sequence[Group] | None) -> list[Claim]:
    """Check a chapter, or some of its groups, with progress on a terminal."""
    done: list[Claim] = []
    with _progress(chapter.title) as tell:
        for claim in chapter.claims() if groups is None else chapter.claims(groups):
            done.append(claim)
            tell(f"{chapter.title}: {len(done)}, {claim.where}")
    return done


@contextmanager
def _progress(title: str) -> Iterator[Callable[[str], None]]:
    """What is being worked at, on stderr and only if that is a terminal; it goes when it is done."""
    console = Console(stderr=True)
    columns = (SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn())
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as progress:
        task = progress.add_task(plain(title))
        yield lambda text: progress.update(task, description=plain(text))


def _print(console: Console, chapter: Chapter, claims: Sequence[Claim], wanted: Wanted, each: bool) -> None:
    if chapter.listed or not wanted.whole:
        print_lines_of(console, chapter.title, claims, each)
    if chapter.after and wanted.whole:
        chapter.after(console)


def _draw(console: Console, folder: Path, figures: Iterable[Drawing]) -> Iterator[list[Path]]:
    for draw in figures:
        for files in draw(folder):
            console.print("drawn " + ", ".join(str(f) for f in files), markup=False, soft_wrap=True)
            yield files
    console.print()
