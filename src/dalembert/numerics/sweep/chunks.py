"""The arrays of a store: Zarr, one chunk a batch, each with a checksum; what lies there is looked at before it is read.

Zarr meets only metadata that are to the byte what was written, and chunks that are plain files of their size.
"""

from __future__ import annotations

import hashlib
import math
import os
import shutil
import stat
from collections.abc import Iterable, Mapping
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from ...errors import DalembertError, InvalidValue
from .keep import Variable
from .manifest import LOST, Manifest, content, sync_folder
from .outcomes import MISSING
from .seal import of_array

if TYPE_CHECKING:
    from zarr import Array

RESULTS, METADATA = "results.zarr", "zarr.json"
CHECKSUM = 4  # bytes behind the numbers of a chunk
AMPLE, FOLD = 2**28, 64  # bytes that any store may announce; how many times of what is there a larger one may
_AGAIN = "run the sweep with this store again: what is damaged is computed again"


def create(folder: Path, variables: tuple[Variable, ...], total: int, batch: int) -> dict[str, str]:
    """Empty arrays, in the place of any that were begun; SHA-256 of their metadata by file."""
    import zarr
    from zarr.codecs import Crc32cCodec

    if (folder / RESULTS).exists():
        shutil.rmtree(folder / RESULTS)
    group = zarr.open_group(folder / RESULTS, mode="w", zarr_format=3)
    for v in variables:
        group.create_array(
            v.name,
            shape=(total, *v.shape),
            chunks=(batch, *v.shape),
            dtype=v.kind,
            fill_value=np.nan if v.kind == "f8" else MISSING,
            compressors=[Crc32cCodec()],
            dimension_names=("member", *v.dims),
            attributes={"long_name": v.text, **({"units": v.unit} if v.unit else {})},
        )
    return {place: _synced(folder / place) for place in _metadata(v.name for v in variables)}


class Chunks:
    """The arrays of one store.

    Raises:
        InvalidValue: E523, their metadata are not what was written.
    """

    def __init__(self, folder: Path, manifest: Manifest, identity: str, *, writing: bool) -> None:
        self.folder, self.identity, self._mode = folder, identity, "r+" if writing else "r"
        self.batch, self.total = manifest.batch, manifest.total
        self.shapes = {
            str(name): (np.dtype(str(kind)), tuple(map(int, shape)))  # type: ignore[call-overload]
            for name, kind, shape in manifest.variables
        }
        if list(manifest.metadata) != _metadata(self.shapes):
            raise damaged(folder / "task.json", LOST)
        for place, told in manifest.metadata.items():
            if hashlib.sha256(content(folder / place)).hexdigest() != told:
                raise damaged(folder / place, LOST)

    @cached_property
    def arrays(self) -> dict[str, Array]:
        """By name, opened once: each opening waits for Zarr's own thread."""
        import zarr

        group = zarr.open_group(self.folder / RESULTS, mode=self._mode, zarr_format=3)  # type: ignore[arg-type]
        return {name: group[name] for name in self.shapes}  # type: ignore[misc]

    @property
    def batches(self) -> int:
        """How many there are."""
        return -(-self.total // self.batch)

    def span(self, index: int) -> tuple[int, int]:
        """First member of a batch, and the one after its last."""
        return index * self.batch, min((index + 1) * self.batch, self.total)

    def file(self, name: str, index: int) -> Path:
        """Where the chunk of a batch lies; one of an array with inner dimensions lies some folders down."""
        return self.folder.joinpath(RESULTS, name, "c", str(index), *("0" for _ in self.shapes[name][1]))

    def write(self, index: int, batch: Mapping[str, np.ndarray]) -> dict[str, str]:
        """Write a batch and bring it to the disk; the SHA-256 of each array."""
        first, last = self.span(index)
        for name, array in self.arrays.items():
            array[first:last] = batch[name]
        for name in self.shapes:
            _sync(self.file(name, index))
        return {name: self._digest(index, name, batch[name]) for name in self.shapes}

    def read(self, index: int, digests: Mapping[str, object]) -> dict[str, np.ndarray]:
        """A batch (E523 if it is not what was written; E503 if it cannot be read)."""
        return {name: self._one(index, name, digests.get(name)) for name in self.shapes}

    def whole(self, lines: Mapping[int, Mapping[str, object]]) -> dict[str, np.ndarray]:
        """All arrays over all members; `lines` has the digests of every batch."""
        self._check_room()
        found = {}
        for name, (kind, shape) in self.shapes.items():
            found[name] = np.empty((self.total, *shape), kind)
            for index in range(self.batches):
                first, last = self.span(index)
                found[name][first:last] = self._one(index, name, lines[index].get(name))
        return found

    def _one(self, index: int, name: str, digest: object) -> np.ndarray:
        file, (kind, shape) = self.file(name, index), self.shapes[name]
        there = self._check_file(file, kind.itemsize * math.prod((self.batch, *shape)) + CHECKSUM)
        first, last = self.span(index)
        try:
            array = np.asarray(self.arrays[name][first:last])
        except DalembertError:
            raise
        except Exception:  # whatever Zarr finds wrong with a chunk
            raise damaged(file, _AGAIN) from None
        if self._digest(index, name, array) != digest:
            raise damaged(file, _AGAIN) if there else damaged(file, _AGAIN, "is missing")
        return array

    def _digest(self, index: int, name: str, array: np.ndarray) -> str:
        kind, _ = self.shapes[name]
        return of_array(array.astype(kind, copy=False), name, f"{self.identity}/{index}")

    @staticmethod
    def _check_file(file: Path, size: int) -> bool:
        """Is there a chunk? One of nothing but the fill value is not written. E523, E503: no file of its size."""
        try:
            found = file.stat()
        except (FileNotFoundError, NotADirectoryError):
            return False
        except OSError:
            raise InvalidValue("E503", f"{file} may not be read", "change its permissions, or copy it") from None
        if not stat.S_ISREG(found.st_mode) or found.st_size != size:
            raise damaged(file, _AGAIN)
        if not os.access(file, os.R_OK):
            raise InvalidValue("E503", f"{file} may not be read", "change its permissions, or copy it")
        return True

    def _check_room(self) -> None:
        """E524: it announces far more than is there."""
        there = sum(p.stat().st_size for p in (self.folder / RESULTS).rglob("*") if p.is_file())
        announced = self.total * sum(kind.itemsize * math.prod(shape) for kind, shape in self.shapes.values())
        if announced > max(AMPLE, FOLD * there):
            fact = f"{self.folder} announces {announced:.3g} bytes where {there:.3g} are"
            raise InvalidValue("E524", fact, "use a store that dalembert wrote")


def damaged(file: Path, remedy: str, how: str = "is damaged: cut short or changed") -> InvalidValue:
    """E523."""
    return InvalidValue("E523", f"{file} {how}", remedy)


def _metadata(names: Iterable[str]) -> list[str]:
    return [f"{RESULTS}/{METADATA}", *(f"{RESULTS}/{name}/{METADATA}" for name in names)]


def _synced(file: Path) -> str:
    data = content(file)
    _sync(file)
    return hashlib.sha256(data).hexdigest()


def _sync(file: Path) -> None:
    """Bring a file to the disk; a chunk of nothing but the fill value is not written."""
    if file.exists():
        with file.open("r+b") as stream:
            os.fsync(stream.fileno())
        sync_folder(file.parent)
