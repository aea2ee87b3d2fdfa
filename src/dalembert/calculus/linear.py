"""Linear systems solved on the graph: every step of the elimination is a node, nothing swells.

No pivots are chosen: use it for symmetric definite matrices only, and watch the pivots it returns.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from .graph import Node

Row = Sequence[Node]


@dataclass(frozen=True)
class Factored:
    """S = L D L^T of a symmetric matrix: unit lower triangle `lower`, pivots `pivots`, and `diagonal`, that of S.

    `inverses` are 1/D_i, so that each pivot costs one division: these cost as much as ten multiplications.
    Pivots of a definite S come with an error of a few roundings of the diagonal, from which they are left over.
    """

    lower: list[list[Node]]
    pivots: list[Node]
    diagonal: list[Node]
    inverses: list[Node]

    @classmethod
    def of(cls, S: Sequence[Row]) -> Factored:
        """Factor a symmetric matrix; only its lower triangle is read."""
        n = len(S)
        lower: list[list[Node]] = [[] for _ in range(n)]
        filled = [0] * n  # bit j of entry i: L_ij is not 0
        pivots: list[Node] = []
        inverses: list[Node] = []
        for i in range(n):
            scaled: list[Node] = []  # L_ij D_j
            for j in range(i):
                # L_ij D_j = S_ij - sum_k L_ik D_k L_jk
                scaled.append(_minus(S[i][j], scaled, lower[j]) if filled[i] & filled[j] else S[i][j])
                filled[i] |= (not scaled[j].is_zero) << j
            lower[i] = [s * r for s, r in zip(scaled, inverses, strict=True)]
            # D_i = S_ii - sum_k L_ik^2 D_k
            pivots.append(_minus(S[i][i], scaled, lower[i]))
            inverses.append(1 / pivots[i])
        return cls(lower, pivots, [S[i][i] for i in range(n)], inverses)

    def solve(self, b: Row) -> list[Node]:
        """x with S x = b."""
        return self.back(self.forward(b))

    def forward(self, b: Row) -> list[Node]:
        """y with L y = b."""
        y: list[Node] = []
        for i, row in enumerate(self.lower):
            y.append(_minus(b[i], row, y))
        return y

    def back(self, y: Row) -> list[Node]:
        """x with D L^T x = y."""
        x = [yi * r for yi, r in zip(y, self.inverses, strict=True)]
        for i in reversed(range(len(x))):
            x[i] = _minus(x[i], [self.lower[k][i] for k in range(i + 1, len(x))], x[i + 1 :])
        return x


def _minus(a: Node, xs: Row, ys: Row) -> Node:
    """a - sum_i x_i y_i; terms that are 0 cost nothing."""
    graph, total = a.graph, a.index
    minus, times, zero = graph.minus, graph.times, graph.zero
    for x, y in zip(xs, ys, strict=False):
        if zero not in (x.index, y.index):
            total = minus(total, times(x.index, y.index))
    return Node(graph, total)


def dot(xs: Row, ys: Row) -> Node:
    """sum_i x_i y_i; both must not be empty."""
    graph = xs[0].graph
    plus, times, zero, total = graph.plus, graph.times, graph.zero, graph.zero
    for x, y in zip(xs, ys, strict=True):
        if zero not in (x.index, y.index):
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
        """An order in which little is filled in, in W and in the rows of N (minimum degree).

        Next comes always the velocity that is joined to the fewest others and rows left; these are then joined to each
        other [george1981 5].
        """
        k, m = len(W), len(N)
        joined = [sum(1 << b for b in range(k) if b != a and not W[max(a, b)][min(a, b)].is_zero) for a in range(k)]
        joined += [sum(1 << a for a in range(k) if not row[a].is_zero) for row in N]
        for a in range(k):
            joined[a] |= sum(1 << k + s for s in range(m) if joined[k + s] >> a & 1)
        order: list[int] = []
        left, filled, products = set(range(k + m)), 0, 0
        while left:
            velocities = [a for a in left if a < k]
            a = min(velocities, key=lambda a: (joined[a].bit_count(), a)) if velocities else min(left)
            order.append(a)
            left.remove(a)
            degree = joined[a].bit_count()
            filled += degree
            products += degree * (degree + 3) // 2  # the triangle that changes, and a column by the pivot
            for b in left:
                if joined[b] >> a & 1:
                    joined[b] = (joined[b] | joined[a]) & ~(1 << a | 1 << b)
        return cls(order[:k], filled, products)

    def operations(self, size: int) -> dict[str, int]:
        """Of the factorisation of so many rows and of one solution, as they are where no entry is a plain number."""
        # L_ij D_j and D_i; the columns by their pivots; L y = b, D L^T x = y
        return {"*": self.products + 2 * self.filled + size, "-": self.products + self.filled, "/": size}


@dataclass(frozen=True)
class Saddle:
    """Solution of  W x - N^T l = f,  N x = g  for W symmetric definite and N of full rank.

    With W = L D L^T, the velocities in the order of elimination, and  L Y = N^T:

        Y^T D^-1 Y l = g - Y^T D^-1 y ,  L y = f ,    D L^T x = y + Y l
    """

    order: list[int]
    factored: Factored
    behind: list[list[Node]]
    schur_factored: Factored

    @classmethod
    def of(cls, W: Sequence[Row], N: Sequence[Row]) -> Saddle:
        """Factor W (k x k; its lower triangle is read) and the Schur complement of N (m x k)."""
        order = Elimination.of(W, N).order
        factored = Factored.of([[W[max(a, b)][min(a, b)] for b in order] for a in order])
        behind = [factored.forward([row[a] for a in order]) for row in N]  # Y^T, row by row
        shares = [cls._shared(row, factored.inverses) for row in behind]
        # S_rs = Y_r D^-1 Y_s
        schur = [[dot(behind[r], shares[s]) for s in range(r + 1)] for r in range(len(N))]
        return cls(order, factored, behind, Factored.of(schur))

    @staticmethod
    def _shared(row: Row, inverses: Row) -> list[Node]:
        return [y * r for y, r in zip(row, inverses, strict=True)]

    def solve(self, f: Row, g: Row) -> tuple[list[Node], list[Node]]:
        """(x, l) for right-hand sides f (k) and g (m)."""
        y: Sequence[Node] = self.factored.forward([f[a] for a in self.order])
        shares = [self._shared(row, self.factored.inverses) for row in self.behind]
        multipliers = self.schur_factored.solve([gi - dot(row, y) for gi, row in zip(g, shares, strict=True)])
        if multipliers:
            y = [yi + dot(multipliers, [row[i] for row in self.behind]) for i, yi in enumerate(y)]
        found = dict(zip(self.order, self.factored.back(y), strict=True))
        return [found[a] for a in range(len(found))], multipliers


def raised(
    W: Sequence[Row], N: Sequence[Row], f: Sequence[Node], g: Sequence[Node]
) -> tuple[list[list[Node]], list[Node]]:
    """W + N^T N and f + N^T g, with which x and l are the same: where N x = g alone moves something, W has no pivot."""
    columns = [list(column) for column in zip(*N, strict=True)]
    matrix = [[w + dot(a, b) for w, b in zip(row, columns, strict=True)] for row, a in zip(W, columns, strict=True)]
    return matrix, [fi + dot(a, g) for fi, a in zip(f, columns, strict=True)]
