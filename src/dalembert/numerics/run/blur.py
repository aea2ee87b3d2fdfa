"""How much of an energy's change is rounding: of its own evaluation, and of the states that steps add up.

Where the energy changes by little beside its terms (a weak spring, a large constant in a potential), what no work
accounts for is a rounding of these terms, and says nothing about the motion.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import ArrayLike

from ...calculus.graph import Node
from ...calculus.rounding import sizes

_UNIT = 2.0**-52
_ROUNDINGS = 2.0  # of the energy's size, by the root of the number of steps


def blur(energy: Node, values: Mapping[str, ArrayLike], steps: int) -> float:
    """What the change of the energy may be off by rounding alone.

    Args:
        energy: the energy as it is evaluated.
        values: numbers or arrays along the path by symbol.
        steps: how many were made; each adds a rounding of the states, and these go both ways.
    """
    with np.errstate(all="ignore"):
        size = float(np.max(sizes(energy, values), initial=0.0))
    return float(roundings(steps)) * size if np.isfinite(size) else 0.0


def roundings(steps: int | np.ndarray) -> np.ndarray:
    """What the change of a quantity may be off after so many steps, over its size."""
    # |dE| <= 2 eps sqrt(1 + N) max size(E),    size(y) = |y| + sum |dy/dx| size(x)
    return np.asarray(_ROUNDINGS * _UNIT * np.sqrt(1.0 + np.asarray(steps)))
