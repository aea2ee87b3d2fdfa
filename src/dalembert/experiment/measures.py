"""Measures of a path: crossings of a ray, period, amplitudes."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..errors import InvalidValue
from ..trajectory import Marks, Trajectory


def crossings(path: Trajectory, event: str) -> Marks:
    """Times and states at which an event happened.

    Raises:
        InvalidValue: E318, the run watched no such event.
    """
    if event not in path.marks:
        raise InvalidValue(
            "E318", f"the run watched no event {event!r}", f"simulate(..., events=[da.Event({event!r}, ...)])"
        )
    return path.marks[event]


def period(path: Trajectory, event: str, count: int | None = None) -> float:
    """Mean time between crossings, the start counting as the first.

    Args:
        path: a run that began on the crossing, watched as an event.
        event: name of the event.
        count: how many crossings to average over at most; all of them by default.

    Returns:
        The mean, NaN without a crossing.
    """
    t = crossings(path, event).t[:count]
    return float((t[-1] - path.t[0]) / len(t)) if len(t) else float("nan")


def amplitudes(path: Trajectory, event: str, column: str, count: int | None = None) -> np.ndarray[Any, Any]:
    """Changes of a column from crossing to crossing, the start being the first: x_i - x_(i-1)."""
    x = np.r_[path[column][0], crossings(path, event)[column][:count]]
    return np.diff(x)
