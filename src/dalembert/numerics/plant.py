"""A plant: a motion that is carried on step by step, each with inputs of its own, as a control loop asks for it.

The usual method goes from one step to the next in machine code whose arguments are laid out once; Python hands over the
inputs and takes the state. It begins in the speeds of the lean form, and goes on as the equations are written where
these come near a pole.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np

from ..calculus.frame import TIME
from ..calculus.graph import symbols
from ..calculus.quantity import quantity
from ..equations import Equations, Start
from ..equations.check import slip_speeds
from ..equations.complete import state_of
from ..equations.steering import NOMINAL, named
from ..errors import InvalidValue, Singular, about, as_given
from ..errors.remedies import Call
from ..given import kind, noun, number, public
from ..trajectory import Columns
from .events.guard import switches
from .machine.calls import map_rows
from .methods.dop853 import Dop853
from .methods.dop853.stepper import Stepper
from .methods.method import FARTHER, MARGIN_LIMIT, Request, turning
from .methods.stepping import Status
from .policy import Policy
from .run.integrate import REASONS
from .run.jumps import work_of_jump
from .vector_field.field import Field
from .vector_field.plan import PREAMBLE

_CHUNK = 64  # steps of the method between two looks


@noun
class Plant:
    """A motion under way. Made by `plant`.

    Attributes:
        inputs: names of what each step is given, in order.
        states: names of the states.
        every: the time of a step.
    """

    def __init__(self, field: Field, policy: Policy, every: float) -> None:
        system = field.equations.system
        self.every, self.inputs, self.states = every, tuple(system.inputs), field.equations.states
        self._policy, self._begun = policy, field
        self._felt = bool(symbols([field.equations.machine.energy]) & {*self.inputs})
        self._known = frozenset(self.inputs)
        self.reset()

    def reset(self) -> Columns:
        """Back to the start, with no inputs given yet; the states there."""
        self._values = [math.nan] * len(self.inputs)
        self._t0, self._count = self._begun.start.t, 0
        self._go(self._begun, self._t0, self._begun.first)
        return self.state

    def copy(self) -> Plant:
        """Another plant that is where this one is, and goes on without it."""
        twin = object.__new__(Plant)
        twin.__dict__.update(self.__dict__)
        twin._values = list(self._values)
        twin._go(self._field, self.t, self._stepper.y, self._stepper.h)
        twin._stepper.p[:] = self._stepper.p
        return twin

    def _go(self, field: Field, t: float, y: np.ndarray, h: float = 0.0) -> None:
        """Go on in the states of a field."""
        self._field, names = field, field.kernel.parameters
        stepper = self._policy.method.stepper(field, _request(field, self._policy))
        assert isinstance(stepper, Stepper)
        stepper.restart(t, np.array(y), h)
        self._stepper = stepper
        self._places = [names.index(n) if n in names else -1 for n in self.inputs]
        self._at, self._full, self._fill = (np.zeros(1), np.zeros((1, len(y)))), stepper.y, None
        if field.lean is not None:
            out = np.empty((1, len(self.states) + 1))
            parameters = np.array([field.parameters[name] for name in names])
            into = field.kernel.library.address("full"), self._at[0], stepper.y[None], parameters, out
            self._full, self._fill, self._others = out[0], map_rows.prepared(*into), parameters
        self._advance, self._still = stepper.prepared(_CHUNK), np.zeros(field.kernel.preamble)
        if len(self._still):
            # what depends on parameters alone, as `Kernel.changed` computes it
            address = field.kernel.library.address(PREAMBLE)
            self._prepare = map_rows.prepared(address, *self._at, stepper.p, self._still[None])

    @property
    def t(self) -> float:
        """The time reached."""
        return self._stepper.t

    @property
    def state(self) -> Columns:
        """The states by name; they start another run too."""
        t = self.t
        if self._fill is not None:
            self._at[0][0] = t
            self._fill(0.0)
        found = Columns(zip(self.states, self._full.tolist(), strict=False))
        found.states, found.t = self.states, t
        return found

    @property
    def work(self) -> float:
        """What was supplied since the start by forces, inputs and moving constraints."""
        return float(self._stepper.y[-1])

    def step(self, inputs: Mapping[str, float] | Sequence[float] | None = None) -> Columns:
        """Go on by one step while the inputs stand still.

        Args:
            inputs: values of all inputs by name, or in their order; left out, they stay as they are.

        Returns:
            The states by name.

        Raises:
            UnknownName: E180 an input without a value, E181 a name that is no input's.
            InvalidValue: E182 not as many as there are, E203 to E207 for values that are none.
            Singular: E4xx, the motion cannot go on; the plant stays where it was.
        """
        if inputs is not None or any(map(math.isnan, self._values)):
            self._take(inputs)
        self._reach(self._t0 + (self._count + 1) * self.every)
        self._count += 1
        return self.state

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
            self._change(row)

    def _in_order(self, inputs: object) -> list[object]:
        """Values that were not given by the right names, and those that were."""
        equations = self._field.equations
        if inputs is None or isinstance(inputs, Mapping):
            given = {} if inputs is None else named(equations, inputs)
            equations.system.check_inputs(given)
            return [given.get(name, NOMINAL) for name in self.inputs]  # what is not used anywhere may be left out
        row = list(inputs) if isinstance(inputs, Sequence | np.ndarray) and np.ndim(inputs) == 1 else []
        if len(row) != len(self.inputs):
            fact = f"a step takes {len(self.inputs)} inputs, {', '.join(self.inputs) or 'none'}, not {as_given(inputs)}"
            raise InvalidValue("E182", fact, "plant.step({" + ", ".join(f'"{n}": 0.0' for n in self.inputs) + "})")
        return [float(value) if isinstance(value, np.number) else value for value in row]

    def _number(self, name: str, value: object) -> float:
        with about("inputs", name):
            read = quantity(value, name)
            if read.dimension is not None:
                self._field.equations.system.fits({name: read.dimension}, "inputs")
            return read.value

    def _change(self, row: Sequence[float]) -> None:
        """Other inputs from here on."""
        if self._felt and not any(map(math.isnan, self._values)):
            old, new = (dict(zip(self.inputs, values, strict=True)) for values in (self._values, row))
            begun = self._field.with_values(old)
            self._stepper.y[-1] += work_of_jump(begun, begun.with_values(new), self.t, self._stepper.y)
        self._values, p = list(row), self._stepper.p
        for place, value in zip(self._places, row, strict=True):
            if place >= 0:
                p[place] = value
        if len(self._still):
            self._prepare(0.0)
            p[-len(self._still) :] = self._still

    def _reach(self, end: float) -> None:
        """Go on to a time; where the speeds of the lean form come near a pole, as the equations are written."""
        t, y, h = self.t, self._stepper.y.copy(), self._stepper.h
        status = self._advance(end)
        if status == Status.END:
            return
        self._stepper.restart(t, y, h)
        if self._field.lean is not None:
            written = self._field.as_written()
            p = self._stepper.p
            full = self._field.full(np.array([t]), y[None])[0]
            values = dict(zip(self._field.kernel.parameters, p.tolist(), strict=False))
            self._go(written.with_values(values), t, full)
            self._reach(end)
            return
        code, words = REASONS[Status(status)]
        words = words if isinstance(words, str) else self._policy.method.stuck
        raise Singular(
            code, f"at t = {t:.10g}: {words}", "the plant stays where it was: another input, or plant.reset()"
        )


def _request(field: Field, policy: Policy) -> Request:
    """What a plant asks of its stepper: no path between the ends of its steps."""
    lean = field.lean
    return Request(
        rtol=policy.rtol,
        atol=policy.tolerances(field.states, field.first[:-1]),
        max_step=policy.max_step,
        max_steps=policy.most_steps,
        dense=False,
        margin_limit=MARGIN_LIMIT if lean is None else FARTHER * turning(lean),
        margin_low=0.0 if lean is None else turning(lean),
    )


@public
def plant(
    equations: Equations,
    start: object,
    *,
    step: float = 1e-3,
    parameters: Mapping[str, object] | None = None,
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
        options: those of `Policy` for the method dop853.

    Raises:
        DalembertError: those of `Equations.start`; E182 for the step, E305 to E313 for options.
        InvalidValue: E185, an input stands in a constraint or in the momenta, which would jump with it; E188, walls,
            dry friction or forces that jump, which a plant does not look for.
    """
    every, policy = prepared(kind(Equations, equations, "plant"), step, options)
    unset = dict.fromkeys(equations.system.inputs, NOMINAL)
    state = state_of(equations, start, {**unset, **(parameters or {})})
    return begun(equations, state, policy, every)


