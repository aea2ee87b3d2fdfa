"""The ``[[family]]`` entries of a study: branches of steady motions and families of periodic ones, followed and shown.

Where there is a symmetry, steady motions are relative equilibria, found in the reduced system; periodic motions are
looked for there too, if the start has not all coordinates. A steady motion is looked for with what changes held, if
that is a state, and without where there is none. What a family begins with:

    nothing more   a steady motion near the start
    period         a motion near the start that comes back
    swing          a small oscillation about a steady motion
    of, point      what begins at a special point of another family
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import sympy as sp

from ..calculus.quantity import SECOND, is_quantity, quantity
from ..equations import Equations
from ..errors import DalembertError, InvalidValue, as_given
from ..errors.interfaces import COMMAND
from ..geometry.reduction import reduce
from ..model.expression_symbols import Reader
from ..numerics.families import DRIFT, PERIOD
from ..numerics.families.equilibrium_branches import Branch
from ..numerics.families.orbit_family import Orbits
from ..numerics.families.periodic_orbits import Periodic
from ..numerics.families.tangent_flow import is_autonomous
from ..numerics.relative_equilibria import Steady, steady
from ..output_file import Maker
from ..show.family import changing
from ..study.study import FamilySpec, Study
from ..study.value_types import FREQUENCIES
from ..trajectory.npz_archive import write
from . import assignments, runs
from .explore import along
from .explore.scenario import Scenario
from .families import continue_periodic, continue_steady, defined_in, periodic, swing
from .stored_results import ARRAYS, FORMAT
from .sweep_report import some
from .terminal import talk

Family = Branch | Orbits


def laid_out(study: Study) -> Study:
    """The study in which what its families give a value, or change, has values of its own."""
    return study.freed([name for spec in study.families for name in (spec.parameter, *spec.parameters)])


def with_families(study: Study, specs: Sequence[FamilySpec]) -> Study:
    """The study with these families, laid out."""
    return laid_out(replace(study, families=tuple(specs)))


def named(study: Study, names: Sequence[str]) -> list[FamilySpec]:
    """The families of these names, all if none is named."""
    return [spec for spec in study.families if not names or spec.name in names]


def wanted(study: Study, names: Sequence[str]) -> list[FamilySpec]:
    """The families of these names, all if none is named, in the file's order, each behind that of which it begins."""
    known, found = {spec.name: spec for spec in study.families}, dict[str, FamilySpec]()
    for spec in named(study, names):
        line = [spec]
        while line[-1].of is not None:
            line.append(known[line[-1].of])
        found |= {each.name: each for each in reversed(line) if each.name not in found}
    return list(found.values())


def follow(study: Study, spec: FamilySpec, before: Mapping[str, Family]) -> Family:
    """One family.

    Args:
        study: laid out.
        spec: what is asked for.
        before: families that were followed, by name.

    Raises:
        DalembertError: what finding its first motion and following it raises, with its place in the file.
    """
    with runs.placed(study, spec):
        first = begun(study, spec, before)
        if isinstance(first, Periodic):
            formula = _formula(spec, first)
            return continue_periodic(
                first, parameter=_named(study, spec, first.equations), over=spec.over, fix=spec.fix, period=formula
            )
        # those of the family from which it begins, or its own
        parent = None if spec.of is None else before[spec.of]
        e = parent.fork(spec.point)[1].standing.equations if isinstance(parent, Branch) else equations(study, spec)
        return continue_steady(e, parameter=_named(study, spec, e), start=first, over=spec.over, fix=spec.fix)


def begun(study: Study, spec: FamilySpec, before: Mapping[str, Family]) -> Steady | Periodic:
    """The first motion of a family, as of `follow`."""
    with runs.placed(study, spec):
        if spec.of is not None:
            return before[spec.of].switch(spec.point)
        e = equations(study, spec)
        if spec.period is not None:
            start = e.start(parameters=spec.parameters, **_told(study, e, spec))
            about = _seconds(spec.period, e.system.values(start.parameters))
            return periodic(e, start, period=about, symmetry=spec.symmetry or None, events=spec.events)
        rest = _standing(study, e, spec)
        if spec.swing is None:
            return rest
        return swing(e, rest, frequency=None if isinstance(spec.swing, bool) else spec.swing)


def scene(
    study: Study, spec: FamilySpec, found: Family, principles: Sequence[str] = (), until: float | None = None
) -> Scenario:
    """What a page of it shows: its motions alone, under its principle if no others are named."""
    alone = replace(study, runs=(), compares=(), sweeps=(), families=(), fits=())
    with runs.placed(study, spec):
        return along(found, alone, principles or [spec.principle], None, spec.parameters, until)


