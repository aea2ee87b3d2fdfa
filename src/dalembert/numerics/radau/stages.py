"""The stages of one step: which form of Newton's method, which matrices."""

from __future__ import annotations

import math

from .jacobian import can_couple, factor_pairs, factor_real, fill, find_active
from .job import AGE, COUPLED, EVALUATIONS, FACTORED, H_LAST, JACOBIANS, MADE, PATIENCE, RATE, Job
from .linear import clear, part
from .newton import CONVERGED, SLOW, iterate, prepare_coupled

GOOD = 1e-3  # rate up to which a Jacobian is kept
PATIENT = 4, 128  # steps in the coupled form before the simplified one is tried again, at first and at most


@part
def find_stages(job: Job, t: float, h: float) -> int:
    """Z, by the simplified form where it converges, else by the coupled one for some steps."""
    if job.counters[COUPLED] == 0:
        status = _simplified(job, t, h)
        if status != SLOW or not can_couple(job):
            return status
        job.counters[PATIENCE] = min(PATIENT[1], max(PATIENT[0], 2 * job.counters[PATIENCE]))
        job.counters[COUPLED] = job.counters[PATIENCE]
    status = _coupled(job, t, h)
    job.counters[COUPLED] -= 1
    return status


@part
def _simplified(job: Job, t: float, h: float) -> int:
    clock, status = job.clock, SLOW
    for _ in range(2):  # with the matrices at hand, then with new ones
        if clock[AGE] > 0.0 and (clock[AGE] == math.inf or clock[RATE] > GOOD or status != SLOW):
            _renew(job, t)
        fresh = clock[AGE] == 0.0
        if clock[MADE] != h:
            job.counters[FACTORED] += 1
            clock[MADE], clock[RATE] = 0.0, 1.0
            if not (factor_real(h, job) and factor_pairs(h, job)):
                return SLOW
            clock[MADE] = h
        _guess(job, h)
        status = iterate(job, t, h)
        if status == CONVERGED or fresh:
            break
        clock[RATE] = 1.0
    clock[AGE] += 1.0
    return status


@part
def _coupled(job: Job, t: float, h: float) -> int:
    _renew(job, t)
    _guess(job, h)
    status = SLOW
    if factor_real(h, job) and prepare_coupled(job, t, h):
        status = iterate(job, t, h)
    job.clock[AGE] = math.inf
    return status


@part
def _renew(job: Job, t: float) -> None:
    """A new Jacobian at the beginning of the step."""
    job.counters[EVALUATIONS] += fill(job, t, job.y, job.work.J)
    job.counters[JACOBIANS] += 1
    find_active(job)
    job.clock[AGE], job.clock[MADE] = 0.0, 0.0


@part
def _guess(job: Job, h: float) -> None:
    """Z from the last step's polynomial, or from the derivative where there is none."""
    w, last = job.work, job.clock[H_LAST]
    s, n = w.Z.shape
    for i in range(s):
        z = w.Z[i]
        if last == 0.0:
            for j in range(n):
                z[j] = job.tab.c[i] * h * w.first[j]
            continue
        # x (F0 + (1 - x) (F1 + x (F2 + ...))) - F0
        x = 1.0 + job.tab.c[i] * h / last
        clear(z)
        for k in range(s - 1, -1, -1):
            factor, row = (x if k % 2 == 0 else 1.0 - x), w.path[k]
            for j in range(n):
                z[j] = (z[j] + row[j]) * factor
        for j in range(n):
            z[j] -= w.path[0, j]
