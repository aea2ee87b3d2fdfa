"""The steps of a path: the times between which it is one smooth piece each, and polynomials on them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from .interpolant import Interpolant
from .tabulated import DEGREE, tabulated

if TYPE_CHECKING:
    from . import Trajectory


def steps_of(path: Trajectory) -> Interpolant:
    """The path as polynomials on steps, all columns."""
    dense = path.dense
    return dense if isinstance(dense, Interpolant) else tabulated(dense, knots(path), _degree(path))


def knots(path: Trajectory) -> np.ndarray:
    """The times between which the path is one smooth piece each, as far as it is known between its samples."""
    known = getattr(path.dense, "t", path.t)
    return np.asarray(getattr(path.dense, "knots", known), float)  # where the dense output adds columns to its path


def _degree(path: Trajectory) -> int:
    """The degree of its polynomials, where it is known and higher than usual."""
    return max(DEGREE, int(getattr(path.dense, "degree", DEGREE)))
