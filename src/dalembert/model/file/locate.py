"""Which place of a file an error of the system speaks of, told by the names in its text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from ...errors import DalembertError, Problems
from .places import Path, Places

_L = re.compile(r"(?:\bL\b|Lagrangian|kinetic energy|mass matrix)")
_ABOUT = re.compile(
    r"\bin term \d+ of (.+?)$|: the force on (\w+)|\bthe constraint (\w+)|\bconstrained by (\w+)|^(\w+) = "
)


def locate(error: DalembertError, system: Any, places: Places | None) -> DalembertError:
    """The error with its place; unchanged where none can be told."""
    if isinstance(error, Problems):
        for problem in error.problems:
            locate(problem, system, places)
        return error
    if places is None or error.where is not None:
        return error
    path = path_of(error, system, places)
    return error if path is None else error.at(places.value(path))


def path_of(error: DalembertError, system: Any, places: Places) -> Path | None:
    """Path of the value that an error is about."""
    known = dict(_labels(places))
    text = f"{error.fact}\n{error.detail}"
    said = [group for m in _ABOUT.finditer(error.fact) for group in m.groups() if group]
    for name in (*said, *(name for name in known if _mentions(error.fact, name))):
        found = known.get(name) or next((known[label] for label in known if _mentions(name, label)), None)
        if found is not None:
            return found
    if _L.search(text) and ("lagrangian", "L") in places.values:
        return "lagrangian", "L"
    return next((known[name] for name in known if _mentions(text, name)), None)


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
        elif (len(path) == 3 and path[:2] == ("space", "coordinates")) or (
            len(path) == 3 and path[:2] == ("symmetry", "generators")
        ):
            yield str(path[2]), path


def _unquoted(places: Places, path: Path) -> str:
    span = places.values[path]
    return places.text[span.start : span.end].strip("\"'")
