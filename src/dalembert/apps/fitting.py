"""A fit or a ranking that a study asks for, done: from its entry and a record to what was found."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from ..calculus.quantity import quantity
from ..equations import Equations, Start
from ..errors import DalembertError
from ..errors.surfaces import COMMAND, FILE
from ..experiment.begun import begun
from ..experiment.fit import fit as one_fit
from ..experiment.fit.prepare import names_in
from ..experiment.names import listed
from ..experiment.rank import LATER, rank
from ..findings.fit import Fit
from ..findings.ranking import Ranking
from ..numerics.run.simulate import prepare
from ..question import Guess, Question
from ..record import Record
from ..study.locate import place_in
from ..study.study import FitSpec, Study
from . import runs, study_inputs
from .modelling import resolved
from .rank import asked, candidates

_LACKING = ("E230", "E234")  # of a start: values are missing


def check(study: Study, spec: FitSpec) -> Iterator[tuple[str, Start]]:
    """The completed guess under each principle; in a ranking of those for which it is complete.

    A ranking takes what is missing elsewhere from the first that is.

    Raises:
        DalembertError: what the principles and `Equations.start` raise, E207 for the units of bounds and priors; with
            its place in the file.
    """
    study = study.of(spec)
    _check_units(study, spec)
    lacking: list[DalembertError] = []
    for principle in spec.principles:
        try:
            e = runs.equations(study, principle)
            known = {*e.system.symbols, *e.system.parameters}
            own = {name: value for name, value in spec.question.guess.parameters.items() if name in known}
            t, inputs = spec.question.runs.t or 0.0, study_inputs.drives(study, spec)
            first = begun(e, _start(spec.question.guess, e), t, own, inputs)
            prepare(e, first, until=t, inputs=inputs, **runs.options(spec.question.runs.options))
            yield principle, first
        except DalembertError as error:
            lacking.append(placed(study, spec, error))
            if error.code not in _LACKING or len(lacking) == len(spec.principles):
                raise lacking[0] from None


def _check_units(study: Study, spec: FitSpec) -> None:
    """Bounds and priors of what is in the system have its units (E207)."""
    known = {s.name for s in study.system.space} | study.system.symbols.keys()
    for table, given in (("bounds", spec.question.guess.bounds), ("priors", spec.question.guess.priors)):
        for name, values in given.items():
            found = [quantity(value, name).dimension for value in values if value is not None] if name in known else []
            try:
                for dimension in filter(None, found):
                    study.system.fits({name: dimension})
            except DalembertError as error:
                raise error.on(COMMAND if spec.where is None else FILE).at(
                    place_in(study.places, spec.where, table, name)
                ) from None


def models(study: Study, spec: FitSpec) -> dict[str, Equations]:
    """The equations to be fitted, by label: of each principle with each law.

    Raises:
        DalembertError: what the principles raise, E558 laws.
    """
    whole = study.of(spec)
    try:
        if not spec.laws:
            return {principle: runs.equations(whole, principle) for principle in spec.principles}
        laws = {label: list(names) for label, names in spec.laws.items()}
        return candidates(whole.system, spec.principles, laws)
    except DalembertError as error:
        raise placed(study, spec, error) from None


def fit(
    study: Study,
    spec: FitSpec,
    equations: Mapping[str, Equations],
    record: Record,
    progress: bool = False,
    halt: Callable[[], bool] | None = None,
) -> Fit | Ranking:
    """One fit, of `models`: a `Fit`, the best until `halt` told it to stop; or a `Ranking` where there are several.

    Raises:
        DalembertError: what `fit` and `rank` raise, with its place in the file.
        RankInterrupted: `halt` told it to stop before all candidates were fitted.
    """
    try:
        question = _question(study, spec, equations)
        if halt is not None:
            question = replace(question, runs=replace(question.runs, options={**question.runs.options, "halt": halt}))
        if len(equations) == 1:
            e = next(iter(equations.values()))
            question = replace(question, guess=replace(question.guess, start=_start(question.guess, e)))
            return one_fit(e, record, resolved(e.system, e.states, record, question), shown=progress)
        question, ray = asked(equations, record, question, spec.ray)
        later = LATER if spec.later is None else spec.later
        return rank(equations, record, question, later=later, ray=ray, shown=progress)
    except DalembertError as error:
        raise placed(study, spec, error.about("fit")) from None


def _question(study: Study, spec: FitSpec, equations: Mapping[str, Equations]) -> Question:
    """What is asked of the record, in which the uncertainties stand already, of the values that the models have."""
    question = spec.question
    guess, columns = question.guess, question.likelihood.columns
    known = set().union(*({*e.system.symbols, *e.system.parameters} for e in equations.values())) | names_in(columns)
    return replace(
        question,
        guess=replace(guess, parameters={n: v for n, v in guess.parameters.items() if n in known}),
        likelihood=replace(question.likelihood, uncertainty={}),
        runs=replace(
            question.runs,
            inputs=study_inputs.drives(study, spec),
            options=runs.options(question.runs.options),
        ),
    )


def placed(study: Study, spec: FitSpec, error: DalembertError) -> DalembertError:
    """The error with its place in the file; what options of the command asked for stands in no file."""
    found = study.locate(error, spec.where)
    return found.on(COMMAND if spec.where is None and found.where is None else FILE)


def _start(guess: Guess, e: Equations) -> dict[str, Any]:
    """The values of the start that these equations have; a multiplier that is free may be left out, its guess is 0."""
    own = {s.name for s in e.states_of_multipliers}
    guessed = {name: 0.0 for name in listed(guess.free) if name in own}
    return guessed | {k: v for k, v in guess.start.items() if not k.startswith("lam_") or k in own}
