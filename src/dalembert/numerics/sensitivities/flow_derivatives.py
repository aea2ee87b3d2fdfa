"""Derivatives of a motion by its variational equations: of smooth motions, and through all that happens on the way."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from ...errors import DalembertError, Note
from ...trajectory import Interpolant
from ..events.narrow_features import Narrow, places_of
from ..methods.method import LEAN_LIMIT, MARGIN_LIMIT, Request
from ..methods.stepper import Chunk, Status, Stepper
from ..policy import Policy
from ..run.accuracy import DisturbanceGrowth, Nodes
from ..run.integrate import REASONS
from ..vector_field.field import Field
from ..vector_field.variational_equations import VariationalEquations
from .smooth_segments import Stretch, StretchedMotion


@dataclass(frozen=True, eq=False)
class TangentFlow:
    """The motion of a field with its derivatives in some directions, from rows at any time on.

    Attributes:
        equations: compiled; a row is a state and its derivatives, one in each lane.
        field: whose motion, in speeds or as written.
        policy: method, tolerances and limits.
    """

    equations: VariationalEquations
    field: Field
    policy: Policy

    @classmethod
    def of(cls, field: Field, policy: Policy, count: int, by: Mapping[str, int]) -> TangentFlow:
        """The flow with so many directions (lanes from 1 on); `by` is the lane of each direction that is a parameter.

        A direction of the states alone has no name there: its name begins with a quote, as that of no parameter can.
        """
        return cls(VariationalEquations.of(field, count, by, policy.method.beside_tangents), field, policy)

    def rows(self, S: np.ndarray) -> np.ndarray:
        """What is integrated from the field's start with derivatives S (n, count), as rows (n + 1, width)."""
        return self.equations.within(self.field, self.field.start.t, self.equations.start(self.field, S))

    def split(self, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """States (..., n) and derivatives (..., n, count) of rows (..., n + 1, width)."""
        return rows[..., :-1, 0], rows[..., :-1, 1 : 1 + self.equations.count]

    def seen(self, t: np.ndarray, rows: np.ndarray, p: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """States and derivatives as the equations have them, at times (N,), of rows between steps made with p."""
        return self.split(self.equations.full(self.field, t, self.equations.projected(t, rows, p)))

    def stepper(self, t: float, rows: np.ndarray, atol: np.ndarray) -> Stepper:
        """An integration from rows at a time, under one error control with absolute tolerances of the states (n,)."""
        every = np.full((len(self.equations.plan.states) + 1, self.equations.width), math.inf)
        every[:-1, : 1 + self.equations.count] = atol[:, None]
        request = Request(
            rtol=self.policy.rtol,
            atol=every.ravel(),
            max_step=self.policy.max_step,
            max_steps=self.policy.most_steps,
            dense=False,
            margin_limit=MARGIN_LIMIT if self.field.lean is None else LEAN_LIMIT,
        )
        return self.policy.method.tangent_stepper(self.field, self.equations, t, rows, request)

    def carry(self, t: float, rows: np.ndarray, stops: Sequence[float] | np.ndarray) -> np.ndarray | None:
        """Rows at the stops (len(stops), n + 1, width), which rise from t on; None where the motion ends before.

        Every stop is the end of a step, so that nothing is interpolated.
        """
        stepper, found = self._usual(t, rows), np.empty((len(stops), *rows.shape))
        for i, stop in enumerate(stops):
            status = Status.FULL if stop > stepper.t else Status.END
            while status == Status.FULL:
                status = stepper.advance(stop).status
            if status != Status.END:
                return None
            found[i] = stepper.y.reshape(rows.shape)
        return found if np.isfinite(found).all() else None

    def steps(self, t: float, rows: np.ndarray, stop: float) -> int:
        """How many steps the motion from the given rows takes by itself."""
        stepper, status = self._usual(t, rows), Status.FULL
        while status == Status.FULL:
            status = stepper.advance(stop).status
        return stepper.steps

    def _usual(self, t: float, rows: np.ndarray) -> Stepper:
        """A stepper with the tolerances of the field's start."""
        return self.stepper(t, rows, self.policy.tolerances(self.field.states, self.field.first[:-1]))


# --- A smooth motion with some of its derivatives, from its start to an end ------------------------------------------


class MotionWithDerivatives(NamedTuple):
    """A motion and its derivatives at times.

    Attributes:
        t: (N,).
        states: (N, n).
        values: their derivatives (N, n, d).
        steps: how many it took.
        notes: what is doubted.
    """

    t: np.ndarray
    states: np.ndarray
    values: np.ndarray
    steps: int
    notes: tuple[Note, ...] = ()


class VariationalRun:
    """One run of the motion with some of its derivatives."""

    def __init__(self, field: Field, policy: Policy, by: Sequence[str], look_for_doubts: bool) -> None:
        self.field, self.policy, self.by, self.look_for_doubts = field, policy, tuple(by), look_for_doubts
        parameters = field.start.parameters
        lanes = {name: 1 + i for i, name in enumerate(self.by) if name in parameters}
        self.flow = TangentFlow.of(field, policy, len(self.by), lanes)

    def carry_out(self, S: np.ndarray, end: float, times: np.ndarray | None) -> MotionWithDerivatives:
        """From the start, with derivatives there (n, d), to the end.

        It goes on as the equations are written where a chart of the lean form ends before.
        """
        field, rows = self.field, self.flow.rows(S)
        atol = self.policy.tolerances(field.states, rows[:-1, 0])
        stepper = self.flow.stepper(field.start.t, rows, atol)
        t, states, paths = [np.array([stepper.t])], [stepper.y[None].copy()], list[np.ndarray]()
        status, aim = Status.FULL if end > stepper.t else Status.END, math.inf
        narrow = Narrow(field, places_of(field.equations), self.policy.rtol, atol)
        while status == Status.FULL:
            if self.policy.halt is not None and self.policy.halt():
                raise DalembertError("E320", f"interrupted at t = {stepper.t:.10g}", "end before")
            aim = aim if aim > stepper.t else math.inf
            chunk, next_aim = self._next_chunk(stepper, narrow, min(aim, end))
            if next_aim is not None:
                aim = next_aim
            elif chunk.status != Status.END or aim >= end:
                status = chunk.status
            t.append(chunk.t)
            states.append(chunk.y)
            paths.append(chunk.F)
        if status != Status.END and field.lean is not None:
            whole = VariationalRun(field.as_written(), self.policy, self.by, self.look_for_doubts)
            return whole.carry_out(S, end, times)
        if status != Status.END:
            code, words = REASONS[status]
            words = self.policy.method.stuck if status == Status.STEP_TOO_SMALL else words
            raise DalembertError(code, f"at t = {stepper.t:.10g}: {words}", "end before")
        nodes, flat = np.concatenate(t), np.concatenate(states)
        wanted = nodes if times is None else times
        there = stepper.inside(wanted, nodes, flat, np.concatenate(paths) if paths else None)
        y, values = self.flow.seen(wanted, there.reshape(len(wanted), *rows.shape), stepper.p)
        notes = self._doubts(Nodes(nodes, self._alone(flat))) if self.look_for_doubts else ()
        return MotionWithDerivatives(wanted, y.copy(), values.copy(), stepper.steps, notes)

    def _next_chunk(self, stepper: Stepper, narrow: Narrow, aim: float) -> tuple[Chunk, float | None]:
        """Steps towards an aim; and where the next ones are to end, if a narrow feature of the force was missed.

        Steps that are long where the force is even step over a hill that is narrower than they are. The chunk is then
        cut before the step that did, and made again from there, with an end at the feature itself.
        """
        start, first = stepper.t, stepper.y.copy()
        chunk = stepper.advance(aim)
        if not narrow.places or not len(chunk.t):
            return chunk, None
        nodes, flat = np.concatenate([[start], chunk.t]), np.concatenate([first[None], chunk.y])
        missed = narrow.missed(self._motion(stepper, nodes, flat, chunk.F))
        if missed is None:
            return chunk, None
        stepper.restart(float(nodes[missed.step]), flat[missed.step])
        kept = slice(missed.step)
        return replace(chunk, t=chunk.t[kept], y=chunk.y[kept], F=chunk.F[kept]), missed.until

    def _doubts(self, motion: Nodes) -> tuple[Note, ...]:
        """W408 where a difference of rtol has grown to the size of the motion, up to which its error was carried."""
        growth = DisturbanceGrowth.of(self.field, self.policy, float(motion.t[-1]))
        if growth is None or len(motion.t) < 2:
            return ()
        said = growth.finish([(self.field, motion)])
        return tuple(Note(n.code, f"{n.text}; the derivatives are those of another motion") for n in said)

    def _motion(self, stepper: Stepper, t: np.ndarray, rows: np.ndarray, F: np.ndarray) -> Interpolant:
        """The motion alone, without its derivatives, on steps that were made, with dense output or without."""
        F = F if len(F) else stepper.dense_output(t[:-1], rows[:-1], t[1:])
        return Interpolant(t, self._alone(rows), np.diff(t), self._alone(F))

    def _alone(self, rows: np.ndarray) -> np.ndarray:
        """What rows (..., n width) hold of the motion, (..., n)."""
        return np.ascontiguousarray(rows.reshape(*rows.shape[:-1], -1, self.flow.equations.width)[..., 0])


# --- Derivatives carried along a motion, stretch by stretch, and through what happens between them -------------------

MOST = 31  # directions in one run; more are taken in several


def directions(
    motion: StretchedMotion, policy: Policy, S: np.ndarray, times: np.ndarray, parameter: str | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """States (N, n) and derivatives (N, n, d) at times, along directions (n, d) that bear no names.

    The last of them is that in which a parameter moves, if one is named. A name that begins with a quote is that of no
    parameter: such are the names of the others.
    """
    by = [f"'{i}" for i in range(S.shape[1])]
    if parameter is not None:
        by[-1] = parameter
    parts = [slice(i, i + MOST) for i in range(0, len(by), MOST)] or [slice(0)]
    found = [through(motion, policy, by[part], S[:, part], times, False) for part in parts]
    return found[0].states, np.concatenate([seen.values for seen in found], axis=2)


def through(
    motion: StretchedMotion,
    policy: Policy,
    by: Sequence[str],
    S: np.ndarray,
    times: np.ndarray | None,
    look_for_doubts: bool,
) -> MotionWithDerivatives:
    """The motion and its derivatives at times, or at the ends of the steps.

    At an instant at which the state or its derivatives jump they are those behind it.

    Args:
        motion: in stretches.
        policy: how it is integrated.
        by: names of the derivatives; those of parameters are by these.
        S: derivatives of the start (n, d).
        times: (N,), from the start of the motion to its end.
        look_for_doubts: is it asked whether an error has grown to the size of the motion (W408)?
    """
    S = motion.first(by, S)
    found: list[MotionWithDerivatives] = []
    alone = len(motion.stretches) == 1
    for stretch, later in zip(motion.stretches, [*motion.stretches[1:], None], strict=True):
        first = stretch.field.start.t
        end = stretch.end if later is None else later.field.start.t
        inside = None if times is None else times[((times >= first) | (not found)) & ((times < end) | (later is None))]
        seen, S = _along(stretch, policy, by, S, inside, look_for_doubts and alone)
        if later is not None and times is None:  # its last time is the first of what follows
            seen = seen._replace(t=seen.t[:-1], states=seen.states[:-1], values=seen.values[:-1])
        found.append(seen)
        S = stretch.leap(by).of(S) if stretch.leap is not None else S
    notes = motion.notes if look_for_doubts and not alone else found[0].notes
    t, states, values = (np.concatenate([seen[i] for seen in found]) for i in range(3))
    return MotionWithDerivatives(t, states, values, sum(seen.steps for seen in found), notes)


def _along(
    stretch: Stretch, policy: Policy, by: Sequence[str], S: np.ndarray, times: np.ndarray | None, look_for_doubts: bool
) -> tuple[MotionWithDerivatives, np.ndarray]:
    """A stretch at times (N,), and the derivatives at its end (n, d)."""
    first, end, gap = stretch.field.start.t, stretch.end, stretch.gap_before_end
    last_times = [end - 2 * gap, end - gap] if gap else [end]
    inner = None if times is None else np.minimum(np.maximum(times, first), last_times[-1])
    wanted = None if inner is None else np.concatenate([inner, np.maximum(last_times, first)])
    run = VariationalRun(stretch.field, policy, by, look_for_doubts)
    seen = run.carry_out(S, last_times[-1], wanted)
    last = seen
    if times is not None:
        count = len(times)
        seen = seen._replace(t=times, states=seen.states[:count], values=seen.values[:count])
    elif gap:
        # the ends of steps are what is asked for, and `end - 2 gap` is none: a second run gives it
        last = run.carry_out(S, last_times[-1], np.array(last_times))
    return seen, _extrapolated_to_end(last, gap)


def _extrapolated_to_end(last: MotionWithDerivatives, gap: float) -> np.ndarray:
    """Derivatives (n, d) at the end of a stretch, from the last times that are known: the end, or two before it.

    Where a stretch ends on a surface at which the force jumps, or with a slip whose direction is lost, equations that
    are asked there answer with either side. So they are integrated only to a gap before it; across the gap, which is
    too short for them to bend, the derivatives go on along a line: S(end) = 2 S(end - gap) - S(end - 2 gap).
    """
    return 2 * last.values[-1] - last.values[-2] if gap else last.values[-1]
