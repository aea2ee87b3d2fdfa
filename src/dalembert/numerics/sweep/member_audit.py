"""The audit of many members at once: what is computed from the results of a batch, and how each ended, as a number."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple
from weakref import WeakKeyDictionary

import numpy as np

from ...calculus.fork_locks import lock
from ...calculus.frame import TIME
from ...calculus.from_sympy import read
from ...calculus.graph import Graph, Node, evaluate, gradient, operations
from ...calculus.numerical_rank import sizes
from ...calculus.substitution import carried
from ...equations import Equations
from ...equations.saddle_form import Numbers
from ..ensembles.results import CODES, Results
from ..machine.row_functions import CompiledRows
from ..run.audit import CONSTRAINT_LIMIT, ENERGY_FAILURE, ENERGY_LIMIT, MOMENTUM_LIMIT, roundings
from . import start_checks
from .kept_columns import ENERGY

OK, SUSPECT, FAILED = 0, 1, 2
VERDICTS = {OK: "ok", SUSPECT: "suspect", FAILED: "failed"}


def of(results: Results) -> np.ndarray:
    """The outcome of each member (K,)."""
    found = results.status.astype(np.int16)
    for status, code in CODES.items():
        found[results.status == status] = code
    return np.where(results.code > 0, results.code, found).astype(np.int16)


def flags(values: dict[int, str]) -> dict[str, object]:
    """Attributes that say what the numbers mean, as the CF conventions have it."""
    return {"flag_values": list(values), "flag_meanings": " ".join(values.values())}


# ---------------------------------------------------------------------------------------------------------------------
# What the audit of a sweep looks at in members at one instant each: interpreted, or in a long sweep compiled.

_LOOKING: WeakKeyDictionary[Equations, CompiledRows | None] = WeakKeyDictionary()
_making = lock()


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


class MemberSamples(NamedTuple):
    """Of K members: |row| and the size of its terms (R, K), energy and momenta and the sizes of theirs (1 + P, K)."""

    off: np.ndarray
    size: np.ndarray
    kept: np.ndarray
    terms: np.ndarray


class Looking:
    """Called with `Moments`, it gives what is `MemberSamples`; `members` is how many the whole sweep has."""

    def __init__(self, equations: Equations, members: int = 0) -> None:
        self.equations = equations
        machine, space = equations.machine, equations.space
        self._rows = [(phi, space.velocities) for phi in machine.phi]
        self._rows += [(f, space.coordinates) for f in machine.position.values()]
        self._kept = [machine.energy, *(read(e, machine.graph) for e in equations.system.momenta.values())]
        self._compiled = self._rows_of() if members >= start_checks.MANY else None

    def __call__(self, moments: Moments) -> MemberSamples:
        """The numbers at the instants."""
        with np.errstate(all="ignore"):
            return self._interpreted(moments) if self._compiled is None else self._at_once(self._compiled, moments)

    def energy_size(self, moments: Moments) -> np.ndarray:
        """The size of the energy's evaluation (K,): what its rounding is a part of."""
        return np.broadcast_to(sizes(self.equations.machine.energy, moments.values(self.equations)), len(moments.t))

    def _at_once(self, rows: CompiledRows, moments: Moments) -> MemberSamples:
        found = rows(moments.t, moments.y[:, :-1], moments.parameters).T
        m, k = len(self._rows), len(self._kept)
        return MemberSamples(*np.split(found, [m, 2 * m, 2 * m + k]))

    def _interpreted(self, moments: Moments) -> MemberSamples:
        machine, values, count = self.equations.machine, moments.values(self.equations), len(moments.t)
        off = [np.abs(np.asarray(evaluate([row], values)[0], float)) for row, _ in self._rows]
        size = [start_checks.row_size(machine, row, variables, values) for row, variables in self._rows]
        kept = [np.asarray(evaluate([node], values)[0], float) for node in self._kept]
        return MemberSamples(
            *(_table(part, count) for part in (off, size, kept, [self._sized(n, values) for n in self._kept]))
        )

    def _sized(self, node: Node, values: dict[str, np.ndarray]) -> np.ndarray:
        # sum |u_a dp/du_a|
        graph = self.equations.machine.graph
        u = [graph.symbol(s.name) for s in self.equations.space.velocities]
        slopes = evaluate(gradient(node, u), values)
        return np.asarray(sum(np.abs(np.asarray(s) * values[a.key[1]]) for s, a in zip(slopes, u, strict=True)))

    def _rows_of(self) -> CompiledRows | None:
        """All of it as one function, None where it would be too large; made once."""
        with _making:
            if self.equations not in _LOOKING:
                outputs = self._outputs()
                small = sum(operations(outputs).values()) <= start_checks.LARGEST
                names = self.equations.states, sorted(self.equations.system.symbols)
                _LOOKING[self.equations] = CompiledRows.of(outputs, *names) if small else None
        return _LOOKING[self.equations]

    def _outputs(self) -> list[Node]:
        """Those of `MemberSamples` one after another, on a graph of their own."""
        graph, summands = Graph(), self.equations.machine.terms
        parts = [part for row, _ in self._rows for part in (row, *summands[row])]
        found = iter(carried([*self._kept, *parts], graph))
        kept = [next(found) for _ in self._kept]
        off, size = list[Node](), list[Node]()
        for row, variables in self._rows:
            here = next(found)
            off.append(graph.apply("abs", here))
            xs = [graph.symbol(v.name) for v in variables]
            size.append(start_checks.row_terms(here, [next(found) for _ in summands[row]], xs))
        u = [graph.symbol(s.name) for s in self.equations.space.velocities]
        return [*off, *size, *kept, *(start_checks.sized(node, u) for node in kept)]


def _table(rows: list[np.ndarray], count: int) -> np.ndarray:
    return np.array([np.broadcast_to(row, count) for row in rows]).reshape(len(rows), count)


# --- What is computed from the results of a batch: columns and the audit, for all members at once --------------------

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


class MembersAudit:
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

    def _take(self, moments: Moments, seen: MemberSamples, count: int) -> None:
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
