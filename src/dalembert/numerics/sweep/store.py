"""A sweep on disk: results in Zarr, a manifest of the task, and a journal of the batches that are there for good.

    PATH/task.json          what is computed: a fingerprint of each part of the task, batch size, versions
    PATH/results.zarr       the variables over all members, one chunk a batch, each with a checksum (crc32c)
    PATH/journal.jsonl      a line for each finished batch, with the SHA-256 of its numbers
    PATH/axes.npz           dimensions, coordinates and units, once it is finished
    PATH/lock               who writes, while someone does

A batch counts from the moment its line is in the journal, which is written after its chunks are on the disk. What a
process that was killed left unfinished has no line, and is computed again. The folder is claimed by its manifest, which
is the first thing in it; a folder that holds anything else is left alone.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING

from ...errors import DalembertError, InvalidValue, Unwritable, as_given, written
from . import chunks, journal, manifest
from .chunks import RESULTS, Chunks
from .journal import JOURNAL
from .keep import Variable
from .lock import LOCK, Lock, is_lock
from .manifest import TASK, Manifest
from .task import Batch

if TYPE_CHECKING:
    from zarr import Array

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
        self._lines: dict[int, journal.Digests] = {}
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
        return manifest.read(self.path) is not None and not used

    def _begun(self, task: Manifest, variables: tuple[Variable, ...]) -> Chunks:
        """Go on with what is there, or begin."""
        found = manifest.read(self.path)
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
        told = chunks.create(self.path, variables, task.total, task.batch)
        journal.begin(self.path)
        found = Manifest(task.parts, task.total, task.batch, task.variables, task.about, told)
        found.write(self.path)
        return found

    def _journal(self) -> dict[int, journal.Digests]:
        """Digests by batch; damaged lines are taken out: their batches are computed again."""
        if not (self.path / JOURNAL).exists():
            journal.begin(self.path)
        found = journal.read(self.path, self._chunks.identity)
        if found.damaged:
            journal.mend(self.path, self._chunks.identity, found.lines)
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
            journal.append(self.path, self._chunks.identity, index, digests)
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
