"""What the audit of a sweep looks at in members at one instant each: interpreted, or in a long sweep compiled."""

from __future__ import annotations

from typing import NamedTuple
from weakref import WeakKeyDictionary

import numpy as np

from ...calculus.forking import lock
from ...calculus.frame import TIME
from ...calculus.graph import Graph, Node, evaluate, gradient, operations
from ...calculus.read import read
from ...calculus.rounding import sizes
from ...calculus.substitution import carried
from ...equations import Equations
from ..machine.rows import Rows
from . import screen, start_laws, terms

_LOOKING: WeakKeyDictionary[Equations, Rows | None] = WeakKeyDictionary()
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


class Seen(NamedTuple):
    """Of K members: |row| and the size of its terms (R, K), energy and momenta and the sizes of theirs (1 + P, K)."""

    off: np.ndarray
    size: np.ndarray
    kept: np.ndarray
    terms: np.ndarray


class Looking:
    """Called with `Moments`, it gives what is `Seen`; `members` is how many the whole sweep has."""

    def __init__(self, equations: Equations, members: int = 0) -> None:
        self.equations = equations
        machine, space = equations.machine, equations.space
        self._rows = [(phi, space.velocities) for phi in machine.phi]
        self._rows += [(f, space.coordinates) for f in machine.position.values()]
        self._kept = [machine.energy, *(read(e, machine.graph) for e in equations.system.momenta.values())]
        self._compiled = self._rows_of() if members >= screen.MANY else None

    def __call__(self, moments: Moments) -> Seen:
        """The numbers at the instants."""
        with np.errstate(all="ignore"):
            return self._interpreted(moments) if self._compiled is None else self._at_once(self._compiled, moments)

    def energy_size(self, moments: Moments) -> np.ndarray:
        """The size of the energy's evaluation (K,): what its rounding is a part of."""
        return np.broadcast_to(sizes(self.equations.machine.energy, moments.values(self.equations)), len(moments.t))

    def _at_once(self, rows: Rows, moments: Moments) -> Seen:
        found = rows(moments.t, moments.y[:, :-1], moments.parameters).T
        m, k = len(self._rows), len(self._kept)
        return Seen(*np.split(found, [m, 2 * m, 2 * m + k]))

    def _interpreted(self, moments: Moments) -> Seen:
        machine, values, count = self.equations.machine, moments.values(self.equations), len(moments.t)
        off = [np.abs(np.asarray(evaluate([row], values)[0], float)) for row, _ in self._rows]
        size = [start_laws.row_size(machine, row, variables, values) for row, variables in self._rows]
        kept = [np.asarray(evaluate([node], values)[0], float) for node in self._kept]
        return Seen(*(_table(part, count) for part in (off, size, kept, [self._sized(n, values) for n in self._kept])))

    def _sized(self, node: Node, values: dict[str, np.ndarray]) -> np.ndarray:
        # sum |u_a dp/du_a|
        graph = self.equations.machine.graph
        u = [graph.symbol(s.name) for s in self.equations.space.velocities]
        slopes = evaluate(gradient(node, u), values)
        return np.asarray(sum(np.abs(np.asarray(s) * values[a.key[1]]) for s, a in zip(slopes, u, strict=True)))

    def _rows_of(self) -> Rows | None:
        """All of it as one function, None where it would be too large; made once."""
        with _making:
            if self.equations not in _LOOKING:
                outputs = self._outputs()
                small = sum(operations(outputs).values()) <= screen.LARGEST
                names = self.equations.states, sorted(self.equations.system.symbols)
                _LOOKING[self.equations] = Rows.of(outputs, *names) if small else None
        return _LOOKING[self.equations]

    def _outputs(self) -> list[Node]:
        """Those of `Seen` one after another, on a graph of their own."""
        graph, summands = Graph(), self.equations.machine.terms
        parts = [part for row, _ in self._rows for part in (row, *summands[row])]
        found = iter(carried([*self._kept, *parts], graph))
        kept = [next(found) for _ in self._kept]
        off, size = list[Node](), list[Node]()
        for row, variables in self._rows:
            here = next(found)
            off.append(graph.apply("abs", here))
            xs = [graph.symbol(v.name) for v in variables]
            size.append(terms.row_size(here, [next(found) for _ in summands[row]], xs))
        u = [graph.symbol(s.name) for s in self.equations.space.velocities]
        return [*off, *size, *kept, *(terms.sized(node, u) for node in kept)]


def _table(rows: list[np.ndarray], count: int) -> np.ndarray:
    return np.array([np.broadcast_to(row, count) for row in rows]).reshape(len(rows), count)
