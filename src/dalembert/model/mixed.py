"""Numbers without a unit beside values with one: lengths among lengths, lengths beside an acceleration; and gravity in
cm/s^2.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, NamedTuple

from ..calculus.quantity import has_unit, quantity, scaled
from ..errors import Note, warn

if TYPE_CHECKING:
    from .system import System

GRAVITY = {"cm/s^2": 980.665, "mm/s^2": 9806.65, "ft/s^2": 32.174}  # what 9.80665 m/s^2 is in other units
NEAR = 0.004  # of it, over the earth's surface: 978.0 to 983.2
_TOLD = {"m", "kg", "s"}
MOST = 4  # bare numbers that are named


class Bare(NamedTuple):
    """A number that was given without a unit, the unit of base SI in which it is taken, and where it stands."""

    name: str
    value: float
    unit: str
    where: str = ""


def mixed_notes(system: System) -> list[Note]:
    """W210: a parameter without a unit beside another of its kind in a unit that is not base SI; W215, beside any."""
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
    told = {note.text.split(None, 1)[0] for note in notes}
    if system.space.by_name.keys() & system.units.keys():  # units= says in which unit the numbers are
        return notes
    said = {*told, *system.units, *system.defined}
    numbers = [Bare(name, value, _kind(system, name)) for name, value in bare.items() if name not in said]
    return [*notes, *bare_notes(system.written, numbers)]


def start_notes(system: System, start: Mapping[str, object]) -> list[Note]:
    """W215: in one start, numbers without a unit beside values with one."""
    texts = {name: given for name, given in start.items() if isinstance(given, str) and name in system.space.by_name}
    if not texts:
        return []
    plain = clear(system)
    kinds = {name: system.unit(system.space.by_name[name]) for name in start if name in system.space.by_name}
    beside = {kinds[name]: text for name, text in texts.items() if scaled(text)}
    numbers = {n: x for n, x in start.items() if n in kinds and isinstance(x, int | float)}
    bare = [Bare(n, x, kinds[n]) for n, x in numbers.items() if n not in plain or kinds[n] in beside]
    return list(bare_notes(texts, bare))


def clear(system: System) -> set[str]:
    """Names of a start whose numbers are in a known unit: `units` declares it, or that of the coordinate; and angular
    velocities, which are in rad/s.
    """
    rates = system.space.rates
    found = {*system.units, *(str(u) for q, u in rates.items() if q.name in system.units)}
    return found | {u.name for u in system.space.velocities if system.unit(u) == "1/s"}


def bare_notes(written: Mapping[str, object], numbers: Iterable[Bare]) -> Iterator[Note]:
    """W215: numbers without a unit beside a value that was written with its own.

    They are lengths, masses and times, which are often told in cm, g and ms.
    """
    found = [bare for bare in numbers if bare.value and bare.unit in _TOLD]
    beside = next((name for name, text in written.items() if found and measured(text)), None)
    if beside is None:
        return
    read = [f"{bare.name} = {bare.value:g}{bare.where} in {bare.unit}" for bare in found[:MOST]]
    more = f" and {len(found) - MOST} more in base SI" if len(found) > MOST else ""
    fact = f'without a unit beside {beside} = "{written[beside]}" is taken {", ".join(read)}{more}'
    yield warn("W215", f'{fact}: write "{found[0].value:g} {found[0].unit}" where it is so', 6)


def measured(given: object) -> bool:
    """Is it text with a unit that is more than an angle: "9.81 m/s^2", and not "30 deg"?"""
    if not isinstance(given, str) or not has_unit(given):
        return False
    dimension = quantity(given, "").dimension
    return dimension is not None and bool(dimension.powers)


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
