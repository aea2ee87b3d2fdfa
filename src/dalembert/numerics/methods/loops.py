"""What the compiled loops of all methods share: how they are compiled, where a step ends, whether numbers are sound."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numba import njit

from .stepping import END, NONFINITE, RANK

OPTIONS = {"error_model": "numpy", "fastmath": {"contract"}, "nogil": True}
part = njit(**OPTIONS, no_cpython_wrapper=True, no_cfunc_wrapper=True)  # of a loop, never called from Python
# of a loop, for functions with one caller: LLVM optimises a function anew for every caller of its callers
inlined = njit(**OPTIONS, inline="always")

FAILED = 0.25  # factor to the step size where a step cannot be judged


class Buffers(NamedTuple):
    """Room for new steps: times (c,), states (c, n), dense output (c, ...)."""

    times: np.ndarray
    states: np.ndarray
    coefficients: np.ndarray


@part
def copy(source: np.ndarray, target: np.ndarray) -> None:
    """target = source; an assignment to a slice would compile its error messages too."""
    for i in range(len(source)):
        target[i] = source[i]


@part
def health(values: np.ndarray, margin: float, limit: float) -> int:
    """END where the values are finite and the margin is above its limit, else RANK or NONFINITE."""
    if margin <= limit:
        return RANK
    for value in values:
        if not math.isfinite(value):
            return NONFINITE
    return END


@part
def next_time(t: float, planned: float, t_end: float) -> float:
    """The last step goes exactly to the end, and is stretched by 1 % rather than followed by a tiny one."""
    return t_end if abs(t_end - t) <= 1.01 * planned else t + math.copysign(planned, t_end - t)


@part
def vanishes(h: float, t: float) -> bool:
    """Is a step too small to be told from the rounding of the time?"""
    return abs(h) < 10 * np.spacing(abs(t))
