"""The entries of a study performed: runs, comparisons and sweeps, from their tables to paths.

An entry is first laid over with what the command line assigns (`changed`), then prepared (`prepare`) or made (`run`,
`compare`, `sweep`). Definitions of the file can become columns of a path, and an interrupted run can go on.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, fields, replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ..calculus.quantity import is_quantity, quantity, refuse_bare
from ..equations import Equations, Start
from ..errors import DalembertError, InvalidValue, UnknownName, as_given, did_you_mean, warn
from ..errors.interfaces import COMMAND
from ..errors.remedies import Give
from ..event import Event
from ..model.parameters import bare_notes, values_of
from ..model.system import System
from ..model.unit_mismatch import shifted
from ..numerics.run.run_context import RunRequest
from ..numerics.run.simulate import prepare as prepare_run
from ..numerics.run.simulate import simulate
from ..numerics.sensitivities.observables import Observed
from ..numerics.vector_field.constraint_projection import Baumgarte, Drift, Projection
from ..principles.principle_table import named
from ..study.inputs import ColumnSpec, TableSpec
from ..study.study import CompareSpec, Entry, FamilySpec, FitSpec, RunSpec, Study, SweepSpec
from ..trajectory import Trajectory
from ..trajectory.interpolant import Interpolant, knots, steps_of
from ..trajectory.join import joined
from ..trajectory.loading import load
from . import study_inputs
from .results import is_interrupted
from .terminal import talk

if TYPE_CHECKING:
    import xarray as xr

    from ..comparison import Comparison


_KINDS = {RunSpec: "run", CompareSpec: "compare", SweepSpec: "sweep"}
Assignments = Mapping[str, Any]


@cache
def formed(system: System, principle: str) -> Equations:
    """The equations of a system under a principle; derived once."""
    found: Equations = named(principle)(system)
    return found


def equations(study: Study, principle: str) -> Equations:
    """The equations of the study's system under a principle; derived once."""
    return formed(study.system, principle)


def asked(study: Study, spec: RunSpec | CompareSpec | SweepSpec, principle: str) -> Equations:
    """The equations of an entry: what it gives a value does not follow from other parameters."""
    return equations(study.of(spec), principle)


def principles(spec: Entry) -> tuple[str, ...]:
    """The principles that an entry names."""
    return spec.principles if isinstance(spec, CompareSpec | FitSpec) else (spec.principle,)


def start(study: Study, spec: RunSpec | CompareSpec, principle: str) -> Start:
    """The start of an entry, completed; of a comparison the values that this principle has.

    Raises:
        DalembertError: what the principle and `Equations.start` raise, with its place in the file.
    """
    with placed(study, spec):
        return _start(study, spec, principle)


def start_under(study: Study, spec: RunSpec | CompareSpec, principle: str) -> Start:
    """The start of an entry under a principle of the command line: the entry itself may hold no multipliers.

    Raises:
        DalembertError: those of `start`; E234 says where multipliers can be given.
    """
    with under(spec, principle):
        return start(study, spec, principle)


@contextmanager
def under(spec: RunSpec | CompareSpec | SweepSpec, principle: str | None) -> Iterator[None]:
    """What refuses an entry under a principle of the command line: E234 says where multipliers can be given."""
    try:
        yield
    except DalembertError as error:
        if principle is None or error.code != "E234" or not isinstance(error.told[1], Give):
            raise
        words = " ".join(f"{name}=0" for name in error.told[1].names)
        kind = _KINDS[type(spec)]
        remedy = f"add to the command line: {words}; or write a [[{kind}]] of its own under {principle}, with a start"
        raise (
            InvalidValue("E234", error.told[0], remedy, subject=error.subject).on(error.surface).at(error.where)
        ) from None


@contextmanager
def placed(study: Study, spec: RunSpec | CompareSpec | SweepSpec | FamilySpec) -> Iterator[None]:
    """What refuses an entry is told with its place in the file."""
    try:
        yield
    except DalembertError as error:
        raise study.locate(error, spec.where) from None


