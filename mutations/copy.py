"""A copy of the repository in which one file is another, and processes that work there."""

from __future__ import annotations

import compileall
import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path

from .law import ROOT, SOURCE

PARTS = ("src", "tests", "docs", "fuzz", "benchmarks", "mutations", ".ci")
_UNWANTED = shutil.ignore_patterns("_build", ".mypy_cache", ".ruff_cache", ".pytest_cache")


def _link(source: str, target: str) -> str:
    """The same file under another name, or a copy where the disk has no such names."""
    try:
        os.link(source, target)
    except OSError:
        shutil.copy2(source, target)
    return target


@contextmanager
def changed(texts: Mapping[str, str]) -> Iterator[Path]:
    """The folder of a copy in which files below ``src/dalembert`` have these texts; removed afterwards."""
    with tempfile.TemporaryDirectory(prefix="dalembert-mutations-") as name:
        folder = Path(name)
        for part in PARTS:
            if (ROOT / part).is_dir():
                shutil.copytree(ROOT / part, folder / part, copy_function=_link, ignore=_UNWANTED)
        for file in (f for f in ROOT.iterdir() if f.is_file()):
            _link(str(file), str(folder / file.name))
        with replaced(folder, texts):
            yield folder


@contextmanager
def replaced(folder: Path, texts: Mapping[str, str]) -> Iterator[None]:
    """Give files below ``src/dalembert`` of a copy these texts; afterwards they are as before."""
    places = {file: folder / "src" / "dalembert" / file for file in texts}
    for file, place in places.items():
        place.unlink()  # the name alone: the file itself is that of the repository
        place.write_text(texts[file], encoding="utf-8")
    try:
        yield
    finally:
        for file, place in places.items():
            place.unlink()
            _link(str(SOURCE / file), str(place))


def compiled() -> None:
    """Compile the sources once: copies that share them need not."""
    compileall.compile_dir(str(ROOT / "src"), quiet=2, workers=1)


def work(folder: Path, arguments: Sequence[str], cpu: int) -> tuple[int, str]:
    """A process of Python in a copy, with so many seconds of CPU: its exit code and what it printed."""
    command = [sys.executable, "-m", "mutations.limited", str(cpu), *arguments]
    done = subprocess.run(command, cwd=folder, env=environment(folder), capture_output=True, text=True, check=False)
    return done.returncode, done.stdout + done.stderr


def environment(folder: Path) -> dict[str, str]:
    """In which a process works in a copy."""
    return {
        **os.environ,
        "PYTHONPATH": f"{folder / 'src'}{os.pathsep}{folder}",
        "PYTHONDONTWRITEBYTECODE": "1",
        "DALEMBERT_CACHE": str(code()),
        "OPENBLAS_NUM_THREADS": "1",
        "MPLBACKEND": "Agg",
    }


def code() -> Path:
    """Where broken code is kept when it is compiled: never among that of the user."""
    place = Path(tempfile.gettempdir()) / f"dalembert-mutations-code-{os.getuid() if hasattr(os, 'getuid') else 0}"
    place.mkdir(mode=0o700, exist_ok=True)
    return place


@cache
def state() -> str:
    """A short hash of the sources: what is found belongs to it."""
    digest = hashlib.sha256()
    for file in sorted((ROOT / "src").rglob("*.py")):
        digest.update(file.read_bytes())
    return digest.hexdigest()[:12]
