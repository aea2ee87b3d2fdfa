"""The page's model: everything that the page knows beside its programs, its sliders first, as one record for JSON."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, replace

import numpy as np
import sympy as sp

from ... import __version__
from ...calculus.frame import TIME
from ...calculus.quantity import Dimension
from ...equations import Equations, Numbers, Start
from ...equations.code.fmu.variables import Units
from ...errors import DalembertError
from ...event import Event
from ...model.space import Space
from ...model.system import System
from ...scene import Pose
from ...show.html.markup import pretty
from ...spelling import typed
from ...study import write_source
from ...study.study import RunSpec, Study
from .branch import record, set_by
from .page_functions import forces
from .scenario import Formed, Scenario

# --- sliders ---------------------------------------------------------------------------------------------------------
# Sliders: from where to where, in what steps. A file says it in ``[explore]``; else it follows from the values.

PARAMETERS, START, MULTIPLIERS = "Parameters", "Start", "Multipliers"
_STEPS = 400  # of a slider from end to end, about
_DEGENERATE = 1e-12  # an eigenvalue of the metric beside the largest
_MASSES = (Dimension.of({"kg": 1}), Dimension.of({"kg": 1, "m": 2}))


@dataclass(frozen=True)
class Slider:
    """One slider: of what, in which group, from, to, step."""

    name: str
    group: str
    low: float
    high: float
    step: float


def slider(name: str, group: str, low: float, high: float) -> Slider:
    """With a step that is 1, 2 or 5 times a power of ten."""
    return Slider(name, group, low, high, _nice((high - low) / _STEPS, down=True))


def of_parameter(name: str, value: float, one_sign: bool) -> Slider:
    """From a fifth of the value to about three times it; where both signs make sense, from minus twice to twice it."""
    if value == 0:
        return slider(name, PARAMETERS, 0.0 if one_sign else -1.0, 1.0)
    if one_sign:
        near, far = _nice(abs(value) / 5, down=True), _nice(3 * abs(value))
        return slider(name, PARAMETERS, *((near, far) if value > 0 else (-far, -near)))
    return slider(name, PARAMETERS, -_nice(2 * abs(value)), _nice(2 * abs(value)))


def of_one_sign(equations: Equations, start: Start, name: str) -> bool:
    """Is it a mass or a moment of inertia, declared to have no other sign, or degenerate at 0 or with another sign?

    Degenerate: the metric or the rows of the constraints are not finite, or of another rank or signature, at the start.
    """
    system = equations.system
    symbol = system.symbols.get(name)
    if symbol is not None and symbol.is_nonnegative:
        return True
    value = start.parameters[name]
    if value >= 0 and system.units and system.balance.known.get(name) in _MASSES:
        return True
    own = _ranks(equations, start, {})
    return any(_ranks(equations, start, {name: other}) != own for other in (0.0, -2 * value))


def _ranks(equations: Equations, start: Start, changed: Mapping[str, float]) -> tuple[int, int, int] | None:
    """Positive and negative eigenvalues of the metric, rank of the constraints; None where a number is not finite."""
    values = {**start.parameters, **start.state, TIME.name: start.t, **changed}
    with np.errstate(all="ignore"):
        numbers = Numbers.of(equations.machine.form._replace(W=equations.machine.metric), values)
    if not all(np.isfinite(part).all() for part in (numbers.W, numbers.N, numbers.f, numbers.g)):
        return None
    sizes = np.linalg.eigvalsh(numbers.W)
    least = _DEGENERATE * float(np.abs(sizes).max(initial=0.0))
    rank = int(np.linalg.matrix_rank(numbers.N)) if numbers.N.size else 0
    return int((sizes > least).sum()), int((sizes < -least).sum()), rank


def of_start(name: str, value: float, like: Sequence[float], angle: bool) -> Slider:
    """About the value, as wide as twice the largest of its kind; an angle a whole turn."""
    if angle and abs(value) <= math.pi:
        return slider(name, START, -round(math.pi, 2), round(math.pi, 2))
    reach = _nice(2 * max([abs(value), *map(abs, like)], default=0.0) or 1.0)
    return slider(name, START, -reach, reach)


def multiplier_sliders(equations: Equations, start: Start) -> list[Slider]:
    """As large as the momenta at the start per unit of a constraint's row: W u = N^T lam."""
    names = [s.name for s in equations.states_of_multipliers]
    if not names:
        return []
    values = {**start.parameters, **start.state, TIME.name: start.t}
    numbers = Numbers.of(equations.machine.form._replace(W=equations.machine.metric), values)
    u = np.array([start[v.name] for v in equations.space.velocities])
    momentum = float(np.abs(numbers.W @ u).max(initial=0.0)) or 1.0
    rows = np.abs(numbers.N).max(axis=1, initial=0.0)
    reach = [_nice(3 * momentum / (row or 1.0)) for row in rows]
    return [slider(name, MULTIPLIERS, -r, r) for name, r in zip(names, reach, strict=True)]


def kinds(
    names: Sequence[str], units: Mapping[str, Dimension], velocities: set[str], angles: set[str]
) -> dict[str, str]:
    """What has the same unit is of one kind; without units coordinates, velocities and angles are."""
    plain = {n: f"{'rate' if n in velocities else 'place'} {n in angles}" for n in names}
    return {n: str(units[n]) if n in units else kind for n, kind in plain.items()}


def _nice(value: float, down: bool = False) -> float:
    """The next of 1, 2, 5 times a power of ten, above or below."""
    exponent = math.floor(math.log10(value))
    digits = (1.0, 2.0, 5.0, 10.0)
    share = value / 10.0**exponent
    chosen = [d for d in digits if (d <= share * (1 + 1e-9) if down else d >= share * (1 - 1e-9))]
    return float(f"{(chosen[-1] if down else chosen[0])}e{exponent}")


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


def _entry(scene: Scenario, entry: RunSpec) -> Json:
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
        found += multiplier_sliders(each.equations, each.starts[entry.name])
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
