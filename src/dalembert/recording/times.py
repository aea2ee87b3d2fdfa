"""Times: which column they are in, that they rise, and each once (E543, E544, E545)."""

from __future__ import annotations

from typing import TypeVar

import numpy as np

from ..errors import InvalidValue, UnknownName, as_given, did_you_mean
from ..errors.remedies import Option
from ..given import name as name_of
from .draft import Draft

V = TypeVar("V")


def named(draft: Draft, time: str | None) -> str | None:
    """The column of times (UnknownName E317 if it is not there); a column ``time`` becomes ``t``."""
    if time is None or (time := name_of(time, "time")) in draft.values:
        return time
    close = [name for name in draft.values if name.lower() == "time"]
    if time == "t" and len(close) == 1:
        draft.values = _called_t(draft.values, close[0])
        draft.units = _called_t(draft.units, close[0])
        draft.old = _called_t(draft.old, close[0])
        draft.done.append(f"column {close[0]} called t")
        return "t"
    remedy = (
        f"{did_you_mean(time, draft.values)}\n",
        Option("read.time", "NAME"),
        ", or in Python time=None if there are no times",
    )
    raise UnknownName("E317", f"{draft.name} has no column of times {as_given(time)}", remedy, subject=("read", "time"))


def _called_t(part: dict[str, V], name: str) -> dict[str, V]:
    return {"t" if k == name else k: v for k, v in part.items()}


def ordered(draft: Draft, clock: str, sort: bool) -> None:
    """Rows in order of time.

    Raises:
        InvalidValue: E543 a time is missing, E544 they do not rise, E545 one stands twice.
    """
    t = draft.values[clock]
    for row in np.flatnonzero(np.isnan(t))[:1]:
        fact = f"the time is missing in {draft.told(row)}"
        raise InvalidValue("E543", fact, "give the time, or leave the row out").at(draft.where(row, clock))
    falls = np.flatnonzero(np.diff(t) < 0)
    if len(falls) and not sort:
        row = int(falls[0]) + 1
        fact = f"time falls from {t[row - 1]:.9g} to {t[row]:.9g} s in {draft.told(row)}"
        more = f" and {len(falls) - 1} times more" if len(falls) > 1 else ""
        raise InvalidValue("E544", fact + more, ("put the rows in order: ", Option("read.sort", True))).at(
            draft.where(row, clock)
        )
    if len(falls):
        _sorted(draft, np.argsort(t, kind="stable"))
        draft.done.append(f"sorted by {clock}")
    _check_once(draft, clock)


def _sorted(draft: Draft, order: np.ndarray) -> None:
    draft.values = {name: column[order] for name, column in draft.values.items()}
    draft.sigma = {name: column[order] if np.ndim(column) else column for name, column in draft.sigma.items()}
    draft.rows = draft.rows[order]


def _check_once(draft: Draft, clock: str) -> None:
    t = draft.values[clock]
    for row in np.flatnonzero(np.diff(t) == 0)[:1]:
        first, second = draft.told(row), draft.told(row + 1)
        fact = f"the time {t[row]:.9g} s stands twice: {first} and {second}"
        remedy = f"leave out {first} or {second}, or give the times with more digits"
        raise InvalidValue("E545", fact, remedy).at(draft.where(row + 1, clock))
