"""A motion and its neighbours carried from any consistent state on: the tangent flow of some equations."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import cached_property
from itertools import pairwise

import numpy as np
import sympy as sp

from ...argument_checks import kind
from ...calculus.frame import TIME
from ...calculus.from_sympy import read
from ...calculus.graph import Graph, Node, evaluate
from ...calculus.numerical_rank import null_space
from ...equations import Equations, Start
from ...equations.contact_modes import refuse_contacts
from ...equations.start_completion import state_of
from ...errors import DalembertError, DalembertWarning, InvalidValue
from ...errors.remedies import Option
from ...event import Event
from ...trajectory import Trajectory
from ..events.guard import compile_guards, events_of, switches, with_walls
from ..events.guard_signs import has_set, is_on
from ..inputs.run_inputs import unbroken
from ..node_derivatives import Linearised
from ..policy import Policy
from ..run.simulate import simulate
from ..sensitivities.flow_derivatives import TangentFlow, directions
from ..sensitivities.sensitivities import check_modes
from ..sensitivities.smooth_segments import motion
from ..vector_field.field import Field

Options = Mapping[str, object]
Parameters = Mapping[str, object] | Mapping[sp.Symbol, object]
RTOL = 1e-11  # unless another is asked for
_ROUNDS, _REACHED = 20, 1e-13


class Carried:
    """Equations at the parameters of a start, with the tangent space of what their states must satisfy.

    Args:
        equations: from a principle.
        start: a `Start`, or what completes to one.
        parameters: values that replace those of the start.
        options: of `Policy`, the method one that chooses its steps.
        asked: the function that needs it.
        jumping: may it go through walls, switches and changes of contacts?
        inputs: numbers and formulas.
        events: what acts on the motion beside the walls that the system declares.
    """

    def __init__(
        self,
        equations: Equations,
        start: object,
        parameters: Parameters | None,
        options: Options,
        asked: str,
        jumping: bool = False,
        inputs: Mapping[str, object] | None = None,
        events: object = (),
    ) -> None:
        kind(Equations, equations, asked)
        if equations.contacts is None or not jumping:
            refuse_contacts(equations, f"{asked} follows one mode")
        self.policy = Policy.of_flow(asked, options, rtol=RTOL)
        equations, start, values, steering, _ = unbroken(equations, start, inputs, parameters, asked)
        check_modes(equations, steering)
        self.start: Start = state_of(equations, start, values)
        self.equations = equations.rows_at({**self.start.parameters, **self.start.state, TIME.name: self.start.t})
        self.events = tuple(events_of(events, self.equations))
        acting = equations.contacts is not None or any(event.jumps for event in self.events)
        self.jumping = jumping and (acting or _jumps(self.equations, self.policy) is not None)
        if not jumping:
            # E319: walls and forces that switch
            error = _jumps(self.equations, self.policy)
            if error is not None:
                raise error
        self.work = Linearised(self.equations, dict(self.start.parameters))
        self.work.t = self.start.t
        self.y = self.start.vector
        self.work.require(self.y)
        self.directions = self.tangents(self.y).shape[1]

    # --- starts where something happens ------------------------------------------------------------------------------

    def leave(self, period: float) -> None:
        """Go on to the middle of a stretch on which nothing happens.

        Neighbours of a start on a wall, a guard or a contact would meet it, or have met it, at once: derivatives differ
        by the side. Where a contact is closed all along, the constraints of its mode are held from then on.
        """
        stretches = motion(self.equations, self.start, self.policy, self.events, self.start.t + period).stretches
        free = min(stretches, key=lambda s: (len(s.field.equations.constraints), s.field.start.t - s.end))
        t = (free.field.start.t + free.end) / 2
        path = self.followed(t)
        self.y = np.array([path[name][-1] for name in self.equations.states])
        self.start = replace(self.at(self.y)[0], t=self.start.t if self.autonomous else t)
        if free.field.equations is not self.equations:
            self.work = Linearised(free.field.equations, dict(self.start.parameters))
            self.directions = self.tangents(self.y).shape[1]
        self.work.t = self.start.t

    def followed(self, until: float, dense: bool = True) -> Trajectory:
        """The motion from the start."""
        policy = replace(self.policy, dense=dense)
        options = {name: getattr(policy, name) for name in ("rtol", "walls", "max_steps", "dense")}
        with quiet():
            return simulate(self.equations, self.start, until=until, events=self.events, **options)

    def met(self, period: float) -> str | None:
        """What the start lies on, or has been set by: an event that acts, a wall or a contact."""
        if self.equations.contacts is not None:
            begun = motion(self.equations, self.start, self.policy, (), self.start.t).stretches[0].field.equations
            if len(begun.constraints) > len(self.equations.constraints):
                return self.equations.system.contacts[0].name
        field, (t, y) = self.at(self.y)[1].as_written(), (self.start.t, np.append(self.y, 0.0))
        acting = with_walls([event for event in self.events if event.jumps], self.equations, self.policy.walls)
        gaps = [Event(contact.name, contact.gap) for contact in self.equations.system.contacts if contact.load is None]
        for guard in compile_guards([*acting, *gaps], self.equations.states, field.start.parameters):
            if is_on(field, guard, t, y) or (guard.event.impact is None and has_set(field, guard, t, y, period)):
                return guard.event.name
        return None

    def arrival(self, y: np.ndarray, name: str, period: float, first: float) -> Start | None:
        """The state that a wall or an event of this name sets next, on a periodic motion from a state, about a time."""
        start = self.at(y)[0]
        stretches = motion(self.equations, start, self.policy, self.events, start.t + period).stretches
        for before, after in pairwise(stretches):
            if before.leap is not None and before.leap.name == name:
                found = after.field.start
                return replace(found, t=first if self.autonomous else first + math.remainder(found.t - first, period))
        return None

    @contextmanager
    def coarser(self) -> Iterator[None]:
        """Meanwhile, ten times the tolerance: what differs tells the error of a motion."""
        usual, self.policy = self.policy, replace(self.policy, rtol=10 * self.policy.rtol)
        try:
            yield
        finally:
            self.policy = usual

    def tangents(self, y: np.ndarray) -> np.ndarray:
        """An orthonormal basis (n, d) of the directions in which a state may move and stay consistent."""
        N = self.work.normals(y)
        return null_space(N) if len(N) else np.eye(len(y))

    def consistent(self, y: np.ndarray) -> np.ndarray:
        """The state nearby that satisfies what holds."""
        for _ in range(_ROUNDS if self.work.held else 0):
            off = self.work.residual(y)[len(self.work.rates) :]
            # y' = y - N^+ held
            step = np.linalg.lstsq(self.work.normals(y), off, rcond=1e-12)[0]
            y = y - step
            if np.linalg.norm(step) <= _REACHED * (1 + np.linalg.norm(y)):
                break
        return y

    def at(self, y: np.ndarray) -> tuple[Start, Field]:
        """The start from another state, and its vector field."""
        state = dict(zip(self.equations.states, map(float, y), strict=True))
        start = replace(self.start, state=state, given=state, follows=())
        return start, self.policy.field(self.equations, start)

    def put(self, name: str, value: float) -> None:
        """Go on with another value of a parameter."""
        self.start = replace(self.start, parameters={**self.start.parameters, name: value})
        self.work.parameters = dict(self.start.parameters)

    drifts: tuple[str, ...] = ()

    def parted(self, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The state, and an element of a group: none here; see `relative`."""
        return y, y[:0]

    def generators(self, y: np.ndarray) -> np.ndarray:
        """Directions (n, 0) of the group."""
        return np.zeros((len(y), 0))

    def guessed(self, T: float) -> np.ndarray:
        """The start as the state of a motion that takes about T."""
        return self.y

    def repeated(self, y: np.ndarray, laps: int) -> np.ndarray:
        """The state of so many periods as one."""
        return y

    def flow(self, field: Field, parameter: str | None = None) -> TangentFlow:
        """What carries the motion with derivatives in all directions of the tangent space, and by a parameter."""
        count = self.directions + (parameter is not None)
        return TangentFlow.of(field, self.policy, count, {} if parameter is None else {parameter: count})

    def moved(
        self,
        y: np.ndarray,
        S: np.ndarray,
        stops: Sequence[float],
        parameter: str | None = None,
        since: float | None = None,
    ) -> tuple[np.ndarray, np.ndarray] | None:
        """States (len(stops), n) and derivatives (len(stops), n, d) of the motion from y with S; None if it ends.

        It begins at the time `since`, that of the start if it is left out. The last column of S is the one in which
        the parameter moves, if one is named.
        """
        start, field = self.at(y)
        t = start.t if since is None else since
        if self.jumping:
            return self._through(replace(start, t=t), S, stops, parameter)
        flow = self.flow(field, parameter)
        rows = flow.carry(t, flow.rows(S), stops)
        return None if rows is None else flow.split(rows)

    @cached_property
    def _surfaces(self) -> list[Node]:
        """What is 0 where walls, contacts and events are met, and what events set."""
        graph, every = Graph(), surfaces_of(self.equations, self.policy.walls, self.events)
        return [read(e, graph) for e in every]

    @property
    def autonomous(self) -> bool:
        """Does the time occur nowhere, neither in the equations nor in what is met?"""
        return is_autonomous(self.equations, self.policy.walls, self.events)

    def surfaces(self, y: np.ndarray, t: float, parameters: Mapping[str, float] | None = None) -> np.ndarray:
        """Values of guards, of the gaps of contacts and of what events set, perhaps at other parameters."""
        values = {
            **self.start.parameters,
            **(parameters or {}),
            **dict(zip(self.equations.states, y.tolist(), strict=True)),
            TIME.name: t,
        }
        return np.array(evaluate(self._surfaces, values), float)

    def _through(
        self, start: Start, S: np.ndarray, stops: Sequence[float], parameter: str | None
    ) -> tuple[np.ndarray, np.ndarray] | None:
        """`moved` through what happens on the way (E319 where that has no derivatives), which no way leads back."""
        if stops[-1] < start.t:
            return None
        try:
            moving = motion(self.equations, start, self.policy, self.events, float(stops[-1]))
            return directions(moving, self.policy, S, np.array(stops, float), parameter)
        except InvalidValue:
            raise
        except DalembertError:
            return None


