"""Results of runs and comparisons, on disk and on the screen: where they lie, and their summaries as text and data."""

from __future__ import annotations

import hashlib
import itertools
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..argument_checks import one_of
from ..calculus.line_width import TERMINAL, folded
from ..equations.start import ENERGY
from ..errors import InvalidValue
from ..output_file import Maker
from ..trajectory import Trajectory
from ..trajectory.audit import INTERRUPTED
from ..trajectory.stored_path import save

if TYPE_CHECKING:
    import sympy as sp

    from ..comparison import Comparison
    from ..equations import Equations
    from ..model.space import Attitude
    from ..study.study import CompareSpec, SweepSpec


# --- columns of a summary --------------------------------------------------------------------------------------------

SHOWN = 5  # lines, unless columns are asked for
_WIDTH = 12
NOTHING: Mapping[str, sp.Expr] = MappingProxyType({})


class NumberAlongPath(NamedTuple):
    """A number along a path.

    Attributes:
        name: of it.
        values: (N,).
        unit: "" where none is known.
    """

    name: str
    values: np.ndarray
    unit: str = ""


def lines_of_columns(
    path: Trajectory, columns: Sequence[str] = (), defined: Mapping[str, sp.Expr] = NOTHING
) -> list[str]:
    """First and last value of each, a line each; the last line may name what is left out.

    `defined` says what columns stand for that the file defines.

    Raises:
        UnknownName: E317, a column that the path has not.
    """
    if columns:
        return [_row_of(_column(path, one_of(path.names, name, "the path", "column"), defined)) for name in columns]
    every = list(looked_at(path))
    shown = every if len(every) <= SHOWN else every[: SHOWN - 1]
    left = [each.name for each in every[len(shown) :]]
    return [*map(_row_of, shown), *([f"  and {', '.join(left)}"] if left else [])]


def check_columns(columns: Sequence[str], equations: Equations, defined: Iterable[str] = ()) -> None:
    """Refuse a column that no path of these equations will have, and that is not defined (UnknownName E317)."""
    contacts = equations.contacts.forces.values() if equations.contacts is not None else ()
    forces = [name for each in contacts for name in each]
    names = [*equations.states, *forces, *(s.name for s in equations.multipliers), ENERGY]
    names += [*equations.system.inputs, *defined]
    for name in columns:
        one_of(names, name, "the path", "column")


def _row_of(seen: NumberAlongPath) -> str:
    unit = f" {seen.unit}" if seen.unit else ""
    return f"  {seen.name:<{_WIDTH}}{seen.values[0]:>14.6g} -> {seen.values[-1]:.6g}{unit}"


def looked_at(path: Trajectory) -> Iterator[NumberAlongPath]:
    """Coordinates; rotations as the angle by which they have turned; where there is little of these, speeds."""
    space = getattr(path.system, "space", None)
    if space is None:
        yield from (_column(path, name) for name in path.names)
        return
    parts = {s.name for attitude in space.attitudes.values() for s in attitude.coordinates}
    plain = [q.name for q in space.coordinates if q.name not in parts]
    yield from (_column(path, name) for name in plain)
    yield from (
        NumberAlongPath(f"{name} turned", _turned(path, attitude), "deg") for name, attitude in space.attitudes.items()
    )
    if len(plain) + len(space.attitudes) < SHOWN - 1:
        yield from (_column(path, u.name) for u in space.velocities)


def _column(path: Trajectory, name: str, defined: Mapping[str, sp.Expr] = NOTHING) -> NumberAlongPath:
    unit = getattr(path.system, "unit", None)
    known = {**getattr(path.system, "symbols", {}), **getattr(getattr(path.system, "space", None), "by_name", {})}
    symbol = known.get(name, defined.get(name))
    return NumberAlongPath(name, path[name], unit(symbol) if unit and symbol is not None else "")


def _turned(path: Trajectory, attitude: Attitude) -> np.ndarray:
    """The angle in degrees between the attitude and that at the start, from 0 to 180 (N,)."""
    ends = [{s: path[s.name][i] for s in attitude.coordinates} for i in (0, -1)]
    first, last = (np.array(attitude.matrix.xreplace(end).tolist(), float) for end in ends)
    # 1 + 2 cos = trace R(0)^T R
    cos = np.clip((np.trace(first.T @ last) - 1) / 2, -1, 1)
    return np.array([0.0, np.degrees(np.arccos(cos))])


FOLDER = Path("results")


def folder(file: str) -> Path:
    """Where the results of a system file go."""
    return FOLDER / Path(file).stem


def plain_name(name: str) -> str:
    """A name as the name of a file."""
    return re.sub(r"[^\w.-]+", "-", name).strip("-.") or "run"


def lent(spec: CompareSpec | SweepSpec) -> list[str]:
    """Of an entry that begins as a run does: which, in a line."""
    return [f"start        that of the run {spec.start_of}"] if spec.start_of else []


