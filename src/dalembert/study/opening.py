"""From a path to the text of a system file, or a refusal: E501 to E506 and E510. Nothing but a plain file is opened."""

from __future__ import annotations

import os
import re
import stat
from pathlib import Path

from ..calculus.text import short
from ..errors import DalembertError, InvalidValue, MissingFile, Place, WrongType

LARGEST = 2**20  # bytes of a file
_URL = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+://")
_NEW = "dalembert new writes a file to start from"


def text_of(path: str | os.PathLike[str], folder: str | os.PathLike[str] | None = None) -> tuple[str, str]:
    """The text of a file, and the name it has in messages.

    Args:
        path: of the file.
        folder: if given, the file must lie in it, and `path` is relative to it.

    Raises:
        WrongType: E501, no path.
        MissingFile: E501, there is no such file.
        InvalidValue: E502 a folder, E503 no permission, E504 empty, E505 binary or above 1 MiB, E506 not UTF-8, E510
            not a plain file, an address, or a file outside `folder`.
    """
    if not isinstance(path, str | os.PathLike):
        raise WrongType("E501", f"{short(path)} is not the name of a file", 'da.read("ball.toml")')
    name = os.fspath(path)
    if isinstance(name, bytes):
        name = os.fsdecode(name)
    label = plain(Path(name).name or name)
    return decoded(_read(_inside(name, folder), label), label), label


def shown(text: str) -> str:
    """Text with blanks in the place of control characters and line ends."""
    return "".join(c if c.isprintable() else " " for c in text)


def plain(text: str) -> str:
    """The same, each blank once."""
    return " ".join(shown(text).split())


def _inside(name: str, folder: str | os.PathLike[str] | None) -> Path:
    """The path, below the folder if one is given (E510)."""
    if _URL.match(name):
        raise InvalidValue("E510", f"{plain(name)[:60]} is an address", "save the file and give its name: no network")
    if folder is None:
        return Path(name)
    root, parts = Path(folder), Path(name)
    below = not (parts.is_absolute() or parts.drive or ".." in parts.parts or "\\" in name or "\0" in name)
    if below and (root / parts).resolve().is_relative_to(root.resolve()):
        return root / parts
    fact = f"{plain(name)[:60]} is not below the folder of the study"
    raise InvalidValue("E510", fact, "give a name relative to this folder, without .. and without links that leave it")


def _read(path: Path, label: str) -> bytes:
    """The bytes of a plain file; a device or a pipe is not opened, so that nothing waits for it."""
    try:
        if "\0" in str(path):
            raise FileNotFoundError
        _check_kind(os.stat(path).st_mode, label)
        handle = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
        with os.fdopen(handle, "rb") as file:
            _check_kind(os.fstat(file.fileno()).st_mode, label)
            data = file.read(LARGEST + 1)
    except DalembertError:
        raise
    except PermissionError:
        raise InvalidValue("E503", f"{label} may not be read", "change its permissions, or copy it") from None
    except (FileNotFoundError, NotADirectoryError):
        raise MissingFile("E501", f"there is no file {label}", f"check the name; {_NEW}") from None
    except IsADirectoryError:
        raise _folder(label) from None
    except (OSError, ValueError) as error:
        raise MissingFile("E501", f"{label} cannot be read: {error.__class__.__name__}", "check the name") from None
    if len(data) > LARGEST:
        raise InvalidValue(
            "E505", f"{label} is larger than 1 MiB", "a system file is a few kB of text; is it this one?"
        )
    return data


def _check_kind(mode: int, label: str) -> None:
    if stat.S_ISDIR(mode):
        raise _folder(label)
    if not stat.S_ISREG(mode):
        kind = "a pipe" if stat.S_ISFIFO(mode) else "a socket" if stat.S_ISSOCK(mode) else "a device"
        raise InvalidValue("E510", f"{label} is {kind}, not a file", "save the text in a file and give its name")


def _folder(label: str) -> InvalidValue:
    return InvalidValue("E502", f"{label} is a folder", "name a file in it, such as ball.toml")


def decoded(data: bytes, name: str) -> str:
    """UTF-8 text with line feeds; a byte order mark is left out.

    Raises:
        InvalidValue: E504 empty, E505 binary, E506 another encoding.
    """
    if not data.strip():
        raise InvalidValue("E504", f"{name} is empty", _NEW)
    for mark, encoding in ((b"\xff\xfe\0\0", "UTF-32"), (b"\xff\xfe", "UTF-16"), (b"\xfe\xff", "UTF-16")):
        if data.startswith(mark):
            raise _encoding(name, encoding)
    if b"\0" in data[:4096]:
        zeros = [data[i:4096:2].count(0) for i in (0, 1)]
        if max(zeros) > len(data[:4096]) // 3 and min(zeros) == 0:
            raise _encoding(name, "UTF-16")
    if b"\0" in data:
        raise InvalidValue("E505", f"{name} is binary, not text", "a system file is TOML text")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise _no_text(name, data, error.start) from None
    return text.replace("\r\n", "\n")


def _encoding(name: str, encoding: str) -> InvalidValue:
    return InvalidValue("E506", f"{name} is {encoding}, not UTF-8", "save it as UTF-8")


def _no_text(name: str, data: bytes, at: int) -> DalembertError:
    """E506 with the line of the first byte that is not UTF-8, or E505."""
    strange = sum(byte < 9 or 13 < byte < 32 for byte in data[:4096])
    if strange > len(data[:4096]) // 50:
        return InvalidValue("E505", f"{name} is binary, not text", "a system file is TOML text")
    first, line = data.rfind(b"\n", 0, at) + 1, data.count(b"\n", 0, at) + 1
    text = data[first : (data + b"\n").index(b"\n", at)].decode("latin-1").rstrip("\r")
    where = Place(name, line, at - first, text)
    letter = data[at : at + 1].decode("latin-1")
    fact = f"byte 0x{data[at]:02X} is not UTF-8: is the file Latin-1 ({letter!r})?"
    return InvalidValue("E506", fact, "save it as UTF-8").at(where)
