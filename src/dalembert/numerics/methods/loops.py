"""What the loops of all methods share: where a step ends, whether numbers are sound."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from .stepping import END, NONFINITE, RANK

VARIES = 3.0  # times its least value at the places of a step: a margin that was larger may be 0 between them


class Buffers(NamedTuple):
    """Room for new steps: times (c,), states (c, n), dense output (c, ...)."""

    times: np.ndarray
    states: np.ndarray
    coefficients: np.ndarray


def copy(source: np.ndarray, target: np.ndarray) -> None:
    """target = source; an assignment to a slice would compile its error messages too."""
    for i in range(len(source)):
        target[i] = source[i]


def health(values: np.ndarray, margin: float, limit: float) -> int:
    """END where the values are finite and the margin is above its limit, else RANK or NONFINITE."""
    if margin <= limit:
        return RANK
    for value in values:
        if not math.isfinite(value):
            return NONFINITE
    return END


def next_time(t: float, planned: float, t_end: float) -> float:
    """The last step goes exactly to the end, and is stretched by 1 % rather than followed by a tiny one."""
    return t_end if abs(t_end - t) <= 1.01 * planned else t + math.copysign(planned, t_end - t)


def sunk(least: float, most: float) -> float:
    """What a rank margin may have been between the places of a step that it was looked at.

    (t - t0)^2 at two places or more is nowhere larger than 3 times its least only where it is not 0 between them.
    """
    return least if most <= VARIES * least else 0.0


def vanishes(h: float, t: float) -> bool:
    """Is a step too small to be told from the rounding of the time?"""
    return abs(h) < 10 * np.spacing(abs(t))
