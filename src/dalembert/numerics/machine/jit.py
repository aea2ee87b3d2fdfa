"""Numba's compiled loops, kept on disk where nobody else can write; compiled in every process elsewhere.

Numba would look for a place by itself: by ``NUMBA_CACHE_DIR``, by a file in the current folder, by a setting that names
a class to import. What it keeps are pickles, so it is given a place here: beside the source, as Python's own bytecode,
or in the folder of `objects`, if `private` finds no fault with it. A file holds numba's bytes and their hash, under a
name that is the hash of all that decides the code: the sources of all loops, versions, processor, types. Numba reads it
only if the hash is right, and what cannot be read or written is compiled.
"""

from __future__ import annotations

import hashlib
import io
import os
import platform
import re
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import Any

import llvmlite
import numba
import numpy as np
from numba.core import sigutils
from numba.core.caching import CompileResultCacheImpl, FunctionCache, IndexDataCacheFile
from numba.core.ccallback import CFunc

from . import objects, private

_NUMERICS = Path(__file__).parents[1]
_LOOPS = re.compile(rb"\bnjit\b|@part\b|@inlined\b|@intrinsic\b|@cached\b")
_SUFFIX = ".loop"
_DIGEST = hashlib.sha256().digest_size


def cached(**options: object) -> Callable[[Callable[..., object]], Any]:
    """The decorator njit with these options, and with a cache where there is a place for one."""

    def decorate(function: Callable[..., object]) -> Any:
        dispatcher = numba.njit(**options)(function)
        if isinstance(dispatcher, numba.core.dispatcher.Dispatcher):  # and not switched off by NUMBA_DISABLE_JIT
            dispatcher._cache = _cache_of(function) or dispatcher._cache
        return dispatcher

    return decorate


def callback(signature: object, function: Callable[..., object]) -> CFunc:
    """A function compiled to be called from C, with such a cache."""
    compiled = CFunc(function, sigutils.normalize_signature(signature), locals={}, options={})
    compiled._cache = _cache_of(function) or compiled._cache  # type: ignore[attr-defined]
    compiled.compile()
    return compiled


def _cache_of(function: Callable[..., object]) -> _Cache | None:
    beside = Path(function.__code__.co_filename).parent / "__pycache__"
    folder = beside if _is_safe(beside) else _own_folder()
    return _Cache(function, folder) if folder and _stamp() else None


@cache
def _is_safe(folder: Path) -> bool:
    """Can this process write there, and nobody else?"""
    with suppress(OSError):
        folder.mkdir(exist_ok=True)
        tempfile.TemporaryFile(dir=folder).close()
        return not private.doubt(folder)
    return False


@cache
def _own_folder() -> Path | None:
    place = objects.folder()
    with suppress(OSError):
        if place is not None:
            private.make(place / "loops")
            return place / "loops"
    return None


@cache
def _stamp() -> str:
    """All that decides the code besides a function and its types; empty where there are no sources."""
    digest = hashlib.sha256()
    versions = (platform.python_version(), numba.__version__, llvmlite.__version__, np.__version__)
    digest.update(repr(versions).encode())
    sources = [file.read_bytes() for file in sorted(_NUMERICS.rglob("*.py"))]
    for source in sources:
        if _LOOPS.search(source):
            digest.update(hashlib.sha256(source).digest())
    return digest.hexdigest() if sources else ""


class _Files(IndexDataCacheFile):
    """A file for each compiled function and its types; there is no index, which two processes could spoil together."""

    def load(self, key: object) -> object:
        """What is kept under a key; None if there is nothing, or if it is damaged or of somebody else."""
        name = self._name(key)
        with suppress(OSError):
            content = private.read(Path(self._data_path(name)))
            if content[-_DIGEST:] == hashlib.sha256(name.encode() + content[:-_DIGEST]).digest():
                return self._load_data(name)
        return None

    def save(self, key: object, data: object) -> None:
        """Keep it, if the disk allows."""
        with suppress(OSError):
            self._save_data(self._name(key), data)
            objects.prune(Path(self._cache_path), _SUFFIX)

    def _name(self, key: object) -> str:
        text = repr((self._source_stamp, self._index_name, key))
        return f"{hashlib.sha256(text.encode()).hexdigest()}{_SUFFIX}"

    @contextmanager
    def _open_for_write(self, filepath: str) -> Iterator[io.BytesIO]:
        content = io.BytesIO()
        yield content
        whole = content.getvalue()
        name = os.path.basename(filepath)
        objects.put(Path(filepath), whole + hashlib.sha256(name.encode() + whole).digest())


class _Place(CompileResultCacheImpl):
    """What numba asks about a function; its own search for a folder is left out."""

    def __init__(self, function: Callable[..., object]) -> None:
        self._lineno = function.__code__.co_firstlineno
        self._filename_base = f"{function.__module__}.{function.__qualname__}"
        self._locator = self

    def get_cache_path(self) -> str:
        """Known to `_Cache`."""
        return ""

    def get_source_stamp(self) -> str:
        """What a file is good for."""
        return _stamp()

    def ensure_cache_path(self) -> None:
        """It is there."""


class _Cache(FunctionCache):
    """Numba's cache of one function, in a folder that was checked."""

    _impl_class = _Place

    def __init__(self, function: Callable[..., object], folder: Path) -> None:
        super().__init__(function)
        self._cache_path = str(folder)
        self._cache_file = _Files(str(folder), self._impl.filename_base, _stamp())
