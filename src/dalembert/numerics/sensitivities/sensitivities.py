"""Derivatives of a motion by its start and by parameters, integrated together with it.

    d/dt S = (df/dy) S + df/dp ,   S = dy/dp

is the right-hand side's own tangent on the expression graph (`tangents`); the motion and its derivatives are tied lanes
of one run, under one error control. What follows from the constraints follows in the derivatives too: the start's other
values move with a given one so that the constraints go on holding.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from textwrap import wrap
from typing import Any

import numpy as np
import sympy as sp

from ...argument_checks import noun, public
from ...calculus.frame import TIME
from ...calculus.graph import evaluate, gradient
from ...calculus.quantity import number
from ...equations import Equations, Start
from ...equations.contact_modes import refuse_contacts
from ...equations.start_completion import state_of
from ...errors import InvalidValue, Note, UnknownName, WrongType, as_given, did_you_mean, kind_of, warn
from ..inputs.run_inputs import Steering, steered, time_of
from ..policy import Policy
from ..run.simulate import end_of, samples_of
from .flow_derivatives import MOST, MotionWithDerivatives, through
from .observables import Driven, Observed, Ways, along, value_of
from .smooth_segments import StretchedMotion, motion


@noun
@dataclass(frozen=True, eq=False)
class Sensitivities:
    """A motion and its derivatives at some times.

    Attributes:
        t: times (N,).
        names: the states.
        by: parameters, start values and inputs by which was differentiated.
        states: (N, n).
        values: d state / d by, (N, n, d); at an instant at which they jump, those behind it.
        parameters: values of all parameters.
        steps: how many steps each run took.
        driven: the inputs along the motion, which are differentiated as the states are.
        notes: what is doubted of them.
    """

    t: np.ndarray
    names: tuple[str, ...]
    by: tuple[str, ...]
    states: np.ndarray
    values: np.ndarray
    parameters: Mapping[str, float]
    steps: tuple[int, ...]
    driven: Driven
    notes: tuple[Note, ...] = ()

    def __getitem__(self, key: object) -> np.ndarray:
        """``s["x"]``: d x / d by (N, d); ``s["x", "mass"]``: (N,); of an input too."""
        name, *rest = key if isinstance(key, tuple) else (key,)
        row = self.seen(self._every)[1][:, _place(self._every, name, "state")]
        return row[:, _place(self.by, rest[0], "derivative")] if rest else row

    @property
    def _every(self) -> tuple[str, ...]:
        """States and inputs."""
        return (*self.names, *self.driven.names)

    def seen(self, names: Sequence[str]) -> tuple[np.ndarray, np.ndarray]:
        """Some states and inputs by name: values (N, c) and derivatives (N, c, d)."""
        places = [_place(self._every, name, "state") for name in names]
        values, S = np.column_stack([self.states, self.driven.values]), [self.values, self.driven.slopes]
        return values[:, places], np.concatenate(S, axis=1)[:, places]

    def of(self, expression: Any) -> tuple[np.ndarray, np.ndarray]:
        """An expression (SymPy) in states, inputs, parameters and t along the motion (N,), and its derivatives (N, d).

        Raises:
            UnknownName: E317, it uses another name.
            WrongType: E718, it is text or another thing that is no expression; E719, it is not real and finite.
        """
        (rows, S), every = self.seen(self._every), self._every
        known = {name: value for name, value in self.parameters.items() if name not in every}
        others = [name for name in self.by if name in known]
        seen = Observed.of([_expression(expression)], every, others)
        value = seen.along(self.t, rows, known)
        total = seen.tangents(self.t, rows, known, S, self.by)
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
    start: object,
    *,
    until: float,
    by: Sequence[Any] | None = None,
    parameters: Mapping[Any, Any] | None = None,
    inputs: Mapping[str, object] | None = None,
    samples: object = None,
    events: object = (),
    **options: Any,
) -> Sensitivities:
    """Derivatives of a motion by parameters and by values given at its start.

    Args:
        equations: from a principle.
        start: a `Start`, or a mapping of values that `Equations.start` completes.
        until: the time at which to end.
        by: names of parameters, of inputs and of start values that were given; by default all of them. By the name of
            an input it is moved at all times alike; by ``"tau[3]"`` the value at the time number 3 of its table is.
        parameters: values that replace those of the start.
        inputs: what drives each input, as of `simulate`: a number, a table, a formula of t and states; no function.
        samples: times; by default the ends of the steps.
        events: list of `Event`; those that jump are gone through.
        options: those of `Policy`, the method one that chooses its steps; derivatives are under the same error
            control as states.

    Returns:
        `Sensitivities`. From when on the motion is not determined by its start they are those of some other motion, and
        are doubted (W408).

    Raises:
        UnknownName: E202, a name that is neither a parameter nor a start value.
        InvalidValue: E319, a start value that follows from others, or opens a contact; an instant without derivatives:
            a grazing one, several walls or contacts at once, bounces that pile up, rest against a wall; an end before;
            an input that is a function of Python, whose dependence on the state cannot be seen.
        DalembertError: those of `simulate`, and E4xx where the motion ends before `until`.
    """
    found = derivatives(equations, start, until, by, samples, parameters, inputs, events=events, **options)
    for note in found.notes:
        if note.code != "W183":  # of inputs, which was said where these were read
            warn(note.code, note.text)
    return found


def derivatives(
    equations: Equations,
    start: object,
    until: float,
    by: Sequence[object] | None,
    samples: object,
    parameters: Mapping[str, object] | None = None,
    inputs: Mapping[str, object] | None = None,
    look_for_doubts: bool = True,
    events: object = (),
    **options: object,
) -> Sensitivities:
    """Sensitivities without a word said; what would be said is looked for or not."""
    policy, ways = _checked(equations, options), Ways(equations, _asked(by))
    end = end_of(until, time_of(start)) if equations.system.inputs else None
    equations, start, given, steering, seen = steered(equations, start, inputs, parameters, end, ways.varied)
    check_modes(equations, steering)
    state = state_of(equations, start, given)
    end = end_of(until, state.t)
    times = samples_of(samples, state.t, end)
    equations = equations.rows_at({**state.parameters, **state.state, TIME.name: state.t})
    names = _directions(equations, state, ways, steering)
    moving = motion(equations, state, policy, events, end, steering)
    inner = tuple(ways.within(steering, name) for name in names)
    S = start_tangents(equations, state, inner)
    if by is None:
        free = [i for i, opens in enumerate(moving.opens(inner, S)) if not opens]
        names, inner, S = tuple(names[i] for i in free), tuple(inner[i] for i in free), S[:, free]
    first, values, steps = _carried(moving, policy, inner, S, times, look_for_doubts)
    driven = along(equations, steering, state.parameters, (first.t, first.states, values), inner)
    notes = (*seen, *first.notes)
    hidden = {*steering.coefficients, *driven.names}
    known = {name: value for name, value in state.parameters.items() if name not in hidden}
    return Sensitivities(first.t, equations.states, names, first.states, values, known, steps, driven, notes)


def _carried(
    moving: StretchedMotion,
    policy: Policy,
    by: Sequence[str],
    S: np.ndarray,
    times: np.ndarray | None,
    look_for_doubts: bool,
) -> tuple[MotionWithDerivatives, np.ndarray, tuple[int, ...]]:
    """The motion at times, its derivatives (N, n, d), and the steps of the runs in which they were made."""
    parts = [slice(i, i + MOST) for i in range(0, len(by), MOST)] or [slice(0)]

    def carried(times: np.ndarray | None) -> list[MotionWithDerivatives]:
        return [through(moving, policy, by[part], S[:, part], times, look_for_doubts) for part in parts]

    found = carried(times)
    if len(found) > 1 and times is None:  # each run has steps of its own
        found = carried(found[0].t)
    return found[0], np.concatenate([seen.values for seen in found], axis=2), tuple(seen.steps for seen in found)


def check_modes(equations: Equations, steering: Steering) -> None:
    """E139: contacts with inputs that change, through which no derivatives are carried."""
    if equations.contacts is not None and not steering.stays:
        fact = "inputs of systems with contacts are numbers where derivatives are asked for"
        remedy = 'give numbers, or put what changes into the forces: forces={"vx": "0.1*sin(t)"}'
        raise InvalidValue("E139", fact, remedy)


def _checked(equations: Equations, options: Mapping[str, object]) -> Policy:
    """The options (E139, E307)."""
    if not isinstance(equations, Equations):
        raise WrongType("E307", f"sensitivities need equations, not {kind_of(equations)}", "da.nonholonomic(...)")
    if equations.contacts is None:
        refuse_contacts(equations, f"{equations.principle} motions do not change their modes")
    return Policy.of_flow("sensitivities", options)


def _expression(given: object) -> sp.Expr:
    """A SymPy expression, or a number as one."""
    if isinstance(given, sp.Expr):
        return given
    try:
        return sp.Float(number(given, "the expression", "E718", "E719"))
    except WrongType:
        fact = f"{as_given(given)} is {kind_of(given)}, not an expression"
        remedy = "build it from symbols: found.of(m*vx**2/2)\n" + 'a state alone is found["x"]'
        raise WrongType("E718", fact, remedy) from None


def _place(names: Sequence[str], key: object, what: str) -> int:
    name = str(getattr(key, "name", key))
    if name not in names:
        raise UnknownName("E317", f"there is no {what} {as_given(name)}", did_you_mean(name, names))
    return names.index(name)


def _asked(by: Sequence[object] | None) -> tuple[str, ...] | None:
    """Names by which is to be differentiated, None for all (E307)."""
    if by is None:
        return None
    if isinstance(by, str) or not isinstance(by, Sequence):
        raise WrongType("E307", f"by = {as_given(by)} must be a list of names", 'by=["mass", "theta"]')
    names = tuple(str(getattr(b, "name", b)) for b in by)
    if len(set(names)) < len(names):
        raise InvalidValue("E307", f"by names something twice: {', '.join(names)}", "name each once")
    return names


def _directions(equations: Equations, start: Start, ways: Ways, steering: Steering) -> tuple[str, ...]:
    """Names by which is differentiated."""
    given, known = [n for n in equations.states if n in start.given], ways.known(steering, start.parameters)
    if ways.by is None:
        return (*given, *known)
    for name in ways.by:
        if name in given or name in known or value_of(name)[0] in steering.formulas:
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
            did_you_mean(name, [*given, *known]),
        )
    return tuple(ways.by)


def start_tangents(equations: Equations, start: Start, by: Sequence[str]) -> np.ndarray:
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
    found = evaluate([slope for row in rows for slope in gradient(row, every)], values)
    slopes = np.array([float(slope) for slope in found]).reshape(len(rows), len(every))
    dF_dy, dF_dby = slopes[:, : len(states)], slopes[:, len(states) :]
    explicit = np.where([name in states for name in by], 0.0, dF_dby)
    # dF/dfollows dfollows = -(dF/dgiven dgiven + dF/dp dp)
    S[follows] = np.linalg.lstsq(dF_dy[:, follows], -(dF_dy @ S + explicit), rcond=1e-12)[0]
    return S
