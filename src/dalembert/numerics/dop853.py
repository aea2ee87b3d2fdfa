"""DOP853: the explicit Runge-Kutta method of order 8 with dense output of order 7 [hairer1993, II.5, II.6].

`advance` is one numba-compiled loop for every system: it calls right-hand sides by their address, fills buffers with
accepted steps and can be called again to go on. `Stepper` holds its arrays.

The tableau is SciPy's published one, in Hairer's order of stages: 0..11 the method, 12 the derivative at the new
point, 13..15 for the dense output only.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numba import njit
from scipy.integrate._ivp import dop853_coefficients as tableau

from .calls import call, value_at
from .jit import cached

END, FULL = 0, 1
NONFINITE, RANK, STEP_TOO_SMALL, BLOWUP, MAX_STEPS = 2, 3, 4, 5, 6

T, H, MARGIN = 0, 1, 2  # what `clock` holds
STEPS, REJECTED, EVALUATIONS = 0, 1, 2  # what `counters` holds

STAGES, ALL_STAGES, POWERS = tableau.N_STAGES, tableau.N_STAGES_EXTENDED, tableau.INTERPOLATOR_POWER
C = np.ascontiguousarray(tableau.C)
# rows 0..15: the stages, row 12 being the step itself; 16..19: dense output
WEIGHTS = np.vstack([tableau.A, tableau.D])
E5, E3 = np.ascontiguousarray(tableau.E5[:STAGES]), np.ascontiguousarray(tableau.E3[:STAGES])

SAFETY, SLOWEST, FASTEST, FAILED = 0.9, 0.2, 10.0, 0.25
EXPONENT = 1 / 8  # of the error estimate, which has order 7
LARGEST_STATE = 1e150

_OPTIONS = {"error_model": "numpy", "fastmath": {"contract"}, "nogil": True}
_part = njit(**_OPTIONS, no_cpython_wrapper=True, no_cfunc_wrapper=True)  # of `advance`, never called from Python


@_part
def _health(values: np.ndarray, margin: float, limit: float) -> int:
    """END where the values are finite and the margin is above its limit, else RANK or NONFINITE."""
    if margin <= limit:
        return RANK
    for value in values:
        if not math.isfinite(value):
            return NONFINITE
    return END


@_part
def _copy(source: np.ndarray, target: np.ndarray) -> None:
    for i in range(len(source)):
        target[i] = source[i]


@_part
def _combine(row: int, count: int, k: np.ndarray, result: np.ndarray) -> None:
    """result_i = sum_j w_j k_ji over the first `count` stages, w being a row of the table of weights."""
    for i in range(len(result)):
        result[i] = WEIGHTS[row, 0] * k[0, i]
    for j in range(1, count):
        weight = WEIGHTS[row, j]
        if weight != 0.0:
            for i in range(len(result)):
                result[i] += weight * k[j, i]


@_part
def _error(h: float, y: np.ndarray, y_new: np.ndarray, k: np.ndarray, rtol: float, atol: np.ndarray) -> float:
    """Norm of the error estimate; a step is good where it is at most 1 [hairer1993, II.10]."""
    e5, e3, controlled = 0.0, 0.0, 0
    for i in range(len(y)):
        if atol[i] < math.inf:
            d5, d3 = 0.0, 0.0
            for j in range(STAGES):
                d5 += E5[j] * k[j, i]
                d3 += E3[j] * k[j, i]
            scale = atol[i] + rtol * max(abs(y[i]), abs(y_new[i]))
            e5 += (d5 / scale) ** 2
            e3 += (d3 / scale) ** 2
            controlled += 1
    # err = |h| |e5|^2 / sqrt(n (|e5|^2 + |e3|^2 / 100))
    return abs(h) * e5 / math.sqrt(controlled * (e5 + 0.01 * e3)) if e5 != 0.0 else 0.0


@_part
def _growth(error: float, largest: float) -> float:
    """Factor to the next step size: 0.9 err^(-1/8) within bounds."""
    return min(largest, max(SLOWEST, SAFETY * error**-EXPONENT)) if error != 0.0 else largest


@_part
def _interpolant(h: float, y: np.ndarray, y_new: np.ndarray, k: np.ndarray, F: np.ndarray) -> None:
    """The coefficients (7, n) of the dense output, from all 16 stages [hairer1993, II.6]."""
    for m in range(3, POWERS):
        _combine(ALL_STAGES + m - 3, ALL_STAGES, k, F[m])
    for i in range(len(y)):
        change = y_new[i] - y[i]
        F[0, i] = change
        F[1, i] = h * k[0, i] - change
        F[2, i] = 2 * change - h * (k[STAGES, i] + k[0, i])
        for m in range(3, POWERS):
            F[m, i] *= h


@_part
def _attempt(
    rhs: int,
    project: int,
    t: float,
    t_new: float,
    y: np.ndarray,
    p: np.ndarray,
    k: np.ndarray,
    moment: np.ndarray,
    point: np.ndarray,
    y_new: np.ndarray,
    rtol: float,
    atol: np.ndarray,
    limit: float,
    counters: np.ndarray,
) -> tuple[int, float]:
    """One step from t to t_new: (health, error). k[0] is f(t, y); fills k[1:] and y_new where the error is <= 1."""
    h, n, error = t_new - t, len(y), math.inf
    for s in range(1, ALL_STAGES):
        # k_s = f(t + c_s h, y + h sum_{j<s} a_sj k_j)
        _combine(s, s, k, point)
        for i in range(n):
            point[i] = y[i] + h * point[i]
        moment[0] = t_new if s == STAGES else t + C[s] * h
        if s == STAGES:
            error = _error(h, y, point, k, rtol, atol)
            if not error <= 1.0:
                return (END if error < math.inf else NONFINITE), error
            _copy(point, y_new)
            if project != 0:
                call(project, moment, y_new, p, point)
                _copy(point, y_new)
        call(rhs, moment, point, p, k[s])
        counters[EVALUATIONS] += 1
        health = _health(k[s], k[s, n], limit)
        if health != END:
            return health, error
    return _health(y_new, math.inf, limit), error


@_part
def _largest(values: np.ndarray) -> float:
    largest = 0.0
    for value in values:
        largest = max(largest, abs(value))
    return largest


@cached(njit, **_OPTIONS)
def advance(
    rhs: int,
    project: int,
    t_end: float,
    p: np.ndarray,
    rtol: float,
    atol: np.ndarray,
    margin_limit: float,
    max_step: float,
    max_steps: int,
    clock: np.ndarray,
    y: np.ndarray,
    counters: np.ndarray,
    times: np.ndarray,
    states: np.ndarray,
    coefficients: np.ndarray,
    k: np.ndarray,
    points: np.ndarray,
) -> tuple[int, int]:
    """Step until t_end is reached, the buffers are full, or it cannot go on: returns (status, number of new steps).

    Args:
        rhs: address of ``f(t, y, p, out)``, which writes n derivatives and then a margin, > 0 where f is healthy.
        project: address of a function that writes the n projected values of y; 0 for none.
        t_end: where to stop, before or after the present time.
        p: parameters.
        rtol: relative tolerance.
        atol: absolute tolerances (n,), > 0; inf for a component that is carried along without error control.
        margin_limit: a step on which the margin is not above this is refused.
        max_step: largest step size.
        max_steps: how many steps, good and refused, may be tried in all (`counters` are never reset here).
        clock: ``[t, h, least margin on accepted steps]``, updated; h is not 0, its sign does not matter.
        y: state (n,), updated.
        counters: ``[steps, rejected, evaluations]``, updated.
        times, states, coefficients: buffers (c,), (c, n), (c, 7, n) for t, y and dense output of each new step.
        k, points: work space (16, n + 1) and (2, n + 1).

    All arrays are contiguous, float64, `counters` int64. The state is always that of the last accepted step.
    """
    n = len(y)
    moment, point, y_new = points[0, n:], points[0, :n], points[1, :n]
    recorded, largest_growth = 0, FASTEST
    if clock[T] == t_end:
        return END, recorded
    moment[0] = clock[T]
    call(rhs, moment, y, p, k[0])
    counters[EVALUATIONS] += 1
    health = _health(k[0], k[0, n], margin_limit)
    if health != END:
        return health, recorded
    while recorded < len(times):
        if counters[STEPS] + counters[REJECTED] >= max_steps:
            return MAX_STEPS, recorded
        # the last step goes exactly to the end, and is stretched by 1 % rather than followed by a tiny one
        t, planned = clock[T], min(abs(clock[H]), max_step)
        if not planned > 0.0:
            return STEP_TOO_SMALL, recorded
        t_new = t_end if abs(t_end - t) <= 1.01 * planned else t + math.copysign(planned, t_end - t)
        health, error = _attempt(
            rhs, project, t, t_new, y, p, k, moment, point, y_new, rtol, atol, margin_limit, counters
        )
        h = t_new - t
        if health != END or error > 1.0:
            counters[REJECTED] += 1
            largest_growth = 1.0
            clock[H] = h * (FAILED if health != END else _growth(error, 1.0))
            if abs(clock[H]) < 10 * np.spacing(abs(t)):
                return (health if health != END else STEP_TOO_SMALL), recorded
            continue
        _interpolant(h, y, y_new, k, coefficients[recorded])
        # a step cut short by the end says nothing against the size that was planned
        clock[H] = max(abs(h) * _growth(error, largest_growth), planned if t_new == t_end else 0.0)
        largest_growth = FASTEST
        for s in range(ALL_STAGES):
            clock[MARGIN] = min(clock[MARGIN], k[s, n])
        clock[T] = times[recorded] = t_new
        _copy(y_new, y)
        _copy(y_new, states[recorded])
        _copy(k[STAGES], k[0])
        counters[STEPS] += 1
        recorded += 1
        if _largest(y) > LARGEST_STATE:
            return BLOWUP, recorded
        if t_new == t_end:
            return END, recorded
    return FULL, recorded


@dataclass(frozen=True)
class Chunk:
    """Accepted steps: `status` (END, FULL, RANK, ...), their ends `t` (c,), `y` (c, n), dense output `F` (c, 7, n).

    `margin` is the least rank margin met on them.
    """

    status: int
    t: np.ndarray
    y: np.ndarray
    F: np.ndarray
    margin: float = math.inf


class Stepper:
    """One integration under way: the state of `advance` and its buffers.

    Args:
        rhs: address of the right-hand side, which writes n derivatives and a margin.
        t: starting time.
        y: starting state, shape (n,).
        p: parameters, shape (np,).
        rtol: relative tolerance.
        atol: absolute tolerance, a number or shape (n,); inf for components without error control.
        project: address of the projection, 0 for none.
        margin_limit: least admissible rank margin.
        max_step: largest step size.
        max_steps: how many steps may be tried in all.
        first_step: size of the first step; 0 lets the method choose.
        chunk: how many steps `advance` takes at most before it returns.
    """

    def __init__(
        self,
        rhs: int,
        t: float,
        y: np.ndarray,
        p: np.ndarray,
        *,
        rtol: float,
        atol: float | np.ndarray,
        project: int = 0,
        margin_limit: float = 0.0,
        max_step: float = math.inf,
        max_steps: int = 10_000_000,
        first_step: float = 0.0,
        chunk: int = 256,
    ) -> None:
        self.y = np.array(y, dtype=float)
        n = len(self.y)
        self.rhs, self.project, self.p = int(rhs), int(project), np.array(p, dtype=float)
        self.rtol, self.atol = float(rtol), np.array(np.broadcast_to(atol, n), dtype=float)
        self.margin_limit, self.max_step, self.max_steps = float(margin_limit), float(max_step), int(max_steps)
        self._clock = np.array([t, first_step, math.inf])
        self.margin = math.inf  # the smallest seen on accepted steps
        self._counters = np.zeros(3, dtype=np.int64)
        self._buffers = np.empty(chunk), np.empty((chunk, n)), np.empty((chunk, POWERS, n))
        self._work = np.zeros((ALL_STAGES, n + 1)), np.zeros((2, n + 1))

    def advance(self, t_end: float) -> Chunk:
        """Go on towards t_end; while the chunk's status is FULL, there is more to come."""
        if self.h == 0.0 and t_end != self.t:
            with np.errstate(all="ignore"):  # `advance` meets the same numbers and says what is wrong with them
                self._clock[H] = self._first_step(float(t_end) - self.t)
        self._clock[MARGIN] = math.inf
        status, count = advance(
            self.rhs,
            self.project,
            float(t_end),
            self.p,
            self.rtol,
            self.atol,
            self.margin_limit,
            self.max_step,
            self.max_steps,
            self._clock,
            self.y,
            self._counters,
            *self._buffers,
            *self._work,
        )
        t, y, F = (buffer[:count].copy() for buffer in self._buffers)
        margin = float(self._clock[MARGIN])
        self.margin = min(self.margin, margin)
        return Chunk(status, t, y, F, margin)

    def restart(self, t: float, y: np.ndarray, h: float = 0.0) -> None:
        """Go on from another time and state, as after a jump; h = 0 lets the method choose the next step size."""
        self._clock[T], self._clock[H] = t, h
        self.y[:] = y

    def _first_step(self, span: float) -> float:
        """Size of a first step towards t + span [hairer1993, II.4]."""
        weight = 1 / (self.atol + self.rtol * np.abs(self.y))  # 0 for components without error control
        f = self._slope(self.t, self.y)
        size, slope = _rms(self.y * weight, weight), _rms(f * weight, weight)
        h0 = min(1e-6 if min(size, slope) < 1e-5 else 0.01 * size / slope, abs(span))
        change = self._slope(self.t + math.copysign(h0, span), self.y + math.copysign(h0, span) * f) - f
        steepest = max(slope, _rms(change * weight, weight) / h0)
        # h1^8 max(|f|, |f'|) = 1/100
        h1 = (0.01 / steepest) ** EXPONENT if steepest > 1e-15 else max(1e-6, h0 * 1e-3)
        return float(min(100 * h0, h1)) if math.isfinite(steepest) else FAILED * h0

    def _slope(self, t: float, y: np.ndarray) -> np.ndarray:
        self._counters[EVALUATIONS] += 1
        return value_at(self.rhs, t, y, self.p, len(y) + 1)[:-1]

    @property
    def t(self) -> float:
        """The time reached."""
        return float(self._clock[T])

    @property
    def h(self) -> float:
        """The step size planned next; 0 before the first step."""
        return float(self._clock[H])

    @property
    def steps(self) -> int:
        """Number of accepted steps."""
        return int(self._counters[STEPS])

    @property
    def rejected(self) -> int:
        """Number of refused steps."""
        return int(self._counters[REJECTED])

    @property
    def evaluations(self) -> int:
        """Number of calls of the right-hand side."""
        return int(self._counters[EVALUATIONS])


def _rms(values: np.ndarray, weight: np.ndarray) -> float:
    """Root mean square over the components whose weight is not 0."""
    return float(np.sqrt(np.sum(values**2) / max(1, np.count_nonzero(weight))))
