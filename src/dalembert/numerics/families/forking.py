"""From one branch of steady motions onto the other through a branch point.

There the rows of the branch lose a rank: dR w = 0 across the tangent too. The steady motion at a distance in the
direction w is solved for, with the parameter free. Where an eigenvalue passes 0 and the rows keep their rank, no other
branch goes through: the linearised motion A has a Jordan block there, so that along some v of the family, A v = 0, what
is conserved stands still, l v = 0 for all l A = 0. Motions of the family on either side then have the same of it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...errors import InvalidValue
from ..steady import ROUNDING, Steady, steady_at
from .standing import Standing
from .walk import away, leaving

LOST = 1e-5  # a singular value below this part of the largest is 0: points are located to about 1e-8


class Fork(NamedTuple):
    """A special point of a branch: scaled unknowns and tangent."""

    standing: Standing
    x: np.ndarray
    tangent: np.ndarray

    @property
    def parts(self) -> bool:
        """Do the rows lose a rank, so that another branch goes through?"""
        rows = [self.standing.slopes(self.x), self.standing.across(self.x)[0], self.tangent]
        s = np.linalg.svd(np.vstack(rows), compute_uv=False)
        return bool(s[-1] < LOST * s[0])


def other_branch(fork: Fork, size: float) -> Steady:
    """The steady motion at a distance, with the value of the parameter there."""
    if not size:
        raise InvalidValue("E241", "size = 0 stays on the branch", "size=0.01")
    standing = fork.standing
    if not fork.parts:
        value = standing.at(fork.x)[1]
        fact = f"an eigenvalue passes 0 at {standing.name} = {value:.6g}, and no other branch goes through"
        raise InvalidValue("E244", fact, "another place in special; the branch itself goes on there")
    found = away(standing, fork.x, leaving(standing, fork.x, fork.tangent), size)
    if found is None:
        fact = f"no motion of another branch is reached at a distance of {size:g}"
        raise InvalidValue("E244", fact, "another size, of either sign")
    y, _ = standing.at(found)
    y = np.where(np.abs(y) < ROUNDING * np.abs(standing.size[:-1]), 0.0, y)
    return steady_at(standing.equations, standing.work, y)
