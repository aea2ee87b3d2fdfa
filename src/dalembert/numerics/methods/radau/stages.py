"""The stages of one step: which form of Newton's method, which matrices."""

from __future__ import annotations

import math

from .jacobian import can_couple, factor_pairs, factor_real, fill, find_active
from .job import AGE, COUPLED, EVALUATIONS, FACTORED, H_LAST, JACOBIANS, MADE, PATIENCE, RATE, Job
from .linear import clear
from .newton import CONVERGED, SLOW, iterate, prepare_coupled

GOOD = 1e-3  # rate up to which a Jacobian is kept
PATIENT = 4, 128  # steps in the coupled form before the simplified one is tried again, at first and at most


def find_stages(job: Job, t: float, h: float) -> int:
    """Z, by the simplified form where it converges, else by the coupled one for some steps."""
    clock, counters = job.clock, job.counters
    while True:
        coupled = counters[COUPLED] > 0
        ready = _make_coupled(job, t, h) if coupled else _make_simplified(job, t, h)
        status = iterate(job, t, h) if ready else SLOW
        if coupled:
            clock[AGE] = math.inf
            counters[COUPLED] -= 1
            return status
        if ready and status != CONVERGED and clock[AGE] > 0.0:
            clock[RATE] = 1.0  # the matrices are of an earlier step: once more, with new ones
            continue
        if ready:
            clock[AGE] += 1.0
        if status != SLOW or not can_couple(job):
            return status
        counters[PATIENCE] = min(PATIENT[1], max(PATIENT[0], 2 * counters[PATIENCE]))
        counters[COUPLED] = counters[PATIENCE]


def _make_simplified(job: Job, t: float, h: float) -> bool:
    """Matrices and a guess for the simplified form; False where a matrix is singular."""
    clock = job.clock
    if clock[AGE] > 0.0 and (clock[AGE] == math.inf or clock[RATE] > GOOD):
        _renew(job, t)
    if clock[MADE] != h:
        job.counters[FACTORED] += 1
        clock[MADE], clock[RATE] = 0.0, 1.0
        if not (factor_real(h, job) and factor_pairs(h, job)):
            return False
        clock[MADE] = h
    _guess(job, h)
    return True


def _make_coupled(job: Job, t: float, h: float) -> bool:
    """The same for the coupled form."""
    _renew(job, t)
    _guess(job, h)
    return factor_real(h, job) and prepare_coupled(job, t, h)


def _renew(job: Job, t: float) -> None:
    """A new Jacobian at the beginning of the step."""
    job.counters[EVALUATIONS] += fill(job, t, job.y, job.work.J)
    job.counters[JACOBIANS] += 1
    find_active(job)
    job.clock[AGE], job.clock[MADE] = 0.0, 0.0


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
