"""Two ways to vary a constrained action: equations (1.231) and (1.240).

Notes on [sussman2015], section 1.10.3, nonholonomic systems. For one constraint psi = G1(t, q) v + G0(t, q) there are
(1.231), which the library calls nonholonomic, and (1.240), Lagrange's equations of L + lam psi, called vakonomic.
"""

from __future__ import annotations

from rich.console import Console

from ..claim import Kind
from ..printing import print_equations, print_lines, print_table
from ..reproduction import Chapter, Paper
from . import any_system, bowl, errata, figures, general, motions, on_curves
from .examples import knife_edge

SIGN = (
    "The notes append + lam psi, the library - lam psi: lam of (1.240) is minus the",
    "library's lam_psi. Chapters below use the notes' sign.",
)


def _equations(console: Console) -> None:
    """Both sets for the knife edge, as the library prints them."""
    print_equations(console, motions.equations(knife_edge()))
    print_lines(console, "Signs", SIGN)


def _editorial(console: Console) -> None:
    print_lines(console, "Misprints that are no formulas", errata.EDITORIAL)


def _distances(console: Console) -> None:
    """How far apart the motions are, for each example."""
    title = f"Largest distance from the motion of (1.231), t = 0 to {motions.UNTIL:g}"
    headings = ("", *(f"lam(0) = {lam:g}" for lam in motions.LAMBDAS))
    print_table(console, title, headings, motions.distances())


PAPER = Paper(
    title="Notes on Sussman & Wisdom, SICM, 1.10.3: Nonholonomic systems",
    source="sussman2015",
    about="Two sets of equations for psi = G1(t, q) v + G0(t, q) = 0, (1.231) and (1.240).",
    introduction=_equations,
    chapters=(
        Chapter("(1.185), (1.230) to (1.240) for every L, G1, G0", general.GROUPS),
        Chapter("What is printed otherwise than it should be", errata.GROUPS, after=_editorial),
        Chapter("The same by functions that take any system", (*any_system.GROUPS, *on_curves.GROUPS), kind=Kind.NEW),
        Chapter("Motions from one q and Dq", motions.GROUPS, after=_distances),
        Chapter("The ball in a bowl", bowl.GROUPS, kind=Kind.NEW),
    ),
    figures=(figures.draw,),
)
