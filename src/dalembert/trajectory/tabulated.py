"""Any dense output as an `Interpolant`: polynomials of degree 7 on steps, with which it can be stored."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from .interpolant import Interpolant

DEGREE, HALVINGS, CLOSE = 7, 5, 1e-11  # of a step at most; what a column may be off, of its largest value
_NODES = (1 - np.cos(np.pi * (2 * np.arange(DEGREE) + 1) / (2 * DEGREE))) / 2  # Chebyshev's, inside of (0, 1)
_BETWEEN = (_NODES[:-1] + _NODES[1:]) / 2


def tabulated(dense: Callable[[np.ndarray], np.ndarray], t: np.ndarray) -> Interpolant:
    """The path between the times t, which rise, on the steps that they bound; steps are halved where they are too long.

    Jumps must be at some of these times. Values are taken inside of the steps only: at a jump those after it count.
    """
    t = t[np.r_[True, np.diff(t) != 0]]
    for _ in range(HALVINGS):
        table = _fitted(dense, t)
        far = _far(dense, table)
        if not far.any():
            return table
        t = np.sort(np.concatenate([t, (t[:-1] + np.diff(t) / 2)[far]]))
    return _fitted(dense, t)


def _fitted(dense: Callable[[np.ndarray], np.ndarray], t: np.ndarray) -> Interpolant:
    y, h = np.asarray(dense(t), float), np.diff(t)
    inside = dense((t[:-1, None] + h[:, None] * _NODES).ravel()).reshape(len(h), DEGREE, y.shape[1])
    # y(t_i + x h) = y_i + sum_k F_k b_k(x)
    F = np.linalg.solve(_basis(_NODES), inside - y[:-1, None])
    return Interpolant(t, y, h, F)


def _basis(x: np.ndarray) -> np.ndarray:
    """b_k(x): x, x (1 - x), x^2 (1 - x), ...  as in `interpolant.dense`, (len(x), DEGREE)."""
    factors = np.column_stack([x if k % 2 == 0 else 1 - x for k in range(DEGREE)])
    return np.asarray(np.cumprod(factors, axis=1))


def _far(dense: Callable[[np.ndarray], np.ndarray], table: Interpolant) -> np.ndarray:
    """On which steps is it off between the nodes?"""
    t = (table.t[:-1, None] + table.h[:, None] * _BETWEEN).ravel()
    largest = np.abs(table.y).max(axis=0, initial=0.0)
    if not len(t):
        return np.zeros(0, bool)
    off = np.abs(table(t) - dense(t)) > CLOSE * largest
    return np.asarray(off.reshape(len(table.h), -1).any(axis=1))