def _start(study: Study, spec: RunSpec | CompareSpec, principle: str) -> Start:
    e = asked(study, spec, principle)
    given: dict[str, Any]
    given, how = dict(spec.start), dict[str, Any]()
    if isinstance(spec, RunSpec):
        how = {"project": spec.project, "hold": spec.hold or None, "guess": spec.guess or None}
    else:
        own = {s.name for s in e.states_of_multipliers}
        given = {k: v for k, v in given.items() if not k.startswith("lam_") or k in own}
    inputs = study_inputs.at_start(e, study, spec)
    return e.start(t=spec.t, parameters=spec.parameters, inputs=inputs, **how, **given)


def chosen(specs: Sequence[Any], names: Iterable[str], kind: str, file: str) -> list[Any]:
    """The entries of these names, all if none is named.

    Raises:
        InvalidValue: E307, the file has no such entries at all.
        UnknownName: E307, a name that none bears.
    """
    if not specs:
        raise InvalidValue("E307", f"{file} asks for no {kind}", f"add a [[{kind}]] table; dalembert new shows one")
    known = {spec.name: spec for spec in specs}
    for name in names:
        if name not in known:
            raise UnknownName("E307", f"{file} has no {kind} called {as_given(name)}", did_you_mean(name, known))
    return [known[name] for name in names] or list(specs)


def lent(spec: CompareSpec | SweepSpec | FitSpec) -> list[str]:
    """Of an entry without a start: whose it takes, in a line."""
    told = f"{spec.name} has no start of its own: it begins as the run {spec.start_of} does"
    return [told] if spec.start_of else []


def named_in(study: Study) -> tuple[str, ...]:
    """The principles that the file names, each once."""
    specs: tuple[Entry, ...]
    specs = (*study.runs, *study.compares, *study.sweeps, *study.families, *study.fits)
    return tuple(dict.fromkeys(name for spec in specs for name in principles(spec)))


def changed(spec: Any, study: Study, given: Assignments, **more: Any) -> Any:
    """An entry with values of parameters, what follows from these, and for the rest start values, replaced."""
    try:
        return _changed(spec, study, given, more)
    except DalembertError as error:
        raise error.on(COMMAND) from None


def _changed(spec: Any, study: Study, given: Assignments, more: Mapping[str, Any]) -> Any:
    own = {*study.constants, *study.system.parameters}
    parameters = {k: v for k, v in given.items() if k in own}
    inputs = {k: v for k, v in given.items() if k in study.system.inputs}
    start = {k: v for k, v in given.items() if k not in own and k not in inputs}
    _check_units(study, {**start, **inputs})
    old, by_velocity = spec.start, _by_velocity(study, start)
    for name, value in by_velocity.items():
        _in_its_unit(name, value, old.get(name))
        _doubt(name, value, old.get(name))
    new: dict[str, Any] = {"start": {**old, **by_velocity}}
    each = {k: _each(study, k, v) for k, v in parameters.items()}
    new["parameters"] = {**spec.parameters, **each}
    if not isinstance(spec, FamilySpec):
        for name, value in inputs.items():
            # what drives the input, as it was written; of a table or a column the first value that is not 0
            own, first = spec.inputs.get(name), study.written.get(name)
            old = own.written() if isinstance(own, ColumnSpec) else first if isinstance(own, TableSpec) else own
            _in_its_unit(name, value, old)
            _doubt(name, value, old)
        new["inputs"] = {**spec.inputs, **inputs}
    if more.get("until") is not None:
        _doubt_end(study, spec, float(more["until"]))
        new |= _until(spec, float(more["until"]))
    return replace(spec, **new, **{k: v for k, v in more.items() if v is not None})


def _until(spec: Entry, end: float) -> dict[str, tuple[float, ...]]:
    """The times of an entry that another end leaves, where it leaves some; it is said which are left out."""
    key = "times" if isinstance(spec, SweepSpec) else "samples"
    own = getattr(spec, key, None)
    if own is None or isinstance(own, int) or not (kept := tuple(t for t in own if t <= end)) or kept == tuple(own):
        return {}
    talk(f"{spec.name}: {key} of the file after --until {end:g} are left out, the last is {kept[-1]:g}")
    return {key: kept}


