"""The walls that a system declares; what impacts are made of is loaded with the first system that has some."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from ..errors import DalembertWarning
from ..model.system import System

if TYPE_CHECKING:
    from ..event import Event


def declared(system: System, constrained: bool = True, touching: Mapping[str, bool] | None = None) -> list[Event]:
    """The walls that a system declares, as `walls` makes them, with its constraints in force or without them.

    Some of these may be those of contacts, which only push (True), or give no impulses.
    """
    if not system.walls:
        return []
    from .impulsive import walls

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DalembertWarning)  # they were shown with the system
        body = system if constrained or not system.constraints else system.changed(constraints={}, equivalent=None)
    found = ((event, event.impact) for event in walls(body))
    return [replace(event, impact=impact and replace(impact, touching=touching or {})) for event, impact in found]
