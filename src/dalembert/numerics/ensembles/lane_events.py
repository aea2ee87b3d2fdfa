"""What happens inside the steps of the lanes: samples, events, and runs that stop there."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...calculus.narrow import MUCH
from ..events.at_an_instant import ROUNDINGS
from ..events.crossings import MOST, NOTHING, Step, Watched, classify, grain, in_step
from ..events.roots import NODES
from ..machine.loop.address import call
from ..methods.dop853.advance import LEAST, NEW, Y
from ..methods.dop853.code import ALL_STAGES, POWERS, STAGES
from ..methods.stepping import END
from .lanes import (
    CAREFUL,
    LEAVE,
    MARK,
    NEXT,
    NOW,
    SIZE,
    STOP,
    STOPPED,
    WIDE,
    Code,
    Found,
    Lanes,
    Task,
    finish,
)


class Seen(NamedTuple):
    """Room for what happens in a step of a lane: when, in which direction, which event it is; the order of time."""

    times: np.ndarray
    directions: np.ndarray
    events: np.ndarray
    order: np.ndarray


def _inside(lanes: Lanes, i: int, lane: int, n: int, x: float) -> float:
    """Component i at the part x of a lane's step, as `trajectory.interpolant.dense`."""
    value = 0.0
    for power in range(POWERS - 1, -1, -1):
        value = (value + lanes.F[power * n + i, lane]) * (x if power % 2 == 0 else 1 - x)
    return value + lanes.work[lanes.layout[Y] + i, lane]


def _state(lanes: Lanes, lane: int, t: float, y: np.ndarray) -> None:
    """The state at a time of a lane's step."""
    n, row = len(y), lanes.layout[NEW]
    for i in range(n):
        if t == lanes.moment[NEXT, lane]:
            y[i] = lanes.work[row + i, lane]
        else:
            y[i] = _inside(lanes, i, lane, n, (t - lanes.moment[NOW, lane]) / lanes.moment[SIZE, lane])


def _sample(lanes: Lanes, task: Task, found: Found, lane: int) -> None:
    """The samples in a lane's step, up to where it is cut."""
    while lanes.place[lane] < len(task.times) and task.times[lanes.place[lane]] <= lanes.cut[lane]:
        t = task.times[lanes.place[lane]]
        _state(lanes, lane, t, found.samples[lanes.member[lane], lanes.place[lane]])
        lanes.place[lane] += 1


def _search(lanes: Lanes, code: Code, task: Task, found: Found, lane: int, seen: Seen) -> int:
    """Everything that happens in a lane's step: how much, or -1 where it needs a careful search."""
    n, k, count = task.starts.shape[1], lanes.member[lane], 0
    times, directions, events = seen.times, seen.directions, seen.events
    c, one, out, y, point = np.empty(NODES), np.empty(1), np.empty(1), np.empty(n), np.empty(n)
    F, opening = np.empty((POWERS, n)), lanes.moment[NOW, lane] == task.t0
    step = Step(lanes.moment[NOW, lane], lanes.moment[NEXT, lane], lanes.moment[SIZE, lane], y, F)
    for e in range(len(task.kinds)):
        for j in range(NODES):
            c[j] = lanes.coefficients[e * NODES + j, lane]
        if task.kinds[e] == WIDE:
            if may_hide(c):
                return -1
            continue
        if classify(c, task.noise[k, e], opening, grain(step.t, step.end)) == NOTHING:
            continue
        for i in range(n):
            y[i] = lanes.work[lanes.layout[Y] + i, lane]
            for power in range(POWERS):
                F[power, i] = lanes.F[power * n + i, lane]
        needed = task.needed[e, : task.depends[e]]
        watched = Watched(code.guards[e], task.parameters[k], needed, task.noise[k, e], one, point, out)
        several = in_step(watched, step, opening, c, times[count:], directions[count:])
        if several < 0 or count + several + MOST > len(times):
            return -1
        events[count : count + several] = e
        count += several
    return count


def may_hide(c: np.ndarray) -> bool:
    """Does an argument with Chebyshev coefficients c change by much on a step, and is it 0 or stationary there?

    The error of the step knows what lies at the step's evaluations alone, see `events.narrow`.
    """
    others, curved = 0.0, 0.0
    for k in range(1, NODES):
        others += abs(c[k])
        curved += k * k * abs(c[k]) if k > 1 else 0.0  # |T_k'| <= k^2
    if 2 * others <= MUCH:
        return False
    return not (abs(c[0]) > others and abs(c[1]) > curved)


def _sort(times: np.ndarray, order: np.ndarray, count: int) -> None:
    """The places of the first times in their order; of equal ones the first stays first."""
    for i in range(count):
        k = i
        while k > 0 and times[order[k - 1]] > times[i]:
            order[k] = order[k - 1]
            k -= 1
        order[k] = i


def _act(lanes: Lanes, code: Code, task: Task, found: Found, lane: int, seen: Seen) -> int:
    """Events of a lane's step: returns STOPPED or CAREFUL where the run ends with them, else END."""
    times, directions, events, order = seen.times, seen.directions, seen.events, seen.order
    k, count = lanes.member[lane], _search(lanes, code, task, found, lane, seen)
    if count < 0:
        return CAREFUL
    for i in range(count):
        if task.kinds[events[i]] != MARK and task.directions[events[i]] in (0, directions[i]):
            if task.kinds[events[i]] == LEAVE:
                return CAREFUL
            if times[i] < lanes.cut[lane] or found.stopped[k] < 0:
                lanes.cut[lane], found.stopped[k] = times[i], events[i]
    _sort(times, order, count)
    instant = lanes.cut[lane] + ROUNDINGS * np.spacing(abs(lanes.cut[lane]))  # all events until then are at one time
    for place in range(count):
        i = order[place]
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


def _stop(lanes: Lanes, found: Found, lane: int, n: int) -> None:
    """End the run of a lane inside its step."""
    k = lanes.member[lane]
    _state(lanes, lane, lanes.cut[lane], found.y[k])
    found.status[k], found.t[k] = STOPPED, lanes.cut[lane]
    lanes.member[lane], lanes.h[lane] = -1, 0.0


def look_inside(lanes: Lanes, code: Code, task: Task, found: Found, seen: Seen) -> None:
    """Events and samples inside the good steps."""
    n, least, member, good, work = task.starts.shape[1], lanes.layout[LEAST], lanes.member, lanes.good, lanes.work
    place, cut, counts, margins, samples = lanes.place, lanes.cut, found.counts, found.margins, task.times
    coefficients, quiet = lanes.coefficients, NODES * len(task.kinds)
    call(code.dense, lanes.moment, lanes.p, work, lanes.F)
    if len(task.kinds) > 0:
        call(code.watch, lanes.moment, lanes.p, work, coefficients)
    for l in range(len(member)):
        sampled = place[l] < len(samples) and samples[place[l]] <= cut[l]
        if good[l] == 0.0 or not (quiet > 0 or sampled):  # a lane is left alone where only its neighbours need this
            continue
        k, status = member[l], END
        counts[k, 2] += ALL_STAGES - STAGES - 1
        margins[k] = min(margins[k], work[least, l])
        if quiet > 0 and coefficients[quiet, l] == 0.0:
            status = _act(lanes, code, task, found, l, seen)
        if status == CAREFUL:
            finish(lanes, found, l, n, CAREFUL)
            continue
        if sampled:
            _sample(lanes, task, found, l)
        if status == STOPPED:
            _stop(lanes, found, l, n)