def changed_throughout(study: Study, given: Assignments) -> Study:
    """The study with values of parameters, inputs and starts replaced in each of its runs and comparisons."""
    if not given:
        return study
    runs = tuple(changed(spec, study, given) for spec in study.runs)
    return replace(study, runs=runs, compares=tuple(changed(spec, study, given) for spec in study.compares))


def _each(study: Study, name: str, given: object) -> object:
    """A value, or each of an axis, in base SI."""
    if isinstance(given, tuple):
        return tuple(study.overrides({name: value})[name] for value in given)
    return study.overrides({name: given})[name]


def _check_units(study: Study, given: Assignments) -> None:
    """E207: a value of the start or of an input, or one of an axis of such, in a unit that does not fit."""
    for name, value in _by_velocity(study, given).items():
        kind = "inputs" if name in study.system.inputs else "start"
        for each in value if isinstance(value, tuple) else (value,):
            dimension = quantity(each, name).dimension if isinstance(each, str) and is_quantity(each) else None
            if dimension is not None:
                study.system.fits({name: dimension}, kind)


def _in_its_unit(name: str, given: object, own: object) -> None:
    """E207: a number without a unit for a value of the start, or an input, that the file gives in a unit."""
    for value in given if isinstance(given, tuple) else (given,):
        for each in own if isinstance(own, tuple) else (own,):
            refuse_bare(name, value, each)


def _doubt(name: str, given: object, own: object) -> None:
    """W214: the digits of the file's value of a start or an input, the point elsewhere."""
    if isinstance(given, float) and isinstance(own, int | float) and (told := shifted(name, given, own, "in the file")):
        warn("W214", told, 7)


def _doubt_end(study: Study, spec: Entry, end: float) -> None:
    """W210: an end that lies near the number of the file's, "2 min", and far from what that is in seconds."""
    entries: dict[str, Sequence[RunSpec | CompareSpec | SweepSpec]]
    entries = {"run": study.runs, "compare": study.compares, "sweep": study.sweeps}
    places = study.places
    for kind, specs in entries.items():
        for i, own in enumerate(specs):
            span = None if places is None else places.values.get((kind, i, "until"))
            if own.where == spec.where and places is not None and span is not None:
                written = places.text[span.start : span.end].strip("\"'")
                bare_notes({"until": written}, {"until": own.until}, {"until": end})


def _by_velocity(study: Study, given: Assignments) -> dict[str, object]:
    """Values for dot(x) under the name of the velocity that is the rate of x."""
    rates = {f"dot({q})": rate for q, rate in study.system.space.rates.items()}
    return {str(rates.get(name.replace(" ", ""), name)): value for name, value in given.items()}


def run(
    study: Study,
    spec: RunSpec,
    halt: Callable[[], bool] | None = None,
    progress: bool = False,
    before: Trajectory | None = None,
) -> Trajectory:
    """One run; with the path `before` it goes on where that ends.

    Raises:
        DalembertError: what `simulate` raises.
    """
    e = asked(study, spec, spec.principle)
    if before is None:
        first = start(study, spec, spec.principle)
    else:
        last = dict(zip(before.names[: before.states], before.values[-1], strict=False))
        spec = replace(spec, t=float(before.t[-1]))
        inputs = study_inputs.at_start(e, study, spec)
        first = e.start(t=spec.t, parameters=spec.parameters, inputs=inputs, **last)
    arguments = _of_run(study, spec)
    samples = arguments["samples"]
    if samples is not None and before is not None:
        arguments["samples"] = np.r_[before.t[-1], samples[samples > before.t[-1]]]
    with placed(study, spec):
        path = simulate(e, first, progress=progress, halt=halt, **arguments)
    path = path if before is None else joined(before, path)
    return replace(path, provenance={**path.provenance, **origin(study, spec.name)})


def compare(study: Study, spec: CompareSpec) -> Comparison:
    """One comparison."""
    from ..experiment.compare import compare as side_by_side

    with placed(study, spec):
        return side_by_side(study.of(spec).system, **_of_comparison(study, spec))


