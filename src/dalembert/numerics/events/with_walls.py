"""The walls that a system declares are met by every motion of it, unless they are left out.

What events say of inputs that are given by formulas they say of these.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np

from ...calculus.rank import sign_of_multiple
from ...equations import Equations
from ...errors import InvalidValue
from ...event import Event
from .guard import events_of, seeing

_ALIKE = 4  # states at which two guards are held against each other


def with_walls(events: object, equations: Equations, met: bool, jumping: Collection[str] = ()) -> list[Event]:
    """The given events, and behind them the declared walls, if they are `met`; an event of a wall's name replaces it.

    Some inputs may be `jumping`: held, and at instants given other values.

    Raises:
        WrongType, InvalidValue: E316, not events, two of one name, or one of a wall's name that happens elsewhere.
        DalembertError: E701 to E721, a text of theirs that is no expression in the names of the equations.
        InvalidValue: E131, E132, what is wrong with a wall; E186, it holds an input that moves.
    """
    given = events_of(events, equations)
    names = {event.name for event in given}
    every = given
    if met:
        _check_places(given, equations)
    if met and not all(wall.name in names for wall in equations.system.walls):
        every = [*given, *(wall for wall in equations.walls if wall.name not in names)]
    formulas = equations.system.steered
    for event in every:
        _check_rest(event, formulas.keys() | set(jumping))
    return [seeing(event, formulas) for event in every] if formulas else every


def _check_places(given: Sequence[Event], equations: Equations) -> None:
    """E316: an event that takes the place of a declared wall, by its name, happens elsewhere: no wall would act."""
    walls = {wall.name: wall.guard for wall in equations.system.walls}
    space = equations.space
    for event in (event for event in given if walls.get(event.name, event.guard) is not event.guard):
        guard, rng = walls[event.name], np.random.default_rng(45)
        others = sorted({s.name for e in (guard, event.guard) for s in e.free_symbols} - {s.name for s in space})
        points = [space.sample(rng, others) for _ in range(_ALIKE)]
        if not sign_of_multiple(guard, event.guard, points):
            fact = f"the event {event.name} has the name of the wall {guard} > 0, and happens at {event.guard} = 0"
            raise InvalidValue("E316", fact, "give it another name, or walls=False if no wall is to act")


def _check_rest(event: Event, moving: Collection[str]) -> None:
    """E186: a wall that moves with an input: its impulses were found for one at rest."""
    held = ", ".join(sorted({str(s) for s in event.symbols}.intersection(moving)))
    if event.impact is not None and held:
        fact = f"the wall {event.name} holds the input {held}, which moves: its impulses are of a wall at rest"
        raise InvalidValue("E186", fact, "write what the input is given by into the guard of the wall itself")
