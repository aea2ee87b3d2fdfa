"""Paths in files: NumPy's ``.npz``, arrays and plain JSON text only, never pickled objects."""

from __future__ import annotations

import json
import struct
import tokenize
import zlib
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np

from ..errors import InvalidValue, MissingFile
from . import Marks, Trajectory
from .audit import Audit
from .interpolant import Interpolant
from .tabulated import DEGREE, tabulated

_VERSION, _STATES_ONLY = 2, 1  # of the format; that in which paths knew their states alone between the samples
_DAMAGE = (
    OSError,
    KeyError,
    TypeError,
    ValueError,
    EOFError,
    NotImplementedError,
    tokenize.TokenError,  # numpy reads the header of an array as Python text
    BadZipFile,
    zlib.error,
    struct.error,
)
_ARRAYS = ("t", "values", "step_t", "step_y", "step_h", "step_F")


def save(path: Trajectory, file: Any) -> None:
    """Write a path; the file appears whole or not at all."""
    steps = path.dense if isinstance(path.dense, Interpolant) else tabulated(path.dense, knots(path), _degree(path))
    meta = {
        "format": _VERSION,
        "names": path.names,
        "states": path.states,
        "outcome": path.outcome,
        "reached": path.reached,
        "audit": _record(path.audit),
        "provenance": dict(path.provenance),
        "marks": {k: [m.t.tolist(), m.values.tolist(), list(m.names)] for k, m in path.marks.items()},
    }
    arrays: dict[str, Any] = dict(zip(_ARRAYS, (path.t, path.values, steps.t, steps.y, steps.h, steps.F), strict=True))
    target = Path(file)
    draft = target.with_name(target.name + ".part")
    with draft.open("wb") as stream:
        np.savez(stream, meta=np.frombuffer(json.dumps(meta).encode(), np.uint8), **arrays)
    draft.replace(target)


def _record(audit: Audit) -> dict[str, Any]:
    """The audit as data; its remarks under the name by which they are read."""
    fields = asdict(replace(audit, remarks=audit.notes))
    return {"notes": fields.pop("remarks"), **fields}


def knots(path: Trajectory) -> np.ndarray:
    """The times between which the path is one smooth piece each, as far as it is known between its samples."""
    steps = getattr(path.dense, "interpolant", path.dense)  # where the dense output adds columns to its interpolant
    return np.asarray(getattr(steps, "t", path.t), float)


def _degree(path: Trajectory) -> int:
    """The degree of its polynomials, where it is known and higher than usual."""
    steps = getattr(path.dense, "interpolant", None)
    return max(DEGREE, steps.F.shape[1]) if steps is not None else DEGREE


def load(file: Any) -> Trajectory:
    """Read a path that `Trajectory.save` wrote.

    Raises:
        MissingFile: E501, there is no such file.
        InvalidValue: E520, not such a file, or damaged.
    """
    try:
        with Path(file).open("rb") as stream, np.load(stream, allow_pickle=False) as data:
            meta = json.loads(data["meta"].tobytes().decode())
            arrays = {name: data[name] for name in _ARRAYS}
        if meta["format"] not in (_VERSION, _STATES_ONLY):
            raise InvalidValue(
                "E520", f"{file} was written in format {meta['format']}", f"this version reads {_VERSION}"
            )
        return _assemble(meta, arrays)
    except FileNotFoundError:
        raise MissingFile("E501", f"there is no file {file}", "check the name and the folder") from None
    except _DAMAGE as error:
        if isinstance(error, InvalidValue):
            raise
        raise InvalidValue(
            "E520", f"{file} is not a stored path, or is damaged", "simulate again, or use another copy"
        ) from None


def _assemble(meta: dict[str, Any], arrays: dict[str, np.ndarray]) -> Trajectory:
    states, names = int(meta["states"]), tuple(meta["names"])
    known = states if meta["format"] == _STATES_ONLY else len(names)
    steps = Interpolant(arrays["step_t"], arrays["step_y"][:, :known], arrays["step_h"], arrays["step_F"][..., :known])
    marks = {name: _marks(*given) for name, given in meta["marks"].items()}
    fields: dict[str, Any] = {k: tuple(v) if isinstance(v, list) else v for k, v in meta["audit"].items()}
    audit = Audit(remarks=fields.pop("notes"), **fields)
    return Trajectory(
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
    )


def _marks(t: list[float], values: list[list[float]], names: list[str]) -> Marks:
    return Marks(np.array(t, float), np.array(values, float).reshape(len(t), len(names)), tuple(names))
