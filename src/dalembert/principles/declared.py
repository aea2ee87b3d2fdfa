"""The walls that a system declares; what impacts are made of is loaded with the first system that has some."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING

from ..errors import DalembertWarning
from ..model.system import System

if TYPE_CHECKING:
    from ..event import Event


def declared(system: System, constrained: bool = True) -> list[Event]:
    """The walls that a system declares, as `walls` makes them, with its constraints in force or without them."""
    if not system.walls:
        return []
    from .impulsive import walls

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DalembertWarning)  # they were shown with the system
        body = system if constrained or not system.constraints else system.changed(constraints={}, equivalent=None)
    return walls(body)
