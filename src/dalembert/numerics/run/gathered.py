"""What a run has gathered so far, and what stays the same while it goes on."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

import numpy as np

from ...trajectory import Ending, Interpolant
from ..events import singular
from ..events.compiled_guards import Happening, Watch
from ..events.guard import Guard
from ..policy import Policy
from ..vector_field.field import Field

FAILURES = ("E162", "E401", "E403", "E404", "E407")


@dataclass
class Run:
    """What a run has gathered so far.

    Attributes:
        t, y, h, F: nodes and steps of the path, as in `Interpolant`, in pieces.
        marks: ``{event name: [(t, state), ...]}``.
        outcome: why it ended, in words.
        stopped_by: the event that ended it.
        failure: ``(code, words)`` if it did not end where it should.
        jumps: when the state jumped, and by how much the energy changed then.
        stored: how many numbers the path holds.
        last_jump: the last jump, until the motion was seen to leave its guard.
        switches: when the motion crossed a surface on which a force may jump.
    """

    t: list[np.ndarray]
    y: list[np.ndarray]
    h: list[np.ndarray] = field(default_factory=list)
    F: list[np.ndarray] = field(default_factory=list)
    marks: dict[str, list[tuple[float, np.ndarray]]] = field(default_factory=dict)
    outcome: str = ""
    stopped_by: str = ""
    failure: tuple[str, str] | None = None
    jumps: list[tuple[float, float]] = field(default_factory=list)
    stored: int = 0
    last_jump: Happening | None = None
    resting: dict[int, Rest] = field(default_factory=dict)
    switches: list[float] = field(default_factory=list)

    def mark(self, guard: Guard, t: float, y: np.ndarray) -> None:
        """Note that an event happened."""
        self.marks[guard.event.name].append((t, y))

    def stop(self, guard: Guard, t: float) -> None:
        """End here, because of an event."""
        self.stopped_by = guard.event.name
        self.outcome = f"stopped by {guard.event.name} at t = {t:.10g}"

    @property
    def left(self) -> bool:
        """Did a number, a rank or the steps fail, rather than time, room or a jump?"""
        return self.failure is not None and self.failure[0] in FAILURES

    @property
    def ending(self) -> Ending:
        """How it ended, for programs."""
        return Ending(code=self.failure[0]) if self.failure else Ending(self.stopped_by)

    def add(self, piece: Interpolant) -> None:
        """Append steps; the piece's first node is the last one already here."""
        self.t.append(piece.t[1:])
        self.y.append(piece.y[1:])
        self.h.append(piece.h)
        self.F.append(piece.F)
        self.stored += piece.F.size

    def path(self) -> Interpolant:
        """All steps as one path."""
        n = self.y[0].shape[1]
        rows = max((F.shape[1] for F in self.F), default=1)
        F = np.concatenate([filled(F, rows) for F in self.F]) if self.F else np.zeros((0, rows, n))
        h = np.concatenate(self.h) if self.h else np.zeros(0)
        return Interpolant(np.concatenate(self.t), np.concatenate(self.y), h, F)


class Rest(NamedTuple):
    """A guard against which the motion rests since a time, and the size of its terms until then."""

    guard: Guard
    since: float
    size: float


@dataclass(frozen=True)
class Scene:
    """What stays the same during a run.

    Attributes:
        field: the equations at the run's parameters.
        policy: how they are integrated.
        guards: compiled events.
        until: where it ends.
        pivots: functions of times and states whose zeros are losses of rank.
        keep: called with each piece of path when dense output is not kept, else None.
        tick: told the time reached, for progress.
    """

    field: Field
    policy: Policy
    guards: Sequence[Guard]
    until: float
    pivots: Sequence[singular.Surface]
    keep: Callable[[Interpolant], None] | None
    tick: Callable[[float], None]

    @cached_property
    def watch(self) -> Watch:
        """The guards, compiled."""
        return Watch(self.guards, self.names, self.parameters)

    @property
    def names(self) -> tuple[str, ...]:
        """The states, without the work."""
        return self.field.states

    @property
    def parameters(self) -> Mapping[str, float]:
        """Values by name."""
        return self.field.parameters


def filled(F: np.ndarray, rows: int) -> np.ndarray:
    """Coefficients (N, rows, n): those of polynomials of lower degree with zeros behind."""
    return np.concatenate([F, np.zeros((len(F), rows - F.shape[1], F.shape[2]))], axis=1) if F.shape[1] < rows else F


def named(guards: Sequence[Guard]) -> dict[str, list[tuple[float, np.ndarray]]]:
    """An empty list of marks for each event."""
    return {g.event.name: [] for g in guards if not g.switch}


def gather(run: Run, piece: Interpolant, scene: Scene) -> None:
    """Keep a piece of the path, or hand it on where the path is not kept."""
    if scene.keep is None:
        run.add(piece)
    else:
        scene.keep(piece)
