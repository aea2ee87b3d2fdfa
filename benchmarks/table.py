"""The table of bars: on the terminal, and as Markdown."""

from __future__ import annotations

import textwrap
import tomllib
from collections.abc import Mapping, Sequence
from itertools import groupby
from pathlib import Path

from rich.console import Console
from rich.table import Table

from .contest import Line, Measured

REASONS = Path(__file__).with_name("reasons.toml")
WIDTH = 80
COLUMNS = {"against": 29, "ours": 8, "theirs": 8, "value (quartiles)": 17, "bar": 8}
STYLES = {"met": "green", "missed": "bold red", "missing": "dim", "failed": "bold red", "": ""}
PREFACE = (
    "Both sides are run in one process, in alternation. The best times are compared; in brackets are the quartiles of",
    "the ratio over the rounds. Lines without a bar are there to be read. Written by",
)


def reasons() -> Mapping[str, str]:
    """Why a bar is missed, by ``job/contest``, as written in reasons.toml."""
    return tomllib.loads(REASONS.read_text(encoding="utf-8"))


def show(lines: Sequence[Line], console: Console) -> None:
    """The table, then why bars are missed and what is missing."""
    console.print(_grid([tuple(COLUMNS)], "dim"))
    for job, group in groupby(lines, key=lambda line: line.job):
        console.print(f"\n{job.title}", style="bold", highlight=False, markup=False)
        for line in group:
            console.print(_grid([(f" {line.contest.against}", *_cells(line))], STYLES[line.verdict]))
    console.print()
    for remark in remarks(lines):
        console.print(textwrap.fill(remark, WIDTH, subsequent_indent="  "), highlight=False, markup=False)


def _grid(rows: Sequence[tuple[str, ...]], style: str) -> Table:
    grid = Table.grid(padding=(0, 1))
    for width in COLUMNS.values():
        grid.add_column(width=width, overflow="fold")
    for row in rows:
        grid.add_row(*row, style=style)
    return grid


def markdown(lines: Sequence[Line], machine: Mapping[str, str], command: str) -> str:
    """The page of the documentation."""
    text = ["# Benchmarks", "", *PREFACE, "", "```sh", command, "```"]
    for job, group in groupby(lines, key=lambda line: line.job):
        text += ["", f"## {job.title}", "", "| against | ours | theirs | value | bar | |", "|---|---|---|---|---|---|"]
        for line in group:
            cells = (line.contest.against, *_cells(line), line.verdict)
            text.append("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |")
    told = remarks(lines)
    text += ["", "## Missed and missing", "", *(f"- {remark}" for remark in told)] if told else []
    text += ["", "## Machine", "", *(f"- {name}: {value}" for name, value in machine.items())]
    return "\n".join([*text, ""])


def remarks(lines: Sequence[Line]) -> list[str]:
    """One sentence for each bar that is missed and each contest that was not held."""
    why, told = reasons(), []
    for line in lines:
        if line.verdict == "missed":
            told.append(f"missed: {line.name}: {why.get(line.name, 'no reason written yet')}")
        elif line.measured is None:
            told.append(f"{line.verdict}: {line.name}: {line.absent}")
    return told


def _cells(line: Line) -> tuple[str, str, str, str]:
    bar = str(line.contest.bar or "")
    if line.measured is None:
        return "", "", line.verdict, bar
    return line.measured.ours, line.measured.theirs, _value(line.measured), bar


def _value(measured: Measured) -> str:
    if measured.spread is None:
        return f"{measured.value:.3g}"
    low, high = measured.spread
    return f"{measured.value:.3g} ({low:.2g}-{high:.2g})"
