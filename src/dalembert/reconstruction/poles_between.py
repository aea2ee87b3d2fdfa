"""Poles of a function between two places: peaks that grow without end as one looks closer."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

Size = Callable[[np.ndarray], np.ndarray]
_PER_UNIT, _FEWEST, _MOST = 64, 64, 8192  # points at first
_CLOSER, _ROUNDS = 32, 9  # points and rounds of a closer look: 16^-9 of the first distance is 1e-11 of it
_GROWS = 1e6  # times what it is at the neighbouring points


def pole_between(size: Size, a: float, b: float) -> float | None:
    """The first place from a to b at which `size` (of many places at once) is infinite, or None."""
    count = int(np.clip(_PER_UNIT * abs(b - a), _FEWEST, _MOST))
    x = np.linspace(a, b, count + 1)
    values = _sizes(size, x)
    peaks = np.flatnonzero((values[1:-1] >= values[:-2]) & (values[1:-1] >= values[2:])) + 1
    for i in [0, *peaks, count]:
        sides = [k for k in (i - 1, i + 1) if 0 <= k <= count]
        place, height = _highest(size, x[max(i - 1, 0)], x[min(i + 1, count)])
        if np.isinf(height) or height > _GROWS * max(1 / abs(b - a), *values[sides]):
            return place
    return None


def _sizes(size: Size, x: np.ndarray) -> np.ndarray:
    return np.where(np.isfinite(found := size(x)), found, np.inf)


def _highest(size: Size, a: float, b: float) -> tuple[float, float]:
    """The highest place in an interval, looked at closer and closer, and the size there."""
    for _ in range(_ROUNDS):
        x = np.linspace(a, b, _CLOSER + 1)
        values = _sizes(size, x)
        i = int(np.argmax(values))
        if np.isinf(values[i]):
            break
        a, b = float(x[max(i - 1, 0)]), float(x[min(i + 1, _CLOSER)])
    return float(x[i]), float(values[i])
