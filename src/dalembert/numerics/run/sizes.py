"""How large each state is, measured beside its kind."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from ...equations import Equations

_SMALLEST = 1e-6  # of the largest of its kind: no state is measured by less


def beside_their_kind(equations: Equations, size: np.ndarray) -> np.ndarray:
    """Sizes of all states (n,), none below a part of the largest position, velocity or multiplier."""
    space, whole = equations.space, size.copy()
    n = len(space.coordinates)
    for first, end in pairwise((0, n, n + len(space.velocities), len(size))):
        np.maximum(size[first:end], _SMALLEST * size[first:end].max(initial=0.0), out=whole[first:end])
    return whole