def sweep(study: Study, spec: SweepSpec, **more: Any) -> xr.Dataset:
    """One sweep; `more` are arguments of `da.sweep`: store, jobs, progress."""
    from ..numerics import sweep as engine

    with placed(study, spec):
        return engine.sweep(asked(study, spec, spec.principle), **{**_of_sweep(study, spec), **more})


def prepare(study: Study, spec: RunSpec | CompareSpec | SweepSpec) -> dict[str, RunRequest]:
    """All that is done with an entry before the first step, by principle; of a sweep the first member that can run.

    Raises:
        DalembertError: what refuses the entry itself, with its place in the file.
    """
    with placed(study, spec):
        if isinstance(spec, SweepSpec):
            from ..numerics.sweep.sweep import prepare as first_member

            return {spec.principle: first_member(asked(study, spec, spec.principle), **_of_sweep(study, spec))}
        if isinstance(spec, CompareSpec):
            from ..experiment.compare import prepare as prepare_all

            return prepare_all(study.of(spec).system, **_of_comparison(study, spec))
        first = _start(study, spec, spec.principle)
        return {spec.principle: prepare_run(asked(study, spec, spec.principle), first, **_of_run(study, spec))}


def _of_run(study: Study, spec: RunSpec) -> dict[str, Any]:
    """Arguments of `simulate`."""
    given = {"until": spec.until, "events": spec.events, "samples": times(spec.samples, spec.t, spec.until)}
    return {**given, "inputs": study_inputs.drives(study, spec), **options(spec.options)}


def _of_comparison(study: Study, spec: CompareSpec) -> dict[str, Any]:
    """Arguments of `compare`."""
    return {
        "principles": {name: asked(study, spec, name) for name in spec.principles},
        "start": {**spec.start, **({"t": spec.t} if spec.t else {})},
        "until": spec.until,
        "samples": times(spec.samples, spec.t, spec.until),
        "parameters": dict(spec.parameters) or None,
        "inputs": study_inputs.drives(study, spec),
        **options(spec.options),
    }


def _of_sweep(study: Study, spec: SweepSpec) -> dict[str, Any]:
    """Arguments of `da.sweep`."""
    starts = {**spec.start, **({"t": spec.t} if spec.t else {})}
    return {
        "starts": _axes(starts, spec.rows),
        "parameters": _axes({**spec.parameters, **study_inputs.numbers(study, spec)}, spec.rows),
        "inputs": study_inputs.formulas(spec),
        "until": spec.until,
        "times": times(spec.times, spec.t, spec.until),
        "events": spec.events,
        "keep": list(spec.keep) or None,
        **options(spec.options),
    }


def options(given: Mapping[str, Any]) -> dict[str, Any]:
    """Options of a run; a stabilisation is named in a file."""
    found = dict(given)
    named = found.get("stabilisation")
    if isinstance(named, Mapping):
        found["stabilisation"] = Baumgarte(named["baumgarte"])
    elif named is not None:
        found["stabilisation"] = {"projection": Projection(), "drift": Drift()}[named]
    return found


def _axes(values: Assignments, rows: str) -> object:
    """Each tuple an axis of a grid; or, for ``rows = "table"``, a column of a table."""
    from ..numerics.sweep import table

    plain = {k: list(v) if isinstance(v, tuple) else v for k, v in values.items()}
    return table(plain) if rows == "table" and any(isinstance(v, tuple) for v in values.values()) else plain


def times(given: int | Sequence[float] | None, first: float, last: float) -> Any:
    """Sample times: so many, evenly from the first to the last, or the given ones; a motion of no length has one."""
    if isinstance(given, int) and first == last:
        return None
    return np.linspace(first, last, given) if isinstance(given, int) else None if given is None else np.array(given)


def origin(study: Study, name: str) -> dict[str, Any]:
    """Where a result comes from: the file, its hash, the entry."""
    mark = hashlib.sha256(study.source.encode()).hexdigest()
    return {"file": study.name, "sha256": mark, "run": name, "cite": list(study.cite)}


# --- definitions as columns ------------------------------------------------------------------------------------------


