"""How far two configurations are apart, without units and without a metric.

d_i = q'_i - q_i                        each column; angles brought to (-pi, pi]; quaternions q' with the sign
                                        for which q' . q >= 0
distance = max_i |d_i| / size_i
size_i = the range of coordinate i over all motions (an angle's at most 2 pi; one common size for the entries of a
         rotation), or the largest |u_i| of a velocity; at least 1e-4 of the start's size or of 1, whichever is
         smaller
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import sympy as sp

from ..trajectory import Trajectory

STILL = 1e-4  # of the start's size: a column that moves less than this is measured against this


@dataclass(frozen=True, eq=False)
class Ruler:
    """What is compared, and what it is measured against.

    Attributes:
        columns: k names.
        sizes: (k,).
        angles: (k,), which columns are angles.
        quaternions: positions of the columns of each unit quaternion.
    """

    columns: tuple[str, ...]
    sizes: np.ndarray
    angles: np.ndarray
    quaternions: tuple[list[int], ...]

    @classmethod
    def of(
        cls, space: Any, start: Mapping[str, float], tables: Sequence[np.ndarray], columns: tuple[str, ...]
    ) -> Ruler:
        """The ruler for motions given as tables (N, k) of the columns."""
        place = {name: i for i, name in enumerate(columns)}
        rotations = [[place[s.name] for s in attitude.coordinates] for attitude in space.attitudes.values()]
        angles = np.array([name in space.angles for name in columns])
        fast = np.array([name in {u.name for u in space.velocities} for name in columns])
        # size_i = max - min over all motions; max |u_i|
        every = np.vstack(tables)
        size = np.where(fast, np.abs(every).max(axis=0), np.ptp(every, axis=0))
        size = np.where(angles, np.minimum(size, 2 * np.pi), size)
        for group in rotations:
            size[group] = size[group].max()
        floor = STILL * min(1.0, max(abs(start[name]) for name in space.by_name) or 1.0)
        return cls(columns, np.maximum(size, floor), angles, tuple(g for g in rotations if len(g) == 4))

    def difference(self, one: np.ndarray, other: np.ndarray) -> np.ndarray:
        """other - one, (N, k)."""
        other = other.copy()
        for group in self.quaternions:
            opposite = np.sum(one[:, group] * other[:, group], axis=1) < 0
            other[np.ix_(opposite, group)] *= -1
        d = other - one
        turned = np.pi - (np.pi - d) % (2 * np.pi)
        return np.where(self.angles, turned, d)

    def distance(self, difference: np.ndarray) -> np.ndarray:
        """max_i |d_i|/size_i, (N,)."""
        # distance = max_i |d_i| / size_i
        return np.asarray((np.abs(difference) / self.sizes).max(axis=-1))


def visible_columns(space: Any, start: Mapping[str, float], parameters: Mapping[str, float]) -> tuple[str, ...]:
    """The coordinates; and the velocities, where some of them move no coordinate (the spin of a direction)."""
    names = tuple(q.name for q in space.coordinates)
    here = {s: sp.Float({**parameters, **start}[s.name]) for s in space.frame.letters}
    E = np.array(space.anchor.xreplace(here).tolist(), float)
    hidden = np.linalg.matrix_rank(E) < len(space.velocities) if names else True
    return (*names, *(u.name for u in space.velocities)) if hidden else names


def table(path: Trajectory, t: np.ndarray, columns: Sequence[str]) -> np.ndarray:
    """The columns at times, (N, k)."""
    at = path.at(t)
    return np.column_stack([at[name] for name in columns])
