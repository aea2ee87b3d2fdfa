"""What a program says about itself: the equations it stands for, what it assumes; its method is [hairer1993 II.1]."""

from __future__ import annotations

from collections.abc import Iterable
from textwrap import wrap
from typing import TYPE_CHECKING

from ...calculus.text import cut
from ...errors import warn
from .listing import Listing
from .names import remark

if TYPE_CHECKING:
    from .. import Equations

_WIDTH = 96
_METHOD = (
    "main integrates by the classical Runge-Kutta method of order 4, between two rows in so many steps that half as "
    "many lead to the same within 1e-9, unless it is told in how many; where the most are not enough it returns 4, "
    "and 5 where its table cannot be written. It does not return to the constraints after a step, as the library's own "
    "integrator does: it prints the largest residual at the end."
)
_SPEEDS = (
    "Lean form: the states are the coordinates and the speeds that the constraints leave free, so that linear and "
    "affine constraints hold whatever the states are."
)
_GOES_ON = "it goes on as if there were none"
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
    said: list[str] = []
    left = [c.name for i, c in enumerate(equations.constraints) if i not in equations.kept]
    if left and not listing.in_speeds:
        said.append(f"The rows of {', '.join(left)} follow from the others and are left out of the accelerations.")
    if equations.direct is not None and not listing.in_speeds and equations.direct.charts:
        said.append("This form is singular at some states where the motion is not; the program does not look for them.")
    if equations.space.retraction:
        said.append("Rotations and directions are not brought back to unit length.")
    return said + [f"{what} are not watched: {', '.join(named)}." for what, named in _unwatched(equations).items()]


def _unwatched(equations: Equations) -> dict[str, tuple[str, ...]]:
    """What the library's integrator watches, and a program does not."""
    system = equations.system
    found = {
        "Walls": tuple(wall.name for wall in system.walls),
        "Contacts": tuple(contact.name for contact in system.contacts),
        "Laws that end where their slip is 0": tuple(system.rest),
    }
    return {what: named for what, named in found.items() if named}


def doubted(listing: Listing, stacklevel: int = 5) -> Listing:
    """W803, once told, where the system has what a program does not watch: its motion goes on as if it were not there.

    `stacklevel` counts from `warn` to whom it is told.
    """
    doubt_unwatched(listing.equations, stacklevel + 1)
    return listing


def doubt_unwatched(equations: Equations, stacklevel: int = 4) -> None:
    """W803 as `doubted`, of functions that another library integrates."""
    for what, named in _unwatched(equations).items():
        unwatched(what[0].lower() + what[1:], named, stacklevel + 1)


def unwatched(what: str, named: Iterable[str], stacklevel: int = 3) -> None:
    """W803: the program does not watch these."""
    warn("W803", f"the program does not watch {what}: {', '.join(named)}; {_GOES_ON}", stacklevel)
