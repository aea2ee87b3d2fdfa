"""Lie derivatives, contractions and brackets, in the coordinates x, y, z."""

from __future__ import annotations

import sympy as sp

from .arbitrary_forms import N, Q


def lie_derivative(w: list[sp.Expr], gamma: sp.Matrix) -> sp.Matrix:
    """L_gamma w as a column."""
    # (L_gamma w)_i = gamma^j d_j w_i + w_j d_i gamma^j
    return sp.Matrix(
        [sum((gamma[j] * w[i].diff(Q[j]) + w[j] * gamma[j].diff(Q[i]) for j in range(N)), sp.S.Zero) for i in range(N)]
    )


def inner(v: sp.Matrix, w: list[sp.Expr]) -> sp.Matrix:
    """v _| dw as a column."""
    # (v _| dw)_i = v^j (d_j w_i - d_i w_j)
    return sp.Matrix([sum((v[j] * (w[i].diff(Q[j]) - w[j].diff(Q[i])) for j in range(N)), sp.S.Zero) for i in range(N)])


def bracket(X: sp.Matrix, Y: sp.Matrix) -> sp.Matrix:
    """[X, Y]^i = X^j d_j Y^i - Y^j d_j X^i."""
    return Y.jacobian(Q) * X - X.jacobian(Q) * Y
