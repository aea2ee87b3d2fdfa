"""H = B + C + D at a state, and the rate along K: the reconstruction of a reduced motion [cushman1995 Section 5].

    U = B + K ,    V n H = D + K ,    C = (B + D)_omega in H ,    omega(K_i, eta_j) = delta_ij  with  eta in C

The motion xi lies in U: its part in B projects to the reduced motion, its part along K is what the reduced motion does
not tell, and  thetadot_i = <dE, eta_i>  [cushman1995 (34)].

The complements that are taken by default are those across K in the kinetic metric of what they move of the place. The
group keeps that metric, so it keeps them: B and D are G-invariant, as the text asks.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from .subspaces import Rows, complement, span
from .symplectic import Local

if TYPE_CHECKING:
    from .distributions import Place


@dataclass(frozen=True, eq=False)
class Decomposition:
    """H = B + C + D at one state.

    Attributes:
        B: rows (b, 2k), a complement of K in U.
        C: rows (c, 2k), the vectors of H with omega(c, B + D) = 0; K is maximal isotropic there.
        D: rows (d, 2k), a complement of K in V n H.
        K: rows (n, 2k), the basis that `eta` and `rates` belong to.
        eta: rows (n, 2k) in C with omega(K_i, eta_j) = delta_ij.
        rates: (n,), the motion's components along K. Without forces thetadot_i = <dE, eta_i>.
        motion: (2k,), the motion without what it does along K: the lift in B.
        group: the motion along K as a combination of the generators, by name.
    """

    B: Rows
    C: Rows
    D: Rows
    K: Rows
    eta: Rows
    rates: np.ndarray
    motion: np.ndarray
    group: dict[str, float]

    def parts(self, vector: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The parts (2k,) of a tangent vector (2k,) of H in B, C and D."""
        rows = np.vstack([self.B, self.C, self.D])
        found = np.linalg.lstsq(rows.T, vector, rcond=None)[0]
        b, c = len(self.B), len(self.B) + len(self.C)
        return (
            np.asarray(found[:b] @ self.B),
            np.asarray(found[b:c] @ self.C),
            np.asarray(found[c:] @ self.D),
        )


def decomposed(place: Place, seed: int | None = None) -> Decomposition:
    """Complements of K across it in the kinetic metric, or at random, and what follows from them."""
    K, W = place.K, _metric(place.local)
    if seed is None:
        B, D = (span(_across(rows, K, W)) for rows in (place.U, place.VH))
    else:
        rng = np.random.default_rng(seed)
        B, D = complement(K, place.U, rng), complement(K, place.VH, rng)
    C = place.perp(span(B, D))
    # omega(K_i, eta_j) = delta_ij ,  eta_j = a_j C ; what is added along K, which is isotropic, changes nothing there
    eta = _across(np.linalg.lstsq(place.omega(K, C), np.eye(len(K)), rcond=None)[0].T @ C, K, W) if len(K) else K
    # xi = b B + thetadot K + c eta + d D
    every = np.linalg.lstsq(np.vstack([B, K, eta, D]).T, place.xi, rcond=None)[0]
    rates = every[len(B) : len(B) + len(K)]
    along = rates @ K if len(K) else np.zeros_like(place.xi)
    return Decomposition(B, C, D, K, np.asarray(eta), rates, place.xi - along, _combined(place, along))


def _combined(place: Place, along: np.ndarray) -> dict[str, float]:
    """A tangent vector of V as a combination of the generators."""
    found = np.linalg.lstsq(place.lifted.T, along, rcond=None)[0]
    return dict(zip(place.names, map(float, found), strict=True))


def _metric(local: Local) -> np.ndarray:
    """The kinetic metric of what tangent vectors (x, w) move of the place, (2k, 2k)."""
    k = len(local.omega) // 2
    metric = np.zeros_like(local.omega)
    metric[:k, :k] = local.omega[:k, k:]
    return metric


def _across(rows: Rows, K: Rows, W: np.ndarray) -> Rows:
    """The parts of rows that are orthogonal to K."""
    if not len(K):
        return rows
    # b K = 0 in the metric:  rows - (rows W K^T)(K W K^T)^-1 K
    return np.asarray(rows - rows @ W @ K.T @ np.linalg.solve(K @ W @ K.T, K))
