"""The page's model: everything that the page knows beside its programs, as one record that becomes JSON."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from dataclasses import replace

import sympy as sp

from ... import __version__
from ...equations.code.fmu.variables import Units
from ...errors import DalembertError
from ...event import Event
from ...model.space import Space
from ...model.system import System
from ...scene import Pose
from ...show.html.words import pretty
from ...spelling import typed
from ...study import write_source
from ...study.study import RunSpec, Study
from .branch import record, set_by
from .contacts import forces
from .ranges import (
    MULTIPLIERS,
    PARAMETERS,
    START,
    Slider,
    kinds,
    of_multipliers,
    of_one_sign,
    of_parameter,
    of_start,
    slider,
)
from .scenario import Entry, Formed, Scenario

_LATIN = """alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi pi rho sigma tau upsilon phi chi
    psi omega Gamma Delta Theta Lambda Xi Pi Sigma Phi Psi Omega lam"""
_GREEK = dict(zip(_LATIN.split(), "αβγδεζηθικλμνξπρστυφχψωΓΔΘΛΞΠΣΦΨΩλ", strict=True))
_PARTS = re.compile(r"([^\W\d_]+?)_?(\d+|_.+)?")

Json = Mapping[str, object]
RTOL = 1e-9
STEPS = 20_000  # of one motion: beyond, it is told that there were more
SCREEN = {  # the axes of the space along those of the screen
    "z": ("x", "y", "z"),
    "-z": ("x", "-y", "-z"),
    "y": ("x", "-z", "y"),
    "-y": ("x", "z", "-y"),
    "x": ("y", "z", "x"),
    "-x": ("y", "-z", "-x"),
}
_MOST = 24  # sliders of one group


def model(scene: Scenario, drawn: Sequence[Pose]) -> dict[str, object]:
    """The model of a page."""
    system, first = scene.system, scene.formed[0]
    names = dict.fromkeys([*system.parameters, *(n for each in scene.formed for n in each.equations.states)])
    names |= dict.fromkeys(s.name for each in scene.formed for s in each.equations.multipliers)
    names |= dict.fromkeys(name for each in scene.formed for name in forces(each.equations))
    known = {s.name for a in system.space.attitudes.values() for s in a.coordinates}
    return {
        "version": __version__,
        "title": scene.study.title or "System",
        "file": scene.study.name,
        "cite": list(scene.study.cite),
        "notes": list(scene.notes),
        "rtol": RTOL,
        "fixed": bool(system.contacts),
        "steps": STEPS,
        "names": shown(names, system.space),
        "units": _units(scene, names),
        "units of reactions": _of_reactions(scene),
        "parameters": {k: v for k, v in first.starts[scene.entries[0].name].parameters.items()},
        "entries": [_entry(scene, entry) for entry in scene.entries],
        "sliders": [vars(each) for each in sliders(scene)],
        "principles": [_principle(i, each, scene) for i, each in enumerate(scene.formed)],
        "kept": list(system.momenta),
        "hidden": sorted(known),
        "bodies": [{"name": b.name, "shape": b.shape, "trace": b.trace is not None, "both": b.both} for b in drawn],
        "drawn": 15 * len(drawn) + 3 * sum(b.trace is not None for b in drawn),
        "axes": SCREEN[system.scene.up],
        "coordinates": [q.name for q in system.space.coordinates if q.name not in known],
        "places": _places(system, known),
        "rate": _rate(system, known),
        "source": _source(scene.study),
        "written": _written(scene),
        "branch": None if scene.branch is None else record(system, scene.branch),
        "typed": {each.name: typed(each.name) for each in scene.formed},
    }


def _places(system: System, known: Set[str]) -> list[str]:
    """Where no point of a body is traced, these are drawn as the path: lengths, else angles, else velocities."""
    plain = [q.name for q in system.space.coordinates if q.name not in known]
    lengths = [name for name in plain if name not in system.angles]
    return next(filter(None, (lengths, plain)), [u.name for u in system.space.velocities])


def _rate(system: System, known: Set[str]) -> str | None:
    """Where one coordinate is all of the path, its rate, against which it is drawn."""
    places = _places(system, known)
    rates = {q.name: u.name for q, u in system.space.rates.items() if u in system.space.velocities}
    return rates.get(places[0]) if len(places) == 1 else None


def events_of(scene: Scenario) -> list[Event]:
    """All events of the entries, each name once; the walls of the system act besides."""
    found = {e.name: Event(e.name, e.guard, e.then, e.direction) for entry in scene.entries for e in entry.events}
    return list(found.values())


def _principle(index: int, formed: Formed, scene: Scenario) -> Json:
    equations, pushes = formed.equations, forces(formed.equations)
    return {
        "index": index,
        "name": formed.name,
        "states": list(equations.states),
        "constraints": [c.name for c in equations.constraints],
        "multipliers": pushes or ([] if equations.states_of_multipliers else [s.name for s in equations.multipliers]),
        "owned": [s.name for s in equations.states_of_multipliers],
    }


def _entry(scene: Scenario, entry: Entry) -> Json:
    """Values of all states, those of multipliers with them, and which the sliders move."""
    values: dict[str, float] = {}
    for each in scene.formed:
        values = {**each.starts[entry.name].state, **values}
    start = scene.formed[0].starts[entry.name]
    known = {s.name for a in scene.system.space.attitudes.values() for s in a.coordinates}
    given = [n for n in start.state if n in start.given and n not in known]
    return {
        "name": entry.name,
        "t": start.t,
        "until": entry.until,
        "values": values,
        "given": given,
        "needed": [n for n in start.state if n not in start.follows],
        "plain": entry.project is None and not any(c.holonomic for c in scene.formed[0].equations.constraints),
        "parameters": dict(start.parameters),
    }


def sliders(scene: Scenario) -> list[Slider]:
    """Of parameters, of the start, of multipliers that are states."""
    system, entry = scene.system, scene.entries[0]
    equations, begun = scene.formed[0].equations, scene.formed[0].starts[entry.name]
    names = [k for k in system.parameters if k in begun.parameters][:_MOST]
    found = [of_parameter(k, begun.parameters[k], of_one_sign(equations, begun, k)) for k in names]
    turned = {s.name for a in system.space.attitudes.values() for s in a.coordinates}
    given = [n for n in begun.state if n in begun.given and n not in turned]
    velocities = {u.name for u in system.space.velocities}
    kind = kinds(given, system.units, velocities, set(system.angles))
    for name in given[:_MOST]:
        like = [begun[n] for n in given if kind[n] == kind[name]]
        found.append(of_start(name, begun[name], like, name in system.angles and name not in velocities))
    for each in scene.formed:
        found += of_multipliers(each.equations, each.starts[entry.name])
    unique = {each.name: each for each in (*found, *_over_branch(scene), *_told(scene))}
    order = (PARAMETERS, START, MULTIPLIERS)
    return sorted(unique.values(), key=lambda each: order.index(each.group))


def _over_branch(scene: Scenario) -> list[Slider]:
    """Of the parameter of the branch, from end to end."""
    branch = scene.branch
    if branch is None or not set_by(scene.system, branch):
        return []
    low, high = float(branch.values.min()), float(branch.values.max())
    return [slider(branch.parameter, PARAMETERS, low, high)] if low < high else []


def _told(scene: Scenario) -> list[Slider]:
    """Those of ``[explore]``, as far as they move something: what follows from constraints does not."""
    begun = scene.formed[0].starts[scene.entries[0].name]
    groups = dict.fromkeys(begun.parameters, PARAMETERS) | {n: START for n in begun if n not in begun.follows}
    groups |= {s.name: MULTIPLIERS for each in scene.formed for s in each.equations.states_of_multipliers}
    return [slider(n, groups[n], *ends) for n, ends in scene.system.explore.ranges.items() if n in groups]


def _units(scene: Scenario, names: Mapping[str, object]) -> dict[str, str]:
    system = scene.system
    symbols = {s.name: s for s in (*system.space.coordinates, *system.space.velocities, *system.symbols.values())}
    for each in scene.formed:
        symbols |= {s.name: s for s in each.equations.states_of_multipliers}
    found = {n: _unit(system.unit, symbols[n]) for n in names if n in symbols} if system.units else {}
    return {n: pretty(u) for n, u in found.items() if u}


def _of_reactions(scene: Scenario) -> list[Json]:
    """Of each principle the units of multipliers that are no states: not those that they have beside L."""
    return [
        {
            s.name: pretty(unit)
            for s in each.equations.multipliers
            if not each.equations.states_of_multipliers
            if (unit := Units(each.equations).shown("multipliers", s.name))
        }
        for each in scene.formed
    ]


def _unit(unit: Callable[[sp.Expr], str], symbol: sp.Symbol) -> str:
    try:
        return unit(symbol)
    except DalembertError:
        return ""


def _source(study: Study) -> str | None:
    """The system as a file without runs, which the page fills in; None where no file can hold it."""
    try:
        return write_source(replace(study, runs=(), compares=(), sweeps=(), families=(), fits=()), comments=False)
    except DalembertError:
        return None


def _written(scene: Scenario) -> list[Json]:
    """Each event as the table of a file."""
    found = {e.name: e for entry in scene.entries for e in entry.events}
    tables: list[Json] = []
    for name, event in found.items():
        study = replace(scene.study, runs=(RunSpec("run", "free", events=(event,)),), compares=(), sweeps=())
        study = replace(study, families=(), fits=())
        text = write_source(study, comments=False)
        tables.append({"name": name, "text": text[text.index("[[run.event]]") :]})
    return tables


def shown(names: Iterable[str], space: Space) -> dict[str, list[str]]:
    """Of each name what stands on the line, and what below it; a rate has the dot of its coordinate."""
    rates = {str(u): str(q) for q, u in space.rates.items()}
    return {name: _dotted(rates[name]) if name in rates else _parted(name) for name in names}


def _dotted(coordinate: str) -> list[str]:
    base, below = _parted(coordinate)
    return [base[0] + "\u0307" + base[1:], below]


def _parted(name: str) -> list[str]:
    """``lam_roll_x`` -> λ, roll x; ``w1`` -> w, 1."""
    found = _PARTS.fullmatch(name)
    if found is None:
        return [name, ""]
    base, below = found[1], (found[2] or "").lstrip("_").replace("_", " ")
    return [_GREEK.get(base, base), below]
