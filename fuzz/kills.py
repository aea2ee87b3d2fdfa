"""The same work killed by SIGKILL again and again until it ends: nothing finished is lost, the bits are the same.

A chain is one folder and one cache of compiled code, cold at first, in which a command is given, killed, and given
again with ``--resume``; each of these is killed too, until one ends. Half the kills come after a random CPU time, half
at a random operation on a file, just before it is done. After each kill all that was finished before must be there as
it was. What the chain ends with is held against what an undisturbed command made, bit by bit.

Each attempt is a process forked from one that has loaded the modules, and no more: what it does is what the command
does, without the seconds that loading takes. The undisturbed command is a process of its own.
"""

from __future__ import annotations

import argparse
import hashlib
import importlib
import os
import pkgutil
import random
import resource
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import dalembert
from dalembert import output_file
from dalembert.apps import commands
from dalembert.apps.cli import main as dalembert_command

from .faults import _begin, _numbers, _path, _store

FILE = """
schema = 1
[space]
coordinates = { x = "line" }
[parameters]
m = 1
k = 4
[lagrangian]
L = "m/2*dot(x)^2 - k/4*x^4"
""" + "".join(
    f"""
[[run]]
name = "{name}"
principle = "free"
start = {{ x = {x}, "dot(x)" = 0 }}
until = 300
samples = 101
"""
    for name, x in (("a", 1), ("b", 2), ("c", 3))
)
MOST = 12  # kills of a chain; then it may end
SOON = 0.002  # s between looks at the CPU time of a process
PATIENCE = 120.0  # s of CPU
WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT
CHANGING = {f"os.{name}" for name in ("rename", "remove", "mkdir", "rmdir", "link", "chmod", "truncate", "utime")}


def _whole(file: Path) -> bytes:
    """Is a page as it was made? Its mark holds a sum; the page itself tells times."""
    found = output_file._found(file)
    assert found is not None and found[2], f"{file} is not whole"
    return repr(found[:2]).encode()


@dataclass(frozen=True)
class Job:
    """A command, what it makes by name, and which of its files are there for good once they are there."""

    words: tuple[str, ...]
    made: Mapping[str, Callable[[Path], Any]]
    good: str = ""


_RUNS = {f"results/f/{name}.npz": _path for name in "abc"}
JOBS = {
    "run": Job(("run", "f.toml", "--resume"), _RUNS, "results/f/*.npz"),
    "report": Job(
        ("run", "f.toml", "--resume", "--report", "page.html"), {**_RUNS, "page-2.html": _whole}, "results/f/*.npz"
    ),
    "sweep": Job(
        ("sweep", "f.toml", "x=0.5:1:1280", "--until", "10", "--jobs", "2", "--resume", "--store", "s.zarr"),
        {"s.zarr": _store},
    ),
    "fit": Job(("fit", "f.toml", "track.csv", "--free", "k", "--json", "--report", "page.html"), {"answer": _numbers}),
}


def _folder(root: Path, name: str, track: str) -> Path:
    folder = root / name
    (folder / "tmp").mkdir(parents=True)
    (folder / "f.toml").write_text(FILE)
    (folder / "track.csv").write_text(track)
    return folder


def _track() -> str:
    from math import cos  # of the period that k = 4, x = 1 has nearly

    return "t [s],x [m]\n" + "".join(f"{0.05 * i:.2f},{cos(1.7 * 0.05 * i):.6f}\n" for i in range(40))


# --- one attempt -----------------------------------------------------------------------------------------------------


def _forked(work: Callable[[], int]) -> int:
    """The number of a process that does some work; its exit code is what the work returns."""
    sys.stdout.flush()
    child = os.fork()
    if not child:
        code = 99
        try:
            code = work()
        finally:
            os._exit(code)
    return child


