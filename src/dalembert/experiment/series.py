"""Columns of a path or a record as plain arrays, so that one measure serves both."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .. import given
from ..errors import InvalidValue, WrongType, as_given
from ..record import Record
from ..trajectory import Trajectory
from ..trajectory.steps import knots

POINTS = 2000  # of a path at least, at equal distances
_IN_A_STEP, _MOST = 6, 10**6  # and in the mean step, in which a fast motion may turn by half: fewer show a slower one


class Series(NamedTuple):
    """Times (N,), values (N, k) and standard uncertainties (N, k): 0 for a path, NaN where they are not known."""

    t: np.ndarray
    values: np.ndarray
    sigma: np.ndarray

    @property
    def weights(self) -> np.ndarray | None:
        """1/sigma (N, k) if all are known and positive."""
        return 1 / self.sigma if (self.sigma > 0).all() else None

    @property
    def size(self) -> float:
        """Root mean square of the values about their means; 1 if they do not change."""
        off = self.values - self.values.mean(axis=0)
        largest = float(np.abs(off).max(initial=0.0))
        return largest * float(np.sqrt(np.mean((off / largest) ** 2))) if largest > 0 else 1.0


def series(source: Trajectory | Record, columns: object, least: int = 2) -> Series:
    """The rows of a record in which no value is missing, or a path at equal distances in time.

    Raises:
        WrongType: E318, neither a path nor a record.
        UnknownName: E317, no such column.
        InvalidValue: E546, fewer than `least` rows; E307, a column that is named twice.
    """
    names = given.names(columns, "columns")
    if len(set(names)) < len(names):
        raise InvalidValue("E307", f"columns = {as_given(columns)} names one twice", "name each once")
    if isinstance(source, Trajectory):
        [given.one_of(source.names, name, "the path", "column") for name in names]
        found = _of_path(source, names)
    elif isinstance(source, Record):
        [given.one_of(source.names, name, "the record", "column") for name in names]
        found = _of_record(source, names)
    else:
        raise WrongType("E318", f"{as_given(source)} is neither a path nor a record", "da.recorded(...) makes one")
    if len(found.t) < least:
        raise InvalidValue("E546", f"{len(found.t)} rows with values of {', '.join(names)}, {least} are needed", _MORE)
    return found


_MORE = "give a longer part, or columns with fewer gaps"


def _of_path(path: Trajectory, names: tuple[str, ...]) -> Series:
    t = path.t
    values = np.column_stack([path[name] for name in names]) if len(t) else np.empty((0, len(names)))
    if len(t) > 1 and set(names) <= set(path.names[: between(path)]):
        t = np.linspace(path.t[0], path.t[-1], max(POINTS, len(path.t), min(_IN_A_STEP * len(knots(path)), _MOST)))
        every = path.at(t)
        values = np.column_stack([every[name] for name in names])
    return Series(t, values, np.zeros_like(values))


def between(path: Trajectory) -> int:
    """How many columns, the first ones, are known between the samples: none where the path was not kept."""
    return path.dense(path.t[:1]).shape[1] if len(path.t) and len(knots(path)) > 1 else 0


def _of_record(record: Record, names: tuple[str, ...]) -> Series:
    values = np.column_stack([np.asarray(record[name], float) for name in names])
    sigma = np.column_stack([record.sigma(name) for name in names])
    if len(values) != len(record.t):
        fact = f"{', '.join(names)} and the times differ in length"
        raise InvalidValue("E543", fact, "published numbers that are no track have no measures")
    whole = np.isfinite(values).all(axis=1)
    return Series(record.t[whole], values[whole], sigma[whole])