def followed(study: Study, name: str, given: Mapping[str, object]) -> tuple[Study, FamilySpec, Family]:
    """A family of the file by its name, with values replaced: the study laid out, the entry, and what was followed.

    Raises:
        DalembertError: E307, the file has no such family; as of `follow`.
    """
    runs.chosen(study.families, [name], "family", study.name)
    study = with_families(study, [runs.changed(spec, study, given) for spec in study.families])
    done: dict[str, Family] = {}
    for spec in wanted(study, [name]):
        done[spec.name] = follow(study, spec, done)
    (spec,) = named(study, [name])
    return study, spec, done[name]


def _standing(study: Study, e: Equations, spec: FamilySpec) -> Steady:
    """A steady motion near the start."""
    held = [*spec.fix, *([spec.parameter] if spec.parameter in e.states else [])]
    guess = _told(study, e, spec)
    try:
        return steady(e, guess, held, spec.parameters)
    except DalembertError as error:
        if error.code != "E244" or held == list(spec.fix):
            raise
        return steady(e, guess, spec.fix, spec.parameters)


def _told(study: Study, e: Equations, spec: FamilySpec) -> runs.Assignments:
    """The start without the coordinates that a symmetry moves."""
    space = study.system.space
    moved = {*(q.name for q in space.coordinates), *space.attitudes} - {*e.states, *e.space.attitudes}
    return {name: value for name, value in spec.start.items() if name not in moved}


def equations(study: Study, spec: FamilySpec) -> Equations:
    """The equations of the system, or of the reduced one: for steady motions, and starts without all coordinates."""
    system = study.system
    space, turned = system.space, {s.name for a in system.space.attitudes.values() for s in a.coordinates}
    full = {*spec.start} >= {q.name for q in space.coordinates} - turned
    if not system.symmetry or spec.symmetry or (spec.period is not None and full):
        return runs.formed(system, spec.principle)
    return runs.formed(reduce(system).system, spec.principle)


def _named(study: Study, spec: FamilySpec, e: Equations) -> object:
    """What changes: by its name, or as the file defines it."""
    return defined_in(study, e, spec.parameter)


def _seconds(period: float | sp.Expr, values: Mapping[str, float]) -> float:
    """About how long a motion takes."""
    if not isinstance(period, sp.Expr):
        return period
    return float(period.subs({s: values[s.name] for s in period.free_symbols}))


def _formula(spec: FamilySpec, first: Periodic) -> sp.Expr | None:
    """The period in the parameters, where the equations change with time."""
    if not isinstance(spec.period, sp.Expr) or is_autonomous(first.equations, first.walls, first.events):
        return None
    return spec.period


# --- families of the command line ------------------------------------------------------------------------------------
# ``NAME=LOW:HIGH`` is what changes, and its range; every other word is a value, as for runs.


@dataclass(frozen=True)
class FamilyOptions:
    """What options say of a family: text as it was typed, or None."""

    principle: str | None = None
    fix: str = ""
    period: str | None = None
    swing: str | None = None
    symmetry: bool = False


def begun_at_run(study: Study, run: str | None) -> Study:
    """The study whose first run is this one, and whose families it begins alone; as it is without a name.

    Where it has several runs and no families, and none is named, it is said with which one begins.

    Raises:
        UnknownName: E307, there is no such run.
    """
    if run is not None:
        (first,) = runs.chosen(study.runs, [run], "run", study.name)
        return replace(study, runs=(first, *(each for each in study.runs if each is not first)), families=())
    if len(study.runs) > 1 and not study.families:
        talk(f"the family begins near the start of the run {study.runs[0].name}; --run NAME takes another")
    return study


def families_asked(study: Study, words: Iterable[str], wish: FamilyOptions) -> tuple[FamilySpec, ...]:
    """The families of the file, or one of its first run, with what the command line replaces.

    Raises:
        InvalidValue: E307, a word that is no assignment, two ranges, or nothing to follow; E241, a range that is none.
        DalembertError: as of `assignments.assignments`.
    """
    words = list(words)
    ranges = [word for word in words if _is_range(word)]
    if len(ranges) > 1:
        fact = f"{' and '.join(ranges)}: one thing changes along a family"
        raise InvalidValue("E307", fact, "give one range; dalembert sweep takes several")
    given = values_asked(study, words)
    what = _range(study, ranges[0]) if ranges else None
    specs = study.families or (_of_run(study, what),)
    return tuple(_with_options(study, spec, given, what, wish) for spec in specs)


