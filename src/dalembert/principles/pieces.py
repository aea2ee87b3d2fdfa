"""Pieces of a span of time, each with Chebyshev points: slopes, integrals and values between of what is known there."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.polynomial import chebyshev

NODES = 16  # on each piece
POINTS = np.cos(np.pi * (np.arange(NODES) + 0.5) / NODES)[::-1]
TRANSFORM = np.linalg.inv(chebyshev.chebvander(POINTS, NODES - 1))  # values -> coefficients
_MOMENTS = [2.0 / (1 - j * j) if j % 2 == 0 else 0.0 for j in range(NODES)]
WEIGHTS = np.array(_MOMENTS) @ TRANSFORM  # values -> integral over [-1, 1]
SLOPE = chebyshev.chebvander(POINTS, NODES - 2) @ chebyshev.chebder(TRANSFORM)  # values -> derivatives on [-1, 1]


@dataclass(frozen=True)
class Pieces:
    """P pieces between edges (P + 1,). Functions of the time are arrays (T, c) at all points, T = 16 P."""

    edges: np.ndarray

    @classmethod
    def even(cls, first: float, last: float, count: int) -> Pieces:
        """Pieces of one length."""
        return cls(np.linspace(first, last, count + 1))

    def __len__(self) -> int:
        return len(self.edges) - 1

    @cached_property
    def half(self) -> np.ndarray:
        """Half the length of each (P,)."""
        return np.diff(self.edges) / 2

    @cached_property
    def t(self) -> np.ndarray:
        """The points (T,)."""
        return np.asarray(((self.edges[:-1] + self.half)[:, None] + self.half[:, None] * POINTS).ravel())

    @cached_property
    def weights(self) -> np.ndarray:
        """Weights (T,) of an integral over the span."""
        return np.asarray((self.half[:, None] * WEIGHTS).ravel())

    @property
    def span(self) -> float:
        """How long they last together."""
        return float(self.edges[-1] - self.edges[0])

    def parts(self, values: np.ndarray) -> np.ndarray:
        """Piece by piece, (P, 16, c)."""
        return values.reshape(len(self), NODES, -1)

    def slope(self, values: np.ndarray) -> np.ndarray:
        """Derivatives by the time (T, c)."""
        return np.asarray(np.einsum("ij,pjk->pik", SLOPE, self.parts(values)) / self.half[:, None, None]).reshape(
            values.shape
        )

    def tails(self, values: np.ndarray) -> np.ndarray:
        """Of each piece and function the larger of the last two coefficients of its series (P, c)."""
        return np.asarray(np.abs(np.einsum("jn,pnk->pjk", TRANSFORM[-2:], self.parts(values))).max(axis=1))

    def place(self, t: np.ndarray) -> np.ndarray:
        """The piece in which each time lies."""
        return np.clip(np.searchsorted(self.edges, t, side="right") - 1, 0, len(self) - 1)

    def at(self, values: np.ndarray, t: np.ndarray) -> np.ndarray:
        """Values (len(t), c) between the points."""
        i = self.place(t)
        x = (t - self.edges[i]) / self.half[i] - 1.0
        series = np.einsum("jn,pnk->pjk", TRANSFORM, self.parts(values))
        return np.asarray(np.einsum("tj,tjk->tk", chebyshev.chebvander(x, NODES - 1), series[i]))

    def split(self, chosen: np.ndarray) -> Pieces:
        """The same, those chosen (P,) halved."""
        middles = (self.edges[:-1] + self.half)[chosen]
        return Pieces(np.sort(np.r_[self.edges, middles]))
