"""How much of a table a run sees: times in milliseconds, taken for seconds, leave it a thousandth."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ...errors import Note, warn
from .table import Table

LITTLE = 1 / 500  # of a table, in time and in rows: a thousandth is milliseconds, read up to twice the table's length


def doubts(name: str, table: Table, t: float, end: float) -> Iterator[Note]:
    """W183: a run from t to `end` sees next to nothing of a table whose values change later.

    Both the time and the rows count: a last row that is far away, as one for ever is written, takes no rows with it.
    """
    first, last = table.ends
    met = int(((table.times > t) & (table.times <= end)).sum())
    if not t < end or end - t > LITTLE * (last - first) or met > LITTLE * len(table.times) or not np.ptp(table.values):
        return
    rows = f"{met} of its {len(table.times)} times lie" if met != 1 else f"one of its {len(table.times)} times lies"
    fact = f"the table of {name} is for t from {first:g} to {last:g} s, the run from {t:g} to {end:g} s: {rows} in it"
    yield warn("W183", f"{fact}. Are they in milliseconds? Divide them by 1000", 6)
