"""A sdot = b solved by  A = L D L^T, every step tidied: what is constant or short stays so."""

from __future__ import annotations

from ...calculus.exact.tidy import Tidy
from ...calculus.graph import Node
from .projected import Projected, Rows

Pivots = list[tuple[Node, Node]]  # each with the entry of A that it is left over from


def solve(found: Projected, tidy: Tidy) -> tuple[list[Node], Pivots]:
    """(sdot, the pivots that are no numbers), pivots of parameters alone and of short rows first."""
    A, b = [list(row) for row in found.A], list(found.b)
    left, order = list(range(len(b))), []
    pivots: Pivots = []
    factors: dict[tuple[int, int], Node] = {}
    while left:
        k = min(left, key=lambda i: (not tidy.constant(A[i][i]), sum(not A[i][j].is_zero for j in left), i))
        left.remove(k)
        order.append(k)
        if not A[k][k].is_constant:
            pivots.append((A[k][k], found.A[k][k]))
        _clear(A, b, k, left, factors, tidy)
    return _back(A, b, order, factors, tidy), pivots


def _clear(A: Rows, b: list[Node], k: int, left: list[int], factors: dict[tuple[int, int], Node], tidy: Tidy) -> None:
    """Speed k taken out of the rows that are left."""
    inverse = 1 / A[k][k]
    touched = [i for i in left if not A[i][k].is_zero]
    for i in touched:
        factors[i, k] = A[i][k] * inverse
    pairs = [(i, j) for i in touched for j in touched if j <= i]
    # A_ij - A_ik A_jk/A_kk ,  b_i - A_ik b_k/A_kk
    entries = [A[i][j] - factors[i, k] * A[j][k] for i, j in pairs] + [b[i] - factors[i, k] * b[k] for i in touched]
    entries = tidy(entries)
    for (i, j), e in zip(pairs, entries, strict=False):
        A[i][j] = A[j][i] = e
    for i, e in zip(touched, entries[len(pairs) :], strict=True):
        b[i] = e


def _back(A: Rows, b: list[Node], order: list[int], factors: dict[tuple[int, int], Node], tidy: Tidy) -> list[Node]:
    """The speeds' rates, the last pivot first."""
    x = list(b)
    for at in reversed(range(len(order))):
        k = order[at]
        x[k] = b[k] / A[k][k]
        for i in order[at + 1 :]:
            if (i, k) in factors:
                x[k] = x[k] - factors[i, k] * x[i]
        x[k] = tidy([x[k]])[0]
    return x
