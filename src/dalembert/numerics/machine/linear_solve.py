"""Dense linear solve with pivots, callable from compiled code as ``dalembert_solve``.

    void dalembert_solve(double* K, double* b, int64 size, double* margin)

K (size x size, by rows) is destroyed, b becomes the solution, and `margin` says how far K is from losing rank: the
smallest by the largest pivot of K with rows and columns brought to size about 1, so that units hardly matter. Where K
is singular or not finite, the margin is 0 and the solution is NaN. An empty system has margin 1.
"""

from __future__ import annotations

import functools
import math

import numpy as np

SYMBOL = "dalembert_solve"


def _power_of_two(size: float) -> float:
    """The power of two s with 1/2 <= s * size < 1, so that scaling by it rounds nothing; 1 for 0."""
    return math.ldexp(1.0, -math.frexp(size)[1])


def _equilibrate(K: np.ndarray, b: np.ndarray) -> None:
    """Scale every row of K x = b to largest entry about 1."""
    for i in range(len(b)):
        largest = 0.0
        for j in range(len(b)):
            largest = max(largest, abs(K[i, j]))
        scale = _power_of_two(largest)
        b[i] *= scale
        for j in range(len(b)):
            K[i, j] *= scale


def _column_size(K: np.ndarray, j: int) -> float:
    """Largest entry of a column, 1 for an empty one."""
    largest = 0.0
    for i in range(len(K)):
        largest = max(largest, abs(K[i, j]))
    return largest if largest > 0.0 else 1.0


def _pivot(K: np.ndarray, b: np.ndarray, k: int) -> None:
    """Bring the row with the largest entry of column k, at or below the diagonal, to row k."""
    best = k
    for i in range(k + 1, len(b)):
        if abs(K[i, k]) > abs(K[best, k]):
            best = i
    if best != k:
        b[k], b[best] = b[best], b[k]
        for j in range(len(b)):
            K[k, j], K[best, j] = K[best, j], K[k, j]


def _eliminate(K: np.ndarray, b: np.ndarray, k: int) -> None:
    """Clear column k below the diagonal."""
    for i in range(k + 1, len(b)):
        factor = K[i, k] / K[k, k]
        if factor != 0.0:
            b[i] -= factor * b[k]
            for j in range(k + 1, len(b)):
                K[i, j] -= factor * K[k, j]


def _back_substitute(U: np.ndarray, b: np.ndarray) -> None:
    for i in range(len(b) - 1, -1, -1):
        for j in range(i + 1, len(b)):
            b[i] -= U[i, j] * b[j]
        b[i] /= U[i, i]


def solve_in_place(K: np.ndarray, b: np.ndarray) -> float:
    """Solve K x = b, x in place of b (n,), K (n, n) destroyed; returns the margin."""
    n = len(b)
    sizes = np.empty(n)
    _equilibrate(K, b)
    # a column's scale changes neither the order of pivots nor x: only the margin divides by it
    for k in range(n):
        sizes[k] = _column_size(K, k)
    least, greatest = math.inf, 0.0
    for k in range(n):
        _pivot(K, b, k)
        size = abs(K[k, k]) / sizes[k]
        if not 0.0 < size < math.inf:
            b[:] = math.nan
            return 0.0
        least, greatest = min(least, size), max(greatest, size)
        _eliminate(K, b, k)
    _back_substitute(K, b)
    return least / greatest if n > 0 else 1.0


@functools.cache
def text() -> str:
    """IR of ``dalembert_solve``."""
    from .loop.program import solving

    return solving(solve_in_place, SYMBOL)
