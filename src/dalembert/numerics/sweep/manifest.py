"""What a stored sweep computes: ``task.json``, read and written whole, with a checksum of itself."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from ...errors import DalembertError, InvalidValue
from ...trajectory.archive import readable
from .seal import seal, sealed, unsealed

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


def read(folder: Path) -> Manifest | None:
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
    """What is read is a part of a store: damaged (E523) where it is gone, or a folder, a pipe or a device."""
    try:
        yield
    except DalembertError as error:
        if error.code not in ("E501", "E502", "E510"):
            raise
        raise InvalidValue("E523", error.fact, LOST) from None


def content(file: Path) -> bytes:
    """The bytes of a small file of a store (E523 if it is large, or no file; E503 where it cannot be read)."""
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
