"""A path read from a file: arrays and plain JSON text only, never pickled objects."""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from ..errors import InvalidValue
from ..given import public
from . import Branching, Marks, Trajectory, consistency
from .archive import opened
from .audit import Audit
from .ending import Ending
from .interpolant import Interpolant
from .meta import ARRAYS, STATES_ONLY, UNSEALED, VERSION, check_meta


@public
def load(file: Any) -> Trajectory:
    """Read a path that `Trajectory.save` wrote. Nothing in the file is trusted, and nothing in it is run.

    Raises:
        MissingFile: E501, there is no such file.
        WrongType, InvalidValue: E501 not the name of a file, E502 a folder, E503 it may not be read, E510 a pipe or
            device, E520 not such a file, E522 of a newer format, E523 damaged, E524 it announces more than it holds,
            E525 contents that were never written by `Trajectory.save`.
    """
    with opened(file) as archive:
        meta = json.loads(archive.array("meta", "|u1").tobytes().decode(), object_pairs_hook=_once)
        _check_format(archive.file, meta["format"])
        check_meta(meta)
        archive.only(("meta", *ARRAYS))
        found = _assemble(meta, {name: archive.array(name) for name in ARRAYS})
        if meta["format"] > UNSEALED:
            archive.verify()
        return found


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """ValueError where a key stands twice: which one counts depends on the reader."""
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a key twice")
    return found


def _check_format(file: Any, found: Any) -> None:
    if isinstance(found, int) and not isinstance(found, bool) and found > VERSION:
        fact = f"{file} was written in format {found}, this version knows {VERSION}"
        raise InvalidValue("E522", fact, "pip install --upgrade dalembert")
    if type(found) is not int or found < STATES_ONLY:
        raise ValueError(found)


def _assemble(meta: dict[str, Any], arrays: dict[str, np.ndarray]) -> Trajectory:
    states, names = meta["states"], tuple(meta["names"])
    _check_shapes(names, states, *(arrays[name] for name in ARRAYS))
    known = states if meta["format"] == STATES_ONLY else len(names)
    steps = Interpolant(arrays["step_t"], arrays["step_y"][:, :known], arrays["step_h"], arrays["step_F"][..., :known])
    marks = {name: _marks(*given) for name, given in meta["marks"].items()}
    fields: dict[str, Any] = {k: tuple(v) if isinstance(v, list) else v for k, v in meta["audit"].items()}
    audit = Audit(remarks=fields.pop("notes"), **fields)
    path = Trajectory(
        arrays["t"],
        names,
        arrays["values"],
        steps,
        audit,
        marks,
        meta["outcome"],
        meta["reached"],
        states,
        meta["provenance"],
        _ending(meta),
        modes=[(t, name, word) for t, name, word in meta.get("modes", ())],
        branches=tuple(Branching(t, place, tuple(us), taken) for t, place, us, taken in meta.get("branches", ())),
    )
    consistency.check(path, steps)
    return path


def _ending(meta: dict[str, Any]) -> Ending:
    if "ending" not in meta:
        return Ending.told(meta["outcome"], meta["reached"])
    return Ending(meta["ending"]["event"], meta["ending"]["code"])


def _check_shapes(names: tuple[str, ...], states: int, *arrays: np.ndarray) -> None:
    """ValueError where arrays and names do not belong together."""
    t, values, step_t, step_y, step_h, step_F = arrays
    fits = (
        all(isinstance(name, str) for name in names) and len(set(names)) == len(names) and 0 <= states <= len(names),
        t.ndim == step_t.ndim == 1 and values.shape == (len(t), len(names)),
        step_y.ndim == 2 and step_F.ndim == 3 and step_y.shape[1] == step_F.shape[2] >= states,
        len(step_y) == len(step_t) == len(step_h) + 1 == len(step_F) + 1 and step_h.ndim == 1,
    )
    if not all(fits):
        raise ValueError(names)


def _marks(t: list[float], values: list[list[float]], names: list[str]) -> Marks:
    return Marks(np.array(t, float), np.array(values, float).reshape(len(t), len(names)), tuple(names))
