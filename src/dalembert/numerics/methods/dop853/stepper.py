"""DOP853: the explicit Runge-Kutta method of order 8 with dense output of order 7 [hairer1993, II.5, II.6].

The step itself is compiled with the equations (`code`); `advance` is one numba-compiled loop for every system: it calls
steps by their address, chooses their size, fills buffers with accepted ones and can be called again to go on. `Stepper`
holds its arrays.
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit

from ...machine.calls import call, value_at
from ...machine.jit import cached
from ...machine.library import Library
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
    REJECTED,
    STEP_TOO_SMALL,
    STEPS,
    Chunk,
    Clocked,
    H,
    T,
)
from .code import ALL_STAGES, FASTEST, POWERS, STAGES, Work

Y, NEW, ERROR, LEAST, LARGEST, FIRST, LAST = range(7)  # what `layout` holds: first rows of `work`, see `Work`

FAILED = 0.25  # factor to the step size where a step cannot be judged
EXPONENT = 1 / 8  # of the error estimate, which has order 7
FEW = 16  # steps, where a chunk is short at first

_OPTIONS = {"error_model": "numpy", "fastmath": {"contract"}, "nogil": True}
_part = njit(**_OPTIONS, no_cpython_wrapper=True, no_cfunc_wrapper=True)  # of `advance`, never called from Python


@_part
def health(values: np.ndarray, margin: float, limit: float) -> int:
    """END where the values are finite and the margin is above its limit, else RANK or NONFINITE."""
    if margin <= limit:
        return RANK
    for value in values:
        if not math.isfinite(value):
            return NONFINITE
    return END


@_part
def verdict(error: float, margin: float, limit: float, largest: float) -> int:
    """END for a step that can be judged by its error, else RANK or NONFINITE."""
    if error > 1.0:
        return END
    if margin <= limit:
        return RANK
    return END if error < math.inf and math.isfinite(largest) else NONFINITE


@_part
def _copy(source: np.ndarray, target: np.ndarray) -> None:
    for i in range(len(source)):
        target[i] = source[i]


@cached(njit, **_OPTIONS)
def advance(
    rhs: int,
    step: int,
    dense: int,
    t_end: float,
    p: np.ndarray,
    tolerance: np.ndarray,
    controlled: int,
    margin_limit: float,
    max_step: float,
    max_steps: int,
    clock: np.ndarray,
    y: np.ndarray,
    counters: np.ndarray,
    times: np.ndarray,
    states: np.ndarray,
    coefficients: np.ndarray,
    work: np.ndarray,
    layout: np.ndarray,
    moment: np.ndarray,
) -> tuple[int, int]:
    """Step until t_end is reached, the buffers are full, or it cannot go on: returns (status, number of new steps).

    Args:
        rhs: address of ``f(t, y, p, out)``, which writes n derivatives and then a margin, > 0 where f is healthy.
        step, dense: addresses of the functions of `code.stepping`; 0 for `dense` where no dense output is wanted.
        t_end: where to stop, before or after the present time.
        p: parameters.
        tolerance: relative tolerance, then the absolute ones (n,), > 0; inf for a component that is carried along
            without error control.
        controlled: how many components are under error control.
        margin_limit: a step on which the margin is not above this is refused.
        max_step: largest step size.
        max_steps: how many steps, good and refused, may be tried in all (`counters` are never reset here).
        clock: ``[t, h, least margin on accepted steps]``, updated; h is not 0, its sign does not matter.
        y: state (n,), updated.
        counters: ``[steps, rejected, evaluations]``, updated.
        times, states, coefficients: buffers (c,), (c, n), (c, 7 n) for t, y and dense output of each new step.
        work, layout: work space and where things lie in it, see `Work`.
        moment: work space (4,).

    All arrays are contiguous, float64; `counters` and `layout` int64. The state is always that of the last accepted
    step.
    """
    n = len(y)
    at, new = work[layout[Y] : layout[Y] + n], work[layout[NEW] : layout[NEW] + n]
    first, last = work[layout[FIRST] : layout[FIRST] + n + 1], work[layout[LAST] : layout[LAST] + n + 1]
    recorded, largest_growth = 0, FASTEST
    if clock[T] == t_end:
        return END, recorded
    moment[0], moment[3] = clock[T], controlled
    _copy(y, at)
    call(rhs, moment, at, p, first)
    counters[EVALUATIONS] += 1
    status = health(first, first[n], margin_limit)
    if status != END:
        return status, recorded
    while recorded < len(times):
        if counters[STEPS] + counters[REJECTED] >= max_steps:
            return MAX_STEPS, recorded
        # the last step goes exactly to the end, and is stretched by 1 % rather than followed by a tiny one
        t, planned = clock[T], min(abs(clock[H]), max_step)
        t_new = t_end if abs(t_end - t) <= 1.01 * planned else t + math.copysign(planned, t_end - t)
        h = t_new - t
        if not abs(h) > 0.0:  # too small to move the time, or no number
            return STEP_TOO_SMALL, recorded
        moment[0], moment[1], moment[2] = t, h, t_new
        call(step, moment, p, tolerance, work)
        counters[EVALUATIONS] += STAGES
        error, growth = work[layout[ERROR]], work[layout[ERROR] + 1]
        status = verdict(error, work[layout[LEAST]], margin_limit, work[layout[LARGEST]])
        if status != END or error > 1.0:
            counters[REJECTED] += 1
            largest_growth = 1.0
            clock[H] = h * (FAILED if status != END else min(growth, 1.0))
            if abs(clock[H]) < 10 * np.spacing(abs(t)):
                return (status if status != END else STEP_TOO_SMALL), recorded
            continue
        clock[MARGIN] = min(clock[MARGIN], work[layout[LEAST]])
        if dense != 0:
            call(dense, moment, p, work, coefficients[recorded])
            counters[EVALUATIONS] += ALL_STAGES - STAGES - 1
            clock[MARGIN] = min(clock[MARGIN], work[layout[LEAST]])
        # a step cut short by the end says nothing against the size that was planned
        clock[H] = max(abs(h) * min(growth, largest_growth), planned if t_new == t_end else 0.0)
        largest_growth = FASTEST
        clock[T] = times[recorded] = t_new
        _copy(new, at)
        _copy(new, y)
        _copy(new, states[recorded])
        _copy(last, first)
        counters[STEPS] += 1
        recorded += 1
        if work[layout[LARGEST]] > LARGEST_STATE:
            return BLOWUP, recorded
        if t_new == t_end:
            return END, recorded
    return FULL, recorded


@cached(njit, **_OPTIONS)
def _repeat(
    rhs: int,
    step: int,
    dense: int,
    p: np.ndarray,
    tolerance: np.ndarray,
    times: np.ndarray,
    ends: np.ndarray,
    states: np.ndarray,
    coefficients: np.ndarray,
    work: np.ndarray,
    layout: np.ndarray,
    moment: np.ndarray,
) -> None:
    """The dense output of steps from times[i] to ends[i]; see `advance` for the other arguments."""
    n = states.shape[1]
    at, first = work[layout[Y] : layout[Y] + n], work[layout[FIRST] : layout[FIRST] + n + 1]
    for i in range(len(times)):
        moment[0], moment[1], moment[2], moment[3] = times[i], ends[i] - times[i], ends[i], 1.0
        _copy(states[i], at)
        call(rhs, moment, at, p, first)
        call(step, moment, p, tolerance, work)
        call(dense, moment, p, work, coefficients[i])


def layout_of(n: int, tail: int = 1) -> np.ndarray:
    """The first rows of `Work` in the order of Y, NEW, ERROR, ..."""
    work = Work(n, tail)
    return np.array(
        [work.Y, work.new, work.error, work.margin, work.largest, work.stage(0), work.stage(STAGES)], np.int64
    )


class Stepper(Clocked):
    """One integration under way: the state of `advance` and its buffers.

    Args:
        code: has ``rhs``, which writes n derivatives and a margin, and the ``step`` and ``dense`` of `code.stepping`.
        t: starting time.
        y: starting state, shape (n,).
        p: parameters, shape (np,).
        rtol: relative tolerance.
        atol: absolute tolerance, a number or shape (n,); inf for components without error control.
        margin_limit: least admissible rank margin.
        max_step: largest step size.
        max_steps: how many steps may be tried in all.
        first_step: size of the first step; 0 lets the method choose.
        chunk: how many steps `advance` takes at most before it returns.
        patient: does it return that late from the beginning? Else after few steps at first, and after a restart: for
            runs that may be cut short, where steps beyond the cut are wasted.
        tail: how many numbers the right-hand side writes behind the derivative, the margin first.
        dense: is dense output wanted? Without it the chunks' F is empty, and a step costs three evaluations less.
    """

    def __init__(
        self,
        code: Library,
        t: float,
        y: np.ndarray,
        p: np.ndarray,
        *,
        rtol: float,
        atol: float | np.ndarray,
        margin_limit: float = 0.0,
        max_step: float = math.inf,
        max_steps: int = 10_000_000,
        first_step: float = 0.0,
        chunk: int = 256,
        dense: bool = True,
        patient: bool = True,
        tail: int = 1,
    ) -> None:
        self.y, self._tail = np.array(y, dtype=float), tail
        n = len(self.y)
        self.code, self.p = code, np.array(p, dtype=float)
        self._chunk = chunk
        self._least = self._next = chunk if patient else min(FEW, chunk)
        self._dense = code.address("dense") if dense else 0
        self.rtol, self.atol = float(rtol), np.array(np.broadcast_to(atol, n), dtype=float)
        self._tolerance = np.r_[self.rtol, self.atol]
        self.margin_limit, self.max_step, self.max_steps = float(margin_limit), float(max_step), int(max_steps)
        self._clock = np.array([t, first_step, math.inf])
        self._counters = np.zeros(3, dtype=np.int64)
        self._buffers = np.empty(chunk), np.empty((chunk, n)), np.empty((chunk if dense else 0, POWERS * n))
        self._work = np.zeros(Work(n, tail).size), layout_of(n, tail), np.zeros(4)

    def advance(self, t_end: float) -> Chunk:
        """Go on towards t_end; while the chunk's status is FULL, there is more to come."""
        if self.h == 0.0 and t_end != self.t:
            with np.errstate(all="ignore"):  # `advance` meets the same numbers and says what is wrong with them
                self._clock[H] = self._first_step(float(t_end) - self.t)
        self._clock[MARGIN] = math.inf
        status, count = advance(
            self.code.address("rhs"),
            self.code.address("step"),
            self._dense,
            float(t_end),
            self.p,
            self._tolerance,
            int(np.count_nonzero(np.isfinite(self.atol))),
            self.margin_limit,
            self.max_step,
            self.max_steps,
            self._clock,
            self.y,
            self._counters,
            *(buffer[: self._next] for buffer in self._buffers),
            *self._work,
        )
        self._next = min(2 * self._next, self._chunk)
        t, y, F = (buffer[:count].copy() for buffer in self._buffers)
        F = F.reshape(len(F), POWERS, len(self.y))
        return self.chunk(status, t, y, F)

    def dense_output(self, t: np.ndarray, y: np.ndarray, ends: np.ndarray) -> np.ndarray:
        """Coefficients (c, 7, n) of steps that were made without dense output: from t (c,), y (c, n) to their ends."""
        F = np.empty((len(t), POWERS * len(self.y)))
        code, work = self.code, (self._work[0].copy(), *self._work[1:])
        addresses = [code.address(name) for name in ("rhs", "step", "dense")]
        _repeat(*addresses, self.p, self._tolerance, *(np.array(a, float) for a in (t, ends, y)), F, *work)
        return F.reshape(len(F), POWERS, len(self.y))

    def restart(self, t: float, y: np.ndarray, h: float = 0.0) -> None:
        """Go on from another time and state, as after a jump; h = 0 lets the method choose the next step size."""
        self._clock[T], self._clock[H] = t, h
        self._next = self._least
        self.y[:] = y

    def _first_step(self, span: float) -> float:
        """Size of a first step towards t + span [hairer1993, II.4]."""
        weight = 1 / (self.atol + self.rtol * np.abs(self.y))  # 0 for components without error control
        f = self._slope(self.t, self.y)
        size, slope = _rms(self.y * weight, weight), _rms(f * weight, weight)
        h0 = min(1e-6 if min(size, slope) < 1e-5 else 0.01 * size / slope, abs(span))
        if not h0 > 0.0:  # the slope is beyond all numbers: no step is small enough
            return 0.0
        change = self._slope(self.t + math.copysign(h0, span), self.y + math.copysign(h0, span) * f) - f
        steepest = max(slope, _rms(change * weight, weight) / h0)
        # h1^8 max(|f|, |f'|) = 1/100
        h1 = (0.01 / steepest) ** EXPONENT if steepest > 1e-15 else max(1e-6, h0 * 1e-3)
        return float(min(100 * h0, h1)) if math.isfinite(steepest) else FAILED * h0

    def _slope(self, t: float, y: np.ndarray) -> np.ndarray:
        self._counters[EVALUATIONS] += 1
        return value_at(self.code.address("rhs"), t, y, self.p, len(y) + self._tail)[: len(y)]


def _rms(values: np.ndarray, weight: np.ndarray) -> float:
    """Root mean square over the components whose weight is not 0."""
    return float(np.sqrt(np.sum(values**2) / max(1, np.count_nonzero(weight))))
