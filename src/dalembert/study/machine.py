"""``[machine]``: bodies and joints, or the file of a robot, in place of a space and a Lagrangian."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path as File

from ..errors import DalembertError, InvalidValue, as_given
from ..machines.assembly import Assembly
from ..machines.machine import Machine
from . import schema
from .toml_positions import Collector, Path

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
    read = mjcf.from_mujoco if b"<mujoco" in root else urdf.from_urdf
    return read(path, base=str(table.base), rolls=table.rolls, parameters=table.parameters)


def _by_hand(
    table: schema.MachineTable, parameters: Sequence[str], inputs: Sequence[str], collector: Collector
) -> Machine:
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
