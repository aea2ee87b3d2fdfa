"""The stepper of explicit Runge-Kutta pairs, as of DOP853 [hairer1993, II.5, II.6].

`ExplicitStepper` holds the arrays of `advance`.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache

import numpy as np

from ...machine.compiler import Library
from ...machine.loop.argument_layout import ArgumentFrame
from ..stepper import FULL, MARGIN, Buffers, Chunk, Clocked, H, T
from .advance import BETWEEN, Room, Rules, StepCode, StepState, advance, repeat
from .step_ir import POWERS, Work
from .tableau import DOP853, ExplicitTableau

FEW = 16  # steps, where a chunk is short at first


@lru_cache(maxsize=64)
def layout_of(work: Work) -> np.ndarray:
    """The first rows of `work` in the order of Y, NEW, ERROR, ..., and counts of stages; nobody writes in it."""
    pair = work.tableau
    stages = work.stage(0), work.stage(pair.stages), work.stage(1), pair.stages, pair.every - pair.stages - 1
    return np.array([work.Y, work.new, work.error, work.margin, work.largest, *stages], np.int64)


class ExplicitStepper(Clocked):
    """One integration under way: the state of `advance` and its buffers.

    Args:
        code: has ``rhs``, which writes n derivatives and a margin, and the ``step`` and ``dense`` of `code.stepping`.
        t: starting time.
        y: starting state, shape (n,).
        p: parameters, shape (np,).
        rtol: relative tolerance.
        atol: absolute tolerance, a number or shape (n,); inf for components without error control.
        margin_limit: least admissible rank margin.
        margin_low: a step with a smaller one is the last of its chunk.
        max_step: largest step size.
        max_steps: how many steps may be tried in all.
        first_step: size of the first step; 0 lets the method choose.
        chunk: how many steps `advance` takes at most before it returns.
        patient: does it return that late from the beginning? Else after few steps at first, and after a restart: for
            runs that may be cut short, where steps beyond the cut are wasted.
        tail: how many numbers the right-hand side writes behind the derivative, the margin first.
        sinks: does a chunk tell that the margin may have vanished between the stages of a step?
        tableau: of the pair.
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
        margin_low: float = 0.0,
        max_step: float = math.inf,
        max_steps: int = 10_000_000,
        first_step: float = 0.0,
        chunk: int = 256,
        dense: bool = True,
        patient: bool = True,
        tail: int = 1,
        sinks: bool = False,
        tableau: ExplicitTableau = DOP853,
    ) -> None:
        self.y, self._tail, self._sinks = np.array(y, dtype=float), tail, sinks
        n = len(self.y)
        self.code, self.p = code, np.array(p, dtype=float)
        self._chunk = chunk
        self._least = self._next = chunk if patient else min(FEW, chunk)
        tolerance = np.empty(n + 1)
        tolerance[0], tolerance[1:] = rtol, atol
        self.rtol, self.atol = float(rtol), tolerance[1:].copy()
        self._code, self._dense = StepCode(*(code.address(name) for name in ("rhs", "step", "dense", "first"))), dense
        self._alone = self._code._replace(dense=0)
        controlled = max(1, int(np.count_nonzero(np.isfinite(self.atol))))
        limits = float(margin_limit), float(margin_low), float(max_step), int(max_steps)
        rules = Rules(tolerance, controlled, *limits)
        self._clock = np.array([t, first_step, math.inf, math.inf])
        self._counters = np.zeros(3, dtype=np.int64)
        self._buffers = Buffers(np.empty(chunk), np.empty((chunk, n)), np.empty((chunk if dense else 0, POWERS * n)))
        work = Work(n, tail, tableau)
        self._room = Room(np.zeros(work.size), layout_of(work), np.zeros(4))
        state, self._tolerance = StepState(self._clock, self.y, self._counters), tolerance
        # laid out once, since chunks may be short
        self._frames = (
            ArgumentFrame(rules),
            ArgumentFrame(state),
            ArgumentFrame(self._buffers),
            ArgumentFrame(self._room),
        )

    def advance(self, t_end: float) -> Chunk:
        """Go on towards t_end; while the chunk's status is FULL, there is more to come."""
        self._clock[MARGIN] = self._clock[BETWEEN] = math.inf
        code = self._code if self._dense else self._alone
        rules, *others = self._frames
        status, count = advance(code, rules, float(t_end), self.p, *others, self._next)
        self._next = min(2 * self._next, self._chunk)
        t, y, F = (buffer[:count].copy() for buffer in self._buffers)
        F = F.reshape(len(F), POWERS, len(self.y))
        return self.chunk(status, t, y, F, float(self._clock[BETWEEN]) if self._sinks else math.inf)

    def prepared(self, most: int) -> Callable[[float], int]:
        """A function that goes on to a time and tells the `Status` there, without steps to be kept; laid out once.

        `most` steps are made between two looks; the chunk must have room for them.
        """
        clock = self._clock
        go_on = advance.prepared(self._alone, self._frames[0], 0.0, self.p, *self._frames[1:], most, varied=2)

        def reach(t_end: float) -> int:
            clock[MARGIN] = math.inf
            status, count = go_on(t_end)
            while status == FULL and count == most:
                status, count = go_on(t_end)
            return int(status)

        return reach

    def dense_output(self, t: np.ndarray, y: np.ndarray, ends: np.ndarray) -> np.ndarray:
        """Coefficients (c, 7, n) of steps that were made without dense output: from t (c,), y (c, n) to their ends."""
        F = np.empty((len(t), POWERS * len(self.y)))
        steps = Buffers(np.array(t, float), np.array(y, float), F)
        room = self._room._replace(work=self._room.work.copy())
        repeat(self._code, self.p, np.array(ends, float), steps, self._tolerance, room)
        return F.reshape(len(F), POWERS, len(self.y))

    def again(self, t: float, y: np.ndarray, p: np.ndarray, atol: np.ndarray) -> None:
        """Begin another integration by the same code with the same limits."""
        self._counters[:], self.margin = 0, math.inf
        self.p[:], self._tolerance[1:], self.atol[:] = p, atol, atol
        self.restart(t, y)

    def restart(self, t: float, y: np.ndarray, h: float = 0.0) -> None:
        """Go on from another time and state, as after a jump; h = 0 lets the method choose the next step size."""
        self._clock[T], self._clock[H] = t, h
        self._next = self._least
        self.y[:] = y
