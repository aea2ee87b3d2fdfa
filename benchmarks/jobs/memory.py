"""Memory of a sweep of 10^6 members that keeps end states: measured from outside, on a process of its own."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import psutil

from .. import disc
from ..contest import Bar, Contest, Job, Measured

ROOT = Path(__file__).resolve().parents[2]
COUNT = 1_000_000
PROGRAM = f"""
import sys
import tempfile
import numpy as np
import dalembert as da
from benchmarks import disc
theta = np.linspace(1.0, 1.4, {COUNT})
print("ready", flush=True)
with tempfile.TemporaryDirectory() as folder:
    starts = {{**disc.GIVEN, "theta": theta}}
    kept = da.sweep(disc.equations(), starts=starts, until=2.0, rtol=1e-9, store=folder + "/discs")
    assert kept["theta"].size == {COUNT}
"""


def _watch() -> list[float]:
    """Resident memory in GiB of the process and its children, every 20 ms from "ready" on."""
    disc.public("sweep")
    seen: list[float] = []
    with subprocess.Popen([sys.executable, "-c", PROGRAM], cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        process.stdout.readline()
        watched = psutil.Process(process.pid)
        while process.poll() is None:
            try:
                family = [watched, *watched.children(recursive=True)]
                seen.append(sum(p.memory_info().rss for p in family) / 2**30)
            except psutil.NoSuchProcess:
                pass
            time.sleep(0.02)
        if process.returncode:
            raise RuntimeError(f"the sweep ended with status {process.returncode}")
    return seen


_SEEN: list[float] = []


def _samples() -> list[float]:
    if not _SEEN:
        _SEEN.extend(_watch())
    return _SEEN


def _peak() -> Measured:
    peak = max(_samples())
    return Measured(peak, f"{peak:.2f} GiB")


def _flat() -> Measured:
    """Growth from the first quarter of the run to its end, over the peak: the arrays of the result come first."""
    seen = np.array(_samples())
    quarter = float(np.max(seen[: max(1, len(seen) // 4)]))
    growth = max(0.0, float(np.max(seen)) - quarter)
    return Measured(growth / float(np.max(seen)), f"{growth:.2f} GiB")


JOB = Job(
    "memory",
    "A sweep of 10^6 members that keeps end states",
    [
        Contest("peak", "largest memory, GiB", Bar("<=", 1.0), _peak),
        Contest("flat", "growth after a quarter of it", Bar("<=", 0.1), _flat),
    ],
)
