"""A sweep that takes a while, to be killed: python long_sweep.py STORE."""

import signal
import sys
import time

import numpy as np
import sympy as sp

import dalembert as da
from dalembert.numerics.machine import library
from dalembert.numerics.sweep import pool, sweep

PAUSE = 0.2  # s after each batch, so that it can be stopped between two of them on any machine


def arguments():
    """Equations and what is swept."""
    q = da.coordinates("x y theta", velocities="vx vy omega")
    _x, _y, theta, vx, vy, omega = q
    m, a = sp.symbols("m a", positive=True)
    T = m / 2 * ((vx - a * omega * sp.sin(theta)) ** 2 + (vy + a * omega * sp.cos(theta)) ** 2) + omega**2 / 4
    blade = {"blade": -vx * sp.sin(theta) + vy * sp.cos(theta)}
    equations = da.nonholonomic(da.System(q, T, blade, parameters={"m": 1.3, "a": 0.3}))
    starts = {"x": 0.0, "y": 0.0, "theta": np.linspace(0, 3, 30), "vx": np.linspace(-1, 1, 8), "omega": 0.4}
    kept = ["x", "energy", "lam_blade"]
    return equations, {"starts": starts, "until": 5.0, "rtol": 1e-9, "keep": kept, "batch": 20, "jobs": 2}


def slowly(run):
    """The batches of `run`, each followed by a pause."""
    for batch in run:
        yield batch
        time.sleep(PAUSE)


if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell may have asked its background jobs to ignore it
    library.LONG, library.REGISTERS = 0, library.QUICKLY  # machine code is compiled soon, as in the tests
    equations, given = arguments()
    at_once = pool.run
    pool.run = lambda *task: slowly(at_once(*task))
    sweep(equations, store=sys.argv[1], **given)
