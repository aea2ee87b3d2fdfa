"""A line on the terminal while nothing else is said: what is being worked on, and for how long.

It comes when the terminal has been silent for a moment and goes before anything else is written. Where plain text is
asked for, it is written once and stays; in a pipe there is none.
"""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO

SILENT = 0.3  # seconds after which it comes, and until it is counted on
_ERASED = "\r\x1b[K"


class Waiting:
    """The line, and the streams that it keeps out of the way of.

    Args:
        terminal: where it is written.
        words: what is being done.
        plain: is it written once, without the signs that erase it?
    """

    def __init__(self, terminal: IO[str], words: str, plain: bool = False) -> None:
        self._terminal, self._words, self._plain = terminal, words, plain
        self._begun = self._heard = time.monotonic()
        self._shown, self._done, self._lock = False, threading.Event(), threading.Lock()

    def keep(self) -> None:
        """Show the line in silence, until it is over."""
        while not self._done.wait(SILENT):
            with self._lock:
                now = time.monotonic()
                if now - self._heard >= SILENT and not self._done.is_set():
                    told = f"{_ERASED}{self._words}, {now - self._begun:.0f} s"
                    self._terminal.write(f"{self._words}\n" if self._plain else told)
                    self._terminal.flush()
                    self._shown = not self._plain
                    if self._plain:
                        return

    def aside(self) -> None:
        """Something else is written: the line goes."""
        with self._lock:
            self._heard = time.monotonic()
            if self._shown:
                self._terminal.write(_ERASED)
                self._terminal.flush()
                self._shown = False

    def over(self) -> None:
        """No line any more."""
        self._done.set()
        self.aside()


class _Stream:
    """A stream before whose words the line goes."""

    def __init__(self, stream: IO[str], waiting: Waiting) -> None:
        self._stream, self._waiting = stream, waiting

    def __getattr__(self, name: str) -> object:
        return getattr(self._stream, name)

    def write(self, text: str) -> int:
        """As of the stream."""
        self._waiting.aside()
        return self._stream.write(text)


@contextmanager
def waiting(words: str, wanted: bool, plain: bool = False) -> Iterator[None]:
    """The line while something is worked on, if it is wanted; plain, without the signs of a terminal."""
    if not wanted:
        yield
        return
    out, err = sys.stdout, sys.stderr
    line = Waiting(err, words, plain)
    thread = threading.Thread(target=line.keep, daemon=True)
    sys.stdout, sys.stderr = _Stream(out, line) if out else out, _Stream(err, line)
    thread.start()
    try:
        yield
    finally:
        sys.stdout, sys.stderr = out, err
        line.over()
        thread.join()
