"""Compiled object code on disk, found by the hash of what it was compiled from.

A file is ``magic, sha256 of the key's inputs, sha256 of the code, code``. It is written under another name and renamed,
so that a reader sees all of it or nothing. The folder is the user's cache folder, or ``DALEMBERT_CACHE``; an empty
``DALEMBERT_CACHE`` turns the cache off. Failures to read or write are no errors: the code is then compiled. Where
somebody else could have put code (`doubt`), none is taken from there, and W802 says so.
"""

from __future__ import annotations

import hashlib
import os
import stat
import tempfile
from collections.abc import Iterable
from contextlib import suppress
from functools import cache
from pathlib import Path

from platformdirs import user_cache_path

from ...errors import warn

VARIABLE = "DALEMBERT_CACHE"
LARGEST = 512 * 2**20  # bytes of all files together; the ones used longest ago go first
_TURNS = 64  # one of so many that are stored, told by its key, looks through all files, of which there may be thousands
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
    place, why = checked()
    if why:
        _say(why)
    return None if why else place


def checked() -> tuple[Path | None, str]:
    """Where code would be kept, and why it is not safe there."""
    chosen = os.environ.get(VARIABLE)
    if chosen == "":
        return None, ""
    with suppress(OSError, RuntimeError):
        path = Path(chosen) if chosen else user_cache_path("dalembert", appauthor=False) / "code"
        if not path.is_absolute() and not chosen:  # nobody knows where home is
            return None, ""
        make(path.absolute())
        return path, doubt(path)
    return None, ""


@cache
def _say(why: str) -> None:
    """W802, once."""
    fact = f"compiled code is neither taken from the cache nor kept there, every program compiles anew: {why}"
    warn("W802", f"{fact}; name a folder of your own: {VARIABLE}=~/.dalembert", 5)


def load(key: bytes) -> bytes | None:
    """The code kept under a key; None if there is none, or if it is damaged or of somebody else."""
    where = folder()
    if where is None:
        return None
    file = where / (key.hex() + _SUFFIX)
    with suppress(OSError):
        content = read(file)
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
        put(where / (key.hex() + _SUFFIX), _MAGIC + key + hashlib.sha256(code).digest() + code)
        if key[0] % _TURNS == 0:
            prune(where, _SUFFIX)


def put(file: Path, content: bytes) -> None:
    """Write a file whole or not at all.

    Raises:
        OSError: the disk does not allow it.
    """
    handle, name = tempfile.mkstemp(file.suffix, dir=file.parent)  # a draft that is left goes with the others
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(content)
        Path(name).replace(file)
    except OSError:
        with suppress(OSError):
            Path(name).unlink(missing_ok=True)
        raise


def prune(where: Path, suffix: str) -> None:
    """Remove what was used longest ago until the rest is small enough."""
    files = []
    with os.scandir(where) as entries:
        for entry in (e for e in entries if e.name.endswith(suffix)):
            with suppress(FileNotFoundError):  # another process removes them too
                told = entry.stat()
                files.append((told.st_mtime, told.st_size, entry.path))
    total = 0
    for _, size, path in sorted(files, reverse=True):
        total += size
        if total > LARGEST:
            Path(path).unlink(missing_ok=True)


# --- files that nobody else can have written: the rule by which machine code from a disk is trusted ------------------
# A checksum tells damage; it does not tell who wrote. So a folder must be the user's own, writable by nobody else, and
# lie below folders in which nobody else can exchange it; a file in it must be the user's own as well. Windows protects
# the folders of a user by itself, so nothing is asked there.

_ROOT = 0


def doubt(folder: Path) -> str:
    """How somebody else could put a file into a folder; empty where nobody can.

    Raises:
        OSError: it cannot be looked at.
    """
    if not hasattr(os, "getuid"):
        return ""
    own, real = os.getuid(), folder.resolve(strict=True)
    status = real.stat()
    if status.st_uid != own:
        return f"{folder} belongs to another user ({status.st_uid})"
    if status.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        return f"others may write to {folder}"
    for above in real.parents:
        status = above.stat()
        if status.st_uid not in (_ROOT, own):
            return f"{folder} lies below {above}, which belongs to another user ({status.st_uid})"
        # may anybody write but the user and groups in which the user is alone?
        others_write = bool(
            status.st_mode & stat.S_IWOTH or (status.st_mode & stat.S_IWGRP and not _is_alone(status.st_gid))
        )
        if others_write and not status.st_mode & stat.S_ISVTX:
            return f"{folder} lies below {above}, to which others may write"
    return ""


def read(file: Path) -> bytes:
    """What a file holds that is the user's own and no link.

    Raises:
        OSError: there is no such file, or it is of somebody else.
    """
    handle = os.open(file, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0))
    with os.fdopen(handle, "rb") as stream:
        status = os.fstat(handle)
        theirs = hasattr(os, "getuid") and status.st_uid != os.getuid()
        if theirs or not stat.S_ISREG(status.st_mode) or status.st_mode & stat.S_IWOTH:
            raise PermissionError(f"{file} may have been written by somebody else")
        return stream.read()


def make(folder: Path) -> None:
    """A folder, with those above it that are missing, for the user alone.

    Raises:
        OSError: it cannot be made.
    """
    for each in (*reversed(folder.parents), folder):
        if not each.exists():
            each.mkdir(mode=0o700, exist_ok=True)


def _is_alone(group: int) -> bool:
    """Many systems give each user a group of the same name, and let it write to all that the user makes."""
    import grp
    import pwd

    try:
        own, found = pwd.getpwuid(os.getuid()).pw_name, grp.getgrgid(group)
    except KeyError:
        return False
    return found.gr_name == own and set(found.gr_mem) <= {own}
