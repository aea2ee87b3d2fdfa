"""What each candidate takes of values that are given once for all: the names that it has."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, replace

from ...equations import Equations, Start
from ...equations.start import refuse_unknown
from ...errors import DalembertError, InvalidValue, Note, UnknownName, WrongType, about, as_given, did_you_mean, kind_of
from ...question import Guess, Named, Question, Runs, refuse_inputs
from ..fit.fit_problem import names_in, opened
from ..name_arguments import by_name, check_known, listed
from ..starts_with_inputs import start_with_inputs


def by_names(question: Question, columns: object, every: Sequence[Equations]) -> Question:
    """The question with all values by the text of their names, and the columns that all candidates have."""
    guess, runs = question.guess, question.runs
    if not isinstance(guess.start, Mapping):
        fact = f"the start is given by name, not as {kind_of(guess.start)}"
        raise WrongType("E241", fact, 'start={"x": 0.1}')
    start, parameters = opened(guess, every)
    time = start.pop("t", guess.start.t if isinstance(guess.start, Start) else None)
    bounds, priors = (
        by_name(given, what, "E553", f'{what}={{"x": ...}}')
        for what, given in (("bounds", guess.bounds), ("priors", guess.priors))
    )
    return replace(
        question,
        guess=Guess(start, listed(guess.free), parameters, bounds, priors),
        likelihood=replace(question.likelihood, columns=columns),
        runs=replace(runs, t=time if runs.t is None else runs.t),
    )


@dataclass(frozen=True, eq=False)
class Share:
    """What one candidate takes.

    Attributes:
        label: of the candidate.
        equations: its equations.
        guess: its values and unknowns.
        multipliers: states of multipliers that became unknowns, with guess 0.
        notes: what was taken from elsewhere.
        refused: why it has no start.
    """

    label: str
    equations: Equations
    guess: Guess
    multipliers: tuple[str, ...]
    notes: tuple[Note, ...]
    refused: DalembertError | None = None


def shares(question: Question, candidates: Mapping[str, Equations]) -> list[Share]:
    """What each candidate takes of values by name; the first whose start is complete completes that of the others.

    Raises:
        UnknownName: E229, E235, E236 a value of the start, E202 a parameter or unknown, E553 a bound or prior, that no
            candidate knows.
    """
    of_columns = names_in(question.likelihood.columns)
    _check(question.guess, of_columns, list(candidates.values()))
    found: list[Share] = []
    complete: tuple[str, Start] | None = None
    for label, equations in candidates.items():
        share, start = _share(question, of_columns, label, equations, complete)
        complete = complete or (None if start is None else (label, start))
        found.append(share)
    return found


def _check(guess: Guess, of_columns: set[str], every: Sequence[Equations]) -> None:
    states = dict.fromkeys(n for e in every for n in (*e.states, *e.space.attitudes))
    symbols = [s for e in every for s in e.system.symbols]
    for name in guess.start:
        if name not in states:
            with about("start", name):
                refuse_unknown(name, list(states), symbols, [s.name for e in every for s in e.multipliers])
    parameters = {n for e in every for n in (*e.system.symbols, *e.system.parameters)} | of_columns
    for name in guess.parameters:
        if name not in parameters:
            raise UnknownName("E202", f"unknown parameter {as_given(name)}", did_you_mean(name, parameters))
    unknown = {n for e in every for n in _used(e)} | of_columns | set(states)
    refuse_inputs(listed(guess.free), {n for e in every for n in e.system.inputs})
    for name in listed(guess.free):
        if name not in unknown:
            fact = (
                f"free: no candidate has {as_given(name)}, neither in its equations nor in its start nor in the columns"
            )
            raise UnknownName("E202", fact, did_you_mean(name, unknown), subject=("fit", "free", name))
    found = {*listed(guess.free), *(s.name for e in every for s in e.states_of_multipliers)}
    for what, names in (("bounds", guess.bounds), ("priors", guess.priors)):
        check_known(names, found, what, "is not free")


def _used(equations: Equations) -> set[str]:
    """Parameters that occur in a system's expressions."""
    return set(equations.system.used_in)


def _share(
    question: Question, of_columns: set[str], label: str, equations: Equations, complete: tuple[str, Start] | None
) -> tuple[Share, Start | None]:
    guess = question.guess
    multipliers = tuple(s.name for s in equations.states_of_multipliers if s.name not in guess.start)
    own = _own(guess, of_columns, equations, multipliers)
    system = {n: v for n, v in own.parameters.items() if n not in of_columns or n in equations.system.symbols}
    refused, begin, notes = None, None, [_family(multipliers)] if multipliers else []
    try:
        begin, taken = _completed(equations, own.start, system, question.runs, complete)
        own = replace(own, start={**own.start, **taken})
        notes += [_taken(taken, complete[0])] if taken and complete else []
    except DalembertError as error:
        refused = error
    return Share(label, equations, own, multipliers, tuple(notes), refused), begin


def _own(guess: Guess, of_columns: set[str], equations: Equations, multipliers: Sequence[str]) -> Guess:
    """The values of which a candidate has the names."""
    own = {*equations.states, *equations.space.attitudes}
    known = {*equations.system.symbols, *equations.system.parameters} | of_columns
    has = own | _used(equations) | of_columns
    asked = listed(guess.free)
    free = (*(n for n in asked if n in has), *(n for n in multipliers if n not in asked))
    return Guess(
        _of(own, guess.start) | dict.fromkeys(multipliers, 0.0),
        free,
        _of(known, guess.parameters),
        _of(free, guess.bounds),
        _of(free, guess.priors),
    )


def _of(names: Container[str], given: Named) -> dict[str, object]:
    return {n: v for n, v in given.items() if n in names}


def _completed(
    equations: Equations,
    start: Mapping[str, object],
    parameters: Mapping[str, object],
    runs: Runs,
    complete: tuple[str, Start] | None,
) -> tuple[Start, dict[str, float]]:
    """The start, and what it needed of the one that is complete."""
    time = 0.0 if runs.t is None else runs.t
    taken: dict[str, float] = {}
    while True:
        try:
            return start_with_inputs(equations, {**start, **taken}, time, parameters, runs.inputs), taken
        except InvalidValue as error:
            more = _more(error, complete, {*start, *taken})
            if more is None:
                raise
            taken |= more


def _more(error: DalembertError, complete: tuple[str, Start] | None, have: set[str]) -> dict[str, float] | None:
    """One more value of the complete start that is missing."""
    if error.code != "E230" or complete is None:
        return None
    found = [n for n in error.subject[1:] if n in complete[1] and n not in have]
    return {found[0]: complete[1][found[0]]} if found else None


def _taken(taken: Mapping[str, float], source: str) -> Note:
    values = ", ".join(f"{n} = {v:.6g}" for n, v in taken.items())
    return Note("N563", f"{values} as in the start of {source}, where it follows from the constraints")


def _family(multipliers: Sequence[str]) -> Note:
    names = ", ".join(f"{n}(0)" for n in multipliers)
    told = "are unknown too, and searched" if len(multipliers) > 1 else "is unknown too, and searched"
    return Note("N564", f"{names} {told} from several places: the best of the whole family is ranked")


def gathered(parts: Sequence[Share]) -> tuple[Note, ...]:
    """The notes of all candidates, each once, with the candidates it is about."""
    about: dict[tuple[str, str], list[str]] = {}
    for share in parts:
        for note in share.notes:
            about.setdefault((note.code, note.text), []).append(share.label)
    return tuple(Note(code, f"{'; '.join(labels)}: {text}") for (code, text), labels in about.items())
