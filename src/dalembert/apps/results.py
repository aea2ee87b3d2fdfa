"""Results on disk and on the screen: where they lie, what is said of them, and as data."""

from __future__ import annotations

import hashlib
import itertools
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..calculus.text import TERMINAL, folded
from ..errors import InvalidValue
from ..output import Maker
from ..trajectory import Trajectory
from ..trajectory.join import INTERRUPTED
from ..trajectory.saving import save
from . import seen

if TYPE_CHECKING:
    import sympy as sp

    from ..comparison import Comparison
    from ..study.study import CompareSpec, SweepSpec

FOLDER = Path("results")


def folder(file: str) -> Path:
    """Where the results of a system file go."""
    return FOLDER / Path(file).stem


def plain(name: str) -> str:
    """A name as the name of a file."""
    return re.sub(r"[^\w.-]+", "-", name).strip("-.") or "run"


def lent(spec: CompareSpec | SweepSpec) -> list[str]:
    """Of an entry that begins as a run does: which, in a line."""
    return [f"start        that of the run {spec.start_of}"] if spec.start_of else []


def files(names: Iterable[str]) -> dict[str, str]:
    """Names as names of files, each another one: "a b" and "a-b" become a-b and a-b-2."""
    found: dict[str, str] = {}
    taken: set[str] = set()
    for name in names:
        tries = itertools.chain([plain(name)], (f"{plain(name)}-{i}" for i in itertools.count(2)))
        found[name] = next(each for each in tries if each.lower() not in taken)
        taken.add(found[name].lower())
    return found


def apart(*given: object) -> str:
    """What tells results of one name apart by what was given with it: nothing for nothing, and ``-1a2b3c4d``."""
    told = [str(each) for each in given if each is not None]
    return f"-{hashlib.sha256(json.dumps(told).encode()).hexdigest()[:8]}" if told else ""


def numbered(file: Path, i: int) -> Path:
    """The file for the i-th of several results: page.html, page-2.html, ..."""
    return file if i == 0 else file.with_name(f"{file.stem}-{i + 1}{file.suffix}")


def store(path: Trajectory, file: Path, maker: Maker) -> None:
    """Write a path, making its folder."""
    file.parent.mkdir(parents=True, exist_ok=True)
    save(path, file, maker)


def is_interrupted(path: Trajectory) -> bool:
    """Was it stopped by Ctrl-C?"""
    return path.ending.code == INTERRUPTED


def summary(
    path: Trajectory, file: Path | None, columns: Sequence[str] = (), defined: Mapping[str, sp.Expr] = seen.NOTHING
) -> str:
    """What ran, how it ended, the audit, where it lies, each whole, on more lines where it is longer than one."""
    who = f"{path.provenance.get('title') or 'System'}: {path.provenance.get('principle', 'path')}"
    a = path.audit
    lines = [who, f"time         {path.t[0]:g} to {path.t[-1]:g}: {path.outcome}"]
    lines += seen.lines(path, columns, defined)
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
        name = plain(file.stem or file.name)
        raise InvalidValue("E307", fact, f"--figure {name}.svg", f"Matplotlib writes {', '.join(known)}")


def _endings() -> list[str]:
    """Endings of the figures that Matplotlib can write here; for pgf it asks TeX."""
    from shutil import which

    from ..show.plan import pyplot

    plt = pyplot()
    plt.switch_backend("Agg")
    from matplotlib.backend_bases import FigureCanvasBase

    without = set() if which(plt.rcParams["pgf.texsystem"]) else {"pgf"}
    return sorted({*FigureCanvasBase.get_supported_filetypes()} - without)


def drawn(thing: Any, file: Path, maker: Maker) -> Path:
    """A figure of a noun, written to a file whose ending says its form."""
    from ..show.draw import draw
    from ..show.plan import pyplot, stored

    pyplot().switch_backend("Agg")
    file.parent.mkdir(parents=True, exist_ok=True)
    return stored(draw(thing), file, maker)
