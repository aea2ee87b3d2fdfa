"""A path written to a file: NumPy's ``.npz``, arrays and plain JSON text only."""

from __future__ import annotations

import json
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ..output import Maker, as_form
from .archive import write
from .audit import Audit
from .meta import ARRAYS, VERSION
from .steps import steps_of

if TYPE_CHECKING:
    from . import Trajectory


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
