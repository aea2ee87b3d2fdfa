"""A path written to NumPy's ``.npz``: arrays and plain JSON text only, and what is said there of the path.

A file may come from anyone: `check_meta` looks at what it says of itself before anything relies on it.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping
from dataclasses import asdict, fields, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ..output_file import Maker, as_form
from .audit import FAILED, OK, SUSPECT, Audit, Ending
from .interpolant import steps_of
from .npz_archive import write

if TYPE_CHECKING:
    from . import Trajectory

VERSION, UNSEALED, STATES_ONLY = 3, 2, 1  # of the format; in the first, paths knew their states alone between samples
ARRAYS = ("t", "values", "step_t", "step_y", "step_h", "step_F")
Check = Callable[[Any], bool]


def _text(found: object) -> bool:
    return isinstance(found, str)


def _name(found: object) -> bool:
    return isinstance(found, str) and found.isprintable() and found.strip() != ""


def _number(found: object) -> bool:
    if isinstance(found, int) and not isinstance(found, bool):
        return abs(found) < 2**1023  # as a float it is finite
    return isinstance(found, float)


def _finite(found: Any) -> bool:
    return _number(found) and math.isfinite(found)


def _count(found: object) -> bool:
    return isinstance(found, int) and _number(found) and found >= 0


def _list_of(check: Check) -> Check:
    return lambda found: isinstance(found, list) and all(map(check, found))


def _by_name(check: Check) -> Check:
    return lambda found: isinstance(found, dict) and all(map(check, found.values()))


def _or_none(check: Check) -> Check:
    return lambda found: found is None or check(found)


def _mark(found: object) -> bool:
    """[times, values at each, names of the values]."""
    if not (isinstance(found, list) and len(found) == 3):
        return False
    t, values, names = found
    fits = _list_of(_number)(t) and _list_of(_list_of(_number))(values) and _list_of(_name)(names)
    return fits and len(values) == len(t) and all(len(row) == len(names) for row in values)


def _mode(found: object) -> bool:
    """[time, name of a contact, word]."""
    return isinstance(found, list) and len(found) == 3 and _number(found[0]) and all(map(_name, found[1:]))


def _by_names(check: Check) -> Check:
    return lambda found: _by_name(check)(found) and all(map(_name, found))


def _branching(found: object) -> bool:
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


def _check_texts(found: object) -> None:
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


def _check(found: object, table: Mapping[str, Check]) -> None:
    if not isinstance(found, dict):
        raise ValueError(type(found).__name__)
    for key, check in table.items():
        if not check(found[key]):
            raise ValueError(key)


# --- writing ---------------------------------------------------------------------------------------------------------

_ELSE = "; dalembert export path.npz writes a table (--csv), a page, a figure or NetCDF of it"


def save(path: Trajectory, file: object, maker: Maker) -> None:
    """Write a path; the file appears whole or not at all.

    Raises:
        Unwritable: E530, it cannot be written there; what was there is as it was.
        WrongType, InvalidValue: E501, not the name of a file; E307, one of a file of another form.
    """
    as_form(file, (".npz",), "a path is stored as NumPy's .npz", _ELSE)
    steps = steps_of(path)
    meta = {
        "format": VERSION,
        "names": path.names,
        "states": path.states,
        "outcome": path.outcome,
        "reached": path.reached,
        "ending": asdict(path.ending),
        "audit": _record(path.audit),
        "provenance": dict(path.provenance),
        "marks": {k: [m.t.tolist(), m.values.tolist(), list(m.names)] for k, m in path.marks.items()},
    }
    meta |= {"branches": [[b.t, b.position, b.tangents, b.taken] for b in path.branches]} if path.branches else {}
    meta |= {"modes": [list(mode) for mode in path.modes]} if path.modes else {}
    arrays: dict[str, Any] = dict(zip(ARRAYS, (path.t, path.values, steps.t, steps.y, steps.h, steps.F), strict=True))
    numbers = {name: np.asarray(array, np.float64) for name, array in arrays.items()}
    write(file, {"meta": np.frombuffer(json.dumps(meta).encode(), np.uint8), **numbers}, maker)


def _record(audit: Audit) -> dict[str, Any]:
    """The audit as data; its remarks under the name by which they are read."""
    fields = asdict(replace(audit, remarks=audit.notes))
    return {"notes": fields.pop("remarks"), **fields}
