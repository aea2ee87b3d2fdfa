"""Dense linear systems, real and complex, factored in place with partial pivots, in code that is compiled.

Complex numbers stand in two arrays.
"""

from __future__ import annotations

import numpy as np


def clear(row: np.ndarray) -> None:
    """row = 0."""
    for i in range(len(row)):
        row[i] = 0.0


def square(flat: np.ndarray, m: int) -> np.ndarray:
    """An (m, m) matrix at the beginning of a flat array."""
    return flat[: m * m].reshape(m, m)


def _swap(A: np.ndarray, i: int, j: int) -> None:
    if i != j:
        one, two = A[i], A[j]
        for k in range(len(one)):
            one[k], two[k] = two[k], one[k]


def factor(A: np.ndarray, rows: np.ndarray) -> bool:
    """P A = L U in place; `rows` notes the exchanges. False where a pivot is 0 or no number."""
    n = len(A)
    for c in range(n):
        best = c
        for i in range(c + 1, n):
            if abs(A[i, c]) > abs(A[best, c]):
                best = i
        rows[c] = best
        if not (abs(A[best, c]) > 0.0 and np.isfinite(A[best, c])):
            return False
        _swap(A, c, best)
        source, inverse = A[c, c + 1 :], 1.0 / A[c, c]
        for i in range(c + 1, n):
            if A[i, c] != 0.0:
                l = A[i, c] * inverse
                A[i, c] = l
                target = A[i, c + 1 :]
                for k in range(len(target)):
                    target[k] -= l * source[k]
        A[c, c] = inverse  # the reciprocal is what a solution needs
    return True


def solve(A: np.ndarray, rows: np.ndarray, x: np.ndarray) -> None:
    """x becomes A^-1 x, A being factored."""
    n = len(A)
    for c in range(n):
        x[c], x[rows[c]] = x[rows[c]], x[c]
    for i in range(n):
        total = x[i]
        for j in range(i):
            total -= A[i, j] * x[j]
        x[i] = total
    for i in range(n - 1, -1, -1):
        total = x[i]
        for j in range(i + 1, n):
            total -= A[i, j] * x[j]
        x[i] = total * A[i, i]


def factor_complex(R: np.ndarray, S: np.ndarray, rows: np.ndarray) -> bool:
    """Factor R + i S in place, as `factor` does a real matrix."""
    n = len(R)
    for c in range(n):
        best, largest = c, 0.0
        for i in range(c, n):
            size = abs(R[i, c]) + abs(S[i, c])
            if size > largest:
                best, largest = i, size
        rows[c] = best
        if not (largest > 0.0 and np.isfinite(largest)):
            return False
        _swap(R, c, best)
        _swap(S, c, best)
        # 1/(a + i b) = (a - i b)/(a^2 + b^2), scaled against overflow
        a, b = R[c, c] / largest, S[c, c] / largest
        size = (a * a + b * b) * largest
        u, v = a / size, -b / size
        real, imaginary = R[c, c + 1 :], S[c, c + 1 :]
        for i in range(c + 1, n):
            a, b = R[i, c], S[i, c]
            if a != 0.0 or b != 0.0:
                f, g = a * u - b * v, a * v + b * u
                R[i, c], S[i, c] = f, g
                to_real, to_imaginary = R[i, c + 1 :], S[i, c + 1 :]
                for k in range(len(to_real)):
                    to_real[k] -= f * real[k] - g * imaginary[k]
                    to_imaginary[k] -= f * imaginary[k] + g * real[k]
        R[c, c], S[c, c] = u, v
    return True


def solve_complex(R: np.ndarray, S: np.ndarray, rows: np.ndarray, x: np.ndarray, y: np.ndarray) -> None:
    """x + i y becomes (R + i S)^-1 (x + i y)."""
    n = len(R)
    for c in range(n):
        x[c], x[rows[c]] = x[rows[c]], x[c]
        y[c], y[rows[c]] = y[rows[c]], y[c]
    for i in range(n):
        a, b = x[i], y[i]
        for j in range(i):
            a -= R[i, j] * x[j] - S[i, j] * y[j]
            b -= R[i, j] * y[j] + S[i, j] * x[j]
        x[i], y[i] = a, b
    for i in range(n - 1, -1, -1):
        a, b = x[i], y[i]
        for j in range(i + 1, n):
            a -= R[i, j] * x[j] - S[i, j] * y[j]
            b -= R[i, j] * y[j] + S[i, j] * x[j]
        x[i], y[i] = a * R[i, i] - b * S[i, i], a * S[i, i] + b * R[i, i]
