"""Newton's method on compiled residuals, to rounding.

The factored matrix is kept as long as the iteration converges fast, from one system to the next too. An iteration ends
when its corrections are down to rounding, so that no error of it adds up over many steps.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ...machine.loop.address import call
from ..stepping import END, EVALUATIONS, NONFINITE, RANK, STEP_TOO_SMALL

MOST = 50  # iterations
ROUNDING = 4 * 2.0**-52  # a correction this small is none
NOISE = 64 * 2.0**-52  # one below this that does not shrink is none either
STUCK = 1e-9  # nor is one below this where the matrix is new
FAST = 0.1  # by so much an iteration with an old matrix must shrink the correction


class Unknowns(NamedTuple):
    """What is solved for.

    Attributes:
        residual, system: addresses of the residuals, and of these and then their Jacobian by rows.
        first: where in y the unknowns begin.
        groups: the kind of each unknown; corrections count against the largest unknown of the kind, those of kind -1
            do not count.
    """

    residual: int
    system: int
    first: int
    groups: np.ndarray


class Factored(NamedTuple):
    """A factored matrix (n, n + 1) and its rows (n,); `ready` (1,) is 1 where there is one. `dx` (n,) is work space."""

    A: np.ndarray
    rows: np.ndarray
    ready: np.ndarray
    dx: np.ndarray


def _factor(A: np.ndarray, rows: np.ndarray, n: int) -> bool:
    """P A = L U in place, with partial pivots on rows scaled to 1; False where A is singular."""
    for i in range(n):
        rows[i] = i
        largest = 0.0
        for j in range(n):
            largest = max(largest, abs(A[i, j]))
        A[i, n] = 1.0 / largest if largest > 0.0 else 0.0
    for c in range(n):
        best = c
        for i in range(c + 1, n):
            if abs(A[i, c]) * A[i, n] > abs(A[best, c]) * A[best, n]:
                best = i
        if not abs(A[best, c]) * A[best, n] > 0.0:
            return False
        if best != c:
            rows[c], rows[best] = rows[best], rows[c]
            for j in range(n + 1):
                A[c, j], A[best, j] = A[best, j], A[c, j]
        for i in range(c + 1, n):
            factor = A[i, c] / A[c, c]
            A[i, c] = factor
            if factor != 0.0:
                for j in range(c + 1, n):
                    A[i, j] -= factor * A[c, j]
    return True


def _solve(A: np.ndarray, rows: np.ndarray, n: int, b: np.ndarray, x: np.ndarray) -> None:
    """x with A x = b, A being factored."""
    for i in range(n):
        x[i] = b[rows[i]]
        for j in range(i):
            x[i] -= A[i, j] * x[j]
    for i in range(n - 1, -1, -1):
        for j in range(i + 1, n):
            x[i] -= A[i, j] * x[j]
        x[i] /= A[i, i]


def _change(x: np.ndarray, dx: np.ndarray, groups: np.ndarray) -> float:
    """Largest correction of an unknown in units of the largest unknown of its group."""
    largest = 0.0
    for i in range(len(groups)):
        if groups[i] < 0:
            if not math.isfinite(dx[i]):
                return math.inf
            continue
        size = 0.0
        for j in range(len(groups)):
            if groups[j] == groups[i]:
                size = max(size, abs(x[j]))
        part = abs(dx[i]) / size if dx[i] != 0.0 else 0.0
        if not part < math.inf:
            return math.inf
        largest = max(largest, part)
    return largest


def _correction(
    unknowns: Unknowns, moment: np.ndarray, y: np.ndarray, p: np.ndarray, out: np.ndarray, kept: Factored
) -> int:
    """dx from the residuals, with a new matrix where there is no old one: END, or RANK where it is singular."""
    n = len(unknowns.groups)
    if kept.ready[0] != 0:
        call(unknowns.residual, moment, y, p, out)
    else:
        call(unknowns.system, moment, y, p, out)
        for i in range(n):
            for j in range(n):
                kept.A[i, j] = out[n + i * n + j]
        if not _factor(kept.A, kept.rows, n):
            return RANK
        kept.ready[0] = 1
    _solve(kept.A, kept.rows, n, out, kept.dx)
    return END


def newton(
    unknowns: Unknowns,
    moment: np.ndarray,
    y: np.ndarray,
    p: np.ndarray,
    out: np.ndarray,
    kept: Factored,
    counters: np.ndarray,
) -> int:
    """Solve residual(y) = 0 for the unknowns: END, or RANK, NONFINITE, STEP_TOO_SMALL where there is no solution near.

    Args:
        unknowns: of which system.
        moment, y, p, out: arguments of its functions; y is updated.
        kept: a matrix of an earlier solution nearby, used as long as it serves.
        counters: calls are counted as evaluations.
    """
    n, before, new = len(unknowns.groups), math.inf, False
    x = y[unknowns.first : unknowns.first + n]
    for _ in range(MOST):
        counters[EVALUATIONS] += 1
        new = new or kept.ready[0] == 0
        status = _correction(unknowns, moment, y, p, out, kept)
        if status != END:
            return status
        for i in range(n):
            x[i] -= kept.dx[i]
        change = _change(x, kept.dx, unknowns.groups)
        if not change < math.inf:
            kept.ready[0] = 0
            return NONFINITE
        shrinks = change < 0.5 * before
        if change <= ROUNDING or (not shrinks and change < (STUCK if new else NOISE)):
            return END
        if change > NOISE and change > FAST * min(before, 1.0):
            kept.ready[0] = 0
        before = change
    return STEP_TOO_SMALL
