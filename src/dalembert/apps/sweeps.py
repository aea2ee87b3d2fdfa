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
    """The first states at the end over the first axis; other axes as lines.

    Raises:
        InvalidValue: E801, Matplotlib is not installed.
    """
    from ..show.plan import STYLES, pyplot, stored

    plt = pyplot()
    plt.switch_backend("Agg")
    heads, rows = members(found)
    dims = axes(found)
    data = np.array(rows).reshape(*(found.sizes[d] for d in dims), len(heads))
    first = len([h for h in heads if h in found.coords])
    shown = heads[first : first + 4]
    figure, panels = plt.subplots(
        1, len(shown), figsize=(3.2 * len(shown) + 0.4, 3.4), squeeze=False, layout="constrained"
    )
    for k, (ax, head) in enumerate(zip(panels[0], shown, strict=True)):
        lines = data.reshape(data.shape[0], -1, len(heads))
        for j in range(min(lines.shape[1], 8)):
            ax.plot(
                lines[:, j, 0],
                lines[:, j, first + k],
                linestyle=STYLES[j % len(STYLES)],
                color=str(0.08 * j),
                linewidth=1.1,
            )
        ax.set_xlabel(heads[0], fontsize=8)
        ax.set_title(f"{head} at the end", fontsize=9)
        ax.tick_params(labelsize=7)
    figure.suptitle(f"{spec.name}: {spec.principle}", fontsize=10)
    file.parent.mkdir(parents=True, exist_ok=True)
    return stored(figure, file, maker)
