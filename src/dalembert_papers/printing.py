"""What a paper prints of its own: equations, lines and tables, each with an empty line below."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from rich.console import Console
from rich.padding import Padding
from rich.table import Table

from dalembert.equations import Equations

WIDTH = 80


def plain(text: str) -> str:
    """Text in which a bracket is a bracket and no markup."""
    return text.replace("[", r"\[")


def print_equations(console: Console, equations: Iterable[Equations]) -> None:
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