@contextmanager
def quiet() -> Iterator[None]:
    """Without a word: of starts that are known to be right nothing is doubted, as of one beyond a guard."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DalembertWarning)
        yield


def surfaces_of(equations: Equations, walls: bool, events: Sequence[Event] = ()) -> list[sp.Expr]:
    """What is 0 where walls, contacts and events are met, and what events set."""
    system, acting = equations.system, [(e.guard, e.then) for e in events if isinstance(e.then, Mapping)]
    met = [*(w.guard for w in system.walls if walls), *(c.gap for c in system.contacts)]
    return [*met, *(e for guard, then in acting for e in (guard, *then.values()) if isinstance(e, sp.Expr))]


def is_autonomous(equations: Equations, walls: bool, events: Sequence[Event] = ()) -> bool:
    """Does the time occur nowhere, neither in the equations nor in what is met?"""
    every = (*surfaces_of(equations, walls, events), *(e for c in equations.system.contacts for e in c.expressions))
    return equations.system.autonomous and not any(TIME.name == s.name for e in every for s in e.free_symbols)


def _jumps(equations: Equations, policy: Policy) -> InvalidValue | None:
    """E319, of walls or forces that switch, at which derivatives jump; None where there are none."""
    if policy.walls and equations.system.walls:
        names = ", ".join(wall.name for wall in equations.system.walls)
        remedy = Option("walls", False), " goes through them"
        return InvalidValue("E319", f"derivatives jump at the walls {names}", remedy)
    if switches([*equations.machine.form.f, *equations.machine.form.g]):
        return InvalidValue("E319", "a force switches, and derivatives jump there", "smooth the force")
    return None
