"""The velocities that affine constraints allow, in speeds of which every value is allowed.

    u = Z(t, q) s + z(t, q) ,    s = Y(t, q) u

Rows are used one after the other. A row says one of the speeds by the others: one whose coefficient depends on
parameters alone; else two are turned into one along and one across the row, where the sum of their squares is constant
or nothing else is left in the row; else the speed that carries most of the row at the given states, and its coefficient
must then keep away from 0.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import combinations

import numpy as np
from numpy.typing import ArrayLike

from ...calculus.elementary_functions import ELEMENTARY
from ...calculus.euler_lagrange import Motion
from ...calculus.exact.operation_count import Tidy
from ...calculus.graph import Graph, Node, evaluate, gradient, symbols
from ...calculus.node_store import CONSTANT, SYMBOL, sqrt
from ...calculus.node_values import PLAINLY, RAISED
from ...calculus.substitution import Substitution
from ...equations.lean_form import PivotChoice, largest
from ...geometry.random_states import random_state
from ...model.system import System

BESIDE = 1e-4  # of the row, in velocities: what a speed carries of it, if it is to go without a choice

States = Sequence[Mapping[str, float]]


class Column:
    """One speed: the velocities that it makes, and what it is.

    Attributes:
        motion: the frame on the graph.
        entries: velocities by position, for the speed 1 and all others 0; those that are 0 left out.
        speed: the speed as a function of t, q, u.
        made: the velocities that it makes, or made, one bit each.
    """

    def __init__(self, motion: Motion, entries: Mapping[int, Node], speed: Node, at_rest: Substitution) -> None:
        self.motion, self.entries, self.speed = motion, dict(entries), speed
        places = {motion.u[a].key[1]: e for a, e in entries.items()}
        self.of = Substitution(speed.graph, places, at_rest)
        self._square: Node | None = motion.sum(e * e for e in self.entries.values())
        self.made = speed.graph.union(motion.u[a].index for a in self.entries)

    @property
    def square(self) -> Node:
        """Of the velocity that it makes."""
        if self._square is None:
            self._square = self.motion.sum(e * e for e in self.entries.values())
        return self._square

    def put(self, a: int, e: Node) -> None:
        """Change an entry."""
        if a in self.entries or e.is_zero:
            self._square = None
        else:
            self._square = self.square + e * e
        self.entries[a] = e
        self.made |= e.graph.reach[self.motion.u[a].index]
        if e.is_zero:
            del self.entries[a]
        self.of.put(self.motion.u[a].key[1], e)


class FreeVelocities:
    """The velocities that rows allow, used one after the other; pivots are chosen at given states.

    Which of them need no choice is told by the states `usual`, so that all charts of a system make the same choices.

    Attributes:
        motion: the frame on the graph.
        tidy: what tidies its nodes.
        columns: of the speeds that are left.
        still: velocities at speeds 0.
        charts: nodes that must keep away from 0, each with the size of the row that it was made from.
        choices: of pivots that had to be made at the states, in order.
    """

    def __init__(self, rows: Sequence[Node], motion: Motion, tidy: Tidy, states: States, usual: States) -> None:
        self.motion, self.tidy, self._usual = motion, tidy, NodeValues(motion.zero.graph, usual)
        here = self._usual if states is usual else NodeValues(motion.zero.graph, states)
        self._at_rest = Substitution(motion.zero.graph, {u.key[1]: motion.zero for u in motion.u})
        self.columns = [Column(motion, {a: motion.one}, u, self._at_rest) for a, u in enumerate(motion.u)]
        self.still = Column(motion, {}, motion.zero, self._at_rest)
        self.charts: list[tuple[Node, Node]] = []
        self.choices: list[PivotChoice] = []
        for row in rows:
            self._use(row, here)

    @property
    def s(self) -> list[Node]:
        """The speeds as functions of t, q, u (r)."""
        return [column.speed for column in self.columns]

    def velocities(self, s: Sequence[Node]) -> list[Node]:
        """u = Z s + z."""
        u = [self.motion.zero] * len(self.motion.u)
        for column, si in [*zip(self.columns, s, strict=True), (self.still, self.motion.one)]:
            for a, e in column.entries.items():
                u[a] = u[a] + e * si
        return u

    def along(self, i: int, covector: Sequence[Node]) -> Node:
        """Z_i^a f_a."""
        found: Node = self.motion.sum(e * covector[a] for a, e in sorted(self.columns[i].entries.items()))
        return found

    def _use(self, row: Node, states: NodeValues) -> None:
        n, rest = self._on_speeds(row)
        fair = self._fair(n)
        constant = [c for c in fair if self.tidy.constant(n[c])]
        pair = None if constant else self._pair(n, fair, rest)
        if constant:
            pivot = constant[-1]
        elif pair is not None:
            pivot = self._turn(n, *pair, row)
        else:
            pivot = self._largest(n, states, row)
        self._eliminate(pivot, n, rest)

    def _on_speeds(self, row: Node) -> tuple[dict[int, Node], Node]:
        """phi = n s + rest, for the speeds that are left; coefficients that are 0 left out."""
        met = row.graph.reach[row.index]
        there = [c for c, column in enumerate(self.columns) if met & column.made]
        at_rest = self._at_rest(row)
        *n, rest = self.tidy([*(self.columns[c].of(row) - at_rest for c in there), self.still.of(row)])
        return {c: e for c, e in zip(there, n, strict=True) if not e.is_zero}, rest

    # --- which speed goes ----------------------------------------------------------------------------------------

    def _fair(self, n: Mapping[int, Node]) -> list[int]:
        """Speeds that may go whatever the state, as they carry more than next to nothing of the row wherever tried.

        A speed that makes large velocities and is said by others is left over from larger ones, and loses digits.
        """
        choice = self._choice(n)
        share = choice.parts(self._usual(choice.nodes)).min(axis=0)
        return [c for c, part in zip(n, share, strict=True) if part >= BESIDE]

    def _pair(self, n: Mapping[int, Node], fair: Sequence[int], rest: Node) -> tuple[int, int] | None:
        """Two speeds, the squares of whose coefficients have a constant sum; or the only two of the row."""
        pairs = combinations(fair, 2)
        constant = (pair for pair in pairs if self.tidy.constant(n[pair[0]] * n[pair[0]] + n[pair[1]] * n[pair[1]]))
        only = next(combinations(n, 2)) if len(n) == 2 and rest.is_zero else None
        return next(constant, only)

    def _turn(self, n: dict[int, Node], i: int, j: int, row: Node) -> int:
        """Turn two speeds along and across the row; the one along it, which is to go, stands at i."""
        a, b = (-n[i], -n[j]) if self._backwards(n[i], n[j]) else (n[i], n[j])
        square = self.tidy([a * a + b * b])[0]
        if not self.tidy.constant(square):
            self.charts.append((square, self._size(row)))
        first, second, zero = self.columns[i], self.columns[j], self.motion.zero
        for v in sorted({*first.entries, *second.entries}):
            # s_i = a along - b across ,  s_j = b along + a across
            x, y = first.entries.get(v, zero), second.entries.get(v, zero)
            first.put(v, a * x + b * y)
            second.put(v, a * y - b * x)
        x, y = first.speed, second.speed
        first.speed, second.speed = (a * x + b * y) / square, (a * y - b * x) / square
        n[i] = a * n[i] + b * n.pop(j)
        return i

    def _backwards(self, a: Node, b: Node) -> bool:
        """Would the speed that stays count backwards along the first of the two, or the second, at coordinates 0?"""
        names = symbols([a, b]) - {q.key[1] for q in self.motion.q}
        at = {**dict.fromkeys(names, 1.0), **dict.fromkeys((q.key[1] for q in self.motion.q), 0.0)}
        forward = [value for value in (-evaluate([b], at)[0], evaluate([a], at)[0]) if value]
        return bool(forward) and bool(forward[0] < 0)

    def _largest(self, n: Mapping[int, Node], states: NodeValues, row: Node) -> int:
        """The speed with the largest share in the row, where it is smallest."""
        choice = self._choice(n)
        place = int(largest(choice.parts(states(choice.nodes)).min(axis=0)))
        self.choices.append(replace(choice, place=place))
        pivot = list(n)[place]
        self.charts.append((n[pivot], sqrt(self._size(row))))
        return pivot

    def _choice(self, n: Mapping[int, Node]) -> PivotChoice:
        """Among the speeds of a row, each with the square of the velocity that it makes."""
        made = [self.columns[c].square for c in n]
        return PivotChoice(tuple(n.values()), tuple(made), 0)

    def _size(self, row: Node) -> Node:
        """sum (dphi/du^a)^2."""
        size: Node = self.motion.sum(e * e for e in gradient(row, self.motion.u))
        return size

    def _eliminate(self, pivot: int, n: Mapping[int, Node], rest: Node) -> None:
        """s_pivot = -(sum of the others n_d s_d + rest)/n_pivot."""
        gone, zero = self.columns[pivot], self.motion.zero
        others = [(self.columns[d], e) for d, e in n.items() if d != pivot] + [(self.still, rest)]
        changes = [
            (column, a, column.entries.get(a, zero) - lead / n[pivot] * e)
            for a, lead in sorted(gone.entries.items())
            for column, e in others
            if not e.is_zero
        ]
        del self.columns[pivot]
        for (column, a, _), e in zip(changes, self.tidy([e for *_, e in changes]), strict=True):
            column.put(a, e)


class NodeValues:
    """Values of the nodes of one graph, which may grow, at S states.

    Args:
        graph: the graph.
        states: values of all symbols, by name.
    """

    def __init__(self, graph: Graph, states: Sequence[Mapping[str, ArrayLike]]) -> None:
        self.graph = graph
        self._places = list(states)
        self._values: list[dict[int, float]] = [{} for _ in states]

    def __call__(self, outputs: Sequence[Node]) -> np.ndarray:
        """The values of the outputs, (S, len(outputs)).

        Raises:
            KeyError: a symbol has no value.
        """
        fresh = self._unseen(outputs)
        for place, known in zip(self._places, self._values, strict=True):
            for i in fresh:
                known[i] = self._value(i, place, known)
        return np.array([[known[y.index] for y in outputs] for known in self._values], float)

    def _unseen(self, outputs: Sequence[Node]) -> list[int]:
        """What the outputs need and has no values yet, in evaluation order."""
        nodes, known, found = self.graph.nodes, self._values[0], set[int]()
        stack = [y.index for y in outputs]
        while stack:
            i = stack.pop()
            if i not in found and i not in known:
                found.add(i)
                key = nodes[i]
                stack += () if key[0] in (CONSTANT, SYMBOL) else key[1:]
        return sorted(found)

    def _value(self, i: int, place: Mapping[str, ArrayLike], known: Mapping[int, float]) -> float:
        operation, *args = self.graph.nodes[i]
        if operation == CONSTANT:
            return self.graph.numbers[i]
        if operation == SYMBOL:
            return float(np.asarray(place[args[0]]))
        given = [known[j] for j in args]
        try:
            return float(PLAINLY[operation](*given))
        except RAISED:
            with np.errstate(all="ignore"):
                return float(ELEMENTARY[operation].value(*map(np.float64, given)))


# --- states at which pivots are chosen, and names of speeds ----------------------------------------------------------

_STATES = 6  # random states at which pivots are chosen where none is given


def named(allowed: FreeVelocities, fresh: Sequence[str]) -> list[str]:
    """A speed that is a velocity has its name."""
    return [s.key[1] if s in allowed.motion.u else name for s, name in zip(allowed.s, fresh, strict=False)]


def random_states(system: System) -> list[dict[str, float]]:
    """Values of all symbols at a few states, the same each time."""
    rng = np.random.default_rng(0)
    return [random_state(system, rng) for _ in range(_STATES)]
