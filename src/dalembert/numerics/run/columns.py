"""The columns of a path at any times: states on the constraints, multipliers, energy."""

from __future__ import annotations

import numpy as np

from ...errors import WrongType
from ...trajectory import Interpolant
from ..vector_field.field import Field

_BLOCK = 50_000  # rows at once: bounds the memory for intermediate values


class Columns:
    """Columns of one path; called with times, it is the path's dense output.

    Attributes:
        names: the states, then ``lam_<constraint>`` where multipliers are reactions, then ``energy`` if it is free.
        interpolant: the path as the integrator left it.
    """

    def __init__(self, field: Field, interpolant: Interpolant) -> None:
        self.field, self.interpolant = field, interpolant
        equations = field.equations
        self.derived = () if equations.states_of_multipliers else tuple(s.name for s in equations.multipliers)
        self.with_energy = "energy" not in {*equations.states, *equations.system.symbols}
        self.names = (*equations.states, *self.derived, *(("energy",) if self.with_energy else ()))

    def __reduce__(self) -> str:
        """E318: what computes between the samples is machine code of this process."""
        fact = "a path of a run cannot be pickled: it computes by machine code of this process"
        raise WrongType("E318", fact, 'path.save("path.npz"), and there da.load("path.npz")')

    def __deepcopy__(self, memo: object) -> Columns:
        return self  # nothing of it changes

    def __call__(self, t: np.ndarray) -> np.ndarray:
        """All columns (len(t), columns) at times inside the path."""
        times = np.atleast_1d(np.asarray(t, float))
        return self.of(times, self.field.project(times, self.interpolant(times)))

    def of(self, t: np.ndarray, y: np.ndarray) -> np.ndarray:
        """All columns at times (N,) and states (N, n + 1)."""
        blocks = [slice(i, i + _BLOCK) for i in range(0, len(t), _BLOCK)] or [slice(0, 0)]
        return np.vstack([self._block(t[b], y[b]) for b in blocks])

    def _block(self, t: np.ndarray, y: np.ndarray) -> np.ndarray:
        full = self.field.full(t, y)
        columns = [full[:, :-1]]
        if self.derived:
            columns.append(self.field.multipliers(t, full))
        if self.with_energy:
            columns.append(self.field.energy(t, full)[:, None])
        return np.column_stack(columns)
