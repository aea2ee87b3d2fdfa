"""What is said, stored and drawn of a family: its rows, as text, as data, as a table and as arrays."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from ..numerics.families.equilibria import Branch
from ..numerics.families.orbits import Orbits
from ..output import Maker
from ..show.family import changing
from ..study.study import FamilySpec, Study
from ..trajectory.archive import write
from . import runs
from .stored_family import ARRAYS, FORMAT
from .sweeps import some

Family = Branch | Orbits
_ROUNDING = 1e-14
_WORST = {"eigenvalue": "growth", "multiplier": "multiplier"}
_FIT = 4  # columns on a line of 80, beside the eigenvalue and the verdict


def heads(found: Family) -> list[str]:
    """Columns: what changes, the period and the drifts, and the states."""
    return list(dict.fromkeys([found.parameter, *found.beside, *found.names]))


def summary(found: Family, title: str, columns: Sequence[str] = (), rows: int | None = None) -> str:
    """What was followed, its special points, and rows of it: all, or the first ones and the last."""
    kind, values = found.spectrum
    usual = dict.fromkeys([found.parameter, *found.beside, *changing(found)])
    kept = list(dict.fromkeys(columns or [*usual][:_FIT]))
    least = _ROUNDING * float(np.abs(found.states).max(initial=0.0))
    table = [np.where(np.abs(y) < least, 0.0, y) for y in map(found.__getitem__, kept)]  # E317, no such column
    worst = _worst(found, values)
    lines = [f"{title}", str(found), "  " + " ".join(f"{head[:11]:>11}" for head in [*kept, _WORST[kind]])]
    shown, behind, left = some(len(found), rows)
    for i in shown:
        cells = " ".join(f"{column[i]:>11.5g}" for column in table)
        last = f"{worst[i]:>11.5g}" if np.isfinite(worst[i]) else f"{'-':>11}"
        lines.append(f"  {cells} {last}{'' if found.stable[i] else '  unstable'}")
    at = len(lines) - len(shown) + behind
    lines[at:at] = [left] if left else []
    return "\n".join(lines)


def _worst(found: Family, values: np.ndarray) -> np.ndarray:
    """How fast a disturbance grows, or the largest size of a multiplier that is not trivial, (N,)."""
    if isinstance(found, Branch):
        return found.growth
    return np.asarray(np.where(found.trivial, -np.inf, np.abs(values)).max(axis=1, initial=-np.inf))


def as_data(spec: FamilySpec, found: Family) -> dict[str, object]:
    """A family for programs."""
    kind, values = found.spectrum
    columns = {name: found[name] for name in heads(found)}
    rows = [
        {
            **{name: float(column[i]) for name, column in columns.items()},
            f"{kind}s": [[float(v.real), float(v.imag)] for v in values[i]],
            "stable": bool(stable),
        }
        for i, stable in enumerate(found.stable)
    ]
    return {"name": spec.name, "principle": spec.principle, **about(found), "rows": rows}


def about(found: Family) -> dict[str, object]:
    """What was found beside the rows."""
    return {
        "kind": "steady" if isinstance(found, Branch) else "periodic",
        "parameter": found.parameter,
        "special": [{"kind": kind, "value": float(value)} for kind, value in found.special],
        "held": list(found.held),
        "ends": list(found.ends),
    }


def table(found: Family) -> tuple[list[str], list[list[float]]]:
    """Heads and rows: the columns, the parts of each eigenvalue or multiplier, and 1 where the motion is stable."""
    kind, values = found.spectrum
    own = heads(found)
    parts = [f"{kind}{k}_{part}" for k in range(1, values.shape[1] + 1) for part in ("re", "im")]
    numbers = np.column_stack([*(found[name] for name in own), _flat(values), found.stable.astype(float)])
    return [*own, *parts, "stable"], numbers.tolist()


def _flat(values: np.ndarray) -> np.ndarray:
    """Real and imaginary parts side by side, (N, 2 d)."""
    return np.stack([values.real, values.imag], axis=-1).reshape(len(values), -1)


def store(study: Study, spec: FamilySpec, found: Family, file: Path, maker: Maker) -> None:
    """The table in NumPy's ``.npz``: ``heads`` (JSON) and ``rows``, and ``about`` (JSON), what was asked and found.

    Raises:
        Unwritable: E530, it cannot be written.
    """
    names, rows = table(found)
    told = {"name": spec.name, "principle": spec.principle, **about(found)}
    told |= {"format": FORMAT, "title": study.title, "over": list(spec.over), **runs.origin(study, spec.name)}
    arrays = dict(zip(ARRAYS, (_text(names), np.array(rows, np.float64), _text(told)), strict=True))
    file.parent.mkdir(parents=True, exist_ok=True)
    write(file, arrays, maker)


def _text(value: object) -> np.ndarray:
    return np.frombuffer(json.dumps(value).encode(), np.uint8)
