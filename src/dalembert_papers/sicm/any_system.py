"""The examples of the notes by the functions that any system can be given to."""

from __future__ import annotations

from collections.abc import Iterator

from ..claim import Claim, Group
from ..every_form import every_form
from . import examples


def forms() -> Iterator[Claim]:
    """The nonholonomic equations of the notes' constraints, by every route."""
    systems = {each.name: each.system for each in (*examples.nonholonomic_examples(), examples.growing_ring())}
    yield from every_form("(1.235)", systems)


GROUPS: tuple[Group, ...] = (forms,)
