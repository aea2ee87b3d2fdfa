"""What is kept of each member: columns, events and measures, chosen by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ...equations import Equations
from ...errors import InvalidValue, UnknownName, WrongType, as_given, did_you_mean
from ...errors.remedies import Option
from ...event import Event
from ...trajectory import Trajectory

LONGEST = 100  # letters of the name of a variable

ENERGY = "energy"
AUDIT = {
    "t_end": ("f8", "the time at which the member ended"),
    "outcome": ("i2", "how it ended: 0, 1, or the number of an error code"),
    "verdict": ("i1", "the audit's verdict"),
    "constraint_residual": ("f8", "largest residual of the constraints at the kept times"),
    "energy_drift": (
        "f8",
        "largest |E(t) - E(0) - work| at the kept times, over the size of its terms; 0 if rounding",
    ),
    "margin": ("f8", "least rank margin met"),
    "steps": ("i4", "accepted steps"),
    "rejected": ("i4", "refused steps"),
}
Measure = Callable[[Trajectory], float]


@dataclass(frozen=True)
class Variable:
    """One variable of the result.

    Attributes:
        name, kind: its name and NumPy's name of its type.
        dims, shape: the dimensions after the members'.
        text, unit: what it is.
    """

    name: str
    kind: str
    dims: tuple[str, ...] = ()
    shape: tuple[int, ...] = ()
    text: str = ""
    unit: str = ""

    @property
    def bytes(self) -> int:
        """Of one member."""
        return int(np.prod((np.dtype(self.kind).itemsize, *self.shape)))


@dataclass(frozen=True)
class Kept:
    """What is kept.

    Attributes:
        columns: names of states, multipliers and the energy, at the end or at the sample times.
        events: how many times are kept, by name of event.
        measures: numbers made of the whole path, by name.
        sums: names of numbers that sum up what contacts did.
    """

    columns: tuple[str, ...]
    events: Mapping[str, int] = field(default_factory=dict)
    measures: Mapping[str, Measure] = field(default_factory=dict)
    sums: tuple[str, ...] = ()

    def variables(self, equations: Equations, samples: int | None) -> tuple[Variable, ...]:
        """All variables of the result in order."""
        dims, shape = ((), ()) if samples is None else (("time",), (samples,))
        units = {s.name: equations.system.unit(s) for s in equations.space}
        found = [Variable(name, "f8", dims, shape, "", units.get(name, "")) for name in self.columns]
        for name, count in self.events.items():
            numbered = ((f"{name}_number",), (count,)) if count > 1 else ((), ())
            found.append(Variable(f"{name}_count", "i4", text=f"how often {name} happened"))
            found.append(Variable(f"{name}_time", "f8", numbered[0], numbered[1], f"when {name} happened first"))
        known = sums(equations)
        found += [Variable(name, "f8", text=known[name]) for name in self.sums]
        found += [Variable(name, "f8", text="a measure of the path") for name in self.measures]
        return (*found, *(Variable(name, kind, text=text) for name, (kind, text) in AUDIT.items()))


def read(keep: object, equations: Equations, events: Sequence[Event]) -> Kept:
    """What `keep` names.

    Args:
        keep: a name, a list of names and mappings, a mapping of measures ``{name: function}`` and of how many times of
            an event are kept ``{event: number}``; None for all states and the first time of each event.
        equations: whose columns may be named.
        events: which may be named.

    Raises:
        WrongType, UnknownName, InvalidValue: E317.
    """
    labels = {e.name: 1 for e in events}
    if keep is None:
        return _distinct(Kept(equations.states, labels), equations)
    columns: dict[str, None] = {}
    summed: dict[str, None] = {}
    numbers: dict[str, int] = {}
    measures: dict[str, Measure] = {}
    for part in [keep] if isinstance(keep, str | Mapping) else _listed(keep):
        for name, value in part.items() if isinstance(part, Mapping) else [(part, None)]:
            own = getattr(name, "name", name)
            if callable(value):
                measures[str(own)] = value
            elif own in labels:
                numbers[own] = _number(own, value)
            elif value is None and own in names(equations):
                columns[own] = None
            elif value is None and own in sums(equations):
                summed[own] = None
            else:
                known = [*names(equations), *labels, *sums(equations)]
                remedy = 'a measure is {"name": function}' if value is not None else did_you_mean(str(own), known)
                raise UnknownName("E317", f"keep: there is no column or event {as_given(own)}", remedy)
    return _distinct(Kept(tuple(columns), numbers, measures, tuple(summed)), equations)


def names(equations: Equations) -> tuple[str, ...]:
    """Columns that can be kept; reactions in modes of contacts are told by the path alone, to measures."""
    alone = equations.states_of_multipliers or equations.contacts is not None
    reactions = () if alone else tuple(s.name for s in equations.multipliers)
    energy = () if ENERGY in {*equations.states, *equations.system.symbols} else (ENERGY,)
    return (*equations.states, *reactions, *energy)


def sums(equations: Equations) -> Mapping[str, str]:
    """Numbers that sum up what contacts did, by name, and what each is."""
    return {} if equations.contacts is None else equations.contacts.sums


def _listed(keep: object) -> list[Any]:
    if not isinstance(keep, Sequence | set | frozenset):
        raise WrongType("E317", f"keep = {as_given(keep)} is not a list of names", Option("keep", ["x", "energy"]))
    return list(keep)


def _number(name: str, value: object) -> int:
    if value is None:
        return 1
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or not 0 < value <= 10_000:
        remedy = Option("keep", {name: 5})
        raise InvalidValue("E317", f"keep: {as_given(value)} times of {name}: give a whole number", remedy)
    return int(value)


def _distinct(kept: Kept, equations: Equations) -> Kept:
    """E317 where two variables of the result would have one name, or one has a name that no store takes."""
    labels = [v.name for v in kept.variables(equations, None)]
    for name in labels:
        if not _storable(name):
            fact = f"{as_given(name)} cannot be the name of a variable of the result: stores keep each in a folder"
            raise InvalidValue("E317", fact, "rename it, with letters, digits and _")
        if labels.count(name) > 1:
            raise twice(name)
    return kept


def _storable(name: str) -> bool:
    """May a folder bear this name, on any system, and lie in that of the result?"""
    return (
        0 < len(name) <= LONGEST
        and name.isprintable()
        and not {*name} & {*"/\\"}
        and name.strip(". ") == name != "zarr.json"
    )


def twice(name: str) -> InvalidValue:
    """E317: a name that two things in the result would bear."""
    fact = f"the result would have two variables called {as_given(name)}"
    return InvalidValue("E317", fact, "rename the measure, event or parameter, or leave it out of keep")
