"""Faults of a machine, made for real: full disks, read-only and vanished folders, no home, strangers, many at once.

Each command either does its work or says in one of our codes why not; then the fault is mended, the command is given
again with ``--resume``, and what it ends with is held against what an undisturbed command made, bit by bit. Disks are
small ones in memory, so this needs Linux and root; nothing outside a temporary folder is touched.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from .kills import JOBS, PATIENCE, Job, _attempt, _command, _folder, _forked, _load, _made, _track

SIZES = (8, 16, 24, 32, 48, 64, 96, 128)  # KiB of a disk
NOBODY = 65534
_REFUSED = re.compile(r"^E(5\d\d|136) ", re.MULTILINE)
_DONE = 0


class _Disk:
    """A disk in memory, of a size in KiB."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir()
        subprocess.run(["mount", "-t", "tmpfs", "-o", "size=8m", "tmpfs", folder], check=True)

    def remount(self, how: str) -> bool:
        """Is it so now? A disk that is being written cannot become read-only."""
        command = ["mount", "-o", f"remount,{how}", self.folder]
        return not subprocess.run(command, check=False, capture_output=True).returncode

    def gone(self) -> None:
        """Unmount it."""
        subprocess.run(["umount", "-l", self.folder], check=True)


def _told(folder: Path, code: int | None) -> str:
    """Empty if a command did its work or refused it in our words."""
    said = (folder / "talk").read_text() + (folder / "answer").read_text()
    if code == _DONE or (code in (1, 2, 3) and (_REFUSED.search(said) or '"code": "E5' in said)):
        return ""
    return f"exit {code}: {said[-300:]}"


class _Machine:
    """Where faults are made, and what undisturbed commands make."""

    def __init__(self, root: Path) -> None:
        self.root, self.track, self.wholes = root, _track(), dict[str, str]()
        self.tried, self.bad, self._number = 0, 0, 0

    def folder(self, name: str, above: Path | None = None) -> Path:
        """A new one, with the files of a job."""
        self._number += 1
        return _folder(above or self.root, f"{name}-{self._number}", self.track)

    def prepare(self, name: str) -> None:
        """What an undisturbed command makes."""
        folder = self.folder(name)
        assert _attempt(folder, self.root / "cache", JOBS[name], 0, PATIENCE) == _DONE, (folder / "talk").read_text()
        self.wholes[name] = _made(folder, JOBS[name])

    def give(self, folder: Path, name: str, cache: Path | None = None) -> int | None:
        """The command, once."""
        return _attempt(folder, cache or self.root / "cache", JOBS[name], 0, PATIENCE)

    def hold(self, what: str, right: bool, why: str = "") -> None:
        """Count it; say what is wrong."""
        self.tried += 1
        if not right:
            self.bad += 1
            print(f"{what}: {why}", flush=True)

    def mended(self, what: str, folder: Path, name: str) -> None:
        """Given again where nothing is in the way, it makes what the undisturbed one makes."""
        code = self.give(folder, name)
        same = code == _DONE and _made(folder, JOBS[name]) == self.wholes[name]
        self.hold(what, same, f"given again: {_told(folder, code) or 'other numbers'}")


def _full(machine: _Machine, disk: _Disk) -> None:
    """A disk of each size; then there is room."""
    for size in SIZES:
        for name in machine.wholes:
            folder = machine.folder(name, disk.folder)
            used = shutil.disk_usage(disk.folder).used // 1024
            disk.remount(f"size={used + size}k")
            code = machine.give(folder, name)
            for _ in range(2):
                disk.remount("size=8m")
            machine.hold(f"{name}, {size} KiB free", not _told(folder, code) or code == 3, _told(folder, code))
            machine.mended(f"{name}, {size} KiB free, then room", folder, name)
            shutil.rmtree(folder)


def _read_only(machine: _Machine, disk: _Disk) -> None:
    """A disk that becomes read-only once something is stored there, or before."""
    folder = machine.folder("sweep", disk.folder)
    code = _during(machine, folder, "sweep", lambda: disk.remount("ro"))
    disk.remount("rw")
    machine.hold("sweep, disk turns read-only", not _told(folder, code), _told(folder, code))
    machine.mended("sweep, disk turns read-only, then not", folder, "sweep")


def _during(machine: _Machine, folder: Path, name: str, act: Callable[[], object]) -> int:
    """The exit code of a command to whose store something is done after the first batch, again until it succeeds."""
    child = _forked(lambda: _command(folder, machine.root / "cache", JOBS[name]))
    journal, acted = folder / "s.zarr" / "journal.jsonl", False
    while True:
        number, status = os.waitpid(child, os.WNOHANG)
        if number:
            return os.waitstatus_to_exitcode(status)
        with suppress(OSError):
            if not acted and journal.stat().st_size:
                acted = act() is not False
        time.sleep(0.001)


