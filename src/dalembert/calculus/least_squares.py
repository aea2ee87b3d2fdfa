"""Steps of the Gauss-Newton iteration: the x with A x = b as nearly as can be, of least size or damped.

A has singular values s, A = U s V^T. A few of them may be 0 at a zero of the rows, at which steps of least size then
creep along; damped ones leave alone the directions in which b says nothing yet, and converge quadratically to zeros
that are not isolated, with mu ~ |b| or |b|^2 [yamashita2001].
"""

from __future__ import annotations

import numpy as np

from .numerical_rank import clear_products


def row_scales(A: np.ndarray) -> np.ndarray:
    """The largest entry of each row (m,), 1 where all are 0."""
    scale = np.abs(A).max(axis=1, initial=0.0)
    return np.where(scale > 0, scale, 1.0)


class LeastSteps:
    """The least x with A x = b, for one b after the other; A is looked at once, each row in its own scale.

    Args:
        A: rows (m, k).
        cut: singular values up to this part of the largest count as 0.
    """

    def __init__(self, A: np.ndarray, cut: float) -> None:
        self.finite = bool(np.isfinite(A).all())
        if not self.finite:
            return
        self.scale = row_scales(A)
        self.A = A / self.scale[:, None]
        self.products = clear_products(self.A)
        if self.products is None:
            # x = V s^-1 U^T b ,  without the singular values that count as 0
            U, s, Vt = np.linalg.svd(self.A, full_matrices=False)
            kept = s > cut * s.max(initial=0.0)
            self.inverse = (Vt[kept].T / s[kept]) @ U[:, kept].T

    def __call__(self, b: np.ndarray) -> np.ndarray | None:
        """x (k,); None where a number is not finite."""
        if not (self.finite and np.isfinite(b).all()):
            return None
        if self.products is not None:
            # x = A^T (A A^T)^-1 b
            return np.asarray(self.A.T @ np.linalg.solve(self.products, b / self.scale))
        return np.asarray(self.inverse @ (b / self.scale))


class DampedSteps:
    """The x that make  |A x - b|^2 + mu |x|^2  least, for one mu after the other.

    Args:
        A, b: (m, k) and (m,), finite.
        rank: how many of the singular values count; left out, all.

    Attributes:
        s: these singular values, the largest first.
    """

    def __init__(self, A: np.ndarray, b: np.ndarray, rank: int | None = None) -> None:
        U, s, Vt = np.linalg.svd(A, full_matrices=False)
        self.s, self._Vt, self._b = s[:rank], Vt[:rank], U[:, :rank].T @ b

    def __call__(self, mu: float) -> np.ndarray:
        """x (k,)."""
        # x = A^T (A A^T + mu 1)^-1 b = V s (s^2 + mu)^-1 U^T b
        below = self.s**2 + mu
        return np.asarray(self._Vt.T @ (self.s / np.where(below > 0, below, 1.0) * self._b))
