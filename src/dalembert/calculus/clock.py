"""CPU seconds, which end a piece of work that would not end by itself, and never shape what it finds.

Searches count their work (terms, trials, states), so that the same input gives the same findings on every machine, busy
or not. A clock only aborts, and whoever is aborted says so first. No other file of the rooms that find something reads
the time, and none takes `cpu_clock` out of this one, so that it can be stopped, or counted, in one place.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable


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
