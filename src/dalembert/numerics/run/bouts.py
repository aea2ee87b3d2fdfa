"""Runs in one mode of contacts each, one behind the other: what all of them leave is evaluated together at the end."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce

import numpy as np

from ...errors import Note
from ...trajectory import Audit, Ending, Marks
from ..events.guard import Guard
from ..policy import Policy
from . import audit
from .columns import Columns, marks_of
from .gathered import Made, Run, Spent


@dataclass(frozen=True, eq=False)
class Bout:
    """A run in one mode, with dense output.

    Attributes:
        made, policy, guards: it, and how it was run.
        dense: its columns at any times inside.
        remarks: finds the notes on it.
        early: those of them that make it suspect.
        source: tells how it was run, where that is asked.
        starts: nodes at which a stretch of it begins; it is several runs in its mode where they are several.
    """

    made: Made
    policy: Policy
    guards: tuple[Guard, ...]
    dense: Columns
    remarks: Callable[[], Sequence[Note]]
    early: Sequence[Note]
    source: Callable[[], Mapping[str, object]]
    starts: np.ndarray = dataclasses.field(default_factory=lambda: np.zeros(1, int))

    @property
    def provenance(self) -> Mapping[str, object]:
        """How it was run."""
        return self.source()

    @property
    def run(self) -> Run:
        """What it gathered."""
        return self.made.run

    @property
    def t(self) -> np.ndarray:
        """The ends of its steps."""
        return self.dense.nodes[0]

    @property
    def names(self) -> tuple[str, ...]:
        """Of the columns of its mode."""
        return self.dense.names

    @property
    def states(self) -> int:
        """How many of them are states."""
        return len(self.made.field.equations.states)

    @property
    def ending(self) -> Ending:
        """How it ended, for programs."""
        return self.run.ending

    @property
    def outcome(self) -> str:
        """How it ended, in words."""
        return self.run.outcome

    @property
    def reached(self) -> bool:
        """Did it end where it should?"""
        return self.run.failure is None

    @property
    def poles(self) -> Mapping[str, float]:
        """Events whose guard changed its sign through infinity, and when first."""
        return self.run.doubts.poles

    @property
    def marks(self) -> Mapping[str, Marks]:
        """When its events happened."""
        return _Marked(self)


@dataclass(frozen=True, eq=False)
class _Marked(Mapping[str, Marks]):
    """The marks of a bout, made when they are asked for."""

    bout: Bout

    def __getitem__(self, name: str) -> Marks:
        events = {guard.event.name: guard.event for guard in self.bout.guards}
        return marks_of(events.get(name), self.bout.run.marks[name], self.bout.run, self.bout.dense)

    def __iter__(self) -> Iterator[str]:
        return iter(self.bout.run.marks)

    def __len__(self) -> int:
        return len(self.bout.run.marks)


def audits_of(found: Sequence[Bout]) -> list[Audit]:
    """Audits of bouts, of their states; one together for those of one mode."""
    groups: dict[object, list[Bout]] = {}
    for bout in found:
        groups.setdefault(_kind(bout), []).append(bout)
    stretches = [sum(len(bout.starts) for bout in group) for group in groups.values()]
    return [_of_many(group) if n > 1 else _of_one(*group) for group, n in zip(groups.values(), stretches, strict=True)]


def _kind(bout: Bout) -> object:
    """What those have in common that are evaluated together."""
    field = bout.run.leg.field
    alone = len(bout.run.legs) > 1 or bout.run.failure is not None or bool(bout.early)
    return id(bout) if alone else (id(field.kernel), field.lean and field.lean.chosen, field.p.tobytes())


def _of_one(bout: Bout) -> Audit:
    made, full = bout.made, bout.dense.nodes[1]
    return audit.examine(bout.policy, made.run, made.rows, full, made.seconds, bout.remarks, bout.early)


def _of_many(bouts: Sequence[Bout]) -> Audit:
    """Of bouts with the same equations and parameters."""
    legs, first = [bout.run.leg for bout in bouts], bouts[0]
    seen = audit.stretches(legs, [bout.starts for bout in bouts])
    spent = reduce(_both, [bout.run.spent for bout in bouts])
    whole = Run(legs, jumps=[jump for bout in bouts for jump in bout.run.jumps], spent=spent)

    def notes() -> list[Note]:
        return list(dict.fromkeys(note for bout in bouts for note in bout.remarks()))

    return audit.judge(first.policy, whole, seen, seen.y, sum(bout.made.seconds for bout in bouts), notes)


def _both(a: Spent, b: Spent) -> Spent:
    """What two runs have done."""
    return Spent(a.steps + b.steps, a.rejected + b.rejected, a.evaluations + b.evaluations, min(a.margin, b.margin))
