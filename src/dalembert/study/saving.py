"""A text to a file, whole or not at all."""

from __future__ import annotations

import contextlib
import os
import tempfile
from pathlib import Path

from ..errors import InvalidValue, WrongType
from ..plain_file import plain


def save(text: str, path: str | os.PathLike[str], overwrite: bool) -> str:
    """Write the text beside the file and rename it (E530 where that cannot be done, or the file exists)."""
    if not isinstance(path, str | os.PathLike):
        raise WrongType(
            "E501", f"the name of a file is text, not {type(path).__name__}", 'da.write(system, "ball.toml")'
        )
    target = Path(path)
    shown = plain(target.name or str(target))
    if target.exists() and not overwrite:
        raise InvalidValue("E530", f"{shown} exists", "give another name, or overwrite=True")
    written = None
    try:
        handle, written = tempfile.mkstemp(prefix=f".{target.name[:40]}.", dir=target.parent)
        with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(written, 0o666 & ~_umask())
        os.replace(written, target)
    except (OSError, ValueError) as error:
        if written is not None:
            with contextlib.suppress(OSError):
                os.unlink(written)
        reason = getattr(error, "strerror", None) or error.__class__.__name__
        raise InvalidValue("E530", f"{shown} cannot be written: {reason}", "check the folder and its space") from None
    return shown


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
