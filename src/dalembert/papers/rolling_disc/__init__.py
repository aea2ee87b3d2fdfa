"""``dalembert reproduce rolling-disc``: geometry of nonholonomic constraints, and a rolling disc taken apart by it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from rich.console import Console

from ...principles.nonholonomic import nonholonomic
from ..reproduction import Chapter, Reproduction, print_equations, print_lines, print_table
from . import angles, errata, formulation, given, lifting, motions, reduction


def reproduce(folder: Path | None) -> int:
    """Derive, check, run and draw; print what came out. Returns 0 if every claim is as it should be, else 1.

    Raises:
        InvalidValue: E801, figures are wanted and Matplotlib is not installed.
        OSError: the folder cannot be written.
    """
    return Reproduction(
        heading="Cushman, Kemppainen, Sniatycki & Bates, Geometry of nonholonomic constraints",
        about="A disc that rolls on a plane, reduced by E(2) x SO(2) and put together again. SI units.",
        introduction=_equations,
        chapters=_chapters,
        figures=_draw,
    ).run(folder)


def _equations(console: Console) -> None:
    """The equations with multipliers, and the reduced ones."""
    print_equations(console, [nonholonomic(given.system())])
    named = {**given.momenta(), "E-bar": given.energy()}
    print_lines(console, "Without the group:", (f"{name} = {e}" for name, e in named.items()))
    print_lines(console, "Its motion:", (f"{z}' = {e}" for z, e in given.rates().items()))
    values = ", ".join(f"{name} = {value:g}" for name, value in given.values().items())
    print_lines(console, "The paper gives no numbers. Runs are made with", [f"{values}: a homogeneous disc"])


def _chapters() -> Iterator[Chapter]:
    yield Chapter("Sections 1 to 3: M, H, omega_H, Theorems 1 and 2", formulation.claims())
    yield Chapter("Section 4 and the reduced disc", reduction.claims())
    yield Chapter("Section 5: K, B, C, D, for eight systems", lifting.claims(), after=_editorial)
    yield Chapter("Section 6: which Euler angles", angles.claims())
    yield Chapter("Section 6: motions", motions.claims(), after=_print_motions)


def _editorial(console: Console) -> None:
    print_lines(console, "Slips that no computation decides", errata.EDITORIAL)


def _print_motions(console: Console) -> None:
    """What each motion does."""
    headings = ("", "theta (degrees)", "largest phidot (1/s)", "c1", "c2")
    print_table(console, f"Motions of {motions.UNTIL:g} s; c1, c2 in kg m^2/s", headings, motions.rows())


def _draw(folder: Path) -> Iterable[list[Path]]:
    from . import figures

    return figures.draw(folder)
