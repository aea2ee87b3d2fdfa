"""What is said and drawn of a sweep."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from ..argument_checks import one_of, public, several, whole
from ..errors import WrongType, as_given
from ..numerics.run.audit import ENERGY_LIMIT
from ..numerics.sweep.kept_columns import ENERGY
from ..output_file import Maker
from ..study.study import SweepSpec
from ..trajectory.audit import REACHED, STOPPED, meaning

if TYPE_CHECKING:
    import xarray as xr

    from ..equations import Equations

_FIT = 5  # columns on a line of 80, with a mark
DOUBTS = {1: "suspect", 2: "failed its audit"}
MARKS = {meaning(REACHED): "", meaning(STOPPED): "event"}
MEMBER = "member"


def axes(found: xr.Dataset) -> list[str]:
    """The dimensions that were swept."""
    return [str(d) for d in found["outcome"].dims]


def ending_counts(found: xr.Dataset) -> dict[str, int]:
    """How many members ended how; doubtful ones apart."""
    return dict(Counter(member_endings(found)))


def member_endings(found: xr.Dataset) -> list[str]:
    """How each member ended, in the order of `member_table`; what reached the end and is doubted is suspect."""
    codes, doubted = (np.asarray(found[name]).ravel().tolist() for name in ("outcome", "verdict"))
    pairs = list(zip(codes, doubted, strict=True))
    told = {pair: _ending(*pair) for pair in set(pairs)}
    return [told[pair] for pair in pairs]


def _ending(code: int, doubt: int) -> str:
    return f"{meaning(code)}, {DOUBTS[doubt]}" if code in (REACHED, STOPPED) and doubt in DOUBTS else meaning(code)


@public
def summary(found: xr.Dataset, columns: str | Sequence[str] = (), rows: int | None = None) -> str:
    """What a sweep found: how its members ended, and what was varied and came out, a row a member.

    Args:
        found: from `sweep`, or from `stored`.
        columns: of the results that are shown, ``"x energy"``; by default the first ones that fit.
        rows: of the table, the first and the last ones; by default all.

    Returns:
        Text. The first line counts: members that an event stopped, that were refused or failed and that are doubted
        are told apart, and marked in the table.

    Raises:
        WrongType: E318, something that is no result of a sweep.
        UnknownName: E317, a column that is none of its results.
    """
    _check(found)
    over = " x ".join(f"{d} ({found.sizes[d]})" for d in axes(found) if d != MEMBER)
    ends = ", ".join(f"{count} {what}" for what, count in ending_counts(found).items())
    who = f"{found.attrs.get('title') or 'System'}: {found.attrs.get('principle', 'sweep')}"
    lines = [f"{_many(found)}: {ends}", f"{who}, over {over}" if over else who, *_why(found)]
    return "\n".join([*lines, *table(found, _named(columns), None if rows is None else whole(rows, "rows", least=2))])


def _many(found: xr.Dataset) -> str:
    count = found["outcome"].size
    return "1 member" if count == 1 else f"{count} members"


def _why(found: xr.Dataset) -> list[str]:
    """Why members that came to an end are suspect, in a line."""
    outcome, verdict, drift = (np.asarray(found[name]) for name in ("outcome", "verdict", "energy_drift"))
    doubted = drift[np.isin(outcome, (REACHED, STOPPED)) & (verdict == 1)]
    over = doubted[~(doubted <= ENERGY_LIMIT)]
    parts = [f"energy unaccounted, up to {over.max():.1e} of its terms ({ENERGY_LIMIT:g} allowed)"] if over.size else []
    parts += ["a declared momentum changed"] if over.size < doubted.size else []
    return [f"suspect      {'; '.join(parts)}"] if parts else []


def keeping(spec: SweepSpec, equations: Equations, shown: Sequence[str]) -> SweepSpec:
    """The sweep that keeps what is to be shown: multipliers and the energy too."""
    kept = spec.keep or equations.states
    known = {*equations.states, *(s.name for s in equations.multipliers), ENERGY}
    more = tuple(name for name in dict.fromkeys(shown) if name in known and name not in kept)
    return replace(spec, keep=(*kept, *more)) if more else spec


def _check(found: object) -> None:
    if not {"outcome", "verdict"} <= set(getattr(found, "data_vars", ())):
        raise WrongType("E318", f"{as_given(found)} is no result of a sweep", "da.ensembles.summary(da.sweep(...))")


def _named(columns: object) -> list[str]:
    if isinstance(columns, str):
        return columns.replace(",", " ").split()
    if not several(columns):
        raise WrongType("E317", f"columns = {as_given(columns)} holds no names", 'columns="x energy"')
    return list(columns)  # type: ignore[call-overload]


def _mark(how: str) -> str:
    """Behind a row: nothing for what reached the end and is sound, else words or a code."""
    end, _, doubt = how.partition(", ")
    words = [MARKS.get(end, end.partition(" ")[0]), doubt]
    return "".join(f"  {word}" for word in words if word)


def some(count: int, most: int | None) -> tuple[list[int], int, str]:
    """Which of so many rows are shown, `most` at most; behind how many a line stands, and the line, if some are not."""
    if most is None or count <= most:
        return [*range(count)], count, ""
    first = most - most // 2
    line = f"  and {count - most} rows between: all are there in a pipe or a file, and in Python with rows=None"
    return [*range(first), *range(count - most // 2, count)], first, line


def table(found: xr.Dataset, columns: Sequence[str] = (), most: int | None = None) -> list[str]:
    """Swept values and results, a row for each member, or for the first and the last; marks of what ended early."""
    heads, rows = member_table(found)
    varied = [str(c) for c in found.coords if set(found[c].dims) <= set(axes(found)) and found[c].dims]
    results = [name for name in heads if name not in varied]
    wanted = [one_of(results, name, "the sweep", "column") for name in columns]
    marks = [_mark(how) for how in member_endings(found)]
    varied = [name for name in varied if name != MEMBER or len(varied) == 1]
    kept = [*varied, *(wanted or results[: max(2, _FIT - len(varied))])]
    places = [heads.index(name) for name in kept]
    lines = ["  " + " ".join(f"{head[:11]:>11}" for head in kept)]
    shown, behind, left = some(len(rows), most)
    words = [_meanings(found, name) for name in kept]
    cells = [[word.get(rows[i][k], f"{rows[i][k]:.5g}") for word, k in zip(words, places, strict=True)] for i in shown]
    lines += ["  " + " ".join(f"{cell:>11}" for cell in row) + marks[i] for i, row in zip(shown, cells, strict=True)]
    lines[1 + behind : 1 + behind] = [left] if left else []
    return lines


def _meanings(found: xr.Dataset, name: str) -> dict[float, str]:
    """What the numbers of a column mean, of one that says so: a verdict is ok, suspect or failed."""
    told = found[name].attrs
    return dict(zip(map(float, told.get("flag_values", ())), str(told.get("flag_meanings", "")).split(), strict=True))


def member_table(found: xr.Dataset) -> tuple[list[str], list[list[float]]]:
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


def as_data(spec: SweepSpec, found: xr.Dataset) -> dict[str, object]:
    """A sweep for programs."""
    return {
        "name": spec.name,
        "principle": spec.principle,
        "axes": {d: found.sizes[d] for d in axes(found)},
        "outcomes": ending_counts(found),
        "variables": [str(name) for name in found.data_vars],
    }


def drawn(found: xr.Dataset, spec: SweepSpec, file: Path, maker: Maker) -> Path:
    """What a sweep found, drawn to a file.

    Raises:
        InvalidValue: E801, Matplotlib is not installed.
    """
    from ..show.draw import draw
    from ..show.figure_style import pyplot
    from ..show.top_view import stored

    pyplot().switch_backend("Agg")
    file.parent.mkdir(parents=True, exist_ok=True)
    return stored(draw(found), file, maker)
