"""Vakonomic multipliers along a given curve, by least squares on every piece of it.

    N^T lamdot + EL(phi)^T lam = R

On each piece lam is a polynomial, and it is continuous from piece to piece. The pieces are eliminated one after the
other: what they say of lam at their left end is carried to their right end as S lam = s, m rows, whatever the number of
pieces. So a long curve is held as strictly as a short one.

What is left over is a variation: with sizes sigma, eta = (R - ...)/sigma^2 is orthogonal to N^T lamdot + EL(phi)^T lam
for every lam, that is d/dt(N eta) = EL(phi) eta, the variation of phi is 0, and N eta = 0 at both ends. Along it
dJ = -int R eta dt = -int |R - ...|^2/sigma^2 dt: it breaks the curve [lewis1995 Definition 2.5].
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.polynomial import chebyshev

from .pieces import NODES, POINTS, WEIGHTS, Pieces

DEGREE = 12  # of lam on a piece
DEPENDENT = 1e-11  # of the largest singular value
ABNORMAL = 1e-9  # of the size of EL(phi) and N/T

_T = chebyshev.chebvander(POINTS, DEGREE)
# lam(x) = lam(1) + z_j (T_j(x) - 1), j = 1..DEGREE
_SHAPES = _T[:, 1:] - 1.0
_SLOPES = chebyshev.chebvander(POINTS, DEGREE - 1) @ chebyshev.chebder(np.eye(DEGREE + 1))[:, 1:]
_LEFT = (-1.0) ** np.arange(1, DEGREE + 1) - 1.0


@dataclass(frozen=True)
class _Piece:
    """z = inner (right - outer lam(1)), and lam at the nodes and at the left end."""

    inner: np.ndarray
    outer: np.ndarray
    right: np.ndarray

    def at(self, last: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """lam (NODES, m) on the piece and lam (m,) at its left end, from lam at its right end."""
        z = (self.inner @ (self.right - self.outer @ last)).reshape(len(last), DEGREE)
        return last + _SHAPES @ z.T, last + z @ _LEFT


def fit(pieces: Pieces, N: np.ndarray, E: np.ndarray, R: np.ndarray) -> tuple[np.ndarray, np.ndarray, int]:
    """lam of least squares along a curve that is sampled at Chebyshev points.

    Args:
        pieces: on which it is.
        N, E: normals and EL(phi), (T, m, k), rows over their sizes.
        R: EL(L) - Q, (T, k), over the same sizes.

    Returns:
        What is left over of R (T, k), lam (T, m), and how many independent lam solve the equations with R = 0.
    """
    T, m, _ = N.shape
    unit = np.abs(N).max(axis=(0, 2), initial=0.0)
    unit = np.where(unit > 0, unit, 1.0)  # a multiplier is measured in that of the largest normal
    S, s, found = np.zeros((0, m)), np.zeros(0), []
    parts = (a.reshape(len(pieces), NODES, *a.shape[1:]) for a in (N, E, R))
    for n, e, r, half in zip(*parts, pieces.half, strict=True):
        n, e = n / unit[:, None], e / unit[:, None]
        weight = np.sqrt(WEIGHTS * half / np.mean(pieces.half))[:, None, None]
        piece, S, s = _eliminated(n / half, e, r, S, s, weight)
        found.append(piece)
    size = float(np.sqrt((((np.abs(E) + np.abs(N) / pieces.span) / unit[:, None]) ** 2).sum()))
    U, values, Vt = np.linalg.svd(S)
    used = values > ABNORMAL * size
    last = Vt.T[:, used] @ ((U.T @ s)[used] / values[used])
    lam = np.zeros((len(pieces), NODES, m))
    for i in range(len(pieces) - 1, -1, -1):
        lam[i], last = found[i].at(last)
    lam = lam.reshape(T, m) / unit
    return R - _made(pieces, N, E, lam), lam, m - int(used.sum())


def _eliminated(
    n: np.ndarray, e: np.ndarray, r: np.ndarray, S: np.ndarray, s: np.ndarray, weight: np.ndarray
) -> tuple[_Piece, np.ndarray, np.ndarray]:
    """One piece, and what it and those before it say of lam at its right end."""
    m, k = n.shape[1:]
    # rows: node by velocity; columns: constraint by shape
    inside = np.einsum("tsa,td->tasd", n, _SLOPES) + np.einsum("tsa,td->tasd", e, _SHAPES)
    inside = (weight * inside.reshape(NODES, k, m * DEGREE)).reshape(NODES * k, -1)
    outer = (weight * np.swapaxes(e, 1, 2)).reshape(NODES * k, m)
    inside = np.vstack([inside, np.einsum("js,d->jsd", S, _LEFT).reshape(len(S), m * DEGREE)])
    outer, right = np.vstack([outer, S]), np.concatenate([(weight[..., 0] * r).ravel(), s])
    U, values, Vt = np.linalg.svd(inside, full_matrices=False)
    used = values > DEPENDENT * values[0] if values[0] > 0 else np.zeros(len(values), bool)
    U = U[:, used]
    inner = (Vt[used].T / values[used]) @ U.T
    # what no z reaches
    both = np.column_stack([outer, right])
    rest = np.asarray(np.linalg.qr(both - U @ (U.T @ both), mode="r"))[:m]
    return _Piece(inner, outer, right), rest[:, :m], rest[:, m]


def _made(pieces: Pieces, N: np.ndarray, E: np.ndarray, lam: np.ndarray) -> np.ndarray:
    """N^T lamdot + EL(phi)^T lam, (T, k); lam is a polynomial of degree DEGREE on each piece."""
    m = lam.shape[1]
    c = np.einsum("dn,pns->pds", np.linalg.pinv(_T), lam.reshape(-1, NODES, m))
    slope = np.column_stack([np.zeros(NODES), _SLOPES])
    lamdot = (np.einsum("nd,pds->pns", slope, c) / pieces.half[:, None, None]).reshape(-1, m)
    return np.asarray(np.einsum("tsa,ts->ta", N, lamdot) + np.einsum("tsa,ts->ta", E, lam))
