"""The batches of a sweep on the threads of this machine, a few more under way than there are threads."""

from __future__ import annotations

import os
import threading
from collections import deque
from collections.abc import Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from typing import Any

import numpy as np

from ...errors import InvalidValue, as_given
from .task import Batch, Progress, Task

MOST = 1024

Spans = Sequence[tuple[int, int, int]]  # number of the batch, its first member, and the one after its last


def jobs(given: Any) -> int:
    """How many threads; by default as many as this process has cores.

    Raises:
        InvalidValue: E315.
    """
    if given is None:
        return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    if isinstance(given, bool) or not isinstance(given, int | np.integer) or not 1 <= given <= MOST:
        raise InvalidValue(
            "E315", f"jobs = {as_given(given)} must be a whole number from 1 to {MOST}", "leave jobs out"
        )
    return int(given)


def run(task: Task, spans: Spans, count: int, tick: Progress) -> Iterator[tuple[int, Batch]]:
    """Batches as they are finished: (number, variables); `tick` is told of members, within batches too."""
    stop = threading.Event()
    waiting = deque(spans)
    with ThreadPoolExecutor(count, thread_name_prefix="sweep") as pool:
        under_way: dict[Future[Batch], int] = {}
        try:
            while waiting or under_way:
                while waiting and len(under_way) < 2 * count:
                    index, first, last = waiting.popleft()
                    under_way[pool.submit(task.batch, first, last, stop, tick)] = index
                for future in wait(under_way, return_when=FIRST_COMPLETED).done:
                    yield under_way.pop(future), future.result()
        finally:
            stop.set()
            for future in under_way:
                future.cancel()