def _command(folder: Path, cache: Path, job: Job, operation: int = 0) -> int:
    """Give the command in this process; kill it at an operation on files, if there is one of that number."""
    os.chdir(folder)
    os.environ.update(DALEMBERT_CACHE=str(cache), TMPDIR=str(folder / "tmp"))
    for number, name in ((1, "answer"), (2, "talk")):
        file = os.open(name, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        os.dup2(file, number)
    done = [0]

    def hook(event: str, given: tuple[Any, ...]) -> None:
        if event in CHANGING or (event == "open" and given[2] & WRITING):
            done[0] += 1
            if done[0] == operation:
                os.kill(os.getpid(), signal.SIGKILL)

    sys.addaudithook(hook)
    try:
        dalembert_command([*job.words, "--trust"], prog_name="dalembert")
        code = 0
    except SystemExit as end:
        code = int(end.code or 0)
    with suppress(OSError):  # a full disk
        (folder / "operations").write_text(str(done[0]))
    return code


def _attempt(folder: Path, cache: Path, job: Job, operation: int, seconds: float) -> int | None:
    """Its exit code, None if it was killed: at the operation, or after so many seconds of CPU time."""
    import psutil

    child = _forked(lambda: _command(folder, cache, job, operation))
    process = psutil.Process(child)
    while True:
        number, status = os.waitpid(child, os.WNOHANG)
        if number:
            return None if os.WIFSIGNALED(status) else os.waitstatus_to_exitcode(status)
        with suppress(psutil.Error):
            spent = process.cpu_times()
            if spent.user + spent.system >= seconds:
                time.sleep(random.random() * 0.01)  # its CPU time is told in steps of 0.01 s
                os.kill(child, signal.SIGKILL)
        time.sleep(SOON)


# --- what there is ---------------------------------------------------------------------------------------------------


def _finished(folder: Path, job: Job) -> dict[str, str]:
    """What is there for good: stored paths by sums of their values, the whole lines of a journal."""
    found = {}
    if job.good:
        found = {str(file): hashlib.sha256(_path(file).tobytes()).hexdigest() for file in folder.glob(job.good)}
    with suppress(FileNotFoundError):
        lines = (folder / "s.zarr" / "journal.jsonl").read_text().splitlines(keepends=True)
        found |= {line: "" for line in lines if line.endswith("\n")}
    return found


def _made(folder: Path, job: Job) -> str:
    """A sum of all that the command made, found in a process of its own; empty where that cannot be read."""
    ear, mouth = os.pipe()

    def work() -> int:
        for name, read in job.made.items():
            value = read(folder / name)
            os.write(mouth, hashlib.sha256(value if isinstance(value, bytes) else value.tobytes()).digest())
        return 0

    child = _forked(work)
    os.close(mouth)
    with os.fdopen(ear, "rb") as stream:
        found = stream.read()
    return "" if os.waitpid(child, 0)[1] else found.hex()


def _left(folder: Path) -> int:
    """Files of kills that nobody has removed."""
    return sum(
        1 for each in folder.rglob("*") if each.name.endswith((".part", ".partial")) or each.parent.name == "tmp"
    )


# --- chains ----------------------------------------------------------------------------------------------------------


@dataclass
class _Undisturbed:
    """What the command makes, in how many operations on files and seconds of CPU time."""

    made: str
    operations: int
    seconds: float


def _undisturbed(root: Path, name: str, track: str) -> _Undisturbed:
    job, cache = JOBS[name], root / "cache"
    apart = _folder(root, f"{name}-apart", track)
    assert _begin(apart, job.words, cache).wait() == 0, (apart / "talk").read_text()
    here = _folder(root, f"{name}-here", track)
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    assert _attempt(here, root / f"cache-{name}", job, 0, PATIENCE) == 0, (here / "talk").read_text()
    seconds = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
    made = _made(apart, job)
    assert made and made == _made(here, job), f"{name}: two undisturbed commands differ"
    return _Undisturbed(made, int((here / "operations").read_text()), seconds)


def _chain(folder: Path, job: Job, whole: _Undisturbed, most: int, rng: random.Random) -> tuple[int, str]:
    """How often it was killed until it ended, and what came of it."""
    finished: dict[str, str] = {}
    for kills in range(most + 1):
        operation, seconds = 0, PATIENCE
        if kills < most and rng.random() < 0.5:
            operation = rng.randint(1, whole.operations)
        elif kills < most:
            seconds = rng.uniform(0.0, whole.seconds)
        code = _attempt(folder, folder / "cache", job, operation, seconds)
        if code is None and seconds == PATIENCE and not operation:
            return kills, "hung"
        now = _finished(folder, job)
        if any(now.get(name) != told for name, told in finished.items()):
            return kills, "lost"
        finished = now
        if code:
            print(f"  exit {code}: {(folder / 'talk').read_text()[-300:]}", flush=True)
            return kills, "refused"
        if code == 0:
            break
    if _made(folder, job) != whole.made:
        return kills, "DIFFERENT"
    return kills, "equal"


def _campaign(root: Path, count: int, rng: random.Random, names: list[str]) -> int:
    track = _track()
    wholes = {name: _undisturbed(root, name, track) for name in names}
    kills, ends, left = Counter[str](), Counter[tuple[str, str]](), 0
    before = _spent()
    with suppress(KeyboardInterrupt):  # what was counted until then is told
        while kills.total() < count:
            name = names[ends.total() % len(names)]
            folder = _folder(root, f"{name}-{ends.total()}", track)
            some, end = _chain(folder, JOBS[name], wholes[name], min(MOST, count - kills.total()), rng)
            kills[name] += some
            ends[name, end] += 1
            left += _left(folder)
            if end != "equal":
                print(f"{name}: {end} after {some} kills", flush=True)
    for (name, end), number in sorted(ends.items()):
        print(f"{name:8} {end:10} {number:5} chains, {kills[name]:5} kills")
    bad = sum(number for (_, end), number in ends.items() if end != "equal")
    cost = (_spent() - before) / max(kills.total(), 1)
    print(f"{kills.total()} kills, {bad} found, {left} drafts left, {cost:.2f} s of CPU a kill")
    return int(bad > 0)


def _spent() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _load() -> None:
    """All modules of the package, and those it loads when it needs them."""
    for each in pkgutil.walk_packages(dalembert.__path__, "dalembert."):
        if not each.name.endswith("__main__") and ".systems." not in each.name:
            with suppress(ImportError):
                importlib.import_module(each.name)
    for name in ("zarr", "matplotlib.figure", "matplotlib.backends.backend_svg", "scipy.optimize", "psutil"):
        importlib.import_module(name)
    assert commands


def main(arguments: list[str]) -> int:
    """Run; 1 if something finished was lost, a command was refused, or a result differs."""
    parser = argparse.ArgumentParser(prog="python -m fuzz kills", description=__doc__)
    parser.add_argument("--count", type=int, default=500, help="how many kills")
    parser.add_argument("--seed", type=int, default=0, help="of the random numbers")
    parser.add_argument("--only", choices=JOBS, default=None, help="one kind of command")
    given = parser.parse_args(arguments)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    _load()
    with tempfile.TemporaryDirectory() as root:
        return _campaign(Path(root), given.count, random.Random(given.seed), [given.only] if given.only else [*JOBS])
