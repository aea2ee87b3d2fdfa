"""A sweep that does not come to its end: python long_sweep.py STORE killed|interrupted|waiting NUMBER.

It is killed where it brings something to the disk for that time, or interrupted after so many batches, or waits there
for ever.
"""

import itertools
import os
import signal
import sys

import numpy as np
import sympy as sp

import dalembert as da
from dalembert.numerics.machine import compiler
from dalembert.numerics.sweep import sweep, thread_pool


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


def ended(how, number):
    """Have sweeps of this process end so."""
    at_once, to_disk, writes = thread_pool.on_threads, os.fsync, itertools.count(1)

    def batches(*task):
        for count, batch in enumerate(at_once(*task), 1):
            yield batch  # and it is on the disk
            if count == number and how == "interrupted":
                signal.raise_signal(signal.SIGINT)
            if count == number and how == "waiting":
                print("waiting", flush=True)
                sys.stdin.read()

    def write(handle):
        if next(writes) == number and how == "killed":
            os.kill(os.getpid(), signal.SIGKILL)
        to_disk(handle)

    thread_pool.on_threads, os.fsync = batches, write


if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell may have asked its background jobs to ignore it
    compiler.LONG, compiler.REGISTERS = 0, compiler.QUICKLY  # machine code is compiled soon, as in the tests
    equations, given = arguments()
    ended(sys.argv[2], int(sys.argv[3]))
    sweep(equations, store=sys.argv[1], **given)
