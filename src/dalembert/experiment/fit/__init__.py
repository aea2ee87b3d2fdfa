"""Fit: the unknowns of a model that describe a record best.

    minimise  sum_i rho((y_i - f_i(theta))^2 / sigma_i^2)  +  sum_j (theta_j - m_j)^2 / s_j^2

f being what a motion with the unknowns theta shows at the times of the record, rho a loss, m and s priors. The
derivatives of f are the motion's own tangents, the minimum is SciPy's.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import numpy as np

from ...equations import Equations, Start
from ...errors import InvalidValue, UnknownName, WrongType, did_you_mean
from ...errors.remedies import Code, Option
from ...findings.fit import Fit
from ...numerics.policy import Policy
from ...record import Record
from ...trajectory import Trajectory
from ..deviations import check_units
from ..series import listed
from .data import data
from .descend import check_loss, many
from .model import ELSEWHERE, Model, NoMotion, with_sizes
from .result import finished
from .unknowns import unknowns

__all__ = ["fit", "prepared"]

RTOL, MAX_STEPS = 1e-9, 20_000  # of runs at trial values, unless told otherwise
MOST_STARTS = 10_000
ALONE, LINKED = 1e-4, ("E231", "E232", "E233")  # of a size; codes of starts off a constraint
FIRST = 0.1  # of the time: a guess whose motion breaks off later is still one


def fit(
    equations: Equations,
    record: Record,
    *,
    start: Any,
    free: Any,
    columns: Any = None,
    parameters: Mapping[Any, Any] | None = None,
    bounds: Mapping[Any, Any] | None = None,
    priors: Mapping[Any, Any] | None = None,
    uncertainty: Mapping[Any, Any] | None = None,
    loss: str = "linear",
    starts: int = 1,
    spread: float = 1.0,
    seed: int = 0,
    t: float | None = None,
    until: float | None = None,
    events: Sequence[Any] = (),
    check: bool = True,
    progress: bool = False,
    **options: Any,
) -> Fit:
    """Choose the unknowns of a model so that its motion describes a record best.

    Args:
        equations: of the model, from a principle.
        record: what was seen; see `recorded`.
        start: values by name as `Equations.start` takes them, guesses for those that are free.
        free: names of the unknowns: parameters, values given in `start` (also multipliers that are states), and names
            that only `columns` have.
        columns: names of columns that record and states have in common, by default all; or ``{column: what}``, where
            `what` is an expression in states, parameters, t and names of its own (the scale of a camera), or a function
            of the path that returns as many numbers as the column has.
        parameters: values that replace the system's, and values of the columns' own names; guesses where free.
        bounds: ``{name: (low, high)}``, None for an open end. Positive parameters and coefficients of friction do not
            go below 0.
        priors: ``{name: (mean, standard deviation)}`` of what is known besides, Gaussian.
        uncertainty: ``{column: standard uncertainty}``, in place of the record's. Where neither says it, the noise is
            estimated from the residuals, the same for all rows of a column; whether the model fits cannot be judged
            then.
        loss: ``"linear"`` (least squares), or ``"soft_l1"``, ``"huber"``, ``"cauchy"``, ``"arctan"``, which heed
            outliers less.
        starts: how many searches, the first from the guess, the others in turns from places as likely as the first part
            of the record leaves them, and from random places between the bounds or, without bounds, about the guess.
        spread: how far about, in sizes of the guess.
        seed: of these places.
        t: time of the start, by default the first time of the record.
        until: time of the end, by default the last; needed where a column is a function.
        events: of the runs, for columns that are functions.
        check: refuse a record that is the motion of the guess in another unit (E549).
        progress: show progress on a terminal.
        options: those of `simulate`; rtol is 1e-9 by default.

    Returns:
        A `Fit`: values, uncertainties, residuals, what the data do not see, doubts.

    Raises:
        InvalidValue: E550 free names, E551 a guess from which there is no motion, E552 fewer numbers than unknowns,
            E553 bounds, priors, uncertainties, E554 columns, E307 options.
        UnknownName: E202, E317, E553 names that are not there.
        WrongType: E318, no record.
        DalembertError: what `Equations.start` raises for the guess.
    """
    loss, model = check_loss(loss), prepared(
        equations, record, start=start, free=free, columns=columns, parameters=parameters, bounds=bounds,
        priors=priors, uncertainty=uncertainty, t=t, until=until, events=events, check=check, **options
    )  # fmt: skip
    starts, spread, seed = _count(starts), _spread(spread), _seed(seed)
    with _progress(starts, progress) as tick:
        minima = _searched(lambda: many(model, loss, starts, spread, seed, tick))
    return finished(model, record, minima, loss, starts)


def prepared(
    equations: Equations,
    record: Record,
    *,
    start: Any,
    free: Any,
    columns: Any = None,
    parameters: Mapping[Any, Any] | None = None,
    bounds: Mapping[Any, Any] | None = None,
    priors: Mapping[Any, Any] | None = None,
    uncertainty: Mapping[Any, Any] | None = None,
    t: float | None = None,
    until: float | None = None,
    events: Sequence[Any] = (),
    check: bool = True,
    least: int = 1,
    **options: Any,
) -> Model:
    """The model of a fit, checked; arguments and errors as of `fit`; `least` is how many unknowns there must be."""
    if not isinstance(equations, Equations):
        raise WrongType("E307", f"a fit needs equations, not {type(equations).__name__}", "da.nonholonomic(system)")
    if not isinstance(record, Record):
        fact = f"the data are {type(record).__name__}, not a record"
        raise WrongType("E318", fact, 'da.recorded("track.csv"), or da.recorded({"t": t, "x": x})')
    if not isinstance(events, list | tuple):
        raise WrongType("E307", f"events are a list, not {type(events).__name__}", "events=[da.Event(...)]")
    Policy.of(options)  # refuses what is no option
    chosen = _columns(equations, record, columns)
    seen = data(record, tuple(chosen), uncertainty)
    first, last = _span(seen.t[seen.row] if len(seen.t) else np.empty(0), t, until, chosen)
    given, own = _values(equations, start, parameters, chosen)
    begin = equations.start(**given, t=first, parameters=own[0])
    asked = unknowns(equations, begin, free, own[1], bounds, priors, least)
    if len(seen) + asked.has_prior.sum() < len(asked):
        fact = f"{len(seen)} numbers cannot tell {len(asked)} unknowns"
        raise InvalidValue(
            "E552", fact, ("let fewer be free, or give ", Option("priors", Code("{name: (mean, standard deviation)}")))
        )
    if seen.unknown and len(seen) + asked.has_prior.sum() == len(asked):
        fact = f"with {len(asked)} unknowns nothing of {len(seen)} numbers is left to estimate the noise from"
        raise InvalidValue(
            "E552", fact, ("give ", Option("uncertainty", Code("{column: sigma}")), ", or let fewer be free")
        )
    model = Model.of(
        equations, asked, seen, list(chosen.values()), t=first, until=last, events=tuple(events),
        options={"rtol": RTOL, "max_steps": MAX_STEPS, **options},
    )  # fmt: skip
    path = _searched(lambda: _first_path(model))
    _check_alone(model)
    if check:
        _check_units(record, chosen, path, model)
    return with_sizes(model, path)


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


def _check_units(record: Record, chosen: Mapping[str, Any], path: Trajectory, model: Model) -> None:
    """E549 where the record is the motion of the guess in another unit."""
    plain = {n: c for n, c in chosen.items() if getattr(c, "name", None) == n and n in path.names[: path.states]}
    known = {n: (record.units.get(n, ""), model.equations.system.unit(c)) for n, c in plain.items()}
    for name, (mine, own) in known.items():
        if mine and own and mine != own:
            fact = f"{name} is in {mine} in the record and in {own} in the system"
            raise InvalidValue("E549", fact, Option("read.to", own, "recorded"), subject=("fit", "columns", name))
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
        begun = replace(model, until=model.t + FIRST * (model.until - model.t))
        return begun.run(guess)
    return model.path(guess)


def _searched(search: Any) -> Any:
    try:
        return search()
    except NoMotion as error:
        raise InvalidValue("E551", f"from the guess there is no motion to compare: {error}", ELSEWHERE) from None


def _columns(equations: Equations, record: Any, given: Any) -> dict[str, Any]:
    """What each fitted column is: an expression in the states, or a function of the path."""
    symbols = {s.name: s for s in (*equations.space, *equations.states_of_multipliers)}
    if given is None:
        names = tuple(getattr(record, "names", ()))
        found = {n: symbols[n] for n in names if n in symbols and n != record.time}
        if not found:
            told = f"the record has {', '.join(names)[:60]}, the states are {', '.join(symbols)[:60]}"
            fact = "record and model have no column in common"
            raise InvalidValue("E549", fact, (Option("columns", {"px": "k*x + x0"}), " says what a column shows"), told)
        return found
    if isinstance(given, Mapping):
        return {str(getattr(k, "name", k)): _what(k, v) for k, v in given.items()}
    names = listed(given)
    for name in names:
        if name not in symbols:
            raise UnknownName(
                "E317",
                f"the model has no state {name!r}",
                did_you_mean(name, symbols),
                subject=("fit", "columns", name),
            )
    return {n: symbols[n] for n in names}


def _what(column: Any, given: Any) -> Any:
    if callable(given) or getattr(given, "is_Atom", None) is not None:
        return given
    fact = f"the column {column} is neither an expression nor a function: {given!r:.40}"
    raise WrongType("E554", fact, (Option("columns", {"px": "k*x + x0"}), ", or a function of the path"))


def _values(
    equations: Equations, start: Any, parameters: Mapping[Any, Any] | None, columns: Mapping[str, Any]
) -> tuple[dict[str, Any], tuple[dict[str, Any], dict[str, float]]]:
    """Values of the start; of the system's parameters; of the columns' own names."""
    if not isinstance(start, Mapping):
        fact = f"the start of a fit is given by name, not as {type(start).__name__}"
        raise WrongType("E241", fact, 'start={"x": 0.1}')
    own = dict(start.parameters) if isinstance(start, Start) else {}
    if not isinstance(parameters, Mapping | None):
        raise WrongType("E204", f"parameters must be a mapping, not {type(parameters).__name__}", 'write {"m": 1.0}')
    own |= {str(getattr(k, "name", k)): v for k, v in (parameters or {}).items()}
    source = start.given if isinstance(start, Start) else start
    given = {str(getattr(k, "name", k)): v for k, v in source.items()}
    given.pop("t", None)
    known = {*equations.states, *equations.system.symbols, *equations.system.parameters, "t"}
    strange = _names_in(columns) - known
    mine = {n: _number(n, own.pop(n)) for n in list(own) if n in strange}
    missing = sorted(strange - set(mine))
    if missing:
        fact = f"the columns have {', '.join(missing)}, of which no value is known"
        raise InvalidValue(
            "E551", fact, (Option("fit.parameters", {missing[0]: 1.0}), " gives one, a guess if it is free")
        )
    return given, (own, mine)


def _names_in(columns: Mapping[str, Any]) -> set[str]:
    return {s.name for c in columns.values() for s in getattr(c, "free_symbols", ())}


def _number(name: str, given: Any) -> float:
    try:
        if isinstance(given, str | bool):
            raise TypeError
        value = float(given)
    except (TypeError, ValueError, OverflowError):
        raise WrongType("E204", f"{name} = {given!r:.40} is not a number", f"{name}: 1.0") from None
    if not math.isfinite(value):
        raise InvalidValue("E203", f"{name} = {value} is not finite", "give a finite number")
    return value


def _span(times: np.ndarray, t: Any, until: Any, columns: Mapping[str, Any]) -> tuple[float, float]:
    """Times of the start and of the end."""
    t, until = (None if v is None else _number(n, v) for n, v in (("t", t), ("until", until)))
    functions = [n for n, c in columns.items() if not hasattr(c, "free_symbols")]
    if functions and until is None:
        fact = f"{', '.join(functions)} is measured on a whole path, and no end is given"
        raise InvalidValue("E554", fact, (Option("until", 30.0), " says how long the model is run"))
    if not len(times) and not functions:
        raise InvalidValue(
            "E554", "the record has no times", ("give functions of the path for its columns, and ", Option("until"))
        )
    first = float(times.min()) if t is None and len(times) else float(t or 0.0)
    last = max(float(times.max()) if len(times) else first, -math.inf if until is None else float(until))
    if len(times) and times.min() < first:
        fact = f"the record begins at {times.min():g}, before the start at t = {first:g}"
        raise InvalidValue("E549", fact, ("leave ", Option("t"), " out, or take the part that follows: record[n:]"))
    if not last > first:
        raise InvalidValue(
            "E554", f"all was seen at the time of the start, {first:g}", (Option("t"), " begins the motion earlier")
        )
    return first, last


def _count(starts: Any) -> int:
    if isinstance(starts, bool) or not isinstance(starts, int | np.integer) or not 1 <= starts <= MOST_STARTS:
        raise InvalidValue(
            "E307", f"starts = {starts!r:.40} must be a whole number, 1 to {MOST_STARTS}", Option("starts", 20)
        )
    return int(starts)


def _seed(seed: Any) -> int:
    if isinstance(seed, bool) or not isinstance(seed, int | np.integer) or seed < 0:
        raise InvalidValue("E307", f"seed = {seed!r:.40} must be a whole number, not negative", Option("seed", 0))
    return int(seed)


def _spread(spread: Any) -> float:
    try:
        value = float(spread)
    except (TypeError, ValueError, OverflowError):
        value = math.nan
    if not (0 < value < math.inf):
        raise InvalidValue("E307", f"spread = {spread!r:.40} must be a positive number", Option("spread", 1.0))
    return value


@contextmanager
def _progress(total: int, wanted: bool) -> Iterator[Any]:
    """A progress bar on a terminal, nothing elsewhere."""
    if not wanted:
        yield lambda done: None
        return
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("searching", total=total)
        yield lambda done: bar.update(task, completed=done)
