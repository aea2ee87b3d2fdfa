"""The control loop: one function for every system."""

from __future__ import annotations

import math

import numpy as np

from ...machine.loop.compiled_loop import loop
from ...machine.loop.function_address import call
from ..lu import clear
from ..stepper import (
    BLOWUP,
    END,
    FULL,
    LARGEST_STATE,
    MAX_STEPS,
    NONFINITE,
    RANK,
    STEP_TOO_SMALL,
    copy,
    health,
    next_time,
    sunk,
)
from . import newton
from .newton import CONVERGED, find_stages, solve_real
from .work_arrays import (
    BEGUN,
    BETWEEN,
    COUPLED,
    ERROR_OLD,
    EVALUATIONS,
    H_LAST,
    H_OLD,
    MARGIN,
    REJECTED,
    STEPS,
    H,
    Job,
    T,
)

SAFETY, FASTEST, SLOWEST = 0.9, 8.0, 0.125
FAILED, FAILED_FIRST = 0.5, 0.1  # factors of a step whose equations could not be solved
KEPT = 1.2  # a step that could grow by less is kept, and with it the matrices


def _norm(x: np.ndarray, job: Job) -> float:
    total = 0.0
    for j in range(len(x)):
        total += (x[j] * job.work.scale[j]) ** 2
    return math.sqrt(total / job.rules.controlled)


def _estimate(job: Job, t: float, h: float, again: bool) -> float:
    """Norm of the error estimate [hairer1996, IV.8]; a step is good where it is at most 1."""
    w, g = job.work, job.tab.roots[0, 0]
    s, n = w.Z.shape
    # err = (g/h - J)^-1 (f_0 + e Z/h)
    combined = w.X[0]
    for j in range(n):
        total = 0.0
        for i in range(s):
            total += job.tab.e[i] * w.Z[i, j]
        combined[j] = total / h
        w.G[0, j] = w.first[j] + combined[j]
    solve_real(h, g, w.G[0], w.error, w)
    error = _norm(w.error, job)
    if not (again and error >= 1.0):
        return error
    # far from what the motion tends to: err = (g/h - J)^-1 (f(t_0, y_0 + err) + e Z/h)
    for j in range(n):
        w.at[j] = job.y[j] + w.error[j]
    w.moment[0] = t
    call(job.code.rhs, w.moment, w.at, job.p, w.plain)
    job.counters[EVALUATIONS] += 1
    for j in range(n):
        w.G[0, j] = w.plain[j] + combined[j]
    solve_real(h, g, w.G[0], w.error, w)
    return _norm(w.error, job)


def _begin(job: Job, t: float) -> None:
    """The derivative at the state reached."""
    job.work.moment[0] = t
    call(job.code.rhs, job.work.moment, job.y, job.p, job.work.first)
    job.counters[EVALUATIONS] += 1


def _accept(job: Job, t_new: float) -> float:
    """The new y, moved back to the constraints, and the path that ends there; returns the largest state."""
    w = job.work
    s, n = w.Z.shape
    for k in range(s):
        row = w.path[k]
        clear(row)
        for i in range(s):
            for j in range(n):
                row[j] += job.tab.P[k, i] * w.Z[i, j]
    for j in range(n):
        w.at[j] = job.y[j] + w.Z[s - 1, j]
    if job.code.project != 0:
        w.moment[0] = t_new
        call(job.code.project, w.moment, w.at, job.p, w.error)
        copy(w.error, w.at)
    largest = 0.0
    for j in range(n):
        w.path[0, j] = w.at[j] - job.y[j]
        job.y[j] = w.at[j]
        largest = max(largest, abs(w.at[j]))
    return largest


def _least_margin(job: Job) -> float:
    least, w = math.inf, job.work
    for i in range(len(w.f)):
        least = min(least, w.f[i, len(w.J)])
    return least


def _keep_margins(job: Job, least: float) -> None:
    """Of a good step, the least margin at its stages and what it may have been between them."""
    w, clock = job.work, job.clock
    first = w.first[len(w.J)]
    most = first
    for i in range(len(w.f)):
        most = max(most, w.f[i, len(w.J)])
    clock[MARGIN] = min(clock[MARGIN], least)
    clock[BETWEEN] = min(clock[BETWEEN], sunk(min(least, first), most))


