"""A sweep on disk: results in Zarr, a manifest of the task, and a journal of the batches that are there for good.

    PATH/task.json          what is computed: a fingerprint of each part of the task, batch size, versions
    PATH/results.zarr       the variables over all members, one chunk a batch, each with a checksum (crc32c)
    PATH/manifest.jsonl      a line for each finished batch, with the SHA-256 of its numbers
    PATH/axes.npz           dimensions, coordinates and units, once it is finished
    PATH/lock               who writes, while someone does

A batch counts from the moment its line is in the journal, which is written after its chunks are on the disk. What a
process that was killed left unfinished has no line, and is computed again. The folder is claimed by its manifest, which
is the first thing in it; a folder that holds anything else is left alone.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
import re
import shutil
import stat
from collections.abc import Iterable, Mapping
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any

import numpy as np

from ...argument_checks import public
from ...errors import DalembertError, InvalidValue, MissingFile, Unwritable, as_given, written
from ...output_file import as_path
from ...trajectory.audit import MISSING
from ...trajectory.npz_archive import Archive, Kind, opened, write
from . import manifest
from .kept_columns import Variable
from .manifest import JOURNAL, LOCK, LOST, TASK, Lock, Manifest, content, is_lock, of_array, sync_folder
from .task import Batch

if TYPE_CHECKING:
    import xarray as xr
    from zarr import Array


# ---------------------------------------------------------------------------------------------------------------------
# The arrays of a store: Zarr, one chunk a batch, each with a checksum; what lies there is looked at before it is
# read.
# Zarr meets only metadata that are to the byte what was written, and chunks that are plain files of their size.

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


AXES = "axes.npz"
ELSEWHERE = "make room, or give a store elsewhere; what is there stays valid"
_OWN = {TASK, RESULTS, JOURNAL, AXES}
_BESIDE = re.compile(r"\..*|lock\..*|Thumbs\.db|desktop\.ini")  # drafts of its own, and what file managers leave


class Store:
    """One sweep on disk, opened for writing; a context that holds the lock. Where nothing was finished, nothing stays.

    Args:
        path: a folder, which is made.
        task: what is computed; the batch size of a sweep that was begun stays.
        variables: of the result.

    Raises:
        InvalidValue: E520 the folder is something else, E521 another sweep, E522 of a newer format, E523 damaged, E531
            locked.
        Unwritable: E530.
    """

    def __init__(self, path: Path, task: Manifest, variables: tuple[Variable, ...]) -> None:
        self.path, self.total = path, task.total
        with written(path, ELSEWHERE):
            check_folder(path)
            self._made = not path.exists()
            path.mkdir(parents=True, exist_ok=True)
            self._lock = self._locked()
        self._lines: dict[int, manifest.Digests] = {}
        try:
            with written(path, ELSEWHERE):
                self._chunks = self._begun(task, variables)
                self.batch = self._chunks.batch
                self._lines = self._journal()
                for torn in (path / RESULTS).rglob("*.partial"):  # what Zarr was writing when it was killed
                    torn.unlink()
        except BaseException:
            self._leave()
            raise

    def __enter__(self) -> Store:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> None:
        self._leave()

    def _locked(self) -> Lock:
        lock = Lock(self.path / LOCK)
        try:
            lock.take()
        except BaseException:
            self._give_back()
            raise
        return lock

    def _leave(self) -> None:
        """Give the lock back, and the folder if nothing in it is finished."""
        with suppress(OSError, DalembertError):
            if self._lock.held and self._empty():
                self._clear()
        self._lock.release()
        self._give_back()

    def _give_back(self) -> None:
        if self._made:
            with suppress(OSError):  # what others have put there meanwhile stays
                self.path.rmdir()

    def _clear(self) -> None:
        """Remove what was begun; what claims the folder goes last."""
        shutil.rmtree(self.path / RESULTS, ignore_errors=True)
        (self.path / JOURNAL).unlink(missing_ok=True)
        (self.path / TASK).unlink(missing_ok=True)

    def _empty(self) -> bool:
        """Is it a store in which nothing was written?"""
        file = self.path / JOURNAL
        used = (file.exists() and file.stat().st_size) or any((self.path / RESULTS).glob("*/c"))
        return manifest.read_manifest(self.path) is not None and not used

    def _begun(self, task: Manifest, variables: tuple[Variable, ...]) -> Chunks:
        """Go on with what is there, or begin."""
        found = manifest.read_manifest(self.path)
        differ = [] if found is None else found.differs(task)
        if found is None or (differ and self._empty()):  # what another sweep began and did not use is no loss
            self._clear()
            task.write(self.path)
            found, differ = task, []
        if differ:
            raise InvalidValue(
                "E521",
                f"{self.path} holds another sweep: {', '.join(differ)} differ",
                "give another store (on the command line: --store OTHER), or the arguments it was begun with",
            )
        if not found.metadata:
            found = self._create(found, variables)
        return Chunks(self.path, found, found.identity, writing=True)

    def _create(self, task: Manifest, variables: tuple[Variable, ...]) -> Manifest:
        told = create(self.path, variables, task.total, task.batch)
        manifest.begin(self.path)
        found = Manifest(task.parts, task.total, task.batch, task.variables, task.about, told)
        found.write(self.path)
        return found

    def _journal(self) -> dict[int, manifest.Digests]:
        """Digests by batch; damaged lines are taken out: their batches are computed again."""
        if not (self.path / JOURNAL).exists():
            manifest.begin(self.path)
        found = manifest.read_journal(self.path, self._chunks.identity)
        if found.damaged:
            manifest.mend(self.path, self._chunks.identity, found.lines)
        return dict(found.lines)

    # --- batches -------------------------------------------------------------------------------------------------

    @property
    def batches(self) -> int:
        """How many there are."""
        return self._chunks.batches

    def missing(self) -> list[int]:
        """Numbers of the batches that are not there, or damaged."""
        return [i for i in range(self.batches) if i not in self._lines or not self._sound(i)]

    def span(self, index: int) -> tuple[int, int]:
        """First member of a batch, and the one after its last."""
        return self._chunks.span(index)

    def put(self, index: int, arrays: Batch) -> None:
        """Write a batch, then its line in the journal."""
        with written(self.path, ELSEWHERE):
            self.check_ours()
            digests = self._chunks.write(index, arrays)
            manifest.append(self.path, self._chunks.identity, index, digests)
        self._lines[index] = digests

    def check_ours(self) -> None:
        """E530: the folder was removed, or taken by another process, while it was written."""
        if not self._lock.held:
            fact = f"{self.path} was removed or changed by another program while the sweep was writing"
            raise Unwritable("E530", fact, "run the sweep again; what is still there is used")

    def _sound(self, index: int) -> bool:
        try:
            self._chunks.read(index, self._lines[index])
        except DalembertError as error:  # a chunk is gone, too short, or not what was written
            if error.code == "E503":
                raise
            return False
        return True

    @property
    def arrays(self) -> Mapping[str, Array]:
        """All variables over all members, by name."""
        return self._chunks.arrays

    @property
    def identity(self) -> str:
        """Of this sweep and no other."""
        return self._chunks.identity


def check_folder(path: Path) -> None:
    """E520: something else lies there."""
    if not path.exists():
        return
    found = {p.name for p in path.iterdir()} if path.is_dir() else {""}
    others = sorted(name for name in found if not (name in _OWN or name == LOCK or _BESIDE.fullmatch(name)))
    if TASK in found and others:
        fact, remedy = f"{path} holds {as_given(others[0])} beside a stored sweep", "move that elsewhere"
        raise InvalidValue("E520", fact, f"{remedy}, or give the name of a new folder")
    if TASK not in found and not all(is_lock(path / name) for name in found):
        raise InvalidValue("E520", f"{path} is there already and is no stored sweep", "give the name of a new folder")


# --- A finished sweep read from its folder alone: beside the results stand the axes, with names and units ------------

_GO_ON = "run the sweep with this store again: it goes on where it was stopped"
_KIND = Kind("the axes of a stored sweep", "run the sweep with this store again: they are written anew")


def keep_axes(path: Path, found: Any, identity: str) -> None:
    """Write what the Dataset has besides the results: dimensions, coordinates, attributes, and of which sweep."""
    coordinates = {str(name): found.coords[name] for name in found.coords}
    about = {
        "sweep": identity,
        "sizes": {str(d): n for d, n in found.sizes.items()},
        "coordinates": {name: [list(c.dims), dict(c.attrs), c.dtype.str] for name, c in coordinates.items()},
        "variables": {str(name): [list(v.dims), dict(v.attrs)] for name, v in found.data_vars.items()},
        "attributes": dict(found.attrs),
    }
    text = np.frombuffer(json.dumps(about, default=str).encode(), np.uint8)
    write(path / AXES, {"about": text, **{f"axis_{i}": c.values for i, c in enumerate(coordinates.values())}})


@public
def stored(path: Any) -> xr.Dataset:
    """The Dataset of a finished sweep that `sweep` stored, without its equations. Every number is held against the
    checksum with which it was written.

    Raises:
        WrongType, MissingFile: E501, not the name of a folder, or nothing is there.
        InvalidValue: E520, no stored sweep, or one that was not finished; E522, of a newer version; E523, damaged, with
            the file; E503, E524, E525, files that cannot be what was written; E801, a package is missing.
    """
    folder = as_path(path, "sweep.zarr")
    if not os.path.exists(folder):  # a name that no folder can have is none that is there
        raise MissingFile("E501", f"there is no {folder}", "check the name and the folder")
    if not folder.is_dir():
        raise InvalidValue("E520", f"{folder} is a file; a stored sweep is a folder", f'da.load("{folder}")')
    task = manifest.read_manifest(folder)
    if task is None:
        raise InvalidValue("E520", f"{folder} is no stored sweep", "name a folder that da.sweep was given as store")
    require(True)
    return _dataset(folder, _results(folder, task), task)


def _results(folder: Path, task: manifest.Manifest) -> dict[str, np.ndarray]:
    """All arrays, over all members."""
    if not task.metadata or not (folder / AXES).exists():
        raise InvalidValue("E520", f"{folder} is no finished sweep", _GO_ON)
    results = Chunks(folder, task, task.identity, writing=False)
    if not (folder / manifest.JOURNAL).exists():
        raise damaged(folder / manifest.JOURNAL, _GO_ON, "is missing")
    told = manifest.read_journal(folder, task.identity)
    if told.damaged:
        fact = f"line {told.damaged[0]} is damaged, or of another sweep"
        raise damaged(folder / manifest.JOURNAL, _GO_ON, fact)
    done = sum(i in told.lines for i in range(results.batches))
    if done < results.batches:
        fact = f"{folder} is no finished sweep: {done} of {results.batches} batches are there"
        raise InvalidValue("E520", fact, _GO_ON)
    return results.whole(told.lines)


def _dataset(folder: Path, arrays: dict[str, np.ndarray], task: manifest.Manifest) -> xr.Dataset:
    import xarray as xr

    with manifest.part_of_a_store(), opened(folder / AXES, _KIND) as archive:
        about = json.loads(archive.array("about", "|u1").tobytes().decode())
        coordinates = _coordinates(archive, about)
        archive.verify()
        if about["sweep"] != task.identity or list(about["variables"]) != list(arrays):
            raise damaged(folder / AXES, _KIND.again, "belongs to another sweep")
        variables = {
            name: (dims, arrays[name].reshape([about["sizes"][d] for d in dims]), attrs)
            for name, (dims, attrs) in about["variables"].items()
        }
        return xr.Dataset(variables, coordinates, about["attributes"])


def _coordinates(archive: Archive, about: dict[str, Any]) -> dict[str, Any]:
    return {
        name: (dims, archive.array(f"axis_{i}", kind), attrs)
        for i, (name, (dims, attrs, kind)) in enumerate(about["coordinates"].items())
    }


def require(stored: bool) -> None:
    """E801 where a package of the extra is missing."""
    try:
        import xarray  # noqa: F401

        if stored:
            import dask.array  # noqa: F401
            import zarr  # noqa: F401
    except ImportError as error:
        fact = f"sweeps need {error.name}, which is not installed"
        raise InvalidValue("E801", fact, "pip install 'dalembert[sweep]'") from None
