"""Arrays in one file: NumPy's ``.npz``, written whole or not at all, and read without trust.

A reader compares what the headers announce with what is there before it makes room for anything. No member is packed,
none holds objects, and no name of a member leaves the file.
"""

from __future__ import annotations

import math
import os
import secrets
import stat
import struct
import tokenize
import warnings
import zipfile
import zlib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import DalembertError, InvalidValue, MissingFile, WrongType, written

_DAMAGE = (
    OSError,
    KeyError,
    TypeError,
    ValueError,
    EOFError,
    NotImplementedError,
    RuntimeError,  # an encrypted member; nesting that is too deep
    MemoryError,  # of Python's parser: numpy reads the header of an array as Python text
    SyntaxError,
    tokenize.TokenError,
    Warning,  # a header that numpy had to mend
    zipfile.BadZipFile,
    zlib.error,
    struct.error,
)
_KINDS = ("<f8", "<i8", "|u1")
_READERS = {(1, 0): np.lib.format.read_array_header_1_0, (2, 0): np.lib.format.read_array_header_2_0}
_AGAIN = "simulate again, or use another copy"
_ELSEWHERE = "make room, or give a place elsewhere; what was there is as it was"


def as_path(file: Any, example: str = "path.npz") -> Path:
    """The name of a file as a path; the example is for messages.

    Raises:
        WrongType, InvalidValue: E501, not the name of a file.
    """
    if not isinstance(file, str | os.PathLike):
        raise WrongType("E501", f"a file is named by text or a path, not by {type(file).__name__}", f'"{example}"')
    name = os.fspath(file)
    if not isinstance(name, str) or not name.strip() or "\0" in name:
        raise InvalidValue("E501", f"{name!r:.60} is not the name of a file", f'"{example}"')
    return Path(name)


def write(file: Any, arrays: Mapping[str, np.ndarray]) -> None:
    """Write arrays; the file appears whole or not at all, and an older one stays until then.

    Raises:
        Unwritable: E530, with the reason of the operating system.
        WrongType, InvalidValue: E501, not the name of a file.
    """
    target = as_path(file)
    draft = target.with_name(f".{secrets.token_hex(6)}.part")  # short: the name of the target may just fit
    with written(target, _ELSEWHERE):
        if target.exists() and not target.is_file():
            raise OSError("something else than a file lies there")
        try:
            with draft.open("xb") as stream:
                np.savez(stream, **arrays)  # type: ignore[arg-type]
                stream.flush()
                os.fsync(stream.fileno())
            draft.replace(target)
        finally:
            draft.unlink(missing_ok=True)


class Archive:
    """A file of arrays that is open for reading. Made by `opened`."""

    def __init__(self, file: Path, container: zipfile.ZipFile) -> None:
        self.file, self._container = file, container
        self._members = self._checked(container.infolist())

    def _checked(self, members: list[zipfile.ZipInfo]) -> dict[str, zipfile.ZipInfo]:
        """The members by name, if each may be read: E524, E525."""
        there = self.file.stat().st_size
        for member in sorted(members, key=lambda m: -m.file_size):
            if member.compress_type != zipfile.ZIP_STORED or member.compress_size != member.file_size:
                self._refuse_size(member.filename, member.file_size, member.compress_size)
            if member.flag_bits & 0x1:
                raise self._foreign(f"{member.filename!r:.60} is encrypted")
        announced = sum(member.file_size for member in members)
        if announced > there:
            self._refuse_size("all members", announced, there)
        found = {member.filename: member for member in members}
        if len(found) < len(members):
            raise self._foreign("two members have the same name")
        return found

    def only(self, names: Iterable[str]) -> None:
        """Refuse members of other names: E525."""
        other = sorted(set(self._members) - {f"{name}.npy" for name in names})
        if other:
            raise self._foreign(f"it holds {other[0]!r:.60}")

    def array(self, name: str, kind: str = "<f8") -> np.ndarray:
        """The array called `name`, its size compared with the file before room is made for it."""
        member = self._members[f"{name}.npy"]
        with self._container.open(member) as stream:
            shape, fortran, dtype = _header(stream)
            if dtype.hasobject or dtype.str not in _KINDS or dtype.str != kind:
                raise self._foreign(f"{name} holds {'objects' if dtype.hasobject else dtype} instead of numbers")
            size, there = math.prod(shape) * dtype.itemsize, member.file_size - stream.tell()
            if size > there:
                self._refuse_size(name, size, there)
            data = stream.read(size)
            if len(data) < size or stream.read(1):  # reading past the end compares the checksum
                raise EOFError
        return np.frombuffer(data, dtype).reshape(shape, order="F" if fortran else "C").copy()

    def _refuse_size(self, what: str, announced: int, there: int) -> None:
        raise InvalidValue(
            "E524",
            f"{self.file}: {what:.60} announces {announced:.3g} bytes where {there:.3g} are",
            "use a file that dalembert wrote: it never packs its arrays",
        )

    def _foreign(self, fact: str) -> InvalidValue:
        return InvalidValue("E525", f"{self.file} was not written by dalembert: {fact}", "use a file that was")


def _header(stream: Any) -> tuple[tuple[int, ...], bool, np.dtype[Any]]:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        return _READERS[np.lib.format.read_magic(stream)](stream)


@contextmanager
def opened(file: Any) -> Iterator[Archive]:
    """A file of arrays, opened; whatever is wrong with it while it is open is said in the library's words.

    Raises:
        MissingFile: E501, there is none.
        WrongType, InvalidValue: E501 not the name of a file, E502 a folder, E503 it may not be read, E510 a pipe or
            device, E520 not such a file, E523 damaged, E524 sizes that cannot be, E525 contents that are never written.
    """
    target = as_path(file)
    with _readable(target) as stream:
        begins = stream.read(2)
        try:
            with zipfile.ZipFile(stream) as container:
                yield Archive(target, container)
        except DalembertError:
            raise
        except _DAMAGE:
            if begins == b"PK":
                raise InvalidValue("E523", f"{target} is damaged: cut short or changed", _AGAIN) from None
            raise InvalidValue("E520", f"{target} is not a stored path", _AGAIN) from None


@contextmanager
def _readable(target: Path) -> Iterator[Any]:
    try:
        mode = target.stat().st_mode
        if stat.S_ISDIR(mode):
            raise InvalidValue("E502", f"{target} is a folder", "name a file in it")
        if not stat.S_ISREG(mode):  # opening a pipe would wait for ever
            raise InvalidValue("E510", f"{target} is a pipe or a device, not a file", "give the name of a file")
        stream = target.open("rb")
    except PermissionError:
        raise InvalidValue("E503", f"{target} may not be read", "change its permissions, or copy it") from None
    except OSError as error:
        why = "" if isinstance(error, FileNotFoundError) else f": {error.strerror}"
        raise MissingFile("E501", f"there is no file {target}{why}", "check the name and the folder") from None
    with stream:
        yield stream
