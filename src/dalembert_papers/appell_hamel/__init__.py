"""A wheel with a falling weight, a nonlinear constraint: equations, Figure 2, the vakonomic motion."""

from __future__ import annotations

from rich.console import Console

from dalembert import nonholonomic

from ..claim import Kind
from ..printing import print_equations, print_lines, print_table
from ..reproduction import Chapter, Paper
from . import (
    any_system,
    chetaev,
    displacements,
    errata,
    figures,
    given,
    inserted,
    motions,
    newton_euler,
    parting,
    vakonomic_model,
)


def _equations(console: Console) -> None:
    """Newton's and Chetaev's equations as text, and what is left of the vakonomic ones."""
    print_equations(console, (nonholonomic(given.linear()), nonholonomic(given.quadratic())))
    reduced = (f"{name}' = {rate}" for name, rate in vakonomic_model.reduced().items())
    print_lines(console, "Vakonomic, s being the speed and p = (m + M) s - lam_roll:", reduced)
    values = ", ".join(f"{name} = {value:g}" for name, value in given.VALUES.items())
    print_lines(console, "The paper gives no numbers. Runs are made with", [f"{values}; J is the paper's I'"])


def _print_distances(console: Console) -> None:
    """How far the vakonomic runs get from the Newton-Euler run."""
    title = "Vakonomic less Newton-Euler, from rest (m); thetadot at the end (1/s)"
    headings = ("", "at first", *(f"{t:g} s" for t in parting.LATE), "thetadot")
    print_table(console, title, headings, parting.rows())


PAPER = Paper(
    title="Xu, Li & Berakdar, Appell-Hamel dynamical system",
    source="xu2007",
    about="A wheel driven by a falling block and by a force F that follows it. SI units.",
    introduction=_equations,
    chapters=(
        Chapter("Section 2, Newton and Euler, from L and (1) to (3)", newton_euler.GROUPS),
        Chapter("Section 3, Chetaev, from L and (1), (4)", chetaev.GROUPS),
        Chapter("Section 4, the vakonomic model", vakonomic_model.GROUPS),
        Chapter("The constraints and Chetaev's condition, along runs", displacements.GROUPS),
        Chapter("What is printed otherwise than it should be", errata.GROUPS),
        Chapter("The same by functions that take any system", (*any_system.GROUPS, *inserted.GROUPS), kind=Kind.NEW),
        Chapter("Motions", motions.GROUPS, kind=Kind.NEW),
        Chapter("The vakonomic motion, run", parting.GROUPS, after=_print_distances, kind=Kind.NEW),
    ),
    figures=(figures.draw,),
)
