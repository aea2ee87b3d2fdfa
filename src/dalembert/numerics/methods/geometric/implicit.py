"""Fixed steps of an implicit method: compositions and dense output.

`march` is one numba-compiled loop for every method and system: it calls a scheme's functions (`onestep.Compiled`) and
the right-hand side by their addresses.

`FixedStepper` holds the arrays.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numba import njit

from ...machine.calls import call
from ...machine.jit import cached
from ..dop853.code import POWERS
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
    STEP_TOO_SMALL,
    STEPS,
    Chunk,
    Clocked,
    T,
)
from .hermite import hermite, second
from .newton import OPTIONS, newton, part
from .one_step import Compiled

ORIGIN, INDEX = 3, 4  # what `clock` holds too: where the grid of steps begins, steps since then


@part
def _substep(
    rhs: int,
    addresses: np.ndarray,
    bounds: np.ndarray,
    groups: np.ndarray,
    own_work: bool,
    moment: np.ndarray,
    y: np.ndarray,
    p: np.ndarray,
    out: np.ndarray,
    A: np.ndarray,
    rows: np.ndarray,
    dx: np.ndarray,
    ready: np.ndarray,
    counters: np.ndarray,
) -> int:
    """One step of the scheme; y holds state, derivatives and unknowns, and gets the new state and derivatives."""
    n = (len(y) - len(groups) - 1) // 2
    unknowns, rates = y[2 * n + 1 :], y[n : 2 * n + 1]
    call(addresses[0, 0], moment, y, p, unknowns)
    for i in range(len(bounds) - 1):
        low, high = bounds[i], bounds[i + 1]
        status = newton(
            addresses[i + 1, 0],
            addresses[i + 1, 1],
            moment,
            y,
            2 * n + 1 + low,
            groups[low:high],
            p,
            out,
            A[i],
            rows[i],
            dx,
            ready[i : i + 1],
            counters,
        )
        if status != END:
            return status
    power = rates[n - 1]
    call(addresses[0, 1], moment, y, p, out)
    for i in range(n):
        y[i] = out[i]
    t = moment[0]
    moment[0] = t + moment[1]
    call(rhs, moment, y, p, rates)
    counters[EVALUATIONS] += 1
    moment[0] = t
    if not own_work:
        y[n - 1] += 0.5 * moment[1] * (power + rates[n - 1])
    for i in range(2 * n):
        if not math.isfinite(y[i]):
            return NONFINITE
    return END


@part
def _composed(
    rhs: int,
    addresses: np.ndarray,
    bounds: np.ndarray,
    groups: np.ndarray,
    parts: np.ndarray,
    own_work: bool,
    margin_limit: float,
    t: float,
    h: float,
    y: np.ndarray,
    p: np.ndarray,
    counters: np.ndarray,
    out: np.ndarray,
    A: np.ndarray,
    rows: np.ndarray,
    ready: np.ndarray,
    moment: np.ndarray,
    dx: np.ndarray,
) -> int:
    """One step of the composition from t to t + h."""
    margin = len(y) - len(groups) - 1
    moment[0] = t
    for s in range(len(parts)):
        moment[1] = parts[s] * h
        status = _substep(
            rhs, addresses, bounds, groups, own_work, moment, y, p, out, A[s], rows[s], dx, ready[s], counters
        )
        if status != END:
            return status
        moment[0] += moment[1]
    return END if y[margin] > margin_limit else RANK


@part
def _record(
    t: float,
    t_new: float,
    old: np.ndarray,
    y: np.ndarray,
    bends: np.ndarray,
    n: int,
    states: np.ndarray,
    coefficients: np.ndarray,
) -> float:
    """Write the new state and the dense output of the step; the largest of the state."""
    hermite(t_new - t, old, y, bends[1, :n], bends[2, :n], coefficients)
    largest = 0.0
    for i in range(len(states)):
        states[i] = y[i]
        largest = max(largest, abs(y[i]))
    return largest


@part
def _start(
    rhs: int, t: float, h: float, y: np.ndarray, n: int, p: np.ndarray, margin_limit: float, moment: np.ndarray
) -> int:
    """Derivatives and margin at the first state."""
    moment[0], moment[1] = t, h
    call(rhs, moment, y, p, y[n : 2 * n + 1])
    if not y[2 * n] > margin_limit:
        return RANK
    for i in range(2 * n):
        if not math.isfinite(y[i]):
            return NONFINITE
    return END


@cached(njit, **OPTIONS)
def march(
    rhs: int,
    addresses: np.ndarray,
    bounds: np.ndarray,
    groups: np.ndarray,
    parts: np.ndarray,
    own_work: bool,
    smooth: bool,
    h: float,
    t_end: float,
    p: np.ndarray,
    margin_limit: float,
    max_steps: int,
    clock: np.ndarray,
    y: np.ndarray,
    old: np.ndarray,
    counters: np.ndarray,
    times: np.ndarray,
    states: np.ndarray,
    coefficients: np.ndarray,
    out: np.ndarray,
    A: np.ndarray,
    rows: np.ndarray,
    ready: np.ndarray,
    bends: np.ndarray,
) -> tuple[int, int]:
    """Step until t_end is reached, the buffers are full, or it cannot go on: returns (status, number of new steps).

    Args:
        rhs: address of ``f(t, y, p, out)``, which writes n derivatives and a margin.
        addresses: (1 + phases, 2): of guess and finish, then of residual and system of each phase.
        bounds: where each phase's unknowns begin, and where the last ones end.
        groups: the kind of each unknown, -1 where it is not judged.
        parts: the parts of a step that make up the composition.
        own_work: does the scheme compute the work?
        smooth: give the dense output second derivatives (order 6).
        h: step size, not 0; its sign does not matter.
        t_end: where to stop.
        p: parameters.
        margin_limit: a state whose margin is not above this is not passed.
        max_steps: how many steps may be made in all.
        clock: time, step size, least margin, beginning of the grid of steps, steps since then; updated.
        y: state (n), derivatives and margin (n + 1), unknowns; updated. `old` is work space of the same size.
        counters: steps, refused ones (none), evaluations.
        times, states, coefficients: buffers for the new steps.
        out, A, rows, ready, bends: work space: (out), (parts, phases, M, M + 1), (parts, phases, M), (parts, phases),
            (3, 2 n + 1).
    """
    n, recorded = states.shape[1], 0
    moment, dx = np.empty(2), np.empty(A.shape[2])
    status, bent = _start(rhs, clock[T], h, y, n, p, margin_limit, moment), n if smooth else 0
    counters[EVALUATIONS] += 1
    if status == END and smooth:
        second(rhs, clock[T], h, y, p, moment, bends[0], bends[1, :n])
    while status == END and clock[T] != t_end:
        if recorded == len(times):
            return FULL, recorded
        if counters[STEPS] >= max_steps:
            return MAX_STEPS, recorded
        # the last step goes exactly to the end, and is stretched by 1 % rather than followed by a tiny one
        t = clock[T]
        ahead = clock[ORIGIN] + (clock[INDEX] + 1) * math.copysign(h, t_end - t)
        t_new = t_end if abs(t_end - t) <= 1.01 * abs(h) else ahead
        if t_new == t:
            return STEP_TOO_SMALL, recorded
        old[:] = y
        status = _composed(
            rhs,
            addresses,
            bounds,
            groups,
            parts,
            own_work,
            margin_limit,
            t,
            t_new - t,
            y,
            p,
            counters,
            out,
            A,
            rows,
            ready,
            moment,
            dx,
        )
        if status != END:
            y[:] = old
            ready[:] = 0
            return status, recorded
        if smooth:
            bends[2, :n] = bends[1, :n]
            second(rhs, t_new, t_new - t, y, p, moment, bends[0], bends[1, :n])
        largest = _record(t, t_new, old, y, bends, bent, states[recorded], coefficients[recorded])
        clock[MARGIN] = min(clock[MARGIN], y[2 * n])
        clock[INDEX] += 1
        clock[T] = times[recorded] = t_new
        if t_new == t_end:
            clock[ORIGIN], clock[INDEX] = t_new, 0.0
        counters[STEPS] += 1
        recorded += 1
        if largest > LARGEST_STATE:
            return BLOWUP, recorded
    return status, recorded


class FixedStepper(Clocked):
    """One integration with fixed steps under way.

    Args:
        rhs: address of the right-hand side, which writes n derivatives and a margin.
        scheme: the compiled step of order 2.
        parts: the parts of a step, from `composition.steps`.
        t, y, p: start and parameters; y (n,) ends with the work.
        step: size of the steps; only the last one may differ, by 1 % or by being shorter.
        margin_limit: least admissible rank margin.
        max_steps: how many steps may be made.
        chunk: how many steps `advance` makes at most before it returns.
    """

    def __init__(
        self,
        rhs: int,
        scheme: Compiled,
        parts: np.ndarray,
        t: float,
        y: np.ndarray,
        p: np.ndarray,
        *,
        step: float,
        margin_limit: float = 0.0,
        max_steps: int = 10_000_000,
        chunk: int = 256,
    ) -> None:
        n, unknowns, largest = len(y), sum(scheme.sizes), max(scheme.sizes)
        self._state = np.zeros(2 * n + 1 + unknowns)
        self._n, self._scheme = n, scheme
        address = scheme.library.address
        pairs = [(f"residual{i}", f"system{i}") for i in range(len(scheme.sizes))]
        addresses = [[address(a), address(b)] for a, b in (("guess", "finish"), *pairs)]
        smooth = len(parts) > 5  # of order 6
        self._fixed: tuple[Any, ...] = (
            int(rhs),
            np.array(addresses, dtype=np.int64),
            np.array([0, *np.cumsum(scheme.sizes)], dtype=np.int64),
            np.array(scheme.groups, dtype=np.int64),
            np.array(parts, dtype=float),
            scheme.own_work,
            smooth,
            float(step),
        )
        self._p, self._limits = np.array(p, dtype=float), (float(margin_limit), int(max_steps))
        self._clock = np.array([t, float(step), math.inf, t, 0.0])
        self._counters = np.zeros(3, dtype=np.int64)
        self._buffers = np.empty(chunk), np.empty((chunk, n)), np.empty((chunk, POWERS, n))
        shape = (len(parts), len(scheme.sizes), largest)
        self._ready = np.zeros(shape[:2], dtype=np.int64)
        self._work = (
            np.zeros(max(largest + largest**2, n)),
            np.zeros((*shape, largest + 1)),
            np.zeros(shape, dtype=np.int64),
            self._ready,
            np.zeros((3, 2 * n + 1)),
        )
        self._old = np.zeros_like(self._state)
        self._state[:n] = y

    def advance(self, t_end: float) -> Chunk:
        """Go on towards t_end; while the chunk's status is FULL, there is more to come."""
        self._clock[MARGIN] = math.inf
        status, count = march(
            *self._fixed,
            float(t_end),
            self._p,
            *self._limits,
            self._clock,
            self._state,
            self._old,
            self._counters,
            *self._buffers,
            *self._work,
        )
        t, y, F = (buffer[:count].copy() for buffer in self._buffers)
        return self.chunk(status, t, y, F)

    def restart(self, t: float, y: np.ndarray) -> None:
        """Go on from another time and state, as after a jump; the grid of steps begins anew there."""
        self._clock[T] = self._clock[ORIGIN] = t
        self._clock[INDEX] = 0.0
        self._state[: self._n] = y
        self._ready[:] = 0

    @property
    def y(self) -> np.ndarray:
        """The state reached (n,)."""
        return self._state[: self._n]
