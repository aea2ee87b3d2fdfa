"""A line between a process and the child that works for it: two pipes, so nothing is left behind, whoever dies when.

Each side says one thing, once: the child by a byte, the parent by hanging up. The operating system hangs up for a
parent that was killed.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from types import TracebackType

_NAMES = re.compile(r"(\d+),(\d+)")


class Line:
    """The parent's side, a context: it hangs up in the end."""

    def __init__(self) -> None:
        (self._ear, self._its_mouth), (self._its_ear, self._mouth) = os.pipe(), os.pipe()
        self._heard, self._hung_up = threading.Event(), False

    def __enter__(self) -> Line:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> None:
        self.hang_up()

    def start(
        self, command: Sequence[str], environment: Mapping[str, str], name: str, streams: Mapping[str, int]
    ) -> subprocess.Popen[bytes]:
        """A child that finds its side under a name in its environment."""
        its = self._its_ear, self._its_mouth
        try:
            child = _started(command, environment, name, streams, its)
        finally:
            for each in its:
                os.close(each)
        threading.Thread(target=self._listen, daemon=True).start()
        return child

    def _listen(self) -> None:
        os.read(self._ear, 1)
        self._heard.set()
        os.close(self._ear)

    def silent(self, seconds: float) -> bool:
        """Wait so long, or until the child says its one thing or ends; has it done neither?"""
        return not self._heard.wait(seconds)

    def hang_up(self) -> None:
        """Say ours."""
        if not self._hung_up:
            self._hung_up = True
            os.close(self._mouth)


def listen(name: str, then: Callable[[], None]) -> None:
    """Said by the child at its start: what it does once its parent hangs up."""
    ends = _ends(name)
    if ends is None:
        return
    with suppress(OSError, OverflowError):  # there is no such line: somebody else has named it
        for each in ends:
            os.set_inheritable(each, False)
        threading.Thread(target=_wait, args=(ends[0], then), daemon=True).start()


def _wait(ear: int, then: Callable[[], None]) -> None:
    with suppress(OSError):
        os.read(ear, 1)
    then()


def say(name: str) -> None:
    """The one thing that the child says."""
    ends = _ends(name)
    if ends is not None:
        with suppress(OSError, OverflowError):  # nobody listens any more
            os.write(ends[1], b".")


if sys.platform == "win32":
    import msvcrt
    from functools import cache

    def _started(
        command: Sequence[str],
        environment: Mapping[str, str],
        name: str,
        streams: Mapping[str, int],
        its: tuple[int, int],
    ) -> subprocess.Popen[bytes]:
        handles = [msvcrt.get_osfhandle(each) for each in its]
        for each in handles:
            os.set_handle_inheritable(each, True)
        told = subprocess.STARTUPINFO(lpAttributeList={"handle_list": handles})
        named = {**environment, name: ",".join(map(str, handles))}
        own = {"stdout": sys.stdout, "stderr": sys.stderr}  # only what is listed is inherited
        return subprocess.Popen(command, env=named, startupinfo=told, **{**own, **streams})

    @cache  # a handle is opened once
    def _ends(name: str) -> tuple[int, int] | None:
        found = _NAMES.fullmatch(os.environ.get(name, ""))
        if found is None:
            return None
        ear, mouth = map(int, found.groups())
        return msvcrt.open_osfhandle(ear, os.O_RDONLY), msvcrt.open_osfhandle(mouth, os.O_WRONLY)

else:

    def _started(
        command: Sequence[str],
        environment: Mapping[str, str],
        name: str,
        streams: Mapping[str, int],
        its: tuple[int, int],
    ) -> subprocess.Popen[bytes]:
        named = {**environment, name: ",".join(map(str, its))}
        return subprocess.Popen(command, env=named, pass_fds=its, **streams)  # type: ignore[call-overload]

    def _ends(name: str) -> tuple[int, int] | None:
        found = _NAMES.fullmatch(os.environ.get(name, ""))
        return None if found is None else (int(found[1]), int(found[2]))
