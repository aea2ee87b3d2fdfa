"""A path's columns as a figure needs them: enough points for smooth curves, and no peak lost between them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...errors import DalembertError
from ...trajectory import Trajectory

SMOOTH, PER_STEP, MOST = 600, 8, 6000  # points of a path at least, per step, at most
SHOWN = 300  # spans of time of which the lowest and the highest value are drawn


@dataclass(frozen=True)
class SampledPath:
    """Times (N,) and columns ``{name: (N,)}`` of a path, densely."""

    t: np.ndarray
    columns: dict[str, np.ndarray]

    @staticmethod
    def of(path: Trajectory) -> SampledPath:
        """By dense output where the path has it; else its samples."""
        stored = dict(zip(path.names, path.values.T, strict=True))
        if len(path) < 2 or not path.t[-1] > path.t[0]:
            return SampledPath(path.t, stored)
        t = np.linspace(path.t[0], path.t[-1], int(np.clip(PER_STEP * max(path.audit.steps, len(path)), SMOOTH, MOST)))
        try:
            found = path.at(t)
        except (DalembertError, ValueError, IndexError):  # only the samples were kept
            return SampledPath(path.t, stored)
        if any(name not in found for name in path.names):  # stored by an early version: states alone
            return SampledPath(path.t, stored)
        return SampledPath(t, {name: np.asarray(found[name], float) for name in path.names})

    def over_time(self, name: str) -> tuple[np.ndarray, np.ndarray]:
        """t and a column, thinned."""
        return thinned(self.t, self.columns[name])


def thinned(t: np.ndarray, v: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """At most 2 `SHOWN` points: of each span of time the lowest and the highest value, in their order."""
    if len(t) <= 2 * SHOWN:
        return t, v
    finite = np.where(np.isfinite(v), v, 0.0)
    kept = {0, len(t) - 1, *np.flatnonzero(~np.isfinite(v)).tolist()[:SHOWN]}
    for part in np.array_split(np.arange(len(t)), SHOWN):
        kept |= {int(part[finite[part].argmin()]), int(part[finite[part].argmax()])}
    order = sorted(kept)
    return t[order], v[order]
