"""A family of motions that come back: rows of a parameter, states, periods and multipliers, and the points between."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from ...equations import Equations
from ...errors import InvalidValue
from ...event import Event
from ...given import noun, one_of
from .branch import BRANCH_POINT, place_of
from .columns import DRIFT, PERIOD
from .periodic import Periodic
from .switching import Gate, onto, orbit_at

DOUBLING, TORUS = "period doubling", "torus"


class OrbitsRow(NamedTuple):
    """One periodic motion of a family."""

    value: float
    period: float
    state: Mapping[str, float]
    multipliers: np.ndarray
    stable: bool


@noun
@dataclass(frozen=True, eq=False)
class Orbits:
    """Periodic motions in the order in which they follow each other.

    Attributes:
        parameter: the name of what changes.
        values: its values, (N,); they may turn back.
        periods: (N,).
        names: the states.
        states: at the start of each motion, (N, n).
        multipliers: of the return maps in the directions that the constraints leave, (N, d), complex, largest first.
        trivial: which of them are 1 whatever the motion, (N, d): of the motion itself, each symmetry and each conserved
            quantity.
        stable: does no small disturbance grow, to first order? (N,); not where pairs meet in one mode either.
        special: ``[(kind, value), ...]`` along the family: ``"fold"`` where the parameter turns back, ``"branch
            point"`` where another family of the same period goes through, ``"period doubling"`` where one of twice the
            period begins, ``"torus"`` where a pair of multipliers leaves the unit circle.
        held: what stays as in the start, beside the parameter.
        ends: why it ends at either end.
        drifts: where motions come back up to a symmetry, how far they go along each generator in a period, (N,) by
            name; columns of the names ``"drift ..."``.
    """

    parameter: str
    values: np.ndarray
    periods: np.ndarray
    names: tuple[str, ...]
    states: np.ndarray
    multipliers: np.ndarray
    trivial: np.ndarray
    stable: np.ndarray
    special: list[tuple[str, float]]
    held: tuple[str, ...]
    ends: tuple[str, str]
    equations: Equations = field(repr=False)
    _gates: tuple[Gate, ...] = field(repr=False)
    drifts: Mapping[str, np.ndarray] = field(default_factory=dict)

    @property
    def rows(self) -> tuple[OrbitsRow, ...]:
        """The motions one by one."""
        every = zip(self.values, self.periods, self.states, self.multipliers, self.stable, strict=True)
        return tuple(
            OrbitsRow(float(p), float(T), dict(zip(self.names, map(float, y), strict=True)), m, bool(s))
            for p, T, y, m, s in every
        )

    @property
    def events(self) -> tuple[Event, ...]:
        """What acts on the motions beside the walls."""
        return self._gates[-1].closing.carried.events

    @property
    def beside(self) -> tuple[str, ...]:
        """Columns beside the parameter and the states: the period, drifts."""
        return (PERIOD, *(DRIFT + name for name in self.drifts))

    @property
    def spectrum(self) -> tuple[str, np.ndarray]:
        """What tells stability, and its name."""
        return "multiplier", self.multipliers

    def __getitem__(self, name: str) -> np.ndarray:
        """The parameter, ``"period"``, or a state at the start, along the family (N,) (UnknownName E317)."""
        columns = {PERIOD: self.periods, **dict(zip(self.names, self.states.T, strict=True))}
        columns |= {DRIFT + name: column for name, column in self.drifts.items()}
        columns[self.parameter] = self.values
        return np.array(columns[one_of(columns, name, "the family", "column", "E317")])

    def __len__(self) -> int:
        return len(self.values)

    def orbit(self, row: int) -> Periodic:
        """The motion of a row, with its path (InvalidValue E241 where there is no such row)."""
        i = place_of(row, len(self), "row")
        w = np.r_[self.states[i], [c[i] for c in self.drifts.values()], self.periods[i], self.values[i]]
        return orbit_at(self._gates[-1].closing, w)

    def switch(self, place: int, size: float = 0.01) -> Periodic:
        """A motion on the other family through a special point: the start of `da.families.continue_periodic` there.

        Args:
            place: of the point in `special`; a branch point or a period doubling.
            size: how far from the point, in sizes of the states; a negative one goes to the other side.

        Raises:
            WrongType: E241, a place that is no whole number, or a size that is no number.
            InvalidValue: E241, there is no such point, or no other family begins there; E335, no motion of the other
                family is reached: try another size.
        """
        i = place_of(place, len(self.special), "special point")
        kind, value = self.special[i]
        if kind not in (BRANCH_POINT, DOUBLING):
            fact = f"no other family begins at the {kind} at {self.parameter} = {value:.6g}"
            raise InvalidValue("E241", fact, f"a place in special of a {BRANCH_POINT} or a {DOUBLING}")
        return onto(self._gates[i], size)

    def __str__(self) -> str:
        low, high = self.values.min(), self.values.max()
        lines = [f"family of {len(self)} periodic motions, {self.parameter} from {low:.6g} to {high:.6g}"]
        lines.append(f"  period       {self.periods.min():.6g} to {self.periods.max():.6g}")
        lines += [f"  drift        {n}: {c.min():.6g} to {c.max():.6g}" for n, c in self.drifts.items()]
        lines += [f"  held         {', '.join(self.held)}"] if self.held else []
        lines += [f"  {kind:15}  {self.parameter} = {value:.10g}" for kind, value in self.special]
        stable = self.stable
        for part in np.split(np.arange(len(self)), np.flatnonzero(np.diff(stable.astype(int))) + 1):
            verdict = "stable to first order" if stable[part[0]] else "unstable"
            low, high = self.values[part].min(), self.values[part].max()
            lines.append(f"  {verdict}, {low:.6g} to {high:.6g}")
        lines += [f"  ends: {self.ends[0]}; {self.ends[1]}"]
        return "\n".join(lines)

    __repr__ = __str__
