"""The batches of a sweep, collected as they come: in memory, or in its store on disk."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from time import perf_counter

import numpy as np

from . import pool
from .store import Store
from .task import Batch, Progress, Task, batches

_BAR = 14  # letters: all of the line stands in a terminal of 80
Run = Callable[[pool.Spans, Progress], Iterator[tuple[int, Batch]]]


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
