"""H = B + C + D at a state, for complements chosen at random or across K."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ....geometry.distributions import Place
from ....geometry.subspaces import Rows, complement, span


@dataclass(frozen=True, eq=False)
class Split:
    """B, C, D at a state, for complements chosen at random (or across K in the kinetic metric)."""

    place: Place
    B: Rows
    D: Rows

    @classmethod
    def of(cls, place: Place, seed: int = 3) -> Split:
        """Complements of K in U and in V n H at random."""
        rng = np.random.default_rng(seed)
        return cls(place, complement(place.K, place.U, rng), complement(place.K, place.VH, rng))

    @classmethod
    def across(cls, place: Place) -> Split:
        """Complements of K that are orthogonal to it in the metric of the kinetic energy, on x and on w alike."""
        k = len(place.xi) // 2
        W = np.kron(np.eye(2), place.local.omega[:k, k:])
        parts = [span(_across(rows, place.K, W)) for rows in (place.U, place.VH)]
        return cls(place, *parts)

    @property
    def both(self) -> Rows:
        """B + D."""
        return span(self.B, self.D)

    @cached_property
    def C(self) -> Rows:
        """The omega-perpendicular of B + D in H."""
        return self.place.perp(self.both)

    @cached_property
    def eta(self) -> Rows:
        """Vectors of C with omega(K_i, eta_j) = delta_ij."""
        return np.asarray(
            np.linalg.lstsq(self.place.omega(self.place.K, self.C), np.eye(len(self.place.K)), rcond=None)[0].T @ self.C
        )

    def part(self, vector: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The parts of a vector of H along C and along D."""
        rows = np.vstack([self.B, self.C, self.D])
        found = np.linalg.lstsq(rows.T, vector, rcond=None)[0]
        b, n = len(self.B), len(self.B) + len(self.C)
        return np.asarray(found[b:n] @ self.C), np.asarray(found[n:] @ self.D)


def _across(rows: Rows, K: Rows, W: np.ndarray) -> Rows:
    if not len(K):
        return rows
    inner = K @ W @ K.T
    return np.asarray(rows - rows @ W @ K.T @ np.linalg.solve(inner, K))
