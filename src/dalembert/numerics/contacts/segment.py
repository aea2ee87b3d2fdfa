"""The equations of one combination of modes, run to the next change."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import sympy as sp

from ...calculus.frame import TIME
from ...calculus.graph import Graph, symbols
from ...calculus.read import read
from ...equations import Start
from ...equations.contacts import APART, SLIDES, STICKS, InMode, Mode, Modes
from ...event import STOP, Event
from ...trajectory import Trajectory
from ..events.guard import Guard, compile_guards, switches
from ..policy import Policy
from ..vector_field.field import Field
from .change import Cause
from .instant import Eye

_ENDS, _OF_FIRST = 1e-7, 1e-2  # of the speeds in a slip of two components: below it the slip ends
_TOUCHES, _LIFTS, _HALTS, _YIELDS = " touches", " lifts", " stops slipping", " yields"
Carry = Callable[[Field, Policy, tuple[Guard, ...], float], Trajectory]


@dataclass(frozen=True, eq=False)
class Runner:
    """Runs one mode after another.

    Attributes:
        eye: sees the system.
        policy, first, events, end: of the whole run: options, start, the caller's events, and when it ends.
        carry: runs a field from its start to an end or a stop.
        guards: events of each combination of modes, compiled.
    """

    eye: Eye
    policy: Policy
    first: Start
    events: Sequence[Event]
    end: float
    carry: Carry
    guards: dict[Modes, tuple[Guard, ...]] = field(default_factory=dict)

    def run(self, t: float, y: np.ndarray, modes: Modes) -> Trajectory:
        """From a state (n,) to the next change, to what ends the run, or to its end."""
        equations = self.eye.contacts.in_mode(modes).equations
        state = dict(zip(self.eye.equations.states, y.tolist(), strict=True))
        start = replace(self.first, state=state, t=t)
        field = self.policy.leanest_field(equations.rows_at({**start.parameters, **state, TIME.name: t}), start)
        form = equations.machine.form
        guards = (*self._guards(t, y, modes), *switches([*form.f, *form.g]))
        return self.carry(field, self.policy, guards, self.end)

    def cause(self, name: str) -> Cause | None:
        """What the event of a name means; None for one of the caller's."""
        for suffix, cause in _CAUSES.items():
            contact = name.removesuffix(suffix)
            if contact != name and contact in self.eye.contacts.slips:
                return cause(contact)
        return None

    def _guards(self, t: float, y: np.ndarray, modes: Modes) -> tuple[Guard, ...]:
        if modes not in self.guards:
            walls = self.eye.contacts.in_mode(modes).equations.walls if self.policy.walls else ()
            own = {event.name for event in self.events}
            events = [*self.events, *(w for w in walls if w.name not in own), *self._changes(modes)]
            self.guards[modes] = compile_guards(events, self.eye.equations.states, self.first.parameters)
        ends = [self._halts(t, y, name) for name, mode in modes if self._turns(name, mode)]
        return (*self.guards[modes], *compile_guards(ends, self.eye.equations.states, self.first.parameters))

    def _turns(self, name: str, mode: Mode) -> bool:
        """Does it slide with two components of slip?"""
        return mode.word == SLIDES and mode.sense != 0 and self.eye.contacts.slips[name] > 1

    def _changes(self, modes: Modes) -> list[Event]:
        """What ends these modes, but for a slip of two components."""
        found = []
        held = self.eye.contacts.in_mode(modes)
        laws = {c.name: c for c in self.eye.equations.system.contacts}
        for name, mode in modes:
            law = laws[name]
            if mode.word == APART:
                found.append(Event(name + _TOUCHES, law.gap, STOP, -1))
                continue
            found += self._falling(name + _LIFTS, held.normal[name])
            if mode.word == SLIDES and mode.sense and len(law.slip) == 1:
                found.append(Event(name + _HALTS, mode.sense * law.slip[0], STOP, -1))
            if mode.word == STICKS:
                found += self._falling(name + _YIELDS, _reserve(law.mu_static, held, name))
        return found

    def _falling(self, name: str, guard: sp.Expr) -> list[Event]:
        """A stop where a guard falls through 0; none where nothing in it moves."""
        moving = symbols([read(guard, Graph())]) & {*self.eye.equations.states, TIME.name}
        return [Event(name, guard, STOP, -1)] if moving else []

    def _halts(self, t: float, y: np.ndarray, name: str) -> Event:
        """The end of a slip of two components: at a small speed, from which the rest is one step."""
        law = next(c for c in self.eye.equations.system.contacts if c.name == name)
        c = self.eye.see(t, y).touching[name]
        first = float(np.linalg.norm(c.slip))
        size = float(np.abs(c.B) @ np.abs(y[-c.B.shape[1] :]) @ np.ones(len(c.B)))
        least = min(_ENDS * size, _OF_FIRST * first) if first else _ENDS * size
        # |s| = s_0
        return Event(name + _HALTS, sp.sqrt(sum(s**2 for s in law.slip)) - sp.Float(least), STOP, -1)


def _reserve(hold: sp.Expr, held: InMode, name: str) -> sp.Expr:
    # mu_s N - |T| , smooth where T is 0:  (mu_s N)^2 - T^2
    return (hold * held.normal[name]) ** 2 - sum(T**2 for T in held.friction[name])


_CAUSES: dict[str, Callable[[str], Cause]] = {
    _TOUCHES: lambda n: Cause(touched=frozenset([n])),
    _LIFTS: lambda n: Cause(left=frozenset([n])),
    _HALTS: lambda n: Cause(still=frozenset([n])),
    _YIELDS: lambda n: Cause(barred=frozenset([(n, STICKS)])),
}
