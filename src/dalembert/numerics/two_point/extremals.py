"""Extremals: the curves found between two ends, each with its action, and how the search went."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, overload

from ...argument_checks import noun
from ...calculus.line_width import TERMINAL, folded
from ...equations import Start
from ...errors import Note
from ...trajectory import Trajectory
from .collocation import Checked

SHOWN, ROUNDING = 12, 1e-12  # extremals in a table


@noun
@dataclass(frozen=True, eq=False)
class Extremal:
    """One curve between the ends that solves the equations.

    Attributes:
        start: its consistent start; `simulate` runs it again.
        unknowns: ``{name: value}`` of the start values that were looked for.
        action: integral of the given L along it, to 1e-12 of the integral of |L|.
        path: the motion.
        residual: how far it misses the end: the largest difference to a wanted coordinate, or angle to a wanted
            rotation.
        conjugate: times before the end at which neighbouring motions from the same start meet it to first order, each
            as often as its multiplicity; None where contacts, walls, jumps, a force that switches or an input that
            changes may be met, a velocity moves no coordinate, or the motion is too unstable or too fast to count them
            surely.
        index: how many of them there are: the Morse index, the number of independent variations with the same ends
            that lessen the action. None where `conjugate` is None, where what the ends leave out is free or a start
            velocity is held, where the equations are not those of a stationary action, where a force acts, or where L
            is not convex in the velocities that the constraints allow. Where the end is conjugate (`degenerate`) the
            end itself is not counted.
        checked: what a second route found, None without check: collocation; where something may be met on the way, a
            run by Radau's method.
        family: is it one of a continuous family with the same ends and the same action?
        degenerate: is the end itself conjugate to the start, or the derivative of the end map singular otherwise?
    """

    start: Start
    unknowns: Mapping[str, float]
    action: float
    path: Trajectory
    residual: float
    conjugate: tuple[float, ...] | None
    index: int | None
    checked: Checked | None
    family: bool
    degenerate: bool

    def __str__(self) -> str:
        lines = [f"action       {self.action:.15g}", f"unknowns     {shown(self.unknowns, 10)}"]
        lines += [f"end missed   by {self.residual:.2g}", f"conjugate    {_times(self)}"]
        if self.index is not None:
            lines += [f"Morse index  {self.index}"]
        if self.checked is not None:
            lines += [f"{self.checked.route:<13}{_agreement(self.checked)}"]
        if self.family or self.degenerate:
            lines += ["family       " + ("one of a continuous family" if self.family else "the end is conjugate")]
        return "\n".join(part for line in lines for part in folded(line, TERMINAL, 13))

    __repr__ = __str__


@noun
@dataclass(frozen=True, eq=False)
class Extremals(Sequence[Extremal]):
    """The extremals found, of least action first. Others may exist.

    Attributes:
        found: the extremals.
        title: what was solved.
        starts: from how many points the search set out.
        converged: from how many of them it arrived.
        remarks: what was noticed.
        notes: what is doubted.
        aborted: what the clock or Ctrl-C cut short, if it was: then more starts find more.
    """

    found: tuple[Extremal, ...]
    title: str
    starts: int
    converged: int
    remarks: tuple[str, ...] = ()
    notes: tuple[Note, ...] = ()
    aborted: str = ""

    @overload
    def __getitem__(self, index: int) -> Extremal: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Extremal]: ...
    def __getitem__(self, index: Any) -> Any:
        return self.found[index]

    def __len__(self) -> int:
        return len(self.found)

    def __iter__(self) -> Iterator[Extremal]:
        return iter(self.found)

    def __str__(self) -> str:
        route = next((e.checked.route for e in self.found if e.checked is not None), "second")
        several = f"{len(self)} extremal{'' if len(self) == 1 else 's'} found"
        lines = [*([self.aborted] if self.aborted else []), self.title]
        lines += [f"{several}; {self.converged} of {self.starts} starts converged; others may exist"]
        lines += [f"{'action':>16}  {'missed':>7}  {'conjugate':>9}  {route:>11}  unknowns"]
        for each in self.found[:SHOWN]:
            lines += folded(_row(each), TERMINAL, 53)
        if len(self) > SHOWN:
            lines += [f"and {len(self) - SHOWN} more"]
        lines += [*self.remarks, *map(str, self.notes)]
        return "\n".join(part for line in lines for part in folded(line, TERMINAL, 2))

    __repr__ = __str__


def shown(values: Mapping[str, float], digits: int, equals: str = " = ") -> str:
    """``x = 1, y = 2``; what is rounding beside the largest is shown as 0."""
    least = ROUNDING * max(map(abs, values.values()), default=0.0)
    return ", ".join(f"{n}{equals}{v if abs(v) > least else 0.0:.{digits}g}" for n, v in values.items()) or "none"


def _row(each: Extremal) -> str:
    count = "-" if each.conjugate is None else str(len(each.conjugate))
    check = "-" if each.checked is None else f"{abs(each.checked.difference):.0e}" if each.checked.agrees else "no"
    mark = " (family)" if each.family else " (end conjugate)" if each.degenerate else ""
    said = shown(each.unknowns, 6, "=") + mark
    return f"{each.action:>16.11g}  {each.residual:>7.0e}  {count:>9}  {check:>11}  {said}"


def _times(each: Extremal) -> str:
    if each.conjugate is None:
        return "not told: the motion changes on its way, a velocity moves no coordinate, or it is too unstable"
    return "t = " + ", ".join(f"{t:.8g}" for t in each.conjugate) if each.conjugate else "none before the end"


def _agreement(checked: Checked) -> str:
    if checked.agrees:
        return f"agrees: action to {abs(checked.difference):.1g}, curve to {checked.curve:.1g} of its size"
    return f"does not confirm it: {checked.message}" if checked.action != checked.action else (
        f"finds another curve, of action {checked.action:.10g}"
    )  # fmt: skip
