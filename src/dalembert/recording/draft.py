"""Columns on their way to a record: what the steps of `recorded` work on."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..errors import Place
from ..record.layout import Line, place
from ..record.table import Table

PIXEL = "px"


@dataclass
class Draft:
    """Columns that are being read.

    Attributes:
        name: of the file, or "the data".
        values: ``{name: (N,)}``.
        sigma: ``{name: number or (N,)}``.
        units: ``{name: unit}``, empty where it is not known.
        done: what was done, in words.
        provenance: of the record.
        table: the text behind it, if there is one.
        rows: which row of the table each row was.
        old: ``{name: its name in the table}``.
    """

    name: str
    values: dict[str, np.ndarray]
    units: dict[str, str]
    sigma: dict[str, Any] = field(default_factory=dict)
    done: list[str] = field(default_factory=list)
    provenance: dict[str, Any] = field(default_factory=dict)
    table: Table | None = None
    rows: np.ndarray = field(default_factory=lambda: np.empty(0, int))
    old: dict[str, str] = field(default_factory=dict)

    def where(self, row: int, name: str = "") -> Place | None:
        """Where a value stands in the file."""
        return None if self.table is None else self.table.place(int(self.rows[row]), self.old.get(name, name))

    def told(self, row: int) -> str:
        """A row in words: its line in a file, else its number counted from 0."""
        if self.table is None:
            return f"row {int(self.rows[row])}"
        return f"line {int(self.table.lines[int(self.rows[row])])}"

    def heading(self, name: str) -> Place | None:
        """Where the unit of a column stands."""
        if self.table is None:
            return None
        number = self.table.unit_line or self.table.head_line
        line = Line(number, self.table.source.line(number))
        return place(
            self.name, line, self.table.layout.cells(line.text), self.table.every.index(self.old.get(name, name))
        )
