"""``[symmetry]``: cyclic coordinates, groups and generators, as arguments of `System(symmetry=...)`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ..errors import InvalidValue, as_given
from ..model import symmetry
from ..model.expression import Reader
from ..model.space import Space
from ..model.symmetry import Generator, Turning, generators
from . import schema
from .leaves import kind
from .places import Path
from .texts import Texts


class Moves:
    """Reads symmetries; problems go to the collector."""

    def __init__(self, texts: Texts, space: Space) -> None:
        self.texts, self.space, self.collector = texts, space, texts.collector

    def all(self, table: schema.SymmetryTable, order: list[str]) -> list[Generator]:
        """The generators, in the order of the table's keys."""
        found: list[Generator] = []
        for key in order:
            given = getattr(table, key, None)
            for part, path in self._parts(key, given) if given else ():
                with self.collector.watch(path):
                    found += generators(part(), Reader(self.space))
        twice = sorted({g.name for g in found if [h.name for h in found].count(g.name) > 1})
        if twice:
            error = InvalidValue(
                "E102", f"two generators are called {as_given(twice[0])}", "give each a name of its own"
            )
            self.collector.add(error, ("symmetry",))
        return found

    def _parts(self, key: str, given: Any) -> Iterator[tuple[Any, Path]]:
        """What makes each part of the symmetry, and where it stands."""
        path: Path = ("symmetry", key)
        if key == "cyclic":
            yield lambda: " ".join(given), path
        elif key == "translations":
            yield lambda: symmetry.translations(list(given)), path
        elif key == "generators":
            for name, field in given.items():
                yield lambda name=name, field=field: self._generator(name, field), (*path, name)
        else:
            for n, entry in enumerate(given):
                listed = (*path, n) in self.collector.places.values or (*path, n) in self.collector.places.keys
                yield lambda entry=entry: self._group(key, entry, path), (*path, n) if listed else path

    def _group(self, key: str, entry: Any, path: Path) -> Any:
        if key in ("turns", "euclidean"):
            return getattr(symmetry, key)(list(entry.plane), list(entry.headings))
        if key == "rotations":
            return symmetry.rotations(list(entry.names), [list(v) for v in entry.vectors], entry.axis)
        axis = self.texts.all(entry.axis, (*path, "axis"), "the axis of spin")
        return None if axis is None else symmetry.spin(entry.name, [int(e) if e.is_Integer else e for e in axis])

    def _generator(self, name: str, field: Mapping[str, Any]) -> dict[str, Any] | None:
        found = self._field(name, field)
        return {name: found} if len(found) == len(field) else None

    def _field(self, name: str, field: Mapping[str, Any]) -> dict[str, Any]:
        """One generator: rates by name; of a rotation three components, or a table that names their frame."""
        path: Path = ("symmetry", "generators", name)
        found: dict[str, Any] = {}
        for key, given in field.items():
            label = key.replace(" ", "") if key.startswith("dot") else key
            rates = {f"dot({q})": rate for q, rate in self.space.rates.items()}
            own = str(rates[label]) if label in rates and rates[label] in self.space.velocities else key
            read = self._rate(given, (*path, key), f"generator {name}")
            if read is not None:
                found[own] = read
        return found

    def _rate(self, given: Any, path: Path, where: str) -> Any:
        if isinstance(given, dict):
            frame = given.get("frame", "space")
            if (
                not set(given) <= {"w", "frame"}
                or frame not in ("space", "body")
                or not isinstance(given.get("w"), list)
            ):
                remedy = '{ w = [0, 0, 1], frame = "body" }'
                raise InvalidValue("E125", f"{where}: not an angular velocity", remedy)
            w = self._vector(given["w"], (*path, "w"), where)
            return None if w is None else Turning(tuple(w), frame)
        if isinstance(given, list):
            return self._vector(given, path, where)
        if isinstance(given, bool) or not isinstance(given, str | int | float):
            raise InvalidValue(
                "E125",
                f"{where}: a rate is an expression or a number, not {kind(given)}",
                'turn = { x = "-y", y = "x" }',
            )
        return self.texts.read(given, path, where)

    def _vector(self, given: list[Any], path: Path, where: str) -> Any:
        if any(isinstance(e, bool) or not isinstance(e, str | int | float) for e in given):
            raise InvalidValue("E125", f"{where}: an angular velocity has three expressions or numbers", "[0, 0, 1]")
        return self.texts.all(given, path, where)
