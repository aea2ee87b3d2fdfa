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
    slopes = Slopes([rows[i] for i in chosen], xs)
    A = np.broadcast_to(numbers_of(slopes if slopes.many else slopes.rows, n, at_zero), (count, len(chosen), n))
    b = -_matrix([rows[i] for i in chosen], at_zero, count)
    good = np.isfinite(A).all(axis=(1, 2)) & np.isfinite(b).all(axis=1)
    A, b = np.where(good[:, None, None], A, 0.0), np.where(good[:, None], b, 0.0)
    size = np.abs(A).max(axis=2)
    bound[:, chosen] = size > 0
    unit = np.where(size > 0, size, 1.0)
    A, b = A / unit[..., None], np.where(size > 0, b / unit, 0.0)
    x, null = _least_squares(A, b)
    # |A x - b| against |x| + |b|
    off = np.abs((A * x[:, None, :]).sum(axis=2) - b).max(axis=1)
    contradiction = off > TOLERANCE * (np.abs(x).max(axis=1) + np.abs(b).max(axis=1))
    return Determined(x + 0.0, (null <= FREE) & (size > 0).any(axis=1)[:, None], contradiction, bound)


def _matrix(nodes: Sequence[Node], values: Mapping[str, np.ndarray], count: int) -> np.ndarray:
    return np.stack([np.broadcast_to(np.asarray(e, float), count) for e in evaluate(nodes, values)], axis=1)


def _least_squares(A: np.ndarray, b: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The least x (K, n) that minimises |A x - b|, and the largest |component| of a null vector by name (K, n)."""
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
    return x, np.where(empty[:, :, None], np.abs(Vt), 0.0).max(axis=1)
