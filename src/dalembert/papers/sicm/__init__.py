"""``dalembert reproduce sicm``: nonholonomic systems in the notes on [sussman2015], section 1.10.3.

Two sets of equations for one constraint psi = G1(t, q) v + G0(t, q): (1.231), which the library calls nonholonomic, and
(1.240), Lagrange's equations of L + lam psi, which it calls vakonomic.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from rich.console import Console

from ..reproduction import Chapter, Reproduction, print_equations, print_lines, print_table
from . import bowl, errata, general, motions
from .examples import knife_edge

SIGN = (
    "The notes append + lam psi, the library - lam psi: lam of (1.240) is minus the",
    "library's lam_psi. Chapters below use the notes' sign.",
)


def reproduce(folder: Path | None) -> int:
    """Derive, check, run and draw; print what came out. Returns 0 if every claim is as it should be, else 1.

    Raises:
        InvalidValue: E801, figures are wanted and Matplotlib is not installed.
        OSError: the folder cannot be written.
    """
    return Reproduction(
        heading="Notes on Sussman & Wisdom, SICM, 1.10.3: Nonholonomic systems",
        about="Two sets of equations for psi = G1(t, q) v + G0(t, q) = 0, (1.231) and (1.240).",
        introduction=_equations,
        chapters=_chapters,
        figures=_draw,
    ).run(folder)


def _equations(console: Console) -> None:
    """Both sets for the knife edge, as the library prints them."""
    print_equations(console, motions.equations(knife_edge()))
    print_lines(console, "Signs", SIGN)


def _chapters() -> Iterator[Chapter]:
    yield Chapter("(1.185), (1.230) to (1.240) for every L, G1, G0", general.claims())
    yield Chapter("Printed lines that fail, and their repairs", errata.claims(), after=_editorial)
    yield Chapter("Motions from one q and Dq", motions.claims(), after=_distances)
    yield Chapter("The ball in a bowl", bowl.claims())


def _editorial(console: Console) -> None:
    print_lines(console, "Misprints that are no formulas", errata.EDITORIAL)


def _distances(console: Console) -> None:
    """How far apart the motions are, for each example."""
    title = f"Largest distance from the motion of (1.231), t = 0 to {motions.UNTIL:g}"
    headings = ("", *(f"lam(0) = {lam:g}" for lam in motions.LAMBDAS))
    print_table(console, title, headings, motions.distances())


def _draw(folder: Path) -> Iterable[list[Path]]:
    from . import figures

    return figures.draw(folder)
