"""How cost grows with the number of links: chains on wheels, with trailers, free, and beads on a beam; no cache."""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
import tempfile
from functools import cache
from pathlib import Path

from ..chains import CHAINS
from ..contest import Bar, Contest, Job, Measured, duration

ROOT = Path(__file__).resolve().parents[2]
SIZES = (20, 100, 300)
FIRST = {20: 1.0, 100: 4.0, 300: 12.0}  # seconds to the first motion that the snake may take
LARGEST = 1000
DENSE = ("pendulum",)  # chains whose mass matrix is dense: N^2 at least, and the largest took no end in 25 minutes
PATIENCE = 600.0
EXPONENT = 1.1


@cache
def _cost(name: str, n: int) -> dict[str, float]:
    """What `benchmarks.chains` measures, in a process with an empty cache of compiled code.

    Its linear algebra has one thread: seconds of CPU would count a second one that waits.
    """
    with tempfile.TemporaryDirectory() as folder:
        surroundings = os.environ | {"DALEMBERT_CACHE": folder, "OPENBLAS_NUM_THREADS": "1"}
        asked = [sys.executable, "-m", "benchmarks.chains", name, str(n)]
        done = subprocess.run(
            asked, cwd=ROOT, env=surroundings, capture_output=True, text=True, check=False, timeout=PATIENCE
        )
    if done.returncode:
        raise RuntimeError(f"the process ended with status {done.returncode}: {done.stderr[-300:]}")
    found: dict[str, float] = json.loads(done.stdout)
    if not found["ok"]:
        raise RuntimeError("the motion is in doubt")
    return found


def _first(name: str, n: int) -> Measured:
    """Seconds of CPU to the end of the first motion, imports left out, and the largest memory."""
    cost = _cost(name, n)
    seconds = cost["equations"] + cost["motion"]
    return Measured(seconds, duration(cost["equations"]), f"{cost['memory']:.2f} GiB")


def _exponent(name: str, what: str) -> Measured:
    """p where the cost goes as N^p from the least to the greatest size."""
    few, many = (_cost(name, n)[what] for n in (SIZES[0], SIZES[-1]))
    show = duration if what == "rhs" else "{:.0f}".format
    return Measured(math.log(many / few) / math.log(SIZES[-1] / SIZES[0]), show(few), show(many))


def _largest(what: str, unit: float) -> Measured:
    cost = _cost("snake", LARGEST)
    return Measured(cost[what] / unit, duration(cost[what]), f"{cost['memory']:.2f} GiB")


def _lines(name: str) -> list[Contest]:
    bar = None if name in DENSE else EXPONENT
    return [
        *(
            Contest(
                f"{name} {n}",
                f"{name}, N = {n}: s",
                Bar("<=", FIRST[n]) if name == "snake" and n in FIRST else None,
                lambda n=n: _first(name, n),
            )
            for n in (*SIZES, *([] if name in DENSE else [LARGEST]))
        ),
        *(
            Contest(
                f"{name}, {what}", f"  {words} ~ N^", bar and Bar("<=", bar), lambda what=what: _exponent(name, what)
            )
            for what, words in (("operations", "operations"), ("rhs", "a right-hand side"))
        ),
    ]


JOB = Job(
    "growth",
    "First motion of N links, no cache (equations, memory); growth from 20 to 300",
    [
        *(line for name in CHAINS for line in _lines(name)),
        Contest(
            "snake 1000, formed", f"snake, N = {LARGEST}: formed, s", Bar("<=", 5.0), lambda: _largest("equations", 1.0)
        ),
        Contest("snake 1000, rhs", "  a right-hand side, us", Bar("<=", 300.0), lambda: _largest("rhs", 1e-6)),
    ],
)
