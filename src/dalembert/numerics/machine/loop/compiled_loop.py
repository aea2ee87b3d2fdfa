"""The door of a loop: a Python function that is compiled for the kinds of arguments it is called with."""

from __future__ import annotations

import ctypes
import hashlib
import os
import struct
import sys
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Generic, TypeVar

import numpy as np

from ....calculus.fork_locks import lock
from .. import object_cache
from ..compiler import Library
from .argument_layout import ArgumentFrame, ReturnedWords, WordLayout, kind_of
from .value_types import DECLARED, Kind, NotCompilable, Scalar, TupleKind, several

if TYPE_CHECKING:
    from .syntax_tree import Function


Result = TypeVar("Result")
_NAME = "loop"
_COMPILING = lock()  # the parser of CPython 3.11 fails in two threads at once (gh-106905)


class CompiledLoop:
    """Machine code for kinds of arguments.

    Args:
        library: which has it.
        result: kind of what it returns.
        words: how `struct` packs the arguments.
    """

    def __init__(self, library: Library, result: Kind, words: str) -> None:
        self.library, self.results = library, ReturnedWords(result)
        packed = struct.Struct(words)
        self.pack, self.end = packed.pack_into, packed.size
        self.room = ctypes.c_char * (packed.size + self.results.size)  # of the table, the results at its end
        self.code = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(library.address(_NAME))


class Loop(Generic[Result]):
    """A function that is compiled when it is called with arguments of a new kind; other threads run meanwhile.

    An argument that is a named tuple may be given as its `table.Frame`. ``signatures`` has what was compiled.
    """

    def __init__(self, function: Callable[..., Result]) -> None:
        self.function = function
        self.__doc__, self.__name__ = function.__doc__, function.__name__
        self._types: tuple[str, ...] | None = None
        self.signatures: dict[tuple[str, ...], CompiledLoop] = {}

    def __call__(self, *given: object) -> Result:
        """Run it.

        Raises:
            Refused: the function is no loop for such arguments.
        """
        if self._types is None:
            with _COMPILING:
                self._types = _declared(self.function)
        if len(given) != len(self._types):
            raise NotCompilable(f"{self.__name__} takes {len(self._types)} arguments, not {len(given)}")
        compiled, layout, _ = self._laid_out(given, self._types)
        table = compiled.room()
        compiled.pack(table, 0, *layout.values)
        compiled.code(table)
        return compiled.results.of(table, compiled.end)  # type: ignore[return-value]

    def prepared(self, *given: object, varied: int | None = None) -> Callable[[float], Result]:
        """A call to repeat with one real argument, at a position, that may vary; the others are laid out once.

        Arrays among them must be kept by the caller.
        """
        if self._types is None:
            self._types = _declared(self.function)
        compiled, layout, places = self._laid_out(given, self._types)
        table = compiled.room()
        compiled.pack(table, 0, *layout.values)
        place = None if varied is None else 8 * places[varied]
        code, results, end, pack = compiled.code, compiled.results, compiled.end, struct.Struct("=d").pack_into

        def called(value: float = 0.0) -> Result:
            if place is not None:
                pack(table, place, value)
            code(table)
            return results.of(table, end)  # type: ignore[return-value]

        return called

    def _laid_out(
        self, given: tuple[object, ...], types: tuple[str, ...]
    ) -> tuple[CompiledLoop, WordLayout, list[int]]:
        """Machine code for arguments, their words, and where in these each begins."""
        layout, places = WordLayout(), []
        for value, declared in zip(given, types, strict=True):
            places.append(len(layout.values))
            layout.add(value, declared)
        key = tuple(layout.marks)
        if key not in self.signatures:
            with _COMPILING:
                if key not in self.signatures:
                    self.signatures[key] = self._compile(given, types, layout.format)
        return self.signatures[key], layout, places

    def _compile(self, given: tuple[object, ...], types: tuple[str, ...], words: str) -> CompiledLoop:
        kinds = [(kind_of(v, t), isinstance(v, ArgumentFrame)) for v, t in zip(given, types, strict=True)]
        text, result = kept(self.function, kinds, _NAME)
        return CompiledLoop(Library.compile({_NAME: text}, shared=True), result, words)


def _declared(function: Callable[..., object]) -> tuple[str, ...]:
    """The declared types of plain parameters; they are read from the text where Python does not have them as text."""
    code = function.__code__
    known = [function.__annotations__.get(name) for name in code.co_varnames[: code.co_argcount]]
    if code.co_kwonlyargcount or not all(isinstance(each, str) for each in known):
        from .syntax_tree import source_of

        return tuple(source_of(function).parameters.values())
    return tuple(map(str, known))


def loop(function: Callable[..., Result]) -> Loop[Result]:
    """The decorator of functions that Python calls and machine runs."""
    return Loop(function)


# --- IR of loops on disk, by the hash of all that it is written from: reading Python anew costs a start 0.1 s --------

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
    key = object_cache.key(["loop", function.__module__, function.__qualname__, repr(kinds), name, _sources()])
    found = object_cache.load(key)
    if found is None:
        text, result = _entered(function, kinds, name)
        if "?" not in _words(result):  # what is no number is refused later
            object_cache.store(key, f"{_words(result)}\n{text}".encode())
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
    parts = result.kinds if isinstance(result, TupleKind) else (result,)
    return "".join(f"{each.word}," if isinstance(each, Scalar) else "?" for each in parts)


def _kind(words: str) -> Kind:
    *several_words, last = words.split(",")
    return DECLARED[last] if last else several(*(DECLARED[word] for word in several_words))
