"""``[[body]]``: expressions are read here, each refused at its own place; what they make is checked by the model."""

from __future__ import annotations

from collections.abc import Sequence

import sympy as sp

from ..calculus.quantity import has_unit
from ..model.bodies import AXES
from .places import Path
from .schema import BodyTable
from .texts import Texts

_PLACES = ("radius", "thickness", "height", "size", "from_", "to", "at", "trace")


def bodies(given: Sequence[BodyTable], texts: Texts) -> list[dict[str, object]]:
    """Entries of `System(bodies=...)`."""
    return [_body(entry, ("body", n), texts) for n, entry in enumerate(given)]


def _body(entry: BodyTable, path: Path, texts: Texts) -> dict[str, object]:
    found: dict[str, object] = {"shape": entry.shape, "name": entry.name, "on": entry.on, "both": entry.both}
    for part in _PLACES:
        key = part.rstrip("_")
        found[key] = _length(getattr(entry, part), (*path, key), f"{key} of the body", texts)
    found["turn"] = _turn(entry.turn, (*path, "turn"), texts)
    return {key: value for key, value in found.items() if value is not None}


def _length(given: object, path: Path, where: str, texts: Texts) -> object:
    """An expression, or a list of them; values with a unit, and what is neither, are left to the model."""
    if isinstance(given, list):
        return [_length(each, (*path, n), where, texts) for n, each in enumerate(given)]
    if isinstance(given, bool | None) or not isinstance(given, str | int | float):
        return given
    if isinstance(given, str) and has_unit(given):
        return given
    return texts.read(given, path, where)


def _turn(given: object, path: Path, texts: Texts) -> object:
    if isinstance(given, list):
        return [_step(each, (*path, n), texts) for n, each in enumerate(given)]
    return None if given is None else [_step(given, path, texts)]


def _step(given: object, path: Path, texts: Texts) -> object:
    """An axis and the angle behind it; anything else as it is."""
    axis, _, angle = given.strip().partition(" ") if isinstance(given, str) else ("", "", "")
    if axis not in AXES or not angle.strip():
        return given
    # blanks in the axis' place, so that a refusal points into the text
    read: sp.Expr | None = texts.read(str(given).replace(axis, " ", 1), path, "turn of the body")
    return axis, sp.S.Zero if read is None else read
