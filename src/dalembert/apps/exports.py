"""Stored results as tables, pages, figures and NetCDF for other programs, and the pages of a study's entries."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ..comparison import Comparison
from ..errors import InvalidValue, Unwritable
from ..findings.fit import Fit
from ..findings.ranking import Ranking
from ..input_file import shown
from ..output_file import Maker, draft, free
from ..show.draw import draw
from ..show.figure_style import pyplot
from ..study.study import CompareSpec, FitSpec, RunSpec, Study
from ..study.value_types import MOST
from ..trajectory import Trajectory
from . import fits, options, runs
from .report import PageFacts, decided, page, undecided, written
from .stored_results import StoredFamily
from .sweep_report import member_table
from .terminal import typed

_APART = {"npz": "-columns", "events": "-events"}  # so that plain arrays do not replace the stored path
_ENDINGS = {"events": "csv"}  # of kinds that are not their own
_FORMULA = ("=", "+", "-", "@", "\N{FULLWIDTH EQUALS SIGN}", "\N{FULLWIDTH PLUS SIGN}", "\N{FULLWIDTH HYPHEN-MINUS}")
_PLAIN = re.compile(r"[^\W\d][\w()]*|[+-]?(?:[0-9][0-9.e+-]*|inf|nan)")  # a name, or a number
_NUMBERS = re.compile(rb"[0-9.e+,\-infa]*\r\n")
_MODE = re.compile(rb"[0-9.e+\-]+,[a-z]+,?")  # of a contact: the time, and what it does from then on
_LONG = 10**6
_DRAWN = "\nits figure: dalembert sweep FILE ... --resume --figure FILE.svg"


def place(thing: object, kind: str, base: Path, maker: Maker, samples: int | None) -> Path:
    """The file of one kind beside `base`.

    Raises:
        InvalidValue: E307, this is no result, or this kind of result has no such form; E303, E304 samples.
        Unwritable: E530, something else lies there, or the name is that of no file.
    """
    forms = _forms(thing)
    if kind not in forms:
        drawn = _DRAWN if kind == "svg" and "nc" in forms else ""
        raise InvalidValue("E307", f"this result cannot be written as {kind}", "--" + ", --".join(forms) + drawn)
    _check_samples(thing, samples)
    beside = base.is_file() or base in maker.read  # a store may have a name without an ending
    if not base.name.strip(".") or (base.exists() and not beside):
        raise Unwritable("E530", f"{base} names no file", f"--out {base / 'path'} is one in a folder; .{kind} is added")
    file = base.with_name(f"{base.name}{_APART.get(kind, '')}.{_ENDINGS.get(kind, kind)}")
    free(file, maker, _own(thing, kind, samples))
    return file


def write(thing: object, kind: str, file: Path, maker: Maker, samples: int | None) -> None:
    """Write that file, whole or not at all.

    Raises:
        InvalidValue: E801 a package is missing.
        Unwritable: E530, it cannot be written.
    """
    file.parent.mkdir(parents=True, exist_ok=True)
    with draft(file, maker, _ENDINGS.get(kind, kind), _own(thing, kind, samples)) as beside:
        _forms(thing)[kind](thing, beside, samples)


def _check_samples(thing: object, samples: int | None) -> None:
    """E307, E303, E304: samples of what has none, too few or too many."""
    if samples is None:
        return
    if not isinstance(thing, Trajectory):
        what = "family has no times" if isinstance(thing, StoredFamily) else "sweep has only the times it stored"
        raise InvalidValue("E307", f"a {what}", "leave --samples out")
    if samples < 2:
        raise InvalidValue("E303", f"--samples {samples}: there are two sample times at least", "--samples 1001")
    if samples > MOST:
        raise InvalidValue("E304", f"--samples {samples}: the limit is {MOST}", "take fewer")


def _forms(thing: object) -> dict[str, Writer]:
    if isinstance(thing, Study):
        fact = "this is a system file, and what is exported is a result"
        raise InvalidValue("E307", fact, "dalembert run FILE stores one and says where")
    if isinstance(thing, StoredFamily):
        return _OF_FAMILIES
    return _OF_PATHS if isinstance(thing, Trajectory) else _OF_SWEEPS


def table(thing: object, samples: int | None) -> tuple[list[str], Iterable[Sequence[float]]]:
    """Heads and rows: of a path its stored samples, or so many even times; of a sweep its members."""
    if isinstance(thing, StoredFamily):
        return [*thing.heads], thing.rows.tolist()
    if not isinstance(thing, Trajectory):
        return member_table(thing)  # type: ignore[arg-type]
    if samples is None:
        return ["t", *thing.names], thing.to_numpy()
    t = np.linspace(thing.t[0], thing.t[-1], samples)
    at = thing.at(t)
    known = [name for name in thing.names if name in at]
    return ["t", *known], np.column_stack([t, *(at[name] for name in known)])


# --- tables, which bear no mark --------------------------------------------------------------------------------------


def _own(thing: object, kind: str, samples: int | None) -> Callable[[Path], bool] | None:
    """Is what lies there such a table of the same: its heads and its first row, and all numbers as we write them?"""
    if kind == "events" and isinstance(thing, Trajectory):
        return _own_events(thing)
    if kind != "csv":
        return None
    heads, values = table(thing, samples)
    first = [_line(heads), *(_line(map(_number, row)) for row in itertools.islice(values, 1))]

    def own(place: Path) -> bool:
        with place.open("rb") as stream:
            same = all(line.encode() == stream.readline(_LONG) for line in first)
            return same and all(map(_NUMBERS.fullmatch, stream))

    return own


def _own_events(path: Trajectory) -> Callable[[Path], bool]:
    """Is what lies there a table of the events of the same system: the same heads, known names, and else numbers?"""
    head, names = _line(_heads_of_events(path)).encode(), [f"{_harmless(name)},".encode() for name in path.marks]
    contacts = [f"{_harmless(name)},".encode() for name in {contact for _, contact, _ in path.modes}]

    def rest(line: bytes) -> bytes:
        """The numbers of a row behind its name, and behind the mode of a contact."""
        of_contact = next(filter(line.startswith, contacts), b"")
        if of_contact and (told := _MODE.match(line, len(of_contact))):
            return line[told.end() :]
        return line.removeprefix(next(filter(line.startswith, names), b""))

    def own(place: Path) -> bool:
        with place.open("rb") as stream:
            same = stream.readline(_LONG) == head
            return same and all(_NUMBERS.fullmatch(rest(line)) for line in stream)

    return own


def told(thing: object, kind: str) -> str:
    """What else is to be said of a file that was written: of a table of events, that there were none."""
    if kind != "events" or not isinstance(thing, Trajectory) or thing.modes:
        return ""
    if any(len(marks.t) for marks in thing.marks.values()):
        return ""
    return ", heads alone: no event happened" if thing.marks else ", heads alone: the run has no events"


def _heads_of_events(path: Trajectory) -> list[str]:
    """What happened, when, what a contact does from then on where there is one, and the columns of all marks."""
    return [
        "event",
        "t",
        *(["mode"] if path.modes else []),
        *dict.fromkeys(name for marks in path.marks.values() for name in marks.names),
    ]


def _events(path: Trajectory, file: Path, samples: int | None) -> None:
    """A row for each time at which an event happened or a contact changed, in their order; empty where it has none."""
    heads = _heads_of_events(path)
    rows = [(t, [_harmless(name), _number(t), mode, *[""] * len(heads[3:])]) for t, name, mode in path.modes]
    for event, marks in path.marks.items():
        for t, values in zip(marks.t, marks.values, strict=True):
            known = dict(zip(marks.names, values, strict=True))
            cells = [_number(known[name]) if name in known else "" for name in heads[2:]]
            rows.append((float(t), [_harmless(event), _number(t), *cells]))
    with file.open("w", newline="", encoding="utf-8") as stream:
        stream.write(_line(heads))
        stream.writelines(",".join(cells) + "\r\n" for _, cells in sorted(rows, key=lambda row: row[0]))


def as_csv(heads: Sequence[str], rows: Iterable[Sequence[float]]) -> str:
    """A table with one line of heads; numbers with all their digits."""
    return "".join([_line(heads), *(_line(map(_number, row)) for row in rows)])


def _csv(thing: object, file: Path, samples: int | None) -> None:
    """A table with one line of heads; numbers with all their digits."""
    heads, values = table(thing, samples)
    with file.open("w", newline="", encoding="utf-8") as stream:
        stream.write(_line(heads))
        stream.writelines(_line(map(_number, row)) for row in values)


def _line(cells: Iterable[str]) -> str:
    """One line of a table; text of others is in quotes and no formula, and all in one line."""
    known = [_harmless(cell) for cell in cells]
    return ",".join(known) + "\r\n"


def _harmless(text: str) -> str:
    """Text that no spreadsheet takes for a formula, and that no other separator cuts."""
    if _PLAIN.fullmatch(text):
        return text
    text = shown(text).replace('"', '""')
    return f'"\'{text}"' if text.lstrip().startswith(_FORMULA) else f'"{text}"'


def _number(value: float) -> str:
    return repr(float(value))


# --- forms -----------------------------------------------------------------------------------------------------------


def _npz_of_path(path: Trajectory, file: Path, samples: int | None) -> None:
    heads, values = table(path, samples)
    with file.open("wb") as stream:
        np.savez(stream, **dict(zip(heads, np.asarray(values).T, strict=True)))


def _html(thing: Trajectory | StoredFamily, file: Path, samples: int | None) -> None:
    file.write_text(page(thing, PageFacts()), encoding="utf-8", newline="\n")


def _svg(path: Trajectory | StoredFamily, file: Path, samples: int | None) -> None:
    plt = pyplot()
    plt.switch_backend("Agg")
    figure = draw(path)
    figure.savefig(file, format="svg")
    plt.close(figure)


def _nc_of_path(path: Trajectory, file: Path, samples: int | None) -> None:
    whole = path.to_xarray()
    if samples is not None:
        heads, values = table(path, samples)
        columns = dict(zip(heads, np.asarray(values).T, strict=True))
        t = columns.pop("t")
        whole = type(whole)({name: ("t", c) for name, c in columns.items()}, coords={"t": t}, attrs=whole.attrs)
    whole.to_netcdf(file)


def _npz_of_family(found: StoredFamily, file: Path, samples: int | None) -> None:
    with file.open("wb") as stream:
        np.savez(stream, **dict(zip(found.heads, found.rows.T, strict=True)))


def _npz_of_sweep(found: Any, file: Path, samples: int | None) -> None:
    arrays = {str(name): found[name].values for name in (*found.coords, *found.data_vars)}
    with file.open("wb") as stream:
        np.savez(stream, **arrays)


def _nc_of_sweep(found: Any, file: Path, samples: int | None) -> None:
    found.to_netcdf(file)


Writer = Callable[[Any, Path, int | None], None]
_OF_PATHS: dict[str, Writer] = {
    "csv": _csv,
    "events": _events,
    "html": _html,
    "svg": _svg,
    "npz": _npz_of_path,
    "nc": _nc_of_path,
}
_OF_FAMILIES: dict[str, Writer] = {"csv": _csv, "html": _html, "svg": _svg, "npz": _npz_of_family}
_OF_SWEEPS: dict[str, Writer] = {"csv": _csv, "npz": _npz_of_sweep, "nc": _nc_of_sweep}


# --- pages of a study ------------------------------------------------------------------------------------------------


def run_page(study: Study, spec: RunSpec, path: Trajectory, file: Path) -> Path:
    """The page of a run."""
    start = runs.start(study, spec, spec.principle)
    return _page(path, file, study, spec, equations=runs.asked(study, spec, spec.principle), start=start)


def comparison_page(study: Study, spec: CompareSpec, comparison: Comparison, file: Path) -> Path:
    """The page of a comparison."""
    equations = {name: runs.asked(study, spec, name) for name in spec.principles}
    start = {name: runs.start(study, spec, name) for name in spec.principles}
    return _page(comparison, file, study, spec, equations=equations, start=start)


def fit_page(study: Study, spec: FitSpec, found: Fit | Ranking, file: Path) -> Path:
    """The page of a fit or a ranking."""
    if isinstance(found, Ranking):
        equations = {each.label: each.equations for each in found}
        return _page(found, file, study, spec, equations=equations, verdict=[])
    own = fits.of_prior(spec, found)
    verdict = [*decided(found, own), *undecided(found, own)]
    return _page(found, file, study, spec, equations=found.equations, verdict=verdict)


def _page(
    thing: Trajectory | Comparison | Fit | Ranking,
    file: Path,
    study: Study,
    spec: RunSpec | CompareSpec | FitSpec,
    **known: Any,
) -> Path:
    file.parent.mkdir(parents=True, exist_ok=True)
    about = PageFacts(system=study, title=_title(study, spec.name), command=typed(), **known)
    return written(thing, file, options.maker("--report"), about)


def _title(study: Study, name: str) -> str:
    return f"{study.title or 'System'}: {name}"
