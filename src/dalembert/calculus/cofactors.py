"""Determinants and adjugates of small symbolic matrices by minors: nothing is divided, compared or simplified."""

from __future__ import annotations

from functools import cache

import sympy as sp


def determinant(A: sp.Matrix) -> sp.Expr:
    """det A by Laplace's expansion; minors that occur twice are computed once."""
    return _Minors(A).of(tuple(range(A.rows)), tuple(range(A.cols)))


def adjugate(A: sp.Matrix) -> sp.Matrix:
    """adj A with A adj A = det A."""
    minors, n = _Minors(A), A.rows
    every = tuple(range(n))

    def cofactor(i: int, j: int) -> sp.Expr:
        # adj_ij = (-1)^(i + j) det A without row j and column i
        rows, columns = every[:j] + every[j + 1 :], every[:i] + every[i + 1 :]
        return (-1) ** (i + j) * minors.of(rows, columns)

    return sp.Matrix(n, n, cofactor)


class _Minors:
    def __init__(self, A: sp.Matrix) -> None:
        self._A = A
        self.of = cache(self._of)

    def _of(self, rows: tuple[int, ...], columns: tuple[int, ...]) -> sp.Expr:
        if not rows:
            return sp.S.One
        i, rest = rows[0], rows[1:]
        terms = [
            (-1) ** place * self._A[i, c] * self.of(rest, columns[:place] + columns[place + 1 :])
            for place, c in enumerate(columns)
            if self._A[i, c] != 0
        ]
        return sp.Add(*terms)
