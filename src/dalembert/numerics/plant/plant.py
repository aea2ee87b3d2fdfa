"""A plant: a motion that is carried on step by step, each with inputs of its own, as a control loop asks for it."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np

from ...argument_checks import kind, noun, number, overriding, public
from ...calculus.frame import TIME
from ...calculus.quantity import quantity
from ...equations import Equations, Start
from ...equations.contact_modes import refuse_contacts
from ...equations.input_values import NOMINAL, named, of_one_instant
from ...equations.start_completion import state_of
from ...errors import InvalidValue, Singular, about, as_given
from ...event import Event
from ...trajectory import Audit, Columns
from ..events.guard import Guard, events_of, with_walls
from ..events.narrow_features import places_of
from ..policy import Policy
from ..run import audit
from ..run.contact_mode import Runner, runner_of
from ..run.run_context import Leg, Run, Spent
from ..run.simulate import guards_of
from ..vector_field.field import Field
from .motion import SPAN, Changing, Swift, Watched, check_begin

STAYS = "the plant stays where it was: another input, or plant.reset()"


class PlantMotion(Protocol):
    """What goes on for a plant: `Swift`, `Watched` or `Changing`."""

    @property
    def t(self) -> float:
        """The time reached."""

    @property
    def full(self) -> np.ndarray:
        """The full row."""

    @property
    def field(self) -> Field:
        """The equations at the present inputs."""

    @property
    def spent(self) -> Spent:
        """What it has cost."""

    @property
    def stopped(self) -> str:
        """The event that stopped it."""

    @property
    def happened(self) -> Mapping[str, Sequence[float]]:
        """Times of events on the last way."""

    @property
    def modes(self) -> list[tuple[float, str, str]]:
        """What contacts did, and from when on."""

    @property
    def held(self) -> Mapping[str, float]:
        """How far it is off what contacts keep, by name."""

    def put(self, row: Sequence[float]) -> None:
        """Other inputs from here on."""

    def reach(self, end: float) -> None:
        """Go on to a time."""

    def copy(self) -> PlantMotion:
        """Another motion that goes on alone."""


@dataclass(frozen=True, eq=False)
class PlantStart:
    """What a plant begins with.

    Attributes:
        field, policy: what moves, from where, and how.
        guards: what acts at an instant.
        every: the time of a step.
        events: that were given.
        runner: of the modes of contacts; None where there are none.
    """

    field: Field
    policy: Policy
    guards: tuple[Guard, ...]
    every: float
    events: object = ()
    runner: Runner | None = None

    def motion(self) -> PlantMotion:
        """At the start."""
        inputs = self.field.equations.system.inputs
        if self.runner is not None:
            return Changing(self.field, self.runner, inputs, SPAN * self.every)
        if self.guards or places_of(self.field.equations) or self.policy.method.pair is None:
            return Watched(self.field, self.policy, inputs, self.guards)
        return Swift(self.field, self.policy, inputs)


@noun
class Plant:
    """A motion under way. Made by `plant`.

    Attributes:
        inputs: names of what each step is given, in order.
        states: names of the states.
        every: the time of a step.
    """

    def __init__(self, begun: PlantStart) -> None:
        equations = begun.field.equations
        self.every, self.inputs, self.states = begun.every, tuple(equations.system.inputs), equations.states
        self._begun, self._equations = begun, equations
        self._known = frozenset(self.inputs)
        self.reset()

    def reset(self) -> Columns:
        """Back to the start, with no inputs given yet; the states there."""
        self._values = [math.nan] * len(self.inputs)
        self._t0, self._count = self._begun.field.start.t, 0
        self._motion = self._begun.motion()
        self._first: tuple[Field, np.ndarray] | None = None
        return self.state

    def copy(self) -> Plant:
        """Another plant that is where this one is, and goes on without it."""
        twin = object.__new__(Plant)
        twin.__dict__.update(self.__dict__)
        twin._values, twin._motion = list(self._values), self._motion.copy()
        return twin

    @property
    def t(self) -> float:
        """The time reached."""
        return self._motion.t

    @property
    def state(self) -> Columns:
        """The states by name; they start another run too."""
        found = Columns(zip(self.states, self._motion.full.tolist(), strict=False))
        found.states, found.t = self.states, self._motion.t
        return found

    @property
    def work(self) -> float:
        """What was supplied since the start by forces, inputs, walls and moving constraints."""
        return float(self._motion.full[-1])

    @property
    def happened(self) -> dict[str, list[float]]:
        """When walls were met and events happened within the last step, by name."""
        return {name: list(times) for name, times in self._motion.happened.items()}

    @property
    def modes(self) -> list[tuple[float, str, str]]:
        """``(t, contact, mode)`` of each contact at the start and wherever it changed, as `Trajectory.modes`; of the
        last 10 000 changes, as a plant may go on without end.

        Contacts are apart, slide or stick; what they do at the start is decided with the inputs of the first step.
        """
        return self._motion.modes

    @property
    def stopped_by(self) -> str:
        """The event that stopped the motion, after which it makes no more steps; empty where none did."""
        return self._motion.stopped

    @property
    def audit(self) -> Audit:
        """What is true of the motion where it is: constraints, energy against the work since the first step, momenta.

        As that of a run that was looked at where it began and where it ends.
        """
        now, t = self._motion.full.copy(), self._motion.t
        field, start = self._first or (self._begun.field, np.append(self._begun.field.start.vector, 0.0))
        legs = [Leg(field, (), [np.array([self._t0])], [start[None]])]
        legs.append(Leg(self._motion.field, (), [np.array([t])], [now[None]]))
        run = Run(legs, outcome=f"reached t = {t:g}", spent=self._motion.spent)
        rows = np.vstack([np.append(self._t0, start), np.append(t, now)])
        found = audit.examine(self._begun.policy, run, rows, rows, 0.0, tuple)
        held = {**found.constraints, **self._motion.held}
        return replace(found, constraints=held, constraint_residual=max(held.values(), default=0.0))

    def step(self, inputs: Mapping[str, float] | Sequence[float] | None = None) -> Columns:
        """Go on by one step while the inputs stand still, or to an event that stops.

        Args:
            inputs: values of all inputs by name, or in their order; left out, they stay as they are.

        Returns:
            The states by name.

        Raises:
            UnknownName: E180 an input without a value, E181 a name that is no input's.
            InvalidValue: E182 not as many as there are, E203 to E207 for values that are none; E188, it was stopped;
                E130, E138, coefficients that no contact has.
            Singular: E4xx, the motion cannot go on; the plant stays where it was.
        """
        if self._motion.stopped:
            fact = f"the plant was stopped by {as_given(self._motion.stopped)} at t = {self._motion.t:.10g}"
            raise InvalidValue("E188", fact, "plant.reset()")
        if inputs is not None or any(map(math.isnan, self._values)):
            self._take(inputs)
        if self._first is None:
            self._first = self._motion.field, np.append(self._begun.field.start.vector, 0.0)
        try:
            self._motion.reach(self._t0 + (self._count + 1) * self.every)
        except Singular as error:
            raise Singular(error.code, error.fact, STAYS) from None
        self._count += 1
        return self.state

    def check_names(self, given: Mapping[str, object]) -> None:
        """E181: a name that is no input's."""
        named(self._equations, given)

    def _take(self, inputs: object) -> None:
        """Values of inputs into their places."""
        if isinstance(inputs, Mapping) and inputs.keys() == self._known:
            given: list[object] = [inputs[name] for name in self.inputs]
        else:
            given = self._in_order(inputs)
        row = [
            value if type(value) is float and math.isfinite(value) else self._number(name, value)
            for name, value in zip(self.inputs, given, strict=True)
        ]
        if row != self._values:
            self._motion.put(row)
            self._values = row

    def _in_order(self, inputs: object) -> list[object]:
        """Values that were not given by the right names, and those that were."""
        if inputs is None or isinstance(inputs, Mapping):
            given = {} if inputs is None else named(self._equations, inputs)
            self._equations.system.check_inputs(given)
            return [given.get(name, NOMINAL) for name in self.inputs]  # what is not used anywhere may be left out
        row = list(inputs) if isinstance(inputs, Sequence | np.ndarray) and np.ndim(inputs) == 1 else []
        if len(row) != len(self.inputs):
            fact = f"a step takes {len(self.inputs)} inputs, {', '.join(self.inputs) or 'none'}, not {as_given(inputs)}"
            raise InvalidValue("E182", fact, "plant.step({" + ", ".join(f'"{n}": 0.0' for n in self.inputs) + "})")
        return [float(value) if isinstance(value, np.number) else value for value in row]

    def _number(self, name: str, value: object) -> float:
        with about("inputs", name):
            read = quantity(of_one_instant(name, value), name)
            if read.dimension is not None:
                self._equations.system.fits({name: read.dimension}, "inputs")
            return read.value


