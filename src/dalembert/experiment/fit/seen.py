"""Which changes of the unknowns the data do not see.

In sizes of the unknowns the derivatives of all residuals are J D. A direction in which J D vanishes changes no
prediction: the data see only combinations of the unknowns that lie across it.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from ...findings.fit import Unseen

NOTHING, ROUNDING = 1e-6, 1e-14  # of the largest singular value: not told from 0; rounding alone
TINY, LARGE = 1e-3, 0.1  # entries of a direction that are 0; of its largest entry, those that count as large
SIMPLE, NEAR = 12, 2e-4  # the largest denominator of an entry that is a fraction, and how near it has to be


def unseen(jacobian: np.ndarray, size: np.ndarray, error: np.ndarray | None = None) -> np.ndarray:
    """An orthonormal basis (k, d), in sizes of the unknowns, of the directions that change no residual.

    With the error of the derivatives, a direction is seen where they are larger than that; without it where they are
    not NOTHING beside the largest.
    """
    d = jacobian.shape[1]
    scaled = jacobian * size
    if not len(scaled):
        return np.eye(d)
    _, s, Vt = np.linalg.svd(scaled, full_matrices=True)
    s = np.r_[s, np.zeros(d - len(s))]
    least = np.full(d, NOTHING * s.max(initial=0.0))
    if error is not None:
        least = np.maximum(np.linalg.norm((error * size) @ Vt.T, axis=0), ROUNDING * s.max(initial=0.0))
    return np.asarray(Vt[s <= least])


def described(null: np.ndarray, names: tuple[str, ...], constants: Sequence[bool]) -> tuple[Unseen, ...]:
    """The directions as changes of as few unknowns each as can be, and what is seen of these unknowns.

    Unknowns that are parts of one direction, or of directions that share an unknown, are told together; changes of
    `constants` alone are told in per cent.
    """
    found = []
    for group in _groups(null):
        part = null[np.abs(null[:, group]).max(axis=1) > TINY][:, group]
        part = np.linalg.svd(part, full_matrices=False)[2][: np.linalg.matrix_rank(part, tol=TINY)]
        names_of, relative = tuple(names[i] for i in group), all(constants[i] for i in group)
        within = _reduced(part)
        # what is seen lies across what is not
        across = np.linalg.svd(part)[2][np.linalg.matrix_rank(part, tol=TINY) :]
        found.append(Unseen(names_of, _as_maps(within, names_of), _as_maps(_reduced(across), names_of), relative))
    return tuple(found)


def _groups(null: np.ndarray) -> list[list[int]]:
    """Unknowns that occur together in a direction; the projector P = N^T N links them."""
    P = null.T @ null
    left, groups = {i for i in range(len(P)) if P[i, i] > TINY**2}, []
    while left:
        group, front = set(), {min(left)}
        while front:
            group |= front
            front = {j for i in front for j in left if abs(P[i, j]) > TINY**2} - group
        groups.append(sorted(group))
        left -= group
    return groups


def _reduced(rows: np.ndarray) -> np.ndarray:
    """Row-reduced with the largest pivots; the first large entry of each row is 1, near fractions are made exact."""
    A = np.array(rows, float)
    for i in range(len(A)):
        k, j = divmod(int(np.argmax(np.abs(A[i:]))), A.shape[1])
        if not abs(A[i + k, j]) > TINY:  # the rows are dependent
            A = A[:i]
            break
        A[[i, i + k]] = A[[i + k, i]]
        A[i] /= A[i, j]
        for other in range(len(A)):
            if other != i:
                A[other] -= A[other, j] * A[i]
    A[np.abs(A) < TINY] = 0.0
    for row in A:
        row /= row[np.flatnonzero(np.abs(row) >= LARGE * np.abs(row).max())[0]]
    return np.vectorize(_simple, otypes=[float])(A) if A.size else A


def _simple(x: float) -> float:
    near = Fraction(x).limit_denominator(SIMPLE)
    return float(near) if abs(float(near) - x) < NEAR else x


def _as_maps(rows: np.ndarray, names: tuple[str, ...]) -> tuple[dict[str, float], ...]:
    return tuple({n: float(v) for n, v in zip(names, row, strict=True) if v} for row in rows)
