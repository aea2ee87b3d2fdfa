"""Where in a file the subject of a refusal stands."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from ..errors import DalembertError, Place, Problems
from ..errors.interfaces import FILE
from ..model.contact import dry_name
from .system_parts import DRY
from .toml_positions import Path, Places

if TYPE_CHECKING:
    from ..model.space import Space
    from ..model.system import System

Rates = Mapping[str, str]  # the coordinate whose rate a velocity is, by velocity

# lists of tables with a name, and which value of these is meant
_NAMED = {
    "constraints": ("constraint", "phi"),
    "equivalent": ("equivalent", "phi"),
    "walls": ("wall", "guard"),
    "contacts": ("contact", "gap"),
    "forces": ("force", "force"),
}
_OWN = ("parameters", "inputs", "units", "symbols", "definitions", "momenta", "inertias")
_TABLES: dict[str, Path] = {name: (name,) for name in _OWN} | {
    "lagrangian": ("lagrangian", "L"),
    "up": ("lagrangian", "up"),
    "coordinates": ("space", "coordinates"),
    "symmetry": ("symmetry", "generators"),
    "scene": ("scene",),
    "explore": ("explore",),
}


def locate(error: DalembertError, system: System, places: Places | None, entry: Place | None = None) -> DalembertError:
    """The error in words of a file and with its place, if one can be told.

    Args:
        error: of the system, of a start, or several.
        system: whose names the error uses; or None.
        places: of the file; without them nothing changes.
        entry: the place of the run or fit that it came from: what a start or a fit lacks is told there.
    """
    if isinstance(error, Problems):
        for problem in error.problems:
            locate(problem, system, places, entry)
        return error
    if places is None:
        return error
    error.on(FILE)
    rates = {} if system is None else rates_of(system.space)
    if error.subject[:1] in (("start",), ("fit",)):
        return error if entry is None else error.at(_within(error.subject, places, entry, rates))
    if error.subject[:1] == ("inputs",) and entry is not None:
        error = error.at(_driven(error.subject[1], places, entry))
    path = path_of(error.subject, places, rates)
    return error if path is None else error.at(places.value(path))


def rates_of(space: Space) -> dict[str, str]:
    """The coordinate whose rate a velocity is, by velocity."""
    return {str(u): str(q) for q, u in space.rates.items()}


def path_of(subject: tuple[str, ...], places: Places, rates: Rates) -> Path | None:
    """Path of the value that a part of the system has; of its table, where it has none of its own."""
    kind, names = subject[:1], subject[1:]
    if kind == ("bodies",):
        return ("body", int(names[0]), *names[1:])
    if not kind or kind[0] not in (*_NAMED, *_TABLES):
        return None
    found = _entry(*_NAMED[kind[0]], names, places) if kind[0] in _NAMED else (*_TABLES[kind[0]], *names)
    if found is None and kind == ("contacts",):
        return _dry(names, places)
    return _law(names[0], places, rates) if found is None and kind == ("forces",) else found


def _entry(table: str, value: str, names: tuple[str, ...], places: Places) -> Path | None:
    """``(table, n, value)`` of the entry with the first of the names; a further one is another value.

    Contacts between two bodies are numbered behind the name of their entry.
    """
    named = {_text(places, path): path for path in places.values if len(path) == 3 and path[::2] == (table, "name")}
    for name in (names[0], names[0].rpartition("_")[0]):
        if name in named:
            path = named[name]
            return (*path[:2], *(int(n) if n.isdigit() else n for n in names[1:] or (value,)))
    return None


def _dry(names: tuple[str, ...], places: Places) -> Path | None:
    """The value of dry friction in a joint that a part of its contact is, ``("friction", "dry", "size")``."""
    for path in places.keys:
        if path[:2] == ("friction", "dry"):
            joint = next((p for p in ((*path, "joint", 0), (*path, "joint")) if p in places.values), None)
            named = (*path, "name")
            own = _text(places, named) if named in places.values else joint and dry_name(_text(places, joint))
            if own == names[0]:
                return (*path, DRY.get(names[1], names[1]) if len(names) > 1 else "size")
    return None


def _law(name: str, places: Places, rates: Rates) -> Path | None:
    """A force along a velocity, or a law of friction; the first law, where several make up the force."""
    tables = [path for path in places.keys if len(path) == 2 and path[0] in ("forces", "friction", "force")]
    own = [path for path in tables if path[0] == "forces" and _is(str(path[1]), name, rates)]
    own += [path for path in tables if path == ("friction", name.removesuffix(" friction"))]
    return next(iter((*own, *(path for path in tables if path[0] != "forces"))), None)


def _within(subject: tuple[str, ...], places: Places, entry: Place, rates: Rates) -> Place:
    """In an entry: the first value of its start, or of another table, that the subject names; else the table."""
    holder = next((path for path in places.keys if len(path) == 2 and places.key(path) == entry), None)
    table, names = (subject[:1], subject[1:]) if subject[0] == "start" else (subject[1:2], subject[2:])
    if holder is None or not table:
        return entry
    inside = [path for path in places.values if len(path) == 4 and path[:3] == (*holder, *table)]
    for path in inside:
        listed = isinstance(path[3], int)
        key = _text(places, path) if listed else str(path[3])
        if any(_is(key, name, rates) for name in names):
            return (places.key(path) if subject[0] == "start" else places.value(path)) or entry
    whole = (*holder, *table)
    return (places.key(whole) if whole in places.keys else None) or entry


def place_in(places: Places | None, entry: Place | None, table: str, name: str) -> Place | None:
    """Where a value stands in a table of an entry; else the table."""
    return None if places is None or entry is None else _within(("fit", table, name), places, entry, {})


def _driven(name: str, places: Places, entry: Place) -> Place | None:
    """Where an entry itself says what drives an input."""
    holder = next((path for path in places.keys if len(path) == 2 and places.key(path) == entry), ())
    path = (*holder, "inputs", name)
    return places.value(path) if holder and path in {**places.values, **places.keys} else None


def _is(key: str, name: str, rates: Rates) -> bool:
    """Does a key of the file mean this name, ``dot(x)`` the velocity that is the rate of x?"""
    return key == name or (name in rates and key.replace(" ", "") == f"dot({rates[name]})")


def _text(places: Places, path: Path) -> str:
    span = places.values[path]
    return places.text[span.start : span.end].strip("\"'")
