"""The Jacobian, compiled or by differences, and the matrices made of it."""

from __future__ import annotations

import numpy as np

from ...machine.loop.address import call
from ...machine.loop.entry import loop
from ..loops import copy
from .job import COUPLED, Job
from .linear import clear, factor, factor_complex, square

DIFFERENCE = float(np.sqrt(np.finfo(float).eps))  # relative step of a difference
SMALL = 1e-3  # of the largest state: states below it are nudged as if they had this size


def fill(job: Job, t: float, y: np.ndarray, J: np.ndarray) -> int:
    """J = df/dy at t, y; returns how often the right-hand side was called for it."""
    job.work.moment[0] = t
    if job.code.jacobian != 0:
        call(job.code.jacobian, job.work.moment, y, job.p, J)
        return 0
    return _differences(job, y, J)


def _differences(job: Job, y: np.ndarray, J: np.ndarray) -> int:
    """The Jacobian by forward differences, at the time in `moment`."""
    w, n, largest = job.work, len(y), 0.0
    for j in range(n):
        largest = max(largest, abs(y[j]))
    largest = largest if largest > 0.0 else 1.0
    plain, nudged, at = w.plain, w.nudged, w.nudge
    copy(y, at)
    call(job.code.rhs, w.moment, at, job.p, plain)
    for j in range(n):
        at[j] = y[j] + DIFFERENCE * max(abs(y[j]), SMALL * largest)
        h = at[j] - y[j]
        call(job.code.rhs, w.moment, at, job.p, nudged)
        # df_i/dy_j = (f_i(y + h e_j) - f_i(y))/h
        for i in range(n):
            J[i, j] = (nudged[i] - plain[i]) / h
        at[j] = y[j]
    return n + 1


def find_active(job: Job) -> None:
    """The states on which a derivative depends: those whose column of J (or of a stage's) is not 0."""
    w, count = job.work, 0
    n, s = len(w.J), len(w.Js)
    for j in range(n):
        some = False
        for i in range(n):
            some = some or w.J[i, j] != 0.0
            if job.counters[COUPLED] > 0:
                for stage in range(s):
                    some = some or w.Js[stage, i, j] != 0.0
        if some:
            w.active[count] = j
            count += 1
    w.active[n] = count


def factor_real(h: float, job: Job) -> bool:
    """E = g/h - J on the active states, g being the real eigenvalue."""
    w = job.work
    m = w.active[len(w.J)]
    E = square(w.E, m)
    for a in range(m):
        for b in range(m):
            E[a, b] = -w.J[w.active[a], w.active[b]]
        E[a, a] += job.tab.roots[0, 0] / h
    return factor(E, w.rows)


def factor_pairs(h: float, job: Job) -> bool:
    """(a - i b)/h - J for each pair of eigenvalues a +- i b."""
    w = job.work
    m = w.active[len(w.J)]
    for k in range(len(w.U)):
        R, S = square(w.U[k], m), square(w.V[k], m)
        for a in range(m):
            for b in range(m):
                R[a, b] = -w.J[w.active[a], w.active[b]]
                S[a, b] = 0.0
            R[a, a] += job.tab.roots[k + 1, 0] / h
            S[a, a] = -job.tab.roots[k + 1, 1] / h
        if not factor_complex(R, S, w.rows_pairs[k]):
            return False
    return True


def can_couple(job: Job) -> bool:
    """Are there few enough unknowns to solve for all stages at once?"""
    m = len(job.work.Js) * len(job.y)
    return m * m <= len(job.work.M)


def factor_coupled(h: float, job: Job) -> bool:
    """D_ij/h - delta_ij J_i on the active states of all stages."""
    w = job.work
    n, s = len(w.J), len(w.Js)
    m = w.active[n]
    M = square(w.M, s * m)
    clear(w.M)
    for i in range(s):
        for a in range(m):
            row = M[i * m + a]
            for j in range(s):
                row[j * m + a] = job.tab.D[i, j] / h
            for b in range(m):
                row[i * m + b] -= w.Js[i, w.active[a], w.active[b]]
    return factor(M, w.rows_M)


@loop
def jacobian_at(job: Job, J: np.ndarray) -> None:
    """J = df/dy at the present time and state, from Python."""
    fill(job, job.clock[0], job.y, J)
