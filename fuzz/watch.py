"""What the fuzzers share: a limit of time, and the part of the work that one of several processes does."""

from __future__ import annotations

import argparse
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


class Hang(BaseException):
    """Raised where something takes too long."""


@contextmanager
def within(seconds: float) -> Iterator[None]:
    """Raise `Hang` after so many seconds of CPU time, where the machine has alarms."""
    if not hasattr(signal, "setitimer"):
        yield
        return
    signal.signal(signal.SIGPROF, _alarm)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)


def _alarm(*_: Any) -> None:
    raise Hang


def parser(what: str, text: str | None, count: int) -> argparse.ArgumentParser:
    """The options that all have: ``--count``, ``--seed`` and ``--shard``."""
    made = argparse.ArgumentParser(prog=f"python -m fuzz {what}", description=text)
    made.add_argument("--count", type=int, default=count, help=f"how many, {count} if left out")
    made.add_argument("--seed", type=int, default=0, help="of the random numbers")
    made.add_argument("--shard", default="0/1", help="i/n: every n-th from the i-th on, for n processes side by side")
    return made


def numbers(given: argparse.Namespace) -> range:
    """The numbers of the cases that this process tries."""
    i, n = map(int, given.shard.split("/"))
    return range(i, given.count, n)
