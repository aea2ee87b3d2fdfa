"""Fixed steps of an implicit method: one loop for every method and system.

`march` calls a scheme's functions (`one_step.Compiled`) and the right-hand side by their addresses. A step is a
composition of steps of order 2; each solves the phases of the scheme one after another.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ...machine.loop.address import call
from ...machine.loop.entry import loop
from ..dop853.code import POWERS
from ..loops import Buffers
from ..stepping import (
    BLOWUP,
    END,
    EVALUATIONS,
    FULL,
    LARGEST_STATE,
    MARGIN,
    MAX_STEPS,
    NONFINITE,
    RANK,
    STEP_TOO_SMALL,
    STEPS,
    T,
)
from .newton import Factored, Unknowns, newton

PLACES, WEIGHTS = (-2.0, -1.0, 1.0, 2.0), (1.0, -8.0, 8.0, -1.0)  # of a difference of order 4

ORIGIN, INDEX = 3, 4  # what `clock` holds too: where the grid of steps begins, steps since then


class Code(NamedTuple):
    """The compiled step of order 2.

    Attributes:
        rhs: address of ``f(t, y, p, out)``, which writes n derivatives and a margin.
        addresses: (1 + phases, 2): of guess and finish, then of residual and system of each phase.
        bounds: where each phase's unknowns begin, and where the last ones end.
        groups: the kind of each unknown, -1 where it is not judged.
        own_work: does the scheme compute the work?
    """

    rhs: int
    addresses: np.ndarray
    bounds: np.ndarray
    groups: np.ndarray
    own_work: bool


class Plan(NamedTuple):
    """How steps follow each other.

    Attributes:
        parts: the parts of a step that make up the composition.
        step: its size, not 0; the sign does not matter.
        smooth: has the dense output second derivatives (order 6)?
        margin_limit: a state whose margin is not above this is not passed.
        max_steps: how many steps may be made in all.
    """

    parts: np.ndarray
    step: float
    smooth: bool
    margin_limit: float
    max_steps: int


class Progress(NamedTuple):
    """How far a run has come, updated by each step.

    Attributes:
        clock: time, step size, least margin, beginning of the grid of steps, steps since then.
        y: state (n), derivatives and margin (n + 1), unknowns. `old`: the same before the step.
        p: parameters.
        counters: steps, refused ones (none), evaluations.
    """

    clock: np.ndarray
    y: np.ndarray
    old: np.ndarray
    p: np.ndarray
    counters: np.ndarray


class Work(NamedTuple):
    """Work space, M being the unknowns of the largest phase.

    Attributes:
        moment, out: (t, h), and what compiled functions write.
        A, rows, dx, ready: (parts, phases, M, M + 1), (parts, phases, M), (M,), (parts, phases), see `newton`.
        bends: (3, 2 n + 1): a point, second derivatives after and before a step.
    """

    moment: np.ndarray
    out: np.ndarray
    A: np.ndarray
    rows: np.ndarray
    dx: np.ndarray
    ready: np.ndarray
    bends: np.ndarray


def _solve(code: Code, run: Progress, work: Work, s: int) -> int:
    """The unknowns of a part of a step, phase after phase."""
    begin = len(run.y) - len(code.groups)
    for i in range(len(code.bounds) - 1):
        low, high = code.bounds[i], code.bounds[i + 1]
        addresses = code.addresses[i + 1]
        unknowns = Unknowns(addresses[0], addresses[1], begin + low, code.groups[low:high])
        kept = Factored(work.A[s, i], work.rows[s, i], work.ready[s, i : i + 1], work.dx)
        status = newton(unknowns, work.moment, run.y, run.p, work.out, kept, run.counters)
        if status != END:
            return status
    return END


def _substep(code: Code, run: Progress, work: Work, s: int) -> int:
    """A part of a step; y holds state, derivatives and unknowns, and gets the new state and derivatives."""
    y, moment = run.y, work.moment
    n = (len(y) - len(code.groups) - 1) // 2
    unknowns, rates = y[2 * n + 1 :], y[n : 2 * n + 1]
    call(code.addresses[0, 0], moment, y, run.p, unknowns)
    status = _solve(code, run, work, s)
    if status != END:
        return status
    power = rates[n - 1]
    call(code.addresses[0, 1], moment, y, run.p, work.out)
    for i in range(n):
        y[i] = work.out[i]
    t = moment[0]
    moment[0] = t + moment[1]
    call(code.rhs, moment, y, run.p, rates)
    run.counters[EVALUATIONS] += 1
    moment[0] = t
    if not code.own_work:
        y[n - 1] += 0.5 * moment[1] * (power + rates[n - 1])
    return _finite(y, 2 * n)


def _finite(y: np.ndarray, count: int) -> int:
    """END where the first numbers are finite, else NONFINITE."""
    for i in range(count):
        if not math.isfinite(y[i]):
            return NONFINITE
    return END


def _composed(code: Code, plan: Plan, run: Progress, work: Work, t: float, h: float) -> int:
    """One step of the composition from t to t + h."""
    moment, margin = work.moment, len(run.y) - len(code.groups) - 1
    moment[0] = t
    for s in range(len(plan.parts)):
        moment[1] = plan.parts[s] * h
        status = _substep(code, run, work, s)
        if status != END:
            return status
        moment[0] += moment[1]
    return END if run.y[margin] > plan.margin_limit else RANK


def _record(t_new: float, row: int, run: Progress, buffers: Buffers, bends: np.ndarray, bent: int) -> float:
    """Write the new state and the dense output of the step, with `bent` second derivatives; the largest element."""
    y, states = run.y, buffers.states[row]
    hermite(t_new - run.clock[T], run.old, y, bends[1, :bent], bends[2, :bent], buffers.coefficients[row])
    largest = 0.0
    for i in range(len(states)):
        states[i] = y[i]
        largest = max(largest, abs(y[i]))
    buffers.times[row] = t_new
    return largest


def _start(code: Code, plan: Plan, run: Progress, work: Work) -> int:
    """Derivatives and margin at the first state."""
    y, n = run.y, (len(run.y) - len(code.groups) - 1) // 2
    work.moment[0], work.moment[1] = run.clock[T], plan.step
    call(code.rhs, work.moment, y, run.p, y[n : 2 * n + 1])
    run.counters[EVALUATIONS] += 1
    if not y[2 * n] > plan.margin_limit:
        return RANK
    status = _finite(y, 2 * n)
    if status == END and plan.smooth:
        second(code.rhs, run.clock[T], plan.step, y, run.p, work.moment, work.bends[0], work.bends[1, :n])
    return status


def _next(clock: np.ndarray, step: float, t_end: float) -> float:
    """Where the next step ends: the last one at the end, stretched by 1 % rather than followed by a tiny one."""
    t = clock[T]
    ahead = clock[ORIGIN] + (clock[INDEX] + 1) * math.copysign(step, t_end - t)
    return t_end if abs(t_end - t) <= 1.01 * abs(step) else ahead


def _tick(clock: np.ndarray, t_new: float, t_end: float, margin: float) -> None:
    """The clock after a step; behind the end the grid of steps begins anew."""
    clock[MARGIN] = min(clock[MARGIN], margin)
    clock[INDEX] += 1
    clock[T] = t_new
    if t_new == t_end:
        clock[ORIGIN], clock[INDEX] = t_new, 0.0


@loop
def march(code: Code, plan: Plan, t_end: float, run: Progress, buffers: Buffers, work: Work) -> tuple[int, int]:
    """Step until t_end is reached, the buffers are full, or it cannot go on: returns (status, number of new steps)."""
    clock, y, counters, bends = run.clock, run.y, run.counters, work.bends
    n, recorded = buffers.states.shape[1], 0
    bent, status = n if plan.smooth else 0, _start(code, plan, run, work)
    while status == END and clock[T] != t_end:
        if recorded == len(buffers.times):
            return FULL, recorded
        if counters[STEPS] >= plan.max_steps:
            return MAX_STEPS, recorded
        t, t_new = clock[T], _next(clock, plan.step, t_end)
        if t_new == t:
            return STEP_TOO_SMALL, recorded
        run.old[:] = y
        h = t_new - t
        status = _composed(code, plan, run, work, t, h)
        if status != END:
            y[:] = run.old
            work.ready[:] = 0
            return status, recorded
        if plan.smooth:
            bends[2, :n] = bends[1, :n]
            second(code.rhs, t_new, h, y, run.p, work.moment, bends[0], bends[1, :n])
        largest = _record(t_new, recorded, run, buffers, bends, bent)
        _tick(clock, t_new, t_end, y[2 * n])
        counters[STEPS] += 1
        recorded += 1
        if largest > LARGEST_STATE:
            return BLOWUP, recorded
    return status, recorded


# --- dense output -----------------------------------------------------------------------------------------------------


def second(
    rhs: int, t: float, h: float, y: np.ndarray, p: np.ndarray, moment: np.ndarray, point: np.ndarray, out: np.ndarray
) -> None:
    """out = df/dt along the motion, from differences of order 4 with spacing e = h/4 along the direction (1, f)."""
    n = len(out)
    e = 0.25 * h
    for i in range(n):
        out[i] = 0.0
    for place in range(4):
        # f' = (f(-2 e) - 8 f(-e) + 8 f(e) - f(2 e)) / 12 e
        x, weight = PLACES[place], WEIGHTS[place]
        moment[0] = t + x * e
        for i in range(n):
            point[i] = y[i] + x * e * y[n + i]
        call(rhs, moment, point, p, point[n:])
        for i in range(n):
            out[i] += weight * point[n + i] / (12.0 * e)


def hermite(h: float, old: np.ndarray, y: np.ndarray, bend: np.ndarray, bend_old: np.ndarray, F: np.ndarray) -> None:
    """Hermite's polynomial through states, derivatives and second derivatives, in the path's form [hairer1993, II.6].

    y0 + x (F0 + (1 - x) (F1 + x (F2 + (1 - x) (F3 + x F4)))); without second derivatives the cubic one.
    """
    n = F.shape[1]
    for i in range(n):
        change, f0, f1 = y[i] - old[i], old[n + i], y[n + i]
        F[0, i] = change
        F[1, i] = h * f0 - change
        F[2, i] = 2 * change - h * (f0 + f1)
        for m in range(3, POWERS):
            F[m, i] = 0.0
        if len(bend) > 0:
            F[3, i] = 0.5 * h * h * bend_old[i] + F[1, i] - F[2, i]
            F[4, i] = 0.5 * h * h * bend[i] + F[1, i] + 2 * F[2, i] - F[3, i]
