"""What speaks against a sweep as a whole: more numbers than there is room for, and starts that are all refused."""

from __future__ import annotations

import os
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
import psutil

from ...equations import Start
from ...errors import InvalidValue, written
from ...errors.remedies import Option
from . import starts
from .store import ELSEWHERE
from .task import Task, batches

_FIRST = 16  # members whose starts are looked at before those of whole batches
SHARE = 0.5  # of the free memory or disk, beyond which a result is refused


def check_room(task: Task, store: Any) -> None:
    """E304: more numbers than there is room for."""
    needed = task.bytes * task.total
    if store is None:
        free, where = psutil.virtual_memory().available, "the memory"
        remedy: tuple[str | Option, ...] = ("give ", Option("store", "a folder"), ", keep fewer columns or times")
    else:
        with written(Path(store), ELSEWHERE):
            above = next(p for p in [Path(store).absolute(), *Path(store).absolute().parents] if p.exists())
            free, where = psutil.disk_usage(os.fspath(above)).free, "the disk"
        remedy = ("give a store elsewhere, or keep fewer columns or times",)
    if needed > max(SHARE * free, 2**24):
        fact = f"{task.total} members need {needed / 1e9:.3g} GB, {where} has {free / 1e9:.3g} GB free"
        raise InvalidValue("E304", fact, remedy)


def check_some(task: Task, size: int) -> Start:
    """Raise the refusal of the first member if all starts are refused; the first that is not speaks its doubts."""
    few = min(_FIRST, task.total)
    for first, last in chain(batches(few, few), ((i + few, j + few) for i, j in batches(task.total - few, size))):
        good = np.flatnonzero(task.refused(first, last) == 0)
        if len(good):
            return starts.first_of(task.equations, task.given, first + int(good[0]))
    starts.first_of(task.equations, task.given, 0)
    raise InvalidValue("E230", "the starts of all members are refused", "try one of them alone: equations.start(...)")
