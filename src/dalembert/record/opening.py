"""From a path to the lines of a table, or a refusal: E501 to E506, E510, E547. Nothing but a plain file is opened.

The file is gone through once before anything of it is kept: for its sha256, its encoding and the number of its lines.
"""

from __future__ import annotations

import codecs
import hashlib
import io
import os
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from ..errors import InvalidValue
from ..plain_file import Wanted, name_of, opened

MOST_ROWS = 10**7
MOST_BYTES = 2**32
BLOCK = 2**20
SPARE = 10**4  # lines beyond the rows: comments, heading
_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
WANTED = Wanted('da.recorded("track.csv")', "track.csv", "check the name and the folder")
_OTHERS = ((b"{", "JSON"), (b"[[", "JSON"), (b"[{", "JSON"), (b"<", "HTML or XML"), (b"%PDF", "PDF"))
_TABLE = "a table is lines of text such as: t,x,y"


@dataclass(frozen=True)
class Source:
    """A file of text that was looked at.

    Attributes:
        path: where it lies.
        name: what it is called in messages.
        encoding: by which it is read.
        sha256: of its bytes.
    """

    path: Path
    name: str
    encoding: str
    sha256: str

    def lines(self) -> Iterator[str]:
        """Its lines without their ends: of Unix, Windows and old Macintosh."""
        with opened(self.path, self.name, WANTED) as file, io.TextIOWrapper(file, self.encoding) as text:
            yield from (line.rstrip("\n") for line in text)

    def line(self, number: int) -> str:
        """One line, counted from 1."""
        return next(islice(self.lines(), number - 1, None), "")


def looked_at(path: str | os.PathLike[str]) -> Source:
    """The file behind a name.

    Raises:
        WrongType: E501, no path.
        MissingFile: E501, there is no such file.
        InvalidValue: E502 a folder, E503 no permission, E504 empty, E505 binary, E506 an encoding that is not known,
            E510 not a plain file, or an address, E547 more than 10^7 rows.
    """
    name, label = name_of(path, WANTED)
    return _surveyed(Path(name), label)


def _surveyed(path: Path, label: str) -> Source:
    """One pass over the bytes, a block at a time."""
    digest, ends = hashlib.sha256(), [0, 0]
    with opened(path, label, WANTED) as file:
        head = file.read(BLOCK)
        if not head.strip():
            raise InvalidValue("E504", f"{label} is empty", _TABLE)
        if os.fstat(file.fileno()).st_size > MOST_BYTES:
            raise InvalidValue("E547", f"{label} is larger than 4 GiB", "keep a part of it, or every tenth row")
        encoding = _marked(head, label)
        _check_kind(head, label)
        reads = {each: codecs.getincrementaldecoder(each)() for each in ([encoding] if encoding else _TRIED)}
        block = head
        while block:
            digest.update(block)
            ends = [ends[0] + block.count(b"\n"), ends[1] + block.count(b"\r")]
            if max(ends) > MOST_ROWS + SPARE:
                raise too_many(label)
            _decode(reads, block)
            block = file.read(BLOCK)
        _decode(reads, b"", final=True)
    if not reads:
        wanted = encoding or "UTF-8, nor Latin-1"
        raise InvalidValue("E506", f"{label} is not {wanted}", "save it as UTF-8")
    return Source(path, label, next(iter(reads)), digest.hexdigest())


_TRIED = ("utf-8", "cp1252")  # the second is Latin-1 with the signs that Windows adds


def too_many(label: str) -> InvalidValue:
    """E547."""
    return InvalidValue("E547", f"{label} has more than 10^7 rows", "keep a part of it, or every tenth row")


def _marked(head: bytes, label: str) -> str:
    """The encoding that the first bytes tell, or nothing."""
    for mark, encoding in _MARKS:
        if head.startswith(mark):
            return encoding
    start = head[:4096]
    zeros = [start[i::2].count(0) for i in (0, 1)]
    if max(zeros) > len(start) // 3 and min(zeros) == 0:
        return "utf-16-be" if zeros[0] else "utf-16-le"
    strange = sum(byte < 9 or 13 < byte < 32 for byte in start)
    if max(zeros) or strange > len(start) // 50:
        raise InvalidValue("E505", f"{label} is binary, not text", _TABLE)
    return ""


def _check_kind(head: bytes, label: str) -> None:
    """E505: text of another kind, told by its first sign."""
    kind = next((word for sign, word in _OTHERS if head.lstrip().startswith(sign)), "")
    if kind:
        raise InvalidValue("E505", f"{label} is {kind}, not a table", f"save the numbers as CSV: {_TABLE}")


def _decode(reads: dict[str, codecs.IncrementalDecoder], block: bytes, final: bool = False) -> None:
    """Leave out the encodings that the bytes are not in."""
    for encoding, decoder in list(reads.items()):
        try:
            decoder.decode(block, final)
        except UnicodeError:
            del reads[encoding]
