"""The frame of every reproduction: introduction, chapters of claims, figures, verdict.

A paper is data, and so is a chapter. All papers print, count and exit alike.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from pathlib import Path

from rich.console import Console
from rich.progress import Progress, SpinnerColumn, TextColumn
from rich.table import Table

from ..errors import InvalidValue, as_given, did_you_mean
from ..show.plan import prepare
from .claim import Claim, Group
from .printing import WIDTH, plain

KINDS = """misprint: the printed form does not hold, repaired: the form that does, refuted:
a statement that is rightly found not to hold and shows what others rest on."""
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

    def claims(self, groups: Sequence[Group] | None = None) -> Iterator[Claim]:
        """Every claim of the chapter, or of some of its groups, one after the other."""
        for group in self.groups if groups is None else groups:
            for number, claim in enumerate(group(), 1):
                yield replace(claim, name=f"{named(group)}.{number}")


def named(group: Group) -> str:
    """``file.group``, as claims are asked for."""
    return f"{group.__module__.rpartition('.')[2]}.{group.__name__}"


@dataclass(frozen=True)
class Wanted:
    """Which part of a paper is worked through.

    Attributes:
        chapters: numbers from 1, or parts of titles; all if there are none.
        only: names of groups or claims, with * and ?; all if there are none.
    """

    chapters: Sequence[str] = ()
    only: Sequence[str] = ()

    @property
    def whole(self) -> bool:
        """Is it all of it?"""
        return not self.chapters and not self.only

    def of(self, chapters: Sequence[Chapter]) -> list[tuple[Chapter, list[Group]]]:
        """The chapters and their groups that are asked for.

        Raises:
            InvalidValue: E307, something is asked for that is not there.
        """
        numbered = {str(i): chapter for i, chapter in enumerate(chapters, 1)}
        for asked in self.chapters:
            if asked not in numbered and not any(asked.lower() in c.title.lower() for c in chapters):
                known = "\n".join(f"{i}  {chapter.title}" for i, chapter in numbered.items())
                raise InvalidValue(
                    "E307", f"there is no chapter {as_given(asked)}", f"a number, or a part of a title:\n{known}"
                )
        chosen = [c for i, c in numbered.items() if not self.chapters or self._asks(i, c)]
        found = [(c, [g for g in c.groups if self._reaches(named(g))]) for c in chosen]
        if not any(groups for _, groups in found):
            names = sorted(named(g) for c in chosen for g in c.groups)
            asked = ", ".join(map(as_given, self.only))
            raise InvalidValue("E307", f"no claim is called {asked}", did_you_mean(self.only[0], names))
        return [(c, groups) for c, groups in found if groups]

    def _asks(self, number: str, chapter: Chapter) -> bool:
        return any(a == number or (not a.isdigit() and a.lower() in chapter.title.lower()) for a in self.chapters)

    def _reaches(self, group: str) -> bool:
        """May a group hold a claim that is asked for?"""
        return not self.only or any(
            fnmatchcase(group, o) or fnmatchcase(group, o.rpartition(".")[0]) for o in self.only
        )

    def takes(self, claim: Claim) -> bool:
        """Is it one of those that are asked for?"""
        group = claim.name.rpartition(".")[0]
        return not self.only or any(fnmatchcase(claim.name, o) or fnmatchcase(group, o) for o in self.only)


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
        return int(any(not claim.is_right for claim in self.work_through(folder)))

    def work_through(self, folder: Path | None, wanted: Wanted | None = None) -> list[Claim]:
        """The same, or a part of it, which has neither introduction nor figures; the claims.

        Raises:
            InvalidValue: E801 as above; E307, a part is asked for that is not there.
            OSError: the folder cannot be written.
        """
        wanted = wanted or Wanted()
        chapters = wanted.of(self.chapters) if not wanted.whole else [(c, None) for c in self.chapters]
        folder = folder if wanted.whole else None
        if folder is not None and self.figures:
            prepare(folder)
        console = _console()
        console.print(f"[bold]{plain(self.title)}[/bold]")
        console.print(f"{plain(self.about)}\n")
        if self.introduction and wanted.whole:
            self.introduction(console)
        claims = [claim for chapter, groups in chapters for claim in _work_through(console, chapter, groups, wanted)]
        if folder is not None and self.figures:
            _draw(console, folder, self.figures)
        _verdict(console, claims)
        return claims


# --- the frame -------------------------------------------------------------------------------------------------------


def _console() -> Console:
    """A console as wide as the terminal; elsewhere `WIDTH` columns."""
    return Console(highlight=False) if Console().is_terminal else Console(width=WIDTH, highlight=False)


def _work_through(console: Console, chapter: Chapter, groups: Sequence[Group] | None, wanted: Wanted) -> list[Claim]:
    """Check a chapter, or some of its groups, with progress on a terminal, and print it."""
    done = [claim for claim in _check(console, chapter, groups) if wanted.takes(claim)]
    if chapter.listed or not wanted.whole:
        _list(console, chapter.title, done)
    if chapter.after and wanted.whole:
        chapter.after(console)
    return done


def _check(console: Console, chapter: Chapter, groups: Sequence[Group] | None) -> list[Claim]:
    done: list[Claim] = []
    columns = (SpinnerColumn(), TextColumn("{task.description}"))
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as progress:
        task = progress.add_task(chapter.title)
        for claim in chapter.claims() if groups is None else chapter.claims(groups):
            done.append(claim)
            progress.update(task, description=plain(f"{chapter.title}: {len(done)}, {claim.where}"))
    return done


def _list(console: Console, title: str, done: Sequence[Claim]) -> None:
    right = sum(claim.is_right for claim in done)
    console.print(f"[bold]{plain(title)}[/bold]: {right} of {len(done)} as they should be")
    grid = Table.grid(padding=(0, 1))
    for claim in done:
        colour = "" if claim.is_right else "bold red"
        number = "" if claim.residual is None else f"{claim.residual:.0e}" if claim.residual else "0"
        said = claim.statement.removeprefix("as printed: ").removeprefix("repaired: ")
        grid.add_row(f"  {claim.kind}", plain(f"{claim.where}: {said}"), number, style=colour)
    console.print(grid)
    console.print()


def _draw(console: Console, folder: Path, figures: Iterable[Drawing]) -> None:
    for draw in figures:
        for files in draw(folder):
            console.print("drawn " + ", ".join(str(f) for f in files), markup=False, soft_wrap=True)
    console.print()


def _verdict(console: Console, claims: Sequence[Claim]) -> None:
    """The short table at the end, and how many claims are of which kind."""
    shown = [claim for claim in claims if claim.key or not claim.is_right]
    grid = Table(title="Verdict", padding=(0, 1))
    for heading in ("claim", "computed", ""):
        grid.add_column(heading, overflow="fold")
    for claim in shown:
        grid.add_row(plain(f"{claim.where} {claim.statement}"), plain(claim.computed), _mark(claim))
    if shown:
        console.print(grid)
    kinds = Counter(claim.kind for claim in claims)
    console.print("; ".join(f"{count} {kind}" for kind, count in kinds.items()) + ".")
    if {"misprint", "refuted"} & kinds.keys():
        console.print(KINDS)
    wrong = kinds["UNEXPECTED"]
    console.print(f"{len(claims) - wrong} of {len(claims)} claims are as the derivation says they should be.")


def _mark(claim: Claim) -> str:
    return claim.kind if claim.is_right else f"{claim.kind}: it {'holds' if claim.holds else 'does not hold'}"
