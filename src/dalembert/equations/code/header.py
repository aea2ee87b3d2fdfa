"""What a program says about itself: the equations it stands for, what it assumes; its method is [hairer1993 II.1]."""

from __future__ import annotations

from textwrap import wrap

from ...calculus.text import cut
from .listing import Listing
from .names import remark

_WIDTH = 96
_METHOD = (
    "main integrates by the classical Runge-Kutta method of order 4 with a fixed step and does not return "
    "to the constraints after a step, as the library's own integrator does: it prints the largest residual at the end."
)


def lines(listing: Listing) -> list[str]:
    """Lines of plain text for a comment."""
    equations = listing.equations
    said = [remark(line) for line in equations.header.splitlines()]
    said += [cut(remark(f"{c.name}: 0 = {c.given}"), _WIDTH) for c in equations.constraints]
    said.append("")
    for part in (_solver(listing), *_limits(listing), _METHOD, "Quantities are in the units of the system: base SI."):
        said += wrap(remark(part), _WIDTH)
    return [line.rstrip() for line in said]


def _solver(listing: Listing) -> str:
    equations = listing.equations
    if listing.pivoted:
        return "Accelerations come from a linear system, solved with pivots; where it is singular the program stops."
    kept = ", and that the constraints are independent" if equations.constraints else ""
    return (
        "Accelerations come from elimination without choice of pivots. It assumes that the metric of the kinetic "
        f"energy is positive definite, as it was wherever it was tried{kept}."
    )


def _limits(listing: Listing) -> list[str]:
    """What the library does and the program does not."""
    equations = listing.equations
    system, said = equations.system, []
    left = [c.name for i, c in enumerate(equations.constraints) if i not in equations.kept]
    if left:
        said.append(f"The rows of {', '.join(left)} follow from the others and are left out of the accelerations.")
    if equations.direct is not None and equations.direct.charts:
        said.append("This form is singular at some states where the motion is not; the program does not look for them.")
    if equations.space.retraction:
        said.append("Rotations and directions are not brought back to unit length.")
    if system.walls:
        said.append(f"Walls are not watched: {', '.join(w.name for w in system.walls)}.")
    if system.rest:
        said.append(f"Laws that end where their slip is 0 are not watched: {', '.join(system.rest)}.")
    return said
