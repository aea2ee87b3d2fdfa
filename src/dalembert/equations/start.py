"""Starts: a consistent state, completed from values given by name or from a row of a path, or refused.

What was given stays as given. What the constraints determine follows. What is left free is asked for. Nothing is ever
guessed; only a rotation on which nothing depends may be left out, and is then the identity.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, runtime_checkable

import numpy as np

from ..argument_checks import noun, one_of, overriding
from ..calculus.frame import TIME
from ..calculus.graph import Node, evaluate, symbols
from ..calculus.line_width import TERMINAL, folded, most
from ..calculus.symbols import by_name
from ..errors import InvalidValue, Note, UnknownName, WrongType, as_given, did_you_mean, kind_of, warn
from ..errors.remedies import Give, Option, Principle
from .mechanism_assembly import TOLERANCE, determined

if TYPE_CHECKING:
    from ..calculus.rotation_matrices import RotationCoordinates
    from . import Equations


_STEPS = 25


ENERGY = "energy"  # of the columns of a path, besides states and multipliers


@runtime_checkable
class Row(Protocol):
    """A row of a path: a mapping of all its columns, of which some are states.

    Attributes:
        states: names of these.
        t: the time, None for several.
        parameters: with which the path was made.
    """

    states: tuple[str, ...]
    t: float | None
    parameters: Mapping[str, float]

    def __getitem__(self, name: str, /) -> Any: ...


@noun
@dataclass(frozen=True, eq=False)
class Start(Mapping[str, float]):
    """A consistent state by name.

    Attributes:
        state: all states, in the order of the equations.
        t: the time.
        given: what the author gave (as given, rotations by their own name).
        follows: names that the constraints determined.
        conventions: values that nothing depends on, and what was taken for them.
        changes: what a projection changed, if one was asked for.
        parameters: the parameter values it was completed with.
        project: the projection that was asked for.
        notes: what was doubted of it.
        left_out: columns of a path that were given too, and are no states here.
        guess: what the author guessed, beside what is given.
        places: how many assemblies were found, of which this is the nearest to the guess; 0 without one.
    """

    state: Mapping[str, float]
    t: float
    given: Mapping[str, Any]
    follows: tuple[str, ...] = ()
    conventions: Mapping[str, str] = field(default_factory=dict)
    changes: Mapping[str, float] = field(default_factory=dict)
    parameters: Mapping[str, float] = field(default_factory=dict)
    project: str | None = None
    notes: tuple[Note, ...] = field(default=(), compare=False)
    left_out: tuple[str, ...] = ()
    guess: Mapping[str, object] = field(default_factory=dict)
    places: int = 0

    def __getitem__(self, name: str) -> float:
        found = self.state.get(name) if isinstance(name, str) else None
        return self.state[one_of(self.state, name, "the start", "state", "E229")] if found is None else found

    def __iter__(self) -> Iterator[str]:
        return iter(self.state)

    def __len__(self) -> int:
        return len(self.state)

    @property
    def vector(self) -> np.ndarray:
        """All states as an array, in the order of the equations."""
        return np.array(list(self.state.values()), float)

    def __str__(self) -> str:
        plain = [f"{n} = {v}" for n, v in self.given.items() if np.ndim(v) == 0]
        lines = [
            f"Start at t = {self.t:g}",
            f"  given    {', '.join(plain) or 'nothing'}",
            f"  follows  {', '.join(f'{n} = {self.state[n]:.10g}' for n in self.follows) or 'nothing'}",
        ]
        if self.guess:
            guessed = ", ".join(f"{n} = {v}" for n, v in self.guess.items())
            several = f": of {self.places} assemblies found, the nearest" if self.places > 1 else ""
            lines.insert(2, f"  guessed  {guessed}{several}")
        lines += [f"  taken    {name}: {why}" for name, why in self.conventions.items()]
        if self.left_out:
            lines.append(f"  left out {', '.join(self.left_out)}: no states here")
        if self.changes:
            lines.append("  changed  " + ", ".join(f"{n} by {v:.3g}" for n, v in self.changes.items()))
        lines += [f"  doubted  {note}" for note in self.notes]
        shown = [part for line in lines for part in folded(line, TERMINAL, 11)]
        return "\n".join(most(shown, 25, "lines"))


class State(dict[str, float]):
    """A state by name, its time ``t`` included, with the parameters (a mapping) that it was found with."""

    def __init__(self, values: Mapping[str, float], parameters: Mapping[str, float]) -> None:
        super().__init__(values)
        self.parameters = dict(parameters)


@dataclass
class Completion:
    """The work of completing one start: what is known so far, and how it came to be known."""

    values: dict[str, float]
    follows: list[str] = field(default_factory=list)

    def solve(self, rows: Mapping[str, Node], names: Sequence[str]) -> list[str]:
        """Fill in those of the names that are missing and that rows (each to be 0) determine; return those left over.

        Rows are used once they are affine in what is missing.

        Raises:
            InvalidValue: E233, rows contradict what was given.
        """
        left = [n for n in names if n not in self.values]
        while left and rows:
            found = self._determined(rows, left, names)
            if not found:
                return left
            self.values |= found
            self.follows += found
            left = [n for n in left if n not in found]
        return left

    def _determined(self, rows: Mapping[str, Node], missing: Sequence[str], names: Sequence[str]) -> dict[str, float]:
        known = {name: np.array([value], float) for name, value in self.values.items()}
        with np.errstate(all="ignore"):
            found = determined(list(rows.values()), missing, known, 1)
        if found.contradiction[0]:
            linking = {n: row for (n, row), bound in zip(rows.items(), found.bound[0], strict=True) if bound}
            self._refuse_overdetermined(linking, names)
        return {name: float(found.x[0, i]) for i, name in enumerate(missing) if found.known[0, i]}

    def _refuse_overdetermined(self, rows: Mapping[str, Node], names: Sequence[str]) -> None:
        """E233, with those of the names that were given: what else the rows hold would not be computed if left out."""
        met = symbols(list(rows.values()))
        linked = [n for n in names if n in met & set(self.values) and n not in self.follows]
        linked = linked or sorted(met & set(self.values))
        several, they = len(rows) > 1, ", ".join(rows)
        fact = f"{', '.join(linked)} cannot all have the given values: {they} {'link' if several else 'links'} them"
        remedy = "leave out one of them and it will be computed"
        if len(linked) == 1:
            fact = f"{linked[0]} cannot have the given value: {they} {'determine' if several else 'determines'} it"
            remedy = "leave it out and it will be computed"
        raise InvalidValue("E233", fact, remedy, subject=("start", *linked))


def root(row: Node, slope: Node, name: str, values: Mapping[str, float]) -> float | None:
    """The value of one variable with which the row is 0, by Newton's method from the given one; None if none is found.

    `slope` is the row's derivative by it. A root in which the slope vanishes as well is not reached in `_STEPS`.
    """
    at = dict(values)
    for _ in range(_STEPS):
        f, s = (float(x) for x in evaluate([row, slope], at))
        if not (np.isfinite(f) and np.isfinite(s)) or s == 0:
            return None
        at[name] -= f / s
        if abs(f / s) <= TOLERANCE * abs(at[name]):
            f, s = (float(x) for x in evaluate([row, slope], at))
            return at[name] - f / s if s and np.isfinite(f / s) else None
    return at[name] if f == 0 else None


def read_vector(given: object, names: Sequence[str], others: Mapping[str, object]) -> dict[str, Any]:
    """A start given as numbers in order (E241 if there are too few or too many, or names as well)."""
    if others:
        raise InvalidValue(
            "E241", "the start is given in order and by name", "give all states in order, or use names only"
        )
    if isinstance(given, str | bytes | Set) or not np.iterable(given):
        fact = f"a start in order is a list of numbers, not {kind_of(given)}"
        raise WrongType("E241", fact, "names are safer")
    if len(shape := getattr(given, "shape", ())) > 1:
        fact = f"a start is one state, not {kind_of(given)} of the shape {shape}"
        raise InvalidValue("E241", fact, "one of its rows; da.sweep(equations, starts=...) takes all")
    values = list(given)
    if len(values) != len(names):
        order = ", ".join(names)
        raise InvalidValue(
            "E241", f"{len(names)} numbers expected, got {len(values)}", f"the order is ({order}); names are safer"
        )
    return dict(zip(names, values, strict=True))


def identity_of_idle_rotations(system: Any, given: Collection[str]) -> dict[str, Mapping[str, float]]:
    """The identity, for each rotation of which nothing is given and on which nothing depends."""
    names = set(given)
    return {n: a.identity for n, a in system.idle.items() if not names & {n, *(s.name for s in a.coordinates)}}


def refuse_free(
    missing: Sequence[str],
    follows: Sequence[str],
    given: Sequence[str],
    links: Mapping[str, Sequence[str]],
    rates: Mapping[str, str],
    attitudes: Mapping[str, RotationCoordinates],
) -> None:
    """E230: values that neither were given nor follow; a rotation of which nothing is known by its own name."""
    of = {q.name: name for name, a in attitudes.items() for q in a.coordinates}
    whole = {name for name, a in attitudes.items() if {q.name for q in a.coordinates} <= set(missing)}
    left = tuple(dict.fromkeys(of[n] if of.get(n) in whole else n for n in missing))
    detail = [f"given: {', '.join(given) or 'nothing'}; follows: {', '.join(follows) or 'nothing'}"]
    detail += [f"{row} links {', '.join(names)}: give all but one" for row, names in links.items() if len(names) > 1]
    linked = " (those that a constraint links: all but one)" if any(len(n) > 1 for n in links.values()) else ""
    raise InvalidValue(
        "E230",
        f"free: {', '.join(left)}",
        (Give(left, rates), linked),
        "\n".join(detail),
        subject=("start", *missing),
    )


def refuse_unknown(name: str, known: Sequence[str], parameters: Sequence[str], multipliers: Sequence[str]) -> None:
    """A start value with a name that nothing here bears (E229), or a multiplier out of place (E235, E236)."""
    if name in parameters:
        raise UnknownName("E229", f"{name} is a parameter, not part of the state", Option("parameters", {name: ...}))
    if name in multipliers:
        raise UnknownName(
            "E235",
            f"{name}: multipliers are determined by the motion here",
            ("leave it out, or use ", Principle("vakonomic")),
        )
    if name.startswith("lam") and not set(multipliers) & set(known):
        raise UnknownName(
            "E235",
            f"{name}: multipliers are determined by the motion here, they are no part of the state",
            ("leave it out, or use ", Principle("vakonomic")),
        )
    if name.startswith("lam"):
        raise UnknownName(
            "E236",
            f"there is no multiplier {as_given(name)}",
            did_you_mean(name, [k for k in known if k.startswith("lam")]),
        )
    if name == ENERGY:
        fact = "energy follows from the states, it is no part of a start"
        raise UnknownName("E229", fact, "of a path, the row itself starts a run: path.at(t), or path.state(t)")
    raise UnknownName("E229", f"unknown name {as_given(name)} in the start", did_you_mean(name, known))


# --- rows of a path as starts ----------------------------------------------------------------------------------------

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
    equations: Equations,
    vector: Any,
    given: Mapping[str, object],
    t: object,
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
    row: Row, given: Mapping[str, object], t: object, names: Sequence[str]
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


def _of_mapping(values: Mapping[Any, Any], given: Mapping[str, object], t: object) -> tuple[dict[str, Any], Any]:
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


def _check_whose(equations: Equations, given: Mapping[str, object]) -> None:
    """E234: a multiplier beside the energy, a column of a path: whether that path had it as a state, nothing tells."""
    multipliers = [s.name for s in equations.multipliers if s.name in given] if equations.states_of_multipliers else []
    if not multipliers or ENERGY not in given or ENERGY in {*equations.states, *equations.system.symbols}:
        return
    fact = f"{', '.join(multipliers)} beside the energy, a column of a path: reactions there, or initial data?"
    remedy = "give the row itself, path.at(t), which says so and keeps its time; or leave out the energy: initial data"
    raise InvalidValue("E234", fact, remedy)


def of_columns(equations: Equations, given: Mapping[str, object]) -> tuple[dict[str, Any], dict[str, Any]]:
    """What is given by name: the rest, and the columns that stand beside all states in a row of a path."""
    reactions = [] if equations.states_of_multipliers else [s.name for s in equations.multipliers]
    derived = {*reactions, ENERGY} - {*equations.states, *equations.system.symbols}
    if not set(equations.states) <= set(given):
        return dict(given), {}
    return {n: v for n, v in given.items() if n not in derived}, {n: v for n, v in given.items() if n in derived}


def check_columns(equations: Equations, start: Start, columns: Mapping[str, Any]) -> None:
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
