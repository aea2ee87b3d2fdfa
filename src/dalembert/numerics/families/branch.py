"""A branch of steady motions: rows of a parameter, states and eigenvalues, and the special points between them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from ...errors import InvalidValue, WrongType, as_given
from ...given import noun, number, one_of
from ..steady import NOTHING, Steady
from .birth import born
from .forking import Fork, other_branch
from .periodic import Periodic

HOPF, FOLD, BRANCH_POINT = "Hopf", "fold", "branch point"


class Row(NamedTuple):
    """One steady motion of a branch."""

    value: float
    state: Mapping[str, float]
    eigenvalues: np.ndarray
    stable: bool


@noun
@dataclass(frozen=True, eq=False)
class Branch:
    """Steady motions in the order in which they follow each other.

    Attributes:
        parameter: the name of what changes.
        values: its values, (N,); they may turn back.
        names: the states.
        states: (N, n).
        eigenvalues: of the linearised motion on the constraints, growing ones first, (N, d), complex.
        special: ``[(kind, value), ...]`` along the branch: ``"fold"`` where the parameter turns back, ``"Hopf"`` where
            a pair begins or ends to grow, ``"branch point"`` where eigenvalues pass or touch 0 and the parameter goes
            on, or turns back between two halves that mirror each other. Steady motions meet there: another branch
            goes through where the rows of steady motions lose a rank; where they keep it, what is conserved stands
            still along the family, and motions of the family with the same conserved quantities meet.
        held: what stays as in the start, beside the parameter: directions of the family of which this is a branch.
        ends: why it ends at either end.
        growth: of the fastest disturbance, 0 where none grows by more than rounding, (N,).
        stable: does no small disturbance grow, to first order? (N,); not where frequencies meet in one mode either.
        remarks: what the linear motions leave out.
    """

    parameter: str
    values: np.ndarray
    names: tuple[str, ...]
    states: np.ndarray
    eigenvalues: np.ndarray
    special: list[tuple[str, float]]
    held: tuple[str, ...]
    ends: tuple[str, str]
    growth: np.ndarray
    stable: np.ndarray
    remarks: tuple[str, ...] = ()
    _forks: tuple[Fork, ...] = field(default=(), repr=False)

    @property
    def rows(self) -> tuple[Row, ...]:
        """The steady motions one by one."""
        found = []
        every = zip(self.values, self.states, self.eigenvalues, self.stable, strict=True)
        for value, y, eigenvalues, stable in every:
            state = dict(zip(self.names, map(float, y), strict=True))
            found.append(Row(float(value), state, eigenvalues, bool(stable)))
        return tuple(found)

    @property
    def beside(self) -> tuple[str, ...]:
        """Columns beside the parameter and the states: none."""
        return ()

    @property
    def spectrum(self) -> tuple[str, np.ndarray]:
        """What tells stability, and its name."""
        return "eigenvalue", self.eigenvalues

    def __getitem__(self, name: str) -> np.ndarray:
        """The parameter, or a state, along the branch (N,) (UnknownName E317 if there is none)."""
        columns = {**dict(zip(self.names, self.states.T, strict=True)), self.parameter: self.values}
        return np.array(columns[one_of(columns, name, "the branch", "column", "E317")])

    def __len__(self) -> int:
        return len(self.values)

    def switch(self, place: int, size: float = 0.01) -> Steady | Periodic:
        """A motion of what begins at a special point.

        At a branch point it is a steady one on the other branch, the start of `da.continue_steady` there; at a Hopf
        point a periodic one, the start of `da.families.continue_periodic`.

        Args:
            place: of the point in `special`.
            size: how far from the point, in sizes of the states; a negative one goes to the other side.

        Raises:
            WrongType: E241, a place that is no whole number, or a size that is no number.
            InvalidValue: E241, there is no such point, or it is a fold; E244, no other branch goes through, or no
                motion of it is reached: try another size; E335, no periodic motion is, or two pairs collide at the Hopf
                point.
        """
        i = place_of(place, len(self.special), "special point")
        kind, value = self.special[i]
        if kind == HOPF:
            return born(self._forks[i], number(size, "size", "E241"))
        if kind != BRANCH_POINT:
            fact = f"no other branch goes through the {kind} at {self.parameter} = {value:.6g}"
            raise InvalidValue("E241", fact, f"a place in special of a {BRANCH_POINT} or a {HOPF} point")
        return other_branch(self._forks[i], number(size, "size", "E241"))

    @property
    def zeros(self) -> int:
        """How many eigenvalues are 0 on the whole branch: of families and of what is conserved."""
        sizes = np.abs(self.eigenvalues)
        return int((sizes <= NOTHING * sizes.max(axis=1, initial=0.0, keepdims=True)).sum(axis=1).min())

    def fork(self, place: int) -> tuple[str, Fork]:
        """A special point: its kind, and where the rows of the branch are known (InvalidValue E241: there is none)."""
        i = place_of(place, len(self.special), "special point")
        return self.special[i][0], self._forks[i]

    def __str__(self) -> str:
        low, high = self.values.min(), self.values.max()
        lines = [f"branch of {len(self)} steady motions, {self.parameter} from {low:.6g} to {high:.6g}"]
        lines += [f"  held      {', '.join(self.held)}"] if self.held else []
        lines += [self._told(i) for i in range(len(self.special))]
        lines += self._begins()
        changes = np.flatnonzero(np.diff(self.stable.astype(int)))
        parts = np.split(np.arange(len(self)), changes + 1)
        for part in parts:
            verdict = "stable to first order" if self.stable[part[0]] else "unstable"
            low, high = self.values[part].min(), self.values[part].max()
            lines.append(f"  {verdict}, {low:.6g} to {high:.6g}")
        lines += [f"  ends: {self.ends[0]}; {self.ends[1]}", *(f"  {remark}" for remark in self.remarks)]
        return "\n".join(lines)

    def _told(self, i: int) -> str:
        """A special point, and what meets there where no other branch goes through."""
        kind, value = self.special[i]
        alone = kind == BRANCH_POINT and not self._forks[i].parts
        meets = ", of motions with the same conserved quantities" if alone else ""
        return f"  {kind:12}  {self.parameter} = {value:.10g}{meets}"

    def _begins(self) -> list[str]:
        """Where something else begins: at Hopf points, and at branch points through which another branch goes."""
        kinds = [kind for kind, _ in self.special]
        places = [i for i, kind in enumerate(kinds) if kind == HOPF or (kind == BRANCH_POINT and self._forks[i].parts)]
        if not places:
            return []
        if len(places) == len(kinds):
            return ["  switch(place) gives a motion of what begins there, places counted from 0"]
        return [f"  {', '.join(f'switch({i})' for i in places)} gives a motion of what begins there"]

    __repr__ = __str__


def place_of(given: object, count: int, what: str) -> int:
    """A place among so many, counted from the end if it is negative."""
    if isinstance(given, bool) or not isinstance(given, int | np.integer):
        raise WrongType("E241", f"{as_given(given)} is no place of a {what}", "a whole number")
    if not -count <= given < count:
        fact = f"there is no {what} {given}: there are {count}"
        raise InvalidValue("E241", fact, f"0 to {count - 1}" if count else "a family that has some")
    return int(given) % count