@public
def plant(
    equations: Equations,
    start: object,
    *,
    step: float = 1e-3,
    parameters: Mapping[str, object] | None = None,
    events: Sequence[Event] = (),
    **options: object,
) -> Plant:
    """A motion that goes on step by step, each with inputs of its own.

        plant = da.plant(equations, start, step=0.001)
        state = plant.step({"tau_l": 0.1, "tau_r": 0.0})
        plant.t, state["x"]

    Args:
        equations: of a system with inputs, or without.
        start: a `Start`, or what it is completed from; it need not know the inputs.
        step: the time of a step.
        parameters: values that replace those of the start.
        events: as of `simulate`; walls and contacts that the system declares are met without being listed.
        options: those of `Policy`.

    Raises:
        DalembertError: those of `Equations.start`; E182 for the step, E305 to E316 for options and events.
        InvalidValue: E185, an input stands in a constraint, in the momenta or in the gap of a contact, and velocities
            would jump with it; E186, it stands in a wall; E139, contacts of motions that change no modes; E240, E410, a
            start behind a contact.
    """
    every, policy = prepared(kind(Equations, equations, "plant"), step, options)
    unset = dict.fromkeys(equations.system.inputs, NOMINAL)
    state = state_of(equations, start, {**unset, **overriding(parameters)})
    return begun(equations, state, policy, every, events)


