"""What is computed from the results of a batch: columns and the audit, for all members at once."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...calculus.graph import evaluate
from ...equations import Equations
from ...equations.form import Numbers
from ..run.audit import CONSTRAINT_LIMIT, ENERGY_FAILURE, ENERGY_LIMIT, MOMENTUM_LIMIT
from ..run.blur import roundings
from .keep import ENERGY
from .looking import Looking, Moments, Seen
from .outcomes import FAILED, OK, SUSPECT

_BLOCK = 50_000  # rows at once: bounds the memory for intermediate values


def columns(equations: Equations, names: Sequence[str], moments: Moments) -> dict[str, np.ndarray]:
    """Columns (K,) by name; NaN where the state is not known."""
    found = {name: moments.y[:, i] for i, name in enumerate(equations.states) if name in names}
    lam = {s.name: i for i, s in enumerate(equations.multipliers) if s.name in names and s.name not in found}
    derived = [*lam, *([ENERGY] if ENERGY in names and ENERGY not in found else [])]
    found |= {name: np.full(len(moments.t), np.nan) for name in derived}
    rows = np.flatnonzero(np.isfinite(moments.y).all(axis=1)) if derived else np.zeros(0, int)
    for block in (rows[i : i + _BLOCK] for i in range(0, len(rows), _BLOCK)):
        here = moments.part(block)
        if lam:
            mu = _multipliers(equations, here)
            for name, i in lam.items():
                found[name][block] = mu[:, i]
        if ENERGY in derived:
            found[ENERGY][block] = evaluate([equations.machine.energy], here.values(equations))[0]
    return {name: found[name] for name in names}


def _multipliers(equations: Equations, moments: Moments) -> np.ndarray:
    """Reactions' multipliers (K, m); those of least norm where rank is lost, as at the end of a run."""
    values = moments.values(equations)
    try:
        return np.asarray(equations.accelerations(values)[1])
    except np.linalg.LinAlgError:
        if len(moments.t) > 1:
            rows = [slice(i, i + 1) for i in range(len(moments.t))]
            return np.concatenate([_multipliers(equations, moments.part(row)) for row in rows])
        form = Numbers.of(equations.machine.form, values)
        x = np.linalg.pinv(form.bordered) @ np.concatenate([form.f, form.g], axis=-1)[..., None]
        return np.asarray(x[..., form.f.shape[-1] :, 0])


class Audit:
    """Residuals, work balance and momenta of the members at one instant after another.

    Attributes:
        residual, relative: the largest so far, absolute and over the size of the row's terms at its largest (K,).
    """

    def __init__(self, equations: Equations, start: Moments, looking: Looking | None = None) -> None:
        self._looking = looking or Looking(equations)
        seen, count = self._looking(start), len(start.t)
        self._first, self._work = seen.kept, start.y[:, -1]
        self._residual, self._size = np.zeros(seen.off.shape), np.zeros(seen.off.shape)
        self._moved, self._terms = np.zeros(seen.kept.shape), np.zeros(seen.kept.shape)
        self._energy_size = np.zeros((1, count))
        self._take(start, seen, count)

    def add(self, moments: Moments) -> None:
        """Look at further instants, as many of each member, member by member; what is not known is left out."""
        self._take(moments, self._looking(moments), self._first.shape[1])

    def _take(self, moments: Moments, seen: Seen, count: int) -> None:
        known = np.isfinite(moments.y).all(axis=1)
        times = len(known) // count

        def larger(so_far: np.ndarray, value: np.ndarray) -> np.ndarray:
            rows = value if known.all() else np.where(known, value, 0.0)
            return np.asarray(
                np.maximum(so_far, rows if times == 1 else rows.reshape(len(value), count, times).max(axis=2))
            )

        with np.errstate(all="ignore"):
            self._residual, self._size = larger(self._residual, seen.off), larger(self._size, seen.size)
            # E(t) - E(0) - work(t) = 0, and of what is conserved  p(t) - p(0) = 0
            first, work = (a if times == 1 else np.repeat(a, times, axis=-1) for a in (self._first, self._work))
            change = seen.kept - first
            balance = np.abs(change)
            balance[0] = np.abs(change[0] - (moments.y[:, -1] - work))
            self._moved = larger(self._moved, balance)
            own = np.abs(seen.kept)
            own[0] = np.abs(change[0])
            own = np.maximum(seen.terms, own)
            self._terms = larger(self._terms, own)
            doubtful = np.flatnonzero(known & (balance[0] > ENERGY_LIMIT * own[0]))
            if doubtful.size:
                size = np.zeros((1, len(known)))
                size[0, doubtful] = self._looking.energy_size(moments.part(doubtful))
                self._energy_size = larger(self._energy_size, size)

    @property
    def residual(self) -> np.ndarray:
        """Largest residual of any constraint (K,)."""
        return self._residual.max(axis=0, initial=0.0)

    def drift(self, steps: np.ndarray) -> np.ndarray:
        """The largest work balance over the size of the energy's terms (K,); 0 where it is rounding after `steps`."""
        rounding = roundings(steps) * self._energy_size[0]
        return np.where(self._moved[0] <= rounding, 0.0, _over(self._moved[0], self._terms[0]))

    def verdict(self, outcome: np.ndarray, unasked: np.ndarray, drift: np.ndarray) -> np.ndarray:
        """As in the audit of a single run (K,); `unasked` are those that ended early without an event to end them."""
        off = _over(self._residual, np.where(self._size > 0, self._size, 1.0)).max(axis=0, initial=0.0)
        moved = _over(self._moved[1:], np.where(self._terms[1:] > 0, self._terms[1:], 1.0)).max(axis=0, initial=0.0)
        suspect = unasked | ~(drift <= ENERGY_LIMIT) | ~(moved <= MOMENTUM_LIMIT)
        failed = (outcome > 1) | ~(off <= CONSTRAINT_LIMIT) | ~(drift <= ENERGY_FAILURE)
        return np.where(failed, FAILED, np.where(suspect, SUSPECT, OK)).astype(np.int8)


def _over(value: np.ndarray, size: np.ndarray) -> np.ndarray:
    return np.where(size > 0, value / np.where(size > 0, size, 1.0), 0.0)
