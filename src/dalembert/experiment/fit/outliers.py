"""Numbers that stand apart from all others: what is left of them, over the scatter of the rest, is no chance.

    z_i = r_i/sqrt(1 - h_i),   h_i = J_i C J_i^T

h being the leverage. The scatter of a column is the larger of its known uncertainty and of the median of |z|, which one
wild number does not change; the chance of the largest z of K numbers is K times that of one (Bonferroni).
"""

from __future__ import annotations

import numpy as np
from scipy import stats

from ...findings.fit import Fit
from .descend import NORMAL

CHANCE = 1e-4  # of meeting one by accident, in a whole record
SHARE = 0.1  # of a column's numbers: more than that are no exceptions, but a model that fails
ROUNDING = 1e-7  # of the size of the numbers: what is left is rounding, which has no law


def outliers(fit: Fit, root: np.ndarray, jacobian: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(places, z): numbers of a fit that stand apart, the farthest first, and by how many standard deviations.

    Args:
        fit: by least squares.
        root: (d, k), root root^T is the covariance of the unknowns.
        jacobian: (K + priors, d), derivatives of the residuals over the noise.
    """
    count = len(fit.seen)
    if fit.dof < 2 or not count:
        return np.empty(0, int), np.empty(0)
    leverage = np.clip(((jacobian[:count] @ root) ** 2).sum(axis=1), 0, 1 - 1e-6)
    z = np.abs(fit.residuals) / np.sqrt(1 - leverage)
    wild = np.zeros(count, bool)
    for i, name in enumerate(fit.columns):
        own = fit.column == i
        if own.sum() > 3:
            z[own] /= _scatter(z[own], name in fit.estimated)
            wild[own] = _wild(z[own], count, fit.dof - 1 if name in fit.estimated else np.inf) & ~_rounded(fit, own)
            wild[own] &= wild[own].sum() <= max(1, SHARE * own.sum())
    places = np.flatnonzero(wild)
    return places[np.argsort(-z[places])], np.sort(z[places])[::-1]


def _scatter(z: np.ndarray, estimated: bool) -> float:
    usual = NORMAL * float(np.median(z))
    return max(usual, 1e-300) if estimated else max(1.0, usual)


def _wild(z: np.ndarray, count: int, dof: float) -> np.ndarray:
    """Student's law, for the scatter is known from few numbers where they are few; Gauss' where it is known."""
    return np.asarray(2 * count * stats.t.sf(z, max(dof, 1)) < CHANCE)


def _rounded(fit: Fit, own: np.ndarray) -> np.ndarray:
    left = np.abs(fit.residuals[own] * fit.sigma[own])
    return np.asarray(left <= ROUNDING * np.abs(fit.seen[own]).max())
