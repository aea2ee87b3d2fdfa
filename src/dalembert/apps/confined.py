"""Foreign files are read and derived in a child process, which is stopped where it takes too long or too much.

The child is this program with the same arguments; no module is looked for in the folder it works in. The two have a
line. On it the child says when the equations are derived: from then on the run's own limits hold. The parent watches
its CPU time and its memory, and passes everything else through. Where the parent is told to stop, or is gone, its side
of the line is closed: the child stops, and keeps what was reached.
"""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO, Any

import click

from .exit_codes import INTERRUPTED, MODEL
from .interrupts import interrupt
from .line import Line, listen, say

_LOOK = 0.05  # seconds between looks
_WAIT = None if os.name == "posix" else _LOOK  # elsewhere no signal is heard while a process is waited for
_GRACE = 10.0  # seconds after which a child that was interrupted and still works is mentioned
_GIB = 2**30
_WITHOUT_PLUGINS = {"PYDANTIC_DISABLE_PLUGINS": "__all__"}  # the schema of files takes none; a search costs 30 ms
CONFINED = "DALEMBERT_CONFINED"  # set in the child process that works on a foreign file


def run(arguments: Sequence[str], seconds: float, gibibytes: float) -> int:
    """Work in a child process; return its exit code, or 1 if it had to be stopped."""
    streams = {} if _has_own_streams() else {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    command = [sys.executable, *_flags(), "-m", "dalembert", *arguments]
    surroundings = {**os.environ, **_path_of_modules(), **_WITHOUT_PLUGINS}
    with Line() as line, line.start(command, surroundings, CONFINED, streams) as child:
        readers = [_forward(stream, err) for stream, err in ((child.stdout, False), (child.stderr, True)) if stream]
        reason = _watch(child, line, seconds, gibibytes)
        for reader in readers:
            reader.join()
    if reason:
        click.echo(_stopped(reason), err=True)
        return MODEL
    return child.returncode if child.returncode >= 0 else _killed(-child.returncode)


def _flags() -> list[str]:
    """This interpreter's own isolation, and never a module from the folder in which the command is given."""
    flags = {"-I": sys.flags.isolated, "-E": sys.flags.ignore_environment, "-s": sys.flags.no_user_site}
    return ["-P", *(flag for flag, wanted in flags.items() if wanted)]


def _path_of_modules() -> dict[str, str]:
    """PYTHONPATH without its empty entries, which mean the current folder: ``:/opt/lib`` has one."""
    given = [each for each in os.environ.get("PYTHONPATH", "").split(os.pathsep) if each]
    own = str(Path(__file__).parents[2])
    return {"PYTHONPATH": os.pathsep.join(given if own in sys.path else [*given, own])}


def inside() -> bool:
    """Is this process the child?"""
    return CONFINED in os.environ


def derived() -> None:
    """Said by the child: the equations are derived, the limits of the derivation are past."""
    say(CONFINED)


def follow_parent() -> None:
    """Said by the child at its start: stop when the parent says so, or is gone."""
    listen(CONFINED, interrupt)


def _watch(child: subprocess.Popen[bytes], line: Line, seconds: float, gibibytes: float) -> str:
    """Wait for the child, wherever a signal comes meanwhile; what it exceeded if it had to be stopped, else empty."""
    try:
        return _limited(child, line, seconds, gibibytes)
    except KeyboardInterrupt:
        line.hang_up()  # the signal may have been for the parent alone
        _wait(child)
        return ""


def _limited(child: subprocess.Popen[bytes], line: Line, seconds: float, gibibytes: float) -> str:
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


def _wait(child: subprocess.Popen[bytes]) -> None:
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


def _killed(number: int) -> int:
    click.echo(f"dalembert: the work was stopped by signal {number}; run the command again", err=True)
    return INTERRUPTED


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
