"""Compiled code without a place for a cache: it still runs."""

import subprocess
import sys

CODE = """
from dalembert.numerics.machine import object_cache
object_cache.doubt = lambda folder: "others may write"
import sympy as sp, dalembert as da
q = da.coordinates("x y z")
vx, vy, vz = q.velocities
equations = da.nonholonomic(da.System(q, (vx**2 + vy**2) / 2, {"roll": vx - vz}, massless=["z"]))
path = da.simulate(equations, {"x": 0, "y": 0, "z": 0, "vx": 1, "vy": 2}, until=1.0)
print(path.ok, abs(path["y"][-1] - 2) < 1e-12)
"""


def test_no_cache_can_be_written():
    run = subprocess.run([sys.executable, "-c", CODE], capture_output=True, text=True, check=False)
    assert run.stdout.split() == ["True", "True"], run.stderr[-2000:]
    assert run.stderr.count("W802") == 1
