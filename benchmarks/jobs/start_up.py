"""From nothing to the first motion: whole processes, with what was compiled before and with an empty cache."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ..contest import Bar, Contest, Job, Measured, Timing, duration

ROOT = Path(__file__).resolve().parents[2]
ROUNDS = 3
DISC = """
import dalembert as da
from dalembert.systems import rolling_disc
equations = da.nonholonomic(rolling_disc.system())
assert da.simulate(equations, rolling_disc.START, until=10.0, rtol=1e-9).ok
"""
FIRST = """
import time
import dalembert as da
from dalembert.systems import rattleback
equations = da.nonholonomic(rattleback.system())
da.simulate(equations, rattleback.START, until=0.1)
began = time.perf_counter()
da.simulate(equations, rattleback.START, until=0.1, method={method!r})
print(time.perf_counter() - began)
"""
STUDY = """schema = 1
[space]
coordinates = {x = "line", y = "line", theta = "angle"}
[parameters]
m = 1.3
J = 0.5
a = 0.3
[lagrangian]
L = "m/2*((vx - a*vtheta*sin(theta))^2 + (vy + a*vtheta*cos(theta))^2) + J/2*vtheta^2"
[[constraint]]
name = "blade"
phi = "-vx*sin(theta) + vy*cos(theta)"
[[run]]
name = "slide"
principle = "nonholonomic"
start = {x = 0, y = 0, theta = 0.1, vx = 1, vtheta = 0.7}
until = 10
"""
Place = tuple[Path, dict[str, str]]


@contextmanager
def _place() -> Iterator[Place]:
    """A folder, and surroundings of a process that keeps there what it compiles; Python's bytecode is kept."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        kept = {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}
        kept |= {"PYTHONPYCACHEPREFIX": str(folder / "bytecode"), "DALEMBERT_CACHE": str(folder / "code")}
        (folder / "slide.toml").write_text(STUDY, encoding="utf-8")
        yield folder, kept


def _run(place: Place, *command: str) -> tuple[float, str]:
    """Seconds of a process, and what it printed."""
    folder, environment = place
    began = time.perf_counter()
    asked = [sys.executable, "-P", *command]
    done = subprocess.run(asked, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    seconds = time.perf_counter() - began
    if done.returncode:
        raise RuntimeError(f"the process ended with status {done.returncode}: {done.stderr[-300:]}")
    return seconds, done.stdout


def _measured(seconds: list[float]) -> Measured:
    return Measured(min(seconds), duration(min(seconds)))


def _warm(*command: str) -> Measured:
    """Again and again, with what the first process left."""
    with _place() as place:
        _run(place, *command)
        return _measured([_run(place, *command)[0] for _ in range(ROUNDS)])


def _script() -> Measured:
    return _warm("-c", DISC)


def _libraries() -> Measured:
    """The script beside a process that imports what it is built on."""
    timing = Timing()
    with _place() as place:
        _run(place, "-c", DISC)
        for _ in range(ROUNDS):
            timing.ours.append(_run(place, "-c", DISC)[0])
            timing.theirs.append(_run(place, "-c", "import numpy, sympy")[0])
    return timing.share()


def _file() -> Measured:
    return _warm("-m", "dalembert", "run", "slide.toml", "--force")


def _cold() -> Measured:
    """Each time without compiled code; with bytecode, which an installation makes."""
    seconds = []
    with _place() as (folder, environment):
        _run((folder, environment), "-c", DISC)
        for k in range(ROUNDS):
            seconds.append(_run((folder, environment | {"DALEMBERT_CACHE": str(folder / f"empty{k}")}), "-c", DISC)[0])
    return _measured(seconds)


def _first(method: str) -> Measured:
    """The first call of a method, in processes without compiled code."""
    seconds, program = [], FIRST.format(method=method)
    with _place() as (folder, environment):
        for k in range(3):
            surroundings = environment | {"DALEMBERT_CACHE": str(folder / f"empty{k}")}
            seconds.append(float(_run((folder, surroundings), "-c", program)[1]))
    return _measured(seconds)


JOB = Job(
    "start_up",
    "Seconds to the first motion; the last three with nothing compiled before",
    [
        Contest("script", "a script moves the disc", Bar("<=", 0.9), _script),
        Contest("libraries", "over NumPy and SymPy alone", None, _libraries),
        Contest("file", "dalembert run FILE", Bar("<=", 0.7), _file),
        Contest("cold", "the script", Bar("<=", 1.5), _cold),
        Contest("taylor", "taylor, rattleback", Bar("<=", 1.0), lambda: _first("taylor")),
        Contest("radau", "radau, rattleback", Bar("<=", 2.0), lambda: _first("radau")),
    ],
)
