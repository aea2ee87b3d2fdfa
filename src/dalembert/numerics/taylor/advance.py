"""The control loop of the Taylor method: step size [jorba2005], the sum of the series, and the run.

The scale s of the series is a power of two near the step, so that the coefficients neither overflow nor underflow: in
x = (t - t_old)/s the radius of convergence is of order 1.
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit

from ..calls import call
from ..dop853 import (
    BLOWUP,
    END,
    EVALUATIONS,
    FAILED,
    FULL,
    LARGEST_STATE,
    MARGIN,
    MAX_STEPS,
    NONFINITE,
    RANK,
    REJECTED,
    STEP_TOO_SMALL,
    STEPS,
    H,
    T,
)
from ..jit import cached
from .emission import HEAD, HIGHEST, LANES
from .path import PROBES

LAST = 6  # so many of the last coefficients decide on the step: series may have gaps
LONGEST = 1e6  # times the scale, where the series ends by itself
SMALLER = 2.0**-40  # change of scale where coefficients overflow

_OPTIONS = {"error_model": "numpy", "fastmath": {"contract"}, "nogil": True}
_part = njit(**_OPTIONS, no_cpython_wrapper=True, no_cfunc_wrapper=True)


@_part
def _power_of_two(size: float) -> float:
    """The largest power of two that is not above `size`."""
    return math.ldexp(0.5, math.frexp(size)[1])


@_part
def _short(size: float) -> float:
    """A little less in 6 bits: its powers and the times reached are exact, so that rounding shows no preference."""
    unit = _power_of_two(size) / 32.0
    return math.floor(size / unit) * unit if size < math.inf else size


@_part
def _finite(values: np.ndarray) -> bool:
    total = 0.0
    for i in range(len(values)):
        total += abs(values[i]) * 1e-300
    return math.isfinite(total)


@_part
def _copy(source: np.ndarray, target: np.ndarray) -> None:
    for i in range(len(source)):
        target[i] = source[i]


@_part
def _radius(c: np.ndarray, order: int, guess: float, rtol: float, atol: np.ndarray, weight: np.ndarray) -> float:
    """The x up to which the series is good.

    Each state counts by itself, by the size that its terms have on a step of the guessed length.
    """
    n = len(atol)
    for i in range(n):
        size = max(abs(c[0, i]), abs(c[1, i]) * guess, abs(c[2, i]) * guess * guess) + atol[i] / rtol
        weight[i] = 1.0 / size if size > 0.0 else math.inf
    # x_j = (size_i/|c_ji|)^(1/j) rtol^(1/order) , the smallest over states i and the last orders j
    least = math.inf
    for j in range(order - LAST + 1, order + 1):
        largest = 0.0
        for i in range(n):
            largest = max(largest, abs(c[j, i]) * weight[i] if c[j, i] != 0.0 else 0.0)
        if largest > 0.0:
            least = min(least, -math.log(largest) / j)
    return math.exp(least + math.log(rtol) / order) if least < 700.0 else math.inf


@_part
def _span(c: np.ndarray, order: int, guess: float, rtol: float, atol: np.ndarray, weight: np.ndarray) -> float:
    """The same with a guess that is about right."""
    x = guess
    for _ in range(8):
        x = _radius(c, order, min(guess, LONGEST), rtol, atol, weight)
        if 0.5 * guess <= x <= 2.0 * guess or x >= LONGEST:
            break
        guess = x
    return min(x, LONGEST)


@_part
def _added(y: np.ndarray, low: np.ndarray, change: np.ndarray, y_new: np.ndarray, low_new: np.ndarray) -> None:
    """y + change with what rounding leaves over, y and low being one number in two parts."""
    for i in range(len(y)):
        a, b = y[i], change[i] + low[i]
        total = a + b
        part = total - a
        y_new[i] = total
        low_new[i] = (a - (total - part)) + (b - part)


@_part
def _inside(
    rhs: int,
    t: float,
    h: float,
    y: np.ndarray,
    probes: np.ndarray,
    change: np.ndarray,
    p: np.ndarray,
    moment: np.ndarray,
    point: np.ndarray,
    slope: np.ndarray,
    limit: float,
    counters: np.ndarray,
) -> tuple[int, float]:
    """Look at the right-hand side within the step and at its end: (health, least margin)."""
    n, least = len(y), math.inf
    for probe in range(len(PROBES) + 1):
        for i in range(n):
            point[i] = y[i] + (probes[probe, i] if probe < len(PROBES) else change[i])
        moment[0] = t + (PROBES[probe] * h if probe < len(PROBES) else h)
        call(rhs, moment, point, p, slope)
        counters[EVALUATIONS] += 1
        least = min(least, slope[n])
        if not slope[n] > limit:
            return (RANK if slope[n] <= limit else NONFINITE), least
        if not _finite(slope[:n]):
            return NONFINITE, least
    return END, least


@_part
def _finite_start(
    series: int, moment: np.ndarray, y: np.ndarray, p: np.ndarray, out: np.ndarray, c: np.ndarray
) -> bool:
    """Are at least the state and its rate finite?"""
    call(series, moment, y, p, out)
    good = _finite(c[0]) and _finite(c[1])
    out[:] = 0.0
    return good


@cached(njit, **_OPTIONS)
def advance(
    series: int,
    path: int,
    rhs: int,
    shift: int,
    project: int,
    order: int,
    t_end: float,
    p: np.ndarray,
    rtol: float,
    atol: np.ndarray,
    margin_limit: float,
    max_step: float,
    max_steps: int,
    clock: np.ndarray,
    both: np.ndarray,
    given: np.ndarray,
    counters: np.ndarray,
    times: np.ndarray,
    states: np.ndarray,
    coefficients: np.ndarray,
    out: np.ndarray,
    q: np.ndarray,
    points: np.ndarray,
) -> tuple[int, int]:
    """Step until t_end is reached, the buffers are full, or it cannot go on: returns (status, number of new steps).

    Args:
        series, path: addresses of the code that makes the series (see `emission`) and the step (see `path`).
        rhs: address of the right-hand side and margin.
        shift: address of a function that writes the n changes of y + low by projection; 0 for none.
        project: address of the projection of rounded states, which the path gets; 0 for none.
        order: of the series.
        t_end, p, rtol, atol, margin_limit, max_step, max_steps, counters: as for `dop853.advance`.
        clock: ``[t, planned h, least margin]``, updated; h > 0.
        both: the state and behind it what rounding has left over of it (2 n,), updated.
        given: the state as the path has it (n,), updated.
        times, states, coefficients: buffers (c,), (c, n), (c, order, padded n).
        out: what the series writes to; finite.
        q, points: work space (order + 2, padded n) and (7, padded n + 4).
    """
    n, stride = len(both) // 2, q.shape[1]
    y, low = both[:n], both[n:]
    c = out[HEAD : HEAD + (HIGHEST + 1) * stride].reshape(HIGHEST + 1, stride)
    point = points[3, :stride]
    new = points[1:3].ravel()[: 2 * n]
    y_new, low_new = new[:n], new[n:]
    slope, moment, weight = points[4], points[5], points[6, :n]
    recorded, shortened, scale = 0, math.inf, _power_of_two(clock[H])
    while recorded < len(times):
        t = clock[T]
        if t == t_end:
            return END, recorded
        if counters[STEPS] + counters[REJECTED] >= max_steps:
            return MAX_STEPS, recorded
        moment[0], moment[1], moment[2] = t, order, scale
        call(series, moment, both, p, out)
        counters[EVALUATIONS] += 1
        if not out[0] > margin_limit:
            return (RANK if out[0] <= margin_limit else NONFINITE), recorded
        planned = _span(c, order, clock[H] / scale, rtol, atol, weight) * scale
        planned = _short(min(planned, max_step, shortened))
        # the last step goes exactly to the end, and is stretched by 1 % rather than followed by a tiny one
        t_new = t_end if abs(t_end - t) <= 1.01 * planned else t + math.copysign(planned, t_end - t)
        h = t_new - t
        F = coefficients[recorded]
        change = F[0]
        moment[0], moment[1], moment[2] = h / scale, order, stride // LANES
        call(path, moment, c.ravel(), q.ravel(), F.ravel())
        if not _finite(change):
            out[:] = 0.0
            scale *= SMALLER
            if scale < 1e-300 or not _finite_start(series, moment, both, p, out, c):
                return NONFINITE, recorded
            counters[REJECTED] += 1
            continue
        if not planned >= 10 * np.spacing(abs(t)):
            return STEP_TOO_SMALL, recorded
        health, margin = _inside(rhs, t, h, y, q[order:], change, p, moment, point, slope, margin_limit, counters)
        if health != END:
            counters[REJECTED] += 1
            shortened = abs(h) * FAILED
            if shortened < 10 * np.spacing(abs(t)):
                return health, recorded
            continue
        _added(y, low, change, y_new, low_new)
        moment[0] = t_new
        if shift != 0:
            call(shift, moment, new, p, point)
            _added(y_new, low_new, point[:n], y_new, low_new)
        if project != 0:
            call(project, moment, y_new, p, point)
        else:
            _copy(y_new, point)
        largest = 0.0
        for i in range(n):
            F[0, i] = point[i] - given[i]  # with what rounding and projection have moved: the path ends at this state
            given[i] = states[recorded, i] = point[i]
            y[i] = y_new[i]
            low[i] = low_new[i]
            largest = max(largest, abs(y_new[i]))
        clock[H], shortened, scale = planned, math.inf, _power_of_two(planned)
        clock[MARGIN] = min(clock[MARGIN], out[0], margin)
        clock[T] = times[recorded] = t_new
        counters[STEPS] += 1
        recorded += 1
        if largest > LARGEST_STATE:
            return BLOWUP, recorded
        if t_new == t_end:
            return END, recorded
    return FULL, recorded
