"""What happens on the way, for the kernels of a page: events and walls, laws that come to rest, forces that jump."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypedDict

from ...calculus.frame import TIME
from ...calculus.graph import Graph, Node, gradient
from ...calculus.substitution import carried
from ...equations import Equations, Lean
from ...equations.check import slip_speeds
from ...equations.code.listing import Task
from ...event import STOP, Event
from ...numerics.events.guard import Guard, compile_guards, internal_event, switches, with_walls
from ...numerics.run.rest import AT_REST

NO_IMPACT = "the multipliers after the impact do not follow from the state"


class Told(TypedDict):
    """What the page is told of one guard; `sets` are places of states, `why` what a stop is for, `rows` how much a wall
    that acts at once with others imposes.
    """

    name: str
    then: str
    direction: int
    sets: list[int]
    why: str
    rows: int


@dataclass(frozen=True)
class Happenings:
    """Guards in the order in which the page has them: events and walls, laws at rest, surfaces on which a force jumps.

    Attributes:
        equations: of which they are.
        guards: as of `numerics.events`.
    """

    equations: Equations
    guards: tuple[Guard, ...]

    @classmethod
    def of(cls, equations: Equations, events: Sequence[Event]) -> Happenings:
        """Given events, and the walls of the system.

        Raises:
            WrongType, UnknownName, InvalidValue: E316 for events, E132 for walls.
        """
        form = equations.machine.form
        known = dict.fromkeys(sorted({*equations.system.symbols, *equations.system.parameters}))
        given = compile_guards(with_walls(events, equations, True), equations.states, known)
        if equations.contacts:  # steps of one length go over what jumps and what rests
            return cls(equations, tuple(given))
        slips = slip_speeds(equations)
        resting = [Guard(internal_event(f"{name}{AT_REST}", STOP, -1), speed) for name, speed in slips.items()]
        return cls(equations, (*given, *resting, *switches([*form.f, *form.g])))

    @property
    def told(self) -> list[Told]:
        """What is said of each."""
        return [self._told(guard) for guard in self.guards]

    def _told(self, guard: Guard) -> Told:
        event, states = guard.event, self.equations.states
        barred = event.impact is not None and bool(self.equations.states_of_multipliers)
        then = "mark" if guard.marks else "switch" if guard.switch else "jump" if event.jumps else "stop"
        if event.name.endswith(AT_REST) and not guard.switch:
            then = "rest"
        sets = [states.index(name) for name in guard.jump]
        if barred:
            return Told(name=event.name, then="stop", direction=event.direction, sets=[], why=NO_IMPACT, rows=0)
        rows = len(event.impact.rates) if event.impact is not None and event.impact.at_once else 0
        return Told(name=event.name, then=then, direction=event.direction, sets=sets, why="", rows=rows)

    def watched(self, states: Sequence[str], lean: Lean | None) -> tuple[Task, Task]:
        """The guards, and guard by guard their derivatives by the states and by time."""
        graph = Graph()
        values = [y for g in self.guards for y in carried([g.seen_by(lean).value], graph)]
        xs = [graph.symbol(name) for name in (*states, TIME.name)]
        return Task(tuple(values)), Task(tuple(d for y in values for d in gradient(y, xs)))

    @property
    def jumps(self) -> Task:
        """The new values of all jumps, one after the other."""
        graph, found = Graph(), list[Node]()
        for guard, told in zip(self.guards, self.told, strict=True):
            found += carried(list(guard.jump.values()), graph) if told["sets"] else []
        return Task(tuple(found))
