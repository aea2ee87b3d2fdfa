"""Compiled object code on disk, found by the hash of what it was compiled from.

A file is ``magic, sha256 of the key's inputs, sha256 of the code, code``. It is written under another name and renamed,
so that a reader sees all of it or nothing. The folder is the user's cache folder, or ``DALEMBERT_CACHE``; an empty
``DALEMBERT_CACHE`` turns the cache off. Failures to read or write are no errors: the code is then compiled.
"""

from __future__ import annotations

import hashlib
import os
import stat
import tempfile
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from platformdirs import user_cache_path

VARIABLE = "DALEMBERT_CACHE"
LARGEST = 512 * 2**20  # bytes of all files together; the ones used longest ago go first
_MAGIC = b"dalembert object 1\n"
_DIGEST = hashlib.sha256().digest_size
_SUFFIX = ".object"


def key(parts: Iterable[str]) -> bytes:
    """The hash of several texts; each counts with its length, so that no two lists run together."""
    digest = hashlib.sha256()
    for part in parts:
        text = part.encode()
        digest.update(len(text).to_bytes(8, "little") + text)
    return digest.digest()


def folder() -> Path | None:
    """Where code is kept; None where nowhere is safe or the cache is turned off."""
    chosen = os.environ.get(VARIABLE)
    if chosen == "":
        return None
    with suppress(OSError, RuntimeError):
        path = Path(chosen) if chosen else user_cache_path("dalembert", appauthor=False) / "code"
        path.mkdir(mode=0o700, parents=True, exist_ok=True)
        return path if _is_ours(path) else None
    return None


def _is_ours(path: Path) -> bool:
    """Can nobody else put code there? On Windows the user's own folders are protected by the system."""
    if not hasattr(os, "getuid"):
        return True
    status = path.stat()
    return status.st_uid == os.getuid() and not status.st_mode & (stat.S_IWGRP | stat.S_IWOTH)


def load(key: bytes) -> bytes | None:
    """The code kept under a key; None if there is none, or if it is damaged."""
    where = folder()
    if where is None:
        return None
    file = where / (key.hex() + _SUFFIX)
    with suppress(OSError):
        content = file.read_bytes()
        head = len(_MAGIC) + 2 * _DIGEST
        code = content[head:]
        if content[:head] == _MAGIC + key + hashlib.sha256(code).digest():
            with suppress(OSError):  # a disk that can only be read
                os.utime(file)  # used now
            return code
    return None


def store(key: bytes, code: bytes) -> None:
    """Keep code under a key, if the disk allows."""
    where = folder()
    if where is None:
        return
    with suppress(OSError):
        handle, name = tempfile.mkstemp(dir=where)
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(_MAGIC + key + hashlib.sha256(code).digest() + code)
            Path(name).replace(where / (key.hex() + _SUFFIX))
        except OSError:
            Path(name).unlink(missing_ok=True)
        _prune(where)


def _prune(where: Path) -> None:
    """Remove what was used longest ago until the rest is small enough."""
    files = sorted(((f.stat().st_mtime, f.stat().st_size, f) for f in where.glob("*" + _SUFFIX)), reverse=True)
    total = 0
    for _, size, file in files:
        total += size
        if total > LARGEST:
            file.unlink(missing_ok=True)
