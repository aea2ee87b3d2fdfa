"""The heading of a table: names, units in it or in a row of their own, and columns that are uncertainties (E540)."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

from ..errors import InvalidValue, as_given
from ..errors.alike import apart, twins
from ..errors.remedies import Option, Words
from .layout import MISSING, Layout, Line, is_number, place

LONGEST = 200  # characters of a name with its unit
_OWN = "give every column a name of its own"
_UNCERTAIN = re.compile(r"(?:sigma|u|σ)\s*\(\s*([^()]*?)\s*\)|(?:sigma|σ)_([^\s/()\[\]]+)")
_BRACKETS = re.compile(r"(.*?[^\s/])\s*/?\s*(?:\[([^\[\]]*)\]|\(([^()]*(?:\([^()]*\)[^()]*)*)\))")
_SLASH = re.compile(r"([^/]*[^/\s])\s*/\s*(\S.*)")
_WORD = re.compile(r"[^\W\d_]|[°%µ]")


def split(cell: str) -> tuple[str, str]:
    """Name and unit of ``x [cm]``, ``x (cm)``, ``x/cm`` or ``x``: ``("x", "cm")``, the unit empty if there is none."""
    if _UNCERTAIN.fullmatch(cell):
        return cell, ""
    found = _BRACKETS.fullmatch(cell)
    if found:
        return found[1], (found[2] or found[3] or "").strip()
    found = _SLASH.fullmatch(cell)
    return (found[1], found[2]) if found else (cell, "")


def uncertain(name: str, names: Collection[str]) -> str:
    """The column whose uncertainty this one holds: ``x`` for ``sigma_x``, ``sigma(x)``, ``u(x)``; empty if none."""
    found = _UNCERTAIN.fullmatch(name)
    base = (found[1] or found[2]) if found else ""
    return base if base in names else ""


def check_heading(head: Line, layout: Layout, file: str, comment: Line | None) -> list[str]:
    """The cells of the heading.

    Raises:
        InvalidValue: E540, numbers in the place of names, a name missing, or twice.
    """
    parts = layout.cells(head.text)
    while parts and not parts[-1]:
        parts.pop()
    seen: dict[str, int] = {}
    for i, part in enumerate(parts):
        if is_number(part) or part.lower() in MISSING - {"", "?"}:
            raise _headless(head, layout, file, comment)
        name = split(part)[0] if len(part) <= LONGEST else part
        fact = _wrong(name, i, seen)
        if fact:
            raise InvalidValue("E540", fact, _OWN).at(place(file, head, parts, i))
        seen[name] = i
    fact = _alike(seen)
    if fact:
        raise InvalidValue("E540", fact, _OWN).at(place(file, head))
    return parts


def check_names(names: Sequence[str]) -> None:
    """E540: what is given by name and not in a file has a name that is none, twice, or one that looks like another."""
    seen: dict[str, int] = {}
    for i, name in enumerate(names):
        fact = _wrong(name, i, seen)
        if fact:
            raise InvalidValue("E540", fact, _OWN)
        seen[name] = i
    fact = _alike(seen)
    if fact:
        raise InvalidValue("E540", fact, _OWN)


def _alike(names: Collection[str]) -> str:
    """Which two names look alike, if any do."""
    pair = None if all(map(str.isascii, names)) else twins(names)
    return f"{pair[0]} and {pair[1]} look alike: {apart(*pair)}" if pair else ""


def _wrong(name: str, i: int, seen: Collection[str]) -> str:
    """What is wrong with the name of column i; nothing if it is one."""
    strange = next((c for c in name if not c.isprintable()), "")
    if not name:
        return f"column {i + 1} has no name"
    if len(name) > LONGEST:
        return f"the name of column {i + 1} has {len(name)} characters, the limit is {LONGEST}"
    if strange:
        return f"the name of column {i + 1} holds the character U+{ord(strange):04X}, which is not seen"
    return f"the name {as_given(name)} stands twice" if name in seen else ""


def _headless(head: Line, layout: Layout, file: str, comment: Line | None) -> InvalidValue:
    count = len(layout.cells(head.text))
    if comment is not None and len(layout.cells(comment.text.lstrip("# "))) == count > 1:
        remedy: Words = f"take the # away before the names in line {comment.number}"
    else:
        names = ("t", "x", "y", "z")[:count] if count <= 4 else ("t", "x", "y", "...")
        remedy = (
            f"write a first line with names, such as {','.join(names)}, or give them: ",
            Option("read.columns", list(names)),
        )
    error = InvalidValue("E540", f"{file} has no heading: line {head.number} holds numbers", remedy)
    error.at(place(file, head))
    return error


def unit_row(parts: Sequence[str]) -> list[str] | None:
    """Units, if that is what the cells of a row are: no number among them but a 1, and one at least with letters."""
    plain = [part.strip("[]() ") if part.strip()[:1] in ("[", "(") else part for part in parts]
    if any(is_number(part) and part != "1" for part in plain):
        return None
    if not any(_WORD.search(part) and part.lower() not in MISSING for part in plain):
        return None
    return ["" if part.lower() in MISSING or part == "1" else part for part in plain]
