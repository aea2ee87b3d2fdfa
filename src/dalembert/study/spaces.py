"""``[space]``: its factors in the order in which they stand; and ``[machine]``, which has a space of its own."""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping, Sequence
from functools import partial
from pathlib import Path as File
from typing import Any

import sympy as sp
from pydantic import BaseModel, ValidationError
from pydantic_core import PydanticCustomError

from ..errors import DalembertError, InvalidValue, WrongType, as_given
from ..machines.assembly import Assembly
from ..machines.machine import Machine
from ..model import space_factors
from ..model.names import symbols
from ..model.space import Space
from . import schema
from .file_expressions import Texts
from .schema_errors import refusals
from .toml_positions import Collector, Path
from .value_types import MOST_NAMES, _names


class Factors:
    """Builds the factors of a space; problems go to the collector."""

    def __init__(self, collector: Collector, parameters: Mapping[str, sp.Symbol]) -> None:
        self.collector, self.parameters = collector, parameters
        self.makers: dict[str, Callable[[Any, Path], list[Space]]] = {
            "coordinates": self.coordinates,
            **{kind: partial(self.made, kind) for kind in schema.FACTORIES},
            "frame": self.frame,
        }

    def of(self, table: Mapping[str, Any], path: Path) -> list[Space]:
        """The factors of ``[space]`` or of one ``[[space.factor]]``, in the order of their keys."""
        found: list[Space] = []
        for key, given in table.items():
            if key in self.makers:
                with self.collector.watch((*path, key)):
                    found += self.makers[key](given, (*path, key))
            elif key == "factor":
                for n, entry in enumerate(given):
                    found += self.one(entry, (*path, key, n))
        return found

    def one(self, entry: Any, path: Path) -> list[Space]:
        """One ``[[space.factor]]``; its other keys are those of a long form."""
        keys = [key for key in entry if key in self.makers]
        if len(entry) != 1 or not keys:
            strange = [key for key in entry if key not in self.makers]
            fact = f"a factor has no {as_given(strange[0])}" if strange else f"a factor has one key, not {len(entry)}"
            remedy = f"one of {', '.join(self.makers)}"
            self.collector.add(InvalidValue("E508", fact, remedy), (*path, *strange[:1]), key=bool(strange))
            return []
        return self.of(entry, path)

    def coordinates(self, given: object, path: Path) -> list[Space]:
        """``"x y"``, or a table of lines and angles."""
        if not isinstance(given, dict):
            return [space_factors.coordinates(self._names(given))]
        if len(given) > MOST_NAMES:
            fact = f"{len(given)} coordinates, the limit for a file is {MOST_NAMES}"
            raise InvalidValue("E135", fact, "leave some out")
        return [space for name, entry in given.items() for space in self._coordinate(name, entry, (*path, name))]

    def _coordinate(self, name: str, given: object, path: Path) -> list[Space]:
        table = self._table(schema.CoordinateTable, {"kind": given} if isinstance(given, str) else given, path)
        if table is None:
            return [space_factors.line(name)]  # so that its name is known to what follows
        with self.collector.watch(path, key=True):
            return [(space_factors.angle if table.kind == "angle" else space_factors.line)(name, table.velocity)]
        return []

    def made(self, kind: str, given: object, path: Path) -> list[Space]:
        """By the factory of this name: from what stands for the whole, from a table, or turns from several of these."""
        rules = schema.FACTORIES[kind]
        turns = issubclass(rules, schema.TurnTable)
        if turns and isinstance(given, list) and any(not isinstance(entry, str) for entry in given):
            return [space for n, entry in enumerate(given) for space in self.made(kind, entry, (*path, n))]
        table = self._table(rules, rules.spelt(given), path)
        if table is None:
            return []
        arguments = (list(value) if isinstance(value, tuple) else value for _, value in table)
        return [getattr(space_factors, kind)(*arguments)]

    def frame(self, given: object, path: Path) -> list[Space]:
        """Coordinates, velocities, anchor and brackets."""
        table = self._table(schema.FrameTable, given, path)
        if table is None:
            return []
        q = symbols(list(table.coordinates), "coordinates")
        reader = Texts(self.collector, {**self.parameters, **{s.name: s for s in q}}, {}, tuple(self.parameters))
        before = len(self.collector.found)
        anchor = table.anchor and [
            reader.all(row, (*path, "anchor", i), "the anchor") for i, row in enumerate(table.anchor)
        ]
        brackets = None if table.brackets is None else self._brackets(table.brackets, reader, (*path, "brackets"))
        embedding = reader.all(table.embedding or [], (*path, "embedding"), "the embedding")
        retraction = reader.by_name(table.retraction or {}, (*path, "retraction"), "the retraction of")
        if len(self.collector.found) > before:
            return []
        known = {s.name: s for s in q}
        strange = [name for name in retraction if name not in known]
        if strange:
            raise InvalidValue("E140", f"retraction: {strange[0]} is not a coordinate", f"one of {', '.join(known)}")
        return [
            Space(
                q,
                None if table.velocities is None else list(table.velocities),
                anchor,
                brackets,
                almost=table.almost,
                embedding=embedding or (),
                retraction={known[name]: e for name, e in retraction.items()},
                angles=self._angles(table.angles, known, path),
            )
        ]

    def _angles(self, given: Sequence[str], known: Mapping[str, object], path: Path) -> list[str]:
        strange = [name for name in given if name not in known]
        if strange:
            raise InvalidValue("E140", f"angles: {strange[0]} is not a coordinate", f"some of {', '.join(known)}")
        return list(given)

    def _brackets(self, given: Mapping[str, Any], reader: Texts, path: Path) -> dict[tuple[str, str], Any]:
        """``{"u v" = [...]}``: components of [u, v]."""
        found: dict[tuple[str, str], Any] = {}
        for pair, row in given.items():
            names = pair.replace(",", " ").split()
            components = reader.all(row, (*path, pair), f"the bracket {pair}")
            if len(names) != 2:
                fact = f"{as_given(pair)} does not name two velocities"
                self.collector.add(InvalidValue("E140", fact, '"u v" = [...]'), (*path, pair), key=True)
            elif components is not None:
                found[names[0], names[1]] = components
        return found

    def _names(self, given: object) -> list[str]:
        try:
            return list(_names(given))
        except PydanticCustomError as error:
            context = error.context or {}
            raise WrongType(error.type, f"coordinates {context['fact']}", str(context["remedy"])) from None

    def _table(self, model: type[BaseModel], given: Any, path: Path) -> Any:
        """A table of the schema; None if it is refused."""
        try:
            return model.model_validate(given)
        except ValidationError as error:
            self.collector.found += refusals(error, model, given, self.collector.places, path)
            return None


