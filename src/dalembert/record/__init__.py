"""Record: what was seen. The same named columns as a path, with uncertainty, units and source.

Arrays and names only. ``text_table`` opens a file and reads its heading and its rows, ``cell_separators`` finds how its
cells are parted; units are given their meaning in ``recording``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from textwrap import wrap
from typing import Any

import numpy as np

from ..argument_checks import noun, one_of
from ..errors import InvalidValue, Note

__all__ = ["Record"]

SHOWN, WIDTH = 12, 80  # columns in a summary, and its width


@noun
@dataclass(frozen=True, eq=False)
class Record:
    """Published or measured numbers.

    Attributes:
        columns: ``{name: values}``: arrays of one length (N,), NaN where a value is missing; or tuples of any lengths,
            for numbers that were published one by one.
        source: key in the bibliography and where in the source, or who measured.
        uncertainty: ``{name: standard uncertainty}`` where it is known: a number, or an array (N,).
        units: ``{name: unit}`` where it is known, such as ``"m"`` or ``"cm/s"``.
        time: name of the column of times.
        provenance: file, sha256, and under ``"done"`` what was done to the numbers: sorted, scaled, turned.
        notes: doubts that were said when it was read.

    Raises:
        InvalidValue: E543, arrays of different lengths.
    """

    columns: Mapping[str, Any]
    source: str
    uncertainty: Mapping[str, Any] = field(default_factory=dict)
    units: Mapping[str, str] = field(default_factory=dict)
    time: str = "t"
    provenance: Mapping[str, Any] = field(default_factory=dict)
    notes: tuple[Note, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "columns", {str(k): _kept(v) for k, v in self.columns.items()})
        object.__setattr__(self, "uncertainty", {str(k): _kept(v) for k, v in self.uncertainty.items()})
        lengths = {k: len(v) for k, v in self.columns.items() if isinstance(v, np.ndarray)}
        if len(set(lengths.values())) > 1:
            told = ", ".join(f"{k} has {n}" for k, n in lengths.items())
            raise InvalidValue(
                "E543", f"the columns differ in length: {told:.60}", "give one value a row, NaN for a gap"
            )

    def __getitem__(self, key: object) -> Any:
        """A column by name or symbol; a part of the rows by a slice."""
        if isinstance(key, slice):
            done = (*self.provenance.get("done", ()), f"rows {_told(key)} taken")
            return replace(
                self,
                columns={k: v[key] for k, v in self.columns.items()},
                uncertainty={k: v[key] if np.ndim(v) else v for k, v in self.uncertainty.items()},
                provenance={**self.provenance, "done": done},
            )
        return self.columns[one_of(self.columns, key, "the record", "column")]

    def __len__(self) -> int:
        return max((len(v) for v in self.columns.values()), default=0)

    def __iter__(self) -> Iterator[str]:
        return iter(self.columns)

    @property
    def names(self) -> tuple[str, ...]:
        """All columns, in order, the times among them."""
        return tuple(self.columns)

    @property
    def t(self) -> np.ndarray:
        """Times (N,) (UnknownName E317 if there are none)."""
        return np.asarray(self[self.time], float)

    def sigma(self, name: str) -> np.ndarray:
        """The standard uncertainty of a column, one for each row; NaN where it is not known."""
        name = one_of(self.columns, name, "the record", "column")
        return np.broadcast_to(np.asarray(self.uncertainty.get(name, np.nan), float), np.shape(self[name]))

    @property
    def gaps(self) -> dict[str, int]:
        """``{name: missing values}`` of the columns that have some."""
        found = {k: int(np.isnan(np.asarray(v, float)).sum()) for k, v in self.columns.items()}
        return {k: n for k, n in found.items() if n}

    def to_dataframe(self) -> Any:
        """A pandas DataFrame, indexed by the times where there are some (needs pandas)."""
        try:
            import pandas as pd
        except ImportError:
            raise InvalidValue("E801", "this needs pandas, which is not installed", "pip install pandas") from None
        frame = pd.DataFrame({k: pd.Series(v, dtype=float) for k, v in self.columns.items()})
        return frame.set_index(self.time) if self.time in self.columns else frame

    def __str__(self) -> str:
        file = self.provenance.get("file", "")
        lines = [f"Record{f' of {file}' if file else ''}: {len(self)} rows"]
        lines += [f"source       {self.source}"] if self.source else []
        lines += [self._row(name) for name in self.names[:SHOWN]]
        lines += [f"  and {len(self.names) - SHOWN} more columns, listed in .names"] if len(self.names) > SHOWN else []
        done = self.provenance.get("done", ())
        lines += [f"done         {what}" for what in done[:4]]
        lines += [f"  and {len(done) - 4} more, in .provenance"] if len(done) > 4 else []
        notes = [f"note         {note}" for note in self.notes[:2]]
        lines += [part for note in notes for part in wrap(note, WIDTH, subsequent_indent=" " * 13)]
        return "\n".join(_cut(line) for line in lines)

    __repr__ = __str__

    def _row(self, name: str) -> str:
        x, unit = np.asarray(self.columns[name], float), self.units.get(name, "")
        seen = x[np.isfinite(x)]
        span = f"in [{seen.min():.6g}, {seen.max():.6g}]" if len(seen) else "no values"
        known = np.asarray(self.uncertainty.get(name, np.nan), float)
        known = known[np.isfinite(known)]
        about = f", +- {np.median(known):.2g}" if known.size else ""
        missing = f", {len(x) - len(seen)} missing" if len(seen) < len(x) else ""
        return f"  {name:<12}{span}{f' {unit}' if unit else ''}{about}{missing}"


def _kept(values: Any) -> Any:
    """Tuples, and single numbers, as they are; everything else as an array of its own that cannot be written to."""
    if isinstance(values, tuple) or np.ndim(values) == 0:
        return values
    array = np.array(values, float)
    array.flags.writeable = False
    return array


def _told(part: slice) -> str:
    ends = ("" if part.start is None else part.start, "" if part.stop is None else part.stop)
    return f"{ends[0]}:{ends[1]}" + ("" if part.step is None else f":{part.step}")


def _cut(line: str) -> str:
    plain = "".join(c if c.isprintable() else " " for c in line)
    return plain if len(plain) <= WIDTH else plain[: WIDTH - 4] + " ..."
