"""The right-hand side of the disc as the user wrote it, against C of the same equations."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial

import numpy as np

import dalembert as da
from dalembert.numerics.machine.batch_calls import map_lanes
from dalembert.numerics.machine.compiler import widest
from dalembert.numerics.vector_field.compiled_kernel import Kernel

from .. import disc
from ..contest import Bar, Contest, Job, Measured, alternate

COUNT, CALLS = 4096, 8


@cache
def states() -> np.ndarray:
    """States x, y, theta, phi, psi, vx, ..., vpsi that satisfy the constraints, shape (COUNT, 10)."""
    return disc.as_written(disc.many(COUNT))


def ours(count: int = COUNT) -> Callable[[], np.ndarray]:
    """A call that evaluates the library's right-hand side at `count` states: derivatives, power and a rank margin."""
    equations, width = disc.equations(), widest()
    kernel = Kernel.of(equations, da.methods.Drift(), width=width)
    Y = np.column_stack([states()[:count], np.zeros(count)])  # the last state is the work done
    one = Kernel.of(equations, da.methods.Drift())
    p, T = one.vector(disc.PARAMETERS, disc.start().state), np.zeros(count)
    P = np.tile(p, (count, 1))
    return lambda: map_lanes(kernel.rhs, width, T, Y, P, Y.shape[1] + 1)


def _against(which: str) -> Measured:
    """Batches of COUNT states; the time is that of one state."""
    Y = np.ascontiguousarray(states().T) if which.endswith("columns") else states()
    theirs = disc.yardsticks().batch(which, Y, disc.P, np.empty_like(Y))
    mine = ours()
    timing = alternate(partial(_repeat, mine), partial(_repeat, theirs), rounds=40, seconds=4)
    return timing.share(COUNT * CALLS, COUNT * CALLS)


def _repeat(call: Callable[[], object]) -> None:
    for _ in range(CALLS):
        call()


JOB = Job(
    "right_hand_side",
    "Right-hand side of the disc as written, batches of 4096: time over theirs",
    [
        Contest("C", "C, gcc -O3, a loop", Bar("<=", 1.0), lambda: _against("unreduced_rows")),
        Contest("SIMD", "C in SIMD lanes, rows", Bar("<=", 1.0), lambda: _against("unreduced_simd")),
        Contest("columns", "C in SIMD lanes, columns", None, lambda: _against("unreduced_columns")),
        Contest("thought", "the same, by hand simpler", None, lambda: _against("thought_columns")),
    ],
)