def space(table: Mapping[str, object], collector: Collector, parameters: Mapping[str, sp.Symbol]) -> Space | None:
    """The space of ``[space]``; None where it is refused."""
    before = len(collector.found)
    found = Factors(collector, parameters).of(table, ("space",))
    if not found and len(collector.found) == before:
        remedy = 'coordinates = { x = "line", theta = "angle" }, rotation = "w", SE2 = "x y theta", ...'
        collector.add(InvalidValue("E101", "the space has no coordinates", remedy), ("space",))
    if not found:
        return None
    try:
        return Space.product(*found)
    except DalembertError as error:
        collector.add(error, ("space",))
        return None


# --- ``[machine]``: bodies and joints, or the file of a robot, in place of a space and a Lagrangian ------------------

STANDS_FOR = ("space", "lagrangian")  # what a machine has of its own


def with_space(tables: Mapping[str, object], collector: Collector) -> Mapping[str, object]:
    """The tables of a file with a machine, with stand-ins for what the machine itself gives (E508: both are given)."""
    if "machine" not in tables:
        return tables
    for key in STANDS_FOR:
        if key in tables:
            fact = f"a machine has its own {key}"
            collector.add(InvalidValue("E508", fact, f"leave out [{key}] or [machine]"), (key,), key=True)
    return {"space": {}, "lagrangian": {"L": "0"}, **tables}


