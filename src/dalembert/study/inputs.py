"""``[inputs]``: what is given at run time, and what drives it: a value, a formula, a table or a column."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
import sympy as sp

from ..calculus.quantity import SECOND, is_quantity, quantity, refuse_bare
from ..errors import DalembertError, InvalidValue, UnknownName, WrongType, as_given, did_you_mean
from ..input_file import plain
from ..model.names import check_name, taken
from .file_expressions import UNKNOWN, Texts, Values, symbol
from .toml_positions import Collector, Path
from .toml_text import inside, kind

if TYPE_CHECKING:
    from ..numerics.inputs.input_signal import Table
    from . import schema

_WAYS = {"value": "", "times": "values", "file": "column"}  # each with the key that goes with it
_REMEDY = '0.1, "2 N", "0.1*sin(t)", { times = [0, 1], values = [0.1, 0.3] } or { file = "push.csv", column = "F" }'


@dataclass(frozen=True)
class TableSpec:
    """Values at times, as the arguments of `tabulated`, in base SI."""

    times: tuple[float, ...]
    values: tuple[float, ...]
    kind: str = "hold"

    def table(self) -> Table:
        """The table that it is."""
        from ..numerics.inputs.input_signal import tabulated

        return tabulated(self.times, self.values, self.kind)


@dataclass(frozen=True)
class ColumnSpec:
    """A column of a table of text that lies beside the system file, read when a run begins.

    Attributes:
        file: its name, relative to the folder of the system file and in it.
        column, time: names of the columns of values and of times.
        kind: as of `tabulated`.
        folder: that of the system file.
    """

    file: str
    column: str
    time: str = "t"
    kind: str = "hold"
    folder: str = field(default="", compare=False, repr=False)

    def table(self) -> Table:
        """The table, read from the file.

        Raises:
            DalembertError: E317 a column that is not there, E501 to E547 for a file that holds none; E182 where that
                is no table.
        """
        from ..numerics.inputs.input_signal import tabulated
        from ..recording import recorded

        place = str(inside(self.file, self.folder))
        try:
            found = recorded(place, time=self.time)
        except UnknownName as error:
            if error.subject != ("read", "time"):
                raise
            raise self._lacks("time", self.time, recorded(place, time=None).names) from None
        if self.column not in found.columns:
            raise self._lacks("column", self.column, found.names)
        values, unit = found[self.column], found.units.get(self.column, "")
        dimension = quantity(f"1 {unit}", self.column).dimension if unit else None
        return replace(tabulated(found.t, values, self.kind), dimension=dimension)

    def written(self) -> str | float | None:
        """The first value that is not 0, as `written` has it of a table; None where none can be read."""
        from ..record.text_table import read_table

        try:
            found = read_table(str(inside(self.file, self.folder)), keep=[self.column])
        except DalembertError:
            return None
        value = next((float(v) for column in found.values.T for v in column if v and np.isfinite(v)), None)
        return value if value is None or not found.units or not found.units[0] else f"{value:g} {found.units[0]}"

    def _lacks(self, key: str, given: str, names: Sequence[str]) -> UnknownName:
        """E317: there is no such column; one that is named with the unit of its heading is known without."""
        from ..record.text_table import split

        name = split(given)[0]
        remedy = f'{key} = "{name}", without its unit' if name in names else did_you_mean(given, names)
        what = "column of times" if key == "time" else "column"
        return UnknownName("E317", f"{plain(self.file)} has no {what} {as_given(given)}", remedy)


Driven: TypeAlias = "float | str | sp.Expr | TableSpec | ColumnSpec"


def declared(given: Mapping[str, schema.InputTable], values: Values, collector: Collector) -> dict[str, sp.Symbol]:
    """The symbols of inputs by name."""
    found: dict[str, sp.Symbol] = {}
    for name in given:
        with collector.watch(("inputs", name), key=True):
            taken(check_name(name, "an input"), "an input")
            if name in values.symbols:
                fact = f"{as_given(name)} is an input and also a parameter"
                raise InvalidValue("E103", fact, f"leave {name} out of one of the two")
            found[name] = symbol(name, "real")
    return found


class Drives:
    """Reads what drives inputs; problems go to the collector."""

    def __init__(self, texts: Texts, values: Values, names: Mapping[str, object]) -> None:
        self.texts, self.values, self.names, self.collector = texts, values, names, texts.collector

    def all(self, given: Mapping[str, schema.InputTable], path: Path) -> dict[str, Driven]:
        """What drives inputs, by name; those whose value comes later are left out."""
        found: dict[str, Driven] = {}
        for name, entry in given.items():
            at = (*path, name)
            with self.collector.watch(at, key=name not in self.names):
                self._known(name)
                drive = self._one(name, entry, at)
                if drive is not None:
                    found[name] = drive
        return found

    def axes(self, given: Mapping[str, object], path: Path) -> dict[str, object]:
        """Values of inputs, or axes of such, by name."""
        found: dict[str, object] = {}
        for name, axis in given.items():
            at = (*path, name)
            with self.collector.watch(at, key=name not in self.names):
                self._known(name)
                for value in axis if isinstance(axis, tuple) else (axis,):
                    self._number(name, value, at)
                found[name] = axis
        return found

    def _known(self, name: str) -> None:
        if name not in self.names:
            fact = f"the file declares no input {as_given(name)}"
            remedy = did_you_mean(name, self.names) if self.names else f'[inputs] {name} = "?" declares it'
            raise UnknownName("E181", fact, remedy)

    def _one(self, name: str, entry: schema.InputTable, path: Path) -> Driven | None:
        """One input."""
        ways = [key for key in _WAYS if getattr(entry, key) is not None]
        lone = [key for way, key in _WAYS.items() if key and (getattr(entry, key) is None) == (way in ways)]
        if len(ways) != 1 or lone:
            fact = f"{name}: {lone[0]} goes with {_other(lone[0])}" if lone else f"{name} is given in {len(ways)} ways"
            raise InvalidValue("E182", fact, _REMEDY)
        if entry.file is not None and entry.column is not None:
            return ColumnSpec(entry.file, entry.column, entry.time, entry.kind, self.collector.places.folder)
        if entry.times is not None and entry.values is not None:
            return self._table(name, entry, path)
        return self._value(name, entry.value, path)

    def _value(self, name: str, given: object, path: Path) -> Driven | None:
        """A number, text with a unit, or a formula."""
        if given == UNKNOWN:
            return None
        where = (*path, "value") if (*path, "value") in self.collector.places.values else path
        if isinstance(given, str) and not is_quantity(given):
            return self.texts.read(given, where, f"the input {name}")
        if isinstance(given, bool) or not isinstance(given, int | float | str):
            raise WrongType("E182", f"{name} is {kind(given)}, which drives no input", _REMEDY)
        self._number(name, given, where)
        return given

    def _table(self, name: str, entry: schema.InputTable, path: Path) -> TableSpec | None:
        from ..numerics.inputs.input_signal import tabulated

        times, values = (self._list(name, key, getattr(entry, key)) for key in ("times", "values"))
        t = [quantity(each, "a time", SECOND).value for each in times]
        found_values = list[float]()
        for i, value in enumerate(values):
            with self.collector.watch((*path, "values", i)):
                found_values.append(self._number(name, value, (*path, "values", i)))
        if len(found_values) < len(values):
            return None
        found = tabulated(t, found_values, entry.kind)
        return TableSpec(tuple(found.times.tolist()), tuple(found.values.tolist()), entry.kind)

    def _list(self, name: str, key: str, given: object) -> list[object]:
        if not isinstance(given, list):
            raise WrongType("E182", f"the {key} of {name} are {kind(given)}, not a list", _REMEDY)
        return given

    def _number(self, name: str, given: object, path: Path) -> float:
        """A value in base SI, its unit to be held against the system; the file may have a unit for the input (E207)."""
        refuse_bare(name, given, self.values.driven.get(name))
        found, has = quantity(given, name)
        if has is not None:
            self.values.replaced.append((path, name, has))
        return found


def written(given: Mapping[str, schema.InputTable]) -> dict[str, object]:
    """Of each input the value as the file has it, of a table the first that is not 0."""
    tables = {n: entry.values if isinstance(entry.values, list) else [entry.value] for n, entry in given.items()}
    found = {n: next((value for value in table if value), None) for n, table in tables.items()}
    return {name: value for name, value in found.items() if not isinstance(value, str) or is_quantity(value)}


def _other(key: str) -> str:
    """What a key goes with."""
    return next(way for way, own in _WAYS.items() if own == key) if key else ""
