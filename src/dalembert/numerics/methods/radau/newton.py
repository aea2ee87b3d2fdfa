"""The stages' equations  Z = h A f  by Newton's method, in one of two forms [hairer1996, IV.8].

Simplified: one Jacobian for all stages; the eigenvectors of A^-1 split the system into one real system of n and
(s - 1)/2 complex ones. Its rate is h |J(stage) - J(start)|: where a stiff direction turns by d within the step and the
force across it is c, about h c d^2. It allows steps of c^(-1/3) only, however smooth the motion is.
Coupled: the Jacobian of each stage, s n equations at once. The rate is that of the guess, not of the turn.
"""

from __future__ import annotations

import math

import numpy as np

from ...machine.loop.compiled_loop import loop
from ...machine.loop.function_address import call
from ..lu import clear, factor, factor_complex, solve, solve_complex, square
from ..stepper import copy
from .tableau import Tableau
from .work_arrays import AGE, COUPLED, EVALUATIONS, FACTORED, H_LAST, JACOBIANS, MADE, PATIENCE, RATE, Job, RadauWork

# --- The Jacobian, compiled or by differences, and the matrices made of it -------------------------------------------

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


def residual(h: float, tab: Tableau, w: RadauWork) -> None:
    """R = h A f - Z."""
    _product(tab.A, w.f, h, w.R)
    for i in range(len(w.Z)):
        for j in range(w.Z.shape[1]):
            w.R[i, j] -= w.Z[i, j]


def solve_real(h: float, g: float, b: np.ndarray, x: np.ndarray, w: RadauWork) -> None:
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


def _solve_pair(k: int, h: float, tab: Tableau, w: RadauWork) -> None:
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


def _simplified(h: float, tab: Tableau, w: RadauWork) -> None:
    """The correction dZ = T dW of the transformed systems, in R."""
    # (Lambda/h - J) dW = T^-1 D R/h
    _product(tab.TD, w.R, 1.0 / h, w.G)
    solve_real(h, tab.roots[0, 0], w.G[0], w.X[0], w)
    for k in range(len(w.U)):
        _solve_pair(k, h, tab, w)
    _product(tab.T, w.X, 1.0, w.R)


def _coupled(h: float, tab: Tableau, w: RadauWork) -> None:
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


# --- The stages of one step: which form of Newton's method, which matrices -------------------------------------------

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
