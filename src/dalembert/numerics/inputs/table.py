"""Tables: values of an input at times, held between them or joined."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike

from ...calculus.dimension import Dimension
from ...errors import InvalidValue, UnknownName, WrongType, as_given, did_you_mean
from ...errors.remedies import Call, Option
from ...given import public

SMOOTH = {"hold": -1, "linear": 0, "cubic": 2}  # how many derivatives go on through a time of the table
_TWO = Call("inputs.tabulated", "[0, 1, 2], [0.1, 0.3, 0.2]")


@dataclass(frozen=True, eq=False)
class Table:
    """Values of an input at times.

    Attributes:
        times: rising (K,).
        values: at these times (K,).
        kind: ``"hold"``, ``"linear"`` or ``"cubic"``.
        dimension: of the values, where a unit was written beside them.
    """

    times: np.ndarray
    values: np.ndarray
    kind: str = "hold"
    dimension: Dimension | None = None
    changes: ClassVar[bool] = True  # it is no one value

    @property
    def ends(self) -> tuple[float, float]:
        """From when to when it says something: the last value is held for as long as the one before it."""
        more = self.times[-1] - self.times[-2] if self.kind == "hold" else 0.0
        return float(self.times[0]), float(self.times[-1] + more)

    @property
    def pieces(self) -> np.ndarray:
        """c_k with  w = c_k0 + c_k1 (t - t_k) + c_k2 (t - t_k)^2 + ...  from t_k on, (pieces, 1, 2 or 4)."""
        if self.kind == "hold":
            return self.values[:, None]
        if self.kind == "linear":
            return np.column_stack([self.values[:-1], np.diff(self.values) / np.diff(self.times)])
        from scipy.interpolate import CubicSpline

        return np.asarray(CubicSpline(self.times, self.values).c[::-1].T)


@runtime_checkable
class Kept(Protocol):
    """What becomes a table when a run begins, such as a column of a file."""

    def table(self) -> Table:
        """The table."""


@public
def tabulated(times: ArrayLike, values: ArrayLike, kind: str = "hold") -> Table:
    """Values of an input at times.

    A pair ``(times, values)`` among the inputs of a run is the same with ``kind="hold"``, and so is a mapping
    ``{"times": ..., "values": ...}``, or three rows or more of a time and a value. Columns of a record are given as
    ``da.inputs.tabulated(record.t, record["tau"], "linear")``.

    Args:
        times: at least two that rise, (K,).
        values: the input's values at these times, in base SI, (K,).
        kind: ``"hold"`` keeps each value until the next time, and the last one for as long as the one before it;
            ``"linear"`` joins them by lines, ``"cubic"`` by a spline with two derivatives.

    Raises:
        WrongType: E182, these are not numbers, or `kind` is no text.
        InvalidValue: E182, times and values are not of one length, at least 2, finite and the times rising.
        UnknownName: E182, another kind.
    """
    t, w = _numbers(times, "times"), _numbers(values, "values")
    if len(t) != len(w) or len(t) < 2:
        raise InvalidValue("E182", f"a table of {len(t)} times has {len(w)} values", ("as many, two at least: ", _TWO))
    if np.any(np.diff(t) <= 0):
        k = int(np.argmax(np.diff(t) <= 0))
        raise InvalidValue("E182", f"the times of a table rise; after {t[k]:g} comes {t[k + 1]:g}", "sort the rows")
    if not isinstance(kind, str):
        raise WrongType("E182", f"kind = {as_given(kind)} is no text", Option("kind", "linear"))
    if kind not in SMOOTH:
        raise InvalidValue("E182", f"there is no kind of table {as_given(kind)}", did_you_mean(kind, SMOOTH))
    return Table(t, w, kind)


def _numbers(given: ArrayLike, what: str) -> np.ndarray:
    """Finite numbers in a row."""
    try:
        found = np.asarray(given)
    except ValueError:  # ragged
        found = np.empty((0, 0))
    if found.dtype.kind not in "iuf" or found.ndim != 1:
        raise WrongType("E182", f"the {what} of a table are a list of numbers, not {as_given(given)}", _TWO)
    numbers = found.astype(float)
    if not np.isfinite(numbers).all():
        k = int(np.argmin(np.isfinite(numbers)))
        raise InvalidValue("E182", f"the {what} of a table are finite, number {k} is {numbers[k]}", "leave the row out")
    return numbers


def is_table(given: object) -> bool:
    """Is it one of the forms that a table of an input is written in?"""
    rows = isinstance(given, np.ndarray) and given.ndim == 2
    return rows or isinstance(given, Table | Kept | tuple | list | Mapping)


def as_table(given: Any) -> Table:
    """``(times, values)`` or ``(times, values, kind)``, these by name, or three rows or more of a time and a value.

    Raises:
        WrongType, UnknownName: E182 as of `tabulated`.
        InvalidValue: E182, it is no table, or two rows of two that are a table of either reading.
    """
    if isinstance(given, Table):
        return given
    if isinstance(given, Kept):
        return given.table()
    if isinstance(given, Mapping):
        return _by_name(given)
    shape = _shape(given)
    if shape == (2, 2):
        _check_two_by_two(given)
    if len(shape) == 2 and shape[0] > 2 and shape[1] == 2:
        return tabulated(*np.asarray(given).T)
    if len(given) not in (2, 3):
        raise InvalidValue("E182", f"a table is (times, values), not {len(given)} things", _TWO)
    return tabulated(*given)


def _by_name(given: Mapping[str, Any]) -> Table:
    """As files have it: times, values and kind."""
    names = ("times", "values", "kind")
    for name in given:
        if name not in names:
            raise UnknownName("E182", f"a table has no {as_given(name)}", did_you_mean(str(name), names))
    missing = [name for name in names[:2] if name not in given]
    if missing:
        raise InvalidValue("E182", f"a table without {' and '.join(missing)}", _TWO)
    return tabulated(**given)


def _shape(given: Any) -> tuple[int, ...]:
    """Of an array of numbers; () of all else."""
    try:
        found = np.asarray(given)
    except ValueError:  # ragged
        return ()
    return found.shape if found.dtype.kind in "iuf" else ()


def _check_two_by_two(given: Any) -> None:
    """E182: two rows of two are a table of either reading; in a pair of lists or arrays each is meant as a whole."""
    if isinstance(given, tuple) and not all(isinstance(row, tuple) for row in given):
        return
    (a, b), (c, d) = np.asarray(given).tolist()
    if a < b and a < c:  # else only one of them rises
        fact = f"{as_given(given)} is a table of times {a:g}, {b:g} and values {c:g}, {d:g}"
        also = f", and as well one of the rows t = {a:g}, {b:g} and t = {c:g}, {d:g}"
        ways = (Call("inputs.tabulated", f"[{a:g}, {b:g}], [{c:g}, {d:g}]"), " or ")
        raise InvalidValue("E182", fact + also, (*ways, Call("inputs.tabulated", f"[{a:g}, {c:g}], [{b:g}, {d:g}]")))
    if a < c:
        fact = f"the times of a table rise; after {a:g} comes {b:g}"
        rows = Call("inputs.tabulated", f"[{a:g}, {c:g}], [{b:g}, {d:g}]")
        raise InvalidValue("E182", fact, ("if these are rows of a time and a value: ", rows))
