"""`compare`, `limit`, `fit`, `rank` and `plan` for users: principles by name, laws and expressions in text, units.

`each_named` and `resolved` turn names, text and units into functions, expressions and numbers; the room of experiments
takes nothing else.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import wraps
from typing import Any, TypeVar

from ..argument_checks import public, switch
from ..calculus.quantity import SECOND, Dimension, quantity, wrong_dimension
from ..comparison import Comparison, Limit
from ..equations import Equations
from ..errors import DalembertWarning, InvalidValue, UnknownName, WrongType, as_given, did_you_mean, kind_of
from ..experiment import compare as side_by_side
from ..experiment import penalty_limit as study
from ..experiment.compare import equations_of
from ..experiment.fit import fit as of_numbers
from ..experiment.name_arguments import listed, name_of
from ..experiment.plan import plan as of_designs
from ..experiment.rank import LATER
from ..experiment.rank import rank as of_candidates
from ..findings.fit import Fit
from ..findings.plan import Plan
from ..findings.ranking import Ranking
from ..model.expression_symbols import Reader
from ..model.force import Force
from ..model.system import System
from ..principles.principle_table import each_named, named
from ..question import Guess, Named, Question
from ..record import Record


@public
@wraps(side_by_side.compare)
def compare(system: System, principles: object, **options: Any) -> Comparison:
    """See `experiment.compare.compare`; principles may be given by their names."""
    return side_by_side.compare(system, each_named(principles), **options)


@public
@wraps(study.limit)
def limit(system: System, penalty: Any, principle: Any, **options: Any) -> Limit:
    """See `experiment.penalty_limit.limit`; the principle may be given by its name."""
    return study.limit(system, penalty, named(principle), **options)


@public
def fit(
    equations: Equations | System,
    record: Record,
    *,
    principle: object = None,
    check: bool = True,
    progress: bool = False,
    **given: Any,
) -> Fit:
    """Choose the unknowns of a model so that its motion describes a record best.

    Args:
        equations: of the model; or a `System`, with the name of a `principle`.
        record: what was seen; see `recorded`.
        principle: ``"nonholonomic"``, ..., or a function from a system to equations.
        check: refuse a record that is the motion of the guess in another unit (E549).
        progress: show progress on a terminal.
        given: what is asked of the record, all below; values may be text with a unit.
        start: values by name as `Equations.start` takes them, guesses for those that are free.
        free: names of the unknowns: parameters, values given in `start` (also multipliers that are states), and names
            that only `columns` have.
        columns: names of columns that record and states have in common, by default all; or ``{column: what}``, where
            `what` is an expression in states, parameters, t and names of its own, ``"k*x + x0"``, or a function of the
            path that returns as many numbers as the column has.
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
        options: those of `simulate`; rtol is 1e-9 by default.

    Returns:
        A `Fit`: values, uncertainties, residuals, what the data do not see, doubts.

    Raises:
        WrongType: E307, neither equations nor a system with a principle; E318, no record.
        InvalidValue: E550 free names, E551 a guess from which there is no motion, E552 fewer numbers than unknowns,
            E553 bounds, priors, uncertainties, E554 columns, E307 options.
        UnknownName: E202, E317, E553 names that are not there.
        DalembertError: what `Equations.start` raises for the guess.
    """
    formed = _equations(equations, principle)
    question = resolved(formed.system, formed.states, record, Question.of(given))
    return of_numbers(formed, record, question, check=switch(check, "check"), shown=switch(progress, "progress"))


def _equations(given: object, principle: object) -> Equations:
    """The equations of a model, formed where a system and a principle were given (E307)."""
    if isinstance(given, System):
        if principle is None:
            fact = "a system has no equations before a principle is chosen"
            raise WrongType("E307", fact, 'principle="nonholonomic"')
        return equations_of(given, named(principle))
    elif principle is not None:
        raise WrongType("E307", "equations know their principle already", "leave principle out, or give the system")
    if not isinstance(given, Equations):
        raise WrongType("E307", f"a fit needs equations, not {kind_of(given)}", "da.nonholonomic(system)")
    return given


# --- rank and plan ---------------------------------------------------------------------------------------------------

_EXAMPLE = 'laws={"none": [], "viscous": ["viscous friction"]}'


@public
def rank(
    system: System | Mapping[str, Any],
    record: Record,
    principles: object = ("nonholonomic", "vakonomic"),
    *,
    laws: object = None,
    later: object = LATER,
    ray: object = None,
    progress: bool = False,
    **given: object,
) -> Ranking:
    """Rank principles and laws of force by a record: who is rejected, who remains, what it cannot tell apart.

    Args:
        system: the system; or the candidates themselves, ``{label: equations}``.
        record: what was seen; see `recorded`.
        principles: names or functions; a mapping gives them labels of their own.
        laws: ``{label: forces}``: names of forces of the system, `Force` objects, ``{velocity: force}``, or a list of
            these. Forces of the system that no law names always act. Candidates are all principles with all laws.
        later: share of the record's time after which rows are predicted from earlier ones, in three steps; or the times
            themselves; None for no prediction.
        ray: what is crossed: a column (rising), ``(column, direction)``, an expression in the fitted columns in place
            of the column, or an `Event`. Crossings after the first cut are predicted from the rows before it.
        progress: show progress on a terminal.
        given: what is asked of the record, as of `fit`, for all candidates: each takes the names that it has, so
            ``free=["vx", "nu"]`` frees nu where a candidate has it. Multipliers that are states are unknown too, with
            guess 0, unless the start gives them, and searched from at least 10 places. Values that a candidate needs
            and that elsewhere follow from constraints are taken from the start of the first candidate that is complete.
            The loss is ``"linear"``: others have no likelihood; max_steps is 5000 by default.

    Returns:
        A `Ranking`. A candidate without a motion, or whose fit fails, is listed with the reason.

    Raises:
        UnknownName: E558 a force that the system has not; E308 a principle; E202, E229, E235, E236, E317, E553 names
            that no candidate has.
        WrongType: E558, laws of another kind.
        InvalidValue: E559 fewer than two candidates, another loss, cuts or a ray that cannot be; what `fit` raises, if
            it raises for all candidates.
    """
    question = Question.of(given)
    every = candidates(system, principles, laws, question.guess.parameters)
    if every:
        question, ray = question_read(every, record, question, ray)
    return of_candidates(every, record, question, later=later, ray=ray, shown=switch(progress, "progress"))


@public
def plan(
    system: System | Mapping[str, Any],
    between: object = ("nonholonomic", "vakonomic"),
    *,
    vary: object = None,
    laws: object = None,
    count: int | None = None,
    times: object = None,
    progress: bool = False,
    **given: Any,
) -> Plan:
    """Find the start, table speed or length of a track that tells two candidates apart best.

    Args:
        system: the system; or the two candidates, ``{label: equations}``.
        between: two principles, or one with two `laws`.
        vary: ``{name: values}`` of values of the start and of parameters, and of ``"until"`` and ``"count"``; all
            combinations are tried.
        laws: as of `rank`.
        count: of rows of a track, evenly spaced from the start to `until`, its first row at the start; by default 50.
        times: of the rows, in place of these two.
        progress: show progress on a terminal.
        given: what will be asked of the track, as of `rank`: what the experimenter will not know is free.
            ``uncertainty={column: standard uncertainty}`` is of what will be measured, ``columns={column: expression}``
            are by default states. A prior may be a standard deviation alone, of a free value that is set only so well:
            its mean is the design's value.

    Returns:
        A `Plan`, the best design first: the largest of the smaller of both separations.

    Raises:
        InvalidValue: E559 other than two candidates, nothing to vary, no times, uncertainties that are not positive.
        UnknownName: E202, E229, E235, E236, E317, E553 names that no candidate has.
        DalembertError: what `rank` raises, if it raises for every design.
    """
    question = Question.of(given)
    every = candidates(system, between, laws, question.guess.parameters)
    if every:
        question, _ = question_read(every, None, question)
    return of_designs(every, vary, question, count=count, times=times, shown=switch(progress, "progress"))


def question_read(
    candidates: Mapping[str, Equations], record: object, question: Question, ray: object = None
) -> tuple[Question, object]:
    """What is asked of all candidates, and what is crossed, with everything that is text read."""
    states = dict.fromkeys(n for e in candidates.values() for n in e.states)
    widest = max((e.system for e in candidates.values()), key=lambda s: len({*s.symbols, *s.parameters}))
    return resolved(widest, states, record, question), _ray(widest, ray, record)


def candidates(
    system: System | Mapping[str, Any], principles: object, laws: object = None, parameters: Named | None = None
) -> dict[str, Equations]:
    """Equations by label: all principles with all laws.

    Raises:
        UnknownName, WrongType: as of `rank`.
    """
    if isinstance(system, Mapping):
        if laws is not None:
            raise WrongType("E558", "candidates that are given have their laws already", "leave laws out")
        return {str(k): equations_of(None, e) for k, e in system.items()}
    if not isinstance(system, System):
        fact = f"a ranking needs a system, or candidates by label, not {kind_of(system)}"
        raise WrongType("E559", fact, "da.rank(system, record, start=..., free=...)")
    found: dict[str, Equations] = {}
    by_law = dict(_with_laws(system, laws, parameters))
    chosen = _principles(principles)
    for label, principle in chosen:
        for law, own in by_law.items():
            equations = equations_of(own, principle)
            parts = ([label or equations.principle] if len(chosen) > 1 or not law else []) + ([law] if law else [])
            name = ", ".join(parts)
            if name in found:
                raise InvalidValue(
                    "E559", f"two candidates are called {as_given(name)}", 'give labels: {"label": principle}'
                )
            found[name] = equations
    return found


def _principles(given: object) -> list[tuple[str, object]]:
    """Principles with their labels, "" where none is given."""
    found = each_named(given)
    if isinstance(found, Mapping):
        return [(str(label), principle) for label, principle in found.items()]
    if not callable(found) and not isinstance(found, list):
        raise WrongType("E307", "principles are given as a list", '["nonholonomic", "vakonomic"]')
    return [("", principle) for principle in (found if isinstance(found, list) else [found])]


# --- laws ------------------------------------------------------------------------------------------------------------


def _with_laws(system: System, laws: object, parameters: Named | None) -> Iterator[tuple[str, System]]:
    """The system with each of the laws in place of the forces that laws name."""
    if laws is None:
        yield "", system
        return
    if not isinstance(laws, Mapping) or not laws:
        raise WrongType("E558", f"laws are given by label, not as {kind_of(laws)}", _EXAMPLE)
    own = _forces(system)
    asked = {str(label): list(_parts(str(label), law, own)) for label, law in laws.items()}
    chosen = {name for parts in asked.values() for name in parts if isinstance(name, str)}
    always = [force for name, force in own.items() if name not in chosen]
    for label, parts in asked.items():
        forces = [*always, *(own[p] if isinstance(p, str) else p for p in parts)]
        yield label, _changed(system, forces, _values(system, parts, parameters))


def _changed(system: System, forces: list[object], values: dict[str, object]) -> System:
    """The system with other forces; parameters that only forces had which are left out go with them."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DalembertWarning)
        found = system.changed(forces=forces, parameters=values)
    lost = set(system.used_in) - set(found.used_in)
    kept = {k: v for k, v in values.items() if k not in lost}
    units = {k: v for k, v in system.units.items() if k not in lost}
    return found if not lost else system.changed(forces=forces, parameters=kept, units=units)


