"""Any dense output as an `Interpolant`: polynomials on steps, with which it can be stored."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from .interpolant import Interpolant

MOST = 1_000_000  # steps of a path whose steps are halved: a longer one would take many times its room
BLOCK = 65_536  # steps at once
DEGREE, HALVINGS = 7, 5  # usual degree; of a step at most
CLOSE, CLOSER = 1e-11, 1e-13  # what a column may be off, of its largest value: with the usual degree, with a higher one


def tabulated(dense: Callable[[np.ndarray], np.ndarray], t: np.ndarray, degree: int = DEGREE) -> Interpolant:
    """The path between the times t, which rise, on the steps that they bound; steps are halved where they are too long.

    `degree` is that of the polynomials. Jumps must be at some of these times. Values are taken inside of the steps
    only: at a jump those after it count. A path of more than `MOST` steps keeps its own.
    """
    t = t[np.r_[True, np.diff(t) != 0]]
    for _ in range(HALVINGS if len(t) <= MOST else 0):
        table = _fitted(dense, t, degree)
        far = _far(dense, table)
        if not far.any():
            return table
        t = np.sort(np.concatenate([t, (t[:-1] + np.diff(t) / 2)[far]]))
    return _fitted(dense, t, degree)


def _fitted(dense: Callable[[np.ndarray], np.ndarray], t: np.ndarray, degree: int) -> Interpolant:
    y, h, nodes = np.asarray(dense(t), float), np.diff(t), _nodes(degree)
    F = np.empty((len(h), degree, y.shape[1]))
    for first in range(0, len(h), BLOCK):
        i = slice(first, first + BLOCK)
        inside = dense((t[:-1][i, None] + h[i, None] * nodes).ravel()).reshape(-1, degree, y.shape[1])
        # y(t_i + x h) = y_i + sum_k F_k b_k(x)
        F[i] = np.linalg.solve(_basis(nodes), inside - y[:-1][i, None])
    return Interpolant(t, y, h, F)


def _nodes(degree: int) -> np.ndarray:
    """Chebyshev's, inside of (0, 1)."""
    return np.asarray((1 - np.cos(np.pi * (2 * np.arange(degree) + 1) / (2 * degree))) / 2)


def _basis(x: np.ndarray) -> np.ndarray:
    """b_k(x): x, x (1 - x), x^2 (1 - x), ...  as in `interpolant.dense`, (len(x), len(x))."""
    factors = np.column_stack([x if k % 2 == 0 else 1 - x for k in range(len(x))])
    return np.asarray(np.cumprod(factors, axis=1))


def _far(dense: Callable[[np.ndarray], np.ndarray], table: Interpolant) -> np.ndarray:
    """On which steps is it off between the nodes?"""
    nodes = _nodes(table.F.shape[1])
    t = (table.t[:-1, None] + table.h[:, None] * (nodes[:-1] + nodes[1:]) / 2).ravel()
    largest = np.abs(table.y).max(axis=0, initial=0.0)
    if not len(t):
        return np.zeros(0, bool)
    off = np.abs(table(t) - dense(t)) > (CLOSE if len(nodes) <= DEGREE else CLOSER) * largest
    return np.asarray(off.reshape(len(table.h), -1).any(axis=1))
