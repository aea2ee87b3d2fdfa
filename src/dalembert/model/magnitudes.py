"""Values that are hardly in one system of units: two masses or two lengths, given as numbers, that are far apart."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import groupby
from typing import TYPE_CHECKING

from ..calculus.dimension import SECOND, Dimension
from ..errors import Note, warn
from . import dimensions
from .balance import Balance, Form

if TYPE_CHECKING:
    from .system import System

# times the smaller one: a metre is 1e3 mm, and a wheel of 3 cm runs on a table of 30 m; a tonne is 1e6 g
FAR = {"lengths": 1e3, "masses": 1e5, "of one dimension": 1e5}


def magnitude_notes(system: System) -> list[Note]:
    """W213: parameters of one dimension that are far apart, not both given with a unit; a coefficient of a force alone,
    such as the lever of a pivoting friction, may be as small as it likes.

    Without units, which is a length follows from the coordinates, and a mass from the energy. Where all coordinates are
    angles neither does: then those are compared that must be of one dimension, whatever it is.
    """
    given = {n: abs(v) for n, v in system.parameters.items() if v and n in system.symbols}
    if not given or max(given.values()) < min(FAR.values()) * min(given.values()):
        return []
    of_bodies = system.names_in((system.lagrangian, *(c.given for c in system.constraints)))
    given = {name: value for name, value in given.items() if name in of_bodies}
    known = dimensions.compared(system)
    return [] if known is None else [warn("W213", text, 6) for text in _told(system, given, known)]


def start_notes(system: System, start: Mapping[str, object], values: Mapping[str, float]) -> list[Note]:
    """W213: a coordinate of a start, a length without a unit, that is far above all lengths of the system.

    The motion must depend on it otherwise than along a slope or a field of one strength: there it may begin anywhere.
    """
    given = {name: abs(x) for name, x in start.items() if isinstance(x, int | float) and name in system.space.by_name}
    least = min((abs(x) for x in values.values() if x), default=0.0)
    far = {name: x for name, x in given.items() if least and x >= FAR["lengths"] * least}
    kinds = system.lengths if far else {}
    notes = []
    for name in far.keys() & kinds.keys():
        sizes = {abs(values[p]): p for p in values if values[p] and kinds.get(p) == kinds[name]}
        large = max(sizes, default=0.0)
        if large and given[name] >= FAR["lengths"] * large and _bends(system, name):
            times = f"{name} = {given[name]:g} is {given[name] / large:.2g} times {sizes[large]} = {large:g}"
            fact = f"{times}, the largest length of the system: in one unit?"
            notes.append(warn("W213", f'{fact} with its unit, {name}="...", a value is taken as it is', 7))
    return notes


def _bends(system: System, name: str) -> bool:
    """Is L no polynomial of degree one in a coordinate?"""
    q = system.space.by_name[name]
    return q in system.lagrangian.free_symbols and system.lagrangian.diff(q).has(q)


def lengths(system: System) -> dict[str, str]:
    """Parameters and coordinates that are lengths, and of which unit."""
    known = dimensions.compared(system)
    if known is None:
        return {}
    names = [*system.symbols, *(q.name for q in system.space.coordinates)]
    kinds = {name: _kind(system, known.reduced(Form.of(name)), known) for name in names}
    return {name: kind for name, kind in kinds.items() if kind.startswith("lengths")}


def _told(system: System, given: dict[str, float], known: Balance) -> Iterator[str]:
    """Of each kind the smallest and the largest, where they are far apart."""
    kinds = {name: _kind(system, known.reduced(Form.of(name)), known) for name in given}
    for kind, names in groupby(sorted((kind, given[name], name) for name, kind in kinds.items()), lambda each: each[0]):
        (_, small, one), *_, (_, large, other) = [*names] * 2
        what = kind.partition(":")[0]
        if what and large >= FAR[what] * small and not {one, other} <= system.written.keys():
            bare = one if other in system.written else other
            far = f"{other} = {large:g} is {large / small:.2g} times {one} = {small:g}"
            yield f'{far}, and both are {what}: in one unit? with its unit, {bare}="...", a value is taken as it is'


def _kind(system: System, form: Form, known: Balance) -> str:
    """Of which kind a value is, "" where it is compared with nothing."""
    positions = {known.reduced(Form.of(q.name)) for q in system.space.coordinates} - {Form()}
    # L = m (x/s)^2
    masses = {dimensions.energy(known) * (Form(SECOND) / x) ** 2 for x in positions}
    if form in positions | {Form(Dimension.of({"m": 1}))}:
        return f"lengths:{form}"
    if form in masses | {Form(Dimension.of({"kg": 1}))}:
        return f"masses:{form}"
    turning = {q.name for q in system.space.coordinates} <= system.space.angles
    return f"of one dimension:{form}" if form.unknown and turning else ""
