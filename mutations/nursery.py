"""``python -m mutations.nursery FOLDER``: a process that has imported what all need, and forks one for each request.

A request is a line of JSON on stdin: a paper, the groups and claims asked for, seconds of CPU. The fork imports
the library from the copy, works through what is asked, and ends; its lines come back as one line of JSON. Nothing of
the library is ever imported here, so that a fork sees what the copy says; with ``--kept`` the library is, once, and a
fork imports anew what makes the claims: the papers and their systems.
"""

from __future__ import annotations

import io
import json
import os
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from contextlib import redirect_stdout, suppress
from importlib import import_module
from pathlib import Path
from typing import Any, Self

from .claimed import MARK, asked, reached
from .copy import environment
from .law import ROOT
from .limited import bound

# of some groups the claims, (where, statement), that are asked for; None: all of them
Asked = Mapping[str, Sequence[tuple[str, str]] | None]
_OURS = ("dalembert", "mutations", "__m")
_MAKE_CLAIMS = ("dalembert_papers", "dalembert.systems")
_LATE = 20  # times the CPU allowed: a process that waits so long for nothing ends too


class Nursery:
    """The process, as seen from the one that asks: used in a ``with``.

    With `kept` no file may change but those of the papers and the systems.
    """

    def __init__(self, folder: Path, *, kept: bool = False) -> None:
        self.folder, self.kept = folder, kept

    def __enter__(self) -> Self:
        if not hasattr(os, "fork"):
            raise OSError("claims are worked through in forks of one process; this system has none")
        command = [sys.executable, "-m", "mutations.nursery", str(self.folder), *["--kept"] * self.kept]
        pipe = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
        self._process: Any = subprocess.Popen(command, cwd=ROOT, env=environment(self.folder), **pipe)  # type: ignore[call-overload]
        return self

    def __exit__(self, *found: object) -> None:
        self._process.stdin.close()
        self._process.wait()
        self._process.stdout.close()

    def work(self, paper: str, cpu: float, claims: Asked | None = None, reach: bool = False) -> list[dict[str, Any]]:
        """The groups of a paper, all or those asked for, each up to the last claim asked for.

        With `reach` of each group which laws it comes by, and before which claim.
        """
        request = {"paper": paper, "cpu": int(cpu), "claims": claims, "reach": reach}
        self._process.stdin.write(json.dumps(request) + "\n")
        self._process.stdin.flush()
        lines = json.loads(self._process.stdout.readline())
        return [json.loads(line.removeprefix(MARK)) for line in lines if line.startswith(MARK)]


# --- inside ----------------------------------------------------------------------------------------------------------


def serve(folder: Path, kept: bool = False) -> None:
    """Answer requests until stdin ends."""
    warmed: set[str] = set()
    for line in sys.stdin:
        request = json.loads(line)
        if request["paper"] not in warmed:
            (_keep if kept else _warm)(folder, request["paper"])
            warmed.add(request["paper"])
        print(json.dumps(_forked(folder, request).splitlines()), flush=True)


def _warm(folder: Path, paper: str) -> None:
    """Import what a paper imports of others: a fork tells what that is."""
    text = _forked(folder, {"paper": paper, "cpu": 300, "modules": True})
    for name in text.split():
        with suppress(Exception):
            import_module(name)


def _keep(folder: Path, paper: str) -> None:
    """Import the library for a paper; `_answer` forgets what makes the claims."""
    sys.path.insert(0, str(folder / "src"))
    with redirect_stdout(io.StringIO()):
        asked(paper, {})


def _forked(folder: Path, request: dict[str, Any]) -> str:
    """What a fork prints."""
    ours, theirs = os.pipe()
    child = os.fork()
    if child == 0:
        status = 1
        try:
            os.close(ours)
            os.dup2(theirs, 1)
            os.dup2(os.open(os.devnull, os.O_RDWR), 0)
            os.dup2(0, 2)
            bound(request["cpu"])
            signal.alarm(_LATE * request["cpu"])
            _answer(folder, request)
            status = 0
        finally:
            os._exit(status)
    os.close(theirs)
    with os.fdopen(ours) as stream:
        text = stream.read()
    os.waitpid(child, 0)
    return text


def _answer(folder: Path, request: dict[str, Any]) -> None:
    os.chdir(folder)
    sys.path.insert(0, str(folder / "src"))
    for name in [name for name in sys.modules if name.startswith(_MAKE_CLAIMS)]:
        del sys.modules[name]
    if "modules" in request:
        asked(request["paper"], {})
        names = [name for name in sys.modules if not name.startswith(_OURS)]
        print(*names, sep="\n", flush=True)
    else:
        asked(request["paper"], request["claims"], reached if request["reach"] else None)


if __name__ == "__main__":
    serve(Path(sys.argv[1]), "--kept" in sys.argv)
