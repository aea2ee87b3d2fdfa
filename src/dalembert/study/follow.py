"""Parameters of a sweep that follow from those that vary."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from typing import Any

from ..errors import InvalidValue
from .values import Values, recomputed

MOST_MEMBERS = 1_000_000


def followed(given: Mapping[str, Any], rows: str, values: Values) -> dict[str, Any]:
    """Parameters with what follows from them: constants are recomputed; where an axis enters, all axes become columns
    of one table (for ``rows = "grid"`` of all their combinations).
    """
    axes = {name: v for name, v in given.items() if isinstance(v, tuple)}
    constants = recomputed(values.derived, values.numbers, {k: v for k, v in given.items() if k not in axes})
    follows = _dependent(values, set(axes)) - given.keys()
    if not follows:
        return {"parameters": {**constants, **axes}, "parameter_rows": rows, "axes": dict(given)}
    count = 1
    for axis in axes.values():
        count *= len(axis) if rows == "grid" else 1
    if count > MOST_MEMBERS:
        raise InvalidValue("E304", f"the sweep has {count} members, the limit is {MOST_MEMBERS}", "take fewer values")
    joined = itertools.product(*axes.values()) if rows == "grid" else zip(*axes.values(), strict=False)
    table = [
        recomputed(values.derived, values.numbers, {**constants, **dict(zip(axes, row, strict=True))}) for row in joined
    ]
    columns = {name: tuple(row[name] for row in table) for name in [*axes, *sorted(follows)]}
    single = {k: v for k, v in constants.items() if k not in columns}
    return {"parameters": {**single, **columns}, "parameter_rows": "table", "axes": dict(given)}


def _dependent(values: Values, changed: set[str]) -> set[str]:
    """Parameters that follow from these."""
    found: set[str] = set()
    for name, formula in values.derived.items():
        if {s.name for s in formula.free_symbols} & (changed | found):
            found.add(name)
    return found
