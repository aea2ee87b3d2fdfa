"""Where pivots are chosen, what is of unit length, and how speeds are called."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import sympy as sp

from ...model.system import System
from ..classical import random_state
from .allowed import Allowed

_STATES = 6  # random states at which pivots are chosen where none is given


def named(allowed: Allowed, fresh: Sequence[str]) -> list[str]:
    """A speed that is a velocity has its name."""
    return [s.key[1] if s in allowed.motion.u else name for s, name in zip(allowed.s, fresh, strict=False)]


def random_states(system: System) -> list[dict[str, float]]:
    """Values of all symbols at a few states, the same each time."""
    rng = np.random.default_rng(0)
    return [random_state(system, rng) for _ in range(_STATES)]


def unit_vectors(system: System) -> list[tuple[str, ...]]:
    """Coordinates whose squares sum to 1."""
    found: list[tuple[str, ...]] = []
    for relation in system.space.embedding:
        members = sorted(relation.free_symbols, key=str)
        apart = all(s.name not in vector for s in members for vector in found)
        if apart and sp.expand(relation + 1 - sum(s**2 for s in members)) == 0:
            found.append(tuple(s.name for s in members))
    return found
