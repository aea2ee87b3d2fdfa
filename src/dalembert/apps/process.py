"""The process of a command: its exit codes, how it is interrupted, and the child in which foreign files are read."""

from __future__ import annotations

import _thread
import os
import re
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from types import FrameType, TracebackType
from typing import IO, Any

import click

OK, MODEL, WRONG_COMMAND, RUN, INTERRUPTED = range(5)


# --- interrupts ------------------------------------------------------------------------------------------------------
# Ctrl-C, SIGTERM and the end of a terminal stop a command in the same way: what was reached is kept.
# The first of them is a `KeyboardInterrupt`, or an answer to the question that a run asks. While what was reached is
# handed over, a second Ctrl-C says so, and a third stops at once; otherwise the second does. A second SIGTERM does not,
# since services send several.

_SIGNALS = ("SIGINT", "SIGTERM", "SIGHUP")  # Windows has no SIGHUP
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
    known = {name: getattr(signal, name) for name in _SIGNALS if hasattr(signal, name)}
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


# --- the child process -----------------------------------------------------------------------------------------------
# Foreign files are read and derived in a child process, which is stopped where it takes too long or too much.
# The child is this program with the same arguments; no module is looked for in the folder it works in. The two have a
# line. On it the child says when the equations are derived: from then on the run's own limits hold. The parent watches
# its CPU time and its memory, and passes everything else through. Where the parent is told to stop, or is gone, its
# side of the line is closed: the child stops, and keeps what was reached.

_LOOK = 0.05  # seconds between looks
_WAIT = None if os.name == "posix" else _LOOK  # elsewhere no signal is heard while a process is waited for
_GRACE = 10.0  # seconds after which a child that was interrupted and still works is mentioned
_GIB = 2**30
_WITHOUT_PLUGINS = {"PYDANTIC_DISABLE_PLUGINS": "__all__"}  # the schema of files takes none; a search costs 30 ms
CONFINED = "DALEMBERT_CONFINED"  # set in the child process that works on a foreign file


def run_confined(arguments: Sequence[str], seconds: float, gibibytes: float) -> int:
    """Work in a child process; return its exit code, or 1 if it had to be stopped."""
    streams = {} if _has_own_streams() else {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    # this interpreter's own isolation, and never a module from the folder in which the command is given
    flags = {"-I": sys.flags.isolated, "-E": sys.flags.ignore_environment, "-s": sys.flags.no_user_site}
    isolation = ["-P", *(flag for flag, wanted in flags.items() if wanted)]
    command = [sys.executable, *isolation, "-m", "dalembert", *arguments]
    # PYTHONPATH without its empty entries, which mean the current folder: ``:/opt/lib`` has one
    given = [each for each in os.environ.get("PYTHONPATH", "").split(os.pathsep) if each]
    own = str(Path(__file__).parents[2])
    path_of_modules = {"PYTHONPATH": os.pathsep.join(given if own in sys.path else [*given, own])}
    surroundings = {**os.environ, **path_of_modules, **_WITHOUT_PLUGINS}
    with ParentPipe() as line, line.start(command, surroundings, CONFINED, streams) as child:
        readers = [_forward(stream, err) for stream, err in ((child.stdout, False), (child.stderr, True)) if stream]
        reason = _watch(child, line, seconds, gibibytes)
        for reader in readers:
            reader.join()
    if reason:
        click.echo(_stopped(reason), err=True)
        return MODEL
    if child.returncode < 0:
        stopped = f"the work was stopped by signal {-child.returncode}; run the command again"
        click.echo(f"dalembert: {stopped}", err=True)
        return INTERRUPTED
    return child.returncode


def in_child() -> bool:
    """Is this process the child?"""
    return CONFINED in os.environ


def tell_derived() -> None:
    """Said by the child: the equations are derived, the limits of the derivation are past."""
    say(CONFINED)


def follow_parent() -> None:
    """Said by the child at its start: stop when the parent says so, or is gone."""
    listen(CONFINED, interrupt)


def _watch(child: subprocess.Popen[bytes], line: ParentPipe, seconds: float, gibibytes: float) -> str:
    """Wait for the child, wherever a signal comes meanwhile; what it exceeded if it had to be stopped, else empty."""
    try:
        return _limited(child, line, seconds, gibibytes)
    except KeyboardInterrupt:
        line.hang_up()  # the signal may have been for the parent alone
        _wait_for_child(child)
        return ""


def _limited(child: subprocess.Popen[bytes], line: ParentPipe, seconds: float, gibibytes: float) -> str:
    """Wait for the child; what it exceeds before it has derived the equations."""
    import psutil

    process = psutil.Process(child.pid)
    while child.poll() is None and line.silent(_LOOK):
        reason = _exceeded(process, seconds, gibibytes)
        if reason:
            child.kill()
            return reason
    while child.poll() is None:
        with suppress(subprocess.TimeoutExpired):
            child.wait(_WAIT)
    return ""


def _exceeded(process: Any, seconds: float, gibibytes: float) -> str:
    import psutil

    try:
        spent = process.cpu_times()
        if spent.user + spent.system > seconds:
            return f"{seconds:g} s of CPU time"
        return f"{gibibytes:g} GiB" if process.memory_info().rss > gibibytes * _GIB else ""
    except psutil.Error:  # it has just ended
        return ""


def _wait_for_child(child: subprocess.Popen[bytes]) -> None:
    """What was reached is stored, however long that takes; the child answers a second Ctrl-C, a third stops it."""
    for last in (False, True):
        try:
            try:
                child.wait(_GRACE)
            except subprocess.TimeoutExpired:
                click.echo("dalembert: the run is still being stored; Ctrl-C twice stops that, and loses it", err=True)
                child.wait()
        except KeyboardInterrupt:
            if last:
                child.kill()
        else:
            return


def _stopped(reason: str) -> str:
    return (
        f"E136 reading the file and deriving its equations was stopped after {reason}\n"
        "  do: make the system smaller, or allow more: --seconds 600 --gibibytes 8\n"
        "      for a file that you trust: --trust\n"
        "  dalembert explain E136"
    )


def _has_own_streams() -> bool:
    """Are stdout and stderr real files, which a child can inherit?"""
    try:
        return sys.stdout.fileno() >= 0 and sys.stderr.fileno() >= 0
    except (OSError, AttributeError, ValueError):
        return False


def _forward(stream: IO[bytes], err: bool) -> threading.Thread:
    """Pass on what the child says."""
    context = click.get_current_context()

    def pass_on() -> None:
        with context.scope(cleanup=False):
            click.echo(stream.read(), nl=False, err=err)

    thread = threading.Thread(target=pass_on, daemon=True)
    thread.start()
    return thread


# --- the line between parent and child -------------------------------------------------------------------------------
# A line between a process and the child that works for it: two pipes, so nothing is left behind, whoever dies when.
# Each side says one thing, once: the child by a byte, the parent by hanging up. The operating system hangs up for a
# parent that was killed.

_PIPES = re.compile(r"(\d+),(\d+)")


class ParentPipe:
    """The parent's side, a context: it hangs up in the end."""

    def __init__(self) -> None:
        (self._ear, self._its_mouth), (self._its_ear, self._mouth) = os.pipe(), os.pipe()
        self._heard, self._hung_up = threading.Event(), False

    def __enter__(self) -> ParentPipe:
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
        found = _PIPES.fullmatch(os.environ.get(name, ""))
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
        found = _PIPES.fullmatch(os.environ.get(name, ""))
        return None if found is None else (int(found[1]), int(found[2]))
