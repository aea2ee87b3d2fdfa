"""The control loop of explicit Runge-Kutta pairs: one function for every system.

The step itself is compiled with the equations (`code`). The loop calls it by its address, chooses its size, fills
buffers with accepted steps and can be called again to go on.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

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
    H,
    T,
    copy,
    health,
    next_time,
    vanishes,
)
from .step_ir import FASTEST

BETWEEN = 3  # behind what every clock holds: what the margin may have been between the stages
VARIES = 10.0  # times its least value: (t - t0)^2 at the stages is larger where t0 is between them
# what `layout` holds: first rows of `work`, see `step_ir.Work`, and how many stages a step and its dense output take
Y, NEW, ERROR, LEAST, LARGEST, FIRST, LAST, TRIAL, STAGES, FURTHER = range(10)


class StepCode(NamedTuple):
    """Addresses of ``f(t, y, p, out)``, which writes n derivatives and a margin, > 0 where f is healthy, and of the
    functions of `code.stepping`; 0 for `dense` where no dense output is wanted.
    """

    rhs: int
    step: int
    dense: int
    first: int


class Rules(NamedTuple):
    """Tolerances and limits.

    Attributes:
        tolerance: relative tolerance, then the absolute ones (n,), > 0; inf for a component that is carried along
            without error control.
        controlled: how many components are under error control.
        margin_limit: a step on which the margin is not above this is refused.
        margin_low: after a step on which the margin is below this no other is made before it was looked at.
        max_step: largest step size.
        max_steps: how many steps, good and refused, may be tried in all (`counters` are never reset here).
    """

    tolerance: np.ndarray
    controlled: int
    margin_limit: float
    margin_low: float
    max_step: float
    max_steps: int


class StepState(NamedTuple):
    """What a run updates; the state is always that of the last accepted step.

    Attributes:
        clock: ``[t, h, least margin on accepted steps, what it may have been between]``; where h is 0 the method
            chooses, its sign does not matter.
        y: state (n,).
        counters: ``[steps, rejected, evaluations]``.
    """

    clock: np.ndarray
    y: np.ndarray
    counters: np.ndarray


class Room(NamedTuple):
    """Work space, where things lie in it (see `code.Work`), and the time, size, end and control of a step (4,)."""

    work: np.ndarray
    layout: np.ndarray
    moment: np.ndarray


def verdict(error: float, margin: float, limit: float, largest: float) -> int:
    """END for a step that can be judged by its error, else RANK or NONFINITE."""
    if error > 1.0:
        return END
    if margin <= limit:
        return RANK
    return END if error < math.inf and math.isfinite(largest) else NONFINITE


def next_size(h: float, growth: float, most: float, planned: float, cut: bool) -> float:
    """The size of a step after a good one, by a factor of at most `most`."""
    # a step cut short by the end says nothing against the size that was planned
    return max(abs(h) * min(growth, most), planned if cut else 0.0)


def smaller_size(h: float, growth: float, status: int) -> float:
    """The size of a step after one that was refused, by its error or by its `verdict`."""
    return h * (FAILED if status != END else min(growth, 1.0))


def _rows(room: Room, which: int, length: int) -> np.ndarray:
    """So many rows of the work space, from the first of a thing."""
    return room.work[room.layout[which] : room.layout[which] + length]


def _begin(code: StepCode, rules: Rules, p: np.ndarray, state: StepState, room: Room) -> int:
    """The derivative at the state reached, and whether it is sound."""
    n = len(state.y)
    first = _rows(room, FIRST, n + 1)
    room.moment[0], room.moment[3] = state.clock[T], rules.controlled
    copy(state.y, _rows(room, Y, n))
    call(code.rhs, room.moment, _rows(room, Y, n), p, first)
    state.counters[EVALUATIONS] += 1
    return health(first, first[n], rules.margin_limit)


def _choose(code: StepCode, t_end: float, rules: Rules, p: np.ndarray, state: StepState, room: Room) -> None:
    """The size of a first step."""
    room.moment[1] = t_end - state.clock[T]
    call(code.first, room.moment, p, rules.tolerance, room.work)
    state.counters[EVALUATIONS] += 1
    state.clock[H] = room.work[room.layout[ERROR]]


def _refuse(status: int, growth: float, t: float, h: float, state: StepState) -> int:
    """Plan a smaller step; FULL where one is left, else why there is none."""
    state.counters[REJECTED] += 1
    state.clock[H] = smaller_size(h, growth, status)
    if not vanishes(state.clock[H], t):
        return FULL
    return status if status != END else STEP_TOO_SMALL


def _between(room: Room, n: int) -> float:
    """What the margin may have been between the stages of a step: 0 where it varies as if it had vanished."""
    first, apart = room.layout[FIRST] + n, room.layout[TRIAL] - room.layout[FIRST]
    least = most = room.work[first]
    for s in range(1, room.layout[STAGES] + 1):
        margin = room.work[first + s * apart]
        least, most = min(least, margin), max(most, margin)
    return least if most <= VARIES * least else 0.0


def _interpolate(code: StepCode, p: np.ndarray, row: int, state: StepState, buffers: Buffers, room: Room) -> None:
    """The dense output of a good step, where it is wanted, and the least margin of its stages."""
    clock, least = state.clock, room.layout[LEAST]
    clock[BETWEEN] = min(clock[BETWEEN], _between(room, len(state.y)))
    clock[MARGIN] = min(clock[MARGIN], room.work[least])
    if code.dense != 0:
        call(code.dense, room.moment, p, room.work, buffers.coefficients[row])
        state.counters[EVALUATIONS] += room.layout[FURTHER]
        clock[MARGIN] = min(clock[MARGIN], room.work[least])


def _record(t_new: float, row: int, state: StepState, buffers: Buffers, room: Room) -> None:
    """Write the state reached; its derivative is the first of the next step."""
    n = len(state.y)
    new = _rows(room, NEW, n)
    copy(new, _rows(room, Y, n))
    copy(new, state.y)
    copy(new, buffers.states[row])
    copy(_rows(room, LAST, n + 1), _rows(room, FIRST, n + 1))
    state.clock[T] = buffers.times[row] = t_new
    state.counters[STEPS] += 1


@loop
def advance(
    code: StepCode, rules: Rules, t_end: float, p: np.ndarray, state: StepState, buffers: Buffers, room: Room, most: int
) -> tuple[int, int]:
    """Step until t_end is reached, the buffers are full, or it cannot go on: returns (status, number of new steps).

    Args:
        code, rules: what is called, and within which limits.
        t_end: where to stop, before or after the present time.
        p: parameters.
        state: updated.
        buffers: dense output is (c, 7 n), or none of it.
        room: work space.
        most: how many steps are made at most, for which the buffers have room.

    All arrays are contiguous, float64; `counters` and `layout` int64.
    """
    clock, counters, work, layout, moment = state.clock, state.counters, room.work, room.layout, room.moment
    recorded, largest_growth = 0, FASTEST
    if clock[T] == t_end:
        return END, recorded
    status = _begin(code, rules, p, state, room)
    if status != END:
        return status, recorded
    if clock[H] == 0.0:
        _choose(code, t_end, rules, p, state, room)
    while recorded < most and clock[T] != t_end and not clock[MARGIN] < rules.margin_low:
        if counters[STEPS] + counters[REJECTED] >= rules.max_steps:
            return MAX_STEPS, recorded
        t, planned = clock[T], min(abs(clock[H]), rules.max_step)
        t_new = next_time(t, planned, t_end)
        h = t_new - t
        if not abs(h) > 0.0:  # too small to move the time, or no number
            return STEP_TOO_SMALL, recorded
        moment[0], moment[1], moment[2] = t, h, t_new
        call(code.step, moment, p, rules.tolerance, work)
        counters[EVALUATIONS] += layout[STAGES]
        error, growth = work[layout[ERROR]], work[layout[ERROR] + 1]
        status = verdict(error, work[layout[LEAST]], rules.margin_limit, work[layout[LARGEST]])
        if status != END or error > 1.0:
            largest_growth, status = 1.0, _refuse(status, growth, t, h, state)
            if status != FULL:
                return status, recorded
            continue
        _interpolate(code, p, recorded, state, buffers, room)
        clock[H] = next_size(h, growth, largest_growth, planned, t_new == t_end)
        largest_growth = FASTEST
        _record(t_new, recorded, state, buffers, room)
        recorded += 1
        if work[layout[LARGEST]] > LARGEST_STATE:
            return BLOWUP, recorded
    return (END if clock[T] == t_end else FULL), recorded


@loop
def repeat(code: StepCode, p: np.ndarray, ends: np.ndarray, steps: Buffers, tolerance: np.ndarray, room: Room) -> None:
    """The dense output of steps that begin at times and states of `steps`, written there; `ends` (c,)."""
    n, moment = steps.states.shape[1], room.moment
    at, first = _rows(room, Y, n), _rows(room, FIRST, n + 1)
    for i in range(len(ends)):
        moment[0], moment[1], moment[2], moment[3] = steps.times[i], ends[i] - steps.times[i], ends[i], 1.0
        copy(steps.states[i], at)
        call(code.rhs, moment, at, p, first)
        call(code.step, moment, p, tolerance, room.work)
        call(code.dense, moment, p, room.work, steps.coefficients[i])
