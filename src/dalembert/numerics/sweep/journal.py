"""The journal of a store: a line for each batch that is there for good, with the SHA-256 of each of its arrays."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from ...trajectory.archive import readable
from .manifest import part_of_a_store, replace
from .seal import sealed, unsealed

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


def read(folder: Path, identity: str) -> Journal:
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
