"""Radau IIA methods of s stages and order 2 s - 1 [hairer1996, IV.5, IV.8], their coefficients to the last digit.

Nodes are zeros of P_s - P_(s-1) on [0, 1]. All else follows from them in rational arithmetic and is rounded once.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from functools import cache
from typing import NamedTuple

import numpy as np

STAGES = (3, 5, 7)
_Matrix = list[list[Fraction]]


class Tableau(NamedTuple):
    """One method, in arrays that machine code reads; k = (s - 1)/2.

    Attributes:
        c: nodes (s,), the last one 1.
        A: Z = h A f for the stages' changes Z (s, n).
        D: inverse of A: derivatives at the nodes of the polynomial through (0, 0) and the (c_i, Z_i).
        T: columns are the real eigenvector of D, then real and imaginary parts of the others (s, s).
        TD: T^-1 D.
        roots: (1 + k, 2), real and imaginary parts of the eigenvalues of D, the real one first.
        e: weights (s,) of the error estimate: f_0 + e Z/h is what an embedded formula makes of f_0 and Z.
        P: changes Z to coefficients of the path's interpolant (s, s).
    """

    c: np.ndarray
    A: np.ndarray
    D: np.ndarray
    T: np.ndarray
    TD: np.ndarray
    roots: np.ndarray
    e: np.ndarray
    P: np.ndarray


@cache
def tableau(s: int) -> Tableau:
    """The method of s stages, s odd."""
    c = nodes(s)
    powers = [[x**j for j in range(1, s + 1)] for x in c]
    rates = [[j * x ** (j - 1) for j in range(1, s + 1)] for x in c]
    # Z_i = sum_j a_j c_i^j,  f_i = sum_j j a_j c_i^(j-1) / h:  A = powers rates^-1,  D = rates powers^-1
    D = _floats(_product(rates, _inverse(powers)))
    roots, vectors = np.linalg.eig(D)
    real, upper = int(np.argmin(np.abs(roots.imag))), np.flatnonzero(roots.imag > 1e-3)
    columns = [vectors[:, real].real]
    for j in upper:
        columns += [vectors[:, j].real, vectors[:, j].imag]
    T = np.array(columns).T
    chosen = roots[[real, *upper]]
    # sum_i d_i c_i^(j-1) = -delta_j1 for the difference of the weights over that of f_0;  e = D^T d
    moments = [[x**j for x in c] for j in range(s)]
    d = -_floats(_inverse(moments))[:, 0]
    return Tableau(
        np.array([float(x) for x in c]),
        _floats(_product(powers, _inverse(rates))),
        D,
        np.ascontiguousarray(T),
        np.linalg.solve(T, D),
        np.stack([chosen.real, chosen.imag], axis=1),
        D.T @ d,
        _floats(_inverse([[_basis(x, k) for k in range(s)] for x in c])),
    )


def stages_for(rtol: float) -> int:
    """The stages that cost least at a tolerance."""
    return 3 if rtol > 1e-4 else 5 if rtol > 1e-8 else 7


def nodes(s: int) -> list[Fraction]:
    """Zeros of P_s(2 x - 1) - P_(s-1)(2 x - 1), rising, the last one 1: exact rational values of rounded numbers."""

    # P_k(2 x - 1) = (-1)^k sum_j binom(k, j) binom(k + j, j) (-x)^j
    def shifted(k: int) -> list[int]:
        return [(-1) ** (k + j) * math.comb(k, j) * math.comb(k + j, j) for j in range(k + 1)]

    p = [Fraction(a - b) for a, b in zip(shifted(s), [*shifted(s - 1), 0], strict=True)]
    slope = [j * a for j, a in enumerate(p)][1:]
    guesses = sorted(np.polynomial.Polynomial([float(a) for a in p]).roots().real)[:-1]
    return [*(_polished(p, slope, Fraction(float(x))) for x in guesses), Fraction(1)]


def _polished(p: Sequence[Fraction], slope: Sequence[Fraction], x: Fraction) -> Fraction:
    """A zero of p near x, by Newton's method, rounded to double precision."""
    for _ in range(4):
        x = Fraction(float(x - _value(p, x) / _value(slope, x)))
    return x


def _value(p: Sequence[Fraction], x: Fraction) -> Fraction:
    return sum((a * x**j for j, a in enumerate(p)), Fraction(0))


def _basis(x: Fraction, k: int) -> Fraction:
    """x, x (1 - x), x^2 (1 - x), x^2 (1 - x)^2, ..., see `trajectory.interpolant`."""
    return x ** (k // 2 + 1) * (1 - x) ** ((k + 1) // 2)


def _inverse(M: _Matrix) -> _Matrix:
    """M^-1 by elimination, exact."""
    n = len(M)
    rows = [[*row, *(Fraction(i == j) for j in range(n))] for i, row in enumerate(M)]
    for c in range(n):
        pivot = next(i for i in range(c, n) if rows[i][c])
        rows[c], rows[pivot] = rows[pivot], rows[c]
        rows[c] = [a / rows[c][c] for a in rows[c]]
        for i in range(n):
            if i != c and rows[i][c]:
                factor = rows[i][c]
                rows[i] = [a - factor * b for a, b in zip(rows[i], rows[c], strict=True)]
    return [row[n:] for row in rows]


def _product(M: _Matrix, N: _Matrix) -> _Matrix:
    columns = list(zip(*N, strict=True))
    return [[sum((a * b for a, b in zip(row, column, strict=True)), Fraction(0)) for column in columns] for row in M]


def _floats(M: _Matrix) -> np.ndarray:
    return np.array([[float(a) for a in row] for row in M])