def values_asked(study: Study, words: Iterable[str]) -> dict[str, object]:
    """What the words that are no ranges give a value.

    Raises:
        DalembertError: as of `assignments.assignments`.
    """
    return assignments.assignments([word for word in words if not _is_range(word)], study)


def _is_range(word: str) -> bool:
    return ":" in word.partition("=")[2]


def _range(study: Study, word: str) -> tuple[str, tuple[float, float]]:
    """What changes, and both ends in base SI."""
    name, _, text = (part.strip() for part in word.partition("="))
    if name != PERIOD and not name.startswith(DRIFT):
        others = study.system.definitions
        (name,) = assignments.assignments([f"{name}=0"], study, others=others)
    ends = text.split(":")
    last, _, unit = ends[-1].strip().partition(" ")
    if len(ends) != 2 or not ends[0].strip() or not last:
        fact = f"{as_given(word)} is no range"
        raise InvalidValue("E241", fact, f'{name}=0:10, or with a unit "{name}=0:10 m/s"')
    try:
        low, high = (_end(study, name, f"{end.strip()} {unit}".strip()) for end in (ends[0], last))
    except DalembertError as error:
        raise error.on(COMMAND) from None
    if not low < high:
        raise InvalidValue("E241", f"{as_given(word)} is empty", f"{name}={high:g}:{low + (low == high):g}")
    return name, (low, high)


def _end(study: Study, name: str, text: str) -> float:
    given = assignments.value(text)
    if name in study.constants or name in study.system.parameters:
        return float(study.overrides({name: given})[name])
    return quantity(given, name).value


def _of_run(study: Study, what: tuple[str, tuple[float, float]] | None) -> FamilySpec:
    """A family that begins at the start of the first run."""
    if what is None:
        fact = f"{study.name} has no [[family]], and nothing says what changes, and from where to where"
        raise InvalidValue("E307", fact, "dalembert family FILE NAME=0:10")
    run = next(iter(study.runs), None)
    principle = "nonholonomic" if study.system.constraints else "free"
    if run is None:
        return FamilySpec("family", principle, parameter=what[0], over=what[1])
    return run.like(FamilySpec, name=f"family of {run.name}", parameter=what[0], over=what[1])


def _with_options(
    study: Study,
    spec: FamilySpec,
    given: Mapping[str, object],
    what: tuple[str, tuple[float, float]] | None,
    wish: FamilyOptions,
) -> FamilySpec:
    """The entry with what the command line replaces."""
    if given:
        spec = runs.changed(spec, study, given)
    if what is not None:
        spec = replace(spec, parameter=what[0], over=what[1])
    if wish.principle is not None:
        spec = replace(spec, principle=wish.principle)
    if wish.fix:
        spec = replace(spec, fix=tuple(wish.fix.replace(",", " ").split()))
    if wish.period is not None and wish.swing is not None:
        raise InvalidValue("E307", "--period and --swing are two ways to begin a family", "leave one out")
    if wish.period is not None:
        spec = replace(spec, period=_period(study, wish.period), swing=None, of=None)
    if wish.swing is not None:
        spec = replace(spec, swing=_swing(wish.swing), period=None, of=None)
    return replace(spec, symmetry=True) if wish.symmetry else spec


def _period(study: Study, text: str) -> float | sp.Expr:
    """Seconds, or a formula in the parameters."""
    if is_quantity(text):
        return quantity(assignments.value(text), "the period", SECOND).value
    return Reader.of(study.system).read(text, "the period")


def _swing(text: str) -> float | str | bool:
    """One of the words, or a frequency."""
    if text in FREQUENCIES:
        return text
    return True if text == "only" else quantity(assignments.value(text), "the frequency", SECOND**-1).value


# --- rows of a family ------------------------------------------------------------------------------------------------

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
    # how fast a disturbance grows, or the largest size of a multiplier that is not trivial, (N,)
    if isinstance(found, Branch):
        worst = found.growth
    else:
        worst = np.asarray(np.where(found.trivial, -np.inf, np.abs(values)).max(axis=1, initial=-np.inf))
    lines = [f"{title}", str(found), "  " + " ".join(f"{head[:11]:>11}" for head in [*kept, _WORST[kind]])]
    shown, behind, left = some(len(found), rows)
    for i in shown:
        cells = " ".join(f"{column[i]:>11.5g}" for column in table)
        last = f"{worst[i]:>11.5g}" if np.isfinite(worst[i]) else f"{'-':>11}"
        lines.append(f"  {cells} {last}{'' if found.stable[i] else '  unstable'}")
    at = len(lines) - len(shown) + behind
    lines[at:at] = [left] if left else []
    return "\n".join(lines)


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
