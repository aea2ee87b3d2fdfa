"""A lock with its owner's name: a folder has one writer, and the lock of a dead process is taken over."""

from __future__ import annotations

import json
import os
import re
import secrets
import socket
from contextlib import suppress
from pathlib import Path

import psutil

from ...errors import InvalidValue

LOCK = "lock"
_TRIES = 5
_DRAFT = re.compile(rf"{LOCK}\.[0-9]+\.[0-9a-f]+(\.stale)?")
_LARGEST = 4096  # bytes
Owner = dict[str, object]


class Lock:
    """Held from `take` to `release`; a file with process and host, and what tells it from others of its number."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._me: Owner = {"pid": os.getpid(), "host": socket.gethostname(), "began": _began(os.getpid())}
        self._me["token"] = secrets.token_hex(8)

    def take(self) -> None:
        """Take it, from a process that is dead if need be.

        Raises:
            InvalidValue: E531, another process writes there.
        """
        draft = self._file.with_name(f"{self._file.name}.{os.getpid()}.{self._me['token']}")
        try:
            draft.write_text(json.dumps(self._me), encoding="utf-8")
            for _ in range(_TRIES):
                try:
                    os.link(draft, self._file)  # whole, and only where there is none
                    return
                except FileExistsError:
                    self._clear(draft)
            raise self._refusal({})
        finally:
            with suppress(OSError):
                draft.unlink(missing_ok=True)

    @property
    def held(self) -> bool:
        """Is it still there, and by whom it was taken?"""
        return self._me["pid"] == os.getpid() and _owner(self._file) == self._me

    def release(self) -> None:
        """Give it back."""
        with suppress(OSError):
            if self.held:
                self._file.unlink(missing_ok=True)

    def _clear(self, draft: Path) -> None:
        """Remove the lock of a dead process (E531 if it lives, or its host is another)."""
        owner = _owner(self._file)
        if owner is None:
            return
        if _lives(owner):
            raise self._refusal(owner)
        aside = draft.with_name(f"{draft.name}.stale")
        try:
            self._file.rename(aside)
        except FileNotFoundError:  # another was quicker
            return
        if _owner(aside) != owner:  # and has taken it meanwhile: give it back
            os.link(aside, self._file)
        aside.unlink(missing_ok=True)

    def _refusal(self, owner: Owner) -> InvalidValue:
        who = f"process {owner.get('pid', '?')!s:.20} on {owner.get('host', '?')!s:.60}"
        return InvalidValue(
            "E531",
            f"{self._file.parent} is locked by {who}",
            f"wait until it has finished, or give another store; if that process is gone, remove {self._file}",
        )


def is_lock(file: Path) -> bool:
    """Is this the file of a lock, or of one that is being taken?"""
    if _DRAFT.fullmatch(file.name):
        return True
    return file.name == LOCK and {"pid", "host", "began"} <= (_owner(file) or {}).keys()


def _owner(file: Path) -> Owner | None:
    """Who holds the lock; nobody if there is none, somebody unknown if it is no plain file."""
    if file.exists() and not file.is_file():
        return {"host": "?"}
    try:
        with file.open("rb") as stream:
            found = json.loads(stream.read(_LARGEST))
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _lives(owner: Owner) -> bool:
    """Does the owner run, as far as one can tell from here?"""
    if owner.get("host") != socket.gethostname():
        return bool(owner)
    pid = owner.get("pid")
    if not isinstance(pid, int) or isinstance(pid, bool):
        return False
    try:
        return _began(pid) == owner.get("began")
    except psutil.AccessDenied:
        return True
    except (psutil.NoSuchProcess, OverflowError, ValueError):
        return False


def _began(pid: int) -> str:
    """What tells a process from an earlier one of the same number; on Linux no change of the clock changes it.

    Raises:
        psutil.Error: there is none, or it may not be asked.
    """
    try:
        boot = Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
        ticks = Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()[19].decode()
    except (OSError, IndexError):
        return repr(round(psutil.Process(pid).create_time()))
    return f"{boot} {ticks}"
