"""The batches of a sweep, collected as they come: in memory, or in its store on disk."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import numpy as np

from . import pool
from .store import Store
from .task import Batch, Progress, Task, batches

Run = Callable[[pool.Spans, Progress], Iterator[tuple[int, Batch]]]


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
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    words = TextColumn("{task.description}"), TextColumn("{task.fields[rate]}")
    columns = (words[0], BarColumn(), MofNCompleteColumn(), words[1], TimeElapsedColumn(), TimeRemainingColumn())
    console = Console(stderr=True)
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:
        row = bar.add_task("sweeping", total=total, completed=done, rate="")

        def tick(count: int) -> None:
            bar.update(row, advance=count)
            speed = bar.tasks[row].speed
            bar.update(row, rate=f"{speed:.3g}/s" if speed else "")

        yield tick
