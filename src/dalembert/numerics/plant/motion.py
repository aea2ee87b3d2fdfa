"""The motion of a plant that meets walls, events, rests of friction and surfaces where forces jump."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from ...calculus.graph import symbols
from ...equations.contact_modes import APART, Modes
from ...errors import InvalidValue, Singular
from ..contacts.change import Cause, Changed, Span, Stuck, change, check_open, started
from ..contacts.instant import Eye
from ..events.guard import Guard
from ..events.guard_signs import check_start
from ..inputs.run_inputs import past_rounding
from ..machine.batch_calls import map_rows
from ..methods.explicit_runge_kutta.stepper import ExplicitStepper
from ..methods.method import FARTHER, MARGIN_LIMIT, Request, turning
from ..methods.stepper import Status
from ..policy import Policy
from ..run.charts import work_of_jump
from ..run.contact_mode import FINER, TRIES, Runner
from ..run.control_loop import Underway
from ..run.integrate import REASONS
from ..run.resting_guards import stopping
from ..run.run_context import ModeHolds, Spent, no_mode_to_break
from ..run.simulate import guards_of
from ..vector_field.field import Field, residuals
from ..vector_field.kernel_plan import PREAMBLE


class Watched:
    """A motion under way; it begins with the first inputs.

    Args:
        field, policy: what moves, from where, and how.
        inputs: names of parameters that change from step to step.
        guards: what is watched.
        checked: were they, at the start?
    """

    modes: list[tuple[float, str, str]] = []  # noqa: RUF012
    held: Mapping[str, float] = {}

    def __init__(
        self, field: Field, policy: Policy, inputs: Sequence[str], guards: Sequence[Guard], checked: bool = False
    ) -> None:
        self._begun, self._policy, self._inputs, self._guards = field, policy, tuple(inputs), tuple(guards)
        self._checked = checked
        self._run: Underway | None = None
        self._first = field

    def copy(self) -> Watched:
        """Another motion that is where this one is, and goes on without it."""
        twin = object.__new__(Watched)
        twin.__dict__.update(self.__dict__)
        twin._run = None if self._run is None else self._run.copy()
        return twin

    @property
    def t(self) -> float:
        """The time reached."""
        return self._begun.start.t if self._run is None else float(self._run.stepper.t)

    @property
    def full(self) -> np.ndarray:
        """The full row (n + 1,)."""
        return np.append(self._begun.start.vector, 0.0) if self._run is None else self._run.full

    @property
    def field(self) -> Field:
        """The equations at the present inputs."""
        return self._first if self._run is None else self._run.context.field

    @property
    def spent(self) -> Spent:
        """What it has cost."""
        return Spent() if self._run is None else self._run.run.spent.and_by(self._run.stepper)

    @property
    def stopped(self) -> str:
        """The event that stopped it."""
        return "" if self._run is None else self._run.run.stopped_by

    @property
    def happened(self) -> Mapping[str, Sequence[float]]:
        """Times of events on the last way, by name."""
        return {} if self._run is None else self._run.happened

    def put(self, row: Sequence[float]) -> None:
        """Other inputs from here on."""
        values = dict(zip(self._inputs, row, strict=True))
        if self._run is None:
            self._first = self._begun.with_values(values)
        else:
            self._run.put(values)

    def reach(self, end: float) -> None:
        """Go on to a time, or to an event that stops.

        Raises:
            InvalidValue: E240, E310, E311, what the start is to the guards.
            Singular: E1xx, E4xx, it cannot go on, and is where it was.
        """
        before = None if self._run is None else self._run.copy()
        run = self._run = self._run or Underway.of(self._first, self._policy, self._guards, end, self._checked)
        run.onwards(end)
        if run.run.failure is None:
            return
        self._run, (code, words) = before, run.run.failure
        if not run.run.left:
            raise Singular(code, words)
        if before is None:
            self._first = self._first.as_written()
        else:
            self._run = before.as_written()
        self.reach(end)


# ---------------------------------------------------------------------------------------------------------------------
# The motion of a plant whose contacts change their modes: one `Watched` motion for each, and the changes between.

SPAN = 1000  # steps whose time stands for a run's length, against which rounding is measured
MOST = 1000  # changes in one step
KEPT = 10_000  # changes that are remembered, twice as many at most
Said = tuple[float, str, str]


class Changing:
    """A motion under way; it begins with the first inputs.

    Args:
        field: the equations without what contacts do, from the start.
        runner: of the modes.
        inputs: names of parameters that change from step to step.
        length: of time, against which rounding is measured.
    """

    def __init__(self, field: Field, runner: Runner, inputs: Sequence[str], length: float) -> None:
        eye = Eye.of(runner.eye.equations, runner.eye.contacts, runner.eye.parameters)
        self._field, self._runner, self._inputs, self._length = field, replace(runner, eye=eye), tuple(inputs), length
        self._motion: Watched | None = None
        self._modes: Modes = ()
        self._holds: ModeHolds = no_mode_to_break
        self._cause: Cause | None = None
        self._until, self._depth, self._supplied, self._spent = field.start.t, 0.0, 0.0, Spent()
        self._bouncing: Mapping[str, float] = {}
        self._said: tuple[object, Said] | None = None  # the last change, and those before it
        self._count = 0  # of them
        self._happened: dict[str, list[float]] = {}

    def copy(self) -> Changing:
        """Another motion that is where this one is, and goes on without it."""
        twin = object.__new__(Changing)
        twin.__dict__.update(self.__dict__)
        eye = self._runner.eye
        twin._runner = replace(self._runner, eye=replace(eye, speeds=eye.speeds.copy()))
        twin._motion = None if self._motion is None else self._motion.copy()
        return twin

    @property
    def t(self) -> float:
        """The time reached."""
        return self._field.start.t if self._motion is None else self._motion.t

    @property
    def full(self) -> np.ndarray:
        """The full row (n + 1,); its work includes what impacts and ends of slip have taken."""
        if self._motion is None:
            return np.append(self._field.start.vector, 0.0)
        full = self._motion.full.copy()
        full[-1] += self._supplied
        return full

    @property
    def field(self) -> Field:
        """The equations at the present inputs, without what contacts do."""
        return self._field

    @property
    def spent(self) -> Spent:
        """What it has cost."""
        return self._spent if self._motion is None else _both(self._spent, self._motion.spent)

    @property
    def stopped(self) -> str:
        """The event that stopped it; changes of contacts do not."""
        stopped = "" if self._motion is None else self._motion.stopped
        return "" if self._runner.cause(stopped) is not None else stopped

    @property
    def happened(self) -> Mapping[str, Sequence[float]]:
        """Times of events on the last way, and of impacts by the names of contacts."""
        return self._happened

    @property
    def modes(self) -> list[Said]:
        """``(t, contact, word)`` of each contact at the start, and wherever it changed: of the last `KEPT` changes."""
        return self._remembered()[-KEPT:]

    def _remembered(self) -> list[Said]:
        """The changes in the order of time."""
        found, last = list[Said](), self._said
        while last is not None:
            last, said = last  # type: ignore[assignment]
            found.append(said)
        return found[::-1]

    @property
    def held(self) -> dict[str, float]:
        """How far it is off what its contacts keep now, and off the constraints."""
        if self._motion is None:
            return {}
        field, at = self._motion.field, np.array([self.t])
        names = [c.name for c in field.equations.constraints]
        return dict(zip(names, residuals(field, at, self.full[None])[0], strict=True))

    def put(self, row: Sequence[float]) -> None:
        """Other inputs from here on."""
        values, old = dict(zip(self._inputs, row, strict=True)), self._runner
        self._runner, self._field = old.with_values(values), self._field.with_values(values)
        if self._motion is None:
            return
        t, before, full = self.t, self._motion.field.parameters, self.full
        self._motion.put(row)
        if not self._holds(before=before, after=self._motion.field.parameters, t=t, full=full):
            self._cause = self._runner.moved(old.eye, t, full[:-1])

    def reach(self, end: float) -> None:
        """Go on to a time, or to an event that stops.

        Raises:
            InvalidValue: E310, E311, what the start is to events.
            Singular: E1xx, E4xx, it cannot go on, and is where it was.
        """
        before, policy = self.copy(), self._runner.policy
        try:
            self._onwards(end)
            finer = 0
            while self._beyond():
                if (finer := finer + 1) == TRIES:
                    raise Stuck("E412", f"before t = {self.t:.10g}: a contact was passed unseen")
                # a hop that is small against a step is not seen on it
                self.__dict__.update(before.copy().__dict__)
                self._with_steps((end - self.t) / FINER**finer)
                self._onwards(end)
        except (Stuck, Singular, InvalidValue) as error:
            self.__dict__.update(before.__dict__)
            if isinstance(error, Stuck):
                raise Singular(error.code, error.words) from None
            raise
        self._runner = replace(self._runner, policy=policy)

    def _with_steps(self, longest: float) -> None:
        """No step is to be longer from here on."""
        self._runner = replace(self._runner, policy=replace(self._runner.policy, max_step=longest))
        if self._motion is not None:
            self._begin(self.t, self.full[:-1])

    def _onwards(self, end: float) -> None:
        """To a time or an event that stops, mode after mode."""
        self._happened = {}
        for _ in range(MOST):
            if self._motion is None or self._cause is not None:
                self._decide(end)
            elif self._until <= self.t:
                self._begin(self.t, self.full[:-1])
            motion = self._motion
            assert motion is not None
            motion.reach(min(end, self._until))
            self._runner.eye.note(motion.full[None, :-1])
            for name, times in motion.happened.items():
                if self._runner.cause(name) is None:
                    self._happened.setdefault(name, []).extend(times)
            self._cause = self._runner.cause(motion.stopped)
            if self.stopped:
                return
            if past_rounding(self.t) >= end:
                self._at_the_end(end)
                return
        raise Stuck("E408", f"at t = {self.t:.10g}: {MOST} changes of contact in one step")

    def _at_the_end(self, end: float) -> None:
        """What ends a mode at the very end of a step is decided with the inputs of that step.

        A slip of two components that begins from rest goes on a little later: it waits for the next step.
        """
        if self._cause is not None and max(self._runner.eye.contacts.slips.values()) < 2:
            self._decide(end)

    def _decide(self, end: float) -> None:
        """What contacts do from here on."""
        t, y, eye = self.t, self.full[:-1], self._runner.eye
        span = Span(self._length, self._bouncing, end - t)
        if self._motion is None:
            guards = guards_of(self._runner.events, self._field)
            check_start(self._field, [g.seen_by(self._field.lean) for g in guards if not g.switch], end - t)
            eye.note(y[None])
            found = started(eye, t, y, span)
        else:
            found = change(eye, t, y, self._modes, self._cause or Cause(), span)
        self._cause = None
        self._note(found)
        if self._motion is not None and found.modes == self._modes and found.t == t and not found.impulses:
            return  # it goes on as it was
        times, rows = np.array([t, found.t]), np.vstack([self.full, np.append(found.y, 0.0)])
        energy = self._field.energy(times, rows)
        self._supplied = float(rows[0, -1] + energy[1] - energy[0])
        self._spent, self._modes, self._motion = self.spent, found.modes, None
        self._begin(found.t, found.y)

    def _note(self, found: Changed) -> None:
        """Take down a change."""
        for said in found.said(self._modes):
            self._said, self._count = (self._said, said), self._count + 1
        if self._count >= 2 * KEPT:
            kept, self._said, self._count = self.modes, None, KEPT
            for said in kept:
                self._said = (self._said, said)
        for name, p in found.impulses.items():
            if p.any():
                self._happened.setdefault(name, []).append(found.at)
        self._bouncing = found.since(self._bouncing)

    def _begin(self, t: float, y: np.ndarray) -> None:
        """The present mode from a state (n,) on."""
        if self._motion is not None:  # the same mode with other guards
            self._supplied, self._spent = float(self.full[-1]), self.spent
        found = stopping(self._runner.request(t, y, self._modes, math.inf))
        self._motion = Watched(found.field, found.policy, self._inputs, found.events, checked=True)
        self._until, self._holds = found.until, found.holds
        now = self._runner.eye.see(t, y)
        self._depth = max((-now.touching[n].gap for n, mode in self._modes if mode.word == APART), default=0.0)

    def _beyond(self) -> bool:
        """Was a contact passed unseen?"""
        return self._runner.is_beyond(self.t, self.full[:-1], self._modes, self._depth)


def check_begin(runner: Runner, length: float) -> None:
    """The start must not be behind the surface of a contact, nor where one has no normal.

    Raises:
        InvalidValue: E240, E410.
    """
    try:
        check_open(runner.eye.see(runner.first.t, runner.first.vector), length)
    except Stuck as error:
        raise InvalidValue(error.code, error.words, "start otherwise") from None


def _both(a: Spent, b: Spent) -> Spent:
    """What two motions have cost together."""
    return Spent(a.steps + b.steps, a.rejected + b.rejected, a.evaluations + b.evaluations, min(a.margin, b.margin))


# ---------------------------------------------------------------------------------------------------------------------
# The motion of a plant on which nothing acts at an instant: machine code whose arguments are laid out once.
# It begins in the speeds of the lean form, and goes on as the equations are written where these come near a pole.

_CHUNK = 64  # steps of the method between two looks


class Swift:
    """A motion under way.

    Args:
        field, policy: what moves, from where, and how.
        inputs: names of parameters that change from step to step.
    """

    stopped = ""
    happened: Mapping[str, Sequence[float]] = {}
    modes: list[tuple[float, str, str]] = []  # noqa: RUF012
    held: Mapping[str, float] = {}

    def __init__(self, field: Field, policy: Policy, inputs: Sequence[str]) -> None:
        self._policy, self._inputs = policy, tuple(inputs)
        self._felt = bool(symbols([field.equations.machine.energy]) & {*inputs})
        self._values: list[float] = []
        self.go(field, field.start.t, field.first)

    def copy(self) -> Swift:
        """Another motion that is where this one is, and goes on without it."""
        twin = object.__new__(Swift)
        twin.__dict__.update(self.__dict__)
        twin.go(self._field, self.t, self._stepper.y, self._stepper.h)
        twin._stepper.p[:] = self._stepper.p
        if twin._fill is not None:
            twin._others[:] = self._others
        return twin

    def go(self, field: Field, t: float, y: np.ndarray, h: float = 0.0) -> None:
        """Go on in the states of a field."""
        self._field, names = field, field.kernel.parameters
        stepper = self._policy.method.stepper(field, _request(field, self._policy))
        assert isinstance(stepper, ExplicitStepper)
        stepper.restart(t, np.array(y), h)
        self._stepper = stepper
        self._places = [names.index(n) if n in names else -1 for n in self._inputs]
        self._at, self._row, self._fill = (np.zeros(1), np.zeros((1, len(y)))), stepper.y, None
        if field.lean is not None:
            out = np.empty((1, len(field.equations.states) + 1))
            parameters = np.array([field.parameters[name] for name in names])
            into = field.kernel.library.address("full"), self._at[0], stepper.y[None], parameters, out
            self._row, self._fill, self._others = out[0], map_rows.prepared(*into), parameters
        self._advance, self._still = stepper.prepared(_CHUNK), np.zeros(field.kernel.preamble)
        if len(self._still):
            # what depends on parameters alone, as `Kernel.changed` computes it
            address = field.kernel.library.address(PREAMBLE)
            self._prepare = map_rows.prepared(address, *self._at, stepper.p, self._still[None])

    @property
    def t(self) -> float:
        """The time reached."""
        return self._stepper.t

    @property
    def full(self) -> np.ndarray:
        """The full row (n + 1,), which the next step writes anew."""
        if self._fill is not None:
            self._at[0][0] = self.t
            self._fill(0.0)
        return self._row

    @property
    def field(self) -> Field:
        """The equations at the present inputs."""
        return self._field.with_values(dict(zip(self._inputs, self._values, strict=False)))

    @property
    def spent(self) -> Spent:
        """What it has cost since it is in these states."""
        return Spent().and_by(self._stepper)

    def put(self, row: Sequence[float]) -> None:
        """Other inputs from here on."""
        if self._felt and self._values:
            begun = self.field
            new = begun.with_values(dict(zip(self._inputs, row, strict=True)))
            self._stepper.y[-1] += work_of_jump(begun, new, self.t, self._stepper.y)
        self._values, p = list(row), self._stepper.p
        for place, value in zip(self._places, row, strict=True):
            if place >= 0:
                p[place] = value
        if len(self._still):
            self._prepare(0.0)
            p[-len(self._still) :] = self._still

    def at(self, row: Sequence[float], t: float, y: np.ndarray, h: float) -> None:
        """Be at a state y of the present form, with inputs, and with the size of the next step."""
        self.put(row)
        self._stepper.restart(t, y, h)

    def reach(self, end: float) -> None:
        """Go on to a time; where the speeds of the lean form come near a pole, as the equations are written.

        Raises:
            Singular: E4xx, it cannot go on, and is where it was.
        """
        t, y, h = self.t, self._stepper.y.copy(), self._stepper.h
        status = self._advance(end)
        if status == Status.END:
            return
        self._stepper.restart(t, y, h)
        if self._field.lean is None:
            code, words = REASONS[Status(status)]
            words = words if isinstance(words, str) else self._policy.method.stuck
            raise Singular(code, f"at t = {t:.10g}: {words}")
        written = self._field.as_written()
        values = dict(zip(self._field.kernel.parameters, self._stepper.p.tolist(), strict=False))
        self.go(written.with_values(values), t, self._field.full(np.array([t]), y[None])[0])
        self.reach(end)


def _request(field: Field, policy: Policy) -> Request:
    """What a plant asks of its stepper: no path between the ends of its steps."""
    lean = field.lean
    return Request(
        rtol=policy.rtol,
        atol=policy.tolerances(field.states, field.first[:-1]),
        max_step=policy.max_step,
        max_steps=policy.most_steps,
        dense=False,
        margin_limit=MARGIN_LIMIT if lean is None else FARTHER * turning(lean),
        margin_low=0.0 if lean is None else turning(lean),
    )
