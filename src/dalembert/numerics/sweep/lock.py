"""A lock with its owner's name: a folder has one writer, and the lock of a dead process is taken over."""

from __future__ import annotations

import json
import os
import socket
from pathlib import Path
from typing import Any

import psutil

from ...errors import InvalidValue

_TRIES = 5


class Lock:
    """Held from `take` to `release`; a file with process, host and the time the process began."""

    def __init__(self, file: Path) -> None:
        self._file = file

    def take(self) -> None:
        """Take it, from a process that is dead if need be.

        Raises:
            InvalidValue: E531, another process writes there.
        """
        draft = self._file.with_name(f"{self._file.name}.{os.getpid()}.{id(self)}")
        draft.write_text(json.dumps(_me()), encoding="utf-8")
        try:
            for _ in range(_TRIES):
                try:
                    os.link(draft, self._file)  # whole, and only where there is none
                    return
                except FileExistsError:
                    self._clear(draft)
            raise self._refusal({})
        finally:
            draft.unlink(missing_ok=True)

    def release(self) -> None:
        """Give it back."""
        if _owner(self._file) == _me():
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

    def _refusal(self, owner: dict[str, Any]) -> InvalidValue:
        who = f"process {owner.get('pid', '?')} on {owner.get('host', '?')}"
        return InvalidValue(
            "E531",
            f"{self._file.parent} is locked by {who}",
            f"wait until it has finished, or give another store; if that process is gone, remove {self._file}",
        )


def _me() -> dict[str, Any]:
    return {"pid": os.getpid(), "host": socket.gethostname(), "began": psutil.Process().create_time()}


def _owner(file: Path) -> dict[str, Any] | None:
    """Who holds the lock; nobody if there is none."""
    try:
        found = json.loads(file.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return None
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


def _lives(owner: dict[str, Any]) -> bool:
    """Does the owner run, as far as one can tell from here?"""
    if owner.get("host") != socket.gethostname():
        return bool(owner)
    try:
        return abs(psutil.Process(int(owner["pid"])).create_time() - float(owner["began"])) < 1.0
    except psutil.AccessDenied:
        return True
    except (psutil.NoSuchProcess, KeyError, TypeError, ValueError):
        return False
