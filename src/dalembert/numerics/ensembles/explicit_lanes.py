"""Explicit Runge-Kutta pairs in SIMD lanes: many runs, each with a time, a step size and a tolerance of its own.

A lane whose run has ended takes the next start, so that all lanes stay busy until few runs are left. What happens in a
lane never depends on the others: a run's result is the same to the last bit whatever runs beside it.
"""

from __future__ import annotations

import math

import numpy as np

from ..events.crossings import MOST
from ..machine.loop.compiled_loop import loop
from ..machine.loop.function_address import call
from ..methods.explicit_runge_kutta.advance import (
    ERROR,
    FIRST,
    FURTHER,
    LARGEST,
    LEAST,
    STAGES,
    TRIAL,
    Y,
    next_size,
    smaller_size,
    verdict,
)
from ..methods.explicit_runge_kutta.rounds import Control
from ..methods.explicit_runge_kutta.step_ir import FASTEST
from ..methods.stepper import (
    BLOWUP,
    END,
    FULL,
    LARGEST_STATE,
    MAX_STEPS,
    NONFINITE,
    RANK,
    STEP_TOO_SMALL,
    next_time,
    vanishes,
)
from .lanes import (
    CONTROLLED,
    NEXT,
    NOW,
    SIZE,
    LaneCode,
    LaneEvents,
    LaneResults,
    Lanes,
    LaneTask,
    finish,
    look_inside,
)

BUSY, LEFT, SAMPLE = int(Control.BUSY), int(Control.LEFT), int(Control.SAMPLE)
STEPS, REJECTED, MARGIN = int(Control.STEPS), int(Control.REJECTED), int(Control.MARGIN)
END_ROW, MAX_STEP, LIMIT = int(Control.END), int(Control.MAX_STEP), int(Control.LIMIT)


def _load(lanes: Lanes, task: LaneTask, found: LaneResults, waiting: int, fresh: np.ndarray) -> int:
    """Put the starts of members from `waiting` on into free lanes, which are fresh then; the first that still waits."""
    # names of their own, since taking an array out of a tuple costs as much as a division
    starts, parameters, tolerances, times = task.starts, task.parameters, task.tolerances, task.times
    begins, ends, sizes, samples = task.t, task.ends, task.h, found.samples
    work, p, tolerance, first, moment = lanes.work, lanes.p, lanes.tolerance, lanes.layout[Y], lanes.moment
    member, factor, h, places, aims = lanes.member, lanes.factor, lanes.h, lanes.place, lanes.control[END_ROW]
    n, count = starts.shape[1], parameters.shape[1]
    for l in range(len(fresh)):
        fresh[l] = member[l] < 0 and waiting < len(starts)
        if not fresh[l]:
            continue
        k, place, t, end = waiting, 0, begins[waiting], ends[waiting]
        waiting += 1
        member[l], factor[l], h[l] = k, FASTEST, sizes[k]
        moment[NOW, l], moment[SIZE, l], aims[l] = t, end - t, end
        for i in range(n):
            work[first + i, l] = starts[k, i]
        for i in range(count):
            p[i, l] = parameters[k, i]
        for i in range(n + 1):
            tolerance[i, l] = tolerances[k, i]
        while place < len(times) and times[place] <= t:
            for i in range(n):
                samples[k, place, i] = starts[k, i]
            place += 1
        places[l] = place
    return waiting


