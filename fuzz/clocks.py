"""Clocks that jump back and forth while commands run: nothing may depend on what time it is.

``run``, its report, ``sweep`` and ``fit`` run beside a small library that is loaded before C's, and whose wall clock is
set anew many times a second, years ahead and back; clocks that only count go on, and so do the times of files. Some
commands are killed on the way, and begun again at another time. What they make is held against what an undisturbed
command made, bit by bit. (faketime fakes the sleep of Python 3.11 as well, which then fails by itself.)
"""

from __future__ import annotations

import argparse
import random
import shutil
import struct
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Event, Thread
from unittest import mock

from .faults import JOBS, PATIENCE, Job, _begin, _finished, _folder, _lost, _stop

YEARS, OFTEN = 10, 0.02  # how far the clock is set, and how often in seconds
SOURCE = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static long ahead(void)
{
    static volatile long *seconds;
    if (!seconds) {
        int file = open(getenv("AHEAD"), O_RDONLY);
        seconds = mmap(0, sizeof *seconds, PROT_READ, MAP_SHARED, file, 0);
        close(file);
    }
    return *seconds;
}
int clock_gettime(clockid_t clock, struct timespec *now)
{
    static int (*real)(clockid_t, struct timespec *);
    if (!real) real = dlsym(RTLD_NEXT, "clock_gettime");
    int code = real(clock, now);
    if (!code && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) now->tv_sec += ahead();
    return code;
}
time_t time(time_t *at)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    if (at) *at = now.tv_sec;
    return now.tv_sec;
}
int gettimeofday(struct timeval *restrict now, void *restrict zone)
{
    struct timespec found;
    (void)zone;
    clock_gettime(CLOCK_REALTIME, &found);
    now->tv_sec = found.tv_sec;
    now->tv_usec = found.tv_nsec / 1000;
    return 0;
}
"""


def made(folder: Path) -> Path:
    """The library with the clock that is set."""
    source = folder / "clock.c"
    source.write_text(SOURCE)
    library = folder / "clock.so"
    subprocess.run(["cc", "-O1", "-shared", "-fPIC", "-o", library, source, "-ldl"], check=True)
    return library


@contextmanager
def jumping(folder: Path, rng: random.Random) -> Iterator[None]:
    """Commands that are begun here see a clock that jumps."""
    stop, own, file = Event(), random.Random(rng.random()), folder / "ahead"
    file.write_bytes(bytes(8))

    def jump() -> None:
        with file.open("r+b", buffering=0) as out:
            while not stop.is_set():
                span = own.choice([2, 3600, 86400 * 365 * YEARS])
                out.seek(0)
                out.write(struct.pack("l", own.randint(-span, span)))
                stop.wait(OFTEN)

    thread = Thread(target=jump)
    thread.start()
    try:
        with mock.patch.dict("os.environ", {"LD_PRELOAD": str(folder / "clock.so"), "AHEAD": str(file)}):
            yield
    finally:
        stop.set()
        thread.join()


def jumps(folder: Path) -> bool:
    """Does a process see the clock jump?"""
    look = "import time; s = {round(time.time() / 1e7) for _ in range(100) if not time.sleep(0.01)}; print(len(s))"
    with jumping(folder, random.Random(0)):
        return int(subprocess.run([sys.executable, "-c", look], check=True, capture_output=True).stdout) > 1


def trial(folder: Path, job: Job, cache: Path, after: float | None, right: bytes) -> str:
    """What became of one command; killed `after` so many seconds, if a number is given."""
    if after is not None:
        process = _begin(folder, job.words, cache)
        time.sleep(after)
        if process.poll() is None:
            _stop(process, "kill all")
        if _lost(folder, job):
            return "LOST"
    wrong = _finished(folder, job, cache)
    if wrong:
        print(f"  {wrong}", flush=True)
        return "STUCK"
    return "equal" if job.values(folder / job.result).tobytes() == right else "DIFFERENT"


def main(arguments: list[str]) -> int:
    """Run; 1 if a result is lost, refused or of other bits, 2 where clocks cannot be set so (Linux, with cc)."""
    parser = argparse.ArgumentParser(prog="python -m fuzz clocks", description=__doc__)
    parser.add_argument("--count", type=int, default=40, help="how many commands are run")
    parser.add_argument("--seed", type=int, default=0, help="of the random numbers")
    given = parser.parse_args(arguments)
    rng, counts = random.Random(given.seed), Counter[tuple[str, str, str]]()
    with tempfile.TemporaryDirectory() as name:
        root, right = Path(name), {}
        if not sys.platform.startswith("linux") or not shutil.which("cc") or not (made(root) and jumps(root)):
            print("no clock that jumps can be made here")
            return 2
        for kind, job in JOBS.items():
            folder = _folder(root, f"{kind}-undisturbed")
            assert not _finished(folder, job, root / "cache"), (folder / "talk").read_text()
            right[kind] = job.values(folder / job.result).tobytes()
        for k in range(given.count):
            kind = [*JOBS][k % len(JOBS)]
            after = rng.uniform(0.0, 6.0) if rng.random() < 0.4 else None
            cache = root / f"cache-{k}" if rng.random() < 0.3 else root / "cache"
            with jumping(root, rng):
                try:
                    found = trial(_folder(root, f"{kind}-{k}"), JOBS[kind], cache, after, right[kind])
                except (TimeoutError, subprocess.TimeoutExpired):
                    found = f"HUNG for {PATIENCE:.0f} s"
            counts[kind, "killed once" if after is not None else "", found] += 1
    for (kind, how, found), number in sorted(counts.items()):
        print(f"{kind:8} {how:12} {found:12} {number:6}")
    bad = sum(number for (*_, found), number in counts.items() if found != "equal")
    print(f"{given.count} run, {bad} found")
    return int(bad > 0)
