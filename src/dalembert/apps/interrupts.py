"""Ctrl-C, SIGTERM and the end of a terminal stop a command in the same way: what was reached is kept.

The first of them is a `KeyboardInterrupt`, or an answer to the question that a run asks. While what was reached is
handed over, a second Ctrl-C says so, and a third stops at once; otherwise the second does. A second SIGTERM does not,
since services send several.
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
    """Was this process told to stop? Is something handed over since, and was that said?"""

    yet = handing = said = False

    @classmethod
    def spares(cls) -> bool:
        """Does this Ctrl-C only say that something is handed over?"""
        if not cls.handing or cls.said:
            return False
        from ..numerics.run.interrupt import say_again

        cls.said = True
        say_again()
        return True


@contextmanager
def as_interrupts() -> Iterator[None]:
    """Each of the signals is a `KeyboardInterrupt`."""

    def stop(number: int, _: FrameType | None) -> None:
        again, _Heard.yet = _Heard.yet, True
        if not again or (number == signal.SIGINT and not _Heard.spares()):
            raise KeyboardInterrupt

    _Heard.yet = _Heard.handing = _Heard.said = False
    with _handled(stop):
        yield


@contextmanager
def until_interrupted() -> Iterator[Callable[[], bool]]:
    """The signals become a question that the run asks: was it told to stop? What it reached is handed over then."""
    told = _Heard.handing = _Heard.yet  # also where something swallowed the `KeyboardInterrupt`, as a finalizer does

    def stop(number: int, _: FrameType | None) -> None:
        nonlocal told
        if told and number == signal.SIGINT and not _Heard.spares():
            raise KeyboardInterrupt
        told = _Heard.yet = _Heard.handing = True

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
