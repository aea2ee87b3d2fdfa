"""From a path to the text of a system file, or a refusal: E501 to E506 and E510. Nothing but a plain file is opened."""

from __future__ import annotations

import os
from pathlib import Path

from ..errors import DalembertError, InvalidValue, Place, as_given
from ..plain_file import Wanted, name_of, opened, plain

LARGEST = 2**20  # bytes of a file
_NEW = "dalembert new writes a file to start from"
WANTED = Wanted('da.read("ball.toml")', "ball.toml", f"check the name; {_NEW}")


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
    name, label = name_of(path, WANTED)
    return decoded(_read(inside(name, folder), label), label), label


def inside(name: str, folder: str | os.PathLike[str] | None) -> Path:
    """The path, below the folder if one is given (E510)."""
    if folder is None:
        return Path(name)
    root, parts = Path(name_of(folder, WANTED)[0]), Path(name)
    below = not (parts.is_absolute() or parts.drive or ".." in parts.parts or "\\" in name or "\0" in name)
    if below and (root / parts).resolve().is_relative_to(root.resolve()):
        return root / parts
    fact = f"{plain(name)[:60]} is not below the folder of the study"
    raise InvalidValue("E510", fact, "give a name relative to this folder, without .. and without links that leave it")


def _read(path: Path, label: str) -> bytes:
    """The bytes of a plain file."""
    with opened(path, label, WANTED) as file:
        data = file.read(LARGEST + 1)
    if len(data) > LARGEST:
        raise InvalidValue(
            "E505", f"{label} is larger than 1 MiB", "a system file is a few kB of text; is it this one?"
        )
    return data


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
    fact = f"byte 0x{data[at]:02X} is not UTF-8: is the file Latin-1 ({as_given(letter)})?"
    return InvalidValue("E506", fact, "save it as UTF-8").at(where)
