"""The least and the greatest value of columns, between the samples too."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

INSIDE, FEW = 4, 4000  # points between two samples, and the samples up to which there are any
AROUND, ROUNDS = 17, 3  # points about an extreme value, from one of its neighbours to the other, and how often


def extremes(
    t: np.ndarray, values: np.ndarray, dense: Callable[[np.ndarray], np.ndarray]
) -> tuple[np.ndarray, np.ndarray]:
    """The least and the greatest value (c,) of columns with samples (N, c), of which `dense` knows what lies between.

    Points about each extreme value are taken ever closer, to about 1e-7 of how far a column goes in one step.
    """
    low, high = np.fmin.reduce(values), np.fmax.reduce(values)
    count = values.shape[1]
    times = _between(np.sort(t)) if len(t) <= FEW else np.sort(t)
    if len(times) < 2 or times[0] == times[-1]:
        return low, high
    table = dense(times)[:, :count]
    near = [(times, table[:, i] * sign) for sign in (1, -1) for i in range(count)]
    for _ in range(ROUNDS):
        windows = [np.linspace(*_neighbours(at, column), AROUND) for at, column in near]
        rows = dense(np.concatenate(windows))[:, :count].reshape(len(near), AROUND, count)
        seen = [(1 - 2 * (k // count)) * rows[k, :, k % count] for k in range(len(near))]
        near = list(zip(windows, seen, strict=True))
    least = np.array([np.fmin.reduce(column) for _, column in near])
    return np.fmin(low, least[:count]), np.fmax(high, -least[count:])


def _between(t: np.ndarray) -> np.ndarray:
    """Samples, and points between them."""
    parts = t[:-1, None] + np.arange(INSIDE + 1) / (INSIDE + 1) * np.diff(t)[:, None]
    return np.append(parts.ravel(), t[-1])


def _neighbours(at: np.ndarray, column: np.ndarray) -> tuple[float, float]:
    """The times beside that of the least value."""
    k = int(np.argmin(np.where(np.isnan(column), np.inf, column)))
    return float(at[max(k - 1, 0)]), float(at[min(k + 1, len(at) - 1)])