def _refuse(job: Job, t: float, h: float, found: int, error: float, margin: float) -> int:
    """Plan a smaller step; FULL where one is left, else why there is none."""
    clock, limit = job.clock, job.rules.margin_limit
    job.counters[REJECTED] += 1
    if 1.0 < error < math.inf:
        clock[H] = abs(h) * max(SLOWEST, SAFETY * error ** (-1.0 / (len(job.tab.c) + 1)))
    else:
        clock[H] = abs(h) * (FAILED_FIRST if clock[H_LAST] == 0.0 else FAILED)
    if clock[H] >= 10 * np.spacing(abs(t)):
        return FULL
    if (error <= 1.0 or found == newton.NONFINITE) and margin <= limit:
        return RANK
    return NONFINITE if found == newton.NONFINITE or math.isnan(error) else STEP_TOO_SMALL


def _plan(job: Job, h: float, error: float, largest: float, planned: float) -> None:
    """The next step size, from this error and the last one [hairer1996, IV.8]."""
    clock, order = job.clock, 1.0 / (len(job.tab.c) + 1)
    error = max(error, 1e-10)
    factor = SAFETY * error**-order
    if clock[H_OLD] != 0.0:
        # h_new/h = (h/h_old) (err_old/err^2)^(1/(s + 1))
        factor = min(factor, SAFETY * abs(h / clock[H_OLD]) * (clock[ERROR_OLD] / error**2) ** order)
    factor = min(largest, max(SLOWEST, factor))
    if 1.0 <= factor < KEPT and job.counters[COUPLED] == 0:
        factor = 1.0
    clock[H_OLD], clock[ERROR_OLD] = h, max(error, 1e-2)
    # a step cut short by the end says nothing against the size that was planned
    clock[H] = max(abs(h) * factor, planned)


def _scale(job: Job) -> None:
    tolerance = job.rules.tolerance
    for j in range(len(job.y)):
        allowed = tolerance[j + 1] + tolerance[0] * abs(job.y[j])
        job.work.scale[j] = 1.0 / allowed if allowed < math.inf else 0.0


def _record(job: Job, t_new: float, row: int, times: np.ndarray, states: np.ndarray, paths: np.ndarray) -> None:
    """Write the state reached, and the path that ends there."""
    times[row] = t_new
    copy(job.y, states[row])
    for k in range(len(job.work.path)):
        copy(job.work.path[k], paths[row, k])
    job.counters[STEPS] += 1


@loop
def advance(job: Job, t_end: float, times: np.ndarray, states: np.ndarray, coefficients: np.ndarray) -> tuple[int, int]:
    """Step until t_end is reached, the buffers are full, or it cannot go on: returns (status, number of new steps).

    Args:
        job: what is integrated, updated.
        t_end: where to stop, before or after the present time.
        times, states, coefficients: buffers (c,), (c, n), (c, s, n) for t, y and dense output of each new step.
    """
    clock, counters, rules = job.clock, job.counters, job.rules
    recorded, refused = 0, counters[BEGUN] == 0
    if clock[T] == t_end:
        return END, recorded
    if counters[BEGUN] == 0:
        _begin(job, clock[T])
        counters[BEGUN] = 1
    while recorded < len(times) and clock[T] != t_end:
        status = health(job.work.first, job.work.first[len(job.y)], rules.margin_limit)
        if status != END:
            return status, recorded
        if counters[STEPS] + counters[REJECTED] >= rules.max_steps:
            return MAX_STEPS, recorded
        t, planned = clock[T], min(abs(clock[H]), rules.max_step)
        t_new = next_time(t, planned, t_end)
        h = t_new - t
        if not abs(h) > 0.0:  # too small to move the time, or no number
            return STEP_TOO_SMALL, recorded
        _scale(job)
        found = find_stages(job, t, h)
        error, margin = math.inf, _least_margin(job)
        if found == CONVERGED:
            error = _estimate(job, t, h, refused or clock[H_LAST] == 0.0)
        if not error <= 1.0 or margin <= rules.margin_limit:
            refused = True
            status = _refuse(job, t, h, found, error, margin)
            if status != FULL:
                return status, recorded
            continue
        _keep_margins(job, margin)
        largest = _accept(job, t_new)
        _plan(job, h, error, 1.0 if refused else FASTEST, planned if t_new == t_end else 0.0)
        clock[T], clock[H_LAST], refused = t_new, h, False
        _record(job, t_new, recorded, times, states, coefficients)
        recorded += 1
        _begin(job, t_new)
        if largest > LARGEST_STATE:
            return BLOWUP, recorded
    return (END if clock[T] == t_end else FULL), recorded
