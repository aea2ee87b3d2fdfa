"""Starts that are beyond doubt, found by one compiled function for all members of a long sweep.

The function is 1 where every law of `start_laws` and `determinacy` surely holds: each number on the way is finite,
residuals are half of what is allowed, bounds prove that the motion is determined. All other members, few or none, are
left to those laws, which know what to say.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from weakref import WeakKeyDictionary

import numpy as np

from ...calculus.forking import lock
from ...calculus.frame import TIME
from ...calculus.graph import Graph, Node, live, operations, sqrt, substitute
from ...calculus.read import read
from ...calculus.store import LEAVES
from ...calculus.substitution import carried
from ...equations import Equations
from ...equations.check import slip_speeds
from ...equations.determined import TOLERANCE
from ...equations.form import SMALLEST
from ...equations.regular import _SHIFT
from ..machine.rows import Rows
from .determinacy import _NOTHING, _SURE
from .start_laws import Values
from .terms import largest, row_size, summed

MANY = 2048  # members of a sweep from which on compiling costs less than it saves
LARGEST = 10_000  # operations that are compiled for it
_FINITE = 1e300  # a sum above it may have left the numbers
_PASSING = ("+", "-", "*", "neg", "sin", "cos", "sqrt", "abs")  # are not finite where an argument is not
_SUMS = 4  # that run side by side

_Matrix = list[list[Node]]
_SCREENS: WeakKeyDictionary[Equations, Rows | None] = WeakKeyDictionary()
_making = lock()


def passed(equations: Equations, values: Values, count: int) -> np.ndarray:
    """Which members (K,) are beyond doubt, for values (K,) of all symbols by name."""
    with _making:
        if equations not in _SCREENS:
            _SCREENS[equations] = _screen(equations)
    rows = _SCREENS[equations]
    if rows is None:
        return np.zeros(count, bool)
    y = np.stack([values[name] for name in rows.states], axis=1)
    return np.asarray(rows(values[TIME.name], y, values)[:, 0] == 1)


def _screen(equations: Equations) -> Rows | None:
    """The function; None where the laws need more than it knows, or where it would be too large."""
    if equations.states_of_multipliers or equations.dependent or len(equations.kept) < len(equations.constraints):
        return None
    good = _Laws(equations).all()
    if sum(operations([good]).values()) > LARGEST:
        return None
    return Rows.of([good], equations.states, sorted(equations.system.symbols))


class _Laws:
    """The laws as numbers that are 1 where they hold, on a graph of their own."""

    def __init__(self, equations: Equations) -> None:
        self.equations, machine = equations, equations.machine
        k, m = len(machine.form.W), len(machine.form.N)
        matrices = [e for rows in (machine.form.W, machine.metric, machine.form.N) for row in rows for e in row]
        residuals = [*machine.phi, *machine.position.values()]
        terms = [term for row in residuals for term in machine.terms[row]]
        seen = [*residuals, *machine.form.entries, *machine.qdot, machine.energy]
        self.graph = Graph()
        nodes, self.total = _summed(seen, [*matrices, *terms], self.graph)
        self.residuals = nodes[: len(residuals)]
        others = iter(nodes[len(seen) :])
        self.W, self.metric, self.N = ([[next(others) for _ in range(k)] for _ in range(h)] for h in (k, k, m))
        self.terms = [[next(others) for _ in machine.terms[row]] for row in residuals]

    def all(self) -> Node:
        """1 where all of them hold."""
        return _product([self._finite(), *self._residuals(), *self._slips(), *self._embedding(), *self._determined()])

    def _finite(self) -> Node:
        return self._most(self.total, self.graph.constant(_FINITE))

    def _most(self, value: Node, limit: Node) -> Node:
        """|value| <= limit."""
        return self.graph.apply("le", self.graph.apply("abs", value), limit)

    def _residuals(self) -> Iterable[Node]:
        """|row| <= TOLERANCE / 2 of its terms."""
        space = self.equations.space
        velocities = len(self.equations.machine.phi)
        for i, (row, terms) in enumerate(zip(self.residuals, self.terms, strict=True)):
            xs = [self.graph.symbol(v.name) for v in (space.velocities if i < velocities else space.coordinates)]
            yield self._most(row, TOLERANCE / 2 * row_size(row, terms, xs))

    def _slips(self) -> Iterable[Node]:
        for speed in carried([*slip_speeds(self.equations).values()], self.graph):
            yield self._above(self.graph.apply("abs", speed), 0.0)

    def _above(self, value: Node, bound: float) -> Node:
        """bound < value."""
        return self.graph.apply("lt", bound, value)

    def _embedding(self) -> Iterable[Node]:
        """Lengths that are 1, and rotations that are no reflections."""
        space = self.equations.space
        for e in space.embedding:
            yield self._most(read(e, self.graph), self.graph.constant(TOLERANCE / 2))
        for attitude in space.attitudes.values():
            a, b, c, d, e, f, g, h, i = (read(entry, self.graph) for entry in attitude.matrix)
            yield self._above(a * (e * i - f * h) - b * (d * i - f * g) + c * (d * h - e * g), 0.0)

    def _determined(self) -> Iterable[Node]:
        """As `determinacy._sure`: rows that are independent, energies that are positive on what they allow."""
        if self.N:
            lengths = [sqrt(summed([e * e for e in row])) for row in self.N]
            longest = largest(self.graph, [self.graph.constant(1.0), *lengths])
            yield from (self.graph.apply("lt", _NOTHING * longest, length) for length in lengths)
            rows = [[e / length for e in row] for row, length in zip(self.N, lengths, strict=True)]
            yield from self._positive([[_dot(a, b) for b in rows] for a in rows])
        here = self._sizes(self.metric)
        yield from self._definite(self.metric, here)
        yield from self._definite(self.metric, self._nearby())
        yield from self._definite(self.W, self._sizes(self.W))

    def _sizes(self, matrix: _Matrix) -> list[Node]:
        return [self.graph.apply("abs", row[a]) for a, row in enumerate(matrix)]

    def _nearby(self) -> list[Node]:
        """The energies a little away."""
        q = [self.graph.symbol(s.name) for s in self.equations.space.coordinates]
        shift: dict[str, Node | float] = {x.key[1]: x + _SHIFT * (1 + i / 7) for i, x in enumerate(q)}
        return substitute(self._sizes(self.metric), shift)

    def _definite(self, W: _Matrix, energy: Sequence[Node]) -> Iterable[Node]:
        """W + N^T N is positive, in units in which each velocity carries the energy given."""
        one = self.graph.constant(1.0)
        unit = [1 / sqrt(self.graph.apply("select", self._above(e, SMALLEST), e, one)) for e in energy]
        scaled = [[e * u for e, u in zip(row, unit, strict=True)] for row in self.N]
        lengths = [sqrt(summed([e * e for e in row])) for row in scaled]
        longest = largest(self.graph, [one, *lengths])
        yield from (self.graph.apply("lt", _NOTHING * longest, length) for length in lengths)
        rows = [[e / length for e in row] for row, length in zip(scaled, lengths, strict=True)]
        k = len(W)
        # z^T W z = z^T (W + N^T N) z where N z = 0
        upper = {
            (a, b): summed([(W[a][b] + W[b][a]) * 0.5 * (unit[a] * unit[b]), *(row[a] * row[b] for row in rows)])
            for a in range(k)
            for b in range(a, k)
        }
        yield from self._positive([[upper[min(a, b), max(a, b)] for b in range(k)] for a in range(k)])

    def _positive(self, S: _Matrix) -> Iterable[Node]:
        """The bound of `determinacy.least_eigenvalue` is above what rounding explains."""
        n, A = len(S), {(a, b): S[a][b] for a in range(len(S)) for b in range(a, len(S))}
        if not n:
            return
        det, trace = self.graph.constant(1.0), summed([S[a][a] for a in range(n)])
        for i in range(n):  # S = L D L^T without pivoting
            yield self._above(A[i, i], 0.0)
            det = det * A[i, i]
            for j in range(i + 1, n):
                factor = A[i, j] / A[i, i]
                for k in range(j, n):
                    A[j, k] = A[j, k] - factor * A[i, k]
        # det = l_1 ... l_n,  and by the means  l_2 ... l_n <= (trace / (n - 1))^(n - 1)
        others = (trace / (n - 1)) ** (n - 1) if n > 1 else self.graph.constant(1.0)
        yield self.graph.apply("lt", _SURE * others, det)


def _summed(seen: Sequence[Node], others: Sequence[Node], graph: Graph) -> tuple[list[Node], Node]:
    """All nodes on another graph, and a sum that is not finite where a number on the way to those `seen` is not."""
    source, image = seen[0].graph, dict[int, Node]()
    wanted, sums = _telling(seen), [graph.constant(0.0)] * _SUMS
    for i in live([*seen, *others]):
        operation, *args = source.nodes[i]
        if operation in LEAVES:
            image[i] = carried([Node(source, i)], graph)[0]
            continue
        image[i] = Node(graph, graph.remake(operation, *(image[j].index for j in args)))
        if i in wanted and not image[i].is_constant:
            sums.append(sums.pop(0) + graph.apply("abs", image[i]))
    return [image[y.index] for y in (*seen, *others)], summed(sums)


def _telling(seen: Sequence[Node]) -> set[int]:
    """Nodes of which one is not finite where any on the way is not: the last ones, and what goes into a function that
    makes a finite number of one that is not.
    """
    nodes = seen[0].graph.nodes
    found = {y.index for y in seen}
    for i in live(seen):
        if nodes[i][0] not in LEAVES and nodes[i][0] not in _PASSING:
            found |= {*nodes[i][1:]}
    return found


def _dot(a: Sequence[Node], b: Sequence[Node]) -> Node:
    return summed([x * y for x, y in zip(a, b, strict=True)])


def _product(nodes: Sequence[Node]) -> Node:
    found = nodes[0]
    for node in nodes[1:]:
        found = found * node
    return found
