"""The stepper of the Taylor method: its order [jorba2005], and the arrays of a run."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ...machine.batch_calls import value_at
from ...machine.loop.argument_layout import ArgumentFrame
from ...machine.loop.compiled_loop import loop
from ...machine.loop.function_address import call
from ..stepper import (
    BLOWUP,
    END,
    EVALUATIONS,
    FAILED,
    FULL,
    LARGEST_STATE,
    MARGIN,
    MAX_STEPS,
    NONFINITE,
    RANK,
    REJECTED,
    STEP_TOO_SMALL,
    STEPS,
    Buffers,
    Chunk,
    Clocked,
    H,
    T,
    next_time,
    sunk,
    vanishes,
)
from .compiled_series import PROBES, SUMS
from .recurrence import HIGHEST
from .series_ir import HEAD, LANES, padded


def order_for(rtol: float) -> int:
    """The order of the series for a tolerance."""
    # -log(rtol)/2 + 1 where work grows as the square of the order [jorba2005]; here it grows more slowly
    return max(LAST + 2, min(HIGHEST, math.ceil(-0.71 * math.log(rtol) + 1)))


class TaylorStepper(Clocked):
    """One integration under way.

    Args:
        code: addresses of ``series``, ``sums`` and ``path``.
        length: of what the series writes to.
        rhs: address of the right-hand side, which writes n derivatives and a margin.
        t, y, p: start and parameters.
        rtol, atol: tolerances; components with atol = inf are carried along.
        order: of the series; by default that which suits rtol.
        project, shift: addresses of the projection, and of what it adds to a state in two parts; 0 for none.
        margin_limit, margin_low, max_step, max_steps, first_step, chunk, dense, tail: as for
            `explicit_runge_kutta.stepper.Stepper`.
        growth: how much longer a step may be than the last.
    """

    def __init__(
        self,
        code: tuple[int, int, int],
        length: int,
        rhs: int,
        t: float,
        y: np.ndarray,
        p: np.ndarray,
        *,
        rtol: float,
        atol: float | np.ndarray,
        order: int = 0,
        project: int = 0,
        shift: int = 0,
        margin_limit: float = 0.0,
        margin_low: float = 0.0,
        max_step: float = math.inf,
        max_steps: int = 10_000_000,
        first_step: float = 0.0,
        chunk: int = 256,
        dense: bool = True,
        growth: float = math.inf,
        tail: int = 1,
    ) -> None:
        n, self._tail = len(y), tail
        self._both = np.r_[np.array(y, dtype=float), np.zeros(n)]
        self.y = self._both[:n].copy()
        self.order = order or order_for(rtol)
        self._code, self._dense = TaylorCode(*code, int(rhs), int(shift), int(project)), dense
        self.p = np.array(p, dtype=float)
        self.atol = np.array(np.broadcast_to(atol, n), dtype=float)
        limits = float(margin_limit), float(margin_low), float(max_step), int(max_steps)
        rules = TaylorLimits(self.order, float(rtol), *limits, float(growth))
        self._clock = np.array([t, abs(first_step), math.inf, math.inf])
        self._counters = np.zeros(3, dtype=np.int64)
        self._chunk, self._length = int(chunk), length
        state = TaylorState(self._clock, self._both, self.y, self._counters)
        self._frames = ArgumentFrame(rules), ArgumentFrame(state), ArgumentFrame(self._new_room())

    def _new_room(self) -> TaylorRoom:
        n, stride = len(self.y), padded(len(self.y))
        out, q = _aligned(self._length), _aligned((self.order + SUMS) * stride).reshape(-1, stride)
        c = out[HEAD : HEAD + (HIGHEST + 1) * stride].reshape(-1, stride)
        point, slope = np.zeros(stride + LANES), np.zeros(stride + LANES + self._tail)
        return TaylorRoom(out, c, q, q[self.order :], np.zeros(2 * n), point, slope, np.zeros(3), np.zeros(n))

    def advance(self, t_end: float) -> Chunk:
        """Go on towards t_end; while the chunk's status is FULL, there is more to come."""
        if self.h == 0.0 and t_end != self.t:
            with np.errstate(all="ignore"):
                self._clock[H] = self._first_guess(abs(float(t_end) - self.t))
        self._clock[MARGIN] = self._clock[BETWEEN] = math.inf
        n, c = len(self.y), self._chunk
        buffers = Buffers(np.empty(c), np.empty((c, n)), np.empty((c if self._dense else 0, self.order, padded(n))))
        code, (rules, state, room) = self._code if self._dense else self._code._replace(path=0), self._frames
        status, count = advance(code, rules, float(t_end), self.p, self.atol, state, buffers, room)
        t, y, F = (b[:count] if count == c else b[:count].copy() for b in buffers)
        return self.chunk(status, t, y, np.ascontiguousarray(F[:, :, :n]), float(self._clock[BETWEEN]))

    def dense_output(self, t: np.ndarray, y: np.ndarray, ends: np.ndarray) -> np.ndarray:
        """Coefficients (c, order, n) of steps made without dense output: from t (c,), y (c, n) to their ends."""
        F = np.empty((len(t), self.order, padded(len(self.y))))
        steps = Buffers(np.array(t, float), np.array(y, float), F)
        repeat(self._code, self.order, self.p, np.array(ends, float), steps, self._new_room())
        return np.ascontiguousarray(F[:, :, : len(self.y)])

    def restart(self, t: float, y: np.ndarray, h: float = 0.0) -> None:
        """Go on from another time and state, as after a jump; h = 0 lets the method choose the next step size."""
        self._clock[T], self._clock[H] = t, abs(h)
        self.y[:] = self._both[: len(self.y)] = y
        self._both[len(self.y) :] = 0.0

    def _first_guess(self, span: float) -> float:
        """A length at which the motion changes by about a hundredth: a scale for the first series."""
        slope = value_at(self._code.rhs, self.t, self.y, self.p, len(self.y) + self._tail)[: len(self.y)]
        self._counters[EVALUATIONS] += 1
        watched = np.isfinite(self.atol)
        y, f = np.abs(self.y[watched]).max(initial=0.0), np.abs(slope[watched]).max(initial=0.0)
        guess = 0.01 * y / f if y > 0 and 0 < f < math.inf else 1e-3
        return float(min(max(guess, 1e-12 * span), span))


