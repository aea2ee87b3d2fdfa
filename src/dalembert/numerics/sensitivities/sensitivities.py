"""Derivatives of a motion by its start and by parameters, integrated together with it.

    d/dt S = (df/dy) S + df/dp ,   S = dy/dp

is the right-hand side's own tangent on the expression graph (`tangents`); the motion and its derivatives are tied lanes
of one run, under one error control. What follows from the constraints follows in the derivatives too: the start's other
values move with a given one so that the constraints go on holding.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from textwrap import wrap
from typing import Any

import numpy as np
import sympy as sp

from ...calculus.frame import TIME
from ...calculus.graph import evaluate, gradient
from ...calculus.number import number
from ...equations import Equations, Start
from ...equations.complete import state_of
from ...equations.contacts import refuse_contacts
from ...equations.steering import with_inputs
from ...errors import DalembertError, InvalidValue, Note, UnknownName, WrongType, as_given, did_you_mean, warn
from ...errors.remedies import Option
from ...given import noun, public
from ...trajectory import Interpolant
from ..events.compiled_guards import Watch
from ..events.guard import compile_guards, switches
from ..events.narrow import Narrow, places_of
from ..events.with_walls import with_walls
from ..methods.dop853 import Dop853
from ..methods.dop853.stepper import Stepper
from ..methods.stepping import Status
from ..policy import Policy
from ..run.growth import Growth
from ..run.integrate import REASONS
from ..run.simulate import end_of, samples_of
from ..vector_field.field import Field
from .observed import Observed
from .tied import Tied

MOST = 31  # directions in one run; more are taken in several
CHUNK = 256  # steps between two looks from Python


@noun
@dataclass(frozen=True, eq=False)
class Sensitivities:
    """A motion and its derivatives at some times.

    Attributes:
        t: times (N,).
        names: the states.
        by: parameters and start values by which was differentiated.
        states: (N, n).
        values: d state / d by, (N, n, d).
        parameters: values of all parameters.
        steps: how many steps each run took.
        notes: what is doubted of them.
    """

    t: np.ndarray
    names: tuple[str, ...]
    by: tuple[str, ...]
    states: np.ndarray
    values: np.ndarray
    parameters: Mapping[str, float]
    steps: tuple[int, ...]
    notes: tuple[Note, ...] = ()

    def __getitem__(self, key: Any) -> np.ndarray:
        """``s["x"]``: d x / d by (N, d); ``s["x", "mass"]``: (N,)."""
        name, *rest = key if isinstance(key, tuple) else (key,)
        row = self.values[:, _place(self.names, name, "state")]
        return row[:, _place(self.by, rest[0], "derivative")] if rest else row

    def of(self, expression: Any) -> tuple[np.ndarray, np.ndarray]:
        """An expression (SymPy) in states, parameters and t along the motion (N,), and its derivatives (N, d).

        Raises:
            UnknownName: E317, it uses another name.
            WrongType: E718, it is text or another thing that is no expression; E719, it is not real and finite.
        """
        known = {name: value for name, value in self.parameters.items() if name not in self.names}
        others = [name for name in self.by if name in known]
        seen = Observed.of([_expression(expression)], self.names, others)
        value = seen.along(self.t, self.states, known)
        total = seen.tangents(self.t, self.states, known, self.values, self.by)
        return value[:, 0], total[:, 0]

    def __str__(self) -> str:
        head = f"d ({', '.join(self.names)}) / d ({', '.join(self.by)})"
        ends = f"at {len(self.t)} times, {self.t[0]:g} to {self.t[-1]:g}"
        largest = np.abs(self.values[-1]).max(initial=0.0)
        lines = [head, ends, f"largest at the end {largest:.4g}", f"steps {', '.join(map(str, self.steps))}"]
        lines += [line for note in self.notes for line in wrap(str(note), 80)]
        return "\n".join(line if len(line) <= 80 else line[:76] + " ..." for line in lines)

    __repr__ = __str__


@public
def sensitivities(
    equations: Equations,
    start: Any,
    *,
    until: float,
    by: Sequence[Any] | None = None,
    parameters: Mapping[Any, Any] | None = None,
    inputs: Mapping[str, float | str] | None = None,
    samples: Any = None,
    **options: Any,
) -> Sensitivities:
    """Derivatives of a motion by parameters and by values given at its start.

    Args:
        equations: from a principle.
        start: a `Start`, or a mapping of values that `Equations.start` completes.
        until: the time at which to end.
        by: names of parameters, of inputs and of start values that were given; by default all of them.
        parameters: values that replace those of the start.
        inputs: constant values of the system's inputs.
        samples: times; by default the ends of the steps.
        options: those of `Policy` for the method dop853; derivatives are under the same error control as states.

    Returns:
        `Sensitivities`. From when on the motion is not determined by its start they are those of some other motion, and
        are doubted (W408).

    Raises:
        UnknownName: E202, a name that is neither a parameter nor a start value.
        InvalidValue: E319, a start value that follows from others, or a motion on which a force switches.
        DalembertError: those of `simulate`, and E4xx where the motion ends before `until`.
    """
    found = derivatives(equations, start, until, by, samples, parameters, inputs, **options)
    for note in found.notes:
        warn(note.code, note.text)
    return found


def derivatives(
    equations: Equations,
    start: object,
    until: float,
    by: Sequence[object] | None,
    samples: object,
    parameters: Mapping[object, object] | None = None,
    inputs: Mapping[str, float | str] | None = None,
    doubted: bool = True,
    **options: object,
) -> Sensitivities:
    """The same without a word; unless they are `doubted`, also without a look for what would be said."""
    if not isinstance(equations, Equations):
        raise WrongType("E307", f"sensitivities need equations, not {type(equations).__name__}", "da.nonholonomic(...)")
    refuse_contacts(equations, "derivatives do not go through changes of modes")
    policy = Policy.of(options)
    if not isinstance(policy.method, Dop853):
        fact = f"sensitivities are not made by method={as_given(policy.method.word)}"
        raise InvalidValue("E307", fact, "leave method out")
    state = state_of(equations, start, with_inputs(equations, parameters, inputs))
    end = end_of(until, state.t)
    times = samples_of(samples, state.t, end)
    equations = equations.rows_at({**state.parameters, **state.state, TIME.name: state.t})
    names = _directions(equations, state, by)
    field = policy.leanest_field(equations, state)
    parts = [names[i : i + MOST] for i in range(0, len(names), MOST)] or [()]
    found = [_Run(field, policy, part, doubted).carry_out(end, times) for part in parts]
    if len(found) > 1 and times is None:  # each run has steps of its own
        found = [_Run(field, policy, part, doubted).carry_out(end, found[0].t) for part in parts]
    first, steps = found[0], tuple(f.steps[0] for f in found)
    values, known = np.concatenate([f.values for f in found], axis=2), dict(state.parameters)
    return Sensitivities(first.t, equations.states, names, first.states, values, known, steps, first.notes)


def _expression(given: Any) -> sp.Expr:
    """A SymPy expression, or a number as one."""
    if isinstance(given, sp.Expr):
        return given
    try:
        return sp.Float(number(given, "the expression", "E718", "E719"))
    except WrongType:
        fact = f"{as_given(given)} is {type(given).__name__}, not an expression"
        remedy = "build it from symbols: found.of(m*vx**2/2)\n" + 'a state alone is found["x"]'
        raise WrongType("E718", fact, remedy) from None


def _place(names: Sequence[str], key: Any, what: str) -> int:
    name = str(getattr(key, "name", key))
    if name not in names:
        raise UnknownName("E317", f"there is no {what} {as_given(name)}", did_you_mean(name, names))
    return names.index(name)


def _directions(equations: Equations, start: Start, by: Sequence[Any] | None) -> tuple[str, ...]:
    """Names by which is differentiated."""
    given = [n for n in equations.states if n in start.given]
    if by is None:
        return (*given, *sorted(start.parameters))
    if isinstance(by, str) or not isinstance(by, Sequence):
        raise WrongType("E307", f"by = {as_given(by)} must be a list of names", 'by=["mass", "theta"]')
    names = tuple(str(getattr(b, "name", b)) for b in by)
    for name in names:
        if name in given or name in start.parameters:
            continue
        if name in equations.states:
            raise InvalidValue(
                "E319",
                f"{name} was not given at the start: it follows from {', '.join(given)}",
                "differentiate by these",
            )
        raise UnknownName(
            "E202",
            f"{as_given(name)} is neither a parameter nor a start value",
            did_you_mean(name, [*given, *start.parameters]),
        )
    if len(set(names)) < len(names):
        raise InvalidValue("E307", f"by names something twice: {', '.join(names)}", "name each once")
    return names


def _start_tangents(equations: Equations, start: Start, by: Sequence[str]) -> np.ndarray:
    """d (start) / d by (n, d): given values move alone, those that follow keep the constraints."""
    machine, states = equations.machine, equations.states
    moved = {n: abs(change) for n, change in start.changes.items() if n in start.given}
    if moved:
        raise InvalidValue(
            "E319", f"{', '.join(moved)} were moved to a consistent start", "complete the start without project="
        )
    values = {**start.parameters, **start.state, TIME.name: start.t}
    S = np.zeros((len(states), len(by)))
    for column, name in enumerate(by):
        if name in states:
            S[states.index(name), column] = 1.0
    follows = [states.index(n) for n in states if n not in start.given and n in start.follows]
    rows = [*machine.position.values(), *machine.phi]
    if not rows or not by:
        return S
    every = [machine.graph.symbol(n) for n in (*states, *by)]
    slopes = np.array([[float(v) for v in evaluate(gradient(row, every), values)] for row in rows])
    dF_dy, dF_dby = slopes[:, : len(states)], slopes[:, len(states) :]
    explicit = np.where([name in states for name in by], 0.0, dF_dby)
    # dF/dfollows dfollows = -(dF/dgiven dgiven + dF/dp dp)
    S[follows] = np.linalg.lstsq(dF_dy[:, follows], -(dF_dy @ S + explicit), rcond=1e-12)[0]
    return S


class _Run:
    """One run of the motion with some of its derivatives."""

    def __init__(self, field: Field, policy: Policy, by: Sequence[str], doubted: bool) -> None:
        self.field, self.policy, self.by, self.doubted = field, policy, tuple(by), doubted
        parameters = field.start.parameters
        lanes = {name: 1 + i for i, name in enumerate(self.by) if name in parameters}
        self.code = Tied.of(field, len(self.by), lanes)

    def carry_out(self, end: float, times: np.ndarray | None) -> Sensitivities:
        """From the start to the end; as the equations are written where a chart of the lean form ends before."""
        field, code = self.field, self.code
        rows = code.within(
            field, field.start.t, code.start(field, _start_tangents(field.equations, field.start, self.by))
        )
        atol = self.policy.tolerances(field.states, rows[:-1, 0])
        stepper = code.stepper(field, self.policy, field.start.t, rows, atol, CHUNK)
        t, states = [np.array([stepper.t])], [stepper.y[None].copy()]
        status, aim = Status.FULL if end > stepper.t else Status.END, math.inf
        narrow = Narrow(field, places_of(field.equations), self.policy.rtol, atol)
        while status == Status.FULL:
            if self.policy.halt is not None and self.policy.halt():
                raise DalembertError("E320", f"interrupted at t = {stepper.t:.10g}", "end before")
            aim = aim if aim > stepper.t else math.inf
            now, y = stepper.t, stepper.y.copy()
            chunk = stepper.advance(min(aim, end))
            nodes, flat = np.r_[now, chunk.t], np.vstack([y, chunk.y])
            again = narrow.missed(self._motion(stepper, nodes, flat)) if narrow.places and len(chunk.t) else None
            if again is not None:
                aim, nodes, flat = again.until, nodes[: again.step + 1], flat[: again.step + 1]
                stepper.restart(float(nodes[-1]), flat[-1])
            elif chunk.status != Status.END or aim >= end:
                status = chunk.status
            t.append(nodes[1:])
            states.append(flat[1:])
        if status != Status.END and field.lean is not None:
            return _Run(field.as_written(), self.policy, self.by, self.doubted).carry_out(end, times)
        if status != Status.END:
            raise DalembertError(REASONS[status][0], f"at t = {stepper.t:.10g}: {REASONS[status][1]}", "end before")
        nodes, flat = np.concatenate(t), np.concatenate(states)
        self._refuse_switches(stepper, nodes, flat)
        wanted = nodes if times is None else times
        found = self._seen(wanted, stepper.inside(wanted, nodes, flat).reshape(len(wanted), *rows.shape), stepper)
        return replace(found, notes=self._doubts(stepper, nodes, flat)) if self.doubted else found

    def _seen(self, t: np.ndarray, rows: np.ndarray, stepper: Stepper) -> Sensitivities:
        """The motion and its derivatives, of rows at times."""
        field, code = self.field, self.code
        full = code.full(field, t, code.projected(t, rows, stepper.p))[:, :-1]
        derivatives = full[:, :, 1 : 1 + len(self.by)].copy()
        names, parameters = field.equations.states, dict(field.start.parameters)
        return Sensitivities(t, names, self.by, full[:, :, 0].copy(), derivatives, parameters, (stepper.steps,))

    def _doubts(self, stepper: Stepper, t: np.ndarray, rows: np.ndarray) -> tuple[Note, ...]:
        """W408 where a difference of rtol has grown to the size of the motion, up to which its error was carried."""
        growth = Growth.of(self.field, self.policy, float(t[-1]))
        if growth is None or len(t) < 2:
            return ()
        said = growth.finish([(self.field, self._motion(stepper, t, rows))])
        return tuple(Note(n.code, f"{n.text}; the derivatives are those of another motion") for n in said)

    def _motion(self, stepper: Stepper, t: np.ndarray, rows: np.ndarray) -> Interpolant:
        """The motion alone, without its derivatives, on steps that were made."""
        F = stepper.dense_output(t[:-1], rows[:-1], t[1:])
        y, F = (np.ascontiguousarray(a.reshape(*a.shape[:-1], -1, self.code.width)[..., 0]) for a in (rows, F))
        return Interpolant(t, y, np.diff(t), F)

    def _refuse_switches(self, stepper: Stepper, t: np.ndarray, rows: np.ndarray) -> None:
        """E319 where a force switches on the motion: its derivatives jump there."""
        machine = self.field.equations.machine
        known, lean = (self.field.states, self.field.parameters), self.field.lean
        walls = compile_guards(
            with_walls((), self.field.equations, self.policy.walls), self.field.equations.states, known[1]
        )
        guards = [
            *(guard.seen_by(lean) for guard in walls),
            *(guard.seen_by(lean) for guard in switches([*machine.form.f, *machine.form.g])),
        ]
        if not guards or len(t) < 2:
            return
        met = Watch(guards, *known).happenings(guards, self._motion(stepper, t, rows))
        if met:
            what, at = met[0].guard.event.name, f"at t = {met[0].t:.6g}"
            wall = met[0].guard in walls
            fact = f"the motion meets the wall {what} {at}" if wall else f"the force switches where {what} = 0, {at}"
            remedy = ("end before, or ", Option("walls", False)) if wall else "end before, or smooth the force"
            raise InvalidValue("E319", f"{fact}: the derivatives jump there", remedy)
