"""A sweep on disk: results in Zarr, a manifest of the task, and a journal of the batches that are there for good.

    PATH/task.json          what is computed: a fingerprint of each part of the task, batch size, versions
    PATH/results.zarr       the variables over all members, one chunk a batch, each with a checksum (crc32c)
    PATH/journal.jsonl      a line for each finished batch, with the SHA-256 of its numbers
    PATH/lock               who writes, while someone does

A batch counts from the moment its line is in the journal, which is written after its chunks are on the disk. What a
process that was killed left unfinished has no line, and is computed again.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from ...errors import InvalidValue, written
from . import digest
from .keep import Variable
from .lock import Lock
from .outcomes import MISSING
from .task import Batch

FORMAT = 1
TASK, RESULTS, JOURNAL, AXES, LOCK = "task.json", "results.zarr", "journal.jsonl", "axes.npz", "lock"
ELSEWHERE = "make room, or give a store elsewhere; what is there stays valid"
_OWN = {TASK, RESULTS, JOURNAL, AXES, LOCK}


class Store:
    """One sweep on disk, opened for writing; a context that holds the lock.

    Args:
        path: a folder, which is made.
        parts: fingerprints of the task's parts, by name.
        variables: of the result.
        total: how many members.
        batch: how many of them are a batch; that of a sweep that was begun stays.
        notes: what else the manifest tells.

    Raises:
        InvalidValue: E520 the folder is something else, E521 another sweep, E522 of a newer format, E531 locked.
        Unwritable: E530.
    """

    def __init__(
        self,
        path: Path,
        parts: Mapping[str, str],
        variables: tuple[Variable, ...],
        total: int,
        batch: int,
        notes: Mapping[str, Any],
    ) -> None:
        self.path, self.variables, self.total = path, variables, total
        self._lock = Lock(path / LOCK)
        mine = not path.exists()
        with written(path, ELSEWHERE):
            _check_folder(path)
            path.mkdir(parents=True, exist_ok=True)
        try:
            with written(path, ELSEWHERE):
                self._lock.take()
                self.batch = self._begin(parts, batch, notes)
                self._done = self._read_journal()
                for torn in (path / RESULTS).rglob("*.partial"):  # what Zarr was writing when it was killed
                    torn.unlink()
        except BaseException:
            self._lock.release()
            if mine:
                shutil.rmtree(path, ignore_errors=True)
            raise

    def __enter__(self) -> Store:
        return self

    def __exit__(self, *_: object) -> None:
        self._lock.release()

    # --- the manifest --------------------------------------------------------------------------------------------

    def _begin(self, parts: Mapping[str, str], batch: int, notes: Mapping[str, Any]) -> int:
        """Go on with what is there, or begin; the batch size."""
        found = _manifest(self.path)
        if found is None:
            self._create(batch)
            manifest = {"format": FORMAT, "total": self.total, "batch": batch, "parts": dict(parts), **notes}
            _replace(self.path / TASK, json.dumps(manifest, indent=1))
            return batch
        differ = [name for name, value in parts.items() if found["parts"].get(name) != value]
        if differ or found["total"] != self.total:
            raise InvalidValue(
                "E521",
                f"{self.path} holds another sweep: {', '.join(differ) or 'the number of members'} differ",
                "give another store, or the arguments it was begun with",
            )
        return int(found["batch"])

    def _create(self, batch: int) -> None:
        import zarr
        from zarr.codecs import Crc32cCodec

        (self.path / JOURNAL).unlink(missing_ok=True)
        group = zarr.open_group(self.path / RESULTS, mode="w", zarr_format=3)
        for v in self.variables:
            fill = np.nan if v.kind == "f8" else MISSING
            group.create_array(
                v.name,
                shape=(self.total, *v.shape),
                chunks=(batch, *v.shape),
                dtype=v.kind,
                fill_value=fill,
                compressors=[Crc32cCodec()],
                dimension_names=("member", *v.dims),
                attributes={"long_name": v.text, **({"units": v.unit} if v.unit else {})},
            )

    # --- batches -------------------------------------------------------------------------------------------------

    @property
    def batches(self) -> int:
        """How many there are."""
        return -(-self.total // self.batch)

    def missing(self) -> list[int]:
        """Numbers of the batches that are not there, or damaged."""
        return [i for i in range(self.batches) if i not in self._done or not self._sound(i)]

    def span(self, index: int) -> tuple[int, int]:
        """First member of a batch, and the one after its last."""
        return index * self.batch, min((index + 1) * self.batch, self.total)

    def put(self, index: int, arrays: Batch) -> None:
        """Write a batch, then its line in the journal."""
        first, last = self.span(index)
        with written(self.path, ELSEWHERE):
            for v in self.variables:
                self._arrays[v.name][first:last] = arrays[v.name]
            for v in self.variables:
                _sync(self.path / RESULTS / v.name / "c" / str(index), len(v.shape))
            line = json.dumps({"batch": index, "sha256": self._digest(arrays)})
            with (self.path / JOURNAL).open("ab") as journal:
                journal.write(line.encode() + b"\n")
                journal.flush()
                os.fsync(journal.fileno())
        self._done[index] = json.loads(line)["sha256"]

    def get(self, index: int) -> Batch:
        """Read a batch."""
        first, last = self.span(index)
        return {v.name: np.asarray(self._arrays[v.name][first:last]) for v in self.variables}

    @cached_property
    def _arrays(self) -> dict[str, Any]:
        """The Zarr arrays of the variables, opened once: each opening waits for Zarr's own thread."""
        group = _group(self.path, "r+")
        return {v.name: group[v.name] for v in self.variables}

    def _digest(self, arrays: Batch) -> str:
        return digest.of_arrays(arrays[v.name] for v in self.variables)

    def _sound(self, index: int) -> bool:
        try:
            return self._digest(self.get(index)) == self._done[index]
        except (OSError, ValueError, KeyError):  # a chunk is gone, too short, or its checksum is wrong
            return False

    def _read_journal(self) -> dict[int, str]:
        """Checksums by batch; a last line that was torn is cut off."""
        file = self.path / JOURNAL
        if not file.exists():
            return {}
        data = file.read_bytes()
        whole = data[: data.rfind(b"\n") + 1]
        if len(whole) < len(data):
            os.truncate(file, len(whole))
        done: dict[int, str] = {}
        for line in whole.splitlines():
            try:
                entry = json.loads(line)
                done[int(entry["batch"])] = str(entry["sha256"])
            except (ValueError, KeyError, TypeError):
                continue  # a damaged line: its batch is computed again
        return done


