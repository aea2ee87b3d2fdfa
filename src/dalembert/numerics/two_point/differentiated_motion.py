"""A motion from one point, with its derivatives by what is free there, at any times: smooth, or in stretches."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from ...calculus.frame import TIME
from ...equations import Equations, Start
from ...equations.contact_modes import refuse_contacts
from ...errors import InvalidValue
from ...errors.remedies import Option
from ...event import Event
from ...trajectory import Trajectory
from ..events.guard import compile_guards, switches, with_walls
from ..inputs.run_inputs import Steering
from ..policy import Policy
from ..run.simulate import check_made_for, simulate
from ..sensitivities.flow_derivatives import TangentFlow, directions
from ..sensitivities.sensitivities import check_modes
from ..sensitivities.smooth_segments import StretchedMotion, motion

# --- What a motion may meet between its ends: walls, jumps, contacts, forces that switch, inputs that change ---------

KEPT = ("rtol", "atol", "method", "stabilisation", "max_step", "max_steps", "seconds", "walls")


@dataclass(frozen=True, eq=False)
class OnTheWay:
    """What motions of some equations may meet.

    Attributes:
        equations, inputs: as they were given.
        steering: what drives the inputs.
        events: the given ones.
        acting: names of what may make the velocities jump: contacts, walls, events.
        breaks: may anything be met at all?
    """

    equations: Equations
    inputs: Mapping[str, object] | None
    steering: Steering
    events: Sequence[Event]
    acting: tuple[str, ...]
    breaks: bool

    @classmethod
    def of(
        cls,
        given: tuple[Equations, Mapping[str, object] | None],
        equations: Equations,
        steering: Steering,
        events: object,
        policy: Policy,
        times: tuple[float, float],
    ) -> OnTheWay:
        """What is met between two times; `equations` know the formulas of the inputs.

        Raises:
            InvalidValue: E131, a jump of another system, or of other motions; E139, contacts of motions that have no
                modes, or with inputs that change; E319, an input that is a function of Python.
            DalembertError: E316, what is wrong with an event.
        """
        if equations.contacts is None:
            refuse_contacts(equations, f"{equations.principle} motions do not change their modes")
        check_modes(equations, steering)
        _check_seen(steering)
        every = [e for e in with_walls(events, equations, policy.walls, steering.jumping) if e.then != "mark"]
        for event in every:
            check_made_for(event, equations)
        system, form = equations.system, equations.machine.form
        compile_guards(every, equations.states, {**system.parameters, **dict.fromkeys(steering.coefficients, 0.0)})
        acting = (*(c.name for c in system.contacts), *(e.name for e in every if e.jumps))
        changes = steering.after(times[0], times[1]) < times[1]
        breaks = bool(acting or every or changes or switches([*form.f, *form.g]))
        mine = {wall.name for wall in system.walls}
        return cls(*given, steering, [e for e in every if e.name not in mine], acting, breaks)

    def motion(self, equations: Equations, start: Start, policy: Policy, end: float) -> StretchedMotion:
        """The motion from a start, in stretches (E319 where there are no derivatives at what happens on the way)."""
        equations = equations.rows_at({**start.parameters, **start.state, TIME.name: start.t})
        return motion(equations, start, policy, self.events, end, self.steering)

    def run(self, start: Start, end: float, policy: Policy) -> Trajectory:
        """The whole path from a start, which is one of the equations as they were given."""
        options = {name: getattr(policy, name) for name in KEPT}
        return simulate(self.equations, start, until=end, events=self.events, inputs=self.inputs, **options)

    def along(self, t: np.ndarray) -> dict[str, np.ndarray]:
        """Coefficients of what the inputs are given by, at times (N,)."""
        return {name: values for drive in self.steering.drives for name, values in drive.along(t).items()}


def _check_seen(steering: Steering) -> None:
    """E186: a function of Python, which is asked once."""
    for drive in steering.drives:
        if drive.sampled is not None:
            fact = f"the input {drive.name} is given by a function, and two_point asks for motions again and again"
            remedy = "give a number, a table, or a formula of t and states: ", Option("inputs", {drive.name: "sin(t)"})
            raise InvalidValue("E186", fact, remedy, subject=("inputs", drive.name))


# ---------------------------------------------------------------------------------------------------------------------
# A motion and its derivatives along any directions at the start; directions carry no names here, since which velocities
# are free is decided anew at every start.


class Flight(Protocol):
    """A motion that was begun."""

    @property
    def cuts(self) -> Sequence[float]:
        """Times inside at which it goes on otherwise."""

    @property
    def met(self) -> Sequence[str]:
        """What happens, in order."""

    def at(self, times: np.ndarray) -> tuple[np.ndarray, np.ndarray] | None:
        """States (N, n) and derivatives (N, n, d) at times that rise; None where the motion ends before."""


@dataclass(frozen=True, eq=False)
class Smooth:
    """A motion on which nothing happens.

    Attributes:
        flow: what carries it with its derivatives.
        rows: the start with derivatives there.
    """

    flow: TangentFlow
    rows: np.ndarray
    cuts: Sequence[float] = ()
    met: Sequence[str] = ()

    def at(self, times: np.ndarray) -> tuple[np.ndarray, np.ndarray] | None:
        """As of `Flight`."""
        found = self.flow.carry(self.flow.field.start.t, self.rows, times)
        return None if found is None else self.flow.split(found)


@dataclass(frozen=True, eq=False)
class EventfulFlight:
    """A motion that meets something on its way.

    Attributes:
        motion: in stretches.
        policy: how each is integrated.
        S: derivatives at the start (n, d).
    """

    motion: StretchedMotion
    policy: Policy
    S: np.ndarray

    @property
    def cuts(self) -> Sequence[float]:
        """As of `Flight`."""
        return [stretch.end for stretch in self.motion.stretches[:-1]]

    @property
    def met(self) -> Sequence[str]:
        """As of `Flight`."""
        return self.motion.met

    def at(self, times: np.ndarray) -> tuple[np.ndarray, np.ndarray] | None:
        """As of `Flight`.

        Raises:
            InvalidValue: E319, an instant without derivatives.
        """
        return directions(self.motion, self.policy, self.S, np.asarray(times, float))
