"""What a run was begun with, kept with its path: a run that goes on must ask for the same motion."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import fields, replace
from pathlib import Path

from ..errors import InvalidValue
from ..study.again import tables_of
from ..study.inputs import ColumnSpec
from ..study.study import RunSpec, Study, SweepSpec
from ..trajectory import Trajectory
from ..trajectory.loading import load
from .defined import without_columns
from .results import is_interrupted

ASKED = "asked"  # its key in the provenance
# what does not change a motion
_WORDS = ("schema", "title", "cite", "run", "compare", "sweep", "family", "fit", "body", "scene", "explore")
_NOT_MOTION = ("name", "until", "samples", "where", "start_of")
_TOLD, _DIGITS = 4, 12


def asked(study: Study, spec: RunSpec | SweepSpec) -> dict[str, str]:
    """All that the motion of a run follows from, or of each member of a sweep, each thing with a sum.

    The time at which to end, and the times that are stored, are no part of it; what columns of files hold is.

    Raises:
        DalembertError: E317, E501 to E547 for a file that holds the column of an input; E182 where that is no table.
    """
    tables: dict[str, object] = {k: v for k, v in tables_of(study).items() if k not in _WORDS}
    run = {each.name: getattr(spec, each.name) for each in fields(spec) if each.name not in _NOT_MOTION}
    return {**_flat("", tables), **_flat("run.", run), **_columns(spec.inputs)}


def _flat(before: str, tables: Mapping[str, object]) -> dict[str, str]:
    """Each value of each table under its dotted name."""
    found: dict[str, str] = {}
    for name, given in tables.items():
        each = {f"{name}.{key}": v for key, v in given.items()} if isinstance(given, Mapping) else {name: given}
        found |= {f"{before}{key}": _sum(value) for key, value in each.items()}
    return found


def _columns(inputs: Mapping[str, object]) -> dict[str, str]:
    """What stands in the columns of files that drive inputs."""
    read = [(given, given.table()) for given in inputs.values() if isinstance(given, ColumnSpec)]
    rows = {f"column {given.column} of {given.file}": (table.times, table.values) for given, table in read}
    return {name: _sum([each.tolist() for each in columns]) for name, columns in rows.items()}


def _sum(value: object) -> str:
    text = json.dumps(value, sort_keys=True, default=repr)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:_DIGITS]


def told(path: Trajectory, study: Study, spec: RunSpec) -> Trajectory:
    """The path that says what it was begun with."""
    return replace(path, provenance={**path.provenance, ASKED: asked(study, spec)})


def interrupted(file: Path, study: Study, spec: RunSpec) -> Trajectory | None:
    """The stored path of this run if it was interrupted, or None.

    Raises:
        InvalidValue: E521, it is the path of another motion, or is finished and goes farther.
    """
    path = load(file) if file.exists() else None
    if path is None:
        return None
    before, now, finished = path.provenance.get(ASKED), asked(study, spec), not is_interrupted(path)
    if not isinstance(before, Mapping):
        if finished:
            return None
        raise InvalidValue("E521", f"{file} does not say what it was begun with", "run again without --resume")
    other = sorted(name for name in {*before, *now} if before.get(name) != now.get(name))
    if other:
        told = ", ".join(map(str, other[:_TOLD])) + (f" and {len(other) - _TOLD} more" if len(other) > _TOLD else "")
        why = "its path would be replaced" if finished else "one path would be of two motions"
        fact = f"{file} was begun with another {told}: {why}"
        raise InvalidValue("E521", fact, "ask for what it was begun with, or run without --resume")
    if finished and path.t[-1] > spec.until:
        fact = f"{file} reaches t = {path.t[-1]:g}: what lies after {spec.until:g} would be lost"
        raise InvalidValue("E521", fact, "leave --until out, or run without --resume")
    return None if finished else without_columns(study, path)
