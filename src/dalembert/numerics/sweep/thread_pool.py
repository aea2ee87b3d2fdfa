"""The batches of a sweep on the threads of this machine, a few more under way than there are threads."""

from __future__ import annotations

import os
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from datetime import timedelta
from time import perf_counter
from typing import Any

import numpy as np

from ...errors import DalembertError, InvalidValue, WrongType, as_given, kind_of
from .store import Store
from .task import Batch, Progress, Task, batches

MOST = 1024

Spans = Sequence[tuple[int, int, int]]  # number of the batch, its first member, and the one after its last


def jobs(given: object) -> int:
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


def on_threads(task: Task, spans: Spans, count: int, tick: Progress) -> Iterator[tuple[int, Batch]]:
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


# ---------------------------------------------------------------------------------------------------------------------
# The batches of a sweep on the workers of a Dask cluster; results come back to the client, which keeps them.
# The task is sent to every worker once and stays there, so that a worker compiles once. When a worker dies, the
# scheduler gives its batches to others; when the task is lost with it, it is sent again.

TRIES = 5  # of a batch that is lost with its worker
WAIT = 0.5  # seconds, for workers to come back
_CANCELLED = ("FutureCancelledError", "FuturesCancelledError", "CancelledError")


def check(client: Any) -> None:
    """Is this a Dask client?

    Raises:
        InvalidValue: E801, distributed is not installed.
        WrongType: E307, it is something else.
    """
    try:
        from distributed import Client
    except ImportError:
        raise InvalidValue(
            "E801", "client= needs Dask, which is not installed", "pip install 'dalembert[sweep]'"
        ) from None
    if not isinstance(client, Client):
        raise WrongType("E307", f"client is a dask.distributed.Client, not {kind_of(client)}", "client=Client()")


def work(task: Task, first: int, last: int) -> Batch:
    """One batch, on a worker."""
    return task.batch(first, last)


def on_cluster(task: Task, spans: Spans, client: Any, tick: Progress) -> Iterator[tuple[int, Batch]]:
    """Batches as they are finished: (number, variables)."""
    from distributed import as_completed

    waiting = deque((span, 0) for span in spans)
    sent = _send(task, client)
    under_way: dict[Any, tuple[tuple[int, int, int], int]] = {}
    finished = as_completed(with_results=False, raise_errors=False)
    try:
        while waiting or under_way:
            room = 2 * max(1, sum(client.nthreads().values())) + 1
            while waiting and len(under_way) < room:
                span, tries = waiting.popleft()
                future = client.submit(work, sent, *span[1:], pure=False)
                under_way[future] = span, tries
                finished.add(future)
            future = next(finished)
            span, tries = under_way.pop(future)
            try:
                batch = future.result()
            except Exception as error:
                if isinstance(error, DalembertError) or not _lost(error) or tries >= TRIES:
                    raise
                waiting.append((span, tries + 1))
                if sent.status != "finished":
                    sent = _send(task, client)
                continue
            future.release()
            tick(span[2] - span[1])
            yield span[0], batch
    finally:
        client.cancel(list(under_way))


def _send(task: Task, client: Any) -> Any:
    """The task on every worker; tried again where a worker dies while it is sent."""
    for tries in range(TRIES + 1):
        try:
            return client.scatter(task.bare(), broadcast=True, hash=False)
        except Exception:  # a scheduler says in many ways that its workers have gone; what is no such thing comes again
            if tries == TRIES:
                raise
            time.sleep(WAIT)
    raise AssertionError("unreachable")


def _lost(error: BaseException) -> bool:
    """Did it fail with its worker, and not by itself?"""
    from distributed import KilledWorker

    return isinstance(error, KilledWorker | OSError | TimeoutError) or type(error).__name__ in _CANCELLED


# --- The batches of a sweep, collected as they come: in memory, or in its store on disk ------------------------------

_BAR = 14  # letters: all of the line stands in a terminal of 80
Run = Callable[[Spans, Progress], Iterator[tuple[int, Batch]]]


def begin(shown: bool) -> None:
    """The first word on a terminal (stderr): packages, starts and machine code come before the bar."""
    if shown and sys.stderr is not None and sys.stderr.isatty():
        print("sweeping: the members are prepared", file=sys.stderr, flush=True)


def in_memory(task: Task, size: int, run: Run, shown: bool) -> Batch:
    """Run all batches, into arrays over all members."""
    room = {v.name: np.empty((task.total, *v.shape), v.kind) for v in task.variables}
    spans = [(i, first, last) for i, (first, last) in enumerate(batches(task.total, size))]
    with _progress(task.total, 0, shown) as tick:
        for index, arrays in run(spans, tick):
            _, first, last = spans[index]
            for name, array in arrays.items():
                room[name][first:last] = array
    return room


def into_store(store: Store, missing: list[int], run: Run, shown: bool) -> None:
    """Run the batches that are missing."""
    spans = [(i, *store.span(i)) for i in missing]
    left = len(missing)
    with _progress(store.total, store.total - sum(last - first for _, first, last in spans), shown) as tick:
        try:
            for index, arrays in run(spans, tick):
                store.put(index, arrays)
                left -= 1
        except KeyboardInterrupt as stopped:
            done = store.batches - left
            words = f"{done} of {store.batches} batches are in {store.path}: the same call goes on from there"
            stopped.add_note(words if done else "no batch was finished: nothing is kept")
            raise


@contextmanager
def _progress(total: int, done: int, wanted: bool) -> Iterator[Progress]:
    """Members done, rate and time left on a terminal (stderr), from the first second on; nothing elsewhere."""
    if not wanted:
        yield lambda count: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    words = TextColumn("{task.description}"), TextColumn("{task.fields[pace]}")
    columns = (words[0], BarColumn(_BAR), MofNCompleteColumn(), TimeElapsedColumn(), words[1])
    console, begun = Console(stderr=True), perf_counter()
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:
        row = bar.add_task("sweeping", total=total, completed=done, pace=pace(0, total - done, 0.0))

        def tick(count: int) -> None:
            bar.update(row, advance=count)
            now = int(bar.tasks[row].completed)
            bar.update(row, pace=pace(now - done, total - now, perf_counter() - begun))

        yield tick


def pace(done: int, left: int, seconds: float) -> str:
    """The rate since the beginning, and the time that what is left takes at it."""
    rate = done / max(seconds, 1e-9)
    if not done:
        return "the first are under way"
    shown = f"{rate:,.0f}" if rate >= 100 else f"{rate:.3g}"
    return f"{shown}/s, {timedelta(seconds=round(left / rate))} left"
