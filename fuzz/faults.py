"""Commands killed or stopped at random instants, and begun again: nothing said to be stored is lost, bits are equal.

``run``, ``sweep``, ``run --report`` and ``fit`` are stopped by SIGKILL of the whole or of the parent alone, by SIGTERM
and SIGINT, on one cache of compiled code that the kills hit as well. Then the command is given again, with ``--resume``
where something is stored, until it ends, and its result is held against that of an undisturbed one. A motion that was
stopped and went on has other steps: it must be close, not equal.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import psutil

import dalembert as da

FILE = """
schema = 1
[space]
coordinates = { x = "line" }
[parameters]
m = 1
k = 4
[lagrangian]
L = "m/2*dot(x)^2 - k/4*x^4"
[[run]]
name = "long"
principle = "free"
start = { x = 1, "dot(x)" = 0 }
until = 3000
samples = 101
"""
CLOSE = 1e-4  # of two motions whose steps part somewhere, at the default tolerance
PATIENCE = 120.0
SIGNALS = ("kill all", "kill parent", "SIGTERM", "SIGINT")


@dataclass(frozen=True)
class Job:
    """A command, where its result lies in the folder, and what it holds."""

    words: tuple[str, ...]
    result: str
    values: Callable[[Path], Any]
    resumes: bool = True


def _path(file: Path) -> np.ndarray:
    return np.asarray(da.load(str(file)).values)


def _store(folder: Path) -> np.ndarray:
    found = da.ensembles.stored(str(folder))
    return np.concatenate([np.asarray(found[name].values, float).ravel() for name in sorted(found.data_vars)])


def _numbers(file: Path) -> np.ndarray:
    """The numbers of an answer in JSON, without those that tell time."""
    found: list[float] = []

    def walk(value: Any) -> None:
        for key, each in value.items() if isinstance(value, dict) else enumerate(value):
            if isinstance(each, dict | list):
                walk(each)
            elif isinstance(each, float) and "seconds" not in str(key):
                found.append(each)

    walk(json.loads(file.read_text()))
    return np.array(found)


JOBS = {
    "run": Job(("run", "f.toml"), "results/f/long.npz", _path),
    "report": Job(("run", "f.toml", "--report", "page.html"), "results/f/long.npz", _path),
    "sweep": Job(
        ("sweep", "f.toml", "x=0.5:1:1500", "--until", "100", "--jobs", "2", "--store", "s.zarr"), "s.zarr", _store
    ),
    "fit": Job(("fit", "f.toml", "track.csv", "--free", "k", "--json"), "answer", _numbers, False),
}


def _folder(root: Path, name: str) -> Path:
    folder = root / name
    (folder / "tmp").mkdir(parents=True)
    (folder / "f.toml").write_text(FILE)
    t = np.linspace(0.0, 3.0, 40)
    path = da.simulate(da.free(da.read(str(folder / "f.toml")).system), {"x": 1, "vx": 0}, until=3.0, samples=t)
    rows = "\n".join(f"{a:.6f},{b:.6f}" for a, b in zip(t, path["x"], strict=True))
    (folder / "track.csv").write_text(f"t [s],x [m]\n{rows}\n")
    return folder


def _begin(folder: Path, words: tuple[str, ...], cache: Path) -> subprocess.Popen[str]:
    environment = {**os.environ, "DALEMBERT_CACHE": str(cache), "TMPDIR": str(folder / "tmp")}
    command = [sys.executable, "-P", "-m", "dalembert", *words]
    with (folder / "answer").open("w") as out, (folder / "talk").open("w") as err:
        return subprocess.Popen(
            command, cwd=folder, env=environment, stdout=out, stderr=err, text=True, start_new_session=True
        )


def _stop(process: subprocess.Popen[str], how: str) -> None:
    """Stop it, and wait for all that belonged to it."""
    family = [psutil.Process(process.pid), *psutil.Process(process.pid).children(recursive=True)]
    if how == "kill all":
        os.killpg(process.pid, signal.SIGKILL)
    else:
        process.send_signal({"kill parent": signal.SIGKILL, "SIGTERM": signal.SIGTERM, "SIGINT": signal.SIGINT}[how])
    process.wait(PATIENCE)
    _, alive = psutil.wait_procs(family, PATIENCE)
    if alive:
        raise TimeoutError(f"{len(alive)} processes live on")


def _finished(folder: Path, job: Job, cache: Path) -> str:
    """Given again until it ends; empty, or what went wrong."""
    for _ in range(5):
        there = job.resumes and (folder / job.result).exists()
        process = _begin(folder, (*job.words, *(["--resume"] if there else [])), cache)
        code = process.wait(PATIENCE)
        if code == 0:
            return ""
    return f"exit {code}: {(folder / 'talk').read_text()[-300:]}"


def _lost(folder: Path, job: Job) -> bool:
    """Was something said to be stored that is not there, or cannot be read?"""
    said = (folder / "answer").read_text()
    if "stored  " not in said and "store  " not in said:
        return False
    try:
        return not np.size(job.values(folder / job.result))
    except Exception:
        return True


def _trial(folder: Path, job: Job, how: str, after: float, cache: Path, right: np.ndarray) -> str:
    process = _begin(folder, job.words, cache)
    time.sleep(after)
    if process.poll() is None:
        _stop(process, how)
    if _lost(folder, job):
        return "lost"
    left = how != "kill all" and any((folder / "tmp").iterdir())
    wrong = _finished(folder, job, cache)
    if wrong:
        print(f"  {how} after {after:.2f} s: {wrong}", flush=True)
        return "stuck"
    try:
        found = job.values(folder / job.result)
    except Exception as error:
        print(f"  {how} after {after:.2f} s: {error}", flush=True)
        return "DAMAGED"
    if found.shape == right.shape and found.tobytes() == right.tobytes():
        return "left folder" if left else "equal"
    near = found.shape == right.shape and np.allclose(found, right, rtol=CLOSE, atol=CLOSE, equal_nan=True)
    return "close" if near and how in ("SIGTERM", "SIGINT", "kill parent") else "DIFFERENT"


def _campaign(root: Path, count: int, rng: random.Random, jobs: list[str]) -> int:
    cache, counts, right, seconds = root / "cache", Counter[tuple[str, str, str]](), {}, {}
    for name in jobs:
        folder = _folder(root, f"{name}-undisturbed")
        for _ in range(2):  # compiled; then as it is stopped below
            began = time.perf_counter()
            assert not _finished(folder, JOBS[name], cache), (folder / "talk").read_text()
            seconds[name] = time.perf_counter() - began
        right[name] = JOBS[name].values(folder / JOBS[name].result)
    for k in range(count):
        name, how = jobs[k % len(jobs)], rng.choice(SIGNALS)
        cold = root / f"cache-{k}" if rng.random() < 0.1 else cache
        after = rng.uniform(0.0, 1.2 * seconds[name])
        try:
            found = _trial(_folder(root, f"{name}-{k}"), JOBS[name], how, after, cold, right[name])
        except (TimeoutError, subprocess.TimeoutExpired) as error:
            found = f"hung: {error}"
        counts[name, how, found] += 1
    for (name, how, found), number in sorted(counts.items()):
        print(f"{name:8} {how:12} {found:12} {number:6}")
    bad = sum(number for (_, _, found), number in counts.items() if found not in ("equal", "close"))
    print(f"{count} stopped, {bad} found")
    return int(bad > 0)


def main(arguments: list[str]) -> int:
    """Run; print a table of what came of the stopped commands; 1 if something was lost, hung or differs."""
    parser = argparse.ArgumentParser(prog="python -m fuzz faults", description=__doc__)
    parser.add_argument("--count", type=int, default=500, help="how many commands are stopped")
    parser.add_argument("--seed", type=int, default=0, help="of the random numbers")
    parser.add_argument("--only", choices=JOBS, default=None, help="one kind of command")
    given = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as root:
        return _campaign(Path(root), given.count, random.Random(given.seed), [given.only] if given.only else [*JOBS])
