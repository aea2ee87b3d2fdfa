"""Many runs of the same equations at once: DOP853 with one run in each SIMD lane.

Every lane has its own time, step size and tolerance. A lane whose run has ended takes the next start, so that all lanes
stay busy until few runs are left. What happens in a lane never depends on the others: a run's result is the same to the
last bit whatever runs beside it.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numba import njit

from .approach import ROUNDINGS
from .calls import call, call5
from .crossings import MOST, NOTHING, classify, grain, in_step
from .dop853 import (
    BLOWUP,
    END,
    ERROR,
    EXPONENT,
    FAILED,
    FIRST,
    LARGEST,
    LARGEST_STATE,
    LEAST,
    MAX_STEPS,
    NEW,
    NONFINITE,
    RANK,
    STEP_TOO_SMALL,
    Y,
    verdict,
)
from .jit import cached
from .roots import NODES
from .step import ALL_STAGES, FASTEST, POWERS, STAGES

STOPPED, CAREFUL = 7, 8  # by an event; a run that the lanes leave to `simulate`
MARK, STOP, LEAVE = 0, 1, 2  # what an event does
NOW, SIZE, NEXT, CONTROLLED = range(4)  # rows of `moment`, see `step`

_OPTIONS = {"error_model": "numpy", "fastmath": {"contract"}, "nogil": True}
_part = njit(**_OPTIONS, no_cpython_wrapper=True, no_cfunc_wrapper=True)


class Code(NamedTuple):
    """Addresses: of the functions for lanes, and of each guard for one state."""

    rhs: int
    step: int
    dense: int
    take: int
    watch: int
    guards: np.ndarray


class Task(NamedTuple):
    """What is to be done, for K members of n components, with parameters and S sample times.

    Attributes:
        t0, t_end: where all begin and end, t0 <= t_end.
        margin_limit, max_step, max_steps, controlled: as for `dop853.advance`.
        starts: (K, n).
        parameters: (K, np).
        tolerances: rtol and atol of each component, (K, n + 1).
        times: sample times (S,), rising, in [t0, t_end].
        kinds, directions: of each event, (E,): MARK, STOP or LEAVE, and the direction that counts, 0 for both.
        needed, depends: components that each guard depends on, (E, n), and how many these are, (E,).
        noise: size of each guard below which its sign means nothing, (K, E).
    """

    t0: float
    t_end: float
    margin_limit: float
    max_step: float
    max_steps: int
    controlled: int
    starts: np.ndarray
    parameters: np.ndarray
    tolerances: np.ndarray
    times: np.ndarray
    kinds: np.ndarray
    directions: np.ndarray
    needed: np.ndarray
    depends: np.ndarray
    noise: np.ndarray


class Found(NamedTuple):
    """What is found in K members.

    Times and states at the ends (K,), (K, n), samples (K, S, n), status (K,), counts of steps, refused steps and
    evaluations (K, 3), least margins (K,); how often each event happened (K, E), and when and where the first M times
    (K, E, M), (K, E, M, n); the event that stopped each run (K,), -1 for none.
    """

    t: np.ndarray
    y: np.ndarray
    samples: np.ndarray
    status: np.ndarray
    counts: np.ndarray
    margins: np.ndarray
    happened: np.ndarray
    when: np.ndarray
    where: np.ndarray
    stopped: np.ndarray


class Lanes(NamedTuple):
    """The W lanes: numbers of the compiled functions, (..., W), and which member each lane runs, -1 for none.

    `place` counts the samples already passed, `h` is the step planned, `factor` the largest growth allowed next, `good`
    1.0 where the step was good, `cut` where in it the run ends.
    """

    layout: np.ndarray
    work: np.ndarray
    F: np.ndarray
    moment: np.ndarray
    p: np.ndarray
    tolerance: np.ndarray
    slope: np.ndarray
    coefficients: np.ndarray
    member: np.ndarray
    place: np.ndarray
    h: np.ndarray
    factor: np.ndarray
    good: np.ndarray
    cut: np.ndarray


@_part
def _size(values: np.ndarray, y: np.ndarray, lanes: Lanes, lane: int, n: int) -> float:
    """Root mean square of values by  atol + rtol |y|, over the components under error control."""
    total, controlled = 0.0, 0
    for i in range(n):
        atol = lanes.tolerance[1 + i, lane]
        if atol < math.inf:
            total += (values[i, lane] / (atol + lanes.tolerance[0, lane] * abs(y[i, lane]))) ** 2
            controlled += 1
    return math.sqrt(total / max(1, controlled))


@_part
def _first_step(trial: float, slope: float, change: float) -> float:
    """h1^8 max(|f|, |f'|) = 1/100, at most 100 times the trial [hairer1993, II.4]."""
    steepest = max(slope, change / trial)
    h = (0.01 / steepest) ** EXPONENT if steepest > 1e-15 else max(1e-6, trial * 1e-3)
    return min(100 * trial, h) if math.isfinite(steepest) else FAILED * trial


@_part
def _load(lanes: Lanes, task: Task, found: Found, lane: int, k: int) -> None:
    """Put the start of member k into a lane."""
    n = task.starts.shape[1]
    lanes.member[lane], lanes.place[lane], lanes.factor[lane] = k, 0, FASTEST
    lanes.moment[NOW, lane] = task.t0
    for i in range(n):
        lanes.work[lanes.layout[Y] + i, lane] = task.starts[k, i]
    for i in range(task.parameters.shape[1]):
        lanes.p[i, lane] = task.parameters[k, i]
    for i in range(n + 1):
        lanes.tolerance[i, lane] = task.tolerances[k, i]
    while lanes.place[lane] < len(task.times) and task.times[lanes.place[lane]] <= task.t0:
        for i in range(n):
            found.samples[k, lanes.place[lane], i] = task.starts[k, i]
        lanes.place[lane] += 1


@_part
def _begin(lanes: Lanes, code: Code, task: Task, found: Found, fresh: np.ndarray) -> int:
    """Slopes and sizes of the first steps of fresh lanes; returns how many of them end at once."""
    n, span, ended = task.starts.shape[1], task.t_end - task.t0, 0
    at, new = lanes.work[lanes.layout[Y] : lanes.layout[Y] + n], lanes.work[lanes.layout[NEW] : lanes.layout[NEW] + n]
    first = lanes.work[lanes.layout[FIRST] : lanes.layout[FIRST] + n + 1]
    call(code.rhs, lanes.moment, at, lanes.p, lanes.slope)
    for l in range(len(fresh)):
        lanes.moment[NEXT, l] = lanes.moment[NOW, l]
        for i in range(n):
            new[i, l] = at[i, l]
        if fresh[l]:
            for i in range(n + 1):
                first[i, l] = lanes.slope[i, l]
            size, slope = _size(at, at, lanes, l, n), _size(first, at, lanes, l, n)
            lanes.h[l] = min(1e-6 if min(size, slope) < 1e-5 else 0.01 * size / slope, span)
            lanes.moment[NEXT, l] += lanes.h[l]
            for i in range(n):
                new[i, l] += lanes.h[l] * first[i, l]
    call(code.rhs, lanes.moment[NEXT:], new, lanes.p, lanes.slope)
    for l in range(len(fresh)):
        if fresh[l]:
            k, finite = lanes.member[l], True
            for i in range(n):
                finite = finite and math.isfinite(first[i, l])
                lanes.slope[i, l] -= first[i, l]
            change = _size(lanes.slope, at, lanes, l, n)
            lanes.h[l] = _first_step(lanes.h[l], _size(first, at, lanes, l, n), change) if span > 0.0 else 0.0
            found.counts[k, 2] += 3
            found.margins[k] = first[n, l]
            if span == 0.0 or not finite or first[n, l] <= task.margin_limit:
                failure = RANK if first[n, l] <= task.margin_limit else NONFINITE
                _finish(lanes, found, l, n, END if span == 0.0 else failure)
                ended += 1
    return ended


@_part
def _finish(lanes: Lanes, found: Found, lane: int, n: int, status: int) -> None:
    """The run of a lane ends with the state it has."""
    k = lanes.member[lane]
    found.status[k], found.t[k] = status, lanes.moment[NOW, lane]
    for i in range(n):
        found.y[k, i] = lanes.work[lanes.layout[Y] + i, lane]
    lanes.member[lane], lanes.h[lane] = -1, 0.0


@_part
def _plan(lanes: Lanes, t_end: float, max_step: float) -> None:
    """Times and sizes of the next steps; the last one goes exactly to the end."""
    member, moment, h = lanes.member, lanes.moment, lanes.h
    for l in range(len(member)):
        now, planned = moment[NOW, l], min(h[l], max_step)
        ahead = t_end if t_end - now <= 1.01 * planned else now + planned
        moment[NEXT, l] = now if member[l] < 0 else ahead
        moment[SIZE, l] = moment[NEXT, l] - now


@_part
def _judge(lanes: Lanes, task: Task, found: Found) -> bool:
    """Which steps are good, and the size of the next ones; is dense output wanted?"""
    # names of their own, since taking an array out of a tuple costs as much as a division
    member, moment, h, factor, good, cut = lanes.member, lanes.moment, lanes.h, lanes.factor, lanes.good, lanes.cut
    work, place, times, counts, margins = lanes.work, lanes.place, task.times, found.counts, found.margins
    error_row, least, largest = lanes.layout[ERROR], lanes.layout[LEAST], lanes.layout[LARGEST]
    t_end, max_step, limit = task.t_end, task.max_step, task.margin_limit
    wanted, watched = False, len(task.kinds) > 0
    for l in range(len(member)):
        k = member[l]
        good[l] = 0.0
        if k < 0:
            continue
        size, t_new = moment[SIZE, l], moment[NEXT, l]
        if not size > 0.0:  # so small that it does not move the time, or no number
            _finish(lanes, found, l, task.starts.shape[1], STEP_TOO_SMALL)
            continue
        error, growth = work[error_row, l], work[error_row + 1, l]
        status = verdict(error, work[least, l], limit, work[largest, l])
        counts[k, 2] += STAGES
        if status == END and error <= 1.0:
            good[l] = 1.0
            h[l] = max(size * min(growth, factor[l]), min(h[l], max_step) if t_new == t_end else 0.0)
            factor[l], cut[l] = FASTEST, t_new
            counts[k, 0] += 1
            margins[k] = min(margins[k], work[least, l])
            wanted = wanted or watched or (place[l] < len(times) and times[place[l]] <= t_new)
            continue
        counts[k, 1] += 1
        h[l] = size * (FAILED if status != END else min(growth, 1.0))
        factor[l] = 1.0
        if abs(h[l]) < 10 * np.spacing(abs(moment[NOW, l])):
            _finish(lanes, found, l, task.starts.shape[1], status if status != END else STEP_TOO_SMALL)
    return wanted


@_part
def _inside(lanes: Lanes, i: int, lane: int, n: int, x: float) -> float:
    """Component i at the part x of a lane's step, as `trajectory.interpolant.dense`."""
    value = 0.0
    for power in range(POWERS - 1, -1, -1):
        value = (value + lanes.F[power * n + i, lane]) * (x if power % 2 == 0 else 1 - x)
    return value + lanes.work[lanes.layout[Y] + i, lane]


@_part
def _state(lanes: Lanes, lane: int, t: float, y: np.ndarray) -> None:
    """The state at a time of a lane's step."""
    n, row = len(y), lanes.layout[NEW]
    for i in range(n):
        if t == lanes.moment[NEXT, lane]:
            y[i] = lanes.work[row + i, lane]
        else:
            y[i] = _inside(lanes, i, lane, n, (t - lanes.moment[NOW, lane]) / lanes.moment[SIZE, lane])


@_part
def _sample(lanes: Lanes, task: Task, found: Found, lane: int) -> None:
    """The samples in a lane's step, up to where it is cut."""
    while lanes.place[lane] < len(task.times) and task.times[lanes.place[lane]] <= lanes.cut[lane]:
        t = task.times[lanes.place[lane]]
        _state(lanes, lane, t, found.samples[lanes.member[lane], lanes.place[lane]])
        lanes.place[lane] += 1


@_part
def _search(
    lanes: Lanes, code: Code, task: Task, found: Found, lane: int, times: np.ndarray, directions: np.ndarray,
    events: np.ndarray,
) -> int:  # fmt: skip
    """Everything that happens in a lane's step: how much, or -1 where it needs a careful search."""
    n, k, count = task.starts.shape[1], lanes.member[lane], 0
    c, one, out, y, point = np.empty(NODES), np.empty(1), np.empty(1), np.empty(n), np.empty(n)
    F, opening = np.empty((POWERS, n)), lanes.moment[NOW, lane] == task.t0
    for e in range(len(task.kinds)):
        for j in range(NODES):
            c[j] = lanes.coefficients[e * NODES + j, lane]
        if classify(c, task.noise[k, e], opening, grain(lanes.moment[NOW, lane], lanes.moment[NEXT, lane])) == NOTHING:
            continue
        for i in range(n):
            y[i] = lanes.work[lanes.layout[Y] + i, lane]
            for power in range(POWERS):
                F[power, i] = lanes.F[power * n + i, lane]
        several = in_step(
            code.guards[e], task.parameters[k], lanes.moment[NOW, lane], lanes.moment[NEXT, lane],
            lanes.moment[SIZE, lane], y, F, task.needed[e, : task.depends[e]], task.noise[k, e], opening, c,
            times[count:], directions[count:], one, point, out,
        )  # fmt: skip
        if several < 0 or count + several + MOST > len(times):
            return -1
        events[count : count + several] = e
        count += several
    return count


@_part
def _act(
    lanes: Lanes, code: Code, task: Task, found: Found, lane: int, times: np.ndarray, directions: np.ndarray,
    events: np.ndarray,
) -> int:  # fmt: skip
    """Events of a lane's step: returns STOPPED or CAREFUL where the run ends with them, else END."""
    k, count = lanes.member[lane], _search(lanes, code, task, found, lane, times, directions, events)
    if count < 0:
        return CAREFUL
    for i in range(count):
        if task.kinds[events[i]] != MARK and task.directions[events[i]] in (0, directions[i]):
            if task.kinds[events[i]] == LEAVE:
                return CAREFUL
            if times[i] < lanes.cut[lane] or found.stopped[k] < 0:
                lanes.cut[lane], found.stopped[k] = times[i], events[i]
    order = np.argsort(times[:count])
    instant = lanes.cut[lane] + ROUNDINGS * np.spacing(abs(lanes.cut[lane]))  # all events until then are at one time
    for i in order:
        e = events[i]
        if times[i] > instant or task.directions[e] not in (0, directions[i]):
            continue
        if task.kinds[e] == STOP and e != found.stopped[k]:
            continue
        if found.happened[k, e] < found.when.shape[2]:
            found.when[k, e, found.happened[k, e]] = times[i]
            _state(lanes, lane, times[i], found.where[k, e, found.happened[k, e]])
        found.happened[k, e] += 1
    return STOPPED if found.stopped[k] >= 0 else END


@_part
def _stop(lanes: Lanes, found: Found, lane: int, n: int) -> None:
    """End the run of a lane inside its step."""
    k = lanes.member[lane]
    _state(lanes, lane, lanes.cut[lane], found.y[k])
    found.status[k], found.t[k] = STOPPED, lanes.cut[lane]
    lanes.member[lane], lanes.h[lane] = -1, 0.0


@_part
def _go_on(lanes: Lanes, task: Task, found: Found) -> bool:
    """After the good steps were taken: which runs have ended? Is any lane free now?"""
    member, moment, good, work, counts = lanes.member, lanes.moment, lanes.good, lanes.work, found.counts
    largest, t_end, max_steps, free = lanes.layout[LARGEST], task.t_end, task.max_steps, False
    for l in range(len(member)):
        k, status = member[l], -1
        if k < 0:
            free = True
            continue
        if good[l] != 0.0:
            moment[NOW, l] = moment[NEXT, l]
            if work[largest, l] > LARGEST_STATE:
                status = BLOWUP
            elif moment[NOW, l] == t_end:
                status = END
        if status < 0 and counts[k, 0] + counts[k, 1] >= max_steps:
            status = MAX_STEPS
        if status >= 0:
            _finish(lanes, found, l, task.starts.shape[1], status)
            free = True
    return free


@_part
def _look_inside(
    lanes: Lanes, code: Code, task: Task, found: Found, times: np.ndarray, directions: np.ndarray, events: np.ndarray
) -> None:
    """Events and samples inside the good steps."""
    n, least, member, good, work = task.starts.shape[1], lanes.layout[LEAST], lanes.member, lanes.good, lanes.work
    place, cut, counts, margins, samples = lanes.place, lanes.cut, found.counts, found.margins, task.times
    coefficients, quiet = lanes.coefficients, NODES * len(task.kinds)
    call(code.dense, lanes.moment, lanes.p, work, lanes.F)
    if len(task.kinds) > 0:
        call5(code.watch, lanes.moment, lanes.p, work, lanes.F, coefficients)
    for l in range(len(member)):
        sampled = place[l] < len(samples) and samples[place[l]] <= cut[l]
        if good[l] == 0.0 or not (quiet > 0 or sampled):  # a lane is left alone where only its neighbours need this
            continue
        k, status = member[l], END
        counts[k, 2] += ALL_STAGES - STAGES - 1
        margins[k] = min(margins[k], work[least, l])
        if quiet > 0 and coefficients[quiet, l] == 0.0:
            status = _act(lanes, code, task, found, l, times, directions, events)
        if status == CAREFUL:
            _finish(lanes, found, l, n, CAREFUL)
            continue
        if sampled:
            _sample(lanes, task, found, l)
        if status == STOPPED:
            _stop(lanes, found, l, n)


@cached(njit, **_OPTIONS)
def run_all(code: Code, task: Task, found: Found, lanes: Lanes) -> None:
    """Run every member from t0 to t_end, or to an event that stops it, or until it cannot go on."""
    members, waiting = len(task.starts), 0
    fresh = np.zeros(len(lanes.member), np.bool_)
    room = MOST * (len(task.kinds) + 1)
    times, directions, events = np.empty(room), np.empty(room, np.int64), np.empty(room, np.int64)
    lanes.member[:], lanes.moment[CONTROLLED] = -1, task.controlled
    moment, p, tolerance, work, good, slope = (
        lanes.moment, lanes.p, lanes.tolerance, lanes.work, lanes.good, lanes.slope,
    )  # fmt: skip
    free = True
    while True:
        while free and waiting < members:
            free = False
            for l in range(len(fresh)):
                fresh[l] = lanes.member[l] < 0 and waiting < members
                if fresh[l]:
                    _load(lanes, task, found, l, waiting)
                    waiting += 1
                    free = True
            if free:
                free = _begin(lanes, code, task, found, fresh) > 0
        if free and lanes.member.max() < 0:
            return
        _plan(lanes, task.t_end, task.max_step)
        call(code.step, moment, p, tolerance, work)
        if _judge(lanes, task, found):
            _look_inside(lanes, code, task, found, times, directions, events)
        call(code.take, good, p, slope, work)
        free = _go_on(lanes, task, found)
