"""Arrays in one file: NumPy's ``.npz``, written whole or not at all, and read without trust.

A reader compares what the headers announce with what is there before it makes room for anything. No member is packed,
none holds objects, and no name of a member leaves the file. A seal, the SHA-256 of all arrays with their names, types
and shapes, tells when one was changed or exchanged by a program that made the container anew.
"""

from __future__ import annotations

import hashlib
import math
import os
import stat
import struct
import tokenize
import warnings
import zipfile
import zlib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from ..errors import DalembertError, InvalidValue, MissingFile, as_given
from ..errors.remedies import Call
from ..output_file import Maker, as_path, draft, marked

_DAMAGE = (
    ArithmeticError,
    AttributeError,
    LookupError,
    OSError,
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
SEAL = "seal"
_END, _FAR = struct.Struct("<4s4xHHIIH"), 20  # the end of a container; how far before it another record may stand
_REMARK = 8192  # bytes behind it
_DIRECTORY = 2**16  # bytes that the list of members may take
_SWEEP = Maker("sweep")


@dataclass(frozen=True)
class Kind:
    """What a file of arrays is, and what to do about one that is not."""

    name: str
    again: str


PATH = Kind("a stored path", "simulate again, or use another copy")


def write(file: object, arrays: Mapping[str, np.ndarray], maker: Maker = _SWEEP) -> None:
    """Write arrays and their seal; the file appears whole or not at all, and an older one stays until then.

    Raises:
        Unwritable: E530, with the reason of the operating system, or because another file lies there.
        WrongType, InvalidValue: E501, not the name of a file.
    """
    with draft(file, maker, "npz") as beside, beside.open("wb") as stream:
        np.savez(stream, **arrays, **{SEAL: seal(arrays)})  # type: ignore[arg-type]


def seal(arrays: Mapping[str, np.ndarray]) -> np.ndarray:
    """SHA-256 of arrays with their names, types and shapes, as numbers (32,)."""
    return _joined({name: _digest(name, np.asarray(array)) for name, array in arrays.items()})


def _digest(name: str, array: np.ndarray) -> bytes:
    found = hashlib.sha256(f"{name} {array.dtype.str} {array.shape} ".encode())
    found.update(np.ascontiguousarray(array).tobytes())
    return found.digest()


def _joined(digests: Mapping[str, bytes]) -> np.ndarray:
    return np.frombuffer(hashlib.sha256(b"".join(digests[name] for name in sorted(digests))).digest(), np.uint8)


class Archive:
    """A file of arrays that is open for reading. Made by `opened`."""

    def __init__(self, file: Path, container: zipfile.ZipFile, kind: Kind = PATH) -> None:
        self.file, self._container, self._kind = file, container, kind
        self._digests: dict[str, bytes] = {}
        self._members = self._checked(container.infolist())

    def _checked(self, members: list[zipfile.ZipInfo]) -> dict[str, zipfile.ZipInfo]:
        """The members by name, if each may be read: E524, E525."""
        there = self.file.stat().st_size
        for member in sorted(members, key=lambda m: -m.file_size):
            if member.compress_type != zipfile.ZIP_STORED or member.compress_size != member.file_size:
                self._refuse_size(member.filename, member.file_size, member.compress_size)
            if member.flag_bits & 0x1:
                raise self._foreign(f"{as_given(member.filename)} is encrypted")
        announced = sum(member.file_size for member in members)
        if announced > there:
            self._refuse_size("all members", announced, there)
        found = {member.filename: member for member in members}
        if len(found) < len(members):
            raise self._foreign("two members have the same name")
        return found

    def holds(self, name: str) -> bool:
        """Is there an array of this name?"""
        return f"{name}.npy" in self._members

    def only(self, names: Iterable[str]) -> None:
        """Refuse members of other names: E525."""
        other = sorted(set(self._members) - {f"{name}.npy" for name in (*names, SEAL)})
        if other:
            raise self._foreign(f"it holds {as_given(other[0])}")

    def array(self, name: str, kind: str = "<f8") -> np.ndarray:
        """The array called `name`, its size compared with the file before room is made for it."""
        ours = {f"{each}.npy" for each in (name, SEAL, "meta")}
        if name != SEAL and not ours & set(self._members):  # arrays of somebody else, and whole
            held = ", ".join(as_given(each) for each in list(self._members)[:3]) or "nothing"
            raise InvalidValue("E520", f"{self.file} is not {self._kind.name}: it holds {held}", self._kind.again)
        member = self._members[f"{name}.npy"]
        with self._container.open(member) as stream:
            shape, fortran, dtype = _header(stream)
            if dtype.hasobject or dtype.str not in _KINDS or dtype.str != kind:
                raise self._foreign(f"{name} holds {'objects' if dtype.hasobject else dtype} instead of numbers")
            if min(shape, default=0) < 0:
                raise ValueError(shape)
            size, there = math.prod(shape) * dtype.itemsize, member.file_size - stream.tell()
            if size > there:
                self._refuse_size(name, size, there)
            data = stream.read(size)
            if len(data) < size or stream.read(1):  # reading past the end compares the checksum
                raise EOFError
        found = np.frombuffer(data, dtype).reshape(shape, order="F" if fortran else "C").copy()
        if name != SEAL:
            self._digests[name] = _digest(name, found)
        return found

    def verify(self) -> None:
        """ValueError unless the arrays that were read are all there are, and are those that were written."""
        told = self.array(SEAL, "|u1")
        if self._members.keys() != {f"{name}.npy" for name in (*self._digests, SEAL)}:
            raise ValueError(SEAL)
        if not np.array_equal(told, _joined(self._digests)):
            raise ValueError(SEAL)

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
def opened(file: object, kind: Kind = PATH) -> Iterator[Archive]:
    """A file of arrays, opened; whatever is wrong with it while it is open is said in the library's words.

    Raises:
        MissingFile: E501, there is none.
        WrongType, InvalidValue: E501 not the name of a file, E502 a folder, E503 it may not be read, E510 a pipe or
            device, E520 not such a file, E523 damaged, E524 sizes that cannot be, E525 contents that are never written.
    """
    target = as_path(file)
    with readable(target) as stream:
        begins = stream.read(2)
        try:
            _check_end(stream, target)
            with zipfile.ZipFile(stream) as container:
                yield Archive(target, container, kind)
        except DalembertError:
            raise
        except _DAMAGE:
            if begins == b"PK":
                raise InvalidValue("E523", f"{target} is damaged: cut short or changed", kind.again) from None
            raise InvalidValue("E520", f"{target} is not {kind.name}", kind.again) from None


def _check_end(stream: BinaryIO, file: Path) -> None:
    """Refuse a container whose list of members alone is large: E525 (BadZipFile where it does not end as one ends)."""
    size = stream.seek(0, os.SEEK_END)
    first = stream.seek(max(0, size - _REMARK - _END.size))
    last = stream.read()
    at = last.rfind(b"PK\5\6")
    if at < 0 or at + _END.size > len(last):
        raise zipfile.BadZipFile
    _, _, members, listed, _, length = _END.unpack_from(last, at)
    remark = last[at + _END.size :]
    if length != len(remark) or not (marked(remark) or not remark):
        raise zipfile.BadZipFile
    stream.seek(max(0, first + at - _FAR))
    elsewhere = stream.read(4) == b"PK\6\7" and size < 2**31  # sizes are told by another record
    if listed > _DIRECTORY or elsewhere:
        fact = f"it lists {members} members"
        raise InvalidValue("E525", f"{file} was not written by dalembert: {fact}", "use a file that was")


@contextmanager
def readable(target: Path) -> Iterator[Any]:
    """A plain file opened for reading (E501 there is none, E502 a folder, E503 may not be read, E510 a pipe)."""
    try:
        mode = target.stat().st_mode
        if stat.S_ISDIR(mode):
            swept = (target / "task.json").is_file()
            remedy = Call("ensembles.stored", as_given(str(target))) if swept else "name a file in it"
            raise InvalidValue("E502", f"{target} is {'a stored sweep' if swept else 'a folder'}", remedy)
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
