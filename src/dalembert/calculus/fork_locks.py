"""Locks that a fork finds open, with what they guard whole.

A forked process has one thread. A lock that another thread held would stay shut in it for ever, and what it guards
would stay half-made. So whoever forks takes all of them first, waiting for those who work, and both processes give them
back.
"""

from __future__ import annotations

import os
import threading
from typing import Protocol
from weakref import WeakSet

_AGAIN = 0.002  # seconds
_TIMES = 30_000  # tries: one that forks while it holds a lock itself would wait for ever


class _Lock(Protocol):
    def acquire(self, blocking: bool = True) -> bool: ...
    def release(self) -> None: ...


_KNOWN: WeakSet[_Lock] = WeakSet()
_held: list[_Lock] = []


def lock() -> threading.Lock:
    """A new lock that is open after a fork."""
    made = threading.Lock()
    _KNOWN.add(made)
    return made


def _take_all() -> None:
    pause = threading.Event()
    for _ in range(_TIMES):
        if _taken():
            return
        pause.wait(_AGAIN)


def _taken() -> bool:
    """All of them, or none: in whatever order others take them, nobody waits for what we hold."""
    taken: list[_Lock] = []
    try:
        known = list(_KNOWN)
    except RuntimeError:  # another thread makes one just now
        return False
    for each in known:
        if not each.acquire(blocking=False):
            for other in taken:
                other.release()
            return False
        taken.append(each)
    _held.extend(taken)
    return True


def _give_back() -> None:
    while _held:
        _held.pop().release()


def _renew() -> None:
    """In the new process: open, also those that could not be had."""
    had = {id(each) for each in _held}
    _give_back()
    for each in list(_KNOWN):
        if id(each) not in had:
            each._at_fork_reinit()  # type: ignore[attr-defined]


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_take_all, after_in_parent=_give_back, after_in_child=_renew)