def _begin(lanes: Lanes, code: LaneCode, task: LaneTask, found: LaneResults, fresh: np.ndarray) -> int:
    """Slopes and sizes of the first steps of fresh lanes; returns how many of them end at once."""
    n, ended, work, moment, h, member = task.starts.shape[1], 0, lanes.work, lanes.moment, lanes.h, lanes.member
    counts, margins, limit, most = found.counts, found.margins, task.margin_limit, task.max_steps
    first = work[lanes.layout[FIRST] : lanes.layout[FIRST] + n + 1]
    trial = work[lanes.layout[TRIAL] : lanes.layout[TRIAL] + n + 1]
    call(code.rhs, moment, work[lanes.layout[Y] : lanes.layout[Y] + n], lanes.p, trial)
    choose = False
    for l in range(len(fresh)):
        if fresh[l]:
            choose = choose or h[l] == 0.0
            for i in range(n + 1):
                first[i, l] = trial[i, l]
    if choose:
        call(code.first, moment, lanes.p, lanes.tolerance, work)
    for l in range(len(fresh)):
        if fresh[l]:
            k, finite, margin, status = member[l], True, first[n, l], -1
            for i in range(n):
                finite = finite and math.isfinite(first[i, l])
            counts[k, 2] += 1
            margins[k] = margin
            if moment[SIZE, l] == 0.0:
                status = END
            elif margin <= limit:
                status = RANK
            elif not finite:
                status = NONFINITE
            elif counts[k, 0] + counts[k, 1] >= most:
                status = MAX_STEPS
            elif h[l] == 0.0:
                h[l] = work[lanes.layout[ERROR], l]
                counts[k, 2] += 1
            if status >= 0:
                finish(lanes, found, l, n, status)
                ended += 1
    return ended


def _plan(lanes: Lanes, max_step: float) -> None:
    """Times and sizes of the next steps; the last one goes exactly to the end."""
    member, moment, h, ends = lanes.member, lanes.moment, lanes.h, lanes.control[END_ROW]
    for l in range(len(member)):
        now, planned = moment[NOW, l], min(h[l], max_step)
        moment[NEXT, l] = now if member[l] < 0 else next_time(now, planned, ends[l])
        moment[SIZE, l] = moment[NEXT, l] - now


def _go(lanes: Lanes, code: LaneCode, task: LaneTask, found: LaneResults) -> None:
    """A step in each lane, and further ones until one of them has to be looked at."""
    if code.rounds == 0:
        call(code.step, lanes.moment, lanes.p, lanes.tolerance, lanes.work)
        return
    member, control, counts, margins, times = lanes.member, lanes.control, found.counts, found.margins, task.times
    stages = lanes.layout[STAGES]
    each = stages + lanes.layout[FURTHER] if len(task.kinds) > 0 else stages  # evaluations of a good step
    place, most = lanes.place, float(task.max_steps)
    for l in range(len(member)):
        k = member[l]
        control[BUSY, l], control[STEPS, l], control[REJECTED, l], control[MARGIN, l] = 0.0, 0.0, 0.0, math.inf
        if k >= 0:
            control[BUSY, l], control[LEFT, l] = 1.0, most - counts[k, 0] - counts[k, 1]
            control[SAMPLE, l] = times[place[l]] if place[l] < len(times) else math.inf
    call(
        code.rounds,
        lanes.moment,
        control,
        lanes.p,
        lanes.tolerance,
        lanes.work,
        lanes.F,
        lanes.coefficients,
        lanes.watch,
    )
    for l in range(len(member)):
        k = member[l]
        if k >= 0:
            steps, rejected = int(control[STEPS, l]), int(control[REJECTED, l])
            counts[k, 0] += steps
            counts[k, 1] += rejected
            counts[k, 2] += each * steps + stages * rejected
            margins[k] = min(margins[k], control[MARGIN, l])


