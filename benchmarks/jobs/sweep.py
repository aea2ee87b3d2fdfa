"""10^5 discs for 10 s at 1e-9, against the best SIMD C of the same method, and heyoka's batches."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from .. import disc
from ..contest import Bar, Contest, Job, Measured, Missing, Timing, alternate, clock, need

COUNT, END, RTOL, ATOL = 100_000, 10.0, 1e-9, 1e-11
CHECKED = 500


def _ours(count: int = COUNT, jobs: int = 1) -> Any:
    """The end states of `count` discs."""
    sweep = disc.public("sweep")
    return sweep(disc.equations(), starts=_starts(count), until=END, rtol=RTOL, atol=ATOL, jobs=jobs)


@cache
def _starts(count: int) -> Any:
    """A table: its columns go together, vx and vy follow."""
    return disc.public("ensembles.table")(disc.many(count))


@cache
def _reduced(count: int) -> np.ndarray:
    return disc.reduce(disc.many(count))


def _c(count: int = COUNT) -> np.ndarray:
    return disc.yardsticks().ensemble(_reduced(count), disc.P, END, RTOL, ATOL)


def _unreduced() -> np.ndarray:
    return disc.yardsticks().ensemble(_written(COUNT), disc.P, END, RTOL, ATOL)


@cache
def _written(count: int) -> np.ndarray:
    return disc.as_written(disc.many(count))


def _against(theirs: Callable[[], np.ndarray]) -> Measured:
    return _rate(alternate(_ours, theirs, rounds=5, seconds=15))


def _rate(timing: Timing, theirs: int = COUNT) -> Measured:
    """Trajectories in a second over theirs."""
    measured = timing.gain(COUNT, theirs)
    per_second = (COUNT / min(timing.ours) / 1e3, theirs / min(timing.theirs) / 1e3)
    return Measured(measured.value, *(f"{r:.0f} k/s" for r in per_second), measured.spread)


def _error() -> Measured:
    """Median over trajectories of the error at the end."""
    found, starts = _ends(_ours(CHECKED)), _reduced(CHECKED)
    exact = np.array([disc.yardsticks().single(y, disc.P, END, 1e-14, 1e-16) for y in starts])
    mine, theirs = (np.median(np.abs(ends - exact).max(axis=1)) for ends in (found, _c(CHECKED)))
    return Measured(float(mine / theirs), f"{mine:.1e}", f"{theirs:.1e}")


def _ends(kept: Any) -> np.ndarray:
    """End states (N, 8) of the Dataset of a sweep."""
    return disc.reduce({name: np.ravel(kept[name].values) for name in disc.GIVEN})


def _two_cores() -> Measured:
    if (os.cpu_count() or 1) < 2:
        raise Missing("a second core")
    timing = alternate(lambda: _ours(jobs=2), lambda: _ours(jobs=1), rounds=5, seconds=15)
    return _rate(timing)


def _heyoka() -> Measured:
    count = 8192
    hy = need("heyoka")
    y, p = hy.make_vars(*(f"y{i}" for i in range(8))), [hy.par[i] for i in range(5)]
    width = max(1, hy.recommended_simd_size())
    starts = _reduced(count).reshape(-1, width, 8).transpose(0, 2, 1)
    run = hy.taylor_adaptive_batch(
        list(zip(y, disc.rates(hy, y, p), strict=True)),
        np.ascontiguousarray(starts[0]),
        pars=np.repeat(disc.P[:, None], width, axis=1),
        tol=RTOL,
    )

    def theirs() -> None:
        for group in starts:
            run.set_time(0.0)
            run.state[:] = group
            run.propagate_until(END)

    ours, times = _ours, Timing()
    for _ in range(3):
        times.ours.append(clock(ours))
        times.theirs.append(clock(theirs))
    return _rate(times, count)


JOB = Job(
    "sweep",
    "10^5 discs for 10 s at 1e-9, one core: trajectories per second, over theirs",
    [
        Contest("C", "SIMD C, reduced by hand", Bar(">=", 1.2), lambda: _against(_c)),
        Contest("error", "  median error over theirs", None, _error),
        Contest("same", "SIMD C, unreduced like ours", Bar(">=", 1.2), lambda: _against(_unreduced)),
        Contest("cores", "ours: two cores over one", Bar(">=", 1.8), _two_cores),
        Contest("heyoka", "heyoka, reduced by hand", None, _heyoka),
    ],
)
