"""Zeros of a function that stops being a number on the way: sqrt(x) - 0.1 is 0 before x is."""

from __future__ import annotations

import numpy as np

from .roots import MOST, Function, UndefinedFunction, Zeros, zeros

_BISECTIONS = 80  # more than the digits of a time
_AGAIN = 8  # times the function may end earlier than was seen before


def up_to_edge(g: Function, times: np.ndarray, noise: np.ndarray, most: int = MOST) -> tuple[Zeros, float]:
    """The zeros of `roots.zeros` as far as g is finite on consecutive rising steps, and the last time at which it is
    (infinity where it is finite everywhere).

    Args:
        g, times, noise, most: as of `roots.zeros`; noise is one for each step (N,).
    """
    edge = np.inf
    for _ in range(_AGAIN):
        try:
            return zeros(g, times, noise, most), edge
        except UndefinedFunction as error:
            edge = _last_finite(g, float(times[0]), error.time)
            kept = max(int(np.searchsorted(times, edge, side="left")), 1)
            times, noise = np.r_[times[:kept], edge], noise[:kept]
            if edge <= times[0]:
                break
    nothing = zeros(g, times[:1], noise[:0])
    return nothing, float(times[0])


def _last_finite(g: Function, a: float, b: float) -> float:
    """The last time before b, where g is not finite, up to which it is; a where it is nowhere."""
    if not np.isfinite(g(np.array([a]))[0]):
        return a
    for _ in range(_BISECTIONS):
        middle = a + (b - a) / 2
        if not a < middle < b:
            break
        a, b = (middle, b) if np.isfinite(g(np.array([middle]))[0]) else (a, middle)
    return a
