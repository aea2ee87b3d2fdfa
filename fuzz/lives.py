"""Long lives in one process: memory over many different systems, many steps and many members, in threads and forks.

Each part prints how the memory in use grows with what is done, after a part at the beginning that fills caches and is
not counted. The exit code is 1 if one grows faster than its bound.
"""

from __future__ import annotations

import argparse
import gc
import multiprocessing
import random
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import psutil

import dalembert as da

SYSTEM, STEP, MEMBER, FORK = 40.0, 0.01, 0.05, 200.0  # kB of growth allowed for each
FEWEST = 300  # before that, libraries that the process may hold are still being added
Q = da.coordinates("x y")
FIRST = {"x": 1.0, "y": 0.5, "vx": 0.0, "vy": 0.3}


def _equations(rng: random.Random) -> Any:
    a, b, c = (rng.uniform(0.5, 3.0) for _ in range(3))
    return da.free(da.System(Q, f"({a}*dot(x)^2+dot(y)^2)/2 - {b}*x^2/2 - {c}*(1-cos(y))"))


def move_new_system(rng: random.Random) -> None:
    """Form, compile and move a system that was never seen."""
    path = da.simulate(_equations(rng), FIRST, until=1.0)
    assert path.ok


def resident() -> float:
    """Memory in use, kB."""
    gc.collect()
    return float(psutil.Process().memory_info().rss) / 1024


def _grown(count: int, work: Callable[[], object], unit: int = 1) -> float:
    """kB for each of `count`, of which a fifth, but at least one piece of work, comes first; `unit` of them a call."""
    calls = max(2, count // unit)
    first = max(1, calls // 5)
    for _ in range(first):
        work()
    before = resident()
    for _ in range(calls - first):
        work()
    return (resident() - before) / ((calls - first) * unit)


def _systems(count: int, rng: random.Random) -> float:
    return _grown(count, lambda: move_new_system(rng))


def _in_threads(count: int, rng: random.Random) -> float:
    with ThreadPoolExecutor(4) as pool:
        return _grown(
            count, lambda: list(pool.map(lambda _: move_new_system(random.Random(rng.random())), range(4))), 4
        )


def _steps(count: int, rng: random.Random) -> float:
    equations, each = _equations(rng), 10_000
    method = da.methods.SymmetricProjection(step=0.01)

    def work() -> None:
        assert da.simulate(equations, FIRST, until=each / 100, method=method, dense=False, samples=[0.0, 1.0]).ok

    return _grown(count, work, each)


def _members(count: int, rng: random.Random) -> float:
    equations, each = _equations(rng), min(10_000, max(1, count // 10))
    starts = {**FIRST, "x": np.linspace(0.5, 1.0, each)}
    return _grown(count, lambda: da.sweep(equations, starts=starts, until=1.0, keep=["x"]), each)


def _child(seed: int) -> None:
    move_new_system(random.Random(seed))


def _apart(count: int, way: str, rng: random.Random) -> float:
    context = multiprocessing.get_context(way)

    def work() -> None:
        process = context.Process(target=_child, args=(rng.randrange(10**9),))
        process.start()
        process.join(300)
        assert process.exitcode == 0, f"{way}: a process ended with {process.exitcode}"

    return _grown(count, work)


def main(arguments: list[str]) -> int:
    """Run; print a line for each part; 1 if memory grows."""
    parser = argparse.ArgumentParser(prog="python -m fuzz lives", description=__doc__)
    parser.add_argument("--systems", type=int, default=10_000, help="different systems, one after another")
    parser.add_argument("--steps", type=int, default=10**8, help="steps of one system")
    parser.add_argument("--members", type=int, default=10**7, help="members of sweeps")
    parser.add_argument("--threaded", type=int, default=400, help="different systems, four at once")
    parser.add_argument("--processes", type=int, default=20, help="forked after use, and as many spawned")
    parser.add_argument("--seed", type=int, default=0, help="of the random numbers")
    given = parser.parse_args(arguments)
    rng = random.Random(given.seed)
    parts: list[tuple[str, int, float, Callable[[int], float]]] = [
        ("systems", given.systems, SYSTEM, lambda n: _systems(n, rng)),
        ("systems, four at once", given.threaded, SYSTEM, lambda n: _in_threads(n, rng)),
        ("steps", given.steps, STEP, lambda n: _steps(n, rng)),
        ("members", given.members, MEMBER, lambda n: _members(n, rng)),
        ("spawned", given.processes, FORK, lambda n: _apart(n, "spawn", rng)),
    ]
    if "fork" in multiprocessing.get_all_start_methods():
        parts.append(("forked", given.processes, FORK, lambda n: _apart(n, "fork", rng)))
    bad = 0
    for name, count, bound, work in parts:
        if count < 1:
            continue
        grown = work(count)
        counts = count >= FEWEST
        bad += counts and grown > bound
        verdict = f"{bound:g} allowed" if counts or grown <= bound else "too few to tell"
        print(f"{name:24} {count:12,} {grown:10.3f} kB each, {verdict}", flush=True)
    return int(bad > 0)
