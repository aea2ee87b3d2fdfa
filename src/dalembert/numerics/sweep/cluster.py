"""The batches of a sweep on the workers of a Dask cluster; results come back to the client, which keeps them.

The task is sent to every worker once and stays there, so that a worker compiles once. When a worker dies, the scheduler
gives its batches to others; when the task is lost with it, it is sent again.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Iterator
from typing import Any

from ...errors import DalembertError, InvalidValue, WrongType
from .pool import Spans
from .task import Batch, Progress, Task

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
        raise WrongType("E307", f"client is a dask.distributed.Client, not {type(client).__name__}", "client=Client()")


def work(task: Task, first: int, last: int) -> Batch:
    """One batch, on a worker."""
    return task.batch(first, last)


def run(task: Task, spans: Spans, client: Any, tick: Progress) -> Iterator[tuple[int, Batch]]:
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
