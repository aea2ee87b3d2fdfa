"""Times at which a curve may do what its points do not show.

They are found from the arguments of functions that may be narrow (`calculus.sharp_features`): where along the curve
these turn back or change their sign, and beside these times at all distances; of a path, its own steps.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

import numpy as np

from ..calculus.graph import Node
from ..calculus.sharp_features import Place, corners, places

MANY = 256  # turns of one argument
_ROUNDS, _GRID = 14, np.linspace(0.0, 1.0, 17)  # each round narrows a bracket to an eighth
_NEARER = 0.5 ** np.arange(1, 48)  # parts of the way from a turn to its neighbours

Function = Callable[[np.ndarray], np.ndarray]  # times (N,) -> values (N,)


class Argument(NamedTuple):
    """An argument along a curve, and where it matters."""

    place: Place
    along: Function

    @classmethod
    def of(
        cls, outputs: Sequence[Node], states: Iterable[str], along: Callable[[Node], Function]
    ) -> tuple[Argument, ...]:
        """Those of the outputs."""
        found = [*places(outputs, [*states]), *(Place(c, True) for c in corners(outputs))]
        return tuple(cls(place, along(place.argument)) for place in found)

    def near(self, t: np.ndarray) -> tuple[np.ndarray, int]:
        """Times at and beside its turns and zeros, and how many of these were not looked at; t (T,) are the points."""
        values = self.along(t)
        if not np.isfinite(values).all():
            return np.empty(0), 0
        rising, signs = np.sign(np.diff(values)), np.sign(values)
        turned = np.flatnonzero(np.diff(rising) != 0) + 1
        crossed = np.flatnonzero(np.diff(signs) != 0)
        # a bracket, and what is largest at its turn: +-a, or -|a| where it changes its sign
        a = np.r_[turned - 1, crossed]
        b = np.minimum(np.r_[turned + 1, crossed + 1], len(t) - 1)
        way = np.r_[rising[turned - 1], np.zeros(len(crossed))]
        inside = np.column_stack([values[a], values[np.minimum(a + 1, b)], values[b]])
        wide = self.place.wide(inside)
        a, b, way = a[wide], b[wide], way[wide]
        chosen = slice(0, MANY)
        return self._beside(t[a[chosen]], t[b[chosen]], way[chosen]), max(len(a) - MANY, 0)

    def _beside(self, a: np.ndarray, b: np.ndarray, way: np.ndarray) -> np.ndarray:
        first, last = a, b
        for _ in range(_ROUNDS):
            grid = a[:, None] + (b - a)[:, None] * _GRID
            values = self.along(grid.ravel()).reshape(grid.shape)
            score = np.where(way[:, None] == 0, -np.abs(values), way[:, None] * values)
            best = np.nan_to_num(score, nan=-np.inf).argmax(axis=1)
            rows = np.arange(len(a))
            a, b = grid[rows, np.maximum(best - 1, 0)], grid[rows, np.minimum(best + 1, len(_GRID) - 1)]
        turn = ((a + b) / 2)[:, None]
        return np.concatenate(
            [
                x.ravel()
                for x in (turn, turn + (first[:, None] - turn) * _NEARER, turn + (last[:, None] - turn) * _NEARER)
            ]
        )
