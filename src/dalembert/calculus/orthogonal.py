"""Householder's QR factorisation on the graph: no pivots, no division by a small number as long as the rank is full."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from typing import NamedTuple

from .graph import Node, sqrt
from .linear import dot


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

    def lower_inverse(self) -> list[list[Node]]:
        """R^-T, by rows."""
        m = len(self.R)
        rows: list[list[Node]] = []
        for i in range(m):
            # sum_(j <= i) R_ji X_jc = delta_ic
            zero = self.R[i][i].graph.constant(0)
            row = []
            for c in range(m):
                total = zero + float(i == c)
                for j in range(i):
                    total = total - self.R[j][i] * rows[j][c]
                row.append(total / self.R[i][i])
            rows.append(row)
        return rows

    def upper_solve(self, b: Sequence[Node]) -> list[Node]:
        """x with R x = b."""
        x = list(b)
        for i in reversed(range(len(x))):
            for j in range(i + 1, len(x)):
                x[i] = x[i] - self.R[i][j] * x[j]
            x[i] = x[i] / self.R[i][i]
        return x

    def lower_solve(self, b: Sequence[Node]) -> list[Node]:
        """x with R^T x = b."""
        x = list(b)
        for i in range(len(x)):
            for j in range(i):
                x[i] = x[i] - self.R[j][i] * x[j]
            x[i] = x[i] / self.R[i][i]
        return x


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
