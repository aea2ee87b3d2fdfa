"""100 s of the disc at 1e-12, against DOP853 in C on hand-reduced equations and SciPy's on a Python function."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache

import numpy as np
from scipy.integrate import solve_ivp

import dalembert as da

from .. import disc
from ..contest import Bar, Contest, Job, Measured, against_error, alternate, clock, duration

END, RTOL, ATOL = 100.0, 1e-12, 1e-14
TIMES = [10.0 * i for i in range(1, 11)]


def _ours(until: float = END, dense: bool = False) -> da.nouns.Trajectory:
    options = {"rtol": RTOL, "atol": ATOL, "dense": dense, "samples": [0.0, until]}
    return da.simulate(disc.equations(), disc.start(), until=until, **options)


def _c(until: float = END) -> np.ndarray:
    return disc.yardsticks().single(disc.reduced_start(), disc.P, until, RTOL, ATOL)


def _unreduced(until: float = END) -> np.ndarray:
    return disc.yardsticks().single(disc.as_written(disc.GIVEN), disc.P, until, RTOL, ATOL)


def _python() -> np.ndarray:
    p = tuple(disc.PARAMETERS.values())
    run = solve_ivp(
        lambda t, y: disc.rates(math, y, p), (0, END), disc.reduced_start(), method="DOP853", rtol=RTOL, atol=ATOL
    )
    return np.asarray(run.y[:, -1])


@cache
def _our_errors() -> float:
    """Largest error at the ends of ten runs; one end alone may be good by luck."""
    ends = [disc.reduce(_ours(t))[-1] for t in TIMES]
    return disc.worst(np.array(ends), disc.truth(TIMES))


def _integration(theirs: Callable[[], np.ndarray], dense: bool = False) -> Measured:
    return alternate(lambda: _ours(dense=dense).audit.seconds, theirs, rounds=20, seconds=3).share()


def _call(ours: Callable[[], object]) -> Measured:
    return alternate(ours, _c, rounds=20, seconds=3).share()


def _scipy() -> Measured:
    _ours()
    theirs = min(clock(_python) for _ in range(2))
    ours = min(clock(_ours) for _ in range(9))
    return Measured(theirs / ours, duration(ours), duration(theirs))


def _error() -> Measured:
    theirs = np.array([_c(t) for t in TIMES])
    return against_error(_our_errors(), disc.worst(theirs, disc.truth(TIMES)))


def _unreduced_error() -> Measured:
    columns = np.array([_unreduced(t) for t in TIMES]).T
    theirs = disc.reduce(dict(zip(disc.equations().states, columns, strict=True)))
    return against_error(_our_errors(), disc.worst(theirs, disc.truth(TIMES)))


JOB = Job(
    "disc_accuracy",
    "100 s of the disc at 1e-12: time over theirs",
    [
        Contest("C", "C, reduced by hand", Bar("<=", 1.0), lambda: _integration(_c)),
        Contest("dense", "  with dense output", Bar("<=", 1.3), lambda: _integration(_c, dense=True)),
        Contest("call", "  our whole call", Bar("<=", 1.0), lambda: _call(_ours)),
        Contest("noted", "  and its notes", None, lambda: _call(lambda: _ours().audit.notes)),
        Contest("error", "  error over theirs", Bar("<=", 1.5), _error),
        Contest("same", "C, unreduced like ours", Bar("<=", 1.0), lambda: _integration(_unreduced)),
        Contest("same error", "  error over theirs", Bar("<=", 1.5), _unreduced_error),
        Contest("SciPy", "SciPy, Python: times faster", Bar(">=", 100.0), _scipy),
    ],
)
