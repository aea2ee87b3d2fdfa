"""What is said and drawn of a sweep."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from ..output import Maker
from ..study.study import Study, SweepSpec

ROWS, COLUMNS = 12, 5  # of a printed table
ENDS = {0: "reached the end", 1: "stopped by an event"}


def axes(found: Any) -> list[str]:
    """The dimensions that were swept."""
    return [str(d) for d in found["outcome"].dims]


def outcomes(found: Any) -> dict[str, int]:
    """How many members ended how."""
    codes, counts = np.unique(np.asarray(found["outcome"]), return_counts=True)
    return {ENDS.get(int(c), f"E{int(c)}"): int(n) for c, n in zip(codes, counts, strict=True)}


def summary(study: Study, spec: SweepSpec, found: Any, place: Path) -> str:
    """What ran, how the members ended, the ends of the first ones, where it lies."""
    size = " x ".join(f"{found.sizes[d]} {d}" for d in axes(found))
    lines = [
        f"{study.title or 'System'}: {spec.principle}, {spec.name}",
        f"members      {found['outcome'].size} ({size})",
    ]
    lines += [f"  {count:>9} {how}" for how, count in outcomes(found).items()]
    lines += table(found)
    lines += [f"stored       {place}", f"next         dalembert export {place} --csv"]
    return "\n".join(line if len(line) <= 80 else line[:76] + " ..." for line in lines)


def table(found: Any) -> list[str]:
    """Swept values and states at the end, a row for each of the first members."""
    heads, rows = members(found)
    heads, rows = heads[: len(axes(found)) + COLUMNS], [row[: len(axes(found)) + COLUMNS] for row in rows]
    shown = rows if len(rows) <= ROWS else [*rows[: ROWS // 2], *rows[-(ROWS // 2) :]]
    lines = ["  " + " ".join(f"{head[:11]:>11}" for head in heads)]
    lines += ["  " + " ".join(f"{value:>11.5g}" for value in row) for row in shown]
    if len(rows) > ROWS:
        lines.insert(1 + ROWS // 2, f"  ... {len(rows) - ROWS} more ...")
    return lines


def members(found: Any) -> tuple[list[str], list[list[float]]]:
    """One row a member: what was swept, and all numbers at the end."""
    dims = axes(found)
    known = [name for name in found.data_vars if set(found[name].dims) >= set(dims) and name != "outcome"]
    at_end = {str(name): found[name].isel(time=-1) if "time" in found[name].dims else found[name] for name in known}
    plain = {name: values for name, values in at_end.items() if set(values.dims) == set(dims)}
    coordinates = [str(c) for c in found.coords if set(found[c].dims) <= set(dims) and found[c].dims]
    columns = [
        np.broadcast_to(found[c].broadcast_like(found["outcome"]).values, found["outcome"].shape) for c in coordinates
    ]
    columns += [values.transpose(*dims).values for values in plain.values()]
    numbers = [np.asarray(column, float).ravel() for column in columns]
    return [*coordinates, *plain], np.column_stack(numbers).tolist() if numbers else []


def as_data(spec: SweepSpec, found: Any) -> dict[str, Any]:
    """A sweep for programs."""
    return {
        "name": spec.name,
        "principle": spec.principle,
        "axes": {d: found.sizes[d] for d in axes(found)},
        "outcomes": outcomes(found),
        "variables": [str(name) for name in found.data_vars],
    }


def drawn(found: Any, spec: SweepSpec, file: Path, maker: Maker) -> Path:
    """What a sweep found, drawn to a file.

    Raises:
        InvalidValue: E801, Matplotlib is not installed.
    """
    from ..show.draw import draw
    from ..show.plan import pyplot, stored

    pyplot().switch_backend("Agg")
    file.parent.mkdir(parents=True, exist_ok=True)
    return stored(draw(found), file, maker)
