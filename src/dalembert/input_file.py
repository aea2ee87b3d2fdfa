"""A plain file opened for reading, or a refusal: E501 to E503 and E510. Nothing else is opened."""

from __future__ import annotations

import io
import os
import stat
from dataclasses import dataclass
from pathlib import Path

from .errors import DalembertError, InvalidValue, MissingFile, WrongType, kind_of
from .output_file import ADDRESS


@dataclass(frozen=True)
class Wanted:
    """What kind of file is asked for, for the remedies.

    Attributes:
        call: how one is asked for, ``da.recorded("track.csv")``.
        example: the name of one, ``track.csv``.
        missing: what to do where there is none.
    """

    call: str
    example: str
    missing: str


def shown(text: str) -> str:
    """Text with blanks in the place of control characters and line ends, ? for a byte that is no character."""
    return "".join(c if c.isprintable() else "?" if "\ud800" <= c <= "\udfff" else " " for c in text)


def plain(text: str) -> str:
    """Text as it is shown, each blank once."""
    return " ".join(shown(text).split())


def name_of(path: object, wanted: Wanted) -> tuple[str, str]:
    """The name of a file as text, and what it is called in messages.

    Raises:
        WrongType: E501, no path.
        MissingFile: E501, an empty name.
        InvalidValue: E510, an address.
    """
    if not isinstance(path, str | os.PathLike):
        raise WrongType("E501", f"the name of a file is text, not {kind_of(path)}", wanted.call)
    name = os.fsdecode(path)
    if not name:
        raise MissingFile("E501", "the name of the file is empty", wanted.call)
    if ADDRESS.match(name):
        raise InvalidValue("E510", f"{plain(name)[:60]} is an address", "save the file and give its name: no network")
    return name, plain(Path(name).name or name)


def opened(path: Path, label: str, wanted: Wanted) -> io.BufferedReader:
    """A plain file opened for reading; a device or a pipe is not opened, so that nothing waits for it.

    Raises:
        MissingFile: E501, there is no such file.
        InvalidValue: E502 a folder, E503 no permission, E510 not a plain file.
    """
    try:
        if "\0" in str(path):
            raise FileNotFoundError
        _check_kind(os.stat(path).st_mode, label, wanted)
        handle = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
        file = os.fdopen(handle, "rb")
    except DalembertError:
        raise
    except PermissionError:
        raise InvalidValue("E503", f"{label} may not be read", "change its permissions, or copy it") from None
    except (FileNotFoundError, NotADirectoryError):
        raise MissingFile("E501", f"there is no file {label}", wanted.missing) from None
    except IsADirectoryError:
        raise _folder(label, wanted) from None
    except (OSError, ValueError) as error:
        why = (isinstance(error, OSError) and error.strerror) or type(error).__name__
        raise MissingFile("E501", f"{label} cannot be read: {why}", wanted.missing) from None
    _check_opened(file, label, wanted)
    return file


def _check_opened(file: io.BufferedReader, label: str, wanted: Wanted) -> None:
    """The same of what was opened: the name may have got another file meanwhile."""
    try:
        _check_kind(os.fstat(file.fileno()).st_mode, label, wanted)
    except DalembertError:
        file.close()
        raise


def _check_kind(mode: int, label: str, wanted: Wanted) -> None:
    if stat.S_ISDIR(mode):
        raise _folder(label, wanted)
    if not stat.S_ISREG(mode):
        kind = "a pipe" if stat.S_ISFIFO(mode) else "a socket" if stat.S_ISSOCK(mode) else "a device"
        raise InvalidValue("E510", f"{label} is {kind}, not a file", "save the text in a file and give its name")


def _folder(label: str, wanted: Wanted) -> InvalidValue:
    return InvalidValue("E502", f"{label} is a folder", f"name a file in it, such as {wanted.example}")
