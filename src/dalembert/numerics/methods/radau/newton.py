"""The stages' equations  Z = h A f  by Newton's method, in one of two forms [hairer1996, IV.8].

Simplified: one Jacobian for all stages; the eigenvectors of A^-1 split the system into one real system of n and
(s - 1)/2 complex ones. Its rate is h |J(stage) - J(start)|: where a stiff direction turns by d within the step and the
force across it is c, about h c d^2. It allows steps of c^(-1/3) only, however smooth the motion is.
Coupled: the Jacobian of each stage, s n equations at once. The rate is that of the guess, not of the turn.
"""

from __future__ import annotations

import math

import numpy as np

from ...machine.loop.address import call
from .jacobian import factor_coupled, factor_real, fill, find_active
from .job import COUPLED, EVALUATIONS, FACTORED, JACOBIANS, RATE, Job, Work
from .linear import clear, solve, solve_complex, square
from .tableau import Tableau

CONVERGED, SLOW, NONFINITE = 0, 1, 2
MOST_COUPLED = 12  # iterations
FRESH = 0.05  # rate above which the stages' Jacobians are made anew
ROUNDING = 2.0**-52
FEW, MANY = 4.0, 256.0  # a correction of few roundings is none, nor is one of many that does not shrink


def evaluate(job: Job, t: float, h: float) -> bool:
    """f at all stages; False where one is not finite."""
    w, n = job.work, len(job.y)
    for i in range(len(job.tab.c)):
        w.f[i, n] = math.inf
    for i in range(len(job.tab.c)):
        w.moment[0] = t + job.tab.c[i] * h
        for j in range(n):
            w.at[j] = job.y[j] + w.Z[i, j]
        f = w.f[i]
        call(job.code.rhs, w.moment, w.at, job.p, f)
        job.counters[EVALUATIONS] += 1
        for j in range(n):
            if not math.isfinite(f[j]):
                return False
    return True


def _product(M: np.ndarray, X: np.ndarray, factor: float, out: np.ndarray) -> None:
    """out = factor M X."""
    s, n = out.shape
    for i in range(s):
        row = out[i]
        clear(row)
        for j in range(s):
            m, x = factor * M[i, j], X[j]
            for k in range(n):
                row[k] += m * x[k]


def residual(h: float, tab: Tableau, w: Work) -> None:
    """R = h A f - Z."""
    _product(tab.A, w.f, h, w.R)
    for i in range(len(w.Z)):
        for j in range(w.Z.shape[1]):
            w.R[i, j] -= w.Z[i, j]


def solve_real(h: float, g: float, b: np.ndarray, x: np.ndarray, w: Work) -> None:
    """x = (g/h - J)^-1 b, the states on which nothing depends afterwards."""
    n = len(b)
    m = w.active[n]
    u = w.u[:m]
    for a in range(m):
        u[a] = b[w.active[a]]
    solve(square(w.E, m), w.rows, u)
    for j in range(n):
        total = b[j]
        for a in range(m):
            total += w.J[j, w.active[a]] * u[a]
        x[j] = total * h / g
    for a in range(m):
        x[w.active[a]] = u[a]


def _solve_pair(k: int, h: float, tab: Tableau, w: Work) -> None:
    """(X_a + i X_b) = ((alpha - i beta)/h - J)^-1 (G_a + i G_b) for the k-th pair."""
    n = len(w.J)
    m = w.active[n]
    one, two, x, y = w.G[2 * k + 1], w.G[2 * k + 2], w.X[2 * k + 1], w.X[2 * k + 2]
    u, v = w.u[:m], w.v[:m]
    for a in range(m):
        u[a], v[a] = one[w.active[a]], two[w.active[a]]
    solve_complex(square(w.U[k], m), square(w.V[k], m), w.rows_pairs[k], u, v)
    alpha, beta = tab.roots[k + 1, 0], tab.roots[k + 1, 1]
    size = h / (alpha * alpha + beta * beta)
    for j in range(n):
        c, d = one[j], two[j]
        for i in range(m):
            c += w.J[j, w.active[i]] * u[i]
            d += w.J[j, w.active[i]] * v[i]
        # 1/((alpha - i beta)/h) = (alpha + i beta) h/(alpha^2 + beta^2)
        x[j], y[j] = (c * alpha - d * beta) * size, (c * beta + d * alpha) * size
    for a in range(m):
        x[w.active[a]], y[w.active[a]] = u[a], v[a]


