"""Problems: all that is wrong with one file, each at its place, raised together."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from ..errors import DalembertError, Place, Problems
from ..errors.surfaces import FILE
from .places import Path, Places


class Collector:
    """Collects the problems of one file.

    Attributes:
        partial: constraints were refused, so that not all names of multipliers are known.
    """

    def __init__(self, places: Places) -> None:
        self.places, self.partial = places, False
        self.found: list[DalembertError] = []

    def add(self, error: DalembertError, path: Path, *, key: bool = False) -> None:
        """A problem of the value (or the key) at this path."""
        self.found.append(error.at(self.places.key(path) if key else self.places.value(path)))

    @contextmanager
    def watch(self, path: Path, *, key: bool = False) -> Iterator[None]:
        """Collect the refusal that the body ends with, if any."""
        try:
            yield
        except DalembertError as error:
            self.add(error, path, key=key)

    def settle(self) -> None:
        """Raise what was found: one problem as itself, several as `Problems`, in the order of the file."""
        said = [error.on(FILE) for error in self.found]
        found = sorted(_distinct(said), key=lambda error: _order(error.where))
        if len(found) == 1:
            raise found[0]
        if found:
            raise Problems(found, self.places.name)


def _order(where: Place | None) -> tuple[int, int]:
    return (where.line, where.column) if where else (0, 0)


def _distinct(errors: list[DalembertError]) -> list[DalembertError]:
    return list({(error.code, error.fact, error.where): error for error in errors}.values())