def file_names(names: Iterable[str]) -> dict[str, str]:
    """Names as names of files, each another one: "a b" and "a-b" become a-b and a-b-2."""
    found: dict[str, str] = {}
    taken: set[str] = set()
    for name in names:
        tries = itertools.chain([plain_name(name)], (f"{plain_name(name)}-{i}" for i in itertools.count(2)))
        found[name] = next(each for each in tries if each.lower() not in taken)
        taken.add(found[name].lower())
    return found


def apart(*given: object) -> str:
    """What tells results of one name apart by what was given with it: nothing for nothing, and ``-1a2b3c4d``."""
    told = [str(each) for each in given if each is not None]
    return f"-{hashlib.sha256(json.dumps(told).encode()).hexdigest()[:8]}" if told else ""


def store(path: Trajectory, file: Path, maker: Maker) -> None:
    """Write a path, making its folder."""
    file.parent.mkdir(parents=True, exist_ok=True)
    save(path, file, maker)


def is_interrupted(path: Trajectory) -> bool:
    """Was it stopped by Ctrl-C?"""
    return path.ending.code == INTERRUPTED


def summary(
    path: Trajectory, file: Path | None, columns: Sequence[str] = (), defined: Mapping[str, sp.Expr] = NOTHING
) -> str:
    """What ran, how it ended, the audit, where it lies, each whole, on more lines where it is longer than one."""
    who = f"{path.provenance.get('title') or 'System'}: {path.provenance.get('principle', 'path')}"
    a = path.audit
    lines = [who, f"time         {path.t[0]:g} to {path.t[-1]:g}: {path.outcome}"]
    lines += lines_of_columns(path, columns, defined)
    lines += path.happened
    lines.append(f"verdict      {a.verdict}{': ' if a.reasons else ''}{a.reasons[0] if a.reasons else ''}")
    lines.append(f"constraints  largest residual {a.constraint_residual:.1e}")
    lines.append(f"energy       change {a.energy_change:.3g}, unaccounted {a.work_balance:.1e}")
    if file is not None:
        lines += [f"stored       {file}", f"next         dalembert export {file} --html --csv"]
    return "\n".join(part for line in lines for part in folded(line, TERMINAL, 13))


def as_data(name: str, path: Trajectory, file: Path | None) -> dict[str, Any]:
    """A path for programs."""
    a = path.audit
    return {
        "name": name,
        "principle": path.provenance.get("principle"),
        "outcome": path.outcome,
        "reached": path.reached,
        "file": file and str(file),
        "start": dict(path.provenance.get("start", {})),
        "end": {"t": float(path.t[-1]), **dict(zip(path.names, map(float, path.values[-1]), strict=True))},
        "events": {event: marks.t.tolist() for event, marks in path.marks.items()},
        "contacts": [{"t": float(t), "contact": name, "mode": mode} for t, name, mode in path.modes],
        "audit": {
            "verdict": a.verdict,
            "reasons": list(a.reasons),
            "constraints": dict(a.constraints),
            "energy_start": a.energy_start,
            "energy_change": a.energy_change,
            "work_balance": a.work_balance,
            "momenta": dict(a.momenta),
            "steps": a.steps,
            "rejected": a.rejected,
            "notes": list(a.notes),
        },
    }


def comparison_data(name: str, comparison: Comparison) -> dict[str, Any]:
    """A comparison for programs."""
    pairs = [
        {
            "first": pair.first,
            "second": pair.second,
            "verdict": pair.verdict,
            "agree": pair.agree,
            "parts_at": pair.parts_at,
            "largest": pair.largest,
            "at_end": pair.at_end,
        }
        for pair in comparison.pairs
    ]
    return {"name": name, "principles": list(comparison.principles), "until": comparison.until, "pairs": pairs}


def drawable(file: Path | None) -> None:
    """Make sure that a figure can be written to the file, before any work is done for it.

    Raises:
        InvalidValue: E307, Matplotlib writes no files with this ending; E801, it is not installed.
    """
    if file is None:
        return
    known, ending = _endings(), file.suffix[1:].lower()
    if ending not in known:
        fact = f"{file}: {f'no figure ends in .{ending}' if ending else 'the ending says the form, and there is none'}"
        name = plain_name(file.stem or file.name)
        raise InvalidValue("E307", fact, f"--figure {name}.svg", f"Matplotlib writes {', '.join(known)}")


def _endings() -> list[str]:
    """Endings of the figures that Matplotlib can write here; for pgf it asks TeX."""
    from shutil import which

    from ..show.figure_style import pyplot

    plt = pyplot()
    plt.switch_backend("Agg")
    from matplotlib.backend_bases import FigureCanvasBase

    without = set() if which(plt.rcParams["pgf.texsystem"]) else {"pgf"}
    return sorted({*FigureCanvasBase.get_supported_filetypes()} - without)


def drawn(thing: object, file: Path, maker: Maker) -> Path:
    """A figure of a noun, written to a file whose ending says its form."""
    from ..show.draw import draw
    from ..show.figure_style import pyplot
    from ..show.top_view import stored

    pyplot().switch_backend("Agg")
    file.parent.mkdir(parents=True, exist_ok=True)
    return stored(draw(thing), file, maker)
