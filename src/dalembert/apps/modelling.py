"""Arguments of fits and rankings as users write them: expressions as text, and values with units, become numbers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ..calculus.dimension import SECOND, Dimension
from ..calculus.quantity import quantity, wrong_dimension
from ..experiment.series import listed
from ..model.expression import Reader
from ..model.system import System
from ..record import Record

_OPEN = (None, "", "-")


def resolved(system: System, states: Iterable[str], record: Any, given: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments `columns`, `parameters`, `bounds`, `priors` and `uncertainty` with everything that is text read.

    Args:
        system: whose names the columns may use.
        states: names of all states, multipliers among them.
        record: for the units of its columns.
        given: arguments by name; others than these are returned as they are.

    Raises:
        TextError: E7xx, a column that is no expression.
        DalembertError: E203 to E207 for values with units.
    """
    found = dict(given)
    if isinstance(found.get("columns"), Mapping):
        found["columns"] = _columns(system, states, found["columns"], found)
    own = {*system.symbols, *system.parameters}
    if isinstance(found.get("parameters"), Mapping):
        found["parameters"] = {
            k: v if _name(k) in own else _number(system, v, _name(k)) for k, v in found["parameters"].items()
        }
    for what in ("bounds", "priors"):
        if isinstance(found.get(what), Mapping):
            found[what] = {k: _pair(system, v, _name(k)) for k, v in found[what].items()}
    if isinstance(found.get("uncertainty"), Mapping):
        found["uncertainty"] = {k: _sigma(system, record, v, _name(k)) for k, v in found["uncertainty"].items()}
    for what in ("t", "until"):
        if isinstance(found.get(what), str):
            found[what] = quantity(found[what], what, SECOND).value
    return found


def _name(key: Any) -> str:
    return str(getattr(key, "name", key))


def _columns(
    system: System, states: Iterable[str], columns: Mapping[Any, Any], given: Mapping[str, Any]
) -> dict[str, Any]:
    """Text as expressions; in it stand states, parameters, and names that have a value in `parameters`, or are free."""
    declared = {_name(k) for k in (given.get("parameters") or {})} if _is_map(given.get("parameters")) else set()
    free = given.get("free")
    declared |= set(listed(free)) if isinstance(free, str | list | tuple) else set()
    reader = Reader(system.space, {*system.parameters, *system.symbols, *declared, *states} - set(system.space.by_name))
    reader.parameters.update(system.symbols)
    return {
        _name(k): reader.read(v, f"the column {_name(k)}") if isinstance(v, str | int | float) else v
        for k, v in columns.items()
    }


def _is_map(given: Any) -> bool:
    return isinstance(given, Mapping)


def _number(system: System, given: Any, name: str) -> Any:
    """A value with a unit as a number, its dimension held against that of the name."""
    if not isinstance(given, str):
        return given
    value, dimension = quantity(given, name)
    if dimension is not None and name in {*system.symbols, *system.space.by_name}:
        system.fits({name: dimension})
    return value


def _pair(system: System, given: Any, name: str) -> Any:
    if isinstance(given, str) or not isinstance(given, Sequence):
        return given
    return tuple(None if v in _OPEN else _number(system, v, name) for v in given)


def _sigma(system: System, record: Any, given: Any, name: str) -> Any:
    """An uncertainty with a unit, in the unit of its column."""
    if not isinstance(given, str):
        return given
    value, dimension = quantity(given, f"the uncertainty of {name}")
    unit = record.units.get(name, "") if isinstance(record, Record) else ""
    if dimension is not None and not unit and name in system.space.by_name:
        system.fits({name: dimension})
    if dimension is None or not unit or unit in ("px", "1"):
        return value
    size, own = quantity(f"1 {unit}", name)
    if (own or Dimension()) != dimension:
        raise wrong_dimension(f"the uncertainty of {name}", dimension, own or "1")
    return value / size