def _judge(lanes: Lanes, task: LaneTask, found: LaneResults) -> bool:
    """Which steps are good, and the size of the next ones; is dense output wanted?"""
    member, moment, h, factor, good, cut = lanes.member, lanes.moment, lanes.h, lanes.factor, lanes.good, lanes.cut
    work, place, times, counts, margins = lanes.work, lanes.place, task.times, found.counts, found.margins
    error_row, least, largest = lanes.layout[ERROR], lanes.layout[LEAST], lanes.layout[LARGEST]
    ends, max_step, limit = lanes.control[END_ROW], task.max_step, task.margin_limit
    wanted, watched = False, len(task.kinds) > 0
    for l in range(len(member)):
        k = member[l]
        good[l] = 0.0
        if k < 0:
            continue
        size, t_new = moment[SIZE, l], moment[NEXT, l]
        if not size > 0.0:  # so small that it does not move the time, or no number
            finish(lanes, found, l, task.starts.shape[1], STEP_TOO_SMALL)
            continue
        error, growth = work[error_row, l], work[error_row + 1, l]
        status = verdict(error, work[least, l], limit, work[largest, l])
        counts[k, 2] += lanes.layout[STAGES]
        if status == END and error <= 1.0:
            good[l] = 1.0
            h[l] = next_size(size, growth, factor[l], min(h[l], max_step), t_new == ends[l])
            factor[l], cut[l] = FASTEST, t_new
            counts[k, 0] += 1
            margins[k] = min(margins[k], work[least, l])
            wanted = wanted or watched or (place[l] < len(times) and times[place[l]] <= t_new)
            continue
        counts[k, 1] += 1
        h[l] = smaller_size(size, growth, status)
        factor[l] = 1.0
        if vanishes(h[l], moment[NOW, l]):
            finish(lanes, found, l, task.starts.shape[1], status if status != END else STEP_TOO_SMALL)
    return wanted


def _go_on(lanes: Lanes, task: LaneTask, found: LaneResults) -> bool:
    """After the good steps were taken: which runs have ended? Is any lane free now?"""
    member, moment, good, work, counts = lanes.member, lanes.moment, lanes.good, lanes.work, found.counts
    largest, least, ends = lanes.layout[LARGEST], lanes.layout[LEAST], lanes.control[END_ROW]
    max_steps, free = task.max_steps, False
    for l in range(len(member)):
        k, status = member[l], -1
        if k < 0:
            free = True
            continue
        if good[l] != 0.0:
            moment[NOW, l] = moment[NEXT, l]
            if work[largest, l] > LARGEST_STATE:
                status = BLOWUP
            elif moment[NOW, l] == ends[l]:
                status = END
            elif work[least, l] < task.margin_low:
                status = FULL
        if status < 0 and counts[k, 0] + counts[k, 1] >= max_steps:
            status = MAX_STEPS
        if status >= 0:
            finish(lanes, found, l, task.starts.shape[1], status)
            free = True
    return free


def _idle(member: np.ndarray) -> bool:
    """Does no lane run a member?"""
    busy = False
    for k in member:
        busy = busy or k >= 0
    return not busy


@loop
def run_all(code: LaneCode, task: LaneTask, found: LaneResults, lanes: Lanes) -> None:
    """Run every member from its start to its end, or to an event that stops it, or until it cannot go on.

    A member whose margin falls below `margin_low` before its end stops there, FULL.
    """
    members, waiting = len(task.starts), 0
    fresh = np.empty(len(lanes.member), np.bool_)
    room = MOST * (len(task.kinds) + 1)
    seen = LaneEvents(np.empty(room), np.empty(room, np.int64), np.empty(room, np.int64), np.empty(room, np.int64))
    lanes.member[:], lanes.moment[CONTROLLED] = -1, task.controlled
    # margins below either bound are looked at one by one
    lanes.control[MAX_STEP], lanes.control[LIMIT] = task.max_step, max(task.margin_limit, task.margin_low)
    p, tolerance, work, good = lanes.p, lanes.tolerance, lanes.work, lanes.good
    free = True
    while True:
        while free and waiting < members:
            waiting = _load(lanes, task, found, waiting, fresh)
            free = _begin(lanes, code, task, found, fresh) > 0
        if free and _idle(lanes.member):
            return
        _plan(lanes, task.max_step)
        _go(lanes, code, task, found)
        if _judge(lanes, task, found):
            look_inside(lanes, code, task, found, seen)
        call(code.take, good, p, tolerance, work)
        free = _go_on(lanes, task, found)
