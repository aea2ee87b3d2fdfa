"""Starts: a consistent state, completed from the values a person gives by name, or refused.

What was given stays as given. What the constraints determine follows. What is left free is asked for. Nothing is ever
guessed; only a rotation on which nothing depends may be left out, and is then the identity.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from typing import Any, Protocol, runtime_checkable

import numpy as np

from ..calculus.attitudes import Attitude
from ..calculus.graph import Node, evaluate, symbols
from ..calculus.text import TERMINAL, folded, most
from ..errors import InvalidValue, Note, UnknownName, WrongType, as_given, did_you_mean
from ..errors.remedies import Give, Option, Principle
from ..given import noun, one_of
from .determined import TOLERANCE, determined

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


def read_vector(given: Any, names: Sequence[str], others: Mapping[str, Any]) -> dict[str, Any]:
    """A start given as numbers in order (E241 if there are too few or too many, or names as well)."""
    if others:
        raise InvalidValue(
            "E241", "the start is given in order and by name", "give all states in order, or use names only"
        )
    if isinstance(given, str | bytes | Set) or not np.iterable(given):
        fact = f"a start in order is a list of numbers, not {type(given).__name__}"
        raise WrongType("E241", fact, "names are safer")
    if len(shape := getattr(given, "shape", ())) > 1:
        fact = f"a start is one state, not {type(given).__name__} of the shape {shape}"
        raise InvalidValue("E241", fact, "one of its rows; da.sweep(equations, starts=...) takes all")
    values = list(given)
    if len(values) != len(names):
        order = ", ".join(names)
        raise InvalidValue(
            "E241", f"{len(names)} numbers expected, got {len(values)}", f"the order is ({order}); names are safer"
        )
    return dict(zip(names, values, strict=True))


def conventional(system: Any, given: Collection[str]) -> dict[str, Mapping[str, float]]:
    """The identity, for each rotation of which nothing is given and on which nothing depends."""
    names = set(given)
    return {n: a.identity for n, a in system.idle.items() if not names & {n, *(s.name for s in a.coordinates)}}


def refuse_free(
    missing: Sequence[str],
    follows: Sequence[str],
    given: Sequence[str],
    links: Mapping[str, Sequence[str]],
    rates: Mapping[str, str],
    attitudes: Mapping[str, Attitude],
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