def prepared(equations: Equations, step: float, options: Mapping[str, object]) -> tuple[float, Policy]:
    """The time of a step and the policy of plants, or what refuses them."""
    every = number(step, "step", "E182", above=0.0)
    policy = Policy.of({name: value for name, value in options.items() if name != "step"})
    system = equations.system
    for name, place in {**system.shaping, **system.moving_gaps}.items() if system.inputs else ():
        fact = f"the input {name} of a plant jumps from step to step, and velocities with it: it stands in {place}"
        raise InvalidValue("E185", fact, "make it a coordinate of its own, driven by a force")
    if equations.contacts is None:
        refuse_contacts(equations, f"{equations.principle} motions do not change their modes")
    return every, policy


def begun(equations: Equations, start: Start, policy: Policy, every: float, events: object = ()) -> Plant:
    """A plant at its start."""
    equations = equations.rows_at({**start.parameters, **start.state, TIME.name: start.t})
    field = policy.leanest_field(equations, start)
    given = with_walls(events, equations, policy.walls, equations.system.inputs)
    guards = guards_of(given, field)
    made = PlantStart(field, policy, guards, every, events)
    if equations.contacts is not None:
        runner = runner_of(equations, start, policy, events_of(events, equations), math.inf)
        check_begin(runner, every)
        made = replace(made, runner=runner)
    return Plant(made)


def placed(plant: Plant, start: object) -> Plant:
    """The same plant from another start."""
    old, unset = plant._begun, dict.fromkeys(plant.inputs, NOMINAL)
    state = state_of(plant._equations, start, {**old.field.start.parameters, **unset})
    return begun(plant._equations, state, old.policy, old.every, old.events)


def going_on(plant: Plant, count: int, values: Sequence[float], y: np.ndarray, h: float) -> Plant:
    """The plant after so many steps, with these inputs, at a state of its form and with the size of the next."""
    motion = plant._motion
    assert isinstance(motion, Swift)
    plant._values, plant._count = list(values), count
    motion.at(values, plant._t0 + count * plant.every, y, h)
    plant._first = plant._first or (motion.field, np.append(plant._begun.field.start.vector, 0.0))
    return plant
