"""One run: steps, events and limits, gathered into the raw material of a path."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..trajectory import Interpolant
from .dop853 import BLOWUP, END, FULL, MAX_STEPS, NONFINITE, RANK, STEP_TOO_SMALL
from .roots import UndefinedFunction
from .search import Guard, Happening, happenings

LARGEST = 100_000_000  # stored numbers, 0.8 GB
CHATTER = 1000  # events within CHATTER_TIME of the run's length
CHATTER_TIME = 1e-6

REASONS = {
    NONFINITE: ("E401", "a number stopped being finite"),
    RANK: ("E404", "the constraints or the kinetic energy lose rank: the motion is no longer determined"),
    STEP_TOO_SMALL: ("E407", 'the steps shrink to nothing: the motion is singular here, or stiff (method="radau")'),
    BLOWUP: ("E403", "the state grows beyond 1e150"),
    MAX_STEPS: ("E313", "the steps are used up: give a larger max_steps"),
}


@dataclass
class Run:
    """What a run has gathered so far.

    Attributes:
        t, y, h, F: nodes and steps of the path, as in `Interpolant`, in pieces.
        marks: ``{event name: [(t, state), ...]}``.
        outcome: why it ended, in words.
        failure: ``(code, words)`` if it did not end where it should.
        jumps: how often the state jumped, and by how much the energy changed then.
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
        F = np.concatenate(self.F) if self.F else np.zeros((0, 7, n))
        h = np.concatenate(self.h) if self.h else np.zeros(0)
        return Interpolant(np.concatenate(self.t), np.concatenate(self.y), h, F)


@dataclass(frozen=True)
class Scene:
    """What stays the same during a run.

    Attributes:
        names: states, without the work.
        parameters: values by name.
        guards: compiled events.
        until: where it ends.
        seconds: wall time allowed.
        project: y -> y on the constraints, at one time.
        energy: energy of a state at a time.
        residual: largest residual of the constraints over its scale, at one time and state.
        keep: called with each piece of path when dense output is not kept, else None.
    """

    names: tuple[str, ...]
    parameters: Mapping[str, float]
    guards: Sequence[Guard]
    until: float
    seconds: float
    project: Callable[[float, np.ndarray], np.ndarray]
    energy: Callable[[float, np.ndarray], float]
    residual: Callable[[float, np.ndarray], float]
    keep: Callable[[Interpolant], None] | None = None
    tick: Callable[[float], None] = lambda t: None


def carry_out(stepper: Any, scene: Scene) -> Run:
    """Integrate to the end, to an event that stops, or to a failure."""
    run = Run([np.array([stepper.t])], [stepper.y.copy()[None]], marks={g.event.name: [] for g in scene.guards})
    began = time.perf_counter()
    while not run.outcome:
        t, y = stepper.t, stepper.y.copy()
        chunk = stepper.advance(scene.until)
        piece = Interpolant(np.r_[t, chunk.t], np.vstack([y, chunk.y]), np.diff(np.r_[t, chunk.t]), chunk.F)
        cut = _happen(run, piece, scene) if len(chunk.t) else None
        if run.failure:
            break
        if cut is not None:
            _cut_short(run, stepper, piece, cut, scene)
        else:
            _gather(run, piece, scene)
            _judge(run, chunk.status, stepper, scene)
        scene.tick(float(stepper.t))
        _limit(run, scene, time.perf_counter() - began, float(stepper.t))
    if run.failure:
        run.outcome = f"{run.failure[0]} {run.failure[1]}"
    return run


def _gather(run: Run, piece: Interpolant, scene: Scene) -> None:
    if scene.keep is None:
        run.add(piece)
    else:
        scene.keep(piece)


def _happen(run: Run, piece: Interpolant, scene: Scene) -> Happening | None:
    """Mark what happens on the piece; return the first event that stops or jumps."""
    try:
        events = happenings(scene.guards, piece, scene.names, scene.parameters)
    except UndefinedFunction as error:
        run.failure = ("E311", f"the guard of an event is not a finite number at t = {error.time:.6g}")
        return None
    for h in events:
        run.marks[h.guard.event.name].append((h.t, scene.project(h.t, piece(np.array([h.t]))[0])))
        if h.guard.event.stops or h.guard.event.jumps:
            return h
    return None


def _cut_short(run: Run, stepper: Any, piece: Interpolant, h: Happening, scene: Scene) -> None:
    """Keep the path up to the event, then stop there or go on from the state after the jump."""
    y = scene.project(h.t, piece(np.array([h.t]))[0])
    last = max(int(np.searchsorted(piece.t, h.t, side="left")), 1)
    t_nodes, y_nodes = np.r_[piece.t[:last], h.t], np.vstack([piece.y[:last], y])
    _gather(run, Interpolant(t_nodes, y_nodes, piece.h[:last], piece.F[:last]), scene)
    name = h.guard.event.name
    if h.guard.event.stops:
        run.outcome = f"stopped by {name} at t = {h.t:.10g}"
        return
    new = h.guard.after(h.t, y, scene.names, scene.parameters)
    work = scene.energy(h.t, new) - scene.energy(h.t, y)
    new[-1] += work
    off = scene.residual(h.t, new)
    if not np.isfinite(new).all() or not off <= 1e-9:
        run.failure = ("E130", f"the jump at {name}, t = {h.t:.6g}, leaves the constraints (residual {off:.2g})")
        return
    run.jumps.append((h.t, work))
    nothing = np.zeros((1, *piece.F.shape[1:]))
    _gather(run, Interpolant(np.array([h.t, h.t]), np.vstack([y, new]), np.zeros(1), nothing), scene)
    stepper.restart(h.t, new)
    if h.t >= scene.until:
        run.outcome = f"reached t = {scene.until:g}"
    recent = [t for t, _ in run.jumps[-CHATTER:]]
    if len(recent) == CHATTER and recent[-1] - recent[0] < CHATTER_TIME * max(abs(scene.until), 1e-300):
        run.failure = ("E408", f"{CHATTER} jumps within {recent[-1] - recent[0]:.2g} at t = {h.t:.6g}: chatter, or a Zeno point")


def _judge(run: Run, status: int, stepper: Any, scene: Scene) -> None:
    if status == END:
        run.outcome = f"reached t = {scene.until:g}"
    elif status != FULL:
        code, words = REASONS[status]
        run.failure = (code, f"at t = {stepper.t:.10g}: {words}")


def _limit(run: Run, scene: Scene, seconds: float, t: float) -> None:
    if run.outcome or run.failure:
        pass
    elif seconds > scene.seconds:
        run.failure = ("E313", f"the wall time of {scene.seconds:g} s is used up at t = {t:.6g}: give seconds=...")
    elif run.stored > LARGEST:
        run.failure = ("E304", f"the path holds {run.stored:.2g} numbers at t = {t:.6g}: give samples=... and dense=False")
    if run.failure:
        run.outcome = "failed"
