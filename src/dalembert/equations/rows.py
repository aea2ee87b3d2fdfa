"""Rows of a path as starts: states are taken, columns that follow from them are left out or held against them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..calculus.frame import TIME
from ..calculus.graph import evaluate
from ..calculus.symbols import by_name
from ..errors import InvalidValue, Note, UnknownName, as_given, warn
from ..errors.remedies import Principle
from ..given import overriding
from .start import ENERGY, Row, Start, read_vector

if TYPE_CHECKING:
    from . import Equations

_SAME = 1e-6  # of the largest of its kind: to what a column may differ from what follows at its states
_KEPT = 1e-12  # of a parameter: a difference below this is a rounding


class Taken(NamedTuple):
    """What a start is made of.

    Attributes:
        given: values by name.
        t: the time.
        left_out: columns of a path that follow from the states.
        columns: those of them whose values are held against what follows.
        doubts: what was noticed.
    """

    given: dict[str, Any]
    t: Any
    left_out: tuple[str, ...] = ()
    columns: Mapping[str, Any] = MappingProxyType({})
    doubts: tuple[Note, ...] = ()


def taken_from(
    equations: Any,
    vector: Any,
    given: Mapping[str, Any],
    t: Any,
    values: Mapping[str, float],
    parameters: Mapping[Any, Any] | None,
) -> Taken:
    """Of a row of a path, of numbers in order, or of values by name, in a mapping or as arguments."""
    if isinstance(vector, Row):
        taken, time, left_out = of_row(vector, given, t, equations.states)
        notes = (*dropped(equations, vector), *made_with(vector, values, parameters))
        return Taken(taken, time, left_out, doubts=notes)
    if isinstance(vector, Mapping):
        given, t = _of_mapping(vector, given, t)
    elif vector is not None:
        return Taken(read_vector(vector, equations.states, given), 0.0 if t is ... else t)
    _check_whose(equations, given)
    taken, columns = of_columns(equations, given)
    return Taken(taken, 0.0 if t is ... else t, tuple(columns), columns)


def of_row(
    row: Row, given: Mapping[str, Any], t: Any, names: Sequence[str]
) -> tuple[dict[str, Any], Any, tuple[str, ...]]:
    """The states of a row, its time (unless one is given), and the columns that are left out.

    Raises:
        InvalidValue: E303, a row of several times; E241, states of the row are given by name as well; E234, multipliers
            that are states here and none there, and are not given by name.
    """
    if row.t is None:
        raise InvalidValue("E303", "a start is the row of one time", "path.at(5.0)")
    columns = dict(row)  # type: ignore[call-overload]
    own = [name for name in names if name in columns and name not in row.states]
    if both := [name for name in given if name in row.states]:
        fact = f"the start is a row of a path, and {', '.join(both)} is given by name as well"
        raise InvalidValue("E241", fact, _changed(row, {name: given[name] for name in both}))
    if missing := [name for name in own if name not in given]:
        fact = f"the start needs {', '.join(missing)}: what the path calls so are reactions, no initial data"
        raise InvalidValue("E234", fact, f"{_changed(row, dict.fromkeys(missing, 0))}, or other numbers")
    taken = {**{name: columns[name] for name in names if name in columns}, **given}
    foreign = [name for name in row.states if name not in names and not name.startswith("lam_")]
    if foreign:
        fact = f"this is a row of another system: {', '.join(foreign)} is nothing here"
        raise InvalidValue("E241", fact, "path.at(t) of a path of this system")
    return taken, row.t if t is ... else t, tuple(name for name in columns if name not in names)


def _changed(row: Row, values: Mapping[str, object]) -> str:
    """How a start with the states of a row, and these values, is written."""
    return f"{{**path.state({row.t:g}), {', '.join(f'{as_given(k)}: {as_given(v)}' for k, v in values.items())}}}"


def _of_mapping(values: Mapping[Any, Any], given: Mapping[str, Any], t: Any) -> tuple[dict[str, Any], Any]:
    """What a mapping and the arguments beside it say, and the time that is among it unless one is given beside."""
    own = by_name(values, "the start", lambda key: key if isinstance(key, str) else as_given(key))
    now = own.pop(TIME.name, 0.0)
    if both := own.keys() & given.keys():
        name = min(both)
        change = f"equations.start(**{{**values, {as_given(name)}: {as_given(given[name])}}})"
        raise InvalidValue("E241", f"{name} is given twice, in the mapping and by name", change)
    return {**own, **given}, now if t is ... else t


def dropped(equations: Equations, row: object) -> tuple[Note, ...]:
    """N234: multipliers that the path starts with, and these equations do not; none for what is no row of a path."""
    if not isinstance(row, Row):
        return ()
    gone = [name for name in row.states if name not in equations.states]
    if not gone:
        return ()
    here = {s.name for s in equations.multipliers}
    why = "what follows from the motion" if here & {*gone} else "nothing"
    told = ", ".join(f"{name} = {row[name]:.6g}" for name in gone)
    return (Note("N234", f"{told} of the path is left out: a state there, {why} here"),)


def by_name_of(
    given: object, every: Sequence[Equations], parameters: Iterable[object] | None = None, *, reactions: bool = False
) -> Any:
    """A row of a path as values by name: the states that some of the equations have, and the time; all else as it is.

    Args:
        given: what was given as a start.
        every: the equations that are to start from it.
        parameters: names of those that are given or varied.
        reactions: leave out multipliers that are states here and reactions there, instead of refusing them?

    Raises:
        InvalidValue: E234, E241, E303 as of `of_row`.
    """
    if not isinstance(given, Row):
        return given
    names = list(dict.fromkeys(name for e in every for name in e.states))
    if reactions:
        names = [name for name in names if name in given.states]
    taken, time, _ = of_row(given, {}, ..., names)
    known = {name: value for e in every for name, value in e.system.parameters.items() if value is not None}
    made_with(given, known, dict.fromkeys(parameters or ()))
    return {**taken, TIME.name: time}


def made_with(row: Row, values: Mapping[str, float], parameters: Mapping[Any, Any] | None) -> tuple[Note, ...]:
    """W212: the path was made with other parameters than the run that goes on from it."""
    said = {getattr(key, "name", key) for key in overriding(parameters)}
    other = {
        name: (value, values[name])
        for name, value in row.parameters.items()
        if name in values and name not in said and not math.isclose(value, values[name], rel_tol=_KEPT, abs_tol=0.0)
    }
    if not other:
        return ()
    told = ", ".join(f"{name} = {was:.6g}, here {now:.6g}" for name, (was, now) in other.items())
    return (warn("W212", f"the path was made with {told}: give parameters=... with what is meant", 6),)


def _check_whose(equations: Any, given: Mapping[str, Any]) -> None:
    """E234: a multiplier beside the energy, a column of a path: whether that path had it as a state, nothing tells."""
    multipliers = [s.name for s in equations.multipliers if s.name in given] if equations.states_of_multipliers else []
    if not multipliers or ENERGY not in given or ENERGY in {*equations.states, *equations.system.symbols}:
        return
    fact = f"{', '.join(multipliers)} beside the energy, a column of a path: reactions there, or initial data?"
    remedy = "give the row itself, path.at(t), which says so and keeps its time; or leave out the energy: initial data"
    raise InvalidValue("E234", fact, remedy)


def of_columns(equations: Any, given: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """What is given by name: the rest, and the columns that stand beside all states in a row of a path."""
    reactions = [] if equations.states_of_multipliers else [s.name for s in equations.multipliers]
    derived = {*reactions, ENERGY} - {*equations.states, *equations.system.symbols}
    if not set(equations.states) <= set(given):
        return dict(given), {}
    return {n: v for n, v in given.items() if n not in derived}, {n: v for n, v in given.items() if n in derived}


def check_columns(equations: Any, start: Start, columns: Mapping[str, Any]) -> None:
    """E235: a value that follows from the states is given as another."""
    if not columns:
        return
    values = {**start.parameters, **start.state, TIME.name: start.t}
    mu = equations.rows_at(values).accelerations(values)[1]
    follows = {c.multiplier.name: float(m) for c, m in zip(equations.constraints, mu, strict=True)}
    follows[ENERGY] = float(evaluate([equations.machine.energy], values)[0])
    size = max((abs(follows[name]) for name in columns if name != ENERGY), default=0.0)
    for name, value in columns.items():
        allowed = _SAME * (1.0 + (abs(follows[ENERGY]) if name == ENERGY else size))
        if not (np.ndim(value) == 0 and isinstance(value, int | float | np.number)):
            allowed = -1.0
        if not (allowed >= 0 and abs(float(value) - follows[name]) <= allowed):
            fact = f"{name} = {as_given(value)}: it follows from the states, as {follows[name]:.6g}"
            more = "" if name == ENERGY else ": multipliers are determined by the motion here"
            raise UnknownName("E235", fact + more, ("leave it out, or use ", Principle("vakonomic")))
