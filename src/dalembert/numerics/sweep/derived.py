"""What is computed from the results of a batch: columns and the audit, for all members at once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ...calculus.frame import TIME
from ...calculus.graph import Node, evaluate, gradient
from ...calculus.read import read
from ...equations import Equations
from ...equations.form import Numbers
from ..run.audit import CONSTRAINT_LIMIT, ENERGY_FAILURE, ENERGY_LIMIT, MOMENTUM_LIMIT
from .keep import ENERGY
from .outcomes import FAILED, OK, SUSPECT
from .start_laws import row_size

_BLOCK = 50_000  # rows at once: bounds the memory for intermediate values


class Moments(NamedTuple):
    """Members at one instant each: times t (K,), states with the work y (K, n + 1), parameters (K,) by name."""

    t: np.ndarray
    y: np.ndarray
    parameters: dict[str, np.ndarray]

    def values(self, equations: Equations) -> dict[str, np.ndarray]:
        """Values of all symbols by name."""
        states = {name: np.ascontiguousarray(self.y[:, i]) for i, name in enumerate(equations.states)}
        return {**self.parameters, **states, TIME.name: self.t}

    def part(self, rows: np.ndarray | slice) -> Moments:
        """Some of the members."""
        return Moments(self.t[rows], self.y[rows], {k: v[rows] for k, v in self.parameters.items()})


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
        drift: the largest work balance over the size of the energy's terms (K,).
    """

    def __init__(self, equations: Equations, start: Moments) -> None:
        self.equations = equations
        machine, space = equations.machine, equations.space
        self._rows = [(phi, space.velocities) for phi in machine.phi]
        self._rows += [(f, space.coordinates) for f in machine.position.values()]
        self._momenta = [read(e, machine.graph) for e in equations.system.momenta.values()]
        self._residual = np.zeros((len(self._rows), len(start.t)))
        self._size = np.zeros((len(self._rows), len(start.t)))
        self._energy, self._first = self._at(machine.energy, start), start.y[:, -1]
        self._kept = [self._at(p, start) for p in self._momenta]
        self._scale, self._balance = np.zeros(len(start.t)), np.zeros(len(start.t))
        self._moved, self._terms = (np.zeros((len(self._momenta), len(start.t))) for _ in range(2))
        self.add(start)

    def _at(self, node: Node, moments: Moments) -> np.ndarray:
        value = evaluate([node], moments.values(self.equations))[0]
        return np.broadcast_to(np.asarray(value, float), moments.t.shape)

    def _sized(self, node: Node, values: dict[str, np.ndarray]) -> np.ndarray:
        # sum |u_a dp/du_a|
        graph = self.equations.machine.graph
        u = [graph.symbol(s.name) for s in self.equations.space.velocities]
        slopes = evaluate(gradient(node, u), values)
        return np.asarray(sum(np.abs(np.asarray(s) * values[a.key[1]]) for s, a in zip(slopes, u, strict=True)))

    def add(self, moments: Moments) -> None:
        """Look at further instants, as many of each member, member by member; what is not known is left out."""
        machine, values = self.equations.machine, moments.values(self.equations)
        known = np.isfinite(moments.y).all(axis=1)
        times = len(known) // len(self._energy)

        def larger(so_far: np.ndarray, value: np.ndarray) -> np.ndarray:
            rows = np.where(known, value, 0.0).reshape(-1, times)
            return np.asarray(np.maximum(so_far, rows.max(axis=1)))

        with np.errstate(all="ignore"):
            for i, (row, variables) in enumerate(self._rows):
                off = np.abs(np.asarray(evaluate([row], values)[0], float))
                self._residual[i] = larger(self._residual[i], off)
                self._size[i] = larger(self._size[i], row_size(machine, row, variables, values))
            # E(t) - E(0) - work(t) = 0
            change = self._at(machine.energy, moments) - np.repeat(self._energy, times)
            self._balance = larger(self._balance, np.abs(change - (moments.y[:, -1] - np.repeat(self._first, times))))
            self._scale = larger(self._scale, np.maximum(self._sized(machine.energy, values), np.abs(change)))
            for i, p in enumerate(self._momenta):
                value = self._at(p, moments)
                self._moved[i] = larger(self._moved[i], np.abs(value - np.repeat(self._kept[i], times)))
                self._terms[i] = larger(self._terms[i], np.maximum(self._sized(p, values), np.abs(value)))

    @property
    def residual(self) -> np.ndarray:
        """Largest residual of any constraint (K,)."""
        return self._residual.max(axis=0, initial=0.0)

    @property
    def drift(self) -> np.ndarray:
        """Work balance over its scale (K,)."""
        return _over(self._balance, self._scale)

    def verdict(self, outcome: np.ndarray) -> np.ndarray:
        """As in the audit of a single run (K,)."""
        off = _over(self._residual, np.where(self._size > 0, self._size, 1.0)).max(axis=0, initial=0.0)
        moved = _over(self._moved, np.where(self._terms > 0, self._terms, 1.0)).max(axis=0, initial=0.0)
        suspect = ~(self.drift <= ENERGY_LIMIT) | ~(moved <= MOMENTUM_LIMIT)
        failed = (outcome > 1) | ~(off <= CONSTRAINT_LIMIT) | ~(self.drift <= ENERGY_FAILURE)
        return np.where(failed, FAILED, np.where(suspect, SUSPECT, OK)).astype(np.int8)


def _over(value: np.ndarray, size: np.ndarray) -> np.ndarray:
    return np.where(size > 0, value / np.where(size > 0, size, 1.0), 0.0)
