"""Multipliers that are what they are whatever the motion: by the motion itself, symmetries and conserved quantities.

Directions v in which the motion goes on coming back, perhaps after another time, and that along the motion, f, span a
space that M keeps [munozalmaraz2003]:

    M v = v - f dT ,     M f = f ,

so that all multipliers there are 1. Gradients of what is conserved are kept to the left, dJ M = dJ: they show as null
vectors of what M is across that space, and so on, round by round.

Where a motion comes back up to a group, the space holds the group's own directions X, and multipliers on them are
those of the adjoint: M X_a = (Ad X)_a. Gradients of momenta turn with them, so that null vectors of M - mu are looked
for too.
"""

from __future__ import annotations

import numpy as np

SAME = 1e-8  # singular values below this part of the largest count as 0
SURE = 1e3  # errors of M below which a singular value counts as 0


def count_of(M: np.ndarray, f: np.ndarray | None, rtol: float, X: np.ndarray | None = None) -> int:
    """How many multipliers of M (d, d) are what they are by structure.

    Args:
        M: the return map on the directions that the constraints leave.
        f: the rate there (d,); None where the equations change with time.
        rtol: the relative error of M.
        X: directions (d, k) of the group up to which the motion comes back.
    """
    given = [] if f is None else [f[:, None]]
    rates = np.hstack([np.zeros((len(M), 0)), *given, *([] if X is None else [X])])
    rates = rates / np.maximum(np.linalg.norm(rates, axis=0), 1e-300)
    turned = [mu for mu in adjoint(M, X) if abs(mu - 1) > np.sqrt(rtol)]
    # (M - 1) v + f dT + X dc = 0
    V = np.hstack([_null(np.hstack([M - np.eye(len(M)), rates]), rtol)[: len(M)], rates])
    count = 0
    while len(M) and V.size:
        U, s, _ = np.linalg.svd(V)
        rank = int(np.sum(s > np.sqrt(rtol) * s.max(initial=0.0)))
        if not rank:
            break
        count, Q = count + rank, U[:, rank:]
        M = Q.T @ M @ Q
        V = np.hstack([_null(M - np.eye(len(M)), rtol), *(_turning(M, mu, rtol) for mu in turned)])
    return count


def adjoint(M: np.ndarray, X: np.ndarray | None) -> np.ndarray:
    """Multipliers on the directions of a group (complex)."""
    if X is None or not X.size:
        return np.zeros(0, complex)
    U, s, _ = np.linalg.svd(X, full_matrices=False)
    U = U[:, s > SAME * s[0]]
    return np.asarray(np.linalg.eigvals(U.T @ M @ U), complex)


def _turning(M: np.ndarray, mu: complex, rtol: float) -> np.ndarray:
    """Real directions with the multipliers mu and its conjugate."""
    if not len(M):
        return np.zeros((0, 0))
    _, s, Vt = np.linalg.svd(M - mu * np.eye(len(M)))
    kept = Vt[int(np.sum(s > SURE * rtol * max(1.0, float(s[0])))) :]
    return np.asarray(np.hstack([kept.real.T, kept.imag.T]))


def _null(A: np.ndarray, rtol: float) -> np.ndarray:
    """Columns that span the null space of A, whose entries have errors of rtol in parts of the largest."""
    if not A.size:
        return np.zeros((A.shape[1], 0))
    _, s, Vt = np.linalg.svd(A)
    return np.asarray(Vt[int(np.sum(s > SURE * rtol * max(1.0, float(s[0])))) :].T)


def nearest(multipliers: np.ndarray, count: int, turned: np.ndarray | None = None) -> np.ndarray:
    """Which multipliers these are: those of the group, and others that are nearest to them or to 1, (d,) of bool."""
    trivial = np.zeros(len(multipliers), bool)
    values = np.zeros(0, complex) if turned is None else turned
    for mu in values[np.argsort(-np.abs(values - 1), kind="stable")][:count]:
        trivial[np.where(trivial, np.inf, np.abs(multipliers - mu)).argmin()] = True
    off = np.abs(multipliers[:, None] - np.r_[1.0, values][None]).min(axis=1)
    left = np.argsort(np.where(trivial, np.inf, off), kind="stable")[: count - int(trivial.sum())]
    trivial[left] = True
    return trivial
