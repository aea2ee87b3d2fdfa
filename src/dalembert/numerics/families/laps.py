"""What is the same after a lap as before: an angle after full turns, a rotation whose quaternion changed its sign.

    y(T) = s y + 2 pi k ,     k whole numbers for angles, s = -1 for quaternions that came back with the other sign.

q and -q are one rotation, R(q) = R(-q), where the equations do not tell them apart: rates that belong to q change their
sign with it, and all others stay. A quaternion comes back as -q after an odd number of turns.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Self

import numpy as np

from ...calculus.frame import TIME
from ...calculus.graph import evaluate
from .carried import Carried
from .relative import Relative

_SAME, _TRIED, _NEAR = 1e-9, 3, 0.1


@dataclass(frozen=True)
class Lap:
    """How the states differ after a lap, and are the same: full turns k (n,) and signs s (n,)."""

    turns: np.ndarray
    signs: np.ndarray

    def missed(self, end: np.ndarray, start: np.ndarray) -> np.ndarray:
        """What the end, taken with the signs already, misses of the start."""
        return np.asarray(end - start - math.tau * self.turns)

    def __mul__(self, laps: int) -> Self:
        """So many of them."""
        return type(self)(laps * self.turns, self.signs**laps)


class Laps:
    """Which states of some equations come back so.

    Args:
        carried: the equations.
    """

    def __init__(self, carried: Carried | Relative) -> None:
        self.names, angles = carried.work.names, carried.equations.system.angles
        self.angle = np.array([name in angles for name in self.names])
        every = {
            name: np.array([self.names.index(s.name) for s in attitude.coordinates])
            for name, attitude in carried.equations.space.attitudes.items()
            if len(attitude.coordinates) == 4 and {s.name for s in attitude.coordinates} <= {*self.names}
        }
        self.rotations = {name: at for name, at in every.items() if _is_even(carried, at)}

    def nearest(self, end: np.ndarray, start: np.ndarray) -> Lap:
        """The lap (..., n) after which an end is nearest to the start; an element of a group may be left out."""
        angle = self.angle[: end.shape[-1]]
        signs = np.ones_like(end - start)
        for at in self.rotations.values():
            signs[..., at] = np.where((end * start)[..., at].sum(axis=-1, keepdims=True) < 0, -1.0, 1.0)
        return Lap(np.where(angle, np.rint((end - start) / math.tau), 0).astype(int), signs)

    def way(self, end: np.ndarray, start: np.ndarray) -> np.ndarray:
        """From a start to an end (..., n), but for laps."""
        lap = self.nearest(end, start)
        return lap.missed(lap.signs * end, start)

    def told(self, lap: Lap) -> dict[str, int]:
        """Full turns by name; 1 for a rotation stands for an odd number of them."""
        found = {n: k for n, k in zip(self.names, lap.turns.tolist(), strict=True) if k}
        return found | {name: 1 for name, at in self.rotations.items() if lap.signs[at[0]] < 0}

    def of(self, turns: Mapping[str, int]) -> Lap:
        """The lap that was told."""
        signs = np.ones(len(self.names))
        for name, at in self.rotations.items():
            signs[at] = (-1.0) ** turns.get(name, 0)
        return Lap(np.array([turns.get(n, 0) for n in self.names]), signs)


def _is_even(carried: Carried | Relative, at: np.ndarray) -> bool:
    """Do q and -q move alike? Asked at some states about the start."""
    work, random = carried.work, np.random.default_rng(0)
    signs = np.ones(len(work.names))
    signs[at] = -1.0

    def seen(y: np.ndarray, signs: np.ndarray | float) -> np.ndarray:
        """What is the same for both: rates with the signs, whether constraints hold, where surfaces are met."""
        values = {**work.values(y), TIME.name: carried.start.t}
        rates, held = (np.array(evaluate(rows, values), float) for rows in (work.rates, work.held))
        return np.r_[signs * rates, np.abs(held), carried.surfaces(y, carried.start.t)]

    near = [carried.y + _NEAR * random.standard_normal(len(carried.y)) for _ in range(_TRIED)]
    return all(np.allclose(seen(y, 1.0), seen(signs * y, signs), rtol=_SAME, atol=_SAME) for y in near)
