"""What a program says about itself: the equations it stands for, what it assumes; its method is [hairer1993 II.1]."""

from __future__ import annotations

from textwrap import wrap

from ...calculus.text import cut
from .listing import Listing
from .names import remark

_WIDTH = 96
_METHOD = (
    "main integrates by the classical Runge-Kutta method of order 4, between two rows in so many steps that half as "
    "many lead to the same within 1e-9, unless it is told in how many; it does not return to the constraints after a "
    "step, as the library's own integrator does: it prints the largest residual at the end."
)
_SPEEDS = (
    "Lean form: the states are the coordinates and the speeds that the constraints leave free, so that linear and "
    "affine constraints hold whatever the states are."
)
_BACK = " from_velocities makes the state of coordinates and velocities, velocities leads back."


def lines(listing: Listing, main: bool = True) -> list[str]:
    """Lines of plain text for a comment."""
    equations = listing.equations
    said = [remark(line) for line in equations.header.splitlines()]
    said += [cut(remark(f"{c.name}: 0 = {c.given}"), _WIDTH) for c in equations.constraints]
    said.append("")
    if listing.in_speeds:
        back = _BACK if "from_velocities" in listing.functions else ""
        said += wrap(f"{_SPEEDS}{back} The speeds are {', '.join(listing.states[listing.coordinates :])}", _WIDTH)
        said += [*(cut(remark(f"  {name} = {meaning}"), _WIDTH) for name, meaning in listing.speeds.items()), ""]
    for part in (
        _solver(listing, main),
        *_limits(listing),
        *([_METHOD] if main else []),
        "Quantities are in the units of the system: base SI.",
    ):
        said += wrap(remark(part), _WIDTH)
    return [line.rstrip() for line in said]


def _solver(listing: Listing, main: bool) -> str:
    equations = listing.equations
    if listing.in_speeds:
        return (
            "Where health is below 1 these equations are near a pole, or the metric is not positive"
            f"{': main stops there' if main else ''}."
        )
    if listing.pivoted:
        stops = "the program stops" if main else "they return 1"
        return f"Accelerations come from a linear system, solved with pivots; where it is singular {stops}."
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
    if left and not listing.in_speeds:
        said.append(f"The rows of {', '.join(left)} follow from the others and are left out of the accelerations.")
    if equations.direct is not None and not listing.in_speeds and equations.direct.charts:
        said.append("This form is singular at some states where the motion is not; the program does not look for them.")
    if equations.space.retraction:
        said.append("Rotations and directions are not brought back to unit length.")
    if system.walls:
        said.append(f"Walls are not watched: {', '.join(w.name for w in system.walls)}.")
    if system.contacts:
        said.append(f"Contacts are not watched: {', '.join(c.name for c in system.contacts)}.")
    if system.rest:
        said.append(f"Laws that end where their slip is 0 are not watched: {', '.join(system.rest)}.")
    return said
