"""Linear systems solved on the graph: every step of the elimination is a node, nothing swells.

- `Factored` and `Saddle`: L D L^T of symmetric definite matrices, alone or bordered by constraints. Entries that are 0
  are left out: the matrices of a chain hold a few in each row. No pivots are chosen: watch those that are returned.
- `solve`: Gauss's elimination, with pivots chosen by the numbers at one point.
- `householder`: QR by reflections, without pivots and without division by a small number as long as the rank is full.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from heapq import heapify, heappop, heappush
from typing import NamedTuple

import numpy as np

from .graph import Node, evaluate, sqrt
from .jacobians import Slopes

Row = Sequence[Node]
Sparse = dict[int, Node]  # the entries of a row that are not 0, in the order of their columns


def entries(rows: Sequence[Row]) -> list[Sparse]:
    """The entries that are not 0, row by row."""
    if isinstance(rows, Slopes) and not rows.symmetric:
        return rows.entries
    return [{j: e for j, e in enumerate(row) if not e.is_zero} for row in rows]


def triangle(S: Sequence[Row]) -> list[Sparse]:
    """The entries that are not 0 in the lower triangle of a symmetric matrix, row by row."""
    if isinstance(S, Slopes) and S.symmetric:
        return S.entries
    return [{j: e for j, e in enumerate(row[: i + 1]) if not e.is_zero} for i, row in enumerate(S)]


def _zero(rows: Sequence[Row]) -> Node:
    """0 on the graph of a matrix."""
    return (rows.graph if isinstance(rows, Slopes) else rows[0][0].graph).constant(0)


class Lower:
    """A unit lower triangle L, row by row, as it grows.

    Attributes:
        rows: the entries left of the diagonal.
        below: of each column, (row, entry) below the diagonal.
    """

    def __init__(self) -> None:
        self.rows: list[Sparse] = []
        self.below: list[list[tuple[int, Node]]] = []

    def add(self, row: Sparse) -> None:
        """One row more."""
        for j, entry in row.items():
            self.below[j].append((len(self.rows), entry))
        self.rows.append(row)
        self.below.append([])

    def forward(self, b: Mapping[int, Node], zero: Node) -> Sparse:
        """y with L y = b; only where b or a y before reaches an entry is something computed."""
        y: Sparse = {}
        waiting, met = list(b), set(b)
        heapify(waiting)
        while waiting:
            j = heappop(waiting)
            # y_j = b_j - sum_k L_jk y_k
            entry = _minus(b.get(j, zero), y, self.rows[j])
            if entry.is_zero:
                continue
            y[j] = entry
            for k, _ in self.below[j]:
                if k not in met:
                    met.add(k)
                    heappush(waiting, k)
        return y

    def back(self, y: Row) -> list[Node]:
        """x with L^T x = y."""
        x = list(y)
        for i in reversed(range(len(x))):
            x[i] = _less(x[i], ((entry, x[k]) for k, entry in self.below[i]))
        return x


@dataclass(frozen=True)
class Factored:
    """S = L D L^T of a symmetric matrix: unit lower triangle `lower` and pivots `pivots`.

    `inverses` are 1/D_i, so that each pivot costs one division: these cost as much as ten multiplications.
    Pivots of a definite S come with an error of a few roundings of the diagonal, from which they are left over.
    """

    lower: Lower
    pivots: list[Node]
    inverses: list[Node]

    @classmethod
    def of(cls, S: Sequence[Row]) -> Factored:
        """Factor a symmetric matrix; only its lower triangle is read."""
        return cls.of_triangle(triangle(S), _zero(S)) if len(S) else cls(Lower(), [], [])

    @classmethod
    def of_triangle(cls, S: Sequence[Sparse], zero: Node) -> Factored:
        """Factor a symmetric matrix of which the entries of the lower triangle are given."""
        lower, pivots, inverses = Lower(), list[Node](), list[Node]()
        for i, row in enumerate(S):
            # L_ij D_j = S_ij - sum_k L_ik D_k L_jk
            scaled = lower.forward({j: e for j, e in row.items() if j < i}, zero)
            lower.add({j: s * inverses[j] for j, s in scaled.items()})
            # D_i = S_ii - sum_k L_ik^2 D_k
            pivots.append(_minus(row.get(i, zero), scaled, lower.rows[i]))
            inverses.append(1 / pivots[i])
        return cls(lower, pivots, inverses)

    def solve(self, b: Row) -> list[Node]:
        """x with S x = b."""
        return self.back(self.forward(b))

    def forward(self, b: Row) -> list[Node]:
        """y with L y = b."""
        if not self.pivots:
            return []
        zero = self.pivots[0].graph.constant(0)
        y = self.lower.forward({i: e for i, e in enumerate(b) if not e.is_zero}, zero)
        return [y.get(i, zero) for i in range(len(b))]

    def back(self, y: Row) -> list[Node]:
        """x with D L^T x = y."""
        return self.lower.back([yi * r for yi, r in zip(y, self.inverses, strict=True)])


def _minus(a: Node, xs: Sparse, ys: Sparse) -> Node:
    """a - sum_i x_i y_i."""
    return _less(a, _common(xs, ys)) if xs and ys else a


def _common(xs: Sparse, ys: Sparse) -> Iterator[tuple[Node, Node]]:
    """What two rows have at the columns of both, in their order."""
    if len(xs) <= len(ys):
        return ((x, ys[i]) for i, x in xs.items() if i in ys)
    return ((xs[i], y) for i, y in ys.items() if i in xs)


def _less(a: Node, pairs: Iterable[tuple[Node, Node]]) -> Node:
    """a - sum x y; terms that are 0 cost nothing."""
    graph, total = a.graph, a.index
    minus, times, zero = graph.minus, graph.times, graph.zero
    for x, y in pairs:
        if zero not in (x.index, y.index):
            total = minus(total, times(x.index, y.index))
    return Node(graph, total)


def dot(xs: Row, ys: Row) -> Node:
    """sum_i x_i y_i; both must not be empty."""
    return _sum(xs[0].graph.constant(0), zip(xs, ys, strict=True))


def _sum(zero: Node, pairs: Iterable[tuple[Node, Node]]) -> Node:
    """sum x y; terms that are 0 cost nothing."""
    graph, none = zero.graph, zero.index
    plus, times, total = graph.plus, graph.times, none
    for x, y in pairs:
        if none not in (x.index, y.index):
            total = plus(total, times(x.index, y.index))
    return Node(graph, total)


class Elimination(NamedTuple):
    """An order of elimination of the velocities, and what their elimination and that of the rows takes.

    Attributes:
        order: the velocities in the order in which they are eliminated.
        filled: entries of the factor below its diagonal.
        products: of the factorisation.
    """

    order: list[int]
    filled: int
    products: int

    @classmethod
    def of(cls, W: Sequence[Row], N: Sequence[Row]) -> Elimination:
        """An order in which little is filled in, in W and in the rows of N (minimum degree)."""
        return cls.of_entries(triangle(W), entries(N))

    @classmethod
    def of_entries(cls, W: Sequence[Sparse], N: Sequence[Sparse]) -> Elimination:
        """An order in which little is filled in, from the entries of the lower triangle of W and of N.

        Next comes always the velocity that is joined to the fewest others and rows left; these are then joined to each
        other [george1981 5].
        """
        k, joined = len(W), _joined(W, N)
        degrees = [(joined[a].bit_count(), a) for a in range(k)]
        heapify(degrees)
        order: list[int] = []
        left, filled, products = set(range(k + len(N))), 0, 0
        while left:
            a = _fewest(degrees, joined, left) if len(order) < k else min(left)
            order.append(a)
            left.remove(a)
            degree = joined[a].bit_count()
            filled += degree
            products += degree * (degree + 3) // 2  # the triangle that changes, and a column by the pivot
            for b in _bits(joined[a]):
                joined[b] = (joined[b] | joined[a]) & ~(1 << a | 1 << b)
                if b < k:
                    heappush(degrees, (joined[b].bit_count(), b))
        return cls(order[:k], filled, products)

    def operations(self, size: int) -> dict[str, int]:
        """Of the factorisation of so many rows and of one solution, as they are where no entry is a plain number."""
        # L_ij D_j and D_i; the columns by their pivots; L y = b, D L^T x = y
        return {"*": self.products + 2 * self.filled + size, "-": self.products + self.filled, "/": size}


def _joined(W: Sequence[Sparse], N: Sequence[Sparse]) -> list[int]:
    """What stands beside each velocity and each row in the matrix [[W, N^T], [N, 0]], one bit each."""
    joined = [0] * (len(W) + len(N))
    for a, row in enumerate([*W, *N]):
        for b in row:
            if a != b:
                joined[a] |= 1 << b
                joined[b] |= 1 << a
    return joined


def _fewest(degrees: list[tuple[int, int]], joined: Sequence[int], left: set[int]) -> int:
    """The velocity left that is joined to the fewest, the first of these; degrees that changed since are passed."""
    while True:
        degree, a = heappop(degrees)
        if a in left and degree == joined[a].bit_count():
            return a


def _bits(mask: int) -> Iterator[int]:
    """The bits that are set, upwards."""
    while mask:
        low = mask & -mask
        yield low.bit_length() - 1
        mask ^= low


@dataclass(frozen=True)
class Saddle:
    """Solution of  W x - N^T l = f,  N x = g  for W symmetric definite and N of full rank.

    With W = L D L^T, the velocities in the order of elimination, and  L Y = N^T:

        Y^T D^-1 Y l = g - Y^T D^-1 y ,  L y = f ,    D L^T x = y + Y l

    Attributes:
        order: the velocities in the order of elimination.
        factored: W in that order.
        eliminated: the rows of Y^T, in which W is eliminated from those of N.
        over_pivots: the rows of Y^T D^-1.
        schur_factored: Y^T D^-1 Y.
    """

    order: list[int]
    factored: Factored
    eliminated: list[Sparse]
    over_pivots: list[Sparse]
    schur_factored: Factored

    @classmethod
    def of(cls, W: Sequence[Row], N: Sequence[Row]) -> Saddle:
        """Factor W (k x k; its lower triangle is read) and the Schur complement of N (m x k)."""
        if not len(W):
            return cls([], Factored.of([]), [], [], Factored.of([]))
        zero, own, rows = _zero(W), triangle(W), entries(N)
        order = Elimination.of_entries(own, rows).order
        place = {a: i for i, a in enumerate(order)}
        factored = Factored.of_triangle(_reordered(own, place), zero)
        eliminated = [factored.lower.forward({place[a]: e for a, e in row.items()}, zero) for row in rows]
        over_pivots = [{i: y * factored.inverses[i] for i, y in row.items()} for row in eliminated]
        return cls(
            order, factored, eliminated, over_pivots, Factored.of_triangle(_schur(eliminated, over_pivots, zero), zero)
        )

    def solve(self, f: Row, g: Row) -> tuple[list[Node], list[Node]]:
        """(x, l) for right-hand sides f (k) and g (m)."""
        y = self.factored.forward([f[a] for a in self.order])
        left = [
            gi - _sum(gi.graph.constant(0), ((e, y[i]) for i, e in row.items()))
            for gi, row in zip(g, self.over_pivots, strict=True)
        ]
        multipliers = self.schur_factored.solve(left)
        y = [yi + push for yi, push in zip(y, self._pushed(multipliers, y), strict=True)] if multipliers else y
        found = dict(zip(self.order, self.factored.back(y), strict=True))
        return [found[a] for a in range(len(found))], multipliers

    def _pushed(self, multipliers: Row, y: Row) -> list[Node]:
        """Y l."""
        columns: list[list[tuple[Node, Node]]] = [[] for _ in y]
        for multiplier, row in zip(multipliers, self.eliminated, strict=True):
            for i, entry in row.items():
                columns[i].append((multiplier, entry))
        zero = y[0].graph.constant(0)
        return [_sum(zero, column) for column in columns]


def _reordered(S: Sequence[Sparse], place: Mapping[int, int]) -> list[Sparse]:
    """The lower triangle of a symmetric matrix whose rows and columns change places."""
    found: list[dict[int, Node]] = [{} for _ in S]
    for a, row in enumerate(S):
        for b, entry in row.items():
            i, j = place[a], place[b]
            found[max(i, j)][min(i, j)] = entry
    return [dict(sorted(row.items())) for row in found]


def _schur(eliminated: Sequence[Sparse], over_pivots: Sequence[Sparse], zero: Node) -> list[Sparse]:
    """The entries S_rs = Y_r D^-1 Y_s, s <= r, of rows that have a column in common."""
    touching: dict[int, list[int]] = {}
    found: list[Sparse] = []
    for r, row in enumerate(eliminated):
        for i in row:
            touching.setdefault(i, []).append(r)
        beside = sorted({s for i in row for s in touching[i]})
        entries = {s: _sum(zero, _common(row, over_pivots[s])) for s in beside}
        found.append({s: entry for s, entry in entries.items() if not entry.is_zero})
    return found


def augmented(
    W: Sequence[Row], N: Sequence[Row], f: Sequence[Node], g: Sequence[Node]
) -> tuple[list[list[Node]], list[Node]]:
    """W + N^T N and f + N^T g, with which x and l are the same: the penalty of an augmented Lagrangian.

    Where N x = g alone moves something, W has no pivot.
    """
    columns = [list(column) for column in zip(*N, strict=True)]
    matrix = [[w + dot(a, b) for w, b in zip(row, columns, strict=True)] for row, a in zip(W, columns, strict=True)]
    return matrix, [fi + dot(a, g) for fi, a in zip(f, columns, strict=True)]


# --- Gauss's elimination ----------------------------------------------------------------------------------------------

Rows = list[list[Node]]


def choose_columns(A: np.ndarray) -> list[int]:
    """As many columns of A (m x k) as it has independent rows, so chosen that they are well conditioned.

    Columns holding a single entry come first: they keep what follows sparse.
    """
    alone = np.count_nonzero(np.abs(A) > 1e-12 * np.abs(A).max(axis=1, keepdims=True), axis=0)
    weight = np.where(alone == 1, 3.0, 1.0)
    return _largest(np.asarray_chkfinite(A / np.linalg.norm(A, axis=1, keepdims=True) * weight))


def _largest(A: np.ndarray) -> list[int]:
    """Columns of A in the order of QR with pivoting: always the one of which most is left beside those before it.

    A chosen column changes places with the one that stands there, as LAPACK does it: this decides between equals.
    """
    left, order = A.copy(), np.arange(A.shape[1])
    for step in range(min(A.shape)):
        sizes = np.linalg.norm(left[:, step:], axis=0)
        best = step + int(np.argmax(sizes))
        order[[step, best]], left[:, [step, best]] = order[[best, step]], left[:, [best, step]]
        if sizes.max() > 0:
            # a_j <- a_j - q (q . a_j)
            q = left[:, step] / sizes.max()
            left -= np.outer(q, q @ left)
    return [int(c) for c in order[: len(A)]]


def solve(A: Sequence[Sequence[Node]], B: Sequence[Sequence[Node]], values: Mapping[str, object]) -> Rows:
    """X (m x r) with A X = B, A (m x m); at every step the pivot is the largest entry at the point `values`."""
    m = len(A)
    rows = [[*a, *b] for a, b in zip(A, B, strict=True)]
    for step in range(m):
        size = np.abs(np.array(evaluate([row[step] for row in rows[step:]], values), float))
        best = step + int(np.argmax(size))
        rows[step], rows[best] = rows[best], rows[step]
        pivot = rows[step][step]
        rows[step] = [e if e.is_zero else e / pivot for e in rows[step]]
        for i in range(m):
            factor = rows[i][step]
            if i != step and not factor.is_zero:
                # row_i <- row_i - factor row_step
                rows[i] = [e - factor * p for e, p in zip(rows[i], rows[step], strict=True)]
    return [row[m:] for row in rows]


# --- Householder's QR -------------------------------------------------------------------------------------------------


class Orthogonal(NamedTuple):
    """A = Q R for A (k x m) of rank m <= k.

    Attributes:
        Q: the k columns of an orthogonal matrix; the first m span the columns of A.
        R: upper triangle (m x m), by rows.
    """

    Q: list[list[Node]]
    R: list[list[Node]]

    @property
    def determinant(self) -> Node:
        """det A of a square A, not empty: Q is a product of m reflections."""
        product = reduce(lambda a, b: a * b, (row[i] for i, row in enumerate(self.R)))
        return -product if len(self.R) % 2 else product

    def solve(self, b: Sequence[Node], transposed: bool = False) -> list[Node]:
        """x with R x = b, or with R^T x = b."""
        x, m = list(b), len(b)
        for i in range(m) if transposed else reversed(range(m)):
            for j in range(i) if transposed else range(i + 1, m):
                x[i] = x[i] - (self.R[j][i] if transposed else self.R[i][j]) * x[j]
            x[i] = x[i] / self.R[i][i]
        return x

    def lower_inverse(self) -> list[list[Node]]:
        """R^-T, by rows."""
        zero, m = self.R[0][0].graph.constant(0), len(self.R)
        columns = [self.solve([zero + float(i == c) for i in range(m)], transposed=True) for c in range(m)]
        return [list(row) for row in zip(*columns, strict=True)]


def householder(columns: Sequence[Sequence[Node]]) -> Orthogonal:
    """Factor A, given by its m >= 1 columns of length k."""
    A = [list(column) for column in columns]
    graph, k, m = A[0][0].graph, len(A[0]), len(A)
    zero, one = graph.constant(0), graph.constant(1)
    reflections: list[tuple[int, list[Node], Node]] = []
    for j in range(m):
        x = A[j][j:]
        # v = x + sign(x_1) |x| e_1 ,  H = 1 - 2 v v^T / v^T v
        length = sqrt(dot(x, x))
        signed = graph.apply("select", graph.apply("lt", x[0], 0), -length, length)
        v = [x[0] + signed, *x[1:]]
        reflection = (j, v, 2 / dot(v, v))
        reflections.append(reflection)
        A[j] = [*A[j][:j], -signed, *([zero] * (k - j - 1))]
        for later in range(j + 1, m):
            A[later] = _reflected(A[later], *reflection)
    Q = [[one if a == b else zero for a in range(k)] for b in range(k)]
    for reflection in reversed(reflections):
        Q = [_reflected(column, *reflection) for column in Q]
    return Orthogonal(Q, [[A[c][i] for c in range(m)] for i in range(m)])


def _reflected(y: list[Node], j: int, v: Sequence[Node], scale: Node) -> list[Node]:
    factor = scale * dot(v, y[j:])
    return [*y[:j], *(yi - factor * vi for yi, vi in zip(y[j:], v, strict=True))]
