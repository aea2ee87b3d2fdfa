"""IR of loops on disk, found by the hash of all that it is written from: reading Python anew costs a start 0.1 s."""

from __future__ import annotations

import hashlib
import os
import sys
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from .. import objects
from .kinds import DECLARED, Kind, Record, Scalar, several

if TYPE_CHECKING:
    from .source import Function

_PACKAGE = Path(__file__).parents[3]
# the room of the loops, and those that it may import: no function or constant of a loop is from elsewhere
_ROOMS = ("numerics", "calculus", "equations", "trajectory", "event.py")
_LOOPS = f"{__name__.split('.')[0]}.{_ROOMS[0]}."


def kept(function: Function, kinds: Sequence[tuple[Kind, bool]], name: str) -> tuple[str, Kind]:
    """What `program.entered` writes, from the disk if it was written before.

    Raises:
        Refused: it is no loop.
    """
    if not function.__module__.startswith(_LOOPS):
        return _entered(function, kinds, name)
    key = objects.key(["loop", function.__module__, function.__qualname__, repr(kinds), name, _sources()])
    found = objects.load(key)
    if found is None:
        text, result = _entered(function, kinds, name)
        if "?" not in _words(result):  # what is no number is refused later
            objects.store(key, f"{_words(result)}\n{text}".encode())
        return text, result
    words, _, text = found.decode().partition("\n")
    return text, _kind(words)


def _entered(function: Function, kinds: Sequence[tuple[Kind, bool]], name: str) -> tuple[str, Kind]:
    from .program import entered

    return entered(function, kinds, name)


@cache
def _sources() -> str:
    """The hash of what tells all texts apart that loops are made of, and of those who read them.

    Like Python's own bytecode they are known by size and time of the last change: to read them costs a start 12 ms.
    """
    files = [file for room in _ROOMS for file in _files(_PACKAGE / room)]
    told = sorted((path, status.st_size, status.st_mtime_ns) for path, status in files)
    return hashlib.sha256(f"{sys.version} {np.__version__} {told}".encode()).hexdigest()


def _files(place: Path) -> Iterator[tuple[str, os.stat_result]]:
    """Python's files at a place, or the one that it is."""
    if place.is_file():
        yield str(place), place.stat()
        return
    for folder, _, names in os.walk(place):
        for path in (os.path.join(folder, name) for name in names if name.endswith(".py")):
            yield path, os.stat(path)


def _words(result: Kind) -> str:
    """A number as its word, several with a comma behind each."""
    if isinstance(result, Scalar):
        return result.word
    parts = result.kinds if isinstance(result, Record) else (result,)
    return "".join(f"{each.word}," if isinstance(each, Scalar) else "?" for each in parts)


def _kind(words: str) -> Kind:
    *several_words, last = words.split(",")
    return DECLARED[last] if last else several(*(DECLARED[word] for word in several_words))
