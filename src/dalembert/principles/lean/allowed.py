"""The velocities that affine constraints allow, in speeds of which every value is allowed.

    u = Z(t, q) s + z(t, q) ,    s = Y(t, q) u

Rows are used one after the other. A row says one of the speeds by the others: one whose coefficient depends on
parameters alone; else two are turned into one along and one across the row, where the sum of their squares is constant
or nothing else is left in the row; else the speed that carries most of the row at the given states, and its coefficient
must then keep away from 0.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from ...calculus.exact.tidy import Tidy
from ...calculus.graph import Node, evaluate, substitute, symbols
from ...calculus.hamel import Motion


@dataclass
class Allowed:
    """The velocities allowed by the rows that were used so far.

    Attributes:
        motion: the frame on the graph.
        tidy: what tidies its nodes.
        Z, z: u = Z s + z, Z row by row (k x r).
        s: the speeds as functions of t, q, u (r).
        charts: nodes that must keep away from 0.
    """

    motion: Motion
    tidy: Tidy
    Z: list[list[Node]]
    z: list[Node]
    s: list[Node]
    charts: list[Node] = field(default_factory=list)

    @classmethod
    def by(cls, rows: Sequence[Node], motion: Motion, tidy: Tidy, states: Sequence[Mapping[str, float]]) -> Allowed:
        """What all rows, affine in the velocities, allow; pivots are chosen at these states."""
        k, one, zero = len(motion.u), motion.one, motion.zero
        unit = [[one if a == b else zero for b in range(k)] for a in range(k)]
        found = cls(motion, tidy, unit, [zero] * k, list(motion.u))
        for row in rows:
            found._use(row, states)
        return found

    def velocities(self, s: Sequence[Node]) -> list[Node]:
        """u = Z s + z."""
        return [self.motion.sum(e * si for e, si in zip(row, s, strict=True)) + zi
                for row, zi in zip(self.Z, self.z, strict=True)]  # fmt: skip

    def _use(self, row: Node, states: Sequence[Mapping[str, float]]) -> None:
        n, rest = self._on_speeds(row)
        there = [c for c, e in enumerate(n) if not e.is_zero]
        constant = [c for c in there if self.tidy.constant(n[c])]
        pair = None if constant else self._pair(n, there, rest)
        if constant:
            pivot = constant[-1]
        elif pair is not None:
            pivot = self._turn(n, *pair)
        else:
            pivot = self._largest(n, there, states)
        self._eliminate(pivot, n, rest)

    def _on_speeds(self, row: Node) -> tuple[list[Node], Node]:
        """phi = n s + rest, for the speeds that are left."""
        graph, names = row.graph, [u.key[1] for u in self.motion.u]
        met = [a for a, u in enumerate(self.motion.u) if graph.reach[row.index] & graph.reach[u.index]]
        still = substitute([row], dict.fromkeys(names, 0.0))[0]
        n = []
        for c in range(len(self.s)):
            column: dict[str, Node | float] = dict.fromkeys(names, 0.0)
            column |= {names[a]: self.Z[a][c] for a in met}
            apart = all(self.Z[a][c].is_zero for a in met)
            n.append(self.motion.zero if apart else substitute([row], column)[0] - still)
        rest = substitute([row], dict(zip(names, self.z, strict=True)))[0]
        *n, rest = self.tidy([*n, rest])
        return n, rest

    # --- which speed goes ----------------------------------------------------------------------------------------

    def _pair(self, n: Sequence[Node], there: Sequence[int], rest: Node) -> tuple[int, int] | None:
        """Two speeds, the squares of whose coefficients have a constant sum; or the only two of the row."""
        for i in there:
            for j in there:
                if i < j and self.tidy.constant(n[i] * n[i] + n[j] * n[j]):
                    return i, j
        return (there[0], there[1]) if len(there) == 2 and rest.is_zero else None

    def _turn(self, n: list[Node], i: int, j: int) -> int:
        """Turn two speeds along and across the row; the one along it, which is to go, stands at i."""
        a, b = (-n[i], -n[j]) if self._backwards(n[i], n[j]) else (n[i], n[j])
        square = self.tidy([a * a + b * b])[0]
        if not self.tidy.constant(square):
            self.charts.append(square)
        for row in self.Z:
            # s_i = a along - b across ,  s_j = b along + a across
            if not (row[i].is_zero and row[j].is_zero):
                row[i], row[j] = a * row[i] + b * row[j], a * row[j] - b * row[i]
        along, across = (a * self.s[i] + b * self.s[j]) / square, (a * self.s[j] - b * self.s[i]) / square
        self.s[i], self.s[j] = along, across
        n[i], n[j] = a * n[i] + b * n[j], self.motion.zero
        return i

    def _backwards(self, a: Node, b: Node) -> bool:
        """Would the speed that stays count backwards along the first of the two, or the second, at coordinates 0?"""
        names = symbols([a, b]) - {q.key[1] for q in self.motion.q}
        at = {**dict.fromkeys(names, 1.0), **dict.fromkeys((q.key[1] for q in self.motion.q), 0.0)}
        forward = [value for value in (-evaluate([b], at)[0], evaluate([a], at)[0]) if value]
        return bool(forward) and bool(forward[0] < 0)

    def _largest(self, n: Sequence[Node], there: Sequence[int], states: Sequence[Mapping[str, float]]) -> int:
        """The speed with the largest share in the row, where it is smallest."""
        found = np.abs(np.array([evaluate([n[c] for c in there], values) for values in states], float))
        share = (found / np.linalg.norm(found, axis=1, keepdims=True)).min(axis=0)
        pivot = there[int(np.argmax(share))]
        self.charts.append(n[pivot])
        return pivot

    def _eliminate(self, pivot: int, n: Sequence[Node], rest: Node) -> None:
        """s_pivot = -(sum of the others n_d s_d + rest)/n_pivot."""
        others = [d for d, e in enumerate(n) if d != pivot and not e.is_zero]
        for row in self.Z:
            if not row[pivot].is_zero:
                lead = row[pivot] / n[pivot]
                for d in others:
                    row[d] = row[d] - lead * n[d]
        self.z = [zi - row[pivot] / n[pivot] * rest for zi, row in zip(self.z, self.Z, strict=True)]
        for row in self.Z:
            del row[pivot]
        self.s = [*self.s[:pivot], *self.s[pivot + 1 :]]
        self._tidied()

    def _tidied(self) -> None:
        """Entries that are not numbers, found together."""
        open_entries = [(row, c) for row in (*self.Z, self.z) for c, e in enumerate(row) if not e.is_constant]
        for (row, c), e in zip(open_entries, self.tidy([row[c] for row, c in open_entries]), strict=True):
            row[c] = e
