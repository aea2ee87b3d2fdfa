"""One run: steps, events and limits, gathered into the raw material of a path."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from ...trajectory import Interpolant
from ..events import at_an_instant, singular
from ..events.compiled_guards import Happening, Watch
from ..events.guard import Guard
from ..events.roots import UndefinedFunction, zeros
from ..methods.dop853 import BLOWUP, END, FULL, MAX_STEPS, NONFINITE, RANK, STEP_TOO_SMALL
from ..policy import FIXED
from ..vector_field.field import Field
from ..vector_field.residual import residuals, row_units

LARGEST = 100_000_000  # stored numbers, 0.8 GB
RESTS = 1e-9  # of the guard's terms and of what the motion adds to them: as far a resting motion may be from a guard
SOON = 1e-4  # of the run's length: as far ahead it is looked whether a motion presses against what it rests against
ZENO = 1e-9  # of the run's length: the interval between jumps at which they are taken to pile up
GROWN = 1e4  # growth of the state that tells a blow-up from other singularities
CHATTER, CHATTER_TIME = 1000, 1e-6  # so many switches within this part of the run's length are too many
WATCHED = 0.01  # rank margin below which zeros of the pivots are searched

REASONS = {
    NONFINITE: ("E401", "a number stopped being finite"),
    RANK: ("E404", "the constraints or the kinetic energy lose rank: the motion is no longer determined"),
    STEP_TOO_SMALL: ("E407", 'the steps shrink to nothing: the motion is singular here, or stiff (method="radau")'),
    BLOWUP: ("E403", "the state grows beyond 1e150"),
    MAX_STEPS: ("E313", "the steps are used up: give a larger max_steps"),
}


_IMPOSE = "impose the contact from then on: da.impose(da.nonholonomic(system with {name} = 0), the last state)"
_PILE = f"at t = {{t:.10g}}: the jumps at {{name}} pile up (Zeno); {_IMPOSE}"
_LASTS = f"at t = {{t:.10g}}: the motion rests against {{name}}; {_IMPOSE}"
_SLIDING = "at t = {t:.10g}: the force jumps where {name} = 0 and holds the motion there: it needs a law of rest"


@dataclass
class Run:
    """What a run has gathered so far.

    Attributes:
        t, y, h, F: nodes and steps of the path, as in `Interpolant`, in pieces.
        marks: ``{event name: [(t, state), ...]}``.
        outcome: why it ended, in words.
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
    failure: tuple[str, str] | None = None
    jumps: list[tuple[float, float]] = field(default_factory=list)
    stored: int = 0
    last_jump: Happening | None = None
    resting: dict[int, Rest] = field(default_factory=dict)
    switches: list[float] = field(default_factory=list)

    def mark(self, guard: Guard, t: float, y: np.ndarray) -> None:
        """Note that an event happened."""
        self.marks[guard.event.name].append((t, y))

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
        F = np.concatenate([_filled(F, rows) for F in self.F]) if self.F else np.zeros((0, rows, n))
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
        guards: compiled events.
        until: where it ends.
        pivots: functions of times and states whose zeros are losses of rank.
        keep: called with each piece of path when dense output is not kept, else None.
        tick: told the time reached, for progress.
    """

    field: Field
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
        return self.field.equations.states

    @property
    def parameters(self) -> Mapping[str, float]:
        """Values by name."""
        return self.field.parameters


def _filled(F: np.ndarray, rows: int) -> np.ndarray:
    """Coefficients (N, rows, n): those of polynomials of lower degree with zeros behind."""
    return np.concatenate([F, np.zeros((len(F), rows - F.shape[1], F.shape[2]))], axis=1) if F.shape[1] < rows else F


def named(guards: Sequence[Guard]) -> dict[str, list[tuple[float, np.ndarray]]]:
    """An empty list of marks for each event."""
    return {g.event.name: [] for g in guards if not g.switch}


def carry_out(stepper: Any, scene: Scene) -> Run:
    """Integrate to the end, to an event that stops, or to a failure."""
    run = Run([np.array([stepper.t])], [stepper.y.copy()[None]], marks=named(scene.guards))
    _rest_at_start(run, stepper.t, stepper.y.copy(), scene)
    began = time.perf_counter()
    while not run.outcome and not run.failure:
        t, y = stepper.t, stepper.y.copy()
        chunk = stepper.advance(scene.until)
        piece = Interpolant(np.r_[t, chunk.t], np.vstack([y, chunk.y]), np.diff(np.r_[t, chunk.t]), chunk.F)
        near = chunk.margin < WATCHED and len(chunk.t) > 0
        if near and len(piece.F) < len(piece.h):
            piece = replace(piece, F=stepper.dense_output(piece.t[:-1], piece.y[:-1], piece.t[1:]))
        lost = _rank_lost(piece, scene) if near else None
        piece = piece if lost is None else _until(piece, lost, scene)
        cut = _happen(run, piece, scene) if len(chunk.t) else None
        if cut is not None:
            _act(run, stepper, piece, cut, scene)
        elif not run.failure:
            _gather(run, piece, scene)
            _judge(run, chunk.status, stepper, scene, lost)
        scene.tick(float(stepper.t))
        _limit(run, scene, time.perf_counter() - began, stepper)
    if run.failure:
        _explain(run, stepper, scene)
        run.outcome = f"{run.failure[0]} {run.failure[1]}"
    return run


def _explain(run: Run, stepper: Any, scene: Scene) -> None:
    """Where a number stopped being finite, name the term that did."""
    code = run.failure[0] if run.failure else ""
    if code == "E404":
        t, y = float(run.t[-1][-1]), run.y[-1][-1]
        words = singular.form_lost(scene.field, t, y)
        run.failure = ("E162", f"at t = {t:.10g}: {words}") if words else run.failure
    if code in ("E401", "E407"):
        span = scene.until - float(run.t[0][0])
        found = singular.cause(scene.field, stepper.t, stepper.y, span, far=code == "E401")
        run.failure = (found[0], f"at t = {stepper.t:.10g}: {found[1]}") if found else run.failure


def _gather(run: Run, piece: Interpolant, scene: Scene) -> None:
    if scene.keep is None:
        run.add(piece)
    else:
        scene.keep(piece)


def _happen(run: Run, piece: Interpolant, scene: Scene) -> Happening | None:
    """Mark what happens on the piece; return the first event that stops, jumps or switches."""
    try:
        watched, since = _watched(run, piece, scene)
        events = scene.watch.happenings(watched, piece)
        events = [h for h in events if h.t > since.get(id(h.guard), -math.inf)]
    except UndefinedFunction as error:
        run.failure = ("E311", f"the guard of an event is not a finite number at t = {error.time:.6g}")
        return None
    if run.failure:
        return None
    if run.last_jump and _passes(run.last_jump, events, piece, scene):
        run.failure = ("E133", _PILE.format(t=run.last_jump.t, name=run.last_jump.guard.event.name))
        return None
    run.last_jump = None
    acting = next((h for h in events if h.guard.switch or not h.guard.marks), None)
    last = piece.t[-1] if acting is None else acting.t + at_an_instant.ROUNDINGS * np.spacing(abs(acting.t))
    marks = [h for h in events if h.guard.marks and h.t <= last]
    t = np.array([h.t for h in marks])
    for h, y in zip(marks, scene.field.project_each(t, piece(t)), strict=True):
        run.mark(h.guard, h.t, y)
    stop = next((h for h in events if h.guard.event.stops and h.t <= last), None)
    return acting if stop is None else stop


def _watched(run: Run, piece: Interpolant, scene: Scene) -> tuple[list[Guard], dict[int, float]]:
    """The guards but those against which the motion rests, and since when those count that it has just left.

    E133 where it presses against one before it has left it.
    """
    left: dict[int, float] = {}
    for guard, since, size in list(run.resting.values()):
        inner = -guard.event.direction * guard.of(piece.t, piece.y, scene.names, scene.parameters)
        allowed = RESTS * (size + at_an_instant.size(scene.field, guard, piece.t[0], piece.y[0], piece.t - since))
        out = np.flatnonzero(np.abs(inner) > allowed)
        if not len(out):
            continue
        if inner[out[0]] < 0:
            run.failure = ("E133", _LASTS.format(t=piece.t[out[0]], name=guard.event.name))
        else:
            left[id(guard)] = float(piece.t[out[0]])
            del run.resting[id(guard)]
    return [guard for guard in scene.guards if id(guard) not in run.resting], left


def _passes(jump: Happening, events: Sequence[Happening], piece: Interpolant, scene: Scene) -> bool:
    """Does the motion go through the guard right after a jump that should have kept it on its side?"""
    if any(h.guard is jump.guard and h.t <= piece.t[1] for h in events):
        return False
    value = jump.guard.of(piece.t[1:2], piece.y[1:2], scene.names, scene.parameters)[0]
    return bool(value * jump.direction > 0)


def _rank_lost(piece: Interpolant, scene: Scene) -> float | None:
    """The first time on the piece at which a pivot of the equations is 0, touches included, or all rounding."""
    found: list[float] = []
    for pivot in scene.pivots:

        def value(t: np.ndarray, function: singular.Function = pivot.value) -> np.ndarray:
            return function(t, piece(t))

        try:
            lost = zeros(value, piece.t, noise=pivot.noise(piece.t, piece.y))
        except UndefinedFunction as error:
            found.append(error.time)
        else:
            found += [*lost.times.tolist(), *piece.t[:-1][lost.flat][:1].tolist()]
    return min(found, default=None)


def _until(piece: Interpolant, t: float, scene: Scene) -> Interpolant:
    """The piece up to a time."""
    last = max(int(np.searchsorted(piece.t, t, side="left")), 1)
    y = scene.field.project_one(t, piece(np.array([t]))[0])
    return Interpolant(np.r_[piece.t[:last], t], np.vstack([piece.y[:last], y]), piece.h[:last], piece.F[:last])


def _act(run: Run, stepper: Any, piece: Interpolant, h: Happening, scene: Scene) -> None:
    """Keep the path up to the event, then stop there, or go on from the state after the jump or behind the switch."""
    part = _until(piece, h.t, scene)
    _gather(run, part, scene)
    y = part.y[-1]
    if h.guard.switch:
        _switch(run, stepper, h, y, scene)
    elif h.guard.event.stops:
        run.mark(h.guard, h.t, y)
        run.outcome = f"stopped by {h.guard.event.name} at t = {h.t:.10g}"
    else:
        _jump(run, stepper, h, y, scene)
    if h.t >= scene.until and not run.outcome:
        run.outcome = f"reached t = {scene.until:g}"


def _switch(run: Run, stepper: Any, h: Happening, y: np.ndarray, scene: Scene) -> None:
    """Where a force jumps: step a hair beyond the surface and start afresh there."""
    if singular.slides(scene.field, h, y):
        run.failure = ("E408", _SLIDING.format(t=h.t, name=h.guard.event.name))
        return
    hair = min(at_an_instant.hair(scene.field, h.guard, h.t, y), scene.until - h.t)
    # with the rate that holds beyond: on the surface itself the force may be either
    ahead = y + hair * scene.field.rate(h.t, y)
    beyond = y + hair * scene.field.rate(h.t + hair, ahead)
    F = np.zeros((1, 1, len(y)))
    F[0, 0] = beyond - y
    _gather(run, Interpolant(np.array([h.t, h.t + hair]), np.vstack([y, beyond]), np.array([hair or 1.0]), F), scene)
    stepper.restart(h.t + hair, beyond)
    run.switches.append(h.t)
    recent = run.switches[-CHATTER:]
    if len(recent) == CHATTER and recent[-1] - recent[0] < CHATTER_TIME * (scene.until - float(run.t[0][0])):
        run.failure = ("E408", f"at t = {h.t:.10g}: the force switches {CHATTER} times in {recent[-1] - recent[0]:.1e}")


def _jump(run: Run, stepper: Any, first: Happening, y: np.ndarray, scene: Scene) -> None:
    """The jump, and those of other guards that the new state crosses at the same instant."""
    field, t = scene.field, first.t
    # a guard that the motion was leaving, as the far side of a wall, is not met at this instant
    armed = {id(g) for g in scene.guards if not g.switch and not at_an_instant.leaves(field, g, t, y)}
    guard: Guard | None = first.guard
    met = [g for g in scene.guards if g.event.jumps and not g.switch and at_an_instant.meets(field, g, t, y)]
    before = y
    acted = {id(g): g for g in (first.guard, *met)}
    for _ in range(CHATTER):
        if guard is None:
            break
        run.mark(guard, t, y)
        if guard.event.stops:
            run.outcome = f"stopped by {guard.event.name} at t = {t:.10g}"
            return
        y = _jumped(run, guard, t, y, scene)
        if run.failure:
            return
        armed.discard(id(guard))
        acted[id(guard)] = guard
        crossing = [g for g in scene.guards if not g.switch and not g.marks and at_an_instant.crosses(field, g, t, y)]
        armed |= {id(g) for g in scene.guards if g not in crossing and g.event.direction}
        run.last_jump = first._replace(guard=guard, direction=_sense(field, guard, first))
        guard = next((g for g in crossing if id(g) in armed), None)
    else:
        run.failure = ("E408", f"at t = {t:.10g}: {CHATTER} jumps at one instant")
        return
    for g in met:  # what acted within another's jump, as two walls in a corner do
        last = run.marks[g.event.name][-1][0] if run.marks[g.event.name] else -math.inf
        if last < t and at_an_instant.speed(field, g, t, y) * g.event.direction <= 0:
            run.mark(g, t, before)
    if run.last_jump and at_an_instant.speed(field, run.last_jump.guard, t, y) * run.last_jump.direction > 0:
        run.last_jump = None  # the jump sends the motion on through the guard: a kick, not a wall
    stepper.restart(t, y)
    _rest(run, t, before, y, [*acted.values()], scene)
    _check_accumulation(run, scene, first.guard.event.name)


def _rest(run: Run, t: float, before: np.ndarray, y: np.ndarray, acted: Sequence[Guard], scene: Scene) -> None:
    """Guards that a jump has left without speed: the motion rests against them, or presses, or leaves slowly."""
    field, began = scene.field, float(run.t[0][0])
    for guard in acted:
        if not guard.event.direction or not at_an_instant.is_still(field, guard, t, before, y):
            continue
        size = float(at_an_instant.size(field, guard, t, before, np.array([t - began]))[0])
        if at_an_instant.presses(field, guard, t, y, SOON * (scene.until - began), size):
            run.failure = ("E133", _LASTS.format(t=t, name=guard.event.name))
            return
        run.resting[id(guard)] = Rest(guard, t, size)
        run.last_jump = None


def _rest_at_start(run: Run, t: float, y: np.ndarray, scene: Scene) -> None:
    """Guards on which the motion begins without speed; one against which it presses was refused (E310)."""
    for guard in scene.guards:
        on = guard.event.jumps and guard.event.direction and at_an_instant.is_on(scene.field, guard, t, y)
        if on and at_an_instant.is_still(scene.field, guard, t, y, y):
            ahead = np.array([SOON * (scene.until - t)])
            run.resting[id(guard)] = Rest(guard, t, float(at_an_instant.size(scene.field, guard, t, y, ahead)[0]))


def _sense(field: Field, guard: Guard, first: Happening) -> int:
    """The direction in which the motion met the guard."""
    return guard.event.direction or (first.direction if guard is first.guard else 0)


def _jumped(run: Run, guard: Guard, t: float, y: np.ndarray, scene: Scene) -> np.ndarray:
    """The state after one jump; it must satisfy the constraints."""
    new = guard.after(t, y, scene.names, scene.parameters)
    before, after = scene.field.energy(np.full(2, t), np.vstack([y, new]))
    work = float(after - before)
    new[-1] += work
    absolute, relative = residuals(scene.field, np.array([t]), new[None])
    units = row_units(scene.field, t, y)
    off = max((min(a / unit, r) for a, r, unit in zip(absolute, relative, units, strict=True)), default=0.0)
    if not np.isfinite(new).all() or not off <= 1e-9:
        run.failure = ("E130", f"at t = {t:.10g}: the jump at {guard.event.name} {_fault(new, off, scene)}")
        return y
    run.jumps.append((t, work))
    nothing = np.zeros((1, 1, len(y)))
    _gather(run, Interpolant(np.array([t, t]), np.vstack([y, new]), np.zeros(1), nothing), scene)
    return new


def _fault(new: np.ndarray, off: float, scene: Scene) -> str:
    lost = [name for name, value in zip(scene.names, new, strict=False) if not np.isfinite(value)]
    if lost:
        return f"gives no number for {', '.join(lost)}: is each restitution in [0, 1]?"
    return f"leaves the constraints (residual {off:.2g})"


def _check_accumulation(run: Run, scene: Scene, name: str) -> None:
    """Jumps whose intervals shrink to nothing have an end in finite time, beyond which the motion is not defined."""
    t = np.unique([t for t, _ in run.jumps[-12:]])[-4:]
    intervals = np.diff(t)
    if len(t) == 4 and np.all(np.diff(intervals) < 0) and intervals[-1] < ZENO * (scene.until - run.t[0][0]):
        run.failure = ("E133", _PILE.format(t=t[-1], name=name))


def _judge(run: Run, status: int, stepper: Any, scene: Scene, lost: float | None) -> None:
    if lost is not None:
        run.failure = ("E404", f"at t = {lost:.10g}: {REASONS[RANK][1]}")
    elif status == END:
        run.outcome = f"reached t = {scene.until:g}"
    elif status != FULL:
        code, words = REASONS[status]
        if status == STEP_TOO_SMALL and scene.field.policy.method in FIXED:
            words = "the equations of a step have no solution nearby: take a smaller step"
        if status == STEP_TOO_SMALL and singular.growth(scene.field, stepper.y) > GROWN:
            code, words = "E403", "the motion grows without bound in finite time"
        run.failure = (code, f"at t = {stepper.t:.10g}: {words}")


def _limit(run: Run, scene: Scene, seconds: float, stepper: Any) -> None:
    if run.outcome or run.failure:
        return
    step = float(run.h[-1][-1]) if run.h and len(run.h[-1]) else math.nan
    words = f"is used up at t = {stepper.t:.6g}, the last step was {step:.1e}"
    if seconds > scene.field.policy.seconds:
        run.failure = ("E313", f"the wall time of {scene.field.policy.seconds:g} s {words}: give seconds=...")
    elif run.stored > LARGEST:
        run.failure = ("E304", f"the room for {LARGEST:.0e} numbers {words}: give samples=... and dense=False")
    elif scene.field.policy.halt is not None and scene.field.policy.halt():
        run.failure = ("E320", f"interrupted at t = {stepper.t:.10g}: it can go on from its last state")
