"""Which place of a file an error of the system speaks of, told by the names in its text."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from ..errors import DalembertError, Place, Problems
from ..errors.surfaces import FILE
from .places import Path, Places

OF_A_FIT = ("E317", "E549", "E55")
_OF_A_START = ("E207", "E229", "E23", "E24")

_L = re.compile(r"(?:\bL\b|Lagrangian|kinetic energy|mass matrix)")
# names that are words or units too: a message means them only where it says so
_WORDS = {"a", "I", "m", "s", "g", "kg", "N", "J", "K", "A", "W", "is", "in", "of", "on", "at", "t", "u", "number"}
_ABOUT = re.compile(
    r"\bin term \d+ of (.+?)$|: the force on (\w+)|\bthe constraint (\w+)|\bconstrained by (\w+)|^(\w+) = "
)


def locate(error: DalembertError, system: Any, places: Places | None, entry: Place | None = None) -> DalembertError:
    """The error in words of a file and with its place, if one can be told.

    Args:
        error: of the system, of a start, or several.
        system: whose names the error uses; or None.
        places: of the file; without them only the words change.
        entry: the place of the run that it came from: what a start lacks is told there.
    """
    rates = {str(u): str(q) for q, u in system.space.rates.items()} if system is not None else {}
    if isinstance(error, Problems):
        for problem in error.problems:
            locate(problem, system, places, entry)
        return error
    if places is None:
        return error
    error.on(FILE)
    if error.where is not None:
        return error
    if error.code.startswith(_OF_A_START) and entry is not None:
        return error.at(_in_start(error, places, entry, rates))
    if error.code.startswith(OF_A_FIT) and entry is not None:
        return error.at(_in_fit(error, places, entry))
    path = path_of(error, system, places)
    return error if path is None else error.at(places.value(path))


def _in_start(error: DalembertError, places: Places, entry: Place, rates: Mapping[str, str]) -> Place:
    """The first value of the start that the error names; else the start, else its entry."""
    holder = _holder(places, entry)
    if holder is None:
        return entry
    own = [path for path in places.values if len(path) == 4 and path[:3] == (*holder, "start")]
    lacking = error.code in ("E230", "E234")  # then no value is wrong
    first = re.match(r"\w+", error.fact)
    for text in () if lacking else (first[0] if first else "", error.fact, error.remedy, error.detail):
        for path in own:
            names = {str(path[3]), *(u for u, q in rates.items() if f"dot({q})" == str(path[3]).replace(" ", ""))}
            if any(_mentions(text, name) for name in names):
                return places.key(path) or entry
    return places.key((*holder, "start")) or entry


def _holder(places: Places, entry: Place) -> Path | None:
    """The path of an entry."""
    return next((path for path in places.keys if len(path) == 2 and places.key(path) == entry), None)


def place_in(places: Places | None, entry: Place | None, table: str, name: str) -> Place | None:
    """Where a value stands in a table of an entry; else the table."""
    holder = None if places is None or entry is None else _holder(places, entry)
    return None if places is None or holder is None else places.value((*holder, table, name))


def _in_fit(error: DalembertError, places: Places, entry: Place) -> Place:
    """What the error names in a fit: a bound or a prior, a column, something free; else its entry."""
    holder = _holder(places, entry)
    for table in ("bounds", "priors", "columns", "uncertainty", "free") if holder is not None else ():
        for path in places.values:
            if path[:3] == (*(holder or ()), table) and len(path) == 4:
                name = _unquoted(places, path) if table == "free" else str(path[3])
                if _mentions(error.fact, name) and (table not in ("bounds", "priors") or table[:5] in error.fact):
                    return places.value(path) or entry
    return entry


def path_of(error: DalembertError, system: Any, places: Places) -> Path | None:
    """Path of the value that an error is about."""
    known = dict(_labels(places))
    text = f"{error.fact}\n{error.detail}"
    said = [group for m in _ABOUT.finditer(error.fact) for group in m.groups() if group]
    own = {name for name in known if name not in _WORDS}
    tables = [path for path in places.keys if path[0] in ("force", "friction") and len(path) == 2]
    if tables and "the force on " in error.fact and not any(name in known for name in said):
        return tables[0]
    for name in (*said, *(name for name in known if name in own and _mentions(error.fact, name))):
        found = known.get(name) or next((known[label] for label in known if _mentions(name, label)), None)
        if found is not None:
            return found
    if _L.search(text) and ("lagrangian", "L") in places.values:
        return "lagrangian", "L"
    return next((known[name] for name in known if name in own and _mentions(text, name)), None)


def _mentions(text: str, name: str) -> bool:
    return bool(re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text))


def _labels(places: Places) -> Iterator[tuple[str, Path]]:
    """What messages call the parts of a file, and where these stand; constraints come first."""
    for key, value in (("constraint", "phi"), ("equivalent", "phi"), ("wall", "guard"), ("force", "force")):
        for path in places.values:
            if len(path) == 3 and path[0] == key and path[2] == "name":
                yield _unquoted(places, path), (*path[:2], value)
    for label in ("L", "the Lagrangian"):
        if ("lagrangian", "L") in places.values:
            yield label, ("lagrangian", "L")
    for path in places.keys:
        if len(path) == 2 and path[0] in ("parameters", "momenta", "inertias", "forces", "definitions", "units"):
            yield str(path[1]), path
            if path[0] == "forces":
                yield re.sub(r"dot\(\s*(\w+)\s*\)", r"v\1", str(path[1])), path
        elif (len(path) == 3 and path[:2] == ("space", "coordinates")) or (
            len(path) == 3 and path[:2] == ("symmetry", "generators")
        ):
            yield str(path[2]), path


def _unquoted(places: Places, path: Path) -> str:
    span = places.values[path]
    return places.text[span.start : span.end].strip("\"'")
