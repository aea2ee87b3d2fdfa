"""The columns of a path at any times: states on the constraints, multipliers, energy."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np

from ...errors import WrongType
from ...event import Event
from ...trajectory import IMPULSE, Interpolant, Marks
from ...trajectory.interpolant import check_inside
from ..vector_field.field import Field
from .run_context import Leg, Run

_BLOCK = 50_000  # rows at once: bounds the memory for intermediate values


class PathColumns:
    """Columns of one path; called with times, it is the path's dense output.

    Attributes:
        names: the states, then ``lam_<constraint>`` where multipliers are reactions, ``energy`` if it is free, and the
            inputs.
        legs: the path as the integrator left it, a leg for each chart.
        field: of the first.
    """

    def __init__(self, legs: Sequence[Leg]) -> None:
        self.legs, self.field = tuple(legs), legs[0].field
        equations = self.field.equations
        self.derived = () if equations.states_of_multipliers else tuple(s.name for s in equations.multipliers)
        self.with_energy = "energy" not in {*equations.states, *equations.system.symbols}
        self.inputs: tuple[str, ...] = ()
        if equations.system.inputs:
            t, y = self.legs[0].t[0], self.legs[0].y[0]
            self.inputs = tuple(self.field.inputs(t, self.field.full(t, y)))
        self.names = (*equations.states, *self.derived, *(("energy",) if self.with_energy else ()), *self.inputs)

    def of_legs(self, legs: Sequence[Leg]) -> PathColumns:
        """The same columns of another path in the states of the first leg."""
        new = object.__new__(PathColumns)
        new.__dict__ |= {**vars(self), "legs": tuple(legs), "field": legs[0].field}
        new.__dict__.pop("knots", None)
        return new

    @property
    def interpolant(self) -> Interpolant:
        """The path in the states of its last leg."""
        return self.legs[-1].path

    @cached_property
    def knots(self) -> np.ndarray:
        """The times between which it is one smooth piece each."""
        return np.concatenate([leg.path.t if not i else leg.path.t[1:] for i, leg in enumerate(self.legs)])

    @property
    def degree(self) -> int:
        """Of its polynomials."""
        return max(leg.path.F.shape[1] for leg in self.legs)

    @property
    def nodes(self) -> tuple[np.ndarray, np.ndarray]:
        """The knots, and full rows there (N, n + 1); at a jump those before and after it."""
        rows = [leg.field.full(leg.path.t, leg.path.y) for leg in self.legs]
        return self.knots, np.concatenate([full if not i else full[1:] for i, full in enumerate(rows)])

    def __reduce__(self) -> str:
        """E318: what computes between the samples is machine code of this process."""
        fact = "a path of a run cannot be pickled: it computes by machine code of this process"
        raise WrongType("E318", fact, 'path.save("path.npz"), and there da.load("path.npz")')

    def __deepcopy__(self, memo: object) -> PathColumns:
        return self  # nothing of it changes

    def __call__(self, t: np.ndarray) -> np.ndarray:
        """All columns (len(t), columns) at times inside the path."""
        times = np.atleast_1d(np.asarray(t, float))
        return self.of(times, self.rows(times))

    def rows(self, times: np.ndarray) -> np.ndarray:
        """Full rows (N, n + 1), on the constraints, at times inside the path.

        Raises:
            InvalidValue: E303, a time is outside the path.
        """
        if len(self.legs) == 1:
            return _rows(self.legs[0], times)
        check_inside(times, self.knots)
        found = np.empty((len(times), len(self.field.equations.states) + 1))
        for leg, those in self.parts(times):
            found[those] = _rows(leg, times[those])
        return found

    def of(self, t: np.ndarray, full: np.ndarray, reactions: bool = True) -> np.ndarray:
        """All columns at times (N,), of full rows (N, n + 1); where inputs jump, those after it.

        Multipliers are 0 where no reactions are asked for.
        """
        found = np.empty((len(t), len(self.names)))
        for leg, those in self.parts(t) if self.inputs else [(self.legs[0], None)]:
            for i in range(0, len(t) if those is None else len(those), _BLOCK):
                b = slice(i, i + _BLOCK) if those is None else those[i : i + _BLOCK]
                found[b] = self._block(leg.field, t[b], full[b], reactions)
        return found

    def parts(self, t: np.ndarray) -> list[tuple[Leg, np.ndarray]]:
        """The legs in which times lie, and which of the times these are; where a leg begins the times are its own."""
        which = np.maximum(np.searchsorted([leg.t[0][0] for leg in self.legs], t, side="right") - 1, 0)
        order = np.argsort(which, kind="stable")
        legs, first = np.unique(which[order], return_index=True)
        parts = np.split(order, first[1:]) if len(t) else ()
        return [(self.legs[i], those) for i, those in zip(legs, parts, strict=True)]

    def _block(self, field: Field, t: np.ndarray, full: np.ndarray, reactions: bool) -> np.ndarray:
        columns = [full[:, :-1]]
        if self.derived:
            columns.append(field.multipliers(t, full) if reactions else np.zeros((len(t), len(self.derived))))
        if self.with_energy:
            columns.append(field.energy(t, full)[:, None])
        return np.column_stack([*columns, *(field.inputs(t, full).values() if self.inputs else ())])


def marks_of(event: Event | None, found: list[tuple[float, np.ndarray]], run: Run, columns: PathColumns) -> Marks:
    """When an event happened and the columns before it, and of a wall the impulses that it gave."""
    t = np.array([t for t, _ in found])
    full = np.array([full for _, full in found]).reshape(len(t), len(columns.field.equations.states) + 1)
    pushes = {} if event is None else run.impulses(event, t)
    told = columns.of(t, full) if len(t) else np.empty((0, len(columns.names)))
    names = (*columns.names, *(f"{IMPULSE}{label}" for label in pushes))
    return Marks(t, np.column_stack([told, *pushes.values()]), names)


def _rows(leg: Leg, times: np.ndarray) -> np.ndarray:
    """Full rows of one leg."""
    y = leg.path(times)
    inside = np.any([(begin < times) & (times < end) for begin, end in leg.gaps], axis=0) if leg.gaps else False
    return leg.field.full(times, np.where(np.reshape(inside, (-1, 1)), y, leg.field.project_each(times, y)))
