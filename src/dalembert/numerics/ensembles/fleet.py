"""Motions of one form of the equations that are carried on together, in lanes."""

from __future__ import annotations

import copy
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np

from ...calculus.graph import symbols
from ..machine.batch_calls import map_lanes
from ..machine.compiler import Library
from ..machine.loop.compiled_loop import loop
from ..machine.loop.function_address import call
from ..methods.dop853.advance import ERROR, FIRST, LARGEST, LEAST, Y, verdict
from ..methods.dop853.step_ir import FASTEST, Work
from ..methods.dop853.stepper import layout_of
from ..methods.method import FARTHER, MARGIN_LIMIT, turning
from ..methods.stepper import (
    BLOWUP,
    END,
    FAILED,
    FULL,
    LARGEST_STATE,
    MAX_STEPS,
    NONFINITE,
    RANK,
    STEP_TOO_SMALL,
    next_time,
    vanishes,
)
from ..vector_field.kernel_plan import PREAMBLE
from .lanes import CONTROLLED, NEXT, NOW, SIZE
from .members_in_lanes import LaneProgram, aligned

# ---------------------------------------------------------------------------------------------------------------------
# DOP853 in SIMD lanes from one time to the next, for motions that wait between: the plants of a control loop.
# By the rules of `dop853.advance`, so that each motion has the bits that it has alone. A motion that cannot go on, or
# comes near a pole of its form, stays where it was, and its status says why.

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


class LaneMotions(NamedTuple):
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


class LaneWork(NamedTuple):
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


def _load(first: int, limits: Limits, members: LaneMotions, bench: LaneWork) -> None:
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


def _begin(code: Going, limits: Limits, bench: LaneWork, n: int) -> None:
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


def _plan(first: int, limits: Limits, members: LaneMotions, bench: LaneWork) -> bool:
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


def _judge(first: int, limits: Limits, members: LaneMotions, bench: LaneWork) -> None:
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


def _store(first: int, members: LaneMotions, bench: LaneWork) -> None:
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
def onwards(code: Going, limits: Limits, members: LaneMotions, bench: LaneWork) -> None:
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


@dataclass(frozen=True, eq=False)
class Fleet:
    """Motions in the same states and the same code.

    Attributes:
        rows: which motions these are (k,).
        program: what is compiled for them.
        members: where they are.
        start: where they began.
        derived: has ``energy``, of a full row.
    """

    rows: np.ndarray
    program: LaneProgram
    members: LaneMotions
    start: LaneMotions
    derived: Library

    @classmethod
    def of(
        cls, program: LaneProgram, rows: np.ndarray, states: np.ndarray, parameters: Mapping[str, np.ndarray]
    ) -> Fleet:
        """The motions from full states (k, n), with parameters (k,)."""
        policy, t0, count = program.ensemble.policy, float(program.ensemble.t0), len(rows)
        full = {**parameters, **dict(zip(program.ensemble.equations.states, states.T, strict=True)), "t": t0}
        y = program.within(states, parameters)
        p = program.vectors({**full, **dict(zip(program.states, y.T, strict=True))}, count)
        none = np.full((count, 1), np.inf)
        tolerances = np.column_stack([np.full(count, policy.rtol), policy.tolerances_of_all(program.states, y), none])
        members = LaneMotions(
            t=np.full(count, t0),
            ends=np.full(count, t0),
            y=np.ascontiguousarray(np.column_stack([y, np.zeros(count)])),
            h=np.zeros(count),
            p=np.ascontiguousarray(p),
            tolerances=np.ascontiguousarray(tolerances, float),
            counts=np.zeros((count, 2), np.int64),
            status=np.zeros(count, np.int64),
        )
        return cls(rows, program, members, _copied(members), program.kernel.derived)

    def copy(self) -> Fleet:
        """The same motions, which go on alone."""
        return replace(self, members=_copied(self.members))

    @cached_property
    def _go(self) -> Callable[[float], object]:
        """The loop, its arguments laid out once."""
        program, address = self.program, self.program.kernel.library.address
        lean, policy = program.lean, program.ensemble.policy
        near = 0.0 if lean is None else turning(lean)
        far = MARGIN_LIMIT if lean is None else FARTHER * turning(lean)
        limits = Limits(len(program.states), far, near, float(policy.max_step), policy.most_steps)
        code = Going(*map(address, ("rhs", "step", "take", "first")))
        return onwards.prepared(code, limits, self.members, self._bench)

    @cached_property
    def _bench(self) -> LaneWork:
        """Kept for as long as the loop is."""
        n, parameters, width = self.members.y.shape[1], self.members.p.shape[1], self.program.width
        return LaneWork(
            layout=layout_of(n),
            work=aligned(Work(n).size, width),
            moment=aligned(4, width),
            p=aligned(parameters, width),
            tolerance=aligned(n + 1, width),
            good=aligned(width),
            h=aligned(width),
            growth=aligned(width),
            margin=aligned(width),
            made=np.zeros((2, width), np.int64),
            status=np.zeros(width, np.int64),
        )

    def put(self, names: tuple[str, ...], old: np.ndarray, new: np.ndarray) -> None:
        """Other values of parameters (k, m) from here on; `old` are NaN where there are none yet."""
        kernel, p = self.program.kernel, self.members.p
        felt = symbols([self.program.ensemble.equations.machine.energy]) & {*names}
        before = p.copy() if felt else p
        for i, name in enumerate(names):
            if name in kernel.parameters:
                p[:, kernel.parameters.index(name)] = new[:, i]
        if kernel.preamble:
            first = len(kernel.parameters) + kernel.behind - kernel.preamble
            address, zeros = kernel.library.address(PREAMBLE), np.zeros(len(p))
            found = map_lanes(address, self.program.width, zeros, p, p, kernel.preamble)
            p[:, first : first + kernel.preamble] = found
        if felt:
            again = np.isfinite(old).all(axis=1)
            self.members.y[again, -1] += (self._energy(p) - self._energy(before))[again]

    def _energy(self, p: np.ndarray) -> np.ndarray:
        return map_lanes(self.derived.address("energy"), 1, self.members.t, self.full, p, 1)[:, 0]

    @property
    def full(self) -> np.ndarray:
        """Full rows (k, n + 1)."""
        members = self.members
        return members.y if self.program.lean is None else self.program.between("full", members.t, members.y, members.p)

    def onwards(self, ends: np.ndarray) -> np.ndarray:
        """Carry on to times (k,); positions of motions that stayed where they were."""
        self.members.ends[:] = ends
        self._go(0.0)
        return np.flatnonzero(self.members.status != END)

    def reset(self, chosen: np.ndarray) -> None:
        """Back to the start, those that are chosen (k,); parameters stay."""
        for mine, first in zip(self.members._replace(p=self.start.h), self.start._replace(p=self.start.h), strict=True):
            mine[chosen] = first[chosen]


def _copied(members: LaneMotions) -> LaneMotions:
    return LaneMotions(*map(copy.copy, members))
