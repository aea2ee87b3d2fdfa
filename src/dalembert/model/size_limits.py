"""How large a system may be: a limit that is said, and that can be raised, instead of a wait without end."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from ..calculus.budget import GIBIBYTES, SECONDS
from ..calculus.from_sympy import read
from ..calculus.graph import operations
from ..calculus.quantity import number
from ..errors import InvalidValue, UnknownName, WrongType, as_given, did_you_mean, kind_of
from ..errors.remedies import Option

if TYPE_CHECKING:
    from .system import System

# coordinates and operations of what is given; time and memory of symbolic derivations
LIMITS = {"coordinates": 1000, "operations": 50_000, "seconds": SECONDS, "gibibytes": GIBIBYTES}


def limits(given: object) -> dict[str, int]:
    """The limits in force: `LIMITS`, some of them replaced.

    Raises:
        WrongType: E135 not a mapping, E204 not a number.
        UnknownName: E135, not a limit.
    """
    if not isinstance(given, Mapping | None):
        raise WrongType("E135", f"limits are given by name, not as {kind_of(given)}", 'limits={"operations": 1e4}')
    for name in given or {}:
        if name not in LIMITS:
            raise UnknownName("E135", f"there is no limit {as_given(name)}", did_you_mean(as_given(name), LIMITS))
    return {**LIMITS, **{name: _limit(name, n) for name, n in (given or {}).items()}}


def _limit(name: str, given: object) -> int:
    value = number(given, f"limits[{as_given(name)}]")
    if value < 0 or value != int(value):
        fact = f"limits[{as_given(name)}] = {value:g} must be a whole number, 0 or more"
        raise InvalidValue("E135", fact, ("write ", Option("limits", {name: LIMITS[name]}, "System")))
    return int(value)


def check_size(system: System) -> None:
    """E135: more coordinates or velocities than the limit, or more operations in L, constraints and forces together.

    Equal subexpressions count once.
    """
    space, graph = system.space, system.algebra.graph
    count = max(len(space.coordinates), len(space.velocities))
    _refuse_above(system, "coordinates", count, "coordinates or velocities in the space", "coordinates")
    roots = [read(e, graph) for e in system.expressions]
    _refuse_above(
        system, "operations", sum(operations(roots).values()), "operations in L, constraints and forces", "lagrangian"
    )


def _refuse_above(system: System, name: str, count: int, what: str, *subject: str) -> None:
    limit = system.limits[name]
    if count > limit:
        raise InvalidValue(
            "E135",
            f"{count} {what}, the limit is {limit}",
            ("raise it: ", Option("limits", {name: count}, "System"), "; forming the equations then takes its time"),
            subject=subject,
        )
