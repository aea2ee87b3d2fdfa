"""From one branch of steady motions onto the other through a branch point.

There the rows of the branch lose a rank: dR w = 0 across the tangent too. The steady motion at a distance in the
direction w is solved for, with the parameter free.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...errors import InvalidValue
from ..steady import Steady
from .standing import Standing
from .walk import away, leaving


class Fork(NamedTuple):
    """A special point of a branch: scaled unknowns and tangent."""

    standing: Standing
    x: np.ndarray
    tangent: np.ndarray


def other_branch(fork: Fork, size: float) -> Steady:
    """The steady motion at a distance, with the value of the parameter there."""
    if not size:
        raise InvalidValue("E241", "size = 0 stays on the branch", "size=0.01")
    standing = fork.standing
    found = away(standing, fork.x, leaving(standing, fork.x, fork.tangent), size)
    if found is None:
        fact = f"no motion of another branch is reached at a distance of {size:g}"
        raise InvalidValue("E244", fact, "another size, of either sign")
    y, _ = standing.at(found)
    work = standing.work
    left = float(np.abs(work.residual(y)).max(initial=0.0))
    state = dict(zip(work.names, map(float, y), strict=True))
    return Steady(state, work.eigenvalues(y), left, parameters=dict(work.parameters))
