"""A family of motions as `dalembert family` stored it: its table, and what was asked and found."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ..errors import InvalidValue
from ..trajectory.archive import Archive, Kind, opened
from .family_rows import ARRAYS, FORMAT

FAMILY = Kind("a stored family", "follow it again, dalembert family FILE, or use another copy")


@dataclass(frozen=True)
class StoredFamily:
    """The rows of a family.

    Attributes:
        heads: the columns, as `family_rows.table` gives them.
        rows: (N, columns).
        about: what was followed: name, kind, principle, parameter, special points, what was held.
    """

    heads: tuple[str, ...]
    rows: np.ndarray
    about: Mapping[str, object]


def is_family(file: Path) -> bool:
    """Does a file of arrays hold a family, and not a path? What is wrong with the file is said as of `opened`."""
    with opened(file) as archive:
        return archive.holds(ARRAYS[0])


def read(file: Path) -> StoredFamily:
    """Read a family that `family_rows.store` wrote. Nothing in the file is trusted.

    Raises:
        InvalidValue: E522 of a newer format, E523 damaged, E525 contents that are never written; as of `opened`.
    """
    with opened(file, FAMILY) as archive:
        about = _json(archive, "about")
        if not isinstance(about, dict):
            raise ValueError(about)
        found = about.get("format")
        if type(found) is not int or found < 1:
            raise ValueError(found)
        if found > FORMAT:
            fact = f"{file} was written in format {found}, this version knows {FORMAT}"
            raise InvalidValue("E522", fact, "pip install --upgrade dalembert")
        archive.only(ARRAYS)
        heads, rows = _names(_json(archive, "heads")), archive.array("rows")
        if rows.ndim != 2 or rows.shape[1] != len(heads):
            raise ValueError(rows.shape)
        archive.verify()
        return StoredFamily(heads, rows, about)


def _names(heads: object) -> tuple[str, ...]:
    """Different words."""
    if not isinstance(heads, list) or not all(isinstance(head, str) for head in heads) or len({*heads}) < len(heads):
        raise ValueError(heads)
    return tuple(heads)


def _json(archive: Archive, name: str) -> object:
    return json.loads(archive.array(name, "|u1").tobytes().decode())
