"""The equations of one combination of modes, run to the next change."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import sympy as sp

from ...calculus.frame import TIME
from ...calculus.graph import Graph, Node, evaluate, symbols
from ...calculus.read import read
from ...equations import Start
from ...equations.contacts import APART, SLIDES, STICKS, Mode, Modes, least_of
from ...errors import InvalidValue
from ...event import STOP, Event
from ...trajectory import Trajectory
from ..events.guard import Guard, compile_guards, internal_event, switches
from ..policy import Policy
from ..vector_field.field import Field
from .change import Cause, Stuck, slip_rates
from .instant import Eye

_NEARLY = 0.5  # of a slip that ends and is small already: where it ends
_MOST_OF = 0.98  # of the time in which a slip of two components ends: so far a mode is run at once
_SINGULAR = 1e-3  # of the speed at which a slip ends: below it its direction is smoothed, where no path is kept
_ENDS, _OF_FIRST = 1e-7, 1e-2  # of the speeds in a slip of two components: below it the slip ends
_TOUCHES, _LIFTS, _HALTS, _YIELDS = " touches", " lifts", " stops slipping", " yields"
_TRIES, _FINER = 12, 16  # of a mode with shorter steps, and by how much shorter than what went through a contact
_LEAST = 1e-6  # of a length: terms of a gap are not taken for smaller
_ROUNDING = 1e-9  # of the gap's terms: as far a path may be beyond it
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
        try:
            equations = self.eye.contacts.in_mode(modes).equations
        except InvalidValue as error:
            raise Stuck(error.code, f"at t = {t:.10g}: {error.fact}") from None
        state = dict(zip(self.eye.equations.states, y.tolist(), strict=True))
        least = {
            least_of(n): _SINGULAR * self._end_of_slip(t, y, modes, n) for n, mode in modes if self._turns(n, mode)
        }
        start = replace(self.first, state=state, t=t, parameters={**self.first.parameters, **least})
        field = self.policy.leanest_field(equations.rows_at({**start.parameters, **state, TIME.name: t}), start)
        form = equations.machine.form
        guards = (*self._guards(t, y, modes), *switches([*form.f, *form.g]))
        policy, end = self.policy, min(self.end, t + _MOST_OF * self._left(t, y, modes))
        for _ in range(_TRIES):
            path = self.carry(field, policy, guards, end)
            late = self._through(path, modes)
            if late is None or self.policy.method.fixed:
                break
            # a hop that is small against a step is not seen on it
            policy, end = replace(policy, max_step=max((late - t) / _FINER, np.spacing(t))), late
        if late is not None:
            raise Stuck("E412", f"at t = {late:.10g}: a contact was passed unseen")
        return path

    def _through(self, path: Trajectory, modes: Modes) -> float | None:
        """The first time at which a gap of contacts that are apart is negative, None if there is none."""
        known = {**self.eye.parameters, **dict(zip(path.names, path.values.T, strict=True)), TIME.name: path.t}
        rows = self.eye.contacts.rows
        found = []
        for (_, mode), gap, size in zip(modes, rows.gaps, rows.sizes, strict=True):
            if mode.word == APART:
                value, terms = (np.broadcast_to(e, path.t.shape) for e in evaluate([gap, size], known))
                slack = _ROUNDING * max(float(terms.max()), _LEAST) + 2 * max(-float(value[0]), 0.0)
                beyond = path.t[value < -slack]
                found += beyond[:1].tolist()
        return min(found, default=None)

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
            events = [*self.events, *(w for w in walls if w.name not in own)]
            given = compile_guards(events, self.eye.equations.states, self.first.parameters)
            self.guards[modes] = (*given, *self._changes(modes))
        ends = [self._halts(t, y, modes, name) for name, mode in modes if self._turns(name, mode)]
        return (*self.guards[modes], *compile_guards(ends, self.eye.equations.states, self.first.parameters))

    def _turns(self, name: str, mode: Mode) -> bool:
        """Does it slide with two components of slip?"""
        return mode.word == SLIDES and mode.sense != 0 and self.eye.contacts.slips[name] > 1

    def _changes(self, modes: Modes) -> list[Guard]:
        """What ends these modes, but for a slip of two components."""
        found: list[Guard] = []
        held, graph = self.eye.contacts.in_mode(modes), Graph()
        for name, mode in modes:
            law = self.eye.contacts.laws[name]
            whole = law.master == name
            if mode.word == APART:
                found += [_falling(name + _TOUCHES, read(law.gap, graph))] if whole else []
                continue
            N = held.normal[name]
            found += [_falling(name + _LIFTS, N)] if whole else []
            if mode.word == SLIDES and mode.sense and len(law.slip) == 1:
                found.append(_falling(name + _HALTS, read(mode.sense * law.slip[0], graph)))
            if mode.word == STICKS:
                # mu_s N - |T| , smooth where T is 0:  (mu_s N)^2 - T^2
                hold = read(law.mu_static, N.graph) * N
                found.append(_falling(name + _YIELDS, sum((-1 * T * T for T in held.friction[name]), hold * hold)))
        moving = {*self.eye.equations.states, TIME.name}
        return [guard for guard in found if symbols([guard.value]) & moving]

    def _halts(self, t: float, y: np.ndarray, modes: Modes, name: str) -> Event:
        """The end of a slip of two components: at a small speed, from which the rest is one step."""
        # |s| = s_0
        size = sp.sqrt(sum(s**2 for s in self.eye.contacts.laws[name].slip))
        return Event(name + _HALTS, size - sp.Float(self._end_of_slip(t, y, modes, name)), STOP, -1)

    def _end_of_slip(self, t: float, y: np.ndarray, modes: Modes, name: str) -> float:
        """The speed at which a slip of two components is taken to end."""
        now = self.eye.see(t, y)
        c = now.touching[name]
        first = float(np.linalg.norm(c.slip))
        size = _ENDS * float((np.abs(c.B) @ np.abs(y[-c.B.shape[1] :])).sum())
        ending = float(c.slip @ slip_rates(now, modes)[name]) < 0
        if ending:
            return size if size < _NEARLY * first else _NEARLY * first
        return min(size, _OF_FIRST * first) if first else size

    def _left(self, t: float, y: np.ndarray, modes: Modes) -> float:
        """The time in which a slip of two components ends at its present rate: no step is to try to pass its end."""
        turning = [name for name, mode in modes if self._turns(name, mode)]
        now = self.eye.see(t, y) if turning else None
        if now is None:
            return math.inf
        rates = slip_rates(now, modes)
        left = [math.inf]
        for name in turning:
            s = now.touching[name].slip
            closing = -float(s @ rates[name])
            left += [float(s @ s) / closing] if closing > 0 else []
        return min(left)


def _falling(name: str, value: Node) -> Guard:
    """A stop where it falls through 0."""
    return Guard(internal_event(name, STOP, -1), value)


_CAUSES: dict[str, Callable[[str], Cause]] = {
    _TOUCHES: lambda n: Cause(touched=frozenset([n])),
    _LIFTS: lambda n: Cause(left=frozenset([n])),
    _HALTS: lambda n: Cause(still=frozenset([n])),
    _YIELDS: lambda n: Cause(barred=frozenset([(n, STICKS)])),
}
