"""Numbers without a unit beside values in another one than base SI: lengths, masses; gravity in cm/s^2."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from ..calculus.quantity import scaled
from ..errors import Note, warn

if TYPE_CHECKING:
    from .system import System

GRAVITY = {"cm/s^2": 980.665, "mm/s^2": 9806.65, "ft/s^2": 32.174}  # what 9.80665 m/s^2 is in other units
NEAR = 0.004  # of it, over the earth's surface: 978.0 to 983.2


def mixed_notes(system: System) -> list[Note]:
    """W210: a parameter without a unit beside another of its kind in a unit that is not base SI."""
    first: dict[str, str] = {}
    for name, text in system.written.items():
        if isinstance(text, str) and scaled(text) and (kind := _kind(system, name)):
            first.setdefault(kind, name)
    bare = {n: v for n, v in system.parameters.items() if v and n in system.symbols and n not in system.written}
    notes = []
    for name, value in bare.items() if first else ():
        kind = _kind(system, name)
        if other := first.get(kind):
            fact = f'{name} = {value:g} has no unit and is taken in {kind}, beside {other} = "{system.written[other]}"'
            unit = system.written[other].split(None, 1)[-1]
            notes.append(warn("W210", f'{fact}: was "{value:g} {unit}" meant? Else write "{value:g} {kind}"', 6))
    return notes


def gravity_notes(system: System, known: Mapping[str, float | None]) -> Iterator[Note]:
    """W210: an acceleration in base SI that is the earth's in another unit, 981 or 32.2."""
    for name, value in known.items():
        own = system.written.get(name) is not None and value == system.parameters.get(name)
        for unit, size in GRAVITY.items():
            if value and not own and abs(abs(value) - size) < NEAR * size and _kind(system, name) == "m/s**2":
                fact = f"{name} = {value:g} is taken in m/s^2, and gravity is {size:.4g} {unit}"
                yield warn("W210", f'{fact}: was "{value:g} {unit}" meant?', 6)


def _kind(system: System, name: str) -> str:
    return system.unit(system.symbols[name]) if name in system.symbols else ""
