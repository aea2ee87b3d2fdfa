"""Subspaces in numbers: orthonormal rows."""

from __future__ import annotations

import numpy as np

RANK = 1e-9  # singular values below this part of the largest count as 0
Rows = np.ndarray


def span(*parts: Rows) -> Rows:
    """An orthonormal basis of what the rows span."""
    rows = np.vstack(parts)
    if not rows.size:
        return rows
    _, sizes, basis = np.linalg.svd(rows, full_matrices=False)
    return np.asarray(basis[: int(np.sum(sizes > RANK * max(1.0, sizes[0])))])


def kernel(A: np.ndarray) -> np.ndarray:
    """Rows c with A c = 0."""
    if not A.size:
        return np.eye(A.shape[1])
    _, sizes, rows = np.linalg.svd(A)
    return np.asarray(rows[int(np.sum(sizes > RANK * max(1.0, sizes[0]))) :])


def meet(A: Rows, B: Rows) -> Rows:
    """A n B: what lies in A and has no part across B."""
    if not len(A) or not len(B):
        return np.zeros((0, A.shape[1]))
    across = A - A @ B.T @ B
    return span(kernel(across.T) @ A)


def outside(A: Rows, B: Rows) -> float:
    """How far unit vectors of A stand out of B: 0 where A lies in B."""
    if not len(A):
        return 0.0
    return float(np.linalg.norm(A - A @ B.T @ B, 2)) if len(B) else 1.0


def apart(A: Rows, B: Rows) -> float:
    """0 where A and B are the same subspace."""
    return max(outside(A, B), outside(B, A))


def complement(A: Rows, B: Rows, rng: np.random.Generator) -> Rows:
    """A complement of A in B, A lying in B, at random."""
    return span(rng.normal(size=(len(B) - len(A), len(B))) @ B) if len(B) > len(A) else np.zeros((0, B.shape[1]))