def _vanished(machine: _Machine, _: _Disk) -> None:
    folder = machine.folder("sweep")
    code = _during(machine, folder, "sweep", lambda: shutil.rmtree(folder / "s.zarr", ignore_errors=True))
    machine.hold("sweep, store vanishes", not _told(folder, code), _told(folder, code))
    shutil.rmtree(folder / "s.zarr", ignore_errors=True)
    machine.mended("sweep, store vanishes, then again", folder, "sweep")


def _eight(machine: _Machine, _: _Disk) -> None:
    """Eight at once on one store, and in eight folders on one cold cache."""
    folder, job = machine.folder("sweep"), JOBS["sweep"]
    places = [folder / str(i) for i in range(8)]
    for place in places:
        shutil.copytree(folder, place, ignore=lambda *_: {p.name for p in places})
        (place / "s.zarr").symlink_to(folder / "s.zarr")
    codes = _at_once([(place, machine.root / "cache", job) for place in places])
    told = [_told(place, code) for place, code in zip(places, codes, strict=True)]
    machine.hold("eight on one store", not any(told) and _DONE in codes, "".join(told))
    machine.mended("eight on one store, then one", folder, "sweep")
    several = [machine.folder("run") for _ in range(8)]
    codes = _at_once([(place, machine.root / "cold", JOBS["run"]) for place in several])
    same = all(_made(place, JOBS["run"]) == machine.wholes["run"] for place in several)
    machine.hold("eight on one cold cache", same and not any(codes), f"{codes}")


def _at_once(works: list[tuple[Path, Path, Job]]) -> list[int]:
    children = [_forked(lambda work=work: _command(*work)) for work in works]  # type: ignore[misc]
    return [os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children]


def _homes(machine: _Machine, _: _Disk) -> None:
    """No home, one that is not there, one that is a file; and no cache of one's own."""
    for home in (None, "/nonexistent/home", "/dev/null", ""):
        folder = machine.folder("run")

        def work(home: str | None = home, folder: Path = folder) -> int:
            os.environ.pop("HOME", None)
            if home is not None:
                os.environ["HOME"] = home
            os.environ.pop("XDG_CACHE_HOME", None)
            return _command(folder, Path("/proc/nowhere"), JOBS["run"])

        code = os.waitstatus_to_exitcode(os.waitpid(_forked(work), 0)[1])
        same = code == _DONE and _made(folder, JOBS["run"]) == machine.wholes["run"]
        machine.hold(f"home {home!r}", same, _told(folder, code) or "other numbers")


def _stranger(machine: _Machine, _: _Disk) -> None:
    """Another user: in a folder that may only be read, on a store of ours, with our cache."""
    for name in ("run", "sweep"):
        folder = machine.folder(name)
        machine.give(folder, name)
        for each in (folder / "answer", folder / "talk", folder / "operations"):
            each.chmod(0o666) if each.exists() else None

        def work(name: str = name, folder: Path = folder) -> int:
            os.chmod(machine.root, 0o755)
            os.setgid(NOBODY)
            os.setuid(NOBODY)
            return _command(folder, machine.root / "cache", JOBS[name])

        code = os.waitstatus_to_exitcode(os.waitpid(_forked(work), 0)[1])
        machine.hold(f"{name} of another user", code != 99 and not _told(folder, code), _told(folder, code))
        machine.mended(f"{name}, after another user", folder, name)


FAULTS = {
    "full": _full,
    "read-only": _read_only,
    "vanished": _vanished,
    "eight": _eight,
    "homes": _homes,
    "stranger": _stranger,
}


def main(arguments: list[str]) -> int:
    """Run; 1 if something was lost, or said in words that are not ours."""
    parser = argparse.ArgumentParser(prog="python -m fuzz machine", description=__doc__)
    parser.add_argument("--only", choices=FAULTS, default=None, help="one kind of fault")
    given = parser.parse_args(arguments)
    _load()
    with tempfile.TemporaryDirectory() as root:
        machine = _Machine(Path(root))
        disk = _Disk(Path(root) / "disk")
        try:
            for name in JOBS:
                machine.prepare(name)
            for name in [given.only] if given.only else FAULTS:
                FAULTS[name](machine, disk)
        finally:
            disk.gone()
    print(f"{machine.tried} tried, {machine.bad} found")
    return int(machine.bad > 0)
