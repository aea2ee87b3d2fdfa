"""Limits of work, which is counted or timed: a search ends at the same place on every machine, and a derivation ends.

- `Effort` counts work (terms, trials, states), so that the same input gives the same findings on any machine.
- `cpu_clock` only aborts, and whoever is aborted says so first. No other file of the rooms that find something reads
  the time, and none takes `cpu_clock` out of this one, so that it can be stopped, or counted, in one place.
- `budget` stops a symbolic derivation that takes too much CPU time or memory, and says so. A watch on a thread of its
  own looks at both, and raises an exception in the thread that derives, which costs the derivation nothing.
"""

from __future__ import annotations

import contextlib
import ctypes
import math
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass

from ..errors import InvalidValue
from ..errors.remedies import Words
from .fork_locks import lock

# --- counted work -----------------------------------------------------------------------------------------------------


class Exceeded(Exception):
    """The work allowed is done, or an expression has grown beyond what can be worked with."""


@dataclass
class Effort:
    """How much more work may be done.

    Attributes:
        left: in the unit of whoever spends it; without end by default.
    """

    left: float = math.inf

    def spend(self, work: float) -> None:
        """Count work about to be done.

        Raises:
            Exceeded: there is not so much left.
        """
        self.left -= work
        if self.left < 0:
            raise Exceeded


# --- CPU time ---------------------------------------------------------------------------------------------------------


def cpu_clock() -> Callable[[], float]:
    """CPU seconds that the thread asking now has spent from here on, to be read from any thread.

    Where the system has no such clock, those of the process.
    """
    try:
        own = time.pthread_getcpuclockid(threading.get_ident())
    except (AttributeError, OSError):
        began = time.process_time()
        return lambda: time.process_time() - began
    began = time.clock_gettime(own)
    return lambda: time.clock_gettime(own) - began


# --- the budget of a derivation ---------------------------------------------------------------------------------------

SECONDS, GIBIBYTES = 60, 2
_LOOK, _AGAIN, _GIB = 0.1, 2.0, 2**30  # seconds between looks, and until it is raised again if something swallowed it
_derives = threading.local()


class _Overrun(BaseException):
    """Raised from outside in the thread that derives; nothing that catches errors catches it."""


@contextmanager
def budget(what: str, remedy: Words, limits: Mapping[str, int]) -> Iterator[None]:
    """Derive within `limits["seconds"]` of CPU time and `limits["gibibytes"]`; an outer budget alone counts.

    Args:
        what: what is derived, for the message.
        remedy: what can be done without it.
        limits: "seconds" and "gibibytes" of memory beyond that at the beginning.

    Raises:
        InvalidValue: E136, the budget is exceeded.
    """
    if getattr(_derives, "now", False):
        yield
        return
    _derives.now = True
    watch = _Watch(limits["seconds"], limits["gibibytes"])
    try:
        with _SILENCE, watch:
            yield
    except _Overrun:
        raise InvalidValue("E136", f"{what} was stopped after {watch.reason}", remedy) from None
    finally:
        watch.end()
        _derives.now = False


class _Silence:
    """Python drops and reports what callbacks and finalisers raise: an `_Overrun` is not reported, it comes again."""

    def __init__(self) -> None:
        self._lock, self._derivations, self._report = lock(), 0, sys.unraisablehook

    def __enter__(self) -> None:
        with self._lock:
            if not self._derivations:
                self._report, sys.unraisablehook = sys.unraisablehook, self._dropped
            self._derivations += 1

    def __exit__(self, *_: object) -> None:
        with self._lock:
            self._derivations -= 1
            if not self._derivations and sys.unraisablehook == self._dropped:
                sys.unraisablehook = self._report

    def _dropped(self, told: sys.UnraisableHookArgs) -> None:
        if told.exc_type is not _Overrun:
            self._report(told)


_SILENCE = _Silence()


class _Watch:
    """Raises `_Overrun` in the thread that made it, while it is entered, as soon as a limit is passed."""

    def __init__(self, seconds: float, gibibytes: float) -> None:
        self._seconds, self._gibibytes, self._spent = seconds, gibibytes, cpu_clock()
        self._target, self._lock, self._done = threading.get_ident(), threading.Lock(), threading.Event()
        self.reason = ""

    def __enter__(self) -> None:
        self._thread = threading.Thread(target=self._look, name="budget", daemon=True)
        self._thread.start()

    def __exit__(self, *_: object) -> None:
        self.end()

    def end(self) -> None:
        """Look no more."""
        with self._lock:
            self._done.set()
        if not self.reason:
            return
        # One that was raised and has not arrived yet arrives here. Were none set in its place, Python 3.11 would go on
        # looking for it: all that follows would be slower, and a debugger or a measure of coverage hang for ever.
        with contextlib.suppress(_Overrun):
            self._raise()
            while True:
                pass

    def _look(self) -> None:
        import psutil  # its 40 ms belong to derivations, not to every start

        process = psutil.Process()
        most = process.memory_info().rss + self._gibibytes * _GIB
        while not self._done.wait(_AGAIN if self.reason else _LOOK):
            if self._spent() > self._seconds:
                self._stop(f"{self._seconds:g} s of CPU time")
            elif process.memory_info().rss > most:
                self._stop(f"{self._gibibytes} GiB")

    def _stop(self, reason: str) -> None:
        with self._lock:
            if not self._done.is_set():
                self.reason = self.reason or reason
                self._raise()

    def _raise(self) -> None:
        ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(self._target), ctypes.py_object(_Overrun))
