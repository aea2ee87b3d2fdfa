"""What a stored sweep computes: ``task.json``, read and written whole, with a checksum of itself."""

from __future__ import annotations

import hashlib
import json
import os
import re
import secrets
import socket
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import psutil

from ...errors import DalembertError, InvalidValue
from ...trajectory.npz_archive import readable

# ---------------------------------------------------------------------------------------------------------------------
# Texts and arrays that tell when they were changed: each carries a SHA-256 of what it says and of where it
# belongs.

SEAL = "seal"


def sealed(entry: Mapping[str, object]) -> str:
    """One line of JSON with its own checksum."""
    return json.dumps({**entry, SEAL: seal(entry)})


def seal(entry: Mapping[str, object]) -> str:
    """SHA-256 of what a line says."""
    return hashlib.sha256(json.dumps(entry, sort_keys=True, separators=(",", ":")).encode()).hexdigest()


def unsealed(text: str | bytes) -> dict[str, object] | None:
    """What a line says without its checksum; None if it was changed."""
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return None
    if not isinstance(found, dict) or SEAL not in found:
        return None
    told = found.pop(SEAL)
    return found if told == seal(found) else None


def of_array(array: np.ndarray, name: str, place: str) -> str:
    """SHA-256 of an array under its name, at its place: its type, its shape and its numbers."""
    little = np.ascontiguousarray(array).astype(array.dtype.newbyteorder("<"), copy=False)
    found = hashlib.sha256(json.dumps([place, name, little.dtype.str, little.shape]).encode())
    found.update(little.tobytes())
    return found.hexdigest()


FORMAT = 2
TASK = "task.json"
LARGEST = 2**26  # bytes of a manifest or of the metadata of an array
LOST = "give another store, or remove this one"


@dataclass(frozen=True)
class Manifest:
    """What is computed.

    Attributes:
        parts: fingerprints of the task's parts, by name.
        total: how many members.
        batch: how many of them are a batch.
        variables: ``[name, NumPy's name of its type, shape after the members]`` of each.
        about: what else there is to know.
        metadata: SHA-256 of the files that say what the arrays are, by their place; empty until these are written.
    """

    parts: Mapping[str, str]
    total: int
    batch: int
    variables: list[list[object]]
    about: Mapping[str, object] = field(default_factory=dict)
    metadata: Mapping[str, str] = field(default_factory=dict)

    @property
    def _entry(self) -> dict[str, object]:
        return {"format": FORMAT, **self.__dict__}

    @property
    def identity(self) -> str:
        """Of this sweep and no other."""
        return seal(self._entry)

    def write(self, folder: Path) -> None:
        """Write it; it appears whole or not at all."""
        replace(folder / TASK, sealed(self._entry))

    def differs(self, other: Manifest) -> list[str]:
        """What another task has otherwise, in words."""
        found = [name for name, value in other.parts.items() if self.parts.get(name) != value]
        same = self.total == other.total and self.variables == other.variables
        return found or ([] if same else ["the number of members"])


def read_manifest(folder: Path) -> Manifest | None:
    """What is stored there; None if nothing was begun.

    Raises:
        InvalidValue: E520 no manifest, E522 written by a newer version, E523 changed.
    """
    file = folder / TASK
    if not file.exists():
        return None
    entry = unsealed(content(file))
    found = _loosely(file) if entry is None else entry
    version = found.get("format")
    if not isinstance(version, int) or isinstance(version, bool):
        raise InvalidValue("E520", f"{file} is damaged", LOST)
    if version > FORMAT:
        fact = f"{folder} was written in format {version}, this version knows {FORMAT}"
        raise InvalidValue("E522", fact, "pip install --upgrade dalembert")
    if version < FORMAT:
        fact = f"{folder} was written in format {version}, by a version that could not tell when it was changed"
        raise InvalidValue("E520", fact, "sweep again, with another store")
    if entry is None or set(entry) != {"format", *Manifest.__dataclass_fields__} or not _plain(entry):
        raise InvalidValue("E523", f"{file} is damaged: cut short or changed", LOST)
    return Manifest(**{name: value for name, value in entry.items() if name != "format"})  # type: ignore[arg-type]


