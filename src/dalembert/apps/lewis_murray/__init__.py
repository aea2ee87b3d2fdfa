"""``dalembert reproduce lewis-murray``: the ball on a turning table, derived, run, compared with the paper, drawn."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from rich.console import Console
from rich.padding import Padding
from rich.progress import Progress, SpinnerColumn, TextColumn
from rich.table import Table

from ...principles.nonholonomic import nonholonomic
from ...principles.vakonomic import vakonomic
from ...show.plan import prepare
from ...systems import ball_on_turntable as ball
from ..claim import Claim
from . import derivations, errata, motions, table

_WIDTH = 80


def reproduce(folder: Path | None) -> int:
    """Derive, check, run and draw; print what came out. Returns 0 if every claim is as it should be, else 1.

    Raises:
        InvalidValue: E801, figures are wanted and Matplotlib is not installed.
        OSError: the folder cannot be written.
    """
    if folder is not None:
        prepare(folder)
    console = Console(highlight=False) if Console().is_terminal else Console(width=_WIDTH, highlight=False)
    console.print("[bold]Lewis & Murray, Variational principles for constrained systems[/bold]")
    console.print("The ball on a turning table. Units: cm, g, s.\n")
    _equations(console)
    groups = [(title, _check(console, title, claims)) for title, claims in _chapters()]
    published, physics = table.rows(physics=False), table.rows(physics=True)
    _print_linear_cases(console)
    _print_table(console, published, physics)
    groups.append(("Table 1", list(table.claims(published, physics))))
    if folder is not None:
        _draw(console, folder)
    return _verdict(console, groups)


def _equations(console: Console) -> None:
    """Both sets of equations as text, and what is left of them in x and y."""
    for principle in (nonholonomic, vakonomic):
        console.print(principle(ball.system()).text(_WIDTH), markup=False, soft_wrap=True)
        console.print()
    console.print("From these, reactions and angular velocities eliminated:")
    for where, rows in derivations.displays():
        for row in rows:
            console.print(Padding(_plain(f"{where}  {row}"), (0, 0, 0, 2)))
    console.print()


def _chapters() -> Iterator[tuple[str, Iterable[Claim]]]:
    yield "The paper's equations, derived from L and the constraints", derivations.claims()
    yield "Printed formulas that fail, and their repairs", errata.claims()
    yield "Motions", motions.claims()


def _check(console: Console, title: str, claims: Iterable[Claim]) -> list[Claim]:
    """Work through claims, with progress on a terminal; print each."""
    done: list[Claim] = []
    columns = (SpinnerColumn(), TextColumn("{task.description}"))
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as progress:
        task = progress.add_task(title)
        for claim in claims:
            done.append(claim)
            progress.update(task, description=f"{title}: {len(done)}, {claim.where}")
    right = sum(c.is_right for c in done)
    console.print(f"[bold]{title}[/bold]: {right} of {len(done)} as they should be")
    grid = Table.grid(padding=(0, 1))
    for claim in done:
        sign, colour = ("holds" if claim.holds else "fails"), ("" if claim.is_right else "bold red")
        grid.add_row(f"  {sign}", _plain(f"{claim.where}: {claim.statement}"), style=colour)
    console.print(grid)
    console.print()
    return done


def _print_linear_cases(console: Console) -> None:
    """Eigenvalues of every linear case, and how far simulation and closed form are apart."""
    grid = Table(title="Linear cases of (3.6): the eigenvalues are these and their conjugates (1/s)", padding=(0, 1))
    for heading in ("", "eigenvalues", "closed form missed by"):
        grid.add_column(heading)
    for label, (roots, error) in motions.linear_cases().items():
        shown = ", ".join(f"{s.real + 0.0:.5g} {s.imag:+.5g} i" if s else "0" for s in roots)
        grid.add_row(label, shown, f"{error:.1e}")
    console.print(grid)
    console.print()


def _plain(text: str) -> str:
    return text.replace("[", r"\[")


def _print_table(console: Console, published: list[table.Row], physics: list[table.Row]) -> None:
    """Table 1: printed, recomputed as published, recomputed as physics, and the experiment."""
    grid = Table(title="Table 1. Period (s) and distances d1 ... d5 (cm)", show_lines=True, padding=(0, 1))
    for heading in ("", "printed", "as published", "as physics"):
        grid.add_column(heading, overflow="fold")
    experiment = f"{ball.EXPERIMENT['period'][0]}; " + " ".join(f"{d:.2f}" for d in ball.EXPERIMENT["d"])
    grid.add_row("experiment", experiment, "", "")
    for a, b, (label, (_, T, d)) in zip(published, physics, table.PRINTED.items(), strict=True):
        printed = f"{T:.2f}; " + " ".join(f"{x:.2f}" for x in d)
        grid.add_row(label, printed, table.show(a).replace(" s;", ";"), table.show(b).replace(" s;", ";"))
    console.print(grid)
    console.print("as published: r = 2.54 cm used as the radius, m = 68.64 g, (3.6) as printed;")
    console.print("              crossings are counted beyond the edge, as the paper's were")
    console.print("as physics:   r = 1.27 cm, m = 66.93 g, friction against the relative velocity\n")


def _draw(console: Console, folder: Path) -> None:
    from . import figures

    for files in figures.draw(folder):
        console.print("drawn " + ", ".join(str(f) for f in files), soft_wrap=True)
    console.print()


def _verdict(console: Console, groups: list[tuple[str, list[Claim]]]) -> int:
    """The short table at the end."""
    title = "Verdict ('no': printed or claimed, and rightly found not to hold)"
    grid = Table(title=title, padding=(0, 1))
    for heading in ("claim", "computed", "holds"):
        grid.add_column(heading, overflow="fold")
    shown = [c for _, claims in groups for c in claims if c.key or not c.is_right]
    for c in shown:
        mark = "yes" if c.holds else "no"
        should = "" if c.is_right else f" (should: {'yes' if c.expected else 'no'})"
        grid.add_row(_plain(f"{c.where} {c.statement}"), _plain(c.computed), mark + should)
    console.print(grid)
    wrong = [c for _, claims in groups for c in claims if not c.is_right]
    total = sum(len(claims) for _, claims in groups)
    console.print(f"{total - len(wrong)} of {total} claims are as the derivation says they should be.")
    return 1 if wrong else 0
