"""`FixedStepper` holds the arrays of an integration with fixed steps, which `march` makes."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np

from ...machine.loop.table import Frame
from ..dop853.code import POWERS
from ..loops import Buffers
from ..stepping import MARGIN, Chunk, Clocked, T
from .march import INDEX, ORIGIN, Code, Plan, Progress, Work, march
from .one_step import Compiled

Energy = Callable[[float, np.ndarray], float]
SMOOTH = 5  # a composition of more parts is of order 6, and so is its dense output


def plan(parts: np.ndarray, step: float, margin_limit: float, max_steps: int) -> Plan:
    """How steps follow each other: `parts` from `composition.steps`."""
    parts = np.array(parts, dtype=float)
    return Plan(parts, float(step), len(parts) > SMOOTH, float(margin_limit), int(max_steps))


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
        self, rhs: int, scheme: Compiled, plan: Plan, t: float, y: np.ndarray, p: np.ndarray, energy: Energy, chunk: int
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
        self._frames = [Frame(each) for each in (self._run, self._buffers, self._work)]
        self._step = Frame(_code(rhs, scheme)), Frame(plan)

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


def _code(rhs: int, scheme: Compiled) -> Code:
    """Where the scheme's machine code lies, and what its unknowns are."""
    address = scheme.library.address
    pairs = [("guess", "finish"), *((f"residual{i}", f"system{i}") for i in range(len(scheme.sizes)))]
    addresses = np.array([[address(a), address(b)] for a, b in pairs], dtype=np.int64)
    bounds = np.array([0, *np.cumsum(scheme.sizes)], dtype=np.int64)
    return Code(int(rhs), addresses, bounds, np.array(scheme.groups, dtype=np.int64), scheme.own_work)


def _work(n: int, parts: int, sizes: Sequence[int]) -> Work:
    """Work space for n states and so many parts of a step."""
    largest = max(sizes)
    shape = parts, len(sizes), largest
    return Work(
        moment=np.zeros(2),
        out=np.zeros(max(largest + largest**2, n)),
        A=np.zeros((*shape, largest + 1)),
        rows=np.zeros(shape, dtype=np.int64),
        dx=np.empty(largest),
        ready=np.zeros(shape[:2], dtype=np.int64),
        bends=np.zeros((3, 2 * n + 1)),
    )
