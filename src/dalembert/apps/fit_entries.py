"""The ``[[fit]]`` entries of a study: options of ``dalembert fit`` laid over them, their track read, the fit made.

Options become keys of the table, and the table is read as one that stands in the file: what is wrong with either is
said alike.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import sympy as sp

from ..calculus.quantity import quantity, wrong_dimension
from ..equations import Equations, Start
from ..errors import DalembertError, DalembertWarning, InvalidValue, as_given
from ..errors.interfaces import COMMAND, FILE
from ..errors.remedies import Option
from ..experiment.fit import fit as one_fit
from ..experiment.fit.fit_problem import names_in
from ..experiment.name_arguments import listed
from ..experiment.rank import LATER, rank
from ..experiment.starts_with_inputs import start_with_inputs
from ..findings.fit import Fit
from ..findings.ranking import Ranking
from ..numerics.run.simulate import prepare
from ..principles.principle_table import PRINCIPLES
from ..question import Guess, Question
from ..record import Record
from ..recording import recorded
from ..study.build import fit_of
from ..study.error_location import place_in
from ..study.study import FitSpec, Study
from . import runs, study_inputs
from .assignments import assignments, value
from .experiments import candidates, question_read, resolved

_WORD = re.compile(r"[^\W\d]\w*")
_OF_RUNS = ("method", "rtol", "atol", "step", "order", "max_step", "max_steps", "seconds", "stabilisation", "options")


@dataclass(frozen=True)
class FitOptions:
    """Options of the command, as they were typed; empty where they were not given."""

    changes: Sequence[str] = ()
    names: Sequence[str] = ()
    free: str = ""
    principles: str = ""
    columns: Sequence[str] = ()
    uncertainty: Sequence[str] = ()
    bounds: Sequence[str] = ()
    priors: Sequence[str] = ()
    laws: Sequence[str] = ()
    read: Sequence[str] = ()
    loss: str = ""
    ray: str = ""
    starts: int | None = None
    start_from: str = ""

    @property
    def nothing(self) -> bool:
        """Is all as the file says?"""
        return replace(self, names=()) == FitOptions()


def fits_asked(study: Study, asked: FitOptions, file: str) -> tuple[list[FitSpec], list[str]]:
    """The fits that are asked for, and what has to be said of where they come from.

    Raises:
        DalembertError: E307 nothing to be fitted, or an option that is none; and all that is wrong with a ``[[fit]]``.
    """
    if study.fits and asked.nothing:
        specs = runs.chosen(study.fits, asked.names, "fit", file)
        return specs, [line for spec in specs for line in runs.lent(spec)]
    try:
        return _changed(study, asked, file)
    except DalembertError as error:
        raise error.on(COMMAND) from None


def _changed(study: Study, asked: FitOptions, file: str) -> tuple[list[FitSpec], list[str]]:
    tables = study.tables()
    if study.fits:
        specs = runs.chosen(study.fits, asked.names, "fit", file)
        numbers = [study.fits.index(spec) for spec in specs]
        bases = [_lent({"name": study.fits[n].name, **tables["fit"][n]}, study.fits[n], tables, asked) for n in numbers]
        bases = [{**base, **_start_of(study, tables, asked, file)} for base in bases] if asked.start_from else bases
        told = [] if asked.start_from else [line for spec in specs for line in runs.lent(spec)]
    else:
        if asked.names:
            runs.chosen((), asked.names, "fit", file)  # refused: there are none
        base = _of_run(study, tables, asked, file)
        told = [f"{file} has no [[fit]]: the guess is the start of {base['name'].removeprefix('fit from ')}"]
        bases = [base]
    return [fit_of(study, _laid_over(study, base, asked)) for base in bases], told


# --- from a run ------------------------------------------------------------------------------------------------------


def _run(study: Study, tables: Mapping[str, Any], asked: FitOptions, file: str) -> tuple[str, Mapping[str, Any]]:
    """The run whose start is the guess: the one that is named, or the first."""
    if not study.runs:
        fact = f"{file} has neither a [[fit]] nor a [[run]] whose start could be the guess"
        raise InvalidValue("E307", fact, "add one of them; dalembert new shows a [[run]]")
    spec = runs.chosen(study.runs, [asked.start_from] if asked.start_from else [], "run", file)[0]
    return spec.name, tables["run"][study.runs.index(spec)]


def _start_of(study: Study, tables: Mapping[str, object], asked: FitOptions, file: str) -> dict[str, object]:
    run = _run(study, tables, asked, file)[1]
    return {key: run[key] for key in ("start", "parameters", "inputs") if key in run}


def _lent(base: dict[str, object], spec: FitSpec, tables: Mapping[str, Any], asked: FitOptions) -> dict[str, object]:
    """The table with the start of the first run, where it has none of its own."""
    if not spec.start_of:
        return base
    start = _suited(tables["run"][0]["start"], _listed(asked.principles) or spec.principles)
    own = base.get("start")
    return {**base, "start": {**start, **(own if isinstance(own, Mapping) else {})}}


def _suited(start: Mapping[str, object], principles: Sequence[str]) -> dict[str, object]:
    """The values of a start, without multipliers where no principle has them."""
    starts = any(PRINCIPLES[p].starts_multipliers for p in principles if p in PRINCIPLES)
    return {k: v for k, v in start.items() if starts or not k.startswith("lam")}


def _of_run(study: Study, tables: Mapping[str, object], asked: FitOptions, file: str) -> dict[str, Any]:
    """A fit that begins where a run does."""
    name, run = _run(study, tables, asked, file)
    if not asked.free:
        fact = f"{file} has no [[fit]] that says what is to be found"
        raise InvalidValue("E307", fact, 'dalembert fit FILE TRACK.csv --free "vx vy"')
    kept = {key: run[key] for key in ("start", "parameters", "inputs", *_OF_RUNS) if key in run}
    principles = _listed(asked.principles) or [run["principle"]]
    kept["start"] = _suited(kept.get("start", {}), principles)
    return {"name": f"fit from {name}", "principles": principles, "free": [], **kept}


# --- options as keys -------------------------------------------------------------------------------------------------


def _laid_over(study: Study, base: Mapping[str, Any], asked: FitOptions) -> dict[str, Any]:
    """The table with what the options say in the place of its own."""
    table = dict(base)
    words = {"free": asked.free, "principles": asked.principles}
    table |= {key: _listed(text) for key, text in words.items() if text}
    if asked.free:  # what the file knows of names that are not free any more
        own = {_own_name(study, name) for name in table["free"]}
        kept = {key: table[key] for key in ("bounds", "priors") if key in table}
        table |= {key: {n: v for n, v in given.items() if _own_name(study, n) in own} for key, given in kept.items()}
    table |= {
        key: v for key, v in (("loss", asked.loss), ("ray", asked.ray), ("starts", asked.starts)) if v not in ("", None)
    }
    if asked.columns:
        # names, or ``NAME=EXPRESSION`` each
        if any("=" in word for word in asked.columns):
            pairs = [word if "=" in word else f"{word}={word}" for word in asked.columns]
            table["columns"] = dict(_pairs(pairs, '--column px="k*x + x0"'))
        else:
            table["columns"] = [name for word in asked.columns for name in _listed(word)]
    if asked.laws:
        table["laws"] = {name: _listed(text) for name, text in _pairs(asked.laws, "--law drag=air", blank=True)}
    for key, given, example in (
        ("bounds", asked.bounds, "--bound Omega=4,6"),
        ("priors", asked.priors, "--prior r=1.27cm,0.01cm"),
    ):
        if given:
            table[key] = {**table.get(key, {}), **{name: _ends(name, v, example) for name, v in _pairs(given, example)}}
    if asked.uncertainty:
        noise = {name: value(text) for name, text in _pairs(asked.uncertainty, "--uncertainty x=0.2mm")}
        table["uncertainty"] = {**table.get("uncertainty", {}), **noise}
    if asked.read:
        table["read"] = _read(table.get("read", {}), asked.read)
    return _assigned(study, table, asked.changes)


def _assigned(study: Study, table: dict[str, Any], changes: Sequence[str]) -> dict[str, Any]:
    """Parameters, names of the columns, inputs and start values replaced."""
    columns = table.get("columns")
    texts = columns.values() if isinstance(columns, Mapping) else ()
    others = {word for text in texts for word in _WORD.findall(str(text))} | set(table.get("parameters", {}))
    others -= {str(q) for q in study.system.space} | {*study.system.inputs}
    given = assignments(changes, study, others=others)
    driven = {name: given.pop(name) for name in study.system.inputs if name in given}
    own = {*study.constants, *study.system.parameters, *others}
    start = {_own_name(study, key): (key, v) for key, v in table.get("start", {}).items()}
    start |= {_own_name(study, name): (name, v) for name, v in given.items() if name not in own}
    new = {**table.get("parameters", {}), **{name: v for name, v in given.items() if name in own}}
    inputs = {**table.get("inputs", {}), **driven}
    return {**table, "start": dict(start.values()), "parameters": new, **({"inputs": inputs} if inputs else {})}


def _own_name(study: Study, key: str) -> str:
    """The name that the library has for a value of the start."""
    rates = {f"dot({q})": str(rate) for q, rate in study.system.space.rates.items()}
    numbered = {f"lam{i}": c.multiplier.name for i, c in enumerate(study.system.constraints, 1)}
    plain = key.replace(" ", "")
    return rates.get(plain, numbered.get(plain, plain))


def _listed(text: str) -> list[str]:
    return text.replace(",", " ").split()


def _pairs(words: Iterable[str], example: str, blank: bool = False) -> list[tuple[str, str]]:
    """``NAME=TEXT`` each (E307)."""
    found: list[tuple[str, str]] = []
    for word in words:
        name, sign, text = (part.strip() for part in word.partition("="))
        if not sign or not name or not (text or blank):
            raise InvalidValue("E307", f"{as_given(word)} is no NAME=VALUE", example)
        if name in dict(found):
            raise InvalidValue("E307", f"{name} is given twice", "give it once")
        found.append((name, text))
    return found


def _ends(name: str, text: str, example: str) -> list[object]:
    """Two values parted by a comma; "-" is an open end (E307 if they are not two)."""
    if text.count(",") != 1:
        raise InvalidValue("E307", f"{name}={text:.40} is not two values parted by a comma", example)
    return [part.strip() if part.strip() == "-" else value(part) for part in text.split(",")]


def _read(given: Mapping[str, object], words: Sequence[str]) -> dict[str, object]:
    """``KEY=VALUE`` and ``KEY.NAME=VALUE`` of the table ``read``."""
    found = dict(given)
    for key, text in _pairs(words, "--read units.x=mm"):
        table, dot, name = key.partition(".")
        if dot:
            inner = found.get(table)
            found[table] = {**(inner if isinstance(inner, dict) else {}), name: _typed(table, text)}
        else:
            found[key] = _typed(key, text)
    return found


def _typed(key: str, text: str) -> object:
    if key == "sort" and text.lower() in ("true", "false"):
        return text.lower() == "true"
    if key == "skip" and text.isdecimal():
        return int(text)
    return value(text) if key in ("scale", "rotation", "offset") else text


# --- the track -------------------------------------------------------------------------------------------------------


def track_record(study: Study, spec: FitSpec, file: str) -> tuple[Record, list[str]]:
    """The record of a fit, and what has to be said of its units.

    Raises:
        DalembertError: E50x, E54x what is wrong with the file, E207 a unit that does not fit the system, E317 names of
            columns that are not there.
    """
    if file == "-":
        error = InvalidValue("E510", "- is standard input, not a file", "save the track in a file and give its name")
        raise error.on(COMMAND)
    surface = COMMAND if spec.where is None else FILE
    read: dict[str, Any] = {key: list(v) if isinstance(v, tuple) else v for key, v in spec.read.items()}
    try:
        with warnings.catch_warnings(record=True) as doubts:
            warnings.simplefilter("always", DalembertWarning)
            found = recorded(file, uncertainty=dict(spec.question.likelihood.uncertainty) or None, **read)
    except DalembertError as error:
        raise error.on(surface) from None
    return found, [*(_doubt_told(doubt.message, surface) for doubt in doubts), *_units(study, spec, found)]


def _doubt_told(doubt: Warning | str, surface: str) -> str:
    return doubt.on(surface) if isinstance(doubt, DalembertWarning) else str(doubt)


def _units(study: Study, spec: FitSpec, found: Record) -> Iterator[str]:
    """Units that are known on one side only, each kind said once.

    Raises:
        InvalidValue: E207, a column in another unit than what it shows.
    """
    bare, alone = [], []
    for column, shown in _shown(study, spec, found).items():
        own, unit = study.system.unit(shown), found.units.get(column, "")
        if unit and unit not in ("1", "rad", "px"):
            _agree(column, unit, own)
            alone += [] if own else [f"{column} ({unit})"]
        elif not unit and own:
            _sized(column, spec.question.likelihood.uncertainty.get(column), own)
            bare.append(f"{column} in {own}")
    if found.time and not found.units.get(found.time):
        bare.append(f"{found.time} in s")
    if bare:
        yield f"the track has no units for all columns; taken: {', '.join(bare)}"
    if alone and "to" not in spec.read:
        yield f"the system file has no unit for what {', '.join(alone)} shows; if it is not base SI: --read to=cm"


def _shown(study: Study, spec: FitSpec, found: Record) -> dict[str, sp.Expr]:
    """What each column of the fit is, where that is known of the system alone."""
    known = {s.name: s for s in study.system.space}
    columns = spec.question.likelihood.columns
    if isinstance(columns, Mapping):
        own = {*known, *study.system.symbols, "t"}
        return {
            column: e
            for column, e in columns.items()
            if column in found.columns and {s.name for s in e.free_symbols} <= own
        }
    names = found.names if columns is None else listed(columns)
    return {name: known[name] for name in names if name in known and name in found.columns and name != found.time}


def _sized(column: str, given: object, own: str) -> None:
    """E207: the uncertainty of a column without a unit is in another one than what it shows."""
    has, needs = quantity(given or 0, column).dimension, quantity(f"1 {own}", column).dimension
    if has is not None and needs is not None and has != needs:
        raise wrong_dimension(f"the uncertainty of {column}", has, own)


def _agree(column: str, unit: str, own: str) -> None:
    size, has = quantity(f"1 {unit}", column)
    if not own or has is None:
        return
    needs = quantity(f"1 {own}", column).dimension
    if needs is not None and has != needs:
        fact = f"{column} of the track is in {unit}, and what it shows is in {own}"
        raise InvalidValue(
            "E207", fact, ("correct the heading, or say what it shows: ", Option("columns", {column: "..."}))
        )
    if size != 1:
        fact = f"{column} of the track is read in {unit}, and the file is in {own}"
        raise InvalidValue("E207", fact, "leave to = ... out of read")


# --- the fit ---------------------------------------------------------------------------------------------------------

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
            first = start_with_inputs(e, _start_values(spec.question.guess, e), t, own, inputs)
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
            question = replace(question, guess=replace(question.guess, start=_start_values(question.guess, e)))
            return one_fit(e, record, resolved(e.system, e.states, record, question), shown=progress)
        question, ray = question_read(equations, record, question, spec.ray)
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


def _start_values(guess: Guess, e: Equations) -> dict[str, object]:
    """The values of the start that these equations have; a multiplier that is free may be left out, its guess is 0."""
    own = {s.name for s in e.states_of_multipliers}
    guessed = {name: 0.0 for name in listed(guess.free) if name in own}
    return guessed | {k: v for k, v in guess.start.items() if not k.startswith("lam_") or k in own}
