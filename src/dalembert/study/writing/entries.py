"""Runs, comparisons, sweeps, families and fits as tables of a file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

import sympy as sp

from ...calculus.symbols import free_symbols
from ...model.system import System
from ...question import Question
from ..inputs import ColumnSpec, TableSpec
from ..schema import OptionsTable
from ..study import CompareSpec, EventSpec, FamilySpec, FitSpec, RunSpec, Study, SweepSpec
from ..values import UNKNOWN
from .expressions import Expressions


def entries(study: Study) -> dict[str, Any]:
    """``{"run": [...], "compare": [...], ...}``, a list for each kind, and inputs if there are some."""
    return {
        **({"inputs": _declared(study)} if study.system.inputs else {}),
        "run": [_run(spec, study) for spec in study.runs],
        "compare": [_compare(spec, study) for spec in study.compares],
        "sweep": [_sweep(spec, study) for spec in study.sweeps],
        "family": [_family(spec, study.system) for spec in study.families],
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


def _run(spec: RunSpec, study: Study) -> dict[str, Any]:
    found = {"name": spec.name, "principle": spec.principle, **_common(spec, spec.start)}
    found |= _given(samples=spec.samples, parameters=spec.parameters, project=spec.project)
    found |= _given(hold=list(spec.hold), guess=spec.guess)
    found |= _given(inputs=_own(spec.inputs, study))
    return found | _last(spec, study.system)


def _compare(spec: CompareSpec, study: Study) -> dict[str, Any]:
    found = {"name": spec.name, "principles": list(spec.principles), **_common(spec, spec.start)}
    found |= _given(samples=spec.samples, parameters=spec.parameters, inputs=_own(spec.inputs, study))
    return found | _options(spec.options)


def _sweep(spec: SweepSpec, study: Study) -> dict[str, Any]:
    found = {"name": spec.name, "principle": spec.principle, **_common(spec, spec.starts)}
    found |= _given(parameters=spec.parameters, times=spec.times, keep=spec.keep)
    found |= _given(inputs=_own(spec.inputs, study))
    if spec.rows != "grid":
        found["rows"] = spec.rows
    return found | _last(spec, study.system)


def _family(spec: FamilySpec, system: System) -> dict[str, object]:
    found: dict[str, object] = {
        "name": spec.name,
        "principle": spec.principle,
        "parameter": spec.parameter,
        "over": list(spec.over),
    }
    found |= _given(start=spec.start, parameters=spec.parameters, fix=spec.fix, of=spec.of)
    period = spec.period
    if isinstance(period, sp.Expr):
        period = Expressions([*system.symbols.values()], ()).value(period)
    found |= _given(period=period, swing=spec.swing)
    found |= ({"symmetry": True} if spec.symmetry else {}) | ({"point": spec.point} if spec.point else {})
    return found | _happening(spec, system)


def _fit(spec: FitSpec, study: Study) -> dict[str, Any]:
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


def _observed(question: Question, study: Study) -> Any:
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


def _common(spec: Any, start: Mapping[str, Any]) -> dict[str, Any]:
    found = _given(start=start)
    if spec.t:
        found["t"] = spec.t
    return {**found, "until": spec.until}


def _given(**values: Any) -> dict[str, Any]:
    """The values that say something."""
    return {key: plain(value) for key, value in values.items() if value is not None and value not in ({}, ())}


def _last(spec: Any, system: System) -> dict[str, Any]:
    return _options(spec.options) | _happening(spec, system)


def _happening(spec: RunSpec | SweepSpec | FamilySpec, system: System) -> dict[str, object]:
    return {"event": [_event(event, system) for event in spec.events]} if spec.events else {}


def _options(options: Mapping[str, Any]) -> dict[str, Any]:
    order = [key for key in OptionsTable.model_fields if key in options]
    return {key: plain(options[key]) for key in (*order, *(key for key in options if key not in order))}


def _event(event: EventSpec, system: System) -> dict[str, Any]:
    own = [*system.letters_of_expressions, *(c.multiplier for c in system.constraints)]
    write = Expressions(own, ())
    then = event.then if isinstance(event.then, str) else {name: write.value(e) for name, e in event.then.items()}
    found: dict[str, Any] = {"name": event.name, "guard": write.text(event.guard), "then": then}
    way = {1: "rising", -1: "falling"}.get(event.direction)
    return {**found, "direction": way} if way else found


def plain(value: Any) -> Any:
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
