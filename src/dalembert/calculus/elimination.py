"""Gauss's elimination on the graph, with pivots chosen by the numbers at one point."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from .graph import Node, evaluate

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


def solve(A: Sequence[Sequence[Node]], B: Sequence[Sequence[Node]], values: Mapping[str, Any]) -> Rows:
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
