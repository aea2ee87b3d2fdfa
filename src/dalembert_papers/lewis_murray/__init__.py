"""Affine constraints, the ball on a turning table: equations, orbits, Table 1, figures, the experiment."""

from __future__ import annotations

from rich.console import Console
from rich.table import Table

from dalembert import nonholonomic, vakonomic
from dalembert.systems import ball_on_turntable as ball

from ..claim import Kind
from ..printing import print_equations, print_lines, print_table
from ..reproduction import Chapter, Paper
from . import (
    any_system,
    curves,
    derivations,
    errata,
    experiment,
    figures,
    hamilton,
    motions,
    on_a_leaf,
    row,
    row_figure,
    row_models,
    section2,
    table,
)
from .derivations import derived


def _equations(console: Console) -> None:
    """Both sets of equations as text, and what is left of them in x and y."""
    print_equations(console, (principle(ball.system()) for principle in (nonholonomic, vakonomic)))
    rows = (f"{where}  {row}" for where, found in derived.displays() for row in found)
    print_lines(console, "From these, reactions and angular velocities eliminated:", rows)


def _print_linear_cases(console: Console) -> None:
    """Eigenvalues of every linear case, and how far simulation and closed form are apart."""
    rows = []
    for label, (roots, error) in motions.linear_cases().items():
        shown = ", ".join(f"{s.real + 0.0:.5g} {s.imag:+.5g} i" if s else "0" for s in roots)
        rows.append((label, shown, f"{error:.1e}"))
    title = "Linear cases of (3.6): the eigenvalues are these and their conjugates (1/s)"
    print_table(console, title, ("", "eigenvalues", "closed form missed by"), rows)


def _print_table(console: Console) -> None:
    """Table 1: printed, recomputed as published, recomputed as physics, and the experiment."""
    grid = Table(title="Table 1. Period (s) and distances d1 ... d5 (cm)", show_lines=True, padding=(0, 1))
    for heading in ("", "printed", "as published", "as physics"):
        grid.add_column(heading, overflow="fold")
    experiment = f"{ball.EXPERIMENT['period'][0]}; " + " ".join(f"{d:.2f}" for d in ball.EXPERIMENT["d"])
    grid.add_row("experiment", experiment, "", "")
    for a, b, (label, (_, T, d)) in zip(table.rows(False), table.rows(True), table.PRINTED.items(), strict=True):
        printed = f"{T:.2f}; " + " ".join(f"{x:.2f}" for x in d)
        grid.add_row(label, printed, table.show(a).replace(" s;", ";"), table.show(b).replace(" s;", ";"))
    console.print(grid)
    console.print("as published: r = 2.54 cm, the diameter, used as the radius; m = 68.64 g, which is")
    console.print("              8.00 g/cm^3 with the true radius; (3.6) as printed;")
    console.print("              crossings are counted beyond the edge, as the paper's were")
    console.print("as physics:   r = 1.27 cm, m = 66.93 g, friction against the relative velocity\n")


def _print_experiment(console: Console) -> None:
    """Every model against the row, in both readings of d, and what a tilt of the table does."""
    measured = f"{row.PERIOD:.2f}; " + " ".join(f"{d:.2f}" for d in row.ROW)
    for reading, said in row.SAID.items():
        found = experiment.lines(reading)
        rows = [(each.label, str(each.unknowns), str(each), experiment.far(each)) for each in found]
        title = f"The experiment against every model, {said}"
        print_table(console, title, ("", "n", "period (s); d (cm)", "off"), [*rows, ("experiment", "", measured, "")])
    lines = (
        "n: values chosen by the row",
        "off: root mean square of the six differences, in last printed digits, 0.01 s and 0.01 cm; the row is "
        "published without uncertainties, and no chances follow from it",
        "as published: crossings beyond the edge are counted; all else: until the ball leaves the table",
        "lam(0) in g cm/s: at most 100 in Figures 11 to 13",
    )
    print_lines(console, "In these tables:", lines)
    leaning = [(way, f"{angle:g}", str(each)) for way, angle, each in row_models.tilts()]
    title = "A tilt of the table, no friction; d_i = x_i - x_(i-1)"
    print_table(console, title, ("axis", "degrees", "period (s); d (cm)"), leaning)


PAPER = Paper(
    title="Lewis & Murray, Variational principles for constrained systems",
    source="lewis1995",
    about="The ball on a turning table. Units: cm, g, s.",
    introduction=_equations,
    chapters=(
        Chapter("Section 2: affine constraints and the two methods", (*section2.GROUPS, *on_a_leaf.GROUPS)),
        Chapter("The paper's equations, derived from L and the constraints", (*derivations.GROUPS, *hamilton.GROUPS)),
        Chapter("What is printed otherwise than it should be", errata.GROUPS),
        Chapter("Motions", motions.GROUPS, after=_print_linear_cases),
        Chapter("The same by functions that take any system", (*any_system.GROUPS, *curves.GROUPS), kind=Kind.NEW),
        Chapter("Table 1", table.GROUPS, after=_print_table, listed=False),
        Chapter("The experiment (3.7)", experiment.GROUPS, after=_print_experiment, kind=Kind.NEW),
    ),
    figures=(figures.draw, row_figure.draw),
)
