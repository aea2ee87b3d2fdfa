"""Derivatives of many nodes by many symbols: a matrix of nodes where it is small, else of numbers without nodes.

A matrix of m x k nodes costs Python an object an entry. Where that is much, a forward sweep carries all k derivatives
of a node as one array, and the entries exist as numbers alone, at the states at which they are asked for; they are
made as nodes when somebody looks at one.

    dy = (dy/da) da + (dy/db) db          for every node y of a and b, from dx_c = e_c
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property, reduce
from itertools import accumulate
from operator import add, or_
from typing import TypeVar, overload

import numpy as np
from numpy.typing import ArrayLike

from .elementary_functions import ELEMENTARY
from .graph import Graph, Node, adjoints, evaluate, gradient, live
from .node_store import LEAVES
from .node_values import Program, all_finite, packed
from .numerical_rank import NOTHING, sized

Entry = TypeVar("Entry")
SMALL = 1e-6  # of the largest row, or of 1: a row whose terms are looked at before it counts
FEW = 256  # entries up to which nodes are cheaper
_KEPT = 2**21  # entries that are remembered in all, of matrices at the last states
_TWO = 2  # the degree of what is not affine
_PLAIN = (float, int, np.float64)  # types of numbers whose shape need not be asked for


class Slopes(Sequence[list[Node]]):
    """dy_r/dx_a, row by row (m x k).

    Args:
        ys: what is differentiated.
        xs: symbols of its graph.
        symmetric: is it known that dy_a/dx_b = dy_b/dx_a? Then the lower triangle stands for both.
    """

    def __init__(self, ys: Sequence[Node], xs: Sequence[Node], symmetric: bool = False) -> None:
        self.ys, self.xs, self.symmetric = list(ys), list(xs), symmetric

    def __len__(self) -> int:
        return len(self.ys)

    @overload
    def __getitem__(self, at: int) -> list[Node]: ...
    @overload
    def __getitem__(self, at: slice) -> list[list[Node]]: ...
    def __getitem__(self, at: int | slice) -> list[Node] | list[list[Node]]:
        return self.rows[at]

    def __iter__(self) -> Iterator[list[Node]]:
        return iter(self.rows)

    @cached_property
    def rows(self) -> list[list[Node]]:
        """The entries as nodes."""
        return mirrored(list(self.each())) if self.symmetric else list(self.each())

    def each(self) -> Iterator[list[Node]]:
        """The rows, differentiated one by one as they are asked for; of a symmetric matrix the lower triangle."""
        for a, y in enumerate(self.ys):
            row, zero = self._row(a), Node(y.graph, y.graph.zero)
            yield [row.get(b, zero) for b in range(a + 1 if self.symmetric else len(self.xs))]

    @property
    def entries(self) -> list[dict[int, Node]]:
        """The entries that are not 0, row by row by column; of a symmetric matrix those of the lower triangle."""
        return [self._row(a) for a in range(len(self))]

    def _row(self, a: int) -> dict[int, Node]:
        """The entries of a row that are not 0, by a reverse sweep."""
        if a not in self._swept:
            graph, end = self.graph, a + 1 if self.symmetric else len(self.xs)
            adjoint = adjoints(graph, self.ys[a].index, self._wanted[end])
            met = sorted((self._places[x], dy) for x, dy in adjoint.items() if x in self._places)
            self._swept[a] = {b: Node(graph, dy) for b, dy in met if b < end and dy != graph.zero}
        return self._swept[a]

    @property
    def graph(self) -> Graph:
        """The graph of the nodes."""
        return self.ys[0].graph

    @cached_property
    def _swept(self) -> dict[int, dict[int, Node]]:
        return {}

    @cached_property
    def _places(self) -> dict[int, int]:
        return {x.index: b for b, x in enumerate(self.xs)}

    @cached_property
    def _wanted(self) -> list[int]:
        """The bits of the first symbols, of none to all."""
        return list(accumulate((self.graph.reach[x.index] for x in self.xs), or_, initial=0))

    @property
    def many(self) -> bool:
        """Are there more entries than are worth a node each?"""
        return len(self.ys) * len(self.xs) > FEW

    def of(self, rows: Sequence[int]) -> Slopes:
        """Some of the rows."""
        return self if list(rows) == list(range(len(self))) else Slopes([self.ys[r] for r in rows], self.xs)

    def numbers(self, values: Mapping[str, ArrayLike]) -> np.ndarray:
        """The entries at states, (..., m, k), not to be written to."""
        return self._matrix(values)[0]

    def finite(self, values: Mapping[str, ArrayLike]) -> bool:
        """Are all entries finite at a state, and all numbers that they are made of?"""
        return self._matrix(values)[1] and all_finite(self._known(values))

    def _matrix(self, values: Mapping[str, ArrayLike]) -> tuple[np.ndarray, bool]:
        """The entries, and whether they are finite; at the last states, by the symbols they depend on, remembered."""
        plain = self._sweep.program.state(values) is not None
        key = packed([values[name] for name in self._sweep.moving]) if plain else None
        found = None if key is None else self._last.get(key)
        if found is None:
            matrix = self._sweep.matrix(self._known(values))
            matrix.flags.writeable = False
            found = matrix, bool(np.isfinite(matrix).all())
            if key is not None:
                if (len(self._last) + 1) * matrix.size > _KEPT:
                    self._last.clear()
                self._last[key] = found
        return found

    def tops(self, values: Mapping[str, ArrayLike]) -> np.ndarray:
        """The largest absolute value of each entry over all states, (m, k)."""
        if self._sweep.program.state(values) is not None:
            return np.asarray(np.abs(self.numbers(values)))
        found = np.zeros((len(self), len(self.xs)))
        for r, rate in self._sweep.rates(self._known(values)):
            found[r] = np.abs(rate).reshape(-1, found.shape[1]).max(axis=0, initial=0.0)
        return found

    def sizes(self, values: Mapping[str, ArrayLike]) -> np.ndarray:
        """What the entries at a state, (m, k), had for absolute values if nothing cancelled."""
        return np.asarray(self._sweep.matrix(self._sweep.sizes(self._known(values)), signs=False))

    def uncancelled(self, values: Mapping[str, ArrayLike]) -> np.ndarray:
        """The length of each row at a state, (m,), over that which it had if nothing cancelled: 1, or less."""
        size = np.linalg.norm(self.sizes(values), axis=1)
        return np.asarray(np.linalg.norm(self.numbers(values), axis=1) / np.where(size > 0, size, 1.0))

    @cached_property
    def _last(self) -> dict[bytes, tuple[np.ndarray, bool]]:
        return {}

    @cached_property
    def _sweep(self) -> _Sweep:
        return _Sweep(self.ys, self.xs)

    def _known(self, values: Mapping[str, ArrayLike]) -> list[ArrayLike]:
        return self._sweep.program.run(values)


Part = tuple[int, float, int]  # an argument, and the slope by it: a sign, or a sign times the value of a node


class _Sweep:
    """A forward sweep: all derivatives of one operation after the other, each kept as long as it is needed.

    Attributes:
        program: the numbers that it takes.
        moving: names of the symbols that the derivatives depend on.
    """

    def __init__(self, ys: Sequence[Node], xs: Sequence[Node]) -> None:
        self.graph, self.xs = ys[0].graph, [x.index for x in xs]
        wanted, nodes, reach = self.graph.union(self.xs), self.graph.nodes, self.graph.reach
        moved = [i for i in live(ys) if reach[i] & wanted and nodes[i][0] not in LEAVES]
        self._steps = [(i, [part for part in self._parts(i) if reach[part[0]] & wanted]) for i in moved]
        self._partials = {p for _, parts in self._steps for _, _, p in parts if p >= 0}
        self.program = Program.of(self.graph, live([*ys, *xs, *(Node(self.graph, p) for p in self._partials)]))
        self.moving = sorted(self.graph.names(self.graph.union(self._partials)))
        self._asked: dict[int, list[int]] = {}
        for r, y in enumerate(ys):
            self._asked.setdefault(y.index, []).append(r)
        last = {a: i for i, parts in self._steps for a, _, _ in parts}
        self._over: dict[int, list[int]] = {}
        for a, i in last.items():
            self._over.setdefault(i, []).append(a)

    def _parts(self, i: int) -> list[Part]:
        """dy = sum of slope times rate over the arguments."""
        operation, *args = self.graph.nodes[i]
        if operation in ("+", "-", "neg"):
            signs = {"+": (1.0, 1.0), "-": (1.0, -1.0), "neg": (-1.0,)}[operation]
            return [(a, sign, -1) for a, sign in zip(args, signs, strict=True)]
        if operation == "*":
            return [(args[0], 1.0, args[1]), (args[1], 1.0, args[0])]
        partials = ELEMENTARY[operation].partials(Node(self.graph, i), *(Node(self.graph, a) for a in args))
        return [(a, 1.0, self.graph.lift(p).index) for a, p in zip(args, partials, strict=True)]

    def sizes(self, known: Sequence[ArrayLike]) -> Sequence[ArrayLike]:
        """Numbers as large as they were if nothing cancelled."""
        large = [None if x is None else np.abs(x) for x in known]
        for i in self.program.order:
            operation, *args = self.graph.nodes[i]
            if operation in ("+", "-", "*"):
                a, b = (large[j] for j in args)
                large[i] = a * b if operation == "*" else a + b
        return large

    def matrix(self, known: Sequence[ArrayLike], signs: bool = True) -> np.ndarray:
        """dy/dx, (..., m, k); without signs all terms are added up as if they were positive."""
        shape = np.broadcast_shapes(*{np.shape(x) for x in known if x is not None and type(x) is not float})
        whole = np.zeros((*shape, sum(map(len, self._asked.values())), len(self.xs)))
        for r, rate in self.rates(known, signs):
            whole[..., r, :] = rate
        return whole

    def rates(self, known: Sequence[ArrayLike], signs: bool = True) -> Iterator[tuple[int, np.ndarray]]:
        """(r, dy_r/dx) of each row that moves, (..., k)."""
        unit = np.eye(len(self.xs))
        rates: dict[int, np.ndarray] = dict(zip(self.xs, unit, strict=True))
        factors = {p: x if type(x := known[p]) is float else np.asarray(x)[..., None] for p in self._partials}
        asked, over = self._asked, self._over
        yield from ((r, rates[x]) for x in self.xs for r in asked.get(x, ()))
        with np.errstate(all="ignore"):
            for i, parts in self._steps:
                # dy = sum of a sign, or the value of a node, times dx
                terms = [
                    rates[a] * factors[p] if p >= 0 else rates[a] if sign > 0 or not signs else -rates[a]
                    for a, sign, p in parts
                ]
                rates[i] = rate = terms[0] + terms[1] if len(terms) == 2 else reduce(add, terms)
                for r in asked.get(i, ()):
                    yield r, rate
                for a in over.get(i, ()):
                    del rates[a]


class Degrees:
    """How nodes of a graph depend on some of its symbols, as far as it sees; looked at once for each node.

    Attributes:
        wanted: the bits of the symbols.
    """

    def __init__(self, graph: Graph, xs: Sequence[Node]) -> None:
        self.graph, self.xs = graph, xs
        self._known, self.wanted = {x.index: 1 for x in xs}, graph.union(x.index for x in xs)

    @classmethod
    def of(cls, graph: Graph, xs: Sequence[Node]) -> Degrees:
        """The degrees by these symbols, made once."""
        key = ("degrees", tuple(x.index for x in xs))
        if key not in graph.memory:
            graph.memory[key] = cls(graph, xs)
        found: Degrees = graph.memory[key]
        return found

    def affine(self, y: Node) -> bool:
        """Is it affine in the symbols?"""
        if _degree(self.graph, y.index, self.wanted, self._known) < _TWO:
            return True
        # its slopes may say that something cancels
        return not self.graph.union(s.index for s in gradient(y, self.xs)) & self.wanted


def affine(ys: Sequence[Node], xs: Sequence[Node]) -> list[bool]:
    """Which of the nodes are affine in the symbols, as far as the graph sees."""
    degrees = Degrees.of(ys[0].graph, xs) if ys else None
    return [degrees.affine(y) for y in ys] if degrees else []


def _degree(graph: Graph, root: int, wanted: int, known: dict[int, int]) -> int:
    """0 of what does not depend on the symbols, 1 of what is affine in them as it is written, else 2 or more."""
    nodes, reach, stack = graph.nodes, graph.reach, [root]
    while stack:
        i = stack[-1]
        operation, *args = nodes[i]
        waiting = (
            [] if i in known else [j for j in args if reach[j] & wanted and j not in known] if reach[i] & wanted else []
        )
        if waiting:
            stack += waiting
            continue
        stack.pop()
        if i not in known and reach[i] & wanted:
            of = [known.get(j, 0) for j in args]
            plain = operation in ("+", "-", "neg") or (operation == "/" and not of[1])
            known[i] = max(of) if plain else min(sum(of), _TWO) if operation == "*" else _TWO
    return known.get(root, 0)


def slopes_of(graph: Graph, ys: Sequence[Node], xs: Sequence[Node], symmetric: bool = False) -> Slopes:
    """The derivatives, made once on their graph."""
    key = ("slopes", tuple(y.index for y in ys), tuple(x.index for x in xs), symmetric)
    found: Slopes = graph.memory.setdefault(key, Slopes(ys, xs, symmetric))
    return found


def mirrored(lower: Sequence[Sequence[Entry]]) -> list[list[Entry]]:
    """A symmetric matrix of its lower triangle."""
    k = len(lower)
    return [[lower[max(a, b)][min(a, b)] for b in range(k)] for a in range(k)]


def each(rows: Sequence[list[Node]]) -> Iterable[list[Node]]:
    """The rows of a matrix of nodes as of `Slopes.each`, so that who looks at some does not wait for all."""
    return rows.each() if isinstance(rows, Slopes) else rows


def numbers_of(rows: Sequence[Sequence[Node]], width: int, values: Mapping[str, ArrayLike]) -> np.ndarray:
    """The entries of a matrix of nodes at states, (..., m, width)."""
    shape = _shape(values)
    if isinstance(rows, Slopes) and rows.many:
        return np.broadcast_to(rows.numbers(values), (*shape, len(rows), width))
    return stack(evaluate([e for row in rows for e in row], values), values).reshape(*shape, len(rows), width)


def row_sizes(rows: Sequence[Sequence[Node]], values: Mapping[str, float], unit: ArrayLike = 1.0) -> np.ndarray:
    """What the length of each row (m,) at a state were if nothing cancelled, in units of the columns; 1 for 0.

    An entry of a row is known to a rounding of this, whatever the row is written in units of.
    """
    if isinstance(rows, Slopes):
        entries = rows.sizes(values)
    else:
        entries = sized([e for row in rows for e in row], values)[1].reshape(len(rows), -1)
    size = np.linalg.norm(entries * unit, axis=1)
    return np.where(size > 0, size, 1.0)


def unit_rows(
    rows: Sequence[Sequence[Node]], N: np.ndarray, values: Mapping[str, float], usual: ArrayLike = 0.0
) -> np.ndarray:
    """The rows of the numbers N (m x k), at a state, of length 1; 0 where a row is a rounding of its terms.

    Where the state was found by iteration a row counts by its `usual` length, too: x^2 is 0 at an x that is nearly 0.
    """
    length = np.linalg.norm(N, axis=1)
    if not len(rows):
        return N
    if (length > SMALL * max(1.0, length.max(initial=0.0))).all():
        held = length > 0
    else:
        held = length > NOTHING * np.maximum(row_sizes(rows, values), usual)
    return np.where(held[:, None], N / np.where(held, length, 1.0)[:, None], 0.0)


def side_by_side(states: Sequence[Mapping[str, float]]) -> dict[str, np.ndarray]:
    """Some states as one array for each name."""
    return {name: np.array([values[name] for values in states]) for name in states[0]}


def stack(columns: Sequence[ArrayLike], values: Mapping[str, ArrayLike]) -> np.ndarray:
    """Columns of numbers or arrays side by side, broadcast to the common shape of the values."""
    shape = _shape(values)
    if not shape:
        return np.array(columns, float)
    flat = np.empty((*shape, len(columns)))
    for k, column in enumerate(columns):
        flat[..., k] = column
    return flat


def _shape(values: Mapping[str, ArrayLike]) -> tuple[int, ...]:
    return np.broadcast_shapes(*{np.shape(v) for v in values.values() if type(v) not in _PLAIN})
