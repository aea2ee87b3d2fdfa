"""Linear systems solved on the graph: every step of the elimination is a node, nothing swells.

No pivots are chosen: use it for symmetric definite matrices only, and watch the pivots it returns.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce

from .graph import Node

Row = Sequence[Node]


@dataclass(frozen=True)
class Factored:
    """S = L D L^T of a symmetric matrix: unit lower triangle `lower`, pivots `pivots`, and `diagonal`, that of S.

    Pivots of a definite S come with an error of a few roundings of the diagonal, from which they are left over.
    """

    lower: list[list[Node]]
    pivots: list[Node]
    diagonal: list[Node]

    @classmethod
    def of(cls, S: Sequence[Row]) -> Factored:
        """Factor a symmetric matrix; only its lower triangle is read."""
        n = len(S)
        lower: list[list[Node]] = [[] for _ in range(n)]
        pivots: list[Node] = []
        for i in range(n):
            scaled: list[Node] = []  # L_ij D_j
            for j in range(i):
                # L_ij D_j = S_ij - sum_k L_ik D_k L_jk
                scaled.append(_minus(S[i][j], scaled, lower[j]))
            lower[i] = [s / d for s, d in zip(scaled, pivots, strict=True)]
            # D_i = S_ii - sum_k L_ik^2 D_k
            pivots.append(_minus(S[i][i], scaled, lower[i]))
        return cls(lower, pivots, [S[i][i] for i in range(n)])

    def solve(self, b: Row) -> list[Node]:
        """x with S x = b."""
        y: list[Node] = []
        for i, row in enumerate(self.lower):
            y.append(_minus(b[i], row, y))
        x = [yi / d for yi, d in zip(y, self.pivots, strict=True)]
        for i in reversed(range(len(x))):
            x[i] = _minus(x[i], [self.lower[k][i] for k in range(i + 1, len(x))], x[i + 1 :])
        return x


def _minus(a: Node, xs: Row, ys: Row) -> Node:
    for x, y in zip(xs, ys, strict=False):
        a = a - x * y
    return a


def dot(xs: Row, ys: Row) -> Node:
    """sum_i x_i y_i; both must not be empty."""
    return reduce(lambda a, b: a + b, (x * y for x, y in zip(xs, ys, strict=True)))


@dataclass(frozen=True)
class Saddle:
    """Solution of  W x - N^T l = f,  N x = g  for W symmetric definite and N of full rank.

    With S = N W^-1 N^T:  S l = g - N W^-1 f,  x = W^-1 (f + N^T l).
    """

    factored: Factored
    responses: list[list[Node]]
    schur: list[list[Node]]
    schur_factored: Factored
    normals: Sequence[Row]

    @classmethod
    def of(cls, W: Sequence[Row], N: Sequence[Row]) -> Saddle:
        """Factor W (k x k) and the Schur complement of N (m x k)."""
        factored = Factored.of(W)
        responses = [factored.solve(row) for row in N]  # W^-1 N^T, column by column
        # S_rs = N_r W^-1 N_s^T
        schur = [[dot(N[r], responses[s]) for s in range(r + 1)] for r in range(len(N))]
        return cls(factored, responses, schur, Factored.of(schur), N)

    def solve(self, f: Row, g: Row) -> tuple[list[Node], list[Node]]:
        """(x, l) for right-hand sides f (k) and g (m)."""
        free = self.factored.solve(f)
        multipliers = self.schur_factored.solve([gi - dot(row, free) for gi, row in zip(g, self.normals, strict=True)])
        return self.correct(free, multipliers), multipliers

    def correct(self, x: Row, multipliers: Row) -> list[Node]:
        """x + W^-1 N^T l."""
        return [xi + dot(multipliers, [r[i] for r in self.responses]) if multipliers else xi for i, xi in enumerate(x)]