def _forces(system: System) -> dict[str, object]:
    """Forces of a system by name, the second of one name numbered; those without a name under a number."""
    found: dict[str, Any] = {}
    for i, force in enumerate(system.laws):
        name = force.name if isinstance(force, Force) else f"force {i + 1}"
        same = sum(isinstance(f, Force) and f.name == name for f in found.values())
        found[f"{name} {same + 1}" if same else name] = force
    return found


def _parts(label: str, law: object, own: Mapping[str, object]) -> Iterator[Any]:
    """Names of the system's forces, and forces that are new."""
    listed = [law] if isinstance(law, str | Force | Mapping) else law
    if listed is None or not isinstance(listed, Iterable):
        raise WrongType("E558", f"the law {as_given(label)} is {kind_of(law)}", _EXAMPLE)
    for part in listed:
        if isinstance(part, str) and part not in own:
            known = did_you_mean(part, own) if own else "give a Force, or System(..., forces=[...])"
            raise UnknownName("E558", f"the law {as_given(label)}: the system has no force {as_given(part)}", known)
        if not isinstance(part, str | Force | Mapping):
            raise WrongType("E558", f"the law {as_given(label)} has a {kind_of(part)}", _EXAMPLE)
        yield part


def _values(system: System, parts: Iterable[Any], parameters: Named | None) -> dict[str, Any]:
    """The system's parameters, and for forces in text the names that only they can have."""
    values = dict(system.parameters)
    if isinstance(parameters, Mapping) and any(_has_text(p) for p in parts):
        own = {*system.symbols, *values}
        values |= {n: None for n in (name_of(k) for k in parameters) if n not in own}
    return values


