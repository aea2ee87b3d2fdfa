"""The shared library of a Functional Mock-up Unit, where a C compiler is there."""

from __future__ import annotations

import platform
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

from ....errors import InvalidValue
from .sources import MAIN

COMPILERS = ("cc", "gcc", "clang")
FLAGS = ("-std=c99", "-O2", "-g0", "-ffp-contract=off", "-shared", "-DFMI3_OVERRIDE_FUNCTION_PREFIX")
_SYSTEMS = {"linux": ("linux", ".so"), "darwin": ("darwin", ".dylib"), "win32": ("windows", ".dll")}
_MACHINES = {"amd64": "x86_64", "x86_64": "x86_64", "arm64": "aarch64", "aarch64": "aarch64"}
_PATIENCE = 300.0  # seconds that a compiler may take
_SOURCES_ONLY = "binary=False makes an FMU of C sources, which the importing tool compiles"


def shared_library(texts: Mapping[str, str], identifier: str, wanted: bool | None) -> dict[str, bytes]:
    """The library by its place in the unit; nothing where no compiler is there and none is asked for.

    Raises:
        InvalidValue: E805, there is no compiler, FMI has no name for this machine, or the compiler fails.
    """
    compiler = next(filter(None, map(shutil.which, COMPILERS)), None)
    system, machine = _SYSTEMS.get(sys.platform), _MACHINES.get(platform.machine().lower())
    if compiler is None or system is None or machine is None:
        if not wanted:
            return {}
        lacking = "there is no C compiler" if compiler is None else f"FMI has no name for {platform.machine()}"
        raise InvalidValue("E805", f"{lacking}: none of {', '.join(COMPILERS)}", _SOURCES_ONLY)
    name, ending = system
    return {f"binaries/{machine}-{name}/{identifier}{ending}": _built(compiler, texts, identifier + ending)}


def _built(compiler: str, texts: Mapping[str, str], target: str) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        for name, text in texts.items():
            Path(folder, name).write_text(text, encoding="utf-8", newline="\n")
        words = [compiler, *FLAGS, *(() if sys.platform == "win32" else ("-fPIC",)), "-o", target, MAIN, "-lm"]
        try:
            done = subprocess.run(words, cwd=folder, capture_output=True, text=True, timeout=_PATIENCE, check=False)
        except (OSError, subprocess.TimeoutExpired) as error:
            raise InvalidValue("E805", f"{compiler} does not run: {type(error).__name__}", _SOURCES_ONLY) from None
        if done.returncode:
            said = (done.stderr.strip().splitlines() or ["it says nothing"])[0][:200]
            raise InvalidValue("E805", f"{compiler} fails: {said}", _SOURCES_ONLY)
        return Path(folder, target).read_bytes()
