"""Values that are hardly in one system of units: two masses or two lengths, given as numbers, that are far apart."""

from __future__ import annotations

from collections.abc import Iterator
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
