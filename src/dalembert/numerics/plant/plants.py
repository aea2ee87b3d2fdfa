"""Many plants: motions that are carried on step by step together, in the lanes of the vector registers.

Each has the bits that it has as a plant alone. One that comes near a pole of its lean form leaves the lanes and goes on
as a plant of its own.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from ...argument_checks import kind, noun, overriding, public
from ...calculus.graph import symbols
from ...calculus.quantity import quantity
from ...equations import Equations
from ...equations.determinacy import slip_speeds
from ...equations.input_values import NOMINAL, named
from ...errors import InvalidValue, Singular, WrongType, about, as_given
from ...event import Event
from ...trajectory import Columns
from ..ensembles.explicit_lanes import run_all
from ..ensembles.lanes import LaneResults, Lanes, LaneTask
from ..ensembles.members_in_lanes import LaneProgram, groups, room_for
from ..ensembles.results import Ensemble
from ..events.guard import events_of, switches, with_walls
from ..events.narrow_features import places_of
from ..machine.batch_calls import map_lanes
from ..machine.compiler import Library
from ..methods.method import turning
from ..policy import Policy
from ..sweep.member_starts import Starts, complete, first_of
from ..sweep.parameter_grid import Inputs, table
from ..sweep.parameter_grid import read as read_starts
from ..vector_field.kernel_plan import PREAMBLE
from .plant import Plant, begun, going_on, prepared


@dataclass(frozen=True, eq=False)
class Fleet:
    """Motions in the same states and the same code.

    Attributes:
        rows: which motions these are (k,).
        program: what is compiled for them.
        task: where they are, and where they are to go.
        counts: steps, refused steps and evaluations so far (k, 3).
        start: where they began.
        derived: has ``energy``, of a full row.
    """

    rows: np.ndarray
    program: LaneProgram
    task: LaneTask
    counts: np.ndarray
    start: LaneTask
    derived: Library

    @classmethod
    def of(
        cls, program: LaneProgram, rows: np.ndarray, states: np.ndarray, parameters: Mapping[str, np.ndarray]
    ) -> Fleet:
        """The motions from full states (k, n), with parameters (k,)."""
        values, p = program.starts(states, parameters)
        task = program.task(values, p, 0.0 if program.lean is None else turning(program.lean))
        return cls(rows, program, task, np.zeros((len(rows), 3), np.int64), _copied(task), program.kernel.derived)

    def copy(self) -> Fleet:
        """The same motions, which go on alone."""
        return replace(self, task=_copied(self.task), counts=self.counts.copy())

    @cached_property
    def _room(self) -> tuple[LaneResults, Lanes, tuple[np.ndarray, ...]]:
        """Kept for as long as the loop is: motions are carried on in place, from where they were before."""
        task, counts = self.task, self.counts
        found = room_for(task, 0)._replace(t=task.t, y=task.starts, h=task.h, counts=counts)
        before = tuple(map(np.copy, (task.t, task.starts, task.h, counts)))
        return found, self.program.lanes_for(task, 0), before

    @cached_property
    def _go(self) -> Callable[[float], object]:
        """The loop, its arguments laid out once."""
        code = self.program.code._replace(rounds=0)  # few steps are made at a time
        return run_all.prepared(code, self.task, *self._room[:2])

    def put(self, names: tuple[str, ...], old: np.ndarray, new: np.ndarray) -> None:
        """Other values of parameters (k, m) from here on; `old` are NaN where there are none yet."""
        kernel, p = self.program.kernel, self.task.parameters
        felt = symbols([self.program.ensemble.equations.machine.energy]) & {*names}
        before = p.copy() if felt else p
        for i, name in enumerate(names):
            if name in kernel.parameters:
                p[:, kernel.parameters.index(name)] = new[:, i]
        if kernel.preamble:
            first = len(kernel.parameters) + kernel.behind - kernel.preamble
            address, zeros = kernel.library.address(PREAMBLE), np.zeros(len(p))
            found = map_lanes(address, self.program.width, zeros, p, p, kernel.preamble)
            p[:, first : first + kernel.preamble] = found
        if felt:
            again = np.isfinite(old).all(axis=1)
            self.task.starts[again, -1] += (self._energy(p) - self._energy(before))[again]

    def _energy(self, p: np.ndarray) -> np.ndarray:
        return map_lanes(self.derived.address("energy"), 1, self.task.t, self.full, p, 1)[:, 0]

    @property
    def full(self) -> np.ndarray:
        """Full rows (k, n + 1)."""
        task = self.task
        if self.program.lean is None:
            return task.starts
        return self.program.between("full", task.t, task.starts, task.parameters)

    def onwards(self, ends: np.ndarray) -> np.ndarray:
        """Carry on to times (k,); positions of motions that stayed where they were."""
        found, _, before = self._room
        now = self.task.t, self.task.starts, self.task.h, self.counts
        for mine, old in zip(now, before, strict=True):
            np.copyto(old, mine)
        self.task.ends[:] = ends
        self._go(0.0)
        away = np.flatnonzero(found.status)
        for mine, old in zip(now, before, strict=True) if len(away) else ():
            mine[away] = old[away]
        return away

    def reset(self, chosen: np.ndarray) -> None:
        """Back to the start, those that are chosen (k,); parameters stay."""
        task, start = self.task, self.start
        for mine, first in ((task.t, start.t), (task.starts, start.starts), (task.h, start.h)):
            mine[chosen] = first[chosen]
        self.counts[chosen] = 0


def _copied(task: LaneTask) -> LaneTask:
    moved = {name: getattr(task, name).copy() for name in ("t", "ends", "starts", "h", "parameters")}
    return task._replace(**moved)


@dataclass(frozen=True, eq=False)
class PlantFamily:
    """What many plants have in common: equations and policy, the starts that were given, the time of a step, events."""

    equations: Equations
    policy: Policy
    given: Inputs
    starts: Starts
    every: float
    events: Sequence[Event]

    @property
    def apart(self) -> bool:
        """Is each member carried on alone, as something acts at an instant, or the method has no lanes?"""
        form, policy = self.equations.machine.form, self.policy
        met = with_walls(self.events, self.equations, policy.walls) or slip_speeds(self.equations)
        jumps = switches([*form.f, *form.g]) or self.equations.contacts is not None
        return bool(met or jumps or places_of(self.equations)) or policy.method.pair is None

    def alone(self, member: int) -> Plant:
        """A member as a plant of its own, at its start."""
        return begun(self.equations, first_of(self.equations, self.given, member), self.policy, self.every, self.events)


@noun
class Plants:
    """Motions under way. Made by `plants`.

    Attributes:
        inputs: names of what each step is given, in order.
        states: names of the states.
        every: the time of a step.
        members: how many there are.
    """

    def __init__(self, family: PlantFamily) -> None:
        equations, starts = family.equations, family.starts
        self.inputs, self.states, self.every = tuple(equations.system.inputs), equations.states, family.every
        self.members, self._family = len(starts.code), family
        ensemble = Ensemble(equations, family.policy, family.given.t0, math.inf)
        every = np.arange(self.members)
        others = every if family.apart else np.concatenate([every[:0], *starts.rows.values()])
        usual = np.setdiff1d(every, others)
        columns = {name: column[usual] for name, column in starts.parameters.items()}
        self._fleets = [
            Fleet.of(
                LaneProgram.of(ensemble, form),
                usual[rows],
                starts.states[usual[rows]],
                {name: column[rows] for name, column in columns.items()},
            )
            for rows, form in groups(ensemble, starts.states[usual], columns)
            if len(rows)
        ]
        self._apart = frozenset(others.tolist())  # members that are never in lanes
        self._alone: dict[int, Plant] = {int(k): family.alone(int(k)) for k in others}
        self._values = np.full((self.members, len(self.inputs)), np.nan)
        self._count = np.zeros(self.members, np.int64)

    def reset(self, members: ArrayLike | None = None) -> Columns:
        """Back to the start, all or those that are named by numbers or chosen by a mask; the states of all."""
        chosen = self._chosen(members)
        for fleet in self._fleets:
            fleet.reset(chosen[fleet.rows])
        for k in np.flatnonzero(chosen).tolist():
            if k in self._apart:
                self._alone[k].reset()
            else:
                self._alone.pop(k, None)
        self._count[chosen], self._values[chosen] = 0, np.nan
        return self.state

    def copy(self) -> Plants:
        """Other plants that are where these are, and go on without them."""
        twin = object.__new__(Plants)
        twin.__dict__.update(self.__dict__)
        twin._fleets = [fleet.copy() for fleet in self._fleets]
        twin._alone = {k: one.copy() for k, one in self._alone.items()}
        twin._values, twin._count = self._values.copy(), self._count.copy()
        return twin

    @property
    def t(self) -> np.ndarray:
        """The times reached (members,)."""
        t = self._family.given.t0 + self._count * self.every
        t[list(self._alone)] = [one.t for one in self._alone.values()]
        return t

    @property
    def state(self) -> Columns:
        """The states by name, each (members,)."""
        return Columns(zip(self.states, np.ascontiguousarray(self._full[:, :-1].T), strict=True))

    @property
    def work(self) -> np.ndarray:
        """What was supplied to each since its start by forces, inputs and moving constraints (members,)."""
        return self._full[:, -1].copy()

    @property
    def stopped_by(self) -> tuple[str, ...]:
        """The event that stopped each, empty where none did; it stays there until it is reset."""
        return tuple(self._alone[k].stopped_by if k in self._alone else "" for k in range(self.members))

    @property
    def modes(self) -> tuple[list[tuple[float, str, str]], ...]:
        """What the contacts of each member did, as `Plant.modes`; members may be in different modes."""
        return tuple(self._alone[k].modes if k in self._alone else [] for k in range(self.members))

    @property
    def _full(self) -> np.ndarray:
        full = np.empty((self.members, len(self.states) + 1))
        for fleet in self._fleets:
            full[fleet.rows] = fleet.full
        for k, one in self._alone.items():
            full[k] = [*one.state.values(), one.work]
        return full

    def step(self, inputs: Mapping[str, ArrayLike] | ArrayLike | None = None) -> Columns:
        """Go on by one step while the inputs stand still.

        Args:
            inputs: values (members, inputs), or by name a number or (members,) each; left out, they stay as they are.

        Returns:
            The states by name, each (members,).

        Raises:
            UnknownName: E180 an input without a value, E181 a name that is no input's.
            WrongType: E182, no numbers.
            InvalidValue: E182 of another shape, E203 not finite.
            Singular: E4xx, a motion cannot go on; all plants stay where they were.
        """
        values = self._read(inputs)
        before = self.copy()
        try:
            self._go(values)
        except Singular:
            self.__dict__.update(before.__dict__)
            raise
        return self.state

    def _go(self, values: np.ndarray) -> None:
        old, ends = self._values, self._family.given.t0 + (self._count + 1) * self.every
        for fleet in self._fleets:
            rows = fleet.rows
            if not np.array_equal(old[rows], values[rows]):
                fleet.put(self.inputs, old[rows], values[rows])
            here = ends[rows]
            if self._alone:
                away = np.isin(rows, list(self._alone))
                here[away] = fleet.task.t[away]
            for i in fleet.onwards(here).tolist():
                self._leave(int(rows[i]), fleet, i, values)
        for k, one in self._alone.items():
            if one.stopped_by:
                continue
            try:
                one.step(values[k])
            except Singular as error:
                fact = f"member {k}: {error.fact}"
                remedy = "all plants stay where they were: another input, or plants.reset()"
                raise Singular(error.code, fact, remedy) from None
        self._values, self._count = values, self._count + 1

    def _leave(self, member: int, fleet: Fleet, i: int, values: np.ndarray) -> None:
        """A member goes on as a plant of its own."""
        one, at = self._family.alone(member), fleet.task
        count = int(self._count[member])
        self._alone[member] = going_on(one, count, values[member].tolist(), at.starts[i], float(at.h[i]))

    def _read(self, inputs: Mapping[str, ArrayLike] | ArrayLike | None) -> np.ndarray:
        """Values (members, inputs)."""
        if inputs is None or isinstance(inputs, Mapping):
            return self._by_name({} if inputs is None else inputs, held=inputs is None)
        values = _numbers(inputs, "inputs")
        if values.shape != self._values.shape:
            fact = f"inputs are {self._values.shape} numbers, (members, inputs), not {values.shape}"
            raise InvalidValue("E182", fact, "plants.step(np.zeros((plants.members, len(plants.inputs))))")
        return self._finite(values)

    def _by_name(self, inputs: Mapping[str, ArrayLike], held: bool) -> np.ndarray:
        system = self._family.equations.system
        if held and np.isfinite(self._values).all():
            return self._values
        given = named(self._family.equations, inputs)
        system.check_inputs(given)
        values = np.full(self._values.shape, NOMINAL)  # what is not used anywhere may be left out
        for i, name in enumerate(self.inputs):
            if name in given:
                with about("inputs", name):
                    value = given[name]
                    column = _numbers(quantity(value, name).value if isinstance(value, str) else value, name)
                    if column.shape not in ((), (self.members,)):
                        fact = f"{name} is {column.shape} numbers, not one or ({self.members},)"
                        raise InvalidValue("E182", fact, "one number for each member")
                    values[:, i] = column
        return self._finite(values)

    def _finite(self, values: np.ndarray) -> np.ndarray:
        wrong = np.argwhere(~np.isfinite(values))
        if len(wrong):
            k, i = wrong[0].tolist()
            fact = f"{self.inputs[i]} of member {k} is {values[k, i]}, not a finite number"
            raise InvalidValue("E203", fact, "give a finite number", subject=("inputs", self.inputs[i]))
        return values

    def _chosen(self, members: ArrayLike | None) -> np.ndarray:
        chosen = np.zeros(self.members, bool)
        try:
            asked = np.arange(self.members) if members is None else np.asarray(members)
            if asked.dtype.kind not in "biu":
                raise IndexError
            chosen[asked] = True
        except (IndexError, ValueError):  # a ragged list
            fact = f"there are no members {as_given(members)} among {self.members}"
            raise InvalidValue("E182", fact, "plants.reset([0, 3]), or a mask of all members") from None
        return chosen


def _numbers(given: object, name: str) -> np.ndarray:
    try:
        found = np.asarray(given)
    except ValueError:  # ragged
        found = np.empty(0, object)
    if found.dtype.kind not in "iuf":
        raise WrongType("E182", f"{name} are numbers, not {as_given(given)}", "plants.step({name: np.zeros(members)})")
    return np.array(found, float)


@public
def plants(
    equations: Equations,
    starts: Mapping[str, ArrayLike] | Sequence[object],
    *,
    step: float = 1e-3,
    parameters: Mapping[str, ArrayLike] | None = None,
    events: Sequence[Event] = (),
    **options: object,
) -> Plants:
    """Many motions of one system that go on step by step together, each with inputs of its own.

        plants = da.plants(equations, {"x": 0.0, "vx": np.linspace(0, 1, 100)}, step=0.001)
        state = plants.step(np.zeros((100, 2)))
        state["x"]

    Args:
        equations: of a system with inputs, or without.
        starts: as of `sweep`: by name a number, or an array of one for each member; a list of starts. They need not
            know the inputs.
        step: the time of a step.
        parameters: values that replace those of the starts, in the same way.
        events: as of `plant`. Members of systems with walls, contacts, events or forces that jump are carried on one by
            one, each at the cost of a plant alone.
        options: those of `Policy`. Other methods than dop853 carry on one member after the other too.

    Raises:
        DalembertError: those of `plant`, of the first member that cannot start; E241 for starts that are none.
    """
    every, policy = prepared(kind(Equations, equations, "plants"), step, options)
    others = {**dict.fromkeys(equations.system.inputs, NOMINAL), **overriding(parameters)}
    given = read_starts(equations, _together(starts), _together(others), 0)
    completed = complete(equations, given, 0, given.grid.total)
    for member in np.flatnonzero(completed.code)[:1].tolist():
        first_of(equations, given, member)
    return Plants(PlantFamily(equations, policy, given, completed, every, tuple(events_of(events, equations))))


def _together(given: object) -> object:
    """Arrays by name as columns that belong together."""
    columns = isinstance(given, Mapping) and any(np.ndim(value) > 0 for value in given.values())
    return table(given) if columns and isinstance(given, Mapping) else given
