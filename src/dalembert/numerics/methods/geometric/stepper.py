"""`FixedStepper` holds the arrays of an integration with fixed steps, which `march` makes."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from ...machine.loop.argument_layout import ArgumentFrame
from ...machine.loop.compiled_loop import loop
from ...machine.loop.function_address import call
from ..explicit_runge_kutta.step_ir import POWERS
from ..lu import factor, solve, square
from ..stepper import (
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
    Buffers,
    Chunk,
    Clocked,
    T,
)
from .implicit_step import CompiledScheme

# --- Newton's method on compiled residuals, to rounding --------------------------------------------------------------
# The factored matrix is kept as long as the iteration converges fast, from one system to the next too. An iteration
# ends when its corrections are down to rounding, so that no error of it adds up over many steps.

MOST = 50  # iterations
ROUNDING = 4 * 2.0**-52  # a correction this small is none
NOISE = 64 * 2.0**-52  # one below this that does not shrink is none either
STUCK = 1e-9  # nor is one below this where the matrix is new
FAST = 0.1  # by so much an iteration with an old matrix must shrink the correction


class StepUnknowns(NamedTuple):
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


class FactoredMatrix(NamedTuple):
    """A factored matrix (n n,), the scale of its rows and its exchanges (n,); `ready` (1,) is 1 where there is one.

    `dx` (n,) is work space.
    """

    A: np.ndarray
    scale: np.ndarray
    rows: np.ndarray
    ready: np.ndarray
    dx: np.ndarray


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
    unknowns: StepUnknowns, moment: np.ndarray, y: np.ndarray, p: np.ndarray, out: np.ndarray, kept: FactoredMatrix
) -> int:
    """dx from the residuals, with a new matrix where there is no old one: END, or RANK where it is singular."""
    n = len(unknowns.groups)
    A = square(kept.A, n)
    if kept.ready[0] != 0:
        call(unknowns.residual, moment, y, p, out)
    else:
        call(unknowns.system, moment, y, p, out)
        for i in range(n):
            largest = 0.0
            for j in range(n):
                largest = max(largest, abs(out[n + i * n + j]))
            kept.scale[i] = 1.0 / largest if largest > 0.0 else 0.0
            for j in range(n):
                A[i, j] = out[n + i * n + j] * kept.scale[i]
        if not factor(A, kept.rows):
            return RANK
        kept.ready[0] = 1
    for i in range(n):
        kept.dx[i] = out[i] * kept.scale[i]
    solve(A, kept.rows, kept.dx)
    return END


def newton(
    unknowns: StepUnknowns,
    moment: np.ndarray,
    y: np.ndarray,
    p: np.ndarray,
    out: np.ndarray,
    kept: FactoredMatrix,
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


# --- Fixed steps of an implicit method: one loop for every method and system -----------------------------------------
# `march` calls a scheme's functions (`one_step.Compiled`) and the right-hand side by their addresses. A step is a
# composition of steps of order 2; each solves the phases of the scheme one after another.

PLACES, WEIGHTS = (-2.0, -1.0, 1.0, 2.0), (1.0, -8.0, 8.0, -1.0)  # of a difference of order 4

ORIGIN, INDEX = 3, 4  # what `clock` holds too: where the grid of steps begins, steps since then


class SchemeCode(NamedTuple):
    """The compiled step of order 2.

    Attributes:
        rhs: address of ``f(t, y, p, out)``, which writes n derivatives and a margin.
        addresses: (1 + phases, 2): of guess and finish, then of residual and system of each phase.
        bounds: where each phase's unknowns begin, and where the last ones end.
        groups: the kind of each unknown, -1 where it is not judged.
        own_work: does the scheme compute the work?
    """

    rhs: int
    addresses: np.ndarray
    bounds: np.ndarray
    groups: np.ndarray
    own_work: bool


class StepPlan(NamedTuple):
    """How steps follow each other.

    Attributes:
        parts: the parts of a step that make up the composition.
        step: its size, not 0; the sign does not matter.
        smooth: has the dense output second derivatives (order 6)?
        margin_limit: a state whose margin is not above this is not passed.
        max_steps: how many steps may be made in all.
    """

    parts: np.ndarray
    step: float
    smooth: bool
    margin_limit: float
    max_steps: int


class Progress(NamedTuple):
    """How far a run has come, updated by each step.

    Attributes:
        clock: time, step size, least margin, beginning of the grid of steps, steps since then.
        y: state (n), derivatives and margin (n + 1), unknowns. `old`: the same before the step.
        p: parameters.
        counters: steps, refused ones (none), evaluations.
    """

    clock: np.ndarray
    y: np.ndarray
    old: np.ndarray
    p: np.ndarray
    counters: np.ndarray


class SchemeWork(NamedTuple):
    """Work space, M being the unknowns of the largest phase.

    Attributes:
        moment, out: (t, h), and what compiled functions write.
        A, scale, rows, dx, ready: (parts, phases, M M), twice (parts, phases, M), (M,), (parts, phases), see `newton`.
        bends: (3, 2 n + 1): a point, second derivatives after and before a step.
    """

    moment: np.ndarray
    out: np.ndarray
    A: np.ndarray
    scale: np.ndarray
    rows: np.ndarray
    dx: np.ndarray
    ready: np.ndarray
    bends: np.ndarray


def _solve(code: SchemeCode, run: Progress, work: SchemeWork, s: int) -> int:
    """The unknowns of a part of a step, phase after phase."""
    begin = len(run.y) - len(code.groups)
    for i in range(len(code.bounds) - 1):
        low, high = code.bounds[i], code.bounds[i + 1]
        addresses = code.addresses[i + 1]
        unknowns = StepUnknowns(addresses[0], addresses[1], begin + low, code.groups[low:high])
        kept = FactoredMatrix(work.A[s, i], work.scale[s, i], work.rows[s, i], work.ready[s, i : i + 1], work.dx)
        status = newton(unknowns, work.moment, run.y, run.p, work.out, kept, run.counters)
        if status != END:
            return status
    return END


def _substep(code: SchemeCode, run: Progress, work: SchemeWork, s: int) -> int:
    """A part of a step; y holds state, derivatives and unknowns, and gets the new state and derivatives."""
    y, moment = run.y, work.moment
    n = (len(y) - len(code.groups) - 1) // 2
    unknowns, rates = y[2 * n + 1 :], y[n : 2 * n + 1]
    call(code.addresses[0, 0], moment, y, run.p, unknowns)
    status = _solve(code, run, work, s)
    if status != END:
        return status
    power = rates[n - 1]
    call(code.addresses[0, 1], moment, y, run.p, work.out)
    for i in range(n):
        y[i] = work.out[i]
    t = moment[0]
    moment[0] = t + moment[1]
    call(code.rhs, moment, y, run.p, rates)
    run.counters[EVALUATIONS] += 1
    moment[0] = t
    if not code.own_work:
        y[n - 1] += 0.5 * moment[1] * (power + rates[n - 1])
    return _finite(y, 2 * n)


def _finite(y: np.ndarray, count: int) -> int:
    """END where the first numbers are finite, else NONFINITE."""
    for i in range(count):
        if not math.isfinite(y[i]):
            return NONFINITE
    return END


def _composed(code: SchemeCode, plan: StepPlan, run: Progress, work: SchemeWork, t: float, h: float) -> int:
    """One step of the composition from t to t + h."""
    moment, margin = work.moment, len(run.y) - len(code.groups) - 1
    moment[0] = t
    for s in range(len(plan.parts)):
        moment[1] = plan.parts[s] * h
        status = _substep(code, run, work, s)
        if status != END:
            return status
        moment[0] += moment[1]
    return END if run.y[margin] > plan.margin_limit else RANK


def _record(t_new: float, row: int, run: Progress, buffers: Buffers, bends: np.ndarray, bent: int) -> float:
    """Write the new state and the dense output of the step, with `bent` second derivatives; the largest element."""
    y, states = run.y, buffers.states[row]
    hermite(t_new - run.clock[T], run.old, y, bends[1, :bent], bends[2, :bent], buffers.coefficients[row])
    largest = 0.0
    for i in range(len(states)):
        states[i] = y[i]
        largest = max(largest, abs(y[i]))
    buffers.times[row] = t_new
    return largest


def _start(code: SchemeCode, plan: StepPlan, run: Progress, work: SchemeWork) -> int:
    """Derivatives and margin at the first state."""
    y, n = run.y, (len(run.y) - len(code.groups) - 1) // 2
    work.moment[0], work.moment[1] = run.clock[T], plan.step
    call(code.rhs, work.moment, y, run.p, y[n : 2 * n + 1])
    run.counters[EVALUATIONS] += 1
    if not y[2 * n] > plan.margin_limit:
        return RANK
    status = _finite(y, 2 * n)
    if status == END and plan.smooth:
        second(code.rhs, run.clock[T], plan.step, y, run.p, work.moment, work.bends[0], work.bends[1, :n])
    return status


def _next(clock: np.ndarray, step: float, t_end: float) -> float:
    """Where the next step ends: the last one at the end, stretched by 1 % rather than followed by a tiny one."""
    t = clock[T]
    ahead = clock[ORIGIN] + (clock[INDEX] + 1) * math.copysign(step, t_end - t)
    return t_end if abs(t_end - t) <= 1.01 * abs(step) else ahead


def _tick(clock: np.ndarray, t_new: float, t_end: float, margin: float) -> None:
    """The clock after a step; behind the end the grid of steps begins anew."""
    clock[MARGIN] = min(clock[MARGIN], margin)
    clock[INDEX] += 1
    clock[T] = t_new
    if t_new == t_end:
        clock[ORIGIN], clock[INDEX] = t_new, 0.0


@loop
def march(
    code: SchemeCode, plan: StepPlan, t_end: float, run: Progress, buffers: Buffers, work: SchemeWork
) -> tuple[int, int]:
    """Step until t_end is reached, the buffers are full, or it cannot go on: returns (status, number of new steps)."""
    clock, y, counters, bends = run.clock, run.y, run.counters, work.bends
    n, recorded = buffers.states.shape[1], 0
    bent, status = n if plan.smooth else 0, _start(code, plan, run, work)
    while status == END and clock[T] != t_end:
        if recorded == len(buffers.times):
            return FULL, recorded
        if counters[STEPS] >= plan.max_steps:
            return MAX_STEPS, recorded
        t, t_new = clock[T], _next(clock, plan.step, t_end)
        if t_new == t:
            return STEP_TOO_SMALL, recorded
        run.old[:] = y
        h = t_new - t
        status = _composed(code, plan, run, work, t, h)
        if status != END:
            y[:] = run.old
            work.ready[:] = 0
            return status, recorded
        if plan.smooth:
            bends[2, :n] = bends[1, :n]
            second(code.rhs, t_new, h, y, run.p, work.moment, bends[0], bends[1, :n])
        largest = _record(t_new, recorded, run, buffers, bends, bent)
        _tick(clock, t_new, t_end, y[2 * n])
        counters[STEPS] += 1
        recorded += 1
        if largest > LARGEST_STATE:
            return BLOWUP, recorded
    return status, recorded


# --- dense output -----------------------------------------------------------------------------------------------------


def second(
    rhs: int, t: float, h: float, y: np.ndarray, p: np.ndarray, moment: np.ndarray, point: np.ndarray, out: np.ndarray
) -> None:
    """out = df/dt along the motion, from differences of order 4 with spacing e = h/4 along the direction (1, f)."""
    n = len(out)
    e = 0.25 * h
    for i in range(n):
        out[i] = 0.0
    for place in range(4):
        # f' = (f(-2 e) - 8 f(-e) + 8 f(e) - f(2 e)) / 12 e
        x, weight = PLACES[place], WEIGHTS[place]
        moment[0] = t + x * e
        for i in range(n):
            point[i] = y[i] + x * e * y[n + i]
        call(rhs, moment, point, p, point[n:])
        for i in range(n):
            out[i] += weight * point[n + i] / (12.0 * e)


def hermite(h: float, old: np.ndarray, y: np.ndarray, bend: np.ndarray, bend_old: np.ndarray, F: np.ndarray) -> None:
    """Hermite's polynomial through states, derivatives and second derivatives, in the path's form [hairer1993, II.6].

    y0 + x (F0 + (1 - x) (F1 + x (F2 + (1 - x) (F3 + x F4)))); without second derivatives the cubic one.
    """
    n = F.shape[1]
    for i in range(n):
        change, f0, f1 = y[i] - old[i], old[n + i], y[n + i]
        F[0, i] = change
        F[1, i] = h * f0 - change
        F[2, i] = 2 * change - h * (f0 + f1)
        for m in range(3, POWERS):
            F[m, i] = 0.0
        if len(bend) > 0:
            F[3, i] = 0.5 * h * h * bend_old[i] + F[1, i] - F[2, i]
            F[4, i] = 0.5 * h * h * bend[i] + F[1, i] + 2 * F[2, i] - F[3, i]


Energy = Callable[[float, np.ndarray], float]
SMOOTH = 5  # a composition of more parts is of order 6, and so is its dense output


def plan(parts: np.ndarray, step: float, margin_limit: float, max_steps: int) -> StepPlan:
    """How steps follow each other: `parts` from `composition.steps`."""
    parts = np.array(parts, dtype=float)
    return StepPlan(parts, float(step), len(parts) > SMOOTH, float(margin_limit), int(max_steps))


class FixedStepper(Clocked):
    """One integration with fixed steps under way.

    Args:
        rhs: address of the right-hand side, which writes n derivatives and a margin.
        scheme: the compiled step of order 2.
        plan: how its steps follow each other; only the last one may differ, by 1 % or by being shorter.
        t, y, p: start and parameters; y (n,) ends with the work.
        energy: that of a state at a time; less the work it is the reference of what follows, from each restart on.
        chunk: how many steps `advance` makes at most before it returns.
    """

    def __init__(
        self,
        rhs: int,
        scheme: CompiledScheme,
        plan: StepPlan,
        t: float,
        y: np.ndarray,
        p: np.ndarray,
        energy: Energy,
        chunk: int,
    ) -> None:
        n, unknowns = len(y), sum(scheme.sizes)
        self._n, self._energy = n, energy
        self._clock = np.array([t, plan.step, math.inf, t, 0.0])
        self._counters = np.zeros(3, dtype=np.int64)
        numbers, old = np.zeros((2, 2 * n + 1 + unknowns))
        numbers[:n] = y
        self._run = Progress(self._clock, numbers, old, np.r_[p, energy(t, y) - y[-1]], self._counters)
        self._buffers = Buffers(np.empty(chunk), np.empty((chunk, n)), np.empty((chunk, POWERS, n)))
        self._work = _work(n, len(plan.parts), scheme.sizes)
        self._frames = [ArgumentFrame(each) for each in (self._run, self._buffers, self._work)]
        self._step = ArgumentFrame(_code(rhs, scheme)), ArgumentFrame(plan)

    @property
    def p(self) -> np.ndarray:
        """Parameters."""
        return self._run.p[:-1]

    def advance(self, t_end: float) -> Chunk:
        """Go on towards t_end; while the chunk's status is FULL, there is more to come."""
        self._clock[MARGIN] = math.inf
        status, count = march(*self._step, float(t_end), *self._frames)
        t, y, F = (buffer[:count].copy() for buffer in self._buffers)
        return self.chunk(status, t, y, F)

    def restart(self, t: float, y: np.ndarray, h: float = 0.0) -> None:
        """Go on from another time and state, as after a jump; the grid of steps, of one size, begins anew there."""
        self._clock[T] = self._clock[ORIGIN] = t
        self._clock[INDEX] = 0.0
        self._run.y[: self._n] = y
        self._run.p[-1] = self._energy(t, self.y) - self.y[-1]
        self._work.ready[:] = 0

    @property
    def y(self) -> np.ndarray:
        """The state reached (n,)."""
        return self._run.y[: self._n]


def _code(rhs: int, scheme: CompiledScheme) -> SchemeCode:
    """Where the scheme's machine code lies, and what its unknowns are."""
    address = scheme.library.address
    pairs = [("guess", "finish"), *((f"residual{i}", f"system{i}") for i in range(len(scheme.sizes)))]
    addresses = np.array([[address(a), address(b)] for a, b in pairs], dtype=np.int64)
    bounds = np.array([0, *np.cumsum(scheme.sizes)], dtype=np.int64)
    return SchemeCode(int(rhs), addresses, bounds, np.array(scheme.groups, dtype=np.int64), scheme.own_work)


def _work(n: int, parts: int, sizes: Sequence[int]) -> SchemeWork:
    """Work space for n states and so many parts of a step."""
    largest = max(sizes)
    shape = parts, len(sizes), largest
    return SchemeWork(
        moment=np.zeros(2),
        out=np.zeros(max(largest + largest**2, n)),
        A=np.zeros((*shape[:2], largest**2)),
        scale=np.zeros(shape),
        rows=np.zeros(shape, dtype=np.int64),
        dx=np.empty(largest),
        ready=np.zeros(shape[:2], dtype=np.int64),
        bends=np.zeros((3, 2 * n + 1)),
    )
