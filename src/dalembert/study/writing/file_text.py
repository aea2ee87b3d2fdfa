"""The text of a file: its entries, tables in order, comments, and TOML by `tomlkit`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import MISSING, asdict, fields
from typing import TYPE_CHECKING, Any

import sympy as sp

from ...argument_checks import switch
from ...calculus.symbols import free_symbols
from ...errors import WrongType, kind_of
from ...input_file import shown
from ...model.size_limits import LIMITS
from ...model.system import System
from ...question import Question
from ..file_expressions import UNKNOWN
from ..inputs import ColumnSpec, TableSpec
from ..study import Entry, FitSpec, Study
from ..toml_text import SCHEMA
from .system_tables import Expressions, tables

if TYPE_CHECKING:
    from ...event import Event

# --- entries ---------------------------------------------------------------------------------------------------------


def entries(study: Study) -> dict[str, Any]:
    """``{"run": [...], "compare": [...], ...}``, a list for each kind, and inputs if there are some."""
    return {
        **({"inputs": _declared(study)} if study.system.inputs else {}),
        "run": [_entry(spec, study) for spec in study.runs],
        "compare": [_entry(spec, study) for spec in study.compares],
        "sweep": [_entry(spec, study) for spec in study.sweeps],
        "family": [_entry(spec, study) for spec in study.families],
        "fit": [_fit(spec, study) for spec in study.fits],
    }


def _declared(study: Study) -> dict[str, object]:
    """All inputs, and what drives them."""
    driven = inputs(study.inputs, study.system)
    return {name: driven.get(name, UNKNOWN) for name in study.system.inputs}


def inputs(given: Mapping[str, object], system: System) -> dict[str, object]:
    """What drives inputs, as values of a table."""
    known = {s.name: s for s in system.letters_of_expressions}
    met = {s.name: s for e in given.values() if isinstance(e, sp.Expr) for s in free_symbols(e)}
    gains = {name: s for name, s in met.items() if name in system.parameters}  # the system itself may lack them
    write = Expressions([*{**gains, **known}.values()], ())
    return {name: _drive(each, write) for name, each in given.items()}


def _drive(given: object, write: Expressions) -> object:
    if isinstance(given, TableSpec | ColumnSpec):
        usual = {"time": "t", "kind": "hold"}
        told = {key: plain(value) for key, value in asdict(given).items() if usual.get(key) != value}
        return {key: value for key, value in told.items() if key != "folder"}
    return write.value(given) if isinstance(given, sp.Expr) else given


def _own(given: Mapping[str, object] | None, study: Study) -> dict[str, object]:
    """What an entry says of inputs, and the file does not."""
    new = {n: v for n, v in (given or {}).items() if n not in study.inputs or study.inputs[n] != v}
    return inputs(new, study.system)


_ORDER = (
    "name", "principle", "principles", "parameter", "over", "start", "t", "until", "samples", "parameters", "times",
    "keep", "project", "hold", "guess", "inputs", "rows", "fix", "of", "period", "swing", "symmetry", "point",
)  # fmt: skip


def _entry(spec: Entry, study: Study) -> dict[str, object]:
    """The table of an entry: in order what is not as it is without it, options, and events."""
    system, found = study.system, dict[str, object]()
    usual = {each.name: each.default for each in fields(spec)}
    for key in (key for key in _ORDER if key in usual):
        value = getattr(spec, key)
        if key == "inputs":
            value = _own(value, study)
        elif isinstance(value, sp.Expr):  # a period
            value = Expressions([*system.symbols.values()], ()).value(value)
        if key == "until" or usual[key] is MISSING or value != usual[key]:
            found |= _given(**{key: value})
    found |= _options(getattr(spec, "options", {}))
    events = getattr(spec, "events", ())
    return found | ({"event": [_event(event, system) for event in events]} if events else {})


def _fit(spec: FitSpec, study: Study) -> dict[str, object]:
    q, usual = spec.question, Question()
    found: dict[str, Any] = {"name": spec.name, "principles": list(spec.principles), "free": list(q.guess.free)}
    bounds = {name: ["-" if end is None else end for end in ends] for name, ends in q.guess.bounds.items()}
    found |= _given(start=q.guess.start, t=q.runs.t, parameters=q.guess.parameters, bounds=bounds)
    found |= _given(inputs=_own(q.runs.inputs, study))
    found |= _given(priors=q.guess.priors, columns=_observed(q, study), uncertainty=q.likelihood.uncertainty)
    found |= _given(laws=spec.laws, later=spec.later, ray=spec.ray)
    found |= {} if q.likelihood.loss == usual.likelihood.loss else {"loss": q.likelihood.loss}
    found |= {k: v for k, v in asdict(q.search).items() if v != getattr(usual.search, k)}
    return found | _given(read=spec.read) | _options(q.runs.options)


def _observed(question: Question, study: Study) -> object:
    """Names of columns, or their expressions as text."""
    columns = question.likelihood.columns
    if not isinstance(columns, Mapping):
        return columns
    system = study.system
    own = [*system.letters_of_expressions, *(c.multiplier for c in system.constraints)]
    known = {s.name for s in own}
    symbols = {s for e in columns.values() for s in free_symbols(e)}
    others = {s for s in symbols if s.name not in known and s.name in question.guess.parameters}
    write = Expressions([*own, *sorted(others, key=str)], ())
    return {name: write.value(e) for name, e in columns.items()}


def _given(**values: object) -> dict[str, object]:
    """The values that say something."""
    return {key: plain(value) for key, value in values.items() if value is not None and value not in ({}, ())}


def _options(options: Mapping[str, object]) -> dict[str, object]:
    if not options:
        return {}
    from ..schema import OptionsTable

    order = [key for key in OptionsTable.model_fields if key in options]
    return {key: plain(options[key]) for key in (*order, *(key for key in options if key not in order))}


def _event(event: Event, system: System) -> dict[str, object]:
    own = [*system.letters_of_expressions, *(c.multiplier for c in system.constraints)]
    write = Expressions(own, ())
    then = event.then if isinstance(event.then, str) else {name: write.value(e) for name, e in event.then.items()}
    found: dict[str, Any] = {"name": event.name, "guard": write.text(event.guard), "then": then}
    way = {1: "rising", -1: "falling"}.get(event.direction)
    return {**found, "direction": way} if way else found


def plain(value: object) -> Any:
    """Numbers, texts, lists and tables that TOML knows."""
    if isinstance(value, Mapping):
        return {str(key): plain(entry) for key, entry in value.items()}
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, list | tuple):
        return [plain(entry) for entry in value]
    if isinstance(value, sp.Basic):
        return float(value)
    return value


_BARE = "parameters of a system of which nothing has a unit"
COMMENTS = {
    "space": "Where the system can be. Each entry is a coordinate; its velocity is v and its name, or dot(x).\n"
    'A rotation "w" brings the angular velocities w1, w2, w3 in space axes, and is called R.',
    "units": "Units of base SI, of what has them. With them the dimensions of all terms are checked.",
    _BARE: 'A number; all are in the units of one system, and text with a unit ("2.54 cm") may stand here once\n'
    '[units] says that this is base SI. Or an expression in other parameters ("2/5*m*r^2"), or "?" for a value\n'
    "that comes later.",
    "parameters": 'A number in base SI, text with a unit ("2.54 cm"), an expression in other parameters\n'
    '("2/5*m*r^2"), or "?" for a value that comes later. sign and source may be added in a table.',
    "inputs": "What is given at run time: a number, text with a unit, a formula of t and states, values at times,\n"
    'a column of a file beside this one; or "?" where each run says. A run may say otherwise.',
    "symbols": "LaTeX of names, for print.",
    "definitions": "Names for parts of expressions; print keeps them.",
    "lagrangian": "L is kinetic minus potential energy. + - * / ^ ( ), sin, cos, sqrt, ..., dot(x) and t are known.\n"
    "Further keys are names for parts of it: T, V.",
    "constraint": "Each phi is to be 0. Velocities may occur in it; without them it is a relation of positions.",
    "equivalent": "Constraints that allow the same motions and keep their rank where those above lose it.",
    "forces": "Generalised forces, by the velocity on which they act.",
    "force": "Forces on points: the velocity of the point, and the force, component by component.",
    "friction": "Friction laws. viscous and rotational need a velocity, rolling the slip and the load,\n"
    "pivoting the spin and the load, dry the joint and the size.",
    "momenta": "What you expect to be conserved; it is watched in every run.",
    "inertias": "Moments of inertia of the bodies, checked to be those of a body.",
    "symmetry": "Motions of the space that change neither L nor the constraints.",
    "wall": "The motion is free where the guard is positive; at 0 the velocities jump.",
    "contact": "What touches where the gap is 0: it slides, sticks, bounces and lifts by itself.",
    "body": "What is drawn: a shape, its sizes, and where it is.",
    "scene": "Which axis of the space points up on the screen.",
    "explore": "What a live page lets a person change.",
    "run": "One motion: a principle, a start, an end. What the constraints determine may be left out of the start.",
    "compare": "The same start under several principles.",
    "sweep": 'Many motions: "first:last:count" or a list of values is an axis of a grid.',
    "family": "Motions that stand still or come back, followed in a parameter from one end of a range to the other.",
    "fit": "What is to be found from a recorded track: dalembert fit FILE TRACK.csv",
}
_INLINE = 100  # characters of an inline table that stands on one line


def source(thing: object, comments: bool) -> str:
    """The text of a study or a system."""
    import tomlkit

    study, comments = thing if isinstance(thing, Study) else _study(thing), switch(comments, "comments")
    document = tomlkit.document()
    document["schema"] = SCHEMA
    if study.title:
        document["title"] = study.title
    if study.cite:
        document["cite"] = list(study.cite)
    system = study.freed(study.derived).system  # its expressions hold the names of what follows from others
    larger = {name: most for name, most in system.limits.items() if most > LIMITS[name]}
    if larger and comments:
        document.add(tomlkit.comment(f"to be read with limits={larger}: a file cannot raise them itself"))
    all_tables = tables(system, study.derived, study.constants) | entries(study)
    for key, value in all_tables.items():
        if value:
            bare = key == "parameters" and not system.units
            _add(document, key, value, COMMENTS[_BARE if bare else key] if comments else "")
    # a comment stands directly above its table; no text of a file begins a line with #
    return re.sub(r"(^#[^\n]*\n)\n(?=\[)", r"\1", tomlkit.dumps(document), flags=re.MULTILINE).rstrip() + "\n"


def _study(thing: object) -> Study:
    if not isinstance(thing, System):
        fact = f"a system file is written for a study or a system, not for {kind_of(thing)}"
        raise WrongType("E512", fact, "da.write(system, path)")
    return Study(shown(thing.title), thing, tuple(map(shown, thing.cite)))


def _add(document: Any, key: str, value: Any, comment: str) -> None:
    import tomlkit

    document.add(tomlkit.nl())
    for line in comment.splitlines():
        document.add(tomlkit.comment(line))
    if isinstance(value, list):
        tables_of = tomlkit.aot()
        for entry in value:
            tables_of.append(_table(entry))
        document[key] = tables_of
    else:
        document[key] = _table(value)


def _table(given: Mapping[str, Any]) -> Any:
    """A table; lists of tables in it become ``[[run.event]]``, all else stands inline."""
    import tomlkit

    table = tomlkit.table()
    for key, value in given.items():
        if key in ("event", "factor") and isinstance(value, list):
            inner = tomlkit.aot()
            for entry in value:
                inner.append(_table(entry))
            table[key] = inner
        elif key == "generators" or (
            key in ("frame", "coordinates")
            and len(given) == 1
            and isinstance(value, dict)
            and len(str(value)) > _INLINE
        ):
            table[key] = _table(value)
        else:
            table[key] = _item(value)
    return table


def _item(value: object) -> object:
    """A value; tables stand inline."""
    import tomlkit

    if isinstance(value, Mapping):
        inline = tomlkit.inline_table()
        for key, entry in value.items():
            inline[key] = _item(entry)
        return inline
    if isinstance(value, list):
        array = tomlkit.array()
        for entry in value:
            array.append(_item(entry))
        nested = any(isinstance(entry, list | Mapping) for entry in value)
        return array.multiline(nested and len(str(value)) > _INLINE)
    return tomlkit.item(value)
