"""What rows that are affine in missing names determine, for many states at once: one start is a row of one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from ..calculus.graph import Node, evaluate
from ..calculus.slopes import Slopes, affine, numbers_of

TOLERANCE = 1e-9
FREE = 1e-9  # of a null vector: a name that it moves by less is determined
RANK = 1e-12  # of the largest singular value
FEW = 4  # names: so many are eliminated component by component, for all states at once
REGULAR = 1e-3  # least pivot of rows of size 1 with which elimination keeps its digits


_Rows = Sequence[Sequence[np.ndarray]]  # of a matrix, whose entries are arrays (K,)


class Determined(NamedTuple):
    """Values of n names in K states.

    Attributes:
        x: the values (K, n).
        known: which of them are determined (K, n).
        contradiction: where the rows contradict each other (K,).
        bound: which rows depend on a name (K, rows).
    """

    x: np.ndarray
    known: np.ndarray
    contradiction: np.ndarray
    bound: np.ndarray


def determined(rows: Sequence[Node], left: Sequence[str], values: Mapping[str, np.ndarray], count: int) -> Determined:
    """What the rows (each to be 0) say about the names left, given the other values (K,)."""
    n = len(left)
    xs = [rows[0].graph.symbol(name) for name in left] if rows else []
    usable = affine(rows, xs)
    bound = np.zeros((count, len(rows)), bool)
    if not any(usable):
        return Determined(np.zeros((count, n)), np.zeros((count, n), bool), np.zeros(count, bool), bound)
    at_zero = {**values, **{name: np.zeros(count) for name in left}}
    chosen = [i for i, use in enumerate(usable) if use]
    A, b = _side_by_side([rows[i] for i in chosen], xs, at_zero, count)
    good = np.isfinite(A).all(axis=(0, 1)) & np.isfinite(b).all(axis=0)
    if not good.all():
        A, b = np.where(good, A, 0.0), np.where(good, b, 0.0)
    size = np.abs(A).max(axis=1)
    bound[:, chosen] = (size > 0).T
    unit = np.where(size > 0, size, 1.0)
    A, b = A / unit[:, None], np.where(size > 0, b / unit, 0.0)
    x, null = _least_squares(A, b)
    # |A x - b| against |x| + |b|
    off = np.abs((A * x).sum(axis=1) - b).max(axis=0)
    contradiction = off > TOLERANCE * (np.abs(x).max(axis=0) + np.abs(b).max(axis=0))
    return Determined((x + 0.0).T, ((null <= FREE) & (size > 0).any(axis=0)).T, contradiction, bound)


def _side_by_side(
    rows: Sequence[Node], xs: Sequence[Node], at_zero: Mapping[str, np.ndarray], count: int
) -> tuple[np.ndarray, np.ndarray]:
    """A (m, n, K) and b (m, K) of rows A x - b, at states where x is 0; the states lie side by side."""
    slopes = Slopes(rows, xs)
    if slopes.many:
        A = np.moveaxis(np.broadcast_to(numbers_of(slopes, len(xs), at_zero), (count, len(rows), len(xs))), 0, -1)
    else:
        A = _table([e for row in slopes.rows for e in row], at_zero, count).reshape(len(rows), len(xs), count)
    return A, -_table(rows, at_zero, count)


def _table(nodes: Sequence[Node], values: Mapping[str, np.ndarray], count: int) -> np.ndarray:
    found = np.empty((len(nodes), count))
    for row, number in zip(found, evaluate(nodes, values), strict=True):
        row[:] = number
    return found


def _least_squares(A: np.ndarray, b: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The least x (n, K) that minimises |A x - b|, and the largest |component| of a null vector by name (n, K).

    Few names in as many rows are eliminated where that keeps their digits: each state by itself, whatever the others.
    """
    rows, n, _ = A.shape
    if rows != n or n > FEW:
        return _by_singular_values(A, b)
    x, regular = _eliminated(A, b)
    null = np.zeros_like(x)
    if not regular.all():
        x[:, ~regular], null[:, ~regular] = _by_singular_values(A[..., ~regular], b[:, ~regular])
    return x, null


def _eliminated(A: np.ndarray, b: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """x (n, K) with A x = b by the inverse of Gauss and Jordan, and where all its pivots are large (K,)."""
    _, n, count = A.shape
    columns: _Rows = [[*row] for row in A]
    right, regular, one, zero = [*b], np.ones(count, bool), np.ones(count), np.zeros(count)
    M = [[*row, *(one if i == j else zero for j in range(n))] for i, row in enumerate(columns)]
    for k in range(n):
        for i in range(k + 1, n):
            M[k], M[i] = _sorted(M[k], M[i], k)
        large = np.abs(M[k][k]) > REGULAR
        regular &= large
        pivot = np.where(large, M[k][k], 1.0)
        M[k] = [entry / pivot for entry in M[k]]
        for i in set(range(n)) - {k}:
            M[i] = [entry - M[i][k] * top for entry, top in zip(M[i], M[k], strict=True)]
    inverse = [row[n:] for row in M]
    x = _times(inverse, right)
    # rows of small terms, too, hold to their own rounding
    off = [r - product for r, product in zip(right, _times(columns, x), strict=True)]
    return np.array([a + d for a, d in zip(x, _times(inverse, off), strict=True)]), regular


def _sorted(top: list[np.ndarray], low: list[np.ndarray], k: int) -> tuple[list[np.ndarray], list[np.ndarray]]:
    """Two rows, the one with the larger entry k first."""
    swap = np.abs(low[k]) > np.abs(top[k])
    if not swap.any():
        return top, low
    pairs = [(np.where(swap, b, a), np.where(swap, a, b)) for a, b in zip(top, low, strict=True)]
    return [a for a, _ in pairs], [b for _, b in pairs]


def _times(rows: _Rows, x: Sequence[np.ndarray]) -> list[np.ndarray]:
    """A x, of numbers that are arrays (K,)."""
    found = []
    for row in rows:
        total = row[0] * x[0]
        for a, b in zip(row[1:], x[1:], strict=True):
            total = total + a * b
        found.append(total)
    return found


def _by_singular_values(A: np.ndarray, b: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The same of any rows."""
    A, b = np.ascontiguousarray(np.moveaxis(A, -1, 0)), np.ascontiguousarray(b.T)
    # A = U diag(s) V^T
    U, s, Vt = np.linalg.svd(A)
    held = s > RANK * s[:, :1]
    inverse = np.where(held, 1 / np.where(held, s, 1.0), 0.0)
    r = s.shape[1]

    def solved(b: np.ndarray) -> np.ndarray:
        projected = (U[:, :, :r] * b[:, :, None]).sum(axis=1) * inverse
        return np.asarray((Vt[:, :r] * projected[:, :, None]).sum(axis=1))

    x = solved(b)
    x = x + solved(b - (A * x[:, None, :]).sum(axis=2))  # rows of small terms, too, hold to their own rounding
    empty = np.ones(Vt.shape[:2], bool)
    empty[:, :r] = ~held
    return x.T, np.where(empty[:, :, None], np.abs(Vt), 0.0).max(axis=1).T
