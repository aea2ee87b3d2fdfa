"""DOP853 in SIMD lanes from one time to the next, for motions that wait between: the plants of a control loop.

By the rules of `dop853.advance`, so that each motion has the bits that it has alone. A motion that cannot go on, or
comes near a pole of its form, stays where it was, and its status says why.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ..machine.loop.address import call
from ..machine.loop.entry import loop
from ..methods.dop853.advance import ERROR, FIRST, LARGEST, LEAST, Y, verdict
from ..methods.dop853.code import FASTEST
from ..methods.loops import next_time, vanishes
from ..methods.stepping import (
    BLOWUP,
    END,
    FAILED,
    FULL,
    LARGEST_STATE,
    MAX_STEPS,
    NONFINITE,
    RANK,
    STEP_TOO_SMALL,
)
from .lanes import CONTROLLED, NEXT, NOW, SIZE

WAITING = -1  # the status of a lane under way


class Going(NamedTuple):
    """Addresses of what is compiled for lanes."""

    rhs: int
    step: int
    take: int
    first: int


class Limits(NamedTuple):
    """As `dop853.advance.Rules`, but for the tolerances."""

    controlled: int
    margin_limit: float
    margin_low: float
    max_step: float
    max_steps: int


class Members(NamedTuple):
    """K motions of n components.

    Attributes:
        t, ends: where they are, and where they are to go (K,).
        y, h: states (K, n), and sizes of their next steps, 0 where the method chooses (K,).
        p, tolerances: parameters (K, np), rtol and atol of each component (K, n + 1).
        counts: steps and refused steps so far (K, 2).
        status: END where a motion arrived, or a `Status` (K,).
    """

    t: np.ndarray
    ends: np.ndarray
    y: np.ndarray
    h: np.ndarray
    p: np.ndarray
    tolerances: np.ndarray
    counts: np.ndarray
    status: np.ndarray


class Bench(NamedTuple):
    """Work space of W lanes: numbers of the compiled functions (..., W), and for each lane (W,) the size of the next
    step, the largest growth to the one after it, the least margin, how many were good and refused, and its status.
    """

    layout: np.ndarray
    work: np.ndarray
    moment: np.ndarray
    p: np.ndarray
    tolerance: np.ndarray
    good: np.ndarray
    h: np.ndarray
    growth: np.ndarray
    margin: np.ndarray
    made: np.ndarray
    status: np.ndarray


def _load(first: int, limits: Limits, members: Members, bench: Bench) -> None:
    """Put motions into the lanes; those without one of their own repeat the last."""
    for l in range(len(bench.h)):
        k = min(first + l, len(members.t) - 1)
        bench.moment[NOW, l], bench.moment[CONTROLLED, l] = members.t[k], float(limits.controlled)
        bench.moment[SIZE, l] = members.ends[k] - members.t[k]
        for i in range(members.y.shape[1]):
            bench.work[bench.layout[Y] + i, l] = members.y[k, i]
        for i in range(members.p.shape[1]):
            bench.p[i, l] = members.p[k, i]
        for i in range(members.tolerances.shape[1]):
            bench.tolerance[i, l] = members.tolerances[k, i]
        bench.h[l], bench.growth[l], bench.margin[l] = members.h[k], FASTEST, math.inf
        bench.made[0, l], bench.made[1, l] = members.counts[k, 0], members.counts[k, 1]
        bench.status[l] = WAITING


def _begin(code: Going, limits: Limits, bench: Bench, n: int) -> None:
    """Derivatives at the states, and sizes of first steps."""
    first = bench.work[bench.layout[FIRST] : bench.layout[FIRST] + n + 1]
    call(code.rhs, bench.moment, bench.work[bench.layout[Y] : bench.layout[Y] + n], bench.p, first)
    choose = False
    for l in range(len(bench.h)):
        choose = choose or bench.h[l] == 0.0
        if bench.moment[SIZE, l] == 0.0:
            bench.status[l] = END
        elif first[n, l] <= limits.margin_limit:
            bench.status[l] = RANK
        else:
            for i in range(n):
                if not math.isfinite(first[i, l]):
                    bench.status[l] = NONFINITE
    if choose:
        call(code.first, bench.moment, bench.p, bench.tolerance, bench.work)
        for l in range(len(bench.h)):
            if bench.h[l] == 0.0:
                bench.h[l] = bench.work[bench.layout[ERROR], l]


def _plan(first: int, limits: Limits, members: Members, bench: Bench) -> bool:
    """Times and sizes of the next steps; is a lane still under way?"""
    under_way = False
    for l in range(len(bench.h)):
        now, end = bench.moment[NOW, l], members.ends[min(first + l, len(members.t) - 1)]
        if bench.status[l] == WAITING and bench.made[0, l] + bench.made[1, l] >= limits.max_steps:
            bench.status[l] = MAX_STEPS
        if bench.status[l] != WAITING:
            bench.moment[NEXT, l], bench.moment[SIZE, l] = now, 0.0
            continue
        bench.moment[NEXT, l] = next_time(now, min(abs(bench.h[l]), limits.max_step), end)
        bench.moment[SIZE, l] = bench.moment[NEXT, l] - now
        if not abs(bench.moment[SIZE, l]) > 0.0:
            bench.status[l] = STEP_TOO_SMALL
            continue
        under_way = True
    return under_way


def _judge(first: int, limits: Limits, members: Members, bench: Bench) -> None:
    """Which steps are good, the sizes of the next ones, and which motions are through."""
    error_row, least, largest = bench.layout[ERROR], bench.layout[LEAST], bench.layout[LARGEST]
    for l in range(len(bench.h)):
        bench.good[l] = 0.0
        if bench.status[l] != WAITING:
            continue
        now, size, end = bench.moment[NOW, l], bench.moment[SIZE, l], members.ends[min(first + l, len(members.t) - 1)]
        error, growth = bench.work[error_row, l], bench.work[error_row + 1, l]
        status = verdict(error, bench.work[least, l], limits.margin_limit, bench.work[largest, l])
        if status != END or error > 1.0:
            bench.made[1, l] += 1
            bench.h[l], bench.growth[l] = size * (FAILED if status != END else min(growth, 1.0)), 1.0
            if vanishes(bench.h[l], now):
                bench.status[l] = status if status != END else STEP_TOO_SMALL
            continue
        arrived, planned = bench.moment[NEXT, l] == end, min(abs(bench.h[l]), limits.max_step)
        bench.h[l] = max(abs(size) * min(growth, bench.growth[l]), planned if arrived else 0.0)
        bench.good[l], bench.growth[l], bench.moment[NOW, l] = 1.0, FASTEST, bench.moment[NEXT, l]
        bench.made[0, l] += 1
        bench.margin[l] = min(bench.margin[l], bench.work[least, l])
        if bench.work[largest, l] > LARGEST_STATE:
            bench.status[l] = BLOWUP
        elif arrived:
            bench.status[l] = END
        elif bench.margin[l] < limits.margin_low:
            bench.status[l] = FULL


def _store(first: int, members: Members, bench: Bench) -> None:
    """Take over the motions that arrived."""
    for l in range(min(len(bench.h), len(members.t) - first)):
        k = first + l
        members.status[k] = bench.status[l]
        if bench.status[l] == END:
            members.t[k], members.h[k] = members.ends[k], bench.h[l]
            members.counts[k, 0], members.counts[k, 1] = bench.made[0, l], bench.made[1, l]
            for i in range(members.y.shape[1]):
                members.y[k, i] = bench.work[bench.layout[Y] + i, l]


@loop
def onwards(code: Going, limits: Limits, members: Members, bench: Bench) -> None:
    """Carry every motion on to its end; `status` says which of them arrived, the others stay where they were."""
    first, n = 0, members.y.shape[1]
    good, p, tolerance, work = bench.good, bench.p, bench.tolerance, bench.work
    while first < len(members.t):
        _load(first, limits, members, bench)
        _begin(code, limits, bench, n)
        while _plan(first, limits, members, bench):
            call(code.step, bench.moment, p, tolerance, work)
            _judge(first, limits, members, bench)
            call(code.take, good, p, tolerance, work)
        _store(first, members, bench)
        first += len(bench.h)
