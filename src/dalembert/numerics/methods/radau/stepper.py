"""The stepper of the stiff method: the state of `advance` and its buffers."""

from __future__ import annotations

import math

import numpy as np

from ...machine.batch_calls import value_at
from ...machine.loop.argument_layout import ArgumentFrame
from ..stepper import EVALUATIONS, MARGIN, Chunk, Clocked, H, T
from .advance import advance
from .newton import jacobian_at
from .tableau import stages_for, tableau
from .work_arrays import (
    AGE,
    BEGUN,
    BETWEEN,
    ERROR_OLD,
    H_LAST,
    H_OLD,
    MADE,
    RATE,
    Job,
    RadauCode,
    RadauLimits,
    RadauWork,
)

ACCURATE = 1e-3  # of the tolerance: the error that Newton's method may leave, but for rounding


class RadauStepper(Clocked):
    """One stiff integration under way.

    The tolerance is that of the path between the steps, whose polynomial has degree s. At the ends of steps the error
    is of higher order, 2 s - 1, and mostly much smaller. Tolerances down to rtol = 1e-13 mean something: below,
    rounding in the stages' equations is as large. Stiff forces of 1e8 and more may turn: see `newton`.

    Args:
        rhs: address of the right-hand side, which writes n derivatives and a margin.
        jacobian: address of its Jacobian (row-major), 0 for differences.
        t, y, p: start and parameters.
        rtol, atol: tolerances; components with atol = inf are carried along.
        stages: 3, 5 or 7 for order 5, 9 or 13; 0 for those that cost least at rtol.
        project: address of the projection, 0 for none.
        margin_limit, max_step, max_steps, first_step, chunk, tail: as for `explicit_runge_kutta.stepper.Stepper`.
        accurate: the error that Newton's method may leave in the stages, in units of the tolerance, by default 1e-3;
            rounding ends its iterations in any case.
    """

    def __init__(
        self,
        rhs: int,
        jacobian: int,
        t: float,
        y: np.ndarray,
        p: np.ndarray,
        *,
        rtol: float,
        atol: float | np.ndarray,
        stages: int = 0,
        project: int = 0,
        margin_limit: float = -math.inf,
        max_step: float = math.inf,
        max_steps: int = 10_000_000,
        first_step: float = 0.0,
        chunk: int = 64,
        tail: int = 1,
        accurate: float | None = None,
    ) -> None:
        self.y, self.p = np.array(y, dtype=float), np.array(p, dtype=float)
        n, self.stages = len(self.y), stages or stages_for(rtol)
        tolerance = np.r_[float(rtol), np.broadcast_to(atol, n)].astype(float)
        controlled = max(1, int(np.count_nonzero(np.isfinite(tolerance[1:]))))
        wanted = ACCURATE if accurate is None else float(accurate)
        self._job = Job(
            RadauCode(int(rhs), int(jacobian), int(project)),
            RadauLimits(tolerance, controlled, wanted, float(margin_limit), float(max_step), int(max_steps)),
            tableau(self.stages),
            RadauWork.of(n, self.stages, tail),
            self.p,
            self.y,
            np.zeros(BETWEEN + 1),
            np.zeros(BEGUN + 1, dtype=np.int64),
        )
        self._frame = ArgumentFrame(self._job)
        self._clock, self._counters = self._job.clock, self._job.counters
        self._buffers = np.empty(chunk), np.empty((chunk, n)), np.empty((chunk, self.stages, n))
        self.restart(t, self.y, first_step)

    def advance(self, t_end: float) -> Chunk:
        """Go on towards t_end; while the chunk's status is FULL, there is more to come."""
        if self.h == 0.0 and t_end != self.t:
            with np.errstate(all="ignore"):  # `advance` meets the same numbers and says what is wrong with them
                self._clock[H] = self._first_step(abs(float(t_end) - self.t))
        self._clock[[MARGIN, BETWEEN]] = math.inf
        status, count = advance(self._frame, float(t_end), *self._buffers)
        t, y, F = (buffer[:count].copy() for buffer in self._buffers)
        return self.chunk(status, t, y, F, float(self._clock[BETWEEN]))

    def restart(self, t: float, y: np.ndarray, h: float = 0.0) -> None:
        """Go on from another time and state, as after a jump; h = 0 lets the method choose the next step size."""
        self.y[:] = y
        self._clock[T], self._clock[H] = t, abs(h)
        self._clock[[H_OLD, ERROR_OLD, H_LAST]] = 0.0
        self._counters[BEGUN] = 0
        self._clock[[RATE, AGE, MADE]] = 1.0, math.inf, 0.0

    def jacobian(self) -> np.ndarray:
        """df/dy (n, n) at the present time and state, as the steps use it."""
        J = np.empty((len(self.y), len(self.y)))
        jacobian_at(self._frame, J)
        return J

    def _first_step(self, span: float) -> float:
        """A step on which the motion changes by a hundredth [hairer1993, II.4]."""
        tolerance = self._job.rules.tolerance
        f = value_at(self._job.code.rhs, self.t, self.y, self.p, len(self._job.work.first))[: len(self.y)]
        self._counters[EVALUATIONS] += 1
        weight = 1 / (tolerance[1:] + tolerance[0] * np.abs(self.y))
        size, slope = np.linalg.norm(self.y * weight), np.linalg.norm(f * weight)
        guess = 0.01 * size / slope if min(size, slope) > 1e-5 else 1e-6
        return float(min(guess, span))
