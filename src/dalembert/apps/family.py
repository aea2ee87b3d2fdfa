"""What a ``[[family]]`` asks for, done: a branch of steady motions, or a family of periodic ones.

Where there is a symmetry, steady motions are those of the reduced system: they may go along it; periodic ones too, if
the start has not all coordinates. A steady motion is looked for with what changes held, if that is a state, and without
where there is none. What a family begins with:

    nothing more   a steady motion near the start
    period         a motion near the start that comes back
    swing          a small swing about a steady motion
    of, point      what begins at a special point of another family
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import sympy as sp

from ..equations import Equations
from ..errors import DalembertError
from ..geometry.reduction import reduce
from ..numerics.families.equilibria import Branch
from ..numerics.families.orbits import Orbits
from ..numerics.families.periodic import Periodic
from ..numerics.families.tangent_flow import is_autonomous
from ..numerics.steady import Steady, steady
from ..study.study import FamilySpec, Study
from . import runs
from .explore import along
from .explore.scenario import Scenario
from .families import continue_steady, defined_in
from .orbits import continue_periodic
from .periodic import periodic, swing

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
        e = _equations_of(study, spec, before)
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
            return periodic(e, start, period=about, symmetry=spec.symmetry or None, events=runs.events(spec))
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
    """Those of the system, or of the reduced one: for steady motions, and where the start has not all coordinates."""
    system = study.system
    space, turned = system.space, {s.name for a in system.space.attitudes.values() for s in a.coordinates}
    full = {*spec.start} >= {q.name for q in space.coordinates} - turned
    if not system.symmetry or spec.symmetry or (spec.period is not None and full):
        return runs.formed(system, spec.principle)
    return runs.formed(reduce(system).system, spec.principle)


def _equations_of(study: Study, spec: FamilySpec, before: Mapping[str, Family]) -> Equations:
    """Those of the family from which it begins, or its own."""
    parent = None if spec.of is None else before[spec.of]
    if isinstance(parent, Branch):
        return parent.fork(spec.point)[1].standing.equations
    return equations(study, spec)


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