def _simplified(h: float, tab: Tableau, w: Work) -> None:
    """The correction dZ = T dW of the transformed systems, in R."""
    # (Lambda/h - J) dW = T^-1 D R/h
    _product(tab.TD, w.R, 1.0 / h, w.G)
    solve_real(h, tab.roots[0, 0], w.G[0], w.X[0], w)
    for k in range(len(w.U)):
        _solve_pair(k, h, tab, w)
    _product(tab.T, w.X, 1.0, w.R)


def _coupled(h: float, tab: Tableau, w: Work) -> None:
    """The correction of the coupled system, in R."""
    n, s = len(w.J), len(tab.c)
    m = w.active[n]
    # D dZ/h - J_i dZ_i = D R/h
    _product(tab.D, w.R, 1.0 / h, w.G)
    u = w.u[: s * m]
    for i in range(s):
        for a in range(m):
            u[i * m + a] = w.G[i, w.active[a]]
    solve(square(w.M, s * m), w.rows_M, u)
    for i in range(s):
        for j in range(n):
            total = w.G[i, j]
            for a in range(m):
                total += w.Js[i, j, w.active[a]] * u[i * m + a]
            w.G[i, j] = total
    _product(tab.A, w.G, h, w.R)
    for i in range(s):
        for a in range(m):
            w.R[i, w.active[a]] = u[i * m + a]


def _size(job: Job) -> float:
    """Norm of the correction in units of the tolerance."""
    w, total = job.work, 0.0
    for i in range(len(w.R)):
        for j in range(len(w.scale)):
            total += (w.R[i, j] * w.scale[j]) ** 2
    return math.sqrt(total / (len(w.R) * job.rules.controlled))


def _noise(job: Job) -> float:
    """Norm of a rounding of the stages, in the same units."""
    w, total = job.work, 0.0
    for i in range(len(w.R)):
        for j in range(len(w.scale)):
            total += ((abs(job.y[j]) + abs(w.Z[i, j])) * w.scale[j]) ** 2
    return ROUNDING * math.sqrt(total / (len(w.R) * job.rules.controlled))


def prepare_coupled(job: Job, t: float, h: float) -> bool:
    """The stages' Jacobians at the present guess, and the coupled matrix."""
    w, n = job.work, len(job.y)
    for i in range(len(job.tab.c)):
        for j in range(n):
            w.at[j] = job.y[j] + w.Z[i, j]
        job.counters[EVALUATIONS] += fill(job, t + job.tab.c[i] * h, w.at, w.Js[i])
        job.counters[JACOBIANS] += 1
    before = w.active[n]
    find_active(job)
    job.counters[FACTORED] += 1
    return (w.active[n] == before or factor_real(h, job)) and factor_coupled(h, job)


def _correct(job: Job, h: float) -> float:
    """One iteration: Z corrected; returns the size of the correction."""
    w = job.work
    residual(h, job.tab, w)
    if job.counters[COUPLED] > 0:
        _coupled(h, job.tab, w)
    else:
        _simplified(h, job.tab, w)
    for i in range(len(w.Z)):
        for j in range(w.Z.shape[1]):
            w.Z[i, j] += w.R[i, j]
    return _size(job)


def power(x: float, exponent: int) -> float:
    """x^exponent for an exponent that is not below 0."""
    result, left = 1.0, exponent
    while left > 0:
        if left % 2 == 1:
            result *= x
        left //= 2
        x *= x
    return result


def iterate(job: Job, t: float, h: float) -> int:
    """Z from a guess; the clock has the last rate of convergence, and gets the new one."""
    clock, wanted, coupled = job.clock, job.rules.wanted, job.counters[COUPLED] > 0
    most = MOST_COUPLED if coupled else 7 + 5 * (len(job.tab.c) - 3) // 2
    before, theta, refreshed = math.inf, 0.0, 0
    for k in range(most):
        if not evaluate(job, t, h):
            return NONFINITE
        size = _correct(job, h)
        if not math.isfinite(size):
            return NONFINITE
        noise = _noise(job)
        if size <= FEW * noise:
            return CONVERGED
        if k > 0:
            theta = size / before
            clock[RATE] = max(theta, 1e-12)
            if (theta < 1.0 and size * theta / (1.0 - theta) <= wanted) or (theta > 0.5 and size <= MANY * noise):
                return CONVERGED
            # what would be left after the last iteration
            if not coupled and (theta >= 0.9 or size * power(theta, most - 1 - k) / (1.0 - theta) > wanted):
                return SLOW
        elif not coupled and size * clock[RATE] ** 0.8 <= wanted:
            return CONVERGED
        before = size
        if coupled and theta > FRESH:
            refreshed += 1
            if (theta > 2.0 and refreshed > 2) or not prepare_coupled(job, t, h):
                return SLOW
    return SLOW