def _aligned(length: int) -> np.ndarray:
    """Zeros that begin on the border of a cache line, where vectors lie well."""
    room = np.zeros(length + 8)
    first = (-room.ctypes.data // 8) % 8
    return room[first : first + length]


# --- The control loop of the Taylor method: step size [jorba2005], the sum of the series, and the run ----------------
# The scale s of the series is a power of two near the step, so that the coefficients neither overflow nor underflow: in
# x = (t - t_old)/s the radius of convergence is of order 1.

BETWEEN = MARGIN + 1  # of `State.clock`
LAST = 6  # so many of the last coefficients decide on the step: series may have gaps
LONGEST = 1e6  # times the scale, where the series ends by itself
SMALLER = 2.0**-40  # change of scale where coefficients overflow


class TaylorCode(NamedTuple):
    """Addresses of ``series`` (see `emission`), ``sums`` and ``path`` (see `path`) and of three functions of a state.

    `rhs` writes the derivative and the margin, `shift` the n changes of y + low by projection, `project` the projection
    of a rounded state, which the path gets. 0 for `shift` and `project` where there is nothing to keep, and for `path`
    where no dense output is wanted.
    """

    series: int
    sums: int
    path: int
    rhs: int
    shift: int
    project: int


class TaylorLimits(NamedTuple):
    """The order of the series, limits as for explicit pairs, and how much longer than the last a step may be."""

    order: int
    rtol: float
    margin_limit: float
    margin_low: float
    max_step: float
    max_steps: int
    growth: float


class TaylorState(NamedTuple):
    """What a run updates.

    Attributes:
        clock: ``[t, planned h, least margin, what it may have been between the places looked at]``; h > 0.
        both: the state and behind it what rounding has left over of it (2 n,).
        given: the state as the path has it (n,).
        counters: as for `explicit_runge_kutta.advance`.
    """

    clock: np.ndarray
    both: np.ndarray
    given: np.ndarray
    counters: np.ndarray


class TaylorRoom(NamedTuple):
    """Work space.

    Attributes:
        out: what the series writes to; finite.
        c: the coefficients there (rows, padded n).
        q: what the step is made of (order + 3, padded n).
        sums: the last three rows of q.
        new: like `both`.
        point, slope: (padded n + 4,), with room for what the right-hand side writes behind the derivative.
        moment: (3,).
        weight: (n,).
    """

    out: np.ndarray
    c: np.ndarray
    q: np.ndarray
    sums: np.ndarray
    new: np.ndarray
    point: np.ndarray
    slope: np.ndarray
    moment: np.ndarray
    weight: np.ndarray


def _power_of_two(size: float) -> float:
    """The largest power of two that is not above `size`."""
    return math.ldexp(0.5, math.frexp(size)[1])


def _short(size: float) -> float:
    """A little less in 6 bits: its powers and the times reached are exact, so that rounding shows no preference."""
    unit = _power_of_two(size) / 32.0
    return math.floor(size / unit) * unit if size < math.inf else size


def _finite(values: np.ndarray, n: int) -> bool:
    """Are the first n numbers finite?"""
    total = 0.0
    for i in range(n):
        total += abs(values[i]) * 1e-300
    return math.isfinite(total)


def _radius(c: np.ndarray, order: int, guess: float, rtol: float, atol: np.ndarray, weight: np.ndarray) -> float:
    """The x up to which the series is good.

    Each state counts by itself, by the size that its terms have on a step of the guessed length.
    """
    n = len(atol)
    for i in range(n):
        size = max(abs(c[0, i]), abs(c[1, i]) * guess, abs(c[2, i]) * guess * guess) + atol[i] / rtol
        weight[i] = 1.0 / size if size > 0.0 else math.inf
    # x_j = (size_i/|c_ji|)^(1/j) rtol^(1/order) , the smallest over states i and the last orders j
    least = math.inf
    for j in range(order - LAST + 1, order + 1):
        largest = 0.0
        for i in range(n):
            largest = max(largest, abs(c[j, i]) * weight[i] if c[j, i] != 0.0 else 0.0)
        if largest > 0.0:
            least = min(least, -math.log(largest) / j)
    return math.exp(least + math.log(rtol) / (order + 1)) if least < 700.0 else math.inf


def _span(c: np.ndarray, order: int, guess: float, rtol: float, atol: np.ndarray, weight: np.ndarray) -> float:
    """The same with a guess that is about right."""
    x = guess
    for _ in range(8):
        x = _radius(c, order, min(guess, LONGEST), rtol, atol, weight)
        if 0.5 * guess <= x <= 2.0 * guess or x >= LONGEST:
            break
        guess = x
    return min(x, LONGEST)


def _added(both: np.ndarray, change: np.ndarray, new: np.ndarray) -> None:
    """y + change with what rounding leaves over, y and low being one number in two parts."""
    n = len(both) // 2
    for i in range(n):
        a, b = both[i], change[i] + both[n + i]
        total = a + b
        part = total - a
        new[i] = total
        new[n + i] = (a - (total - part)) + (b - part)


def _at(moment: np.ndarray, first: float, second: float, third: float) -> np.ndarray:
    moment[0], moment[1], moment[2] = first, second, third
    return moment


def _inside(
    code: TaylorCode, rules: TaylorLimits, t: float, h: float, p: np.ndarray, state: TaylorState, room: TaylorRoom
) -> tuple[int, float, float]:
    """Look at the right-hand side within the step and at its end: (health, least and largest margin)."""
    n, limit, least, most = len(state.given), rules.margin_limit, math.inf, 0.0
    slope = room.slope
    for probe in range(len(PROBES) + 1):
        for i in range(n):
            room.point[i] = state.both[i] + room.sums[probe, i]
        room.moment[0] = t + (PROBES[probe] * h if probe < len(PROBES) else h)
        call(code.rhs, room.moment, room.point, p, slope)
        state.counters[EVALUATIONS] += 1
        least, most = min(least, slope[n]), max(most, slope[n])
        if not slope[n] > limit:
            return (RANK if slope[n] <= limit else NONFINITE), least, most
        if not _finite(slope, n):
            return NONFINITE, least, most
    return END, least, most


def _smaller(
    code: TaylorCode, scale: float, t: float, order: int, p: np.ndarray, state: TaylorState, room: TaylorRoom
) -> float:
    """A scale on which the coefficients do not overflow so soon; 0 where not even the state's rate is finite."""
    state.counters[REJECTED] += 1
    room.out[:] = 0.0
    scale *= SMALLER
    if scale < 1e-300:
        return 0.0
    call(code.series, _at(room.moment, t, order, scale), state.both, p, room.out)
    good = _finite(room.c[0], len(state.both) // 2) and _finite(room.c[1], len(state.both) // 2)
    room.out[:] = 0.0
    return scale if good else 0.0


def _moved(code: TaylorCode, t: float, p: np.ndarray, state: TaylorState, room: TaylorRoom) -> float:
    """Add the change of the step to the state, and project; `point` gets the rounded state. Its largest element."""
    n, new = len(state.given), room.new
    _added(state.both, room.sums[len(PROBES)], new)
    room.moment[0] = t
    if code.shift != 0:
        call(code.shift, room.moment, new, p, room.point)
        _added(new, room.point, new)
    if code.project != 0:
        call(code.project, room.moment, new, p, room.point)
    largest = 0.0
    for i in range(n):
        if code.project == 0:
            room.point[i] = new[i]
        state.both[i], state.both[n + i] = new[i], new[n + i]
        largest = max(largest, abs(new[i]))
    return largest


def _planned(
    rules: TaylorLimits, atol: np.ndarray, scale: float, shortened: float, state: TaylorState, room: TaylorRoom
) -> float:
    """The step that the series is good for, within the limits."""
    planned = _span(room.c, rules.order, state.clock[H] / scale, rules.rtol, atol, room.weight) * scale
    return _short(min(planned, rules.max_step, shortened, rules.growth * state.clock[H]))


def _record(
    code: TaylorCode, moment: np.ndarray, row: int, state: TaylorState, buffers: Buffers, room: TaylorRoom
) -> None:
    """Write the state that was reached, and the path there where it is wanted."""
    states, paths = buffers.states, buffers.coefficients
    if code.path != 0:
        call(code.path, moment, room.c, room.q, paths[row])
        for i in range(len(state.given)):
            # with what rounding and projection have moved: the path ends at this state
            paths[row, 0, i] = room.point[i] - state.given[i]
    for i in range(len(state.given)):
        state.given[i] = states[row, i] = room.point[i]


def _tick(row: int, t: float, planned: float, least: float, most: float, state: TaylorState, buffers: Buffers) -> float:
    """Clock and counters after a step; the scale of the next one."""
    state.clock[H] = planned
    state.clock[MARGIN] = min(state.clock[MARGIN], least)
    state.clock[BETWEEN] = min(state.clock[BETWEEN], sunk(least, most))
    state.clock[T] = buffers.times[row] = t
    state.counters[STEPS] += 1
    return _power_of_two(planned)


@loop
def advance(
    code: TaylorCode,
    rules: TaylorLimits,
    t_end: float,
    p: np.ndarray,
    atol: np.ndarray,
    state: TaylorState,
    buffers: Buffers,
    room: TaylorRoom,
) -> tuple[int, int]:
    """Step until t_end is reached, the buffers are full, or it cannot go on: returns (status, number of new steps).

    `buffers` has paths of the steps (c, order, padded n) as dense output, or none of them.
    """
    clock, counters, n, blocks = state.clock, state.counters, len(atol), room.c.shape[1] // LANES
    recorded, shortened, scale = 0, math.inf, _power_of_two(clock[H])
    while recorded < len(buffers.times) and clock[T] != t_end and not clock[MARGIN] < rules.margin_low:
        if counters[STEPS] + counters[REJECTED] >= rules.max_steps:
            return MAX_STEPS, recorded
        t = clock[T]
        call(code.series, _at(room.moment, t, rules.order, scale), state.both, p, room.out)
        counters[EVALUATIONS] += 1
        first = room.out[0]
        if not first > rules.margin_limit:
            return (RANK if first <= rules.margin_limit else NONFINITE), recorded
        planned = _planned(rules, atol, scale, shortened, state, room)
        t_new = next_time(t, planned, t_end)
        h = t_new - t
        call(code.sums, _at(room.moment, h / scale, rules.order, blocks), room.c, room.q, room.slope)
        if not _finite(room.sums[len(PROBES)], n):
            scale = _smaller(code, scale, t, rules.order, p, state, room)
            if scale == 0.0:
                return NONFINITE, recorded
            continue
        if not planned >= 10 * np.spacing(abs(t)):
            return STEP_TOO_SMALL, recorded
        health, least, most = _inside(code, rules, t, h, p, state, room)
        if health != END:
            counters[REJECTED] += 1
            shortened = abs(h) * FAILED
            if vanishes(shortened, t):
                return health, recorded
            continue
        largest = _moved(code, t_new, p, state, room)
        _record(code, _at(room.moment, h / scale, rules.order, blocks), recorded, state, buffers, room)
        scale = _tick(recorded, t_new, planned, min(first, least), max(first, most), state, buffers)
        recorded, shortened = recorded + 1, math.inf
        if largest > LARGEST_STATE:
            return BLOWUP, recorded
    return (END if clock[T] == t_end else FULL), recorded


@loop
def repeat(code: TaylorCode, order: int, p: np.ndarray, ends: np.ndarray, steps: Buffers, room: TaylorRoom) -> None:
    """The paths of steps that begin at times and states of `steps`, written there; `ends` (c,)."""
    times, n, blocks = steps.times, steps.states.shape[1], room.c.shape[1] // LANES
    for i in range(len(times)):
        h = ends[i] - times[i]
        scale = _power_of_two(abs(h))
        room.new[:n], room.new[n:] = steps.states[i], 0.0
        call(code.series, _at(room.moment, times[i], order, scale), room.new, p, room.out)
        call(code.sums, _at(room.moment, h / scale, order, blocks), room.c, room.q, room.slope)
        call(code.path, room.moment, room.c, room.q, steps.coefficients[i])
        if not _finite(room.sums[len(PROBES)], n):
            room.out[:] = 0.0
