"""The unreduced Whipple bicycle, one motion and many, against heyoka on the same equations."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

import dalembert as da

from .. import disc, whipple
from ..contest import Bar, Contest, Job, Measured, Timing, against_error, alternate, clock, need

END, COUNT, ENSEMBLE_END, RTOL = 10.0, 8192, 2.0, 1e-9


def _ours(rtol: float = 1e-12) -> da.nouns.Trajectory:
    return da.simulate(whipple.equations(), whipple.start(), until=END, rtol=rtol, dense=False, samples=[0.0, END])


def _vector() -> np.ndarray:
    return np.array([whipple.start()[n] for n in whipple.equations().states])


@cache
def _taylor(tol: float) -> Any:
    """heyoka; compact, since unrolled code of this size takes minutes to compile."""
    hy = need("heyoka")
    return hy.taylor_adaptive(whipple.for_heyoka(hy), _vector(), tol=tol, compact_mode=True)


def _theirs(tol: float = 0.0) -> np.ndarray:
    run = _taylor(tol)
    run.time, run.state[:] = 0.0, _vector()
    run.propagate_until(END)
    return np.array(run.state)


def _single(tol: float) -> Measured:
    need("heyoka")
    return alternate(lambda: _ours().audit.seconds, lambda: _theirs(tol), rounds=9).gain()


def _whole() -> Measured:
    need("heyoka")
    return alternate(_ours, _theirs, rounds=9).gain()


def _error() -> Measured:
    need("heyoka")
    truth = _theirs(0.0)
    path = _ours()
    mine, coarse = np.array([path[n][-1] for n in whipple.equations().states]), _theirs(1e-12)
    size = np.maximum(1.0, np.abs(truth))
    return against_error(float(np.max(np.abs(mine - truth) / size)), float(np.max(np.abs(coarse - truth) / size)))


def _sweep() -> Any:
    sweep, table = disc.public("sweep"), disc.public("ensembles.table")
    names, starts = whipple.equations().states, whipple.many(COUNT)
    given = table(dict(zip(names, starts.T, strict=True)))
    return sweep(whipple.equations(), starts=given, until=ENSEMBLE_END, rtol=RTOL, jobs=1)


def _ensemble() -> Measured:
    hy = need("heyoka")
    _sweep()
    count, width = 256, max(1, hy.recommended_simd_size())
    groups = whipple.many(COUNT)[:count].reshape(-1, width, 18).transpose(0, 2, 1)
    run = hy.taylor_adaptive_batch(whipple.for_heyoka(hy), np.ascontiguousarray(groups[0]), tol=RTOL, compact_mode=True)

    def theirs() -> None:
        for group in groups:
            run.set_time(0.0)
            run.state[:] = group
            run.propagate_until(ENSEMBLE_END)

    timing = Timing()
    for _ in range(4):
        timing.ours.append(clock(_sweep))
        timing.theirs.append(clock(theirs))
    measured = timing.gain(COUNT, count)
    rates = (COUNT / min(timing.ours) / 1e3, count / min(timing.theirs) / 1e3)
    return Measured(measured.value, *(f"{r:.3g} k/s" for r in rates), measured.spread)


JOB = Job(
    "bicycle",
    "Whipple bicycle, nothing reduced, against heyoka: times faster",
    [
        Contest("single", "10 s, 1e-12; heyoka at eps", Bar(">=", 10.0), lambda: _single(0.0)),
        Contest("call", "  our whole call", None, _whole),
        Contest("equal tolerance", "10 s, both at 1e-12", None, lambda: _single(1e-12)),
        Contest("error", "  error over theirs", None, _error),
        Contest("ensemble", "many for 2 s at 1e-9", Bar(">=", 10.0), _ensemble),
    ],
)
