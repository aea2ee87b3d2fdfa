"""`python -m benchmarks`: the table of bars."""

from __future__ import annotations

import sys
import time
from dataclasses import replace
from pathlib import Path

import click
from rich.console import Console

from . import jobs, machine, table
from .contest import Job, Line, hold


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("names", nargs=-1, metavar="[JOB[/LINE]]...")
@click.option("--list", "listed", is_flag=True, help="List the jobs and their bars, and run nothing.")
@click.option("--markdown", type=click.Path(dir_okay=False, path_type=Path), help="Write the table to this file.")
def main(names: tuple[str, ...], listed: bool, markdown: Path | None) -> None:
    """Run the jobs, all or those named, and print what they give beside their bars.

    formation/disc is one line of a job; --list names them.
    """
    console = Console(soft_wrap=False)
    chosen = [_chosen(name) for name in names] or list(jobs.JOBS)
    if listed:
        for job in chosen:
            bars = "; ".join(f"{c.key} {c.bar}" if c.bar else c.key for c in job.contests)
            console.print(f"[bold]{job.name}[/bold]: {job.title} [dim]({bars})[/dim]", highlight=False)
        return
    described, began = machine.description(), time.perf_counter()
    lines: list[Line] = []
    with Console(stderr=True).status("") as status:
        for job in chosen:
            for contest in job.contests:
                status.update(f"{job.name}/{contest.key}")
                lines.append(hold(job, contest))
    table.show(lines, console)
    for name, value in described.items():
        console.print(f"{name}: {value}", highlight=False, markup=False)
    console.print(f"{time.perf_counter() - began:.0f} s in all", highlight=False)
    if markdown:
        command = " ".join(["python -m benchmarks", *sys.argv[1:]])
        markdown.write_text(table.markdown(lines, described, command), encoding="utf-8")


def _chosen(name: str) -> Job:
    """A job by its name, or with one of its lines alone."""
    known = {job.name: job for job in jobs.JOBS}
    head, _, key = name.partition("/")
    if head not in known:
        raise click.BadParameter(f"unknown: {name}; there are {', '.join(known)}", param_hint="JOB")
    job = known[head]
    lines = [c for c in job.contests if key in ("", c.key)]
    if not lines:
        there = ", ".join(c.key for c in job.contests)
        raise click.BadParameter(f"unknown: {name}; {head} has {there}", param_hint="JOB")
    return replace(job, contests=lines)


if __name__ == "__main__":
    main()
