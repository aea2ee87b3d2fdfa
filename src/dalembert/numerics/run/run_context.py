"""A run: what is asked for (`RunRequest`), what holds while it goes on (`RunContext`), what it gathers (`Run`)."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple, Protocol, TypeAlias, TypeVar

import numpy as np

from ...errors import Note
from ...event import Event
from ...trajectory import Branching, Ending, Interpolant
from ..events import singularities
from ..events.compiled_guards import Doubts, Happening, Watch
from ..events.guard import Guard
from ..events.narrow_features import Narrow, SharpPlace
from ..inputs.run_inputs import NONE, Steering
from ..methods.explicit_runge_kutta.stepper import ExplicitStepper as Explicit
from ..methods.method import Request
from ..methods.stepper import Stepper
from ..policy import Policy
from ..vector_field.field import Field
from .accuracy import DisturbanceGrowth

_MOST = 64  # of each kind that are kept
Value = TypeVar("Value")


class ModeHolds(Protocol):
    """Whether a mode of contacts goes on when inputs jump."""

    def __call__(self, *, before: Mapping[str, float], after: Mapping[str, float], t: float, full: np.ndarray) -> bool:
        """Of parameters before and after, at a time and a full row (n + 1,)."""


def no_mode_to_break(*, before: Mapping[str, float], after: Mapping[str, float], t: float, full: np.ndarray) -> bool:
    """A motion without contacts goes on, whatever its inputs do."""
    return True


@dataclass(frozen=True, eq=False)
class Reused:
    """Of runs one after the other.

    Attributes:
        steppers: by their code and what is asked of them.
        watches: compiled guards by what they are, each with what its key stands for.
    """

    steppers: dict[object, Explicit] = field(default_factory=dict)
    watches: dict[object, tuple[object, Watch]] = field(default_factory=dict)

    def stepper(self, policy: Policy, field: Field, request: Request) -> Stepper:
        """The stepper of a run, which has made no steps yet."""
        key = id(field.kernel.library), policy.method, *asked(request)
        old = self.steppers.get(key)
        if old is not None and len(old.p) == len(field.p):
            old.again(field.start.t, field.first, field.p, request.tolerances)
            return old
        made = policy.method.stepper(field, request)
        if isinstance(made, Explicit):
            _keep(self.steppers, key, made)
        return made

    def watch(self, given: Sequence[Guard], field: Field) -> Watch:
        """The events of a run in the states of its field."""
        lean, names = field.lean, tuple(sorted(field.parameters))
        key = tuple(map(id, given)), id(lean), field.states, names
        if key in self.watches:
            return self.watches[key][1].again(field.parameters)
        made = Watch([guard.seen_by(lean) for guard in given], field.states, field.parameters)
        _keep(self.watches, key, ((tuple(given), lean), made))
        return made


def asked(request: Request) -> tuple[object, ...]:
    """What is asked of a stepper, but for the absolute tolerances."""
    return tuple(value for name, value in vars(request).items() if name != "atol")


def _keep(those: dict[object, Value], key: object, value: Value) -> None:
    """Keep one more; the oldest goes where they are many."""
    while len(those) >= _MOST:
        those.pop(next(iter(those)), None)
    those[key] = value


# --- What a run has gathered so far, and what stays the same while it goes on ----------------------------------------

Impulses: TypeAlias = dict[str, dict[str, float]]  # by wall and row
ZENO = 1e-9  # of the run's length: the interval between jumps at which they are taken to pile up
FAILURES = ("E162", "E401", "E403", "E404", "E407")


@dataclass
class Leg:
    """A part of a run in the states of one field: all of it, but for a change of chart.

    Attributes:
        field: the equations, and the speeds in which they are integrated.
        guards: the events as they are seen in these states.
        t, y, h, F: nodes and steps of the path, as in `Interpolant`, in pieces.
        gaps: times between which branches cross and rows are no way back to the constraints.
    """

    field: Field
    guards: Sequence[Guard]
    t: list[np.ndarray]
    y: list[np.ndarray]
    h: list[np.ndarray] = dataclasses.field(default_factory=list)
    F: list[np.ndarray] = dataclasses.field(default_factory=list)
    gaps: list[tuple[float, float]] = dataclasses.field(default_factory=list)

    @classmethod
    def begin(cls, context: RunContext, t: float, y: np.ndarray) -> Leg:
        """At a time and state (n + 1,)."""
        return cls(context.field, context.guards, [np.array([t])], [y.copy()[None]])

    def add(self, piece: Interpolant) -> None:
        """Append steps; the piece's first node is the last one already here."""
        self.t.append(piece.t[1:])
        self.y.append(piece.y[1:])
        self.h.append(piece.h)
        self.F.append(piece.F)

    @cached_property
    def path(self) -> Interpolant:
        """All steps as one path; asked for at the end."""
        n = self.y[0].shape[1]
        rows = max((F.shape[1] for F in self.F), default=1)
        F = np.concatenate([filled(F, rows) for F in self.F]) if self.F else np.zeros((0, rows, n))
        h = np.concatenate(self.h) if self.h else np.zeros(0)
        return Interpolant(np.concatenate(self.t), np.concatenate(self.y), h, F)