@contextmanager
def part_of_a_store() -> Iterator[None]:
    """What is read_manifest is a part of a store: damaged (E523) where it is gone, or a folder, a pipe or a device."""
    try:
        yield
    except DalembertError as error:
        if error.code not in ("E501", "E502", "E510"):
            raise
        raise InvalidValue("E523", error.fact, LOST) from None


def content(file: Path) -> bytes:
    """The bytes of a small file of a store (E523 if it is large, or no file; E503 where it cannot be read_manifest)."""
    with part_of_a_store(), readable(file) as stream:
        data = stream.read(LARGEST + 1)
    if len(data) > LARGEST:
        raise InvalidValue("E523", f"{file} is damaged: larger than it ever is", LOST)
    return data


def replace(file: Path, text: str) -> None:
    """Write a file; it appears whole or not at all."""
    draft = file.with_name(f"lock.{file.name}")
    try:
        with draft.open("w", encoding="utf-8") as stream:
            stream.write(text)
            stream.flush()
            os.fsync(stream.fileno())
        draft.replace(file)
    finally:
        draft.unlink(missing_ok=True)
    sync_folder(file.parent)


def sync_folder(folder: Path) -> None:
    """Bring the names in a folder to the disk."""
    if os.name != "posix":
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _loosely(file: Path) -> dict[str, object]:
    """A manifest without a valid checksum, to tell whether it is of another version."""
    try:
        found = json.loads(content(file))
    except (ValueError, RecursionError):
        raise InvalidValue("E520", f"{file} is damaged", LOST) from None
    return found if isinstance(found, dict) else {}


def _plain(entry: Mapping[str, object]) -> bool:
    total, batch, variables = entry["total"], entry["batch"], entry["variables"]
    counts = all(isinstance(n, int) and not isinstance(n, bool) and n >= 1 for n in (total, batch))
    texts = all(
        isinstance(of, dict) and all(isinstance(value, str) for value in of.values())
        for of in (entry["parts"], entry["metadata"])
    )
    return counts and texts and isinstance(variables, list) and all(map(_variable, variables))


def _variable(found: object) -> bool:
    if not isinstance(found, list) or len(found) != 3:
        return False
    name, kind, shape = found
    return isinstance(name, str) and kind in ("f8", "i4", "i2", "i1") and isinstance(shape, list)


# ---------------------------------------------------------------------------------------------------------------------
# The journal of a store: a line for each batch that is there for good, with the SHA-256 of each of its arrays.

JOURNAL = "journal.jsonl"
LONGEST = 2**24  # bytes of a line
Digests = dict[str, str]


@dataclass(frozen=True)
class Journal:
    """What is in it.

    Attributes:
        lines: whole and of this sweep, by the number of the batch.
        damaged: numbers of the lines that are not, from 1.
    """

    lines: Mapping[int, Digests]
    damaged: tuple[int, ...] = ()


def read_journal(folder: Path, identity: str) -> Journal:
    """The journal of the sweep with this identity (E523 where it is no file)."""
    with part_of_a_store(), readable(folder / JOURNAL) as stream:
        lines: dict[int, Digests] = {}
        damaged = []
        for number, line in enumerate(iter(lambda: stream.readline(LONGEST), b""), 1):
            if len(line) == LONGEST:  # no line is as long: what follows is not looked for
                damaged.append(number)
                break
            entry = (unsealed(line) if line.endswith(b"\n") else None) or {}
            batch, arrays = entry.get("batch"), entry.get("sha256")
            if entry.get("sweep") == identity and isinstance(batch, int) and isinstance(arrays, dict):
                lines[batch] = arrays
            else:
                damaged.append(number)
    return Journal(lines, tuple(damaged))


def begin(folder: Path) -> None:
    """An empty journal."""
    replace(folder / JOURNAL, "")


def mend(folder: Path, identity: str, lines: Mapping[int, Digests]) -> None:
    """A journal of the lines that are whole."""
    replace(folder / JOURNAL, "".join(_line(identity, *entry) for entry in lines.items()))


def append(folder: Path, identity: str, batch: int, arrays: Digests) -> None:
    """Write a line and bring it to the disk (FileNotFoundError if the journal is gone)."""
    handle = os.open(folder / JOURNAL, os.O_WRONLY | os.O_APPEND | getattr(os, "O_BINARY", 0))
    with os.fdopen(handle, "ab") as journal:
        journal.write(_line(identity, batch, arrays).encode())
        journal.flush()
        os.fsync(journal.fileno())


