"""Lengths among lengths, masses among masses: in one file some in cm and others as bare numbers, which are metres; and
bare numbers beside any value that has its unit.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from ..calculus.quantity import scaled
from ..errors import Note, warn
from ..model.magnitudes import Bare, bare_notes, clear, measured
from ..model.system import System
from .study import CompareSpec, FamilySpec, FitSpec, RunSpec, SweepSpec

Entry = RunSpec | CompareSpec | SweepSpec | FamilySpec | FitSpec


class _Value(NamedTuple):
    """A value as the file has it."""

    name: str
    given: object
    where: str


def mixed_notes(system: System, written: Mapping[str, object], entries: Sequence[Entry]) -> list[Note]:
    """W210: a number that is not 0 and has no unit, beside another of its kind in a unit that is not base SI; W215,
    beside one of another kind that has its unit. Of what is mixed in one start, `Equations.start` tells.
    """
    by_kind: dict[str, list[_Value]] = {}
    for value in _values(written, entries):
        symbol = {**system.symbols, **system.space.by_name}.get(value.name)
        kind = "" if symbol is None else system.unit(symbol)
        if kind:
            by_kind.setdefault(kind, []).append(value)
    notes = [note for kind, values in by_kind.items() for note in _of_kind(kind, values)]
    told = {note.text.split(None, 1)[0] for note in notes}
    starts = {_where(entry): _start(entry) for entry in entries}
    plain = {where: clear(system) for where in starts} | {"": {*system.units}}
    elsewhere = {
        _where(e) for e in entries if isinstance(e, RunSpec | CompareSpec) and any(map(measured, e.start.values()))
    }
    bare = {
        value.name: Bare(value.name, float(value.given), kind, value.where)
        for kind, values in by_kind.items()
        for value in reversed(values)
        if value.name not in told | plain[value.where]
        and value.where not in elsewhere
        and isinstance(value.given, int | float)
    }
    beside = {name: given for start in starts.values() for name, given in start.items()}
    return [*notes, *bare_notes({**beside, **written}, bare.values())]


def _values(written: Mapping[str, object], entries: Sequence[Entry]) -> Iterator[_Value]:
    for name, given in written.items():
        yield _Value(name, given, "")
    for entry in entries:
        for name, given in _start(entry).items():
            yield _Value(name, given, _where(entry))


def _where(entry: Entry) -> str:
    return f" in {entry.name}"


def _start(entry: Entry) -> Mapping[str, object]:
    if isinstance(entry, FitSpec):
        return entry.question.guess.start
    return entry.starts if isinstance(entry, SweepSpec) else entry.start


def _of_kind(kind: str, values: Sequence[_Value]) -> Iterator[Note]:
    first = next((v for v in values if isinstance(v.given, str) and scaled(v.given)), None)
    if first is None:
        return
    unit = str(first.given).split(None, 1)[-1]
    for name in dict.fromkeys(v.name for v in values):
        bare = next((v for v in values if v.name == name and isinstance(v.given, int | float) and v.given), None)
        if bare is not None:
            told = f"{name} = {bare.given:g}{bare.where} has no unit and is taken in {kind}, beside"
            fact = f'{told} {first.name} = "{first.given}"{first.where}'
            yield warn("W210", f'{fact}: was "{bare.given:g} {unit}" meant? Else write "{bare.given:g} {kind}"', 6)
