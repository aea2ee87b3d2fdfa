"""Reading on after a refusal: the tables without what the schema refused, so that all problems of a file are found."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ValidationError

from .places import Path, Places
from .refusals import close_to, inside, keys, value_at

_FAR = 1e300
# what stands in for a value that is missing or refused, so that the rest of its table is read; nothing is made of it
_STAND_INS = {"schema": 1, "until": _FAR, "principle": "nonholonomic", "principles": ["nonholonomic", "vakonomic"]}


def repaired(
    tables: dict[str, Any], error: ValidationError, model: type[BaseModel], places: Places
) -> tuple[dict[str, Any], Places]:
    """The tables without what was refused, and where what is left of them stands; misspelt keys are taken as meant."""
    for problem in error.errors(include_url=False):
        loc = inside(problem["loc"], tables)
        if problem["type"] == "extra_forbidden":
            places = _rename(tables, loc, model, places)
        elif loc[-1] in _STAND_INS:
            _put(tables, loc, _STAND_INS[str(loc[-1])])
        elif loc[-1] == "name" and problem["type"] == "missing":
            _put(tables, loc, f"unnamed_{'_'.join(map(str, loc[:-1]))}")
        elif loc[:1] == ("parameters",) and len(loc) > 1:
            tables["parameters"][loc[1]] = {}
        else:
            _drop(tables, loc[:-1] if problem["type"] == "missing" else loc)
    return _without_gaps(tables, places, ())


def _rename(tables: dict[str, Any], loc: Path, model: type[BaseModel], places: Places) -> Places:
    """A misspelt key as the one that was meant, if that is not there; else it is left out."""
    holder, key = value_at(tables, loc[:-1]), loc[-1]
    meant = close_to(str(key), keys(model, loc[:-1]))
    if not isinstance(holder, dict) or key not in holder:
        return places
    value = holder.pop(key)
    if meant is None or meant in holder:
        return places
    holder[meant] = value
    return places.moved(loc[:-1], {key: meant})


def _put(tables: Any, loc: Path, value: Any) -> None:
    holder = value_at(tables, loc[:-1])
    if isinstance(holder, dict):
        holder[loc[-1]] = value


def _drop(tables: Any, loc: Path) -> None:
    """Leave out what stands there; an entry of a list becomes a gap."""
    holder = value_at(tables, loc[:-1]) if loc else None
    if isinstance(holder, dict):
        holder.pop(loc[-1], None)
    elif isinstance(holder, list) and isinstance(loc[-1], int) and loc[-1] < len(holder):
        holder[loc[-1]] = None


def _without_gaps(given: Any, places: Places, path: Path) -> tuple[Any, Places]:
    """Lists without their gaps, and the places of what moved."""
    if isinstance(given, dict):
        for key in given:
            given[key], places = _without_gaps(given[key], places, (*path, key))
        return given, places
    if not isinstance(given, list):
        return given, places
    if None in given:
        kept = [n for n, value in enumerate(given) if value is not None]
        names: dict[str | int, str | int | None] = dict.fromkeys(range(len(given)))
        names |= {n: i for i, n in enumerate(kept)}
        places = places.moved(path, names)
        given = [given[n] for n in kept]
    for n, value in enumerate(given):
        given[n], places = _without_gaps(value, places, (*path, n))
    return given, places