def _line(identity: str, batch: int, arrays: Digests) -> str:
    return sealed({"sweep": identity, "batch": batch, "sha256": arrays}) + "\n"


# --- A lock with its owner's name: a folder has one writer, and the lock of a dead process is taken over -------------

LOCK = "lock"
_TRIES = 5
_DRAFT = re.compile(rf"{LOCK}\.[0-9]+\.[0-9a-f]+(\.stale)?")
_LARGEST = 4096  # bytes
Owner = dict[str, object]


class Lock:
    """Held from `take` to `release`; a file with process and host, and what tells it from others of its number."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._me: Owner = {"pid": os.getpid(), "host": socket.gethostname(), "began": _began(os.getpid())}
        self._me["token"] = secrets.token_hex(8)

    def take(self) -> None:
        """Take it, from a process that is dead if need be.

        Raises:
            InvalidValue: E531, another process writes there.
        """
        draft = self._file.with_name(f"{self._file.name}.{os.getpid()}.{self._me['token']}")
        try:
            draft.write_text(json.dumps(self._me), encoding="utf-8")
            for _ in range(_TRIES):
                try:
                    os.link(draft, self._file)  # whole, and only where there is none
                    return
                except FileExistsError:
                    self._clear(draft)
            raise self._refusal({})
        finally:
            with suppress(OSError):
                draft.unlink(missing_ok=True)

    @property
    def held(self) -> bool:
        """Is it still there, and by whom it was taken?"""
        return self._me["pid"] == os.getpid() and _owner(self._file) == self._me

    def release(self) -> None:
        """Give it back."""
        with suppress(OSError):
            if self.held:
                self._file.unlink(missing_ok=True)

    def _clear(self, draft: Path) -> None:
        """Remove the lock of a dead process (E531 if it lives, or its host is another)."""
        owner = _owner(self._file)
        if owner is None:
            return
        if _lives(owner):
            raise self._refusal(owner)
        aside = draft.with_name(f"{draft.name}.stale")
        try:
            self._file.rename(aside)
        except FileNotFoundError:  # another was quicker
            return
        if _owner(aside) != owner:  # and has taken it meanwhile: give it back
            os.link(aside, self._file)
        aside.unlink(missing_ok=True)

    def _refusal(self, owner: Owner) -> InvalidValue:
        who = f"process {owner.get('pid', '?')!s:.20} on {owner.get('host', '?')!s:.60}"
        return InvalidValue(
            "E531",
            f"{self._file.parent} is locked by {who}",
            f"wait until it has finished, or give another store; if that process is gone, remove {self._file}",
        )


def is_lock(file: Path) -> bool:
    """Is this the file of a lock, or of one that is being taken?"""
    if _DRAFT.fullmatch(file.name):
        return True
    return file.name == LOCK and {"pid", "host", "began"} <= (_owner(file) or {}).keys()


def _owner(file: Path) -> Owner | None:
    """Who holds the lock; nobody if there is none, somebody unknown if it is no plain file."""
    if file.exists() and not file.is_file():
        return {"host": "?"}
    try:
        with file.open("rb") as stream:
            found = json.loads(stream.read(_LARGEST))
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _lives(owner: Owner) -> bool:
    """Does the owner run, as far as one can tell from here?"""
    if owner.get("host") != socket.gethostname():
        return bool(owner)
    pid = owner.get("pid")
    if not isinstance(pid, int) or isinstance(pid, bool):
        return False
    try:
        return _began(pid) == owner.get("began")
    except psutil.AccessDenied:
        return True
    except (psutil.NoSuchProcess, OverflowError, ValueError):
        return False


def _began(pid: int) -> str:
    """What tells a process from an earlier one of the same number; on Linux no change of the clock changes it.

    Raises:
        psutil.Error: there is none, or it may not be asked.
    """
    try:
        boot = Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
        ticks = Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()[19].decode()
    except (OSError, IndexError):
        return repr(round(psutil.Process(pid).create_time()))
    return f"{boot} {ticks}"
