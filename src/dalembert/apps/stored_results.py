"""Stored results: the table of a family, and what a word of the command line names."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import cast

import numpy as np

from ..argument_checks import one_of
from ..errors import InvalidValue, MissingFile, did_you_mean
from ..numerics.families import DRIFT, PERIOD
from ..trajectory.npz_archive import Archive, Kind, opened
from . import gallery

FORMAT = 1
ARRAYS = "heads", "rows", "about"
_PART = re.compile(r"(eigenvalue|multiplier)\d+_(re|im)")
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

    # what `show.family` draws and `show.report` tells

    @property
    def parameter(self) -> str:
        """What changes along it."""
        return str(self.about.get("parameter"))

    @property
    def values(self) -> np.ndarray:
        """Of the parameter, (N,)."""
        return self[self.parameter]

    @property
    def names(self) -> tuple[str, ...]:
        """Of the states, but for one that is the parameter."""
        spectrum = next((i for i, head in enumerate(self.heads) if _PART.fullmatch(head)), len(self.heads) - 1)
        others = {self.parameter, *self.beside}
        return tuple(n for n in self.heads[:spectrum] if n not in others)

    @property
    def beside(self) -> tuple[str, ...]:
        """Columns beside the parameter and the states: the period, drifts."""
        return tuple(n for n in self.heads if n == PERIOD or n.startswith(DRIFT))

    @property
    def held(self) -> tuple[str, ...]:
        """What stays along the family."""
        return tuple(map(str, cast(Iterable[object], self.about["held"])))

    @property
    def ends(self) -> tuple[str, str]:
        """Why it ends at either end."""
        first, last = map(str, cast(Iterable[object], self.about["ends"]))
        return first, last

    @property
    def states(self) -> np.ndarray:
        """(N, n)"""
        return self.rows[:, [self.heads.index(name) for name in self.names]]

    @property
    def special(self) -> list[tuple[str, float]]:
        """Kinds of points and values of the parameter there."""
        return _special(self.about)

    @property
    def stable(self) -> np.ndarray:
        """(N,)"""
        return np.asarray(self["stable"] == 1)

    @property
    def spectrum(self) -> tuple[str, np.ndarray]:
        """What tells stability, and its name: eigenvalues, or multipliers, (N, d) complex."""
        own = [i for i, head in enumerate(self.heads) if _PART.fullmatch(head)]
        parts = self.rows[:, own].reshape(len(self.rows), -1, 2)
        kind = "multiplier" if own and self.heads[own[0]].startswith("multiplier") else "eigenvalue"
        return kind, parts[..., 0] + 1j * parts[..., 1]

    def __getitem__(self, name: str) -> np.ndarray:
        """A column along the family, (N,) (UnknownName E317 if there is none)."""
        return np.array(self.rows[:, self.heads.index(one_of(self.heads, name, "the family", "column", "E317"))])


def is_family(file: Path) -> bool:
    """Does a file of arrays hold a family, and not a path? What is wrong with the file is said as of `opened`."""
    with opened(file) as archive:
        return archive.holds(ARRAYS[0])


def read_family(file: Path) -> StoredFamily:
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
        if about.get("parameter") not in heads or "stable" not in heads:
            raise ValueError(heads)
        _special(about)
        _check_words(about, "held", None)
        _check_words(about, "ends", 2)
        archive.verify()
        return StoredFamily(heads, rows, about)


def _special(about: Mapping[str, object]) -> list[tuple[str, float]]:
    """The points, as `family_rows.as_data` tells them (ValueError where it does not)."""
    given = about.get("special")
    if not isinstance(given, list) or not all(isinstance(point, dict) for point in given):
        raise ValueError(given)
    found = [(point.get("kind"), point.get("value")) for point in given]
    if not all(isinstance(kind, str) and isinstance(value, float) for kind, value in found):
        raise ValueError(given)
    return found


def _check_words(about: Mapping[str, object], key: str, count: int | None) -> None:
    """A list of so many words, of any number if None (ValueError where it is none)."""
    given = about.get(key)
    if not isinstance(given, list) or not all(isinstance(w, str) for w in given) or count not in (None, len(given)):
        raise ValueError(given)


def _names(heads: object) -> tuple[str, ...]:
    """Different words."""
    if not isinstance(heads, list) or not all(isinstance(head, str) for head in heads) or len({*heads}) < len(heads):
        raise ValueError(heads)
    return tuple(heads)


def _json(archive: Archive, name: str) -> object:
    return json.loads(archive.array(name, "|u1").tobytes().decode())


# --- words of the command line ---------------------------------------------------------------------------------------


def thing_named(word: str) -> object:
    """A `Study`, a `Trajectory`, a `StoredFamily`, or the xarray Dataset of a stored sweep.

    Raises:
        MissingFile: E501, it is none of these.
        InvalidValue: E520, it is there, and something else.
        DalembertError: what reading it raises.
    """
    path = Path(word)
    if path.suffix == ".toml" and path.exists():
        from ..study import read

        return read(path)
    if path.suffix == ".npz" and path.exists():
        if is_family(path):
            return read_family(path)
        from ..trajectory.loading import load

        return load(path)
    if path.is_dir() and (path.suffix == ".zarr" or (path / "task.json").is_file()):  # a store has any name
        from ..numerics.sweep import stored

        return stored(path)
    if gallery.known(word):
        return gallery.study(word)
    kind = "no such file" if path.suffix else "neither a file nor a system of the gallery"
    if path.exists():
        ending = f"ends on {path.suffix}" if path.suffix else "has no ending"
        fact = f"{word} {ending}: it is no system file, and no result that was stored"
        raise InvalidValue(
            "E520", fact, "give a .toml, a .npz or a .zarr, as dalembert run, family and sweep name them"
        )
    near = (
        [p.name for p in path.parent.glob("*") if p.suffix in (".toml", ".npz", ".zarr")]
        if path.parent.is_dir()
        else []
    )
    raise MissingFile("E501", f"{word}: {kind}", did_you_mean(path.name, [*near, *gallery.names()]))