def _has_text(part: object) -> bool:
    if isinstance(part, Force):
        return any(isinstance(c, str) for c in (*part.velocity, *part.force))
    return isinstance(part, Mapping) and any(isinstance(v, str) for v in part.values())


def _ray(system: System, ray: object, record: object) -> object:
    """A ray in text as an expression in the fitted columns."""
    what, direction = ray if isinstance(ray, tuple) and len(ray) == 2 else (ray, None)
    names = list(getattr(record, "names", ()))
    if not isinstance(what, str) or what in names:
        return ray
    reader = Reader(system.space, set(names) - set(system.space.by_name))
    expression = reader.read(what, "the ray")
    return expression if direction is None else (expression, direction)


# --- text and units of the arguments ---------------------------------------------------------------------------------

_OPEN = (None, "", "-")
_Given = TypeVar("_Given")


def resolved(system: System, states: Iterable[str], record: object, question: Question) -> Question:
    """The question with everything that is text read: expressions, and values with units.

    Args:
        system: whose names the columns may use.
        states: names of all states, multipliers among them.
        record: for the units of its columns.
        question: as it was written.

    Raises:
        TextError: E7xx, a column that is no expression.
        DalembertError: E203 to E207 for values with units.
    """
    guess, likelihood, runs = question.guess, question.likelihood, question.runs
    own = {*system.symbols, *system.parameters}
    return replace(
        question,
        guess=replace(
            guess,
            parameters=_each(guess.parameters, lambda n, v: v if n in own else _number(system, v, n)),
            bounds=_each(guess.bounds, lambda n, v: _pair(system, v, n)),
            priors=_each(guess.priors, lambda n, v: _pair(system, v, n)),
        ),
        likelihood=replace(
            likelihood,
            columns=_columns(system, states, likelihood.columns, guess),
            uncertainty=_each(likelihood.uncertainty, lambda n, v: _sigma(system, record, v, n)),
        ),
        runs=replace(runs, t=_time("t", runs.t), until=_time("until", runs.until)),
    )