def with_columns(study: Study, path: Trajectory, names: Iterable[str]) -> Trajectory:
    """The path with the definitions among these names as further columns, which are stored with it."""
    wanted = [name for name in dict.fromkeys(names) if name in study.definitions and name not in path.names]
    if not wanted:
        return path
    own = Observed.of([study.definitions[name] for name in wanted], path.names, ())
    dense = _PathColumns(path, own, _known(study, path))
    return replace(path, names=(*path.names, *wanted), values=dense.beside(path.t, path.values), dense=dense)


def without_columns(study: Study, path: Trajectory) -> Trajectory:
    """The path as it was made, to go on from."""
    kept = [i for i, name in enumerate(path.names) if name not in study.definitions]
    if len(kept) == len(path.names):
        return path
    steps = steps_of(path)
    dense = Interpolant(steps.t, steps.y[:, kept], steps.h, steps.F[..., kept])
    return replace(path, names=tuple(path.names[i] for i in kept), values=path.values[:, kept], dense=dense)


def _known(study: Study, path: Trajectory) -> dict[str, float]:
    """Values of all parameters of the file in a run."""
    own = {n: v for n, v in path.provenance.get("parameters", {}).items() if n in study.constants}
    following = {n: e for n, e in study.derived.items() if n not in own}
    known = {n: v for n, v in {**study.constants, **own}.items() if n not in following and v is not None}
    return known | values_of(following, known)


@dataclass(frozen=True, eq=False)
class _PathColumns:
    """The columns of a path at any times, and expressions in them.

    Attributes:
        path: without them.
        own: the expressions.
        known: values of all names that are no columns.
    """

    path: Trajectory
    own: Observed
    known: Mapping[str, float]

    @property
    def knots(self) -> np.ndarray:
        """The times between which the path is one smooth piece each."""
        return knots(self.path)

    def __call__(self, t: np.ndarray) -> np.ndarray:
        return self.beside(t, self.path.dense(t))

    def beside(self, t: np.ndarray, rows: np.ndarray) -> np.ndarray:
        """Rows of the path with those of the expressions, (N, columns + c)."""
        return np.column_stack([rows, self.own.along(t, rows, self.known)])


# --- runs that go on -------------------------------------------------------------------------------------------------
# What a run was begun with, kept with its path: a run that goes on must ask for the same motion.

ASKED = "asked"  # its key in the provenance
# what does not change a motion
_WORDS = ("schema", "title", "cite", "run", "compare", "sweep", "family", "fit", "body", "scene", "explore")
_NOT_MOTION = ("name", "until", "samples", "where", "start_of")
_TOLD, _DIGITS = 4, 12


def motion_asked(study: Study, spec: RunSpec | SweepSpec) -> dict[str, str]:
    """All that the motion of a run follows from, or of each member of a sweep, each thing with a sum.

    The time at which to end, and the times that are stored, are no part of it; what columns of files hold is.

    Raises:
        DalembertError: E317, E501 to E547 for a file that holds the column of an input; E182 where that is no table.
    """
    tables: dict[str, object] = {k: v for k, v in study.tables().items() if k not in _WORDS}
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
    text = json.dumps(value, sort_keys=True, default=_whole)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:_DIGITS]


def _whole(value: object) -> object:
    """All that an event says, and whatever else is no text; an event shows the head of its guard alone."""
    return [value.name, value.guard, value.then, value.direction] if isinstance(value, Event) else repr(value)


def with_what_was_asked(path: Trajectory, study: Study, spec: RunSpec) -> Trajectory:
    """The path that says what it was begun with."""
    return replace(path, provenance={**path.provenance, ASKED: motion_asked(study, spec)})


def interrupted_run(file: Path, study: Study, spec: RunSpec) -> Trajectory | None:
    """The stored path of this run if it was interrupted, or None.

    Raises:
        InvalidValue: E521, it is the path of another motion, or is finished and goes farther.
    """
    path = load(file) if file.exists() else None
    if path is None:
        return None
    before, now, finished = path.provenance.get(ASKED), motion_asked(study, spec), not is_interrupted(path)
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
