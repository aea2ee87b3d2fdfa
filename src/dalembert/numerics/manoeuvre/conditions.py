"""Conditions that are independent where constraints hold already, so that none is asked for twice."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import scipy.linalg

from ...calculus.graph import Node, evaluate, gradient

SMALL = 1e-8  # of the largest: what is left of a row that follows from others


def slopes(rows: Sequence[Node], by: Sequence[str], values: Mapping[str, float]) -> np.ndarray:
    """d rows/d by at one state (rows, by)."""
    if not rows:
        return np.zeros((0, len(by)))
    symbols = [rows[0].graph.symbol(name) for name in by]
    return np.array([evaluate(gradient(row, symbols), values) for row in rows], float).reshape(len(rows), len(by))


def independent(rows: np.ndarray, held: np.ndarray) -> tuple[list[int], list[int]]:
    """(those of the rows that are independent of each other and of what is held, the others), the clearest ones first.

    With P the projector onto the directions that keep what is held, the rows of J P are chosen by pivots.
    """
    if not len(rows):
        return [], []
    sizes = np.linalg.norm(rows, axis=1, keepdims=True)
    J = rows / np.where(sizes > 0, sizes, 1.0)
    if len(held):
        J = J - J @ np.linalg.pinv(held, rcond=SMALL) @ held
    _, R, order = scipy.linalg.qr(J.T, mode="economic", pivoting=True)
    rank = int(np.sum(np.abs(np.diag(R)) > SMALL))
    return sorted(order[:rank].tolist()), sorted(order[rank:].tolist())