def prepared(equations: Equations, step: float, options: Mapping[str, object]) -> tuple[float, Policy]:
    """The time of a step and the policy of plants, or what refuses them."""
    every = number(step, "step", "E182", above=0.0)
    policy = Policy.of({name: value for name, value in options.items() if name != "step"})
    if not isinstance(policy.method, Dop853):
        raise InvalidValue("E307", f"a plant is not made by method={as_given(policy.method.word)}", "leave method out")
    system = equations.system
    for name in system.shaping if system.inputs else ():
        fact = f"the input {name} of a plant jumps from step to step, and velocities with it: it stands in "
        raise InvalidValue("E185", fact + system.shaping[name], "make it a coordinate of its own, driven by a force")
    _check_smooth(equations, policy)
    return every, policy


def begun(equations: Equations, start: Start, policy: Policy, every: float) -> Plant:
    """A plant at its start."""
    equations = equations.rows_at({**start.parameters, **start.state, TIME.name: start.t})
    return Plant(policy.leanest_field(equations, start), policy, every)


def going_on(plant: Plant, count: int, values: Sequence[float], y: np.ndarray, h: float) -> Plant:
    """The plant after so many steps, with these inputs, at a state of its form and with the size of the next."""
    plant._change(values)
    plant._count = count
    plant._stepper.restart(plant._t0 + count * plant.every, y, h)
    return plant


def _check_smooth(equations: Equations, policy: Policy) -> None:
    """E188: something that a run has to land on."""
    form = equations.machine.form
    system = equations.system
    found = [*(wall.name for wall in system.walls if policy.walls), *(contact.name for contact in system.contacts)]
    found += slip_speeds(equations)
    found += [guard.event.name for guard in switches([*form.f, *form.g])]
    if found:
        fact = f"a plant does not land on what acts at an instant: {found[0]}"
        remedy = (Call("simulate", "equations, start, until=..., inputs={...}"), " does; or regularise the law")
        raise InvalidValue("E188", fact, remedy)
