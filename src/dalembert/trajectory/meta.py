"""What a stored path says about itself. It is checked before anything relies on it: a file may come from anyone."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import fields
from typing import Any

from .audit import FAILED, OK, SUSPECT, Audit
from .ending import Ending

VERSION, UNSEALED, STATES_ONLY = 3, 2, 1  # of the format; in the first, paths knew their states alone between samples
ARRAYS = ("t", "values", "step_t", "step_y", "step_h", "step_F")
Check = Callable[[Any], bool]


def _text(found: Any) -> bool:
    return isinstance(found, str)


def _name(found: Any) -> bool:
    return isinstance(found, str) and found.isprintable() and found.strip() != ""


def _number(found: Any) -> bool:
    if isinstance(found, int) and not isinstance(found, bool):
        return abs(found) < 2**1023  # as a float it is finite
    return isinstance(found, float)


def _finite(found: Any) -> bool:
    return _number(found) and math.isfinite(found)


def _count(found: Any) -> bool:
    return isinstance(found, int) and _number(found) and found >= 0


def _list_of(check: Check) -> Check:
    return lambda found: isinstance(found, list) and all(map(check, found))


def _by_name(check: Check) -> Check:
    return lambda found: isinstance(found, dict) and all(map(check, found.values()))


def _or_none(check: Check) -> Check:
    return lambda found: found is None or check(found)


def _mark(found: Any) -> bool:
    """[times, values at each, names of the values]."""
    if not (isinstance(found, list) and len(found) == 3):
        return False
    t, values, names = found
    fits = _list_of(_number)(t) and _list_of(_list_of(_number))(values) and _list_of(_name)(names)
    return fits and len(values) == len(t) and all(len(row) == len(names) for row in values)


def _mode(found: Any) -> bool:
    """[time, name of a contact, word]."""
    return isinstance(found, list) and len(found) == 3 and _number(found[0]) and all(map(_name, found[1:]))


def _by_names(check: Check) -> Check:
    return lambda found: _by_name(check)(found) and all(map(_name, found))


def _branching(found: Any) -> bool:
    """[time, position, tangents, which of these was taken]."""
    if not (isinstance(found, list) and len(found) == 4 and _finite(found[0]) and _by_names(_finite)(found[1])):
        return False
    return _list_of(_by_names(_finite))(found[2]) and _count(found[3]) and found[3] < len(found[2])


_TEXTS, _NUMBERS = _list_of(_text), _by_name(_finite)
_WHOLE = {
    "names": _list_of(_name), "states": _count, "outcome": _text, "reached": lambda found: isinstance(found, bool),
    "marks": _by_names(_mark),
}  # fmt: skip
_ENDING = {f.name: _text for f in fields(Ending)}
_AUDIT = {
    "verdict": lambda found: found in (OK, SUSPECT, FAILED), "reasons": _TEXTS, "notes": _TEXTS,
    "constraints": _by_names(_number), "momenta": _by_names(_number),
    "steps": _count, "rejected": _count, "evaluations": _count,
}  # fmt: skip
_PROVENANCE = {
    "title": lambda found: _text(found) and found.isprintable(), "principle": _text, "cite": _TEXTS, "follows": _TEXTS,
    "sources": _by_name(_text), "versions": _by_name(_text), "parameters": _NUMBERS, "start": _NUMBERS,
    "t0": _or_none(_finite), "until": _or_none(_finite), "rtol": _or_none(_finite),
}  # fmt: skip


def check_meta(meta: Any) -> None:
    """ValueError where this is nothing that `save` writes."""
    _check_texts(meta)
    _check(meta, _WHOLE)
    if "modes" in meta:
        _check(meta, {"modes": _list_of(_mode)})
    if "branches" in meta:
        _check(meta, {"branches": _list_of(_branching)})
    if "ending" in meta:  # paths of earlier versions have none
        _check(meta["ending"], _ENDING)
    _check(meta["audit"], _AUDIT)
    numbers = {f.name for f in fields(Audit)} - _AUDIT.keys() - {"remarks"}
    _check(meta["audit"], dict.fromkeys(numbers & meta["audit"].keys(), _number))
    _check(meta["provenance"], {key: check for key, check in _PROVENANCE.items() if key in meta["provenance"]})


def _check_texts(found: Any) -> None:
    """ValueError where any text in it could steer a terminal or turn the way it is read."""
    if isinstance(found, str):
        if not all(c.isprintable() or c in "\n\t" for c in found):
            raise ValueError(found)
    elif isinstance(found, Mapping):
        for key, value in found.items():
            _check_texts(key)
            _check_texts(value)
    elif isinstance(found, list):
        for value in found:
            _check_texts(value)


def _check(found: Any, table: Mapping[str, Check]) -> None:
    if not isinstance(found, dict):
        raise ValueError(type(found).__name__)
    for key, check in table.items():
        if not check(found[key]):
            raise ValueError(key)