def _each(given: _Given, read: Callable[[str, Any], Any]) -> _Given | dict[Any, Any]:
    """Each value read; what is no mapping is refused later."""
    return {key: read(name_of(key), value) for key, value in given.items()} if isinstance(given, Mapping) else given


def _time(name: str, given: object) -> Any:
    return quantity(given, name, SECOND).value if isinstance(given, str) else given


def _columns(system: System, states: Iterable[str], columns: object, guess: Guess) -> object:
    """Text as expressions; in it stand states, parameters, and names that have a value in `parameters`, or are free."""
    if not isinstance(columns, Mapping):
        return columns
    declared = set(map(name_of, guess.parameters)) if isinstance(guess.parameters, Mapping) else set()
    declared |= set(listed(guess.free)) if isinstance(guess.free, str | list | tuple) else set()
    reader = Reader(system.space, {*system.parameters, *system.symbols, *declared, *states} - set(system.space.by_name))
    reader.parameters.update(system.symbols)
    return {
        name_of(k): reader.read(v, f"the column {name_of(k)}") if isinstance(v, str | int | float) else v
        for k, v in columns.items()
    }


def _number(system: System, given: object, name: str) -> object:
    """A value with a unit as a number, its dimension held against that of the name."""
    if not isinstance(given, str):
        return given
    value, dimension = quantity(given, name)
    if dimension is not None and name in {*system.symbols, *system.space.by_name}:
        system.fits({name: dimension})
    return value


def _pair(system: System, given: object, name: str) -> object:
    if isinstance(given, str) or not isinstance(given, Sequence):
        return given
    return tuple(None if v in _OPEN else _number(system, v, name) for v in given)


def _sigma(system: System, record: object, given: object, name: str) -> object:
    """An uncertainty with a unit, in the unit of its column."""
    if not isinstance(given, str):
        return given
    value, dimension = quantity(given, f"the uncertainty of {name}")
    unit = record.units.get(name, "") if isinstance(record, Record) else ""
    if dimension is not None and not unit and name in system.space.by_name:
        system.fits({name: dimension})
    if dimension is None or not unit or unit in ("px", "1"):
        return value
    size, own = quantity(f"1 {unit}", name)
    if (own or Dimension()) != dimension:
        raise wrong_dimension(f"the uncertainty of {name}", dimension, own or "1")
    return value / size
