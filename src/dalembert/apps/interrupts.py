"""Ctrl-C, SIGTERM and the end of a terminal stop a command in the same way: what was reached is kept.

The first of them is a `KeyboardInterrupt`, or an answer to the question that a run asks. A second Ctrl-C stops at once;
a second SIGTERM does not, since services send several.
"""

from __future__ import annotations

import _thread
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

_NAMES = ("SIGINT", "SIGTERM", "SIGHUP")  # Windows has no SIGHUP
_Handler = Callable[[int, FrameType | None], object]


class _Heard:
    """Was this process told to stop?"""

    yet = False


@contextmanager
def as_interrupts() -> Iterator[None]:
    """Each of the signals is a `KeyboardInterrupt`."""

    def stop(number: int, _: FrameType | None) -> None:
        again, _Heard.yet = _Heard.yet, True
        if number == signal.SIGINT or not again:
            raise KeyboardInterrupt

    _Heard.yet = False
    with _handled(stop):
        yield


@contextmanager
def until_interrupted() -> Iterator[Callable[[], bool]]:
    """The signals become a question that the run asks: was it told to stop? The second Ctrl-C stops at once."""
    told = _Heard.yet  # also where something swallowed the `KeyboardInterrupt`, as a finalizer does

    def stop(number: int, _: FrameType | None) -> None:
        nonlocal told
        if told and number == signal.SIGINT:
            raise KeyboardInterrupt
        told = _Heard.yet = True

    with _handled(stop, "SIGINT", "SIGTERM"):
        yield lambda: told


@contextmanager
def _handled(stop: _Handler, *always: str) -> Iterator[None]:
    """The signals go to `stop`, but for those that are ignored, as by nohup; other threads hear no signals."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    known = {name: getattr(signal, name) for name in _NAMES if hasattr(signal, name)}
    before = {each: signal.getsignal(each) for each in known.values()}
    for name, each in known.items():
        if name in always or before[each] != signal.SIG_IGN:
            signal.signal(each, stop)
    try:
        yield
    finally:
        for each, handler in before.items():
            signal.signal(each, handler)


def interrupt() -> None:
    """As a signal would, from another thread, unless this process has heard of it."""
    if _Heard.yet:
        return
    if hasattr(signal, "pthread_kill"):  # wakes a main thread that waits; a job in the background ignores SIGINT
        signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGTERM)
    else:
        _thread.interrupt_main()
