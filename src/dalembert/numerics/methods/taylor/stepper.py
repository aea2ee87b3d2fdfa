"""The stepper of the Taylor method: its order [jorba2005], and the arrays of a run."""

from __future__ import annotations

import math

import numpy as np

from ...machine.calls import value_at
from ...machine.loop.table import Frame
from ..loops import Buffers
from ..stepping import EVALUATIONS, MARGIN, Chunk, Clocked, H, T
from .advance import BETWEEN, LAST, Code, Room, Rules, State, advance, repeat
from .emission import HEAD, LANES, padded
from .path import SUMS
from .recurrence import HIGHEST


def order_for(rtol: float) -> int:
    """The order of the series for a tolerance."""
    # -log(rtol)/2 + 1 where work grows as the square of the order [jorba2005]; here it grows more slowly
    return max(LAST + 2, min(HIGHEST, math.ceil(-0.71 * math.log(rtol) + 1)))


class TaylorStepper(Clocked):
    """One integration under way.

    Args:
        code: addresses of ``series``, ``sums`` and ``path``.
        length: of what the series writes to.
        rhs: address of the right-hand side, which writes n derivatives and a margin.
        t, y, p: start and parameters.
        rtol, atol: tolerances; components with atol = inf are carried along.
        order: of the series; by default that which suits rtol.
        project, shift: addresses of the projection, and of what it adds to a state in two parts; 0 for none.
        margin_limit, margin_low, max_step, max_steps, first_step, chunk, dense: as for `dop853.stepper.Stepper`.
        growth: how much longer a step may be than the last.
    """

    def __init__(
        self,
        code: tuple[int, int, int],
        length: int,
        rhs: int,
        t: float,
        y: np.ndarray,
        p: np.ndarray,
        *,
        rtol: float,
        atol: float | np.ndarray,
        order: int = 0,
        project: int = 0,
        shift: int = 0,
        margin_limit: float = 0.0,
        margin_low: float = 0.0,
        max_step: float = math.inf,
        max_steps: int = 10_000_000,
        first_step: float = 0.0,
        chunk: int = 256,
        dense: bool = True,
        growth: float = math.inf,
    ) -> None:
        n = len(y)
        self._both = np.r_[np.array(y, dtype=float), np.zeros(n)]
        self.y = self._both[:n].copy()
        self.order = order or order_for(rtol)
        self._code, self._dense = Code(*code, int(rhs), int(shift), int(project)), dense
        self.p = np.array(p, dtype=float)
        self.atol = np.array(np.broadcast_to(atol, n), dtype=float)
        limits = float(margin_limit), float(margin_low), float(max_step), int(max_steps)
        rules = Rules(self.order, float(rtol), *limits, float(growth))
        self._clock = np.array([t, abs(first_step), math.inf, math.inf])
        self._counters = np.zeros(3, dtype=np.int64)
        self._chunk, self._length = int(chunk), length
        state = State(self._clock, self._both, self.y, self._counters)
        self._frames = Frame(rules), Frame(state), Frame(self._new_room())

    def _new_room(self) -> Room:
        n, stride = len(self.y), padded(len(self.y))
        out, q = _aligned(self._length), _aligned((self.order + SUMS) * stride).reshape(-1, stride)
        c = out[HEAD : HEAD + (HIGHEST + 1) * stride].reshape(-1, stride)
        point, slope = np.zeros(stride + LANES), np.zeros(stride + LANES)
        return Room(out, c, q, q[self.order :], np.zeros(2 * n), point, slope, np.zeros(3), np.zeros(n))

    def advance(self, t_end: float) -> Chunk:
        """Go on towards t_end; while the chunk's status is FULL, there is more to come."""
        if self.h == 0.0 and t_end != self.t:
            with np.errstate(all="ignore"):
                self._clock[H] = self._first_guess(abs(float(t_end) - self.t))
        self._clock[MARGIN] = self._clock[BETWEEN] = math.inf
        n, c = len(self.y), self._chunk
        buffers = Buffers(np.empty(c), np.empty((c, n)), np.empty((c if self._dense else 0, self.order, padded(n))))
        code, (rules, state, room) = self._code if self._dense else self._code._replace(path=0), self._frames
        status, count = advance(code, rules, float(t_end), self.p, self.atol, state, buffers, room)
        t, y, F = (b[:count] if count == c else b[:count].copy() for b in buffers)
        return self.chunk(status, t, y, np.ascontiguousarray(F[:, :, :n]), float(self._clock[BETWEEN]))

    def dense_output(self, t: np.ndarray, y: np.ndarray, ends: np.ndarray) -> np.ndarray:
        """Coefficients (c, order, n) of steps made without dense output: from t (c,), y (c, n) to their ends."""
        F = np.empty((len(t), self.order, padded(len(self.y))))
        steps = Buffers(np.array(t, float), np.array(y, float), F)
        repeat(self._code, self.order, self.p, np.array(ends, float), steps, self._new_room())
        return np.ascontiguousarray(F[:, :, : len(self.y)])

    def restart(self, t: float, y: np.ndarray, h: float = 0.0) -> None:
        """Go on from another time and state, as after a jump; h = 0 lets the method choose the next step size."""
        self._clock[T], self._clock[H] = t, abs(h)
        self.y[:] = self._both[: len(self.y)] = y
        self._both[len(self.y) :] = 0.0

    def _first_guess(self, span: float) -> float:
        """A length at which the motion changes by about a hundredth: a scale for the first series."""
        slope = value_at(self._code.rhs, self.t, self.y, self.p, len(self.y) + 1)[:-1]
        self._counters[EVALUATIONS] += 1
        watched = np.isfinite(self.atol)
        y, f = np.abs(self.y[watched]).max(initial=0.0), np.abs(slope[watched]).max(initial=0.0)
        guess = 0.01 * y / f if y > 0 and 0 < f < math.inf else 1e-3
        return float(min(max(guess, 1e-12 * span), span))


def _aligned(length: int) -> np.ndarray:
    """Zeros that begin on the border of a cache line, where vectors lie well."""
    room = np.zeros(length + 8)
    first = (-room.ctypes.data // 8) % 8
    return room[first : first + length]