def open_results(path: Path) -> Any:
    """The Zarr group of the variables, for reading."""
    return _group(path, "r")


def _group(path: Path, mode: Any) -> Any:
    import zarr

    return zarr.open_group(path / RESULTS, mode=mode, zarr_format=3)


def _check_folder(path: Path) -> None:
    """E520: something else lies there."""
    if not path.exists():
        return
    if not path.is_dir() or not {p.name for p in path.iterdir() if not p.name.startswith(LOCK)} <= _OWN:
        raise InvalidValue("E520", f"{path} is there already and is no stored sweep", "give the name of a new folder")


def _manifest(path: Path) -> dict[str, Any] | None:
    """What is stored there; None if nothing was begun.

    Raises:
        InvalidValue: E520 damaged, E522 written by a newer version.
    """
    damaged = InvalidValue("E520", f"{path / TASK} is damaged", "give another store, or remove this one")
    try:
        found = json.loads((path / TASK).read_text(encoding="utf-8"))
    except FileNotFoundError:
        return None
    except ValueError:
        raise damaged from None
    if not isinstance(found, dict) or not isinstance(found.get("format"), int):
        raise damaged
    if found["format"] > FORMAT:
        fact = f"{path} was written in format {found['format']}, this version knows {FORMAT}"
        raise InvalidValue("E522", fact, "pip install --upgrade dalembert")
    plain = isinstance(found.get("parts"), dict) and isinstance(found.get("total"), int)
    if not plain or not isinstance(found.get("batch"), int) or found["batch"] < 1:
        raise damaged
    return found


def _replace(file: Path, text: str) -> None:
    """Write a file; it appears whole or not at all."""
    draft = file.with_name(f"{LOCK}.{file.name}")
    with draft.open("w", encoding="utf-8") as stream:
        stream.write(text)
        stream.flush()
        os.fsync(stream.fileno())
    draft.replace(file)
    _sync_folder(file.parent)


def _sync(chunk: Path, inner: int) -> None:
    """Bring a chunk to the disk; one of an array with inner dimensions lies some folders down."""
    for _ in range(inner):
        chunk = chunk / "0"
    if chunk.exists():  # a chunk of nothing but the fill value is not written
        with chunk.open("r+b") as stream:
            os.fsync(stream.fileno())
        _sync_folder(chunk.parent)


def _sync_folder(folder: Path) -> None:
    if os.name != "posix":
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