def assembly(
    table: schema.MachineTable, parameters: Sequence[str], inputs: Sequence[str], collector: Collector
) -> Assembly | None:
    """The machine of a file put together; problems go to the collector."""
    before = len(collector.found)
    with collector.watch(("machine",)):
        machine = _of_file(table, collector) if table.file else _by_hand(table, parameters, inputs, collector)
        if len(collector.found) == before:
            try:
                return machine.assembly
            except DalembertError as error:
                held = error.subject[:3]
                known = held[:1] == ("machine",) and any(key[:3] == held for key in collector.places.keys)
                collector.add(error, held if known else ("machine",))
    return None


def _of_file(table: schema.MachineTable, collector: Collector) -> Machine:
    """The robot of a file that lies in the folder of this one, or below it."""
    folder = File(collector.places.folder).resolve()
    path = (folder / str(table.file)).resolve()
    with collector.watch(("machine", "file")):
        if not path.is_relative_to(folder):
            fact = f"{as_given(table.file)} lies outside the folder of this file"
            raise InvalidValue("E508", fact, "put the robot's file beside this one")
    from ..machines import mjcf, urdf

    root = path.read_bytes()[:4096] if path.is_file() else b""
    own = {"file", "base", "rolls", "dry", "parameters", *(() if b"<mujoco" in root else ("gravity",))}
    _only(table, own, "the file of a robot says them itself: leave them out", collector)
    more = {"gravity": table.gravity} if "gravity" in own else {}
    read = mjcf.from_mujoco if b"<mujoco" in root else urdf.from_urdf
    return read(path, base=str(table.base), rolls=table.rolls, dry=table.dry, parameters=table.parameters, **more)


def _only(table: schema.MachineTable, keys: Container[str], remedy: str, collector: Collector) -> None:
    """E508: keys of a machine that would be read in vain."""
    for key in [key for key in type(table).model_fields if key in table.model_fields_set and key not in keys]:
        fact = f"{key} in [machine] does nothing {'beside' if table.file else 'without'} file"
        collector.add(InvalidValue("E508", fact, remedy), ("machine", key), key=True)


def _by_hand(
    table: schema.MachineTable, parameters: Sequence[str], inputs: Sequence[str], collector: Collector
) -> Machine:
    of_file = {"rolls", "dry", "parameters", *(() if isinstance(table.base, dict) else ("base",))}
    remedy = 'of bodies: [machine.wheels.NAME], base = { planar = "NAME" }, [parameters]'
    _only(table, {*type(table).model_fields} - of_file, remedy, collector)
    machine = Machine(gravity=table.gravity, parameters=" ".join(parameters), inputs=list(inputs))

    def each(kind: str, make: str, named: Mapping[str, schema.StrictTable], *first: str) -> None:
        """Call a method of the machine for every entry; those keys in front stand in its order."""
        for name, entry in named.items():
            path: Path = ("machine", kind, name)
            given = {key: getattr(entry, key) for key in type(entry).model_fields if key in entry.model_fields_set}
            with collector.watch(path):
                getattr(machine, make)(name, *(given.pop(key, machine.ground) for key in first), **given)

    each("bodies", "body", table.bodies)
    for kind, body in table.base.items() if isinstance(table.base, dict) else ():
        with collector.watch(("machine", "base")):
            machine.base(kind, body)
    each("joints", "joint", table.joints, "kind", "before", "behind")
    each("loops", "close", table.loops, "kind", "first", "second")
    each("wheels", "roll", table.wheels)
    each("blades", "skate", table.blades)
    for name, relation in table.relations.items():
        with collector.watch(("machine", "relations", name)):
            machine.relate(name, relation)
    for n, entry in enumerate(table.force):
        with collector.watch(("machine", "force", n)):
            if (entry.force is None) == (entry.moment is None):
                raise InvalidValue("E508", "it needs the components of a force or of a moment", "give one of them")
            if entry.moment is not None:
                machine.moment(entry.body, entry.moment, axes=entry.axes)
            else:
                machine.force(entry.body, entry.force, at=entry.at, axes=entry.axes)
    return machine
