"""Names of a system: none is taken twice, none looks like another, and a misspelt one is told."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from ..calculus.frame import TIME
from ..errors import InvalidValue, UnknownName, about, as_given, closest, did_you_mean
from .names import distinct, refuse_alike, taken

if TYPE_CHECKING:
    from .system import System


def check_distinct(system: System) -> None:
    """E103: a parameter or input that is also something that moves, a name that a column of a contact needs;
    E102: two names that look alike.
    """
    moving = {*system.space.by_name, TIME.name, *system.space.attitudes}
    for name in {**system.parameters, **system.symbols, **dict.fromkeys(system.inputs)}:
        kind = "an input" if name in system.inputs else "a parameter"
        with about("parameters", name):
            taken(name, kind)
        if name in moving:
            raise InvalidValue(
                "E103",
                f"{as_given(name)} is {kind} and also a coordinate, velocity, rotation or the time",
                f"rename the {kind.split()[1]} {as_given(name)}",
                subject=("parameters", name),
            )
    _refuse_taken_columns(system)
    _refuse_alike(system)


def _refuse_taken_columns(system: System) -> None:
    """E103: a coordinate, velocity or input that has the name of a force of a contact, which is a column beside it."""
    for contact in [part for whole in system.contacts for part in whole.parts]:
        for name in {*contact.columns} & {*system.space.by_name, *system.inputs}:
            fact = f"{name} is needed for a force of the contact {contact.name}"
            where = "inputs" if name in system.inputs else "coordinates"
            raise InvalidValue("E103", fact, f"rename the contact, or {name}", subject=(where, name))


def _refuse_alike(system: System) -> None:
    """E102: two names of the system that cannot be told apart by eye."""
    moving = [*system.space.by_name, *system.space.attitudes, TIME.name]
    valued = dict.fromkeys((*system.parameters, *system.symbols, *system.inputs))
    refuse_alike([*moving, *valued], "names", "parameters")
    groups: dict[str, Iterable[str]] = {
        "constraints": [c.name for c in system.constraints],
        "equivalent": [c.name for c in system.equivalent],
        "momenta": system.momenta,
        "inertias": system.inertias,
        "symmetry": [generator.name for generator in system.symmetry],
        "walls": [wall.name for wall in system.walls],
        "contacts": [part.name for contact in system.contacts for part in contact.parts],
    }
    distinct([*groups["contacts"]], "contacts")  # a contact may be called as the rolling of another one
    for what, names in groups.items():
        refuse_alike(names, what, what)


def check_meant(system: System) -> None:
    """E202: a parameter that stands nowhere, beside a name without a value that it was meant for."""
    missing = [n for n in system.symbols if n not in system.parameters and n not in system.inputs]
    for name in system.parameters:
        if name not in system.symbols and closest(name, missing):
            hint = did_you_mean(name, missing)
            raise UnknownName("E202", f"unknown parameter {as_given(name)}", hint, subject=("parameters", name))
