"""Files that nobody else can have written: the rule by which machine code from a disk is trusted.

A checksum tells damage; it does not tell who wrote. So a folder must be the user's own, writable by nobody else, and
lie below folders in which nobody else can exchange it; a file in it must be the user's own as well. Windows protects
the folders of a user by itself, so nothing is asked there.
"""

from __future__ import annotations

import os
import stat
from pathlib import Path

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
        if _others_write(status) and not status.st_mode & stat.S_ISVTX:
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


def _others_write(status: os.stat_result) -> bool:
    """May anybody write but the user and groups in which the user is alone?"""
    return bool(status.st_mode & stat.S_IWOTH or (status.st_mode & stat.S_IWGRP and not _is_alone(status.st_gid)))


def _is_alone(group: int) -> bool:
    """Many systems give each user a group of the same name, and let it write to all that the user makes."""
    import grp
    import pwd

    try:
        own, found = pwd.getpwuid(os.getuid()).pw_name, grp.getgrgid(group)
    except KeyError:
        return False
    return found.gr_name == own and set(found.gr_mem) <= {own}
