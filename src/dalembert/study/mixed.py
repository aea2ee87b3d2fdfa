"""Lengths among lengths, masses among masses: in one file some in cm and others as bare numbers, which are metres."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from ..calculus.quantity import scaled
from ..errors import Note, warn
from ..model.system import System
from .study import CompareSpec, RunSpec

Entry = RunSpec | CompareSpec


class _Value(NamedTuple):
    """A value as the file has it."""

    name: str
    given: object
    where: str


def mixed_notes(system: System, written: Mapping[str, object], entries: Sequence[Entry]) -> list[Note]:
    """W210: a number that is not 0 and has no unit, beside another of its kind in a unit that is not base SI."""
    by_kind: dict[str, list[_Value]] = {}
    for value in _values(written, entries):
        symbol = {**system.symbols, **system.space.by_name}.get(value.name)
        kind = "" if symbol is None else system.unit(symbol)
        if kind:
            by_kind.setdefault(kind, []).append(value)
    return [note for kind, values in by_kind.items() for note in _of_kind(kind, values)]


def _values(written: Mapping[str, object], entries: Sequence[Entry]) -> Iterator[_Value]:
    for name, given in written.items():
        yield _Value(name, given, "")
    for entry in entries:
        for name, given in entry.start.items():
            yield _Value(name, given, f" in {entry.name}")


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
