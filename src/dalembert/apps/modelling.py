"""Arguments of fits and rankings as users write them: expressions as text, and values with units, become numbers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeVar

from ..calculus.quantity import SECOND, Dimension, quantity, wrong_dimension
from ..experiment.names import listed, name_of
from ..model.expression import Reader
from ..model.system import System
from ..question import Guess, Question
from ..record import Record

_OPEN = (None, "", "-")
_Given = TypeVar("_Given")


def resolved(system: System, states: Iterable[str], record: object, question: Question) -> Question:
    """What is asked, with everything that is text read: expressions, and values with units.

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


def _time(name: str, given: Any) -> Any:
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


def _number(system: System, given: Any, name: str) -> Any:
    """A value with a unit as a number, its dimension held against that of the name."""
    if not isinstance(given, str):
        return given
    value, dimension = quantity(given, name)
    if dimension is not None and name in {*system.symbols, *system.space.by_name}:
        system.fits({name: dimension})
    return value


def _pair(system: System, given: Any, name: str) -> Any:
    if isinstance(given, str) or not isinstance(given, Sequence):
        return given
    return tuple(None if v in _OPEN else _number(system, v, name) for v in given)


def _sigma(system: System, record: object, given: Any, name: str) -> Any:
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
