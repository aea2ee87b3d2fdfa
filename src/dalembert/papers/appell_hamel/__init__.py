"""``dalembert reproduce appell-hamel``: a wheel driven by a falling block, derived, run, compared, drawn."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from rich.console import Console

from ...principles.nonholonomic import nonholonomic
from ..reproduction import Chapter, Reproduction, print_equations, print_lines, print_table
from . import chetaev, errata, given, motions, newton_euler, parting, vakonomic_model


def reproduce(folder: Path | None) -> int:
    """Derive, check, run and draw; print what came out. Returns 0 if every claim is as it should be, else 1.

    Raises:
        InvalidValue: E801, figures are wanted and Matplotlib is not installed.
        OSError: the folder cannot be written.
    """
    return Reproduction(
        heading="Xu, Li & Berakdar, Appell-Hamel dynamical system",
        about="A wheel driven by a falling block and by a force F that follows it. SI units.",
        introduction=_equations,
        chapters=_chapters,
        figures=_draw,
    ).run(folder)


def _equations(console: Console) -> None:
    """Newton's and Chetaev's equations as text, and what is left of the vakonomic ones."""
    print_equations(console, (nonholonomic(given.linear()), nonholonomic(given.quadratic())))
    reduced = (f"{name}' = {rate}" for name, rate in vakonomic_model.reduced().items())
    print_lines(console, "Vakonomic, s being the speed and p = (m + M) s - lam_roll:", reduced)
    values = ", ".join(f"{name} = {value:g}" for name, value in given.VALUES.items())
    print_lines(console, "The paper gives no numbers. Runs are made with", [f"{values}; J is the paper's I'"])


def _chapters() -> Iterator[Chapter]:
    yield Chapter("Section 2, Newton and Euler, from L and (1) to (3)", newton_euler.claims())
    yield Chapter("Section 3, Chetaev, from L and (1), (4)", chetaev.claims())
    yield Chapter("Section 4, the vakonomic model", vakonomic_model.claims())
    yield Chapter("Printed formulas that fail, and their repairs", errata.claims())
    yield Chapter("Motions", motions.claims())
    yield Chapter("The vakonomic motion, run", parting.claims(), after=_print_distances)


def _print_distances(console: Console) -> None:
    """How far the vakonomic runs get from the Newton-Euler run."""
    title = "Vakonomic less Newton-Euler, from rest (m); thetadot at the end (1/s)"
    headings = ("", "at first", *(f"{t:g} s" for t in parting.LATE), "thetadot")
    print_table(console, title, headings, parting.rows())


def _draw(folder: Path) -> Iterable[list[Path]]:
    from . import figures

    return figures.draw(folder)
