"""1000 s of the disc at machine precision, against heyoka on hand-reduced equations."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

import dalembert as da
from dalembert.errors import DalembertError

from .. import disc
from ..contest import Bar, Contest, Job, Measured, Missing, against_error, alternate, need

END = 1000.0
TIMES = [100.0 * i for i in range(1, 11)]


def _ours(**options: Any) -> da.nouns.Trajectory:
    try:
        return da.simulate(disc.equations(), disc.start(), until=END, method="taylor", **options)
    except DalembertError as refused:
        raise Missing(f"method='taylor' is not there yet ({refused.code})") from None


@cache
def _taylor() -> Any:
    hy = need("heyoka")
    y, p = hy.make_vars(*(f"y{i}" for i in range(8))), [hy.par[i] for i in range(5)]
    rates = list(zip(y, disc.rates(hy, y, p), strict=True))
    return hy.taylor_adaptive(rates, disc.reduced_start(), pars=disc.P)


def _theirs(times: list[float]) -> np.ndarray:
    run = _taylor()
    run.time, run.state[:] = 0.0, disc.reduced_start()
    found = []
    for t in times:
        run.propagate_until(t)
        found.append(run.state.copy())
    return np.array(found)


def _time(whole: bool) -> Measured:
    need("heyoka")
    ends = {"dense": False, "samples": [0.0, END]}
    timing = alternate(
        (lambda: _ours(**ends)) if whole else (lambda: _ours(**ends).audit.seconds), lambda: _theirs([END]), rounds=9
    )
    return timing.share()


def _error() -> Measured:
    need("heyoka")
    path = _ours(samples=np.r_[0.0, TIMES])
    truth = disc.truth(TIMES)
    mine = disc.reduce({name: path[name][1:] for name in disc.GIVEN})
    return against_error(disc.worst(mine, truth), disc.worst(_theirs(TIMES), truth))


JOB = Job(
    "machine_precision",
    "1000 s of the disc at machine precision: time over theirs",
    [
        Contest("time", "heyoka at eps", Bar("<=", 1.0), lambda: _time(whole=False)),
        Contest("call", "  our whole call", None, lambda: _time(whole=True)),
        Contest("error", "  error over theirs", Bar("<=", 1.0), _error),
    ],
)
