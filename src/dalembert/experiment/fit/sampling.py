"""Does a record see how often the motion turns? At even intervals h a motion is seen as others are, too (aliasing).

    cos(2 pi f t)  and  cos(2 pi (n/h - f) t)  are equal at all  t = k h

A motion that turns back between almost any two rows, twice a turn of f = 1/(2h), may be any of these.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from ...findings.fit import Fit
from ...trajectory import Trajectory
from .data import Data
from .model import Model, NoMotion, is_function

OFTEN = 0.9  # turns back between two rows, in the mean
FEWEST, MOST, FINE = 8, 200, 64  # rows that are judged, and places looked at between two
EVEN = 0.1  # of an interval: times that are off an even step by more tell such motions apart
SWING = 0.1  # of a column's range: smaller turns are not counted


def hardly_seen(fit: Fit, model: Model) -> Iterator[tuple[str, float, float]]:
    """(column, its turns back between two rows, the interval h) of each column that is seen twice a turn or less."""
    for i, name in enumerate(fit.columns):
        t = np.unique(fit.t[fit.column == i])[: MOST + 1]
        if is_function(model.columns[i]) or len(t) < FEWEST or not _even(t):
            continue
        h = float(np.median(np.diff(t)))
        inside = np.linspace(t[0], t[-1], FINE * (len(t) - 1) + 1)
        # one end of the two may be a turn that is not seen as one
        often = (_turns(_shown(model, fit.path, fit.theta, i, inside)) + 0.5) / (len(t) - 1)
        if often >= OFTEN:
            yield name, often, h


def _even(t: np.ndarray) -> bool:
    """Are the times on a grid of one step?"""
    h = float(np.median(np.diff(t)))
    places = (t - t[0]) / h
    return bool(np.isfinite(t).all() and np.abs(places - np.round(places)).max() < EVEN)


def _shown(model: Model, path: Trajectory, theta: np.ndarray, column: int, t: np.ndarray) -> np.ndarray:
    """One column along the motion of the fit, nothing where it is not kept between its rows."""
    t = t[(t >= path.t[0]) & (t <= path.t[-1])]
    nothing, rows = np.zeros(len(t)), np.arange(len(t))
    points = Data(model.data.names[column : column + 1], t, nothing, np.zeros(len(t), int), rows, nothing, (len(t),))
    one = replace(model, columns=(model.columns[column],)).on(data=points)
    try:
        return one.seen_on(path, theta)
    except NoMotion:
        return nothing


def _turns(x: np.ndarray) -> int:
    """How often numbers turn back by more than a small part of their range."""
    least = SWING * float(np.ptp(x)) if len(x) else 0.0
    if not least > 0:
        return 0
    way, far, turns = 0, x[0], 0
    for value in x[1:]:
        if way * (value - far) > 0 or (not way and abs(value - far) > least):
            way, far = way or (1 if value > far else -1), value
        elif way and way * (far - value) > least:
            way, far, turns = -way, value, turns + 1
    return turns
