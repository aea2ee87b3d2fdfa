"""Any dense output as an `Interpolant`: polynomials on steps, with which it can be stored."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from .interpolant import Interpolant

Dense = Callable[[np.ndarray], np.ndarray]

MOST = 1_000_000  # steps of a path whose steps are halved: a longer one would take many times its room
BLOCK = 65_536  # steps at once
DEGREE, HALVINGS = 7, 5  # usual degree; of a step at most
ROUNDED = 8.0  # units in the last place of a time, in which a step is not told from one at another time
CLOSE, CLOSER = 1e-11, 1e-13  # what a column may be off, of its largest value: with the usual degree, with a higher one


def tabulated(dense: Dense, t: np.ndarray, degree: int = DEGREE) -> Interpolant:
    """The path between the times t, which rise, on the steps that they bound; steps are halved where they are too long.

    `degree` is that of the polynomials. Jumps must be at some of these times. Values are taken inside of the steps
    only: at a jump those after it count. A path of more than `MOST` steps keeps its own.
    """
    t = t[np.r_[True, np.diff(t) != 0]]
    kept: list[Interpolant] = []
    begin, end = t[:-1], t[1:]
    halvings, largest = HALVINGS if len(t) <= MOST else 0, np.abs(dense(t)).max(axis=0, initial=0.0)
    for left in reversed(range(halvings + 1)):
        pieces = _fitted(dense, begin, end, degree)
        far = _far(dense, pieces, largest) if left and len(begin) else np.zeros(len(begin), bool)
        kept.append(Interpolant(begin[~far], pieces.y[~far], pieces.h[~far], pieces.F[~far]))
        if not far.any():
            break
        middle = begin[far] + (end - begin)[far] / 2
        begin, end = np.r_[begin[far], middle], np.r_[middle, end[far]]
    return _joined(kept, t[-1:], dense(t[-1:]))


def _joined(pieces: list[Interpolant], end: np.ndarray, last: np.ndarray) -> Interpolant:
    """Steps in the order of time; each knows where it begins only, so the end of the last is given."""
    t = np.concatenate([each.t for each in pieces])
    order = np.argsort(t, kind="stable")
    y, h, F = (np.concatenate([getattr(each, name) for each in pieces])[order] for name in ("y", "h", "F"))
    return Interpolant(np.r_[t[order], end], np.concatenate([y, np.asarray(last, float)]), h, F)


def _fitted(dense: Dense, begin: np.ndarray, end: np.ndarray, degree: int) -> Interpolant:
    """Polynomials on steps that need not follow one another."""
    y, h, nodes = np.asarray(dense(begin), float), end - begin, _nodes(degree)
    F, basis = np.empty((len(h), degree, y.shape[1])), _basis(nodes)
    for first in range(0, len(h), BLOCK):
        i = slice(first, first + BLOCK)
        inside = np.asarray(dense((begin[i, None] + h[i, None] * nodes).ravel())).reshape(-1, degree, y.shape[1])
        # y(t_i + x h) = y_i + sum_k F_k b_k(x)
        F[i] = np.linalg.solve(basis, inside - y[i, None])
    return Interpolant(begin, y, h, F)


def _nodes(degree: int) -> np.ndarray:
    """Chebyshev's, inside of (0, 1)."""
    return np.asarray((1 - np.cos(np.pi * (2 * np.arange(degree) + 1) / (2 * degree))) / 2)


def _basis(x: np.ndarray, degree: int | None = None) -> np.ndarray:
    """b_k(x): x, x (1 - x), x^2 (1 - x), ...  as in `interpolant.dense`, (len(x), degree)."""
    factors = np.column_stack([x if k % 2 == 0 else 1 - x for k in range(degree or len(x))])
    return np.asarray(np.cumprod(factors, axis=1))


def _far(dense: Dense, pieces: Interpolant, largest: np.ndarray) -> np.ndarray:
    """On which steps is it off between the nodes, by more than what times that are rounded make of it?

    `largest` are the largest values of the columns of the whole path.
    """
    degree = pieces.F.shape[1]
    nodes = _nodes(degree)
    between = (nodes[:-1] + nodes[1:]) / 2
    basis, close = _basis(between, degree), CLOSE if degree <= DEGREE else CLOSER
    far = np.empty(len(pieces.h), bool)
    for first in range(0, len(far), BLOCK):
        i = slice(first, first + BLOCK)
        y = np.asarray(dense((pieces.t[i, None] + pieces.h[i, None] * between).ravel()))
        y = y.reshape(-1, len(between), y.shape[1])
        off = np.abs(pieces.y[i, None] + basis @ pieces.F[i] - y).max(axis=1)
        rate = np.ptp(y, axis=1) / pieces.h[i, None]
        far[i] = (off > close * largest + ROUNDED * np.spacing(np.abs(pieces.t[i, None])) * rate).any(axis=1)
    return far