class Spent(NamedTuple):
    """What steppers have done together; `margin` is the least rank margin that they met."""

    steps: int = 0
    rejected: int = 0
    evaluations: int = 0
    margin: float = math.inf

    def and_by(self, stepper: Stepper) -> Spent:
        """And what one more has."""
        steps, rejected = self.steps + stepper.steps, self.rejected + stepper.rejected
        return Spent(steps, rejected, self.evaluations + stepper.evaluations, min(self.margin, stepper.margin))


class Passage(NamedTuple):
    """Where a motion goes on otherwise: at a guard with a jump, or on a surface on which a force may jump.

    Attributes:
        t: when it comes there.
        guard: where; None where several act at once.
        before, after: full rows (n + 1,).
        on: when it goes on, a hair later behind a surface.
    """

    t: float
    guard: Guard | None
    before: np.ndarray
    after: np.ndarray
    on: float


@dataclass
class Run:
    """What a run has gathered so far.

    Attributes:
        legs: the path, a leg for each chart.
        marks: ``{event name: [(t, full row), ...]}``.
        outcome: why it ended, in words.
        stopped_by: the event that ended it.
        failure: ``(code, words)`` if it did not end where it should.
        jumps: when the state jumped, and by how much the energy changed then.
        pushes: when walls pushed, and their impulses by wall and row.
        stored: how many numbers the path holds.
        last_jump: the last jump, until the motion was seen to leave its guard.
        resting: guards against which the motion rests.
        switches: when the motion crossed a surface on which a force may jump.
        doubts: what was met of events that is no crossing.
        passages: all places at which the motion goes on otherwise, in order.
        spent: what it cost; while it goes on, without what the present stepper does.
        fine: why its steps are so short, in words; None where it was not looked.
        reached: times, see `accuracy.doubled`.
        notes: doubts that were shown on the way.
        surfaces: what has to keep its rank, by the field.
        branches: the places at which branches crossed.
    """

    legs: list[Leg]
    marks: dict[str, list[tuple[float, np.ndarray]]] = dataclasses.field(default_factory=dict)
    outcome: str = ""
    stopped_by: str = ""
    failure: tuple[str, str] | None = None
    jumps: list[tuple[float, float]] = dataclasses.field(default_factory=list)
    pushes: list[tuple[float, Impulses]] = dataclasses.field(default_factory=list)
    stored: int = 0
    last_jump: Happening | None = None
    resting: dict[int, Rest] = dataclasses.field(default_factory=dict)
    switches: list[float] = dataclasses.field(default_factory=list)
    doubts: Doubts = dataclasses.field(default_factory=Doubts)
    passages: list[Passage] = dataclasses.field(default_factory=list)
    spent: Spent = dataclasses.field(default_factory=Spent)
    fine: str | None = None
    reached: tuple[float, ...] = ()
    notes: list[Note] = dataclasses.field(default_factory=list)
    surfaces: dict[Field, Sequence[singularities.RankSurface]] = dataclasses.field(default_factory=dict)
    branches: list[Branching] = dataclasses.field(default_factory=list)

    @property
    def leg(self) -> Leg:
        """The present one."""
        return self.legs[-1]

    @property
    def began(self) -> float:
        """The time of the start."""
        return float(self.legs[0].t[0][0])

    def mark(self, guards: Sequence[Guard], t: np.ndarray, y: np.ndarray) -> None:
        """Note that events happened, at times (c,) in states (c, n + 1)."""
        for guard, when, full in zip(guards, t.tolist(), self.leg.field.full(t, y), strict=True):
            self.marks[guard.event.name].append((when, full))

    def stop(self, guard: Guard, t: float) -> None:
        """End here, because of an event."""
        self.stopped_by = guard.event.name
        self.outcome = f"stopped by {guard.event.name} at t = {t:.10g}"

    @property
    def left(self) -> bool:
        """Did a number, a rank or the steps fail in the speeds of a lean form, rather than time, room or a jump?"""
        return self.failure is not None and self.failure[0] in FAILURES and self.leg.field.lean is not None

    @property
    def ending(self) -> Ending:
        """How it ended, for programs."""
        return Ending(code=self.failure[0]) if self.failure else Ending(self.stopped_by)

    def impulses(self, event: Event, t: np.ndarray) -> dict[str, np.ndarray]:
        """Of a wall, what its rows gave at the times of its marks (c,); of those at one instant the last has all."""
        found = {label: np.zeros(len(t)) for label in (event.impact.rates if event.impact else ())}
        for when, by_wall in self.pushes:
            last = int(np.searchsorted(t, when, side="right")) - 1
            for label, mu in by_wall.get(event.name, {}).items():
                if last >= 0 and t[last] == when:
                    found[label][last] += mu
        return found

    def add(self, piece: Interpolant) -> None:
        """Append steps."""
        self.leg.add(piece)
        self.stored += piece.F.size


