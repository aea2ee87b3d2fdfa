"""Pieces of the time on which a curve, and what a system says along it, is seen whole.

A piece is halved while the last coefficients of a series on it are not small, and where a series misses the curve at a
time at which it may be narrow. Halving ends where it shows roundings alone, or at a bound of work, which is said.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from .pieces import NODES, Pieces

FIRST, MOST = 16, 2048  # pieces
NUMBERS = 40_000_000  # of what is looked at, at all points
RESOLVED = 1e-11  # of a velocity's largest value: the last two coefficients of its series on a piece
FAIR = 1e-8  # the same where it no longer falls
ROUGH = 1e-6  # the same where a curve is no longer taken for smooth
SEEN = 1e-6  # of the size of a row: the last coefficients of its series
HOLDS = 1e-5  # the same where it no longer falls, and what a series may miss
SHORTEST = 1e-9  # span of time, over the times themselves: below, they are not known well enough to differentiate


class Look(Protocol):
    """What is seen on some pieces: tails of velocities and of rows, and what their series miss, (P,) each."""

    width: int

    def __call__(self, pieces: Pieces) -> np.ndarray:
        """(P, 4)."""


@dataclass(frozen=True)
class Resolved:
    """Pieces, and what is left of them.

    Attributes:
        pieces: those that were made.
        tail: of the velocities, the largest.
        unseen: the first time near which a row is not resolved; nan if there is none.
        jump: the first time near which the velocities are not; nan if there is none.
    """

    pieces: Pieces
    tail: float
    unseen: float
    jump: float


def resolved(look: Look, first: float, last: float) -> Resolved:
    """Halve what is not seen whole."""
    pieces = Pieces.even(first, last, FIRST)
    before = np.full((FIRST, 2), np.inf)
    most = int(np.clip(NUMBERS / (NODES * max(look.width, 1)), 256, MOST))
    shortest = SHORTEST * max(abs(first), abs(last))
    while True:
        found = look(pieces)
        u, row, missed, missed_row = found.T
        # more pieces show the roundings of a path alone
        rough = (u >= RESOLVED) & ~((u < FAIR) & (u > before[:, 0] / 2))
        rough |= (row >= SEEN) & ~((row < HOLDS) & (row > before[:, 1] / 2))
        again = (rough | (missed > ROUGH) | (missed_row > HOLDS)) & (2 * pieces.half > shortest)
        if not again.any() or len(pieces) + again.sum() > most:
            break
        before = np.repeat(np.where(again[:, None], found[:, :2], before), 1 + again, axis=0)
        pieces = pieces.split(again)
    jump = np.maximum(u, missed) > ROUGH
    # what is left at the shortest pieces is a jump: nothing hides there
    unseen = (np.maximum(row, missed_row) > HOLDS) & (2 * pieces.half > shortest)
    return Resolved(pieces, float(u.max()), _first(pieces, unseen), _first(pieces, jump))


def _first(pieces: Pieces, chosen: np.ndarray) -> float:
    return float((pieces.edges[:-1] + pieces.half)[chosen][0]) if chosen.any() else np.nan
