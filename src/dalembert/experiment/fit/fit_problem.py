"""From what is asked of a record to a model whose predictions can be compared with it; refused where they cannot."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, TypeVar

import numpy as np

from ...argument_checks import seconds
from ...equations import Equations, Start
from ...equations.start import by_name_of
from ...errors import InvalidValue, UnknownName, WrongType, as_given, did_you_mean, kind_of
from ...errors.remedies import Code, Option
from ...numerics.inputs.run_inputs import settled, steered
from ...numerics.policy import OF_METHOD, Policy
from ...question import OPTIONS, Guess, Question, Runs
from ...record import Record
from ...trajectory import Trajectory
from ..name_arguments import by_name, listed, name_of
from ..residuals import check_units
from ..starts_with_inputs import start_with_inputs
from .model import ELSEWHERE, Column, Data, FitSpan, Model, NoMotion, data, is_function, with_sizes
from .unknowns import Unknowns, unknowns

RTOL, MAX_STEPS = 1e-9, 20_000  # of runs at trial values, unless told otherwise
ALONE, LINKED = 1e-4, ("E231", "E232", "E233")  # of a size; codes of starts off a constraint
FIRST = 0.1  # of the time: a guess whose motion breaks off later is still one
_Found = TypeVar("_Found")


def prepared(equations: Equations, record: Record, question: Question, *, check: bool = True, least: int = 1) -> Model:
    """The model of a fit, checked; errors as of `fit`.

    Args:
        equations: of the model.
        record: what was seen.
        question: what is asked of it.
        check: refuse a record that is the motion of the guess in another unit.
        least: how many unknowns there must be.
    """
    _check_kinds(equations, record, question.runs)
    chosen = _columns(equations, record, question.likelihood.columns)
    seen = data(record, tuple(chosen), question.likelihood.uncertainty)
    span = _span(seen, question.runs, chosen)
    _check_inputs(equations, question.guess, span)
    asked = _unknowns(equations, question.guess, span, chosen, least)
    _check_count(seen, asked)
    model = Model.of(equations, asked, seen, list(chosen.values()), span)
    path = searched(lambda: _first_path(model), seen.t)
    _check_alone(model)
    if check:
        _check_units(record, chosen, path, model)
    return with_sizes(model, path)


def _check_kinds(equations: Equations, record: Record, runs: Runs) -> None:
    """E307, E318: arguments of another kind."""
    if not isinstance(equations, Equations):
        raise WrongType("E307", f"a fit needs equations, not {kind_of(equations)}", "da.nonholonomic(system)")
    if not isinstance(record, Record):
        fact = f"the data are {kind_of(record)}, not a record"
        raise WrongType("E318", fact, 'da.recorded("track.csv"), or da.recorded({"t": t, "x": x})')
    if not isinstance(runs.events, list | tuple):
        raise WrongType("E307", f"events are a list, not {kind_of(runs.events)}", "events=[da.Event(...)]")


def check_options(options: Mapping[str, object]) -> None:
    """E307 for what is no option of the runs of a model, or is set by the record."""
    known = [f.name for f in fields(Policy)]
    for name in options:
        if name in ("dense", "samples"):
            raise InvalidValue("E307", f"{name} is set by what is fitted", f"leave {name} out")
        if name not in (*known, *OF_METHOD):
            fact = f"there is no option {as_given(name)}"
            raise WrongType("E307", fact, did_you_mean(name, [*OPTIONS, *OF_METHOD, *known]))
    Policy.of(options)


def _check_inputs(equations: Equations, guess: Guess, span: FitSpan) -> None:
    """E180 to E186: what inputs are given by."""
    if not equations.system.inputs and span.inputs is None:
        return
    own, known = opened(guess, [equations])[1], {*equations.system.parameters, *equations.system.inputs}
    given = {name: value for name, value in own.items() if name in known}
    steered(equations, {"t": span.t}, span.inputs, given, span.until)


def _unknowns(equations: Equations, guess: Guess, span: FitSpan, columns: Mapping[str, Column], least: int) -> Unknowns:
    values = _values(equations, guess, columns)
    begin = start_with_inputs(equations, values.start, span.t, values.system, span.inputs)
    return unknowns(equations, begin, guess, values.columns, least)


def _check_count(seen: Data, asked: Unknowns) -> None:
    """E552: fewer numbers than unknowns, or none left for the noise."""
    numbers = len(seen) + asked.has_prior.sum()
    if numbers < len(asked):
        fact = f"{len(seen)} numbers cannot tell {len(asked)} unknowns"
        raise InvalidValue(
            "E552", fact, ("let fewer be free, or give ", Option("priors", Code("{name: (mean, standard deviation)}")))
        )
    if seen.unknown and numbers == len(asked):
        fact = f"with {len(asked)} unknowns nothing of {len(seen)} numbers is left to estimate the noise from"
        raise InvalidValue(
            "E552", fact, ("give ", Option("uncertainty", Code("{column: sigma}")), ", or let fewer be free")
        )


def _check_alone(model: Model) -> None:
    """E550, a value that cannot change while those given with it stay as they are: a constraint links them."""
    u = model.unknowns
    for i, (name, kind) in enumerate(zip(u.names, u.kinds, strict=True)):
        if kind == "column":
            continue
        refusals = []
        for side in (-1, +1):
            theta = u.guess.copy()
            theta[i] = np.clip(theta[i] + side * ALONE * (u.size[i] or 1.0), u.low[i], u.high[i])
            try:
                model.begin(theta)
            except NoMotion as error:
                refusals.append(error)
        if len(refusals) == 2 and all(error.code in LINKED for error in refusals):
            fact = f"{name} alone cannot change: {refusals[0]}"
            remedy = (
                *("leave out of ", Option("fit.start"), " what follows from it, or describe the system"),
                " in independent coordinates",
            )
            raise InvalidValue("E550", fact, remedy, subject=("fit", "free", name))


def _check_units(record: Record, chosen: Mapping[str, Column], path: Trajectory, model: Model) -> None:
    """E549 where the record is the motion of the guess in another unit."""
    plain = {n: c for n, c in chosen.items() if getattr(c, "name", None) == n and n in path.names[: path.states]}
    known = {n: (record.units.get(n, ""), model.equations.system.unit(c)) for n, c in plain.items()}
    for name, (mine, own) in known.items():
        if mine and own and mine != own:
            fact = f"{name} is in {mine} in the record and in {own} in the system"
            raise InvalidValue("E549", fact, Option("read.to", own, "recorded"), subject=("fit", "columns", name))
    for name, has in record.provenance.get("uncertainty in", {}).items():
        own = known.get(name, ("", ""))[1]
        if own and has != own:
            fact = f"the uncertainty of {name} is given in {has}, and {name} is in {own} in the system"
            remedy = Option("uncertainty", {name: f"0.001 {own}"})
            raise InvalidValue("E549", fact, remedy, subject=("fit", "uncertainty", name))
    names = tuple(n for n, (mine, own) in known.items() if not (mine and own))
    if names and len(record.t):
        whole = path.t[-1] >= record.t[-1]
        part = record if whole else record[: int(np.searchsorted(record.t, path.t[-1], side="right"))]
        table = path.dense(np.clip(part.t, path.t[0], path.t[-1]))
        check_units(part, names, table[:, [path.names.index(n) for n in names]])


def _first_path(model: Model) -> Trajectory:
    """The motion at the guess; where it does not reach the end, its first part."""
    guess = model.unknowns.guess
    try:
        model.both(guess)
    except NoMotion:
        if not model.by_tangents:
            raise
        begun = model.to(model.t + FIRST * (model.until - model.t))
        return begun.run(guess)
    return model.path(guess)


def searched(search: Callable[[], _Found], t: np.ndarray | None = None) -> _Found:
    """What a search finds (E551 if there is no motion); `t` are the times of the record."""
    try:
        return search()
    except NoMotion as error:
        fact = f"from the guess there is no motion to compare: {error}"
        refusal = InvalidValue("E551", fact, ELSEWHERE)
        if "steps are used up" in str(error) and t is not None and len(t):
            told = f"; or is the record's time, {t.min():.6g} to {t.max():.6g}, in ms? "
            refusal.also(told, Option("read.units", {"t": "ms"}, "recorded"))
        raise refusal from None


# --- what is compared ------------------------------------------------------------------------------------------------


def _columns(equations: Equations, record: Record, given: object) -> dict[str, Column]:
    """What each fitted column is: an expression in the states, or a function of the path."""
    symbols = {s.name: s for s in (*equations.space, *equations.states_of_multipliers)}
    if given is None:
        found = {n: symbols[n] for n in record.names if n in symbols and n != record.time}
        if not found:
            raise nothing_in_common(record, "model", f"the states are {', '.join(symbols)[:60]}")
        return found
    if isinstance(given, Mapping):
        return {name_of(k): _what(name_of(k), v) for k, v in given.items()}
    names = listed(given)
    for name in names:
        if name not in symbols:
            fact, known = f"the model has no state {as_given(name)}", did_you_mean(name, symbols)
            raise UnknownName("E317", fact, known, subject=("fit", "columns", name))
    return {n: symbols[n] for n in names}


def nothing_in_common(record: Record, what: str, told: str) -> InvalidValue:
    """E549: no column of the record is a state."""
    every = f"the record has {', '.join(record.names)[:60]}, {told}"
    fact = f"record and {what} have no column in common"
    return InvalidValue("E549", fact, (Option("columns", {"px": "k*x + x0"}), " says what a column shows"), every)


def _what(column: str, given: Any) -> Column:
    if callable(given) or getattr(given, "is_Atom", None) is not None:
        return given
    fact = f"the column {column} is neither an expression nor a function: {as_given(given)}"
    raise WrongType("E554", fact, (Option("columns", {"px": "k*x + x0"}), ", or a function of the path"))


# --- values ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _NamedValues:
    """Values by name: of the start, of the system's parameters, of the columns' own names."""

    start: dict[str, Any]
    system: dict[str, Any]
    columns: dict[str, float]


def _values(equations: Equations, guess: Guess, columns: Mapping[str, Column]) -> _NamedValues:
    """What was given, by what it is a value of."""
    if not isinstance(guess.start, Mapping):
        fact = f"the start of a fit is given by name, not as {kind_of(guess.start)}"
        raise WrongType("E241", fact, 'start={"x": 0.1}')
    if not isinstance(guess.parameters, Mapping):
        fact = f"parameters must be a mapping, not {kind_of(guess.parameters)}"
        raise WrongType("E204", fact, 'write {"m": 1.0}')
    given, system = opened(guess, [equations])
    given.pop("t", None)
    known = {*equations.states, *equations.system.symbols, *equations.system.parameters, "t"}
    strange = names_in(columns) - known
    own = {n: _number(n, system.pop(n)) for n in list(system) if n in strange}
    missing = sorted(strange - set(own))
    if missing:
        fact = f"the columns have {', '.join(missing)}, of which no value is known"
        raise InvalidValue(
            "E551", fact, (Option("fit.parameters", {missing[0]: 1.0}), " gives one, a guess if it is free")
        )
    return _NamedValues(given, system, own)


def opened(guess: Guess, every: Sequence[Equations]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Values of the start and of parameters, by the text of their names; a `Start` brings parameters of its own."""
    said = [*guess.parameters, *listed(guess.free)]
    guess = replace(guess, start=by_name_of(guess.start, every, said, reactions=len(every) > 1))
    whole = guess.start if isinstance(guess.start, Start) else None
    own = dict(whole.parameters) if whole else {}
    given = by_name(whole.given if whole else guess.start, "values of the start", "E241", 'start={"x": 0.1}')
    return given, own | by_name(guess.parameters, "parameters", "E204", 'parameters={"x": ...}')


