"""What each candidate takes of values that are given once for all: the names that it has."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ...equations import Equations, Start
from ...equations.start import refuse_unknown
from ...errors import DalembertError, InvalidValue, Note, UnknownName, WrongType, about, did_you_mean
from ..series import listed


@dataclass(frozen=True, eq=False)
class Given:
    """What was given for all candidates: by name, and the columns.

    Attributes:
        start: values of the start.
        t: its time, None if it was not given.
        free: names of the unknowns.
        parameters, bounds, priors: by name.
        columns: what is fitted, as of `fit`.
    """

    start: Mapping[str, Any]
    t: Any
    free: tuple[str, ...]
    parameters: Mapping[str, Any]
    bounds: Mapping[str, Any]
    priors: Mapping[str, Any]
    columns: Any

    @classmethod
    def of(
        cls, start: Any, free: Any, parameters: Any, bounds: Any, priors: Any, columns: Any, t: float | None = None
    ) -> Given:
        """As they were given, by the text of their names."""
        if not isinstance(start, Mapping):
            raise WrongType("E241", f"the start is given by name, not as {type(start).__name__}", 'start={"x": 0.1}')
        own = dict(start.parameters) if isinstance(start, Start) else {}
        values = _by_name(start.given if isinstance(start, Start) else start, "start", "E241")
        time = values.pop("t", start.t if isinstance(start, Start) else None)
        return cls(
            values,
            time if t is None else t,
            listed(free),
            own | _by_name(parameters, "parameters", "E204"),
            _by_name(bounds, "bounds", "E553"),
            _by_name(priors, "priors", "E553"),
            columns,
        )

    @property
    def of_columns(self) -> set[str]:
        """Names in the expressions of the columns."""
        expressions = self.columns.values() if isinstance(self.columns, Mapping) else ()
        return {s.name for e in expressions for s in getattr(e, "free_symbols", ())}


def _by_name(given: Any, what: str, code: str) -> dict[str, Any]:
    if given is None:
        return {}
    if not isinstance(given, Mapping):
        raise WrongType(code, f"{what} are given by name, not as {type(given).__name__}", f'{what}={{"x": ...}}')
    return {str(getattr(k, "name", k)): v for k, v in given.items()}


@dataclass(frozen=True, eq=False)
class Share:
    """What one candidate takes.

    Attributes:
        label: of the candidate.
        equations: its equations.
        start: values by name.
        free: its unknowns.
        parameters, bounds, priors: by name.
        multipliers: states of multipliers that became unknowns, with guess 0.
        notes: what was taken from elsewhere.
        refused: why it has no start.
    """

    label: str
    equations: Equations
    start: Mapping[str, Any]
    free: tuple[str, ...]
    parameters: Mapping[str, Any]
    bounds: Mapping[str, Any]
    priors: Mapping[str, Any]
    multipliers: tuple[str, ...]
    notes: tuple[Note, ...]
    refused: DalembertError | None = None


def shares(given: Given, candidates: Mapping[str, Equations]) -> list[Share]:
    """What each candidate takes; the first whose start is complete completes that of the others.

    Raises:
        UnknownName: E229, E235, E236 a value of the start, E202 a parameter or unknown, E553 a bound or prior, that no
            candidate knows.
    """
    _check(given, list(candidates.values()))
    found: list[Share] = []
    complete: tuple[str, Start] | None = None
    for label, equations in candidates.items():
        share, start = _share(given, label, equations, complete)
        complete = complete or (None if start is None else (label, start))
        found.append(share)
    return found


def _check(given: Given, every: Sequence[Equations]) -> None:
    states = dict.fromkeys(n for e in every for n in (*e.states, *e.space.attitudes))
    symbols = [s for e in every for s in e.system.symbols]
    for name in given.start:
        if name not in states:
            with about("start", name):
                refuse_unknown(name, list(states), symbols, [s.name for e in every for s in e.multipliers])
    parameters = {n for e in every for n in (*e.system.symbols, *e.system.parameters)} | given.of_columns
    for name in given.parameters:
        if name not in parameters:
            raise UnknownName("E202", f"unknown parameter {name!r}", did_you_mean(name, parameters))
    unknown = {n for e in every for n in _used(e)} | given.of_columns | set(states)
    for name in given.free:
        if name not in unknown:
            fact = f"free: no candidate has {name!r}, neither in its equations nor in its start nor in the columns"
            raise UnknownName("E202", fact, did_you_mean(name, unknown), subject=("fit", "free", name))
    found = {*given.free, *(s.name for e in every for s in e.states_of_multipliers)}
    for what, names in (("bounds", given.bounds), ("priors", given.priors)):
        for name in names:
            if name not in found:
                raise UnknownName(
                    "E553", f"{what}: {name!r} is not free", did_you_mean(name, found), subject=("fit", what, name)
                )


def _used(equations: Equations) -> set[str]:
    """Parameters that occur in a system's expressions."""
    return set(equations.system.used_in)


def _share(
    given: Given, label: str, equations: Equations, complete: tuple[str, Start] | None
) -> tuple[Share, Start | None]:
    own = {*equations.states, *equations.space.attitudes}
    known = {*equations.system.symbols, *equations.system.parameters} | given.of_columns
    multipliers = tuple(s.name for s in equations.states_of_multipliers if s.name not in given.start)
    start = {n: v for n, v in given.start.items() if n in own} | dict.fromkeys(multipliers, 0.0)
    parameters = {n: v for n, v in given.parameters.items() if n in known}
    system = {n: v for n, v in parameters.items() if n not in given.of_columns or n in equations.system.symbols}
    refused, begin, notes = None, None, [_family(multipliers)] if multipliers else []
    try:
        begin, taken = _completed(equations, start, system, given.t, complete)
        start |= taken
        notes += [_taken(taken, complete[0])] if taken and complete else []
    except DalembertError as error:
        refused = error
    has = own | _used(equations) | given.of_columns
    free = (*(n for n in given.free if n in has), *(n for n in multipliers if n not in given.free))
    bounds, priors = ({n: v for n, v in g.items() if n in free} for g in (given.bounds, given.priors))
    return Share(label, equations, start, free, parameters, bounds, priors, multipliers, tuple(notes), refused), begin


def _completed(
    equations: Equations,
    start: Mapping[str, Any],
    parameters: Mapping[str, Any],
    t: Any,
    complete: tuple[str, Start] | None,
) -> tuple[Start, dict[str, float]]:
    """The start, and what it needed of the one that is complete."""
    time = 0.0 if t is None else t
    taken: dict[str, float] = {}
    while True:
        try:
            return equations.start(**{**start, **taken}, t=time, parameters=parameters), taken
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
