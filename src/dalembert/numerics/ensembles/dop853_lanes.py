"""DOP853 in SIMD lanes: many runs at once, each with a time, a step size and a tolerance of its own.

A lane whose run has ended takes the next start, so that all lanes stay busy until few runs are left. What happens in a
lane never depends on the others: a run's result is the same to the last bit whatever runs beside it.
"""

from __future__ import annotations

import math

import numpy as np

from ..events.crossings import MOST
from ..machine.loop.compiled_loop import loop
from ..machine.loop.function_address import call
from ..methods.dop853.advance import ERROR, FIRST, LARGEST, LEAST, TRIAL, Y, verdict
from ..methods.dop853.rounds import Control
from ..methods.dop853.step_ir import ALL_STAGES, FASTEST, STAGES
from ..methods.stepper import BLOWUP, END, FAILED, LARGEST_STATE, MAX_STEPS, NONFINITE, RANK, STEP_TOO_SMALL
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


def _load(lanes: Lanes, task: LaneTask, found: LaneResults, lane: int, k: int) -> None:
    """Put the start of member k into a lane."""
    # names of their own, since taking an array out of a tuple costs as much as a division
    starts, parameters, tolerances, times = task.starts, task.parameters, task.tolerances, task.times
    work, p, tolerance, first = lanes.work, lanes.p, lanes.tolerance, lanes.layout[Y]
    n, place = starts.shape[1], 0
    lanes.member[lane], lanes.factor[lane] = k, FASTEST
    lanes.moment[NOW, lane] = task.t0
    for i in range(n):
        work[first + i, lane] = starts[k, i]
    for i in range(parameters.shape[1]):
        p[i, lane] = parameters[k, i]
    for i in range(n + 1):
        tolerance[i, lane] = tolerances[k, i]
    while place < len(times) and times[place] <= task.t0:
        for i in range(n):
            found.samples[k, place, i] = starts[k, i]
        place += 1
    lanes.place[lane] = place


def _begin(lanes: Lanes, code: LaneCode, task: LaneTask, found: LaneResults, fresh: np.ndarray) -> int:
    """Slopes and sizes of the first steps of fresh lanes; returns how many of them end at once."""
    n, span, ended, work, moment = task.starts.shape[1], task.t_end - task.t0, 0, lanes.work, lanes.moment
    first = work[lanes.layout[FIRST] : lanes.layout[FIRST] + n + 1]
    trial = work[lanes.layout[TRIAL] : lanes.layout[TRIAL] + n + 1]
    call(code.rhs, moment, work[lanes.layout[Y] : lanes.layout[Y] + n], lanes.p, trial)
    for l in range(len(fresh)):
        moment[SIZE, l] = span
        if fresh[l]:
            for i in range(n + 1):
                first[i, l] = trial[i, l]
    call(code.first, moment, lanes.p, lanes.tolerance, work)
    for l in range(len(fresh)):
        if fresh[l]:
            k, finite, margin = lanes.member[l], True, first[n, l]
            for i in range(n):
                finite = finite and math.isfinite(first[i, l])
            lanes.h[l] = work[lanes.layout[ERROR], l]
            found.counts[k, 2] += 2
            found.margins[k] = margin
            if span == 0.0 or not finite or margin <= task.margin_limit:
                failure = RANK if margin <= task.margin_limit else NONFINITE
                finish(lanes, found, l, n, END if span == 0.0 else failure)
                ended += 1
    return ended


def _plan(lanes: Lanes, t_end: float, max_step: float) -> None:
    """Times and sizes of the next steps; the last one goes exactly to the end."""
    member, moment, h = lanes.member, lanes.moment, lanes.h
    for l in range(len(member)):
        now, planned = moment[NOW, l], min(h[l], max_step)
        ahead = t_end if t_end - now <= 1.01 * planned else now + planned
        moment[NEXT, l] = now if member[l] < 0 else ahead
        moment[SIZE, l] = moment[NEXT, l] - now


def _go(lanes: Lanes, code: LaneCode, task: LaneTask, found: LaneResults) -> None:
    """A step in each lane, and further ones until one of them has to be looked at."""
    if code.rounds == 0:
        call(code.step, lanes.moment, lanes.p, lanes.tolerance, lanes.work)
        return
    member, control, counts, margins, times = lanes.member, lanes.control, found.counts, found.margins, task.times
    each = ALL_STAGES - 1 if len(task.kinds) > 0 else STAGES  # evaluations of a good step
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
            counts[k, 2] += each * steps + STAGES * rejected
            margins[k] = min(margins[k], control[MARGIN, l])


def _judge(lanes: Lanes, task: LaneTask, found: LaneResults) -> bool:
    """Which steps are good, and the size of the next ones; is dense output wanted?"""
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
            finish(lanes, found, l, task.starts.shape[1], STEP_TOO_SMALL)
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
            finish(lanes, found, l, task.starts.shape[1], status if status != END else STEP_TOO_SMALL)
    return wanted


def _go_on(lanes: Lanes, task: LaneTask, found: LaneResults) -> bool:
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
    """Run every member from t0 to t_end, or to an event that stops it, or until it cannot go on."""
    members, waiting = len(task.starts), 0
    fresh = np.empty(len(lanes.member), np.bool_)
    room = MOST * (len(task.kinds) + 1)
    seen = LaneEvents(np.empty(room), np.empty(room, np.int64), np.empty(room, np.int64), np.empty(room, np.int64))
    lanes.member[:], lanes.moment[CONTROLLED] = -1, task.controlled
    lanes.control[END_ROW], lanes.control[MAX_STEP], lanes.control[LIMIT] = task.t_end, task.max_step, task.margin_limit
    p, tolerance, work, good = lanes.p, lanes.tolerance, lanes.work, lanes.good
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
        if free and _idle(lanes.member):
            return
        _plan(lanes, task.t_end, task.max_step)
        _go(lanes, code, task, found)
        if _judge(lanes, task, found):
            look_inside(lanes, code, task, found, seen)
        call(code.take, good, p, tolerance, work)
        free = _go_on(lanes, task, found)