def names_in(columns: object) -> set[str]:
    """Names in the expressions of columns."""
    every = columns.values() if isinstance(columns, Mapping) else ()
    return {s.name for column in every for s in getattr(column, "free_symbols", ())}


def _number(name: str, given: Any) -> float:
    try:
        if isinstance(given, str | bool):
            raise TypeError
        value = float(given)
    except (TypeError, ValueError, OverflowError):
        raise WrongType("E204", f"{name} = {as_given(given)} is not a number", f"{name}: 1.0") from None
    if not math.isfinite(value):
        raise InvalidValue("E203", f"{name} = {value} is not finite", "give a finite number")
    return value


def _span(seen: Data, runs: Runs, columns: Mapping[str, Column]) -> FitSpan:
    """When the model starts and ends, and how it runs."""
    times = seen.t[seen.row] if len(seen.t) else np.empty(0)
    t, until = (None if v is None else _number(n, seconds(v, n)) for n, v in (("t", runs.t), ("until", runs.until)))
    functions = [n for n, c in columns.items() if is_function(c)]
    if functions and until is None:
        fact = f"{', '.join(functions)} is measured on a whole path, and no end is given"
        raise InvalidValue("E554", fact, (Option("until", 30.0), " says how long the model is run"))
    if not len(times) and not functions:
        remedy = ("give functions of the path for its columns, and ", Option("until"))
        raise InvalidValue("E554", "the record has no times", remedy)
    first = float(times.min()) if t is None and len(times) else float(t or 0.0)
    seen_to = float(times.max()) if len(times) else first
    last = seen_to if until is None else until
    if last < seen_to:
        fact = f"the record goes on to {seen_to:g}, after until = {last:g}"
        raise InvalidValue("E549", fact, ("leave ", Option("until"), " out, or take the part before it: record[:n]"))
    if len(times) and times.min() < first:
        fact = f"the record begins at {times.min():g}, before the start at t = {first:g}"
        raise InvalidValue("E549", fact, ("leave ", Option("t"), " out, or take the part that follows: record[n:]"))
    if not last > first:
        fact = f"all was seen at the time of the start, {first:g}"
        raise InvalidValue("E554", fact, (Option("t"), " begins the motion earlier"))
    options = {"rtol": RTOL, "max_steps": MAX_STEPS, **runs.options}
    return FitSpan(first, last, tuple(runs.events), options, settled(runs.inputs))
