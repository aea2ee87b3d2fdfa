"""Paths in files: NumPy's ``.npz``, arrays and plain JSON text only, never pickled objects."""

from __future__ import annotations

import json
import struct
import zlib
from dataclasses import asdict
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np

from ..errors import InvalidValue, MissingFile
from . import Marks, Trajectory
from .audit import Audit
from .interpolant import Interpolant

_VERSION = 1
_DAMAGE = (
    OSError,
    KeyError,
    TypeError,
    ValueError,
    EOFError,
    NotImplementedError,
    BadZipFile,
    zlib.error,
    struct.error,
)
_ARRAYS = ("t", "values", "step_t", "step_y", "step_h", "step_F")


def save(path: Trajectory, file: Any) -> None:
    """Write a path; the file appears whole or not at all."""
    steps = getattr(path.dense, "interpolant", None)
    if steps is None:
        steps = path.dense if isinstance(path.dense, Interpolant) else Interpolant(*np.zeros((4, 0)))
    meta = {
        "format": _VERSION,
        "names": path.names,
        "states": path.states,
        "outcome": path.outcome,
        "reached": path.reached,
        "audit": asdict(path.audit),
        "provenance": dict(path.provenance),
        "marks": {k: [m.t.tolist(), m.values.tolist(), list(m.names)] for k, m in path.marks.items()},
    }
    arrays: dict[str, Any] = dict(zip(_ARRAYS, (path.t, path.values, steps.t, steps.y, steps.h, steps.F), strict=True))
    target = Path(file)
    draft = target.with_name(target.name + ".part")
    with draft.open("wb") as stream:
        np.savez(stream, meta=np.frombuffer(json.dumps(meta).encode(), np.uint8), **arrays)
    draft.replace(target)


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
        if meta["format"] != _VERSION:
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
    states = int(meta["states"])
    steps = Interpolant(
        arrays["step_t"], arrays["step_y"][:, :states], arrays["step_h"], arrays["step_F"][..., :states]
    )
    names = tuple(meta["names"])
    marks = {k: Marks(np.array(t), np.array(v).reshape(len(t), -1), tuple(n)) for k, (t, v, n) in meta["marks"].items()}
    fields: dict[str, Any] = {k: tuple(v) if isinstance(v, list) else v for k, v in meta["audit"].items()}
    audit = Audit(**fields)

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
