"""The walls that a system declares are met by every motion of it, unless they are left out."""

from __future__ import annotations

from ...equations import Equations
from ...event import Event
from .guard import as_events


def with_walls(events: object, equations: Equations, met: bool) -> list[Event]:
    """The given events, and behind them the declared walls, if they are `met`; an event of a wall's name replaces it.

    Raises:
        WrongType, InvalidValue: E316, not events, or two of one name.
        InvalidValue: E131, E132, what is wrong with a wall.
    """
    given = as_events(events)
    names = {event.name for event in given}
    if not met or all(wall.name in names for wall in equations.system.walls):
        return given
    return [*given, *(wall for wall in equations.walls if wall.name not in names)]
