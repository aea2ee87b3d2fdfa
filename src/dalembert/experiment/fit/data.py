"""What was seen, as one list of numbers: which column and row each is of, and how well it is known."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...errors import InvalidValue, about, as_given
from ...errors.remedies import Option
from ...question import Named
from ...record import Record
from ..names import by_name, check_known

MOST = 1e150  # of a number: its square is one
FAR = 1e100  # of an uncertainty from 1: numbers over their uncertainties are squared and summed


@dataclass(frozen=True, eq=False)
class Data:
    """K numbers of a record.

    Attributes:
        names: columns, c of them.
        t: times of the rows (N,), empty for published numbers without times.
        seen: the numbers (K,).
        column: the column of each (K,).
        row: its row in the column (K,).
        sigma: its standard uncertainty (K,), NaN where that is not known.
        lengths: rows of each column.
    """

    names: tuple[str, ...]
    t: np.ndarray
    seen: np.ndarray
    column: np.ndarray
    row: np.ndarray
    sigma: np.ndarray
    lengths: tuple[int, ...]

    def __len__(self) -> int:
        return len(self.seen)

    @property
    def unknown(self) -> tuple[int, ...]:
        """Columns whose uncertainty is not known."""
        return tuple(i for i in range(len(self.names)) if np.isnan(self.sigma[self.column == i]).any())

    def size(self, column: int) -> float:
        """How far the numbers of a column spread, or how large they are, at least a tiny positive number."""
        x = self.seen[self.column == column]
        return float(np.std(x) or np.abs(x).max(initial=0.0) or 1.0)

    def part(self, chosen: np.ndarray) -> Data:
        """Some of the numbers (a mask (K,)); rows keep their places."""
        cut = {k: getattr(self, k)[chosen] for k in ("seen", "column", "row", "sigma")}
        return Data(self.names, self.t, lengths=self.lengths, **cut)


def data(record: Record, names: Sequence[str], uncertainty: Named) -> Data:
    """The numbers of some columns, gaps left out.

    Raises:
        UnknownName: E317 a column that is not there; E553 an uncertainty of one that is not fitted.
        InvalidValue: E553 an uncertainty that is not positive; E554 no numbers, or the column of times.
    """
    given = _uncertainty(uncertainty, names)
    columns = [_column(record, name) for name in names]
    if record.time in names:
        raise InvalidValue(
            "E554",
            f"{record.time} is the column of times",
            "leave it out of columns",
            subject=("fit", "columns", record.time),
        )
    sigmas = [
        _spread(n, given[n] if n in given else record.uncertainty.get(n, math.nan), x)
        for n, x in zip(names, columns, strict=True)
    ]
    for name, sigma in zip(names, sigmas, strict=True):
        wrong = (sigma <= 1 / FAR) | (sigma >= FAR) | (np.isnan(sigma) & (name in given))
        if wrong.any():
            fact = f"an uncertainty of {name} is {sigma[wrong][0]:g}"
            raise InvalidValue(
                "E553",
                fact,
                "standard uncertainties are positive and no further from 1 than 1e100; "
                "leave them out to have them estimated",
                subject=("fit", "uncertainty", name),
            )
    for name, x in zip(names, columns, strict=True):
        _check_size(name, x)
    whole = [np.flatnonzero(np.isfinite(x)) for x in columns]
    if not sum(map(len, whole)):
        raise InvalidValue("E554", "there are no numbers to fit", (Option("columns"), " names those that hold some"))
    return Data(
        tuple(names),
        record.t if record.time in record.columns else np.empty(0),
        np.concatenate([x[w] for x, w in zip(columns, whole, strict=True)]),
        np.concatenate([np.full(len(w), i) for i, w in enumerate(whole)]),
        np.concatenate(whole),
        np.concatenate([s[w] for s, w in zip(sigmas, whole, strict=True)]),
        tuple(map(len, columns)),
    )


def _check_size(name: str, column: np.ndarray) -> None:
    """E554: a number whose square, which is to be least, is beyond the largest float."""
    size = np.abs(column)
    if (size > MOST).any():
        fact = f"{name} holds {size[size > MOST][0]:g}, and its square is beyond the largest number"
        remedy = "leave the row out if it is a mistake, or give the column in another unit"
        raise InvalidValue("E554", fact, remedy, subject=("fit", "columns", name))


def _column(record: Record, name: str) -> np.ndarray:
    with about("fit", "columns", name):
        return np.atleast_1d(np.asarray(record[name], float))


def _spread(name: str, given: Any, column: np.ndarray) -> np.ndarray:
    """Standard uncertainties of all rows of a column."""
    try:
        return np.broadcast_to(np.asarray(given, float), column.shape)
    except (TypeError, ValueError):
        fact = (
            f"the uncertainty of {name} is {as_given(given)}, neither a number nor one for each of {len(column)} rows"
        )
        raise InvalidValue(
            "E553", fact, Option("uncertainty", {"x": 0.01}), subject=("fit", "uncertainty", name)
        ) from None


def _uncertainty(given: Named, names: Sequence[str]) -> dict[str, Any]:
    found = by_name(given, "uncertainties", "E553", Option("uncertainty", {"x": 0.01}))
    check_known(found, names, "uncertainty", "is not a fitted column")
    return found
