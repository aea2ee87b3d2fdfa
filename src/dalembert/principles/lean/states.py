"""Where pivots are chosen, and how speeds are called."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

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