class Made(NamedTuple):
    """A run carried out: the field that it was in at last, what it gathered, and its wall time in s."""

    field: Field
    run: Run
    kept: list[np.ndarray]
    growth: DisturbanceGrowth | None
    seconds: float

    @property
    def rows(self) -> np.ndarray:
        """Times and full rows that were kept; where the path was, the first."""
        if self.kept:
            return np.concatenate(self.kept)
        leg = self.run.legs[0]
        t, y = leg.t[0][:1], leg.y[0][:1]
        return _dated(t, leg.field.full(t, leg.field.project(t, y)))


class Rest(NamedTuple):
    """A guard against which the motion rests since a time, and the size of its terms until then."""

    guard: Guard
    since: float
    size: float


@dataclass(frozen=True)
class RunRequest:
    """A run that is asked for, its arguments in order: whoever carries it out does not look at them again.

    Attributes:
        field: the equations at the run's parameters, and the start.
        policy: how they are integrated.
        events: compiled, of states as the equations have them.
        until: where it ends.
        samples: times (N,) at which the path is kept; None for the ends of the steps.
        notes: what was seen when the arguments were looked at.
        steering: what drives the inputs.
        tick: told the time reached, for progress.
        holds: does the present mode of contacts go on with other coefficients of inputs?
        reused: what was compiled for runs before.
    """

    field: Field
    policy: Policy
    events: tuple[Guard, ...]
    until: float
    samples: np.ndarray | None = None
    notes: tuple[Note, ...] = ()
    steering: Steering = NONE
    tick: Callable[[float], None] = lambda t: None
    holds: ModeHolds = no_mode_to_break
    reused: Reused = dataclasses.field(default_factory=Reused)


