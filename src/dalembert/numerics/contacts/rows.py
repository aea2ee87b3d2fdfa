"""Rows of impulses at an instant, and what they do to the velocities."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from .active_set import GAINS
from .instant import NEAR, Instant

COUPLED = 1e-12  # of two rows: below it an impulse along one does nothing along the other


@dataclass(frozen=True, eq=False)
class Rows:
    """Of contacts, and of what is theirs of spin and rolling.

    Attributes:
        now: before the impact.
    """

    now: Instant

    def own(self, name: str) -> np.ndarray:
        """Rows (1 + p, k) of the impulses of a contact, or (p, k) of a part of it; p is 0 without friction."""
        c = self.now.touching[name]
        B = c.B if c.mu_static > 0 else c.B[:0]
        return np.vstack([c.A[None], B]) if c.master == name else B

    def rates(self, name: str) -> np.ndarray:
        """The velocities along them."""
        c = self.now.touching[name]
        slip = c.slip if c.mu_static > 0 else c.slip[:0]
        return np.r_[c.rate, slip] if c.master == name else slip

    def length(self, name: str) -> int:
        """How many impulses are told of a contact or a part, with friction or without."""
        c = self.now.touching[name]
        return len(c.B) + (c.master == name)

    def all(self, name: str) -> np.ndarray:
        """Rows of a contact with its parts."""
        return np.vstack([self.own(part) for part in self.now.parts([name])])

    def back(self, rows: np.ndarray) -> np.ndarray:
        """Jumps of the velocities (k, r) by impulses along rows, what the system's constraints hold held."""
        now = self.now
        back = np.linalg.solve(now.W, rows.T)
        if not len(now.J):
            return back
        held = np.linalg.solve(now.W, now.J.T)
        # W^-1 - W^-1 J^T (J W^-1 J^T)^-1 J W^-1
        return np.asarray(back - held @ np.linalg.lstsq(now.J @ held, now.J @ back, rcond=1e-12)[0])

    def coupled(self, a: np.ndarray, b: np.ndarray) -> bool:
        """Does an impulse along some rows change the rates along others?"""
        sizes = [np.sqrt(np.einsum("ik,ki->i", rows, np.linalg.solve(self.now.W, rows.T))) for rows in (a, b)]
        return bool((np.abs(a @ self.back(b)) > COUPLED * np.outer(*sizes)).any())

    def turned(self, part: str, name: str) -> bool:
        """Do the impulses of a contact turn the body against its pivoting or rolling friction?"""
        rows = self.own(part)
        others = [self.own(n) for n in self.now.parts([name]) if n != part]
        return len(rows) > 0 and any(self.coupled(rows, other) for other in others if len(other))

    def gain(self, impulses: Mapping[str, np.ndarray]) -> float:
        """The kinetic energy gained, without what surfaces that move by themselves supply; 0 where it is rounding."""
        rows = np.vstack([self.own(part) for part in impulses])
        before = np.concatenate([self.rates(part) for part in impulses])
        p = np.concatenate(list(impulses.values()))
        # p (v + v+)/2
        gained = float(p @ (before + rows @ self.back(rows) @ p / 2))
        return gained if gained > GAINS * self.now.energy() else 0.0

    def approach(self, name: str, others: Sequence[str], impulses: np.ndarray) -> bool:
        """Do other contacts approach on the way, with so many impulses (N, 1 + p) of one?"""
        back, now = self.back(self.own(name)), self.now
        for other in others:
            c, small = now.touching[other], NEAR * now.terms[other]
            by = impulses @ (c.A @ back)
            if (c.rate * (c.rate > small) + by).min() < -small - COUPLED * np.abs(by).max():
                return True
        return False
