"""Multipliers that are 1 whatever the motion: of the motion itself, of symmetries and of conserved quantities.

Directions v in which the motion goes on coming back, perhaps after another time, and that along the motion, f, span a
space that M keeps [munozalmaraz2003]:

    M v = v - f dT ,     M f = f ,

so that all multipliers there are 1. Gradients of what is conserved are kept to the left, dJ M = dJ: they show as null
vectors of what M is across that space, and so on, round by round.
"""

from __future__ import annotations

import numpy as np

SURE = 1e3  # errors of M below which a singular value counts as 0


def count_of(M: np.ndarray, f: np.ndarray | None, rtol: float) -> int:
    """How many multipliers of M (d, d) are 1 by structure.

    Args:
        M: the return map on the directions that the constraints leave.
        f: the rate there (d,); None where the equations change with time.
        rtol: the relative error of M.
    """
    rates = np.zeros((len(M), 0)) if f is None else f[:, None] / (np.linalg.norm(f) or 1.0)
    # (M - 1) v + f dT = 0
    V = np.hstack([_null(np.hstack([M - np.eye(len(M)), rates]), rtol)[: len(M)], rates])
    count = 0
    while len(M) and V.size:
        U, s, _ = np.linalg.svd(V)
        rank = int(np.sum(s > np.sqrt(rtol) * s.max(initial=0.0)))
        if not rank:
            break
        count, Q = count + rank, U[:, rank:]
        M = Q.T @ M @ Q
        V = _null(M - np.eye(len(M)), rtol)
    return count


def _null(A: np.ndarray, rtol: float) -> np.ndarray:
    """Columns that span the null space of A, whose entries have errors of rtol in parts of the largest."""
    if not A.size:
        return np.zeros((A.shape[1], 0))
    _, s, Vt = np.linalg.svd(A)
    return np.asarray(Vt[int(np.sum(s > SURE * rtol * max(1.0, float(s[0])))) :].T)


def nearest(multipliers: np.ndarray, count: int) -> np.ndarray:
    """Which multipliers these are: so many that are nearest to 1, (d,) of bool."""
    trivial = np.zeros(len(multipliers), bool)
    trivial[np.argsort(np.abs(multipliers - 1), kind="stable")[:count]] = True
    return trivial