@dataclass(frozen=True)
class RunContext(RunRequest):
    """A run under way: what was asked for, and what stays the same until it goes on in another chart.

    Attributes:
        stepping: what is asked of a stepper.
        keep: called with each piece of path when dense output is not kept, else None.
        growth: what follows a disturbance, where the method has a tolerance.
        places: where something may be narrower than a step.
        watches: the events as each chart sees them, compiled once.
        change: when coefficients of inputs change next.
    """

    stepping: Request = dataclasses.field(kw_only=True)
    keep: Keeper | None = None
    growth: DisturbanceGrowth | None = None
    places: tuple[SharpPlace, ...] = ()
    watches: dict[int | None, Watch] = dataclasses.field(default_factory=dict)
    change: float = math.inf

    @cached_property
    def watch(self) -> Watch:
        """The guards, compiled."""
        lean = self.field.lean
        key = None if lean is None else id(lean)
        if key not in self.watches:
            self.watches[key] = self.reused.watch(self.events, self.field)
        return self.watches[key]

    @property
    def doubts(self) -> Doubts:
        """What was met of the guards, in all charts, that is no crossing."""
        found = Doubts()
        for watch in self.watches.values():
            found.also(watch.doubts)
        return found

    @property
    def guards(self) -> Sequence[Guard]:
        """The events in the states that are integrated."""
        return self.watch.guards if self.events else ()

    @cached_property
    def narrow(self) -> Narrow:
        """What steps may miss of the forces and the form."""
        return Narrow(self.field, self.places, self.stepping.rtol, self.stepping.atol, self.policy.method.fixed)

    @property
    def names(self) -> tuple[str, ...]:
        """The states, without the work."""
        return self.field.states

    @property
    def parameters(self) -> Mapping[str, float]:
        """Values by name."""
        return self.field.parameters


@dataclass(frozen=True)
class Keeper:
    """Collects samples (or step ends) as the run goes, instead of the whole path.

    Attributes:
        kept: times and full rows on the constraints.
        samples: the times that are wanted; None for the ends of the steps.
        field, stepper: by which the pieces were made.
        growth: what looks at them too.
    """

    kept: list[np.ndarray]
    samples: np.ndarray | None
    field: Field
    stepper: Stepper
    growth: DisturbanceGrowth | None

    def __call__(self, piece: Interpolant) -> None:
        """Take what is wanted of a piece."""
        if self.growth is not None:
            self.growth.add(piece)
        if self.samples is None:
            self.take(piece.t[1:], piece.y[1:])
            return
        first, last = np.searchsorted(self.samples, piece.t[[0, -1]], side="right").tolist()
        if first < last:
            inside, known = self.samples[first:last], len(piece.F) == len(piece.h)
            self.take(inside, piece(inside) if known else self.stepper.inside(inside, piece.t, piece.y))

    def take(self, t: np.ndarray, y: np.ndarray) -> None:
        """Keep states at times."""
        self.kept.append(_dated(t, self.field.full(t, self.field.project_each(t, y))))


def _dated(t: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """Rows (N, m) behind their times (N,)."""
    found = np.empty((len(t), rows.shape[1] + 1))
    found[:, 0], found[:, 1:] = t, rows
    return found


def filled(F: np.ndarray, rows: int) -> np.ndarray:
    """Coefficients (N, rows, n): those of polynomials of lower degree with zeros behind."""
    return np.concatenate([F, np.zeros((len(F), rows - F.shape[1], F.shape[2]))], axis=1) if F.shape[1] < rows else F


def named(guards: Sequence[Guard]) -> dict[str, list[tuple[float, np.ndarray]]]:
    """An empty list of marks for each event."""
    return {g.event.name: [] for g in guards if not g.switch}


def gather(run: Run, piece: Interpolant, context: RunContext) -> None:
    """Keep a piece of the path, or hand it on where the path is not kept."""
    if context.keep is None:
        run.add(piece)
    else:
        context.keep(piece)
