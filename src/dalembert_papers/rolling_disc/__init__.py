"""A rolling disc by the geometry of its constraints: reduction, two hidden constants, reconstruction."""

from __future__ import annotations

from rich.console import Console

from dalembert import nonholonomic

from ..claim import Kind
from ..printing import print_equations, print_lines, print_table
from ..reproduction import Chapter, Paper
from . import (
    angles,
    any_system,
    errata,
    figures,
    formulation,
    given,
    lifting,
    motions,
    newton,
    reduced_motion,
    reduction,
)


def _equations(console: Console) -> None:
    """The equations with multipliers, and the reduced ones."""
    print_equations(console, [nonholonomic(given.system())])
    named = {**given.momenta(), "E-bar": given.energy()}
    print_lines(console, "Without the group:", (f"{name} = {e}" for name, e in named.items()))
    print_lines(console, "Its motion:", (f"{z}' = {e}" for z, e in given.rates().items()))
    values = ", ".join(f"{name} = {value:g}" for name, value in given.values().items())
    print_lines(console, "The paper gives no numbers. Runs are made with", [f"{values}: a homogeneous disc"])


def _editorial(console: Console) -> None:
    print_lines(console, "Slips that no computation decides", errata.EDITORIAL)


def _print_motions(console: Console) -> None:
    """What each motion does."""
    headings = ("", "theta (degrees)", "largest phidot (1/s)", "c1", "c2")
    print_table(console, f"Motions of {motions.UNTIL:g} s; c1, c2 in kg m^2/s", headings, motions.rows())


PAPER = Paper(
    title="Cushman, Kemppainen, Sniatycki & Bates, Geometry of nonholonomic constraints",
    source="cushman1995",
    about="A disc that rolls on a plane, reduced by E(2) x SO(2) and put together again. SI units.",
    introduction=_equations,
    chapters=(
        Chapter("Sections 1 to 3: M, H, omega_H, Theorems 1 and 2", (*newton.GROUPS, *formulation.GROUPS)),
        Chapter("Section 4 and the reduced disc", (*reduction.GROUPS, *reduced_motion.GROUPS)),
        Chapter("Section 5: K, B, C, D, for eight systems", lifting.GROUPS, after=_editorial),
        Chapter("The same by functions that take any system", any_system.GROUPS, kind=Kind.NEW),
        Chapter("Section 6: which Euler angles", angles.GROUPS),
        Chapter("Section 6: motions", motions.GROUPS, after=_print_motions),
    ),
    figures=(figures.draw,),
)
