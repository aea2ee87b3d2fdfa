"""simulate: from equations and a start to a path with an audit."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from ...argument_checks import public, several
from ...calculus.frame import TIME
from ...calculus.quantity import seconds
from ...equations import Equations
from ...equations.contact_modes import refuse_contacts
from ...equations.start_completion import state_of
from ...errors import InvalidValue, Note, WrongType, kind_of
from ...errors.remedies import Option, Principle
from ...event import Event
from ...trajectory import Trajectory, check_times
from ..events.guard import Guard, compile_guards, switches, with_walls
from ..events.guard_signs import check_start
from ..inputs.run_inputs import columns_of, steered, time_of
from ..policy import Policy
from ..vector_field.field import Field
from .integrate import execute
from .interrupt import Interrupted, halting, on_the_keyboard
from .path_of_run import path_of
from .resting_guards import own_stops
from .run_context import RunRequest

MOST_SAMPLES = 10_000_000


@public
def simulate(
    equations: Equations,
    start: Any,
    *,
    until: float,
    events: object = (),
    parameters: Mapping[Any, Any] | None = None,
    inputs: Mapping[str, object] | None = None,
    samples: Any = None,
    **options: Any,
) -> Trajectory:
    """Integrate equations of motion from a start.

    Args:
        equations: from a principle.
        start: a `Start`, or a mapping of values that `Equations.start` completes.
        until: the time at which to end, in s or as text with a unit, ``"2 min"``; as all times are.
        events: list of `Event`, or ``{name: guard}``; a guard may be a mapping of what `Event` takes. The walls that
            the system declares act without being listed.
        parameters: values that replace those of the start; a start that was completed is completed anew.
        inputs: what drives each input of the system, by name: a number or text with a unit; ``(times, values)``, of
            which each value is held until the next time, or `tabulated`, which says in what other forms; a formula of t
            and states, ``"0.1*sin(t)"``; a function of (t, state), which is asked every 0.001 s, or as `sampled` says,
            and held between.
        samples: times of the path's samples; by default the ends of the steps.
        options: those of `Policy`: rtol, atol, method (a value, or its word with step and order beside it),
            stabilisation, max_step, max_steps, seconds, dense, progress, walls, branch.

    Returns:
        A `Trajectory`. A run that cannot go on returns the part it has, with ``ok`` False and the reason in its audit.

    Raises:
        DalembertError: E2xx for the start and parameters, E180 to E186 for inputs, E3xx for times, options and events.
        Interrupted: a KeyboardInterrupt (Ctrl-C, or Jupyter's button) whose `path` is the motion until then.
    """
    given = {"events": events, "parameters": parameters, "inputs": inputs, "samples": samples}
    request = prepare(equations, start, until=until, **given, **options)
    with (
        _progress(request.field.start.t, request.until, request.policy.progress) as tick,
        on_the_keyboard() as pressed,
    ):
        request = replace(request, policy=halting(request.policy, pressed), tick=tick)
        touching = request.field.equations.contacts is not None
        path = _in_modes(request, events) if touching else path_of(execute(request), request)
    if pressed():
        raise Interrupted(path)
    return path


def prepare(
    equations: Equations,
    start: object,
    *,
    until: object,
    events: object = (),
    parameters: Any = None,
    inputs: Mapping[str, object] | None = None,
    samples: object = None,
    **options: object,
) -> RunRequest:
    """The run that `simulate` makes of the same arguments, or what it refuses."""
    if not isinstance(equations, Equations):
        raise WrongType("E307", f"simulate needs equations, not {kind_of(equations)}", "da.nonholonomic(system)")
    policy = Policy.of(options)
    end = end_of(until, time_of(start)) if equations.system.inputs else None
    equations, start, parameters, steering, seen = steered(equations, start, inputs, parameters, end)
    if equations.contacts is None:
        refuse_contacts(equations, f"{equations.principle} motions do not change their modes")
    state = state_of(equations, start, parameters)
    if steering.drives:
        first = steering.values(state.t, partial(columns_of, equations.states, state.t, state.vector))
        state = replace(state, parameters={**state.parameters, **first})
    end = end_of(until, state.t)
    times = samples_of(samples, state.t, end)
    equations = equations.rows_at({**state.parameters, **state.state, TIME.name: state.t})
    field = policy.leanest_field(equations, state)
    watched = with_walls(events, equations, policy.walls, steering.jumping)
    guards, doubts = guards_at(watched, field, end - state.t)
    policy.method.check_fit(field)
    policy.tolerances(equations.states, state.vector)
    notes = (
        *state.notes,
        *seen,
        *policy.notes(max(map(abs, state.vector.tolist()), default=0.0)),
        *policy.method.doubts(equations),
        *doubts,
    )
    return RunRequest(field, policy, guards, end, times, notes, steering)


def _in_modes(request: RunRequest, events: object) -> Trajectory:
    """Carry out a run whose contacts change."""
    from .hybrid_motion import motion

    return motion(request, events)


def end_of(until: object, t0: float) -> float:
    """The time at which to end (E301, E302)."""
    end = seconds(until, "until")
    if end < t0:
        raise InvalidValue("E302", f"until = {end:g} lies before the start, t = {t0:g}", "give a later time")
    return end


def samples_of(samples: object, t0: float, end: float) -> np.ndarray | None:
    """Sample times, if any are given (E303, E304)."""
    if samples is None:
        return None
    if several(samples) and hasattr(samples, "__len__") and len(samples) > MOST_SAMPLES:
        raise InvalidValue(
            "E304", f"{len(samples):.2g} samples are more than {MOST_SAMPLES:.0e}", "take fewer, in several runs"
        )
    return check_times(samples, t0, end)


def guards_at(events: object, field: Field, span: float) -> tuple[tuple[Guard, ...], list[Note]]:
    """The given events, a stop where a friction law rests, and the surfaces on which forces may jump; doubts."""
    guards = guards_of(events, field)
    acting = [guard for guard in guards if not guard.switch]
    doubts = check_start(field, [guard.seen_by(field.lean) for guard in acting], span)
    return guards, [*(note for g in acting if g.event.impact is not None for note in g.event.impact.notes), *doubts]


def guards_of(events: object, field: Field) -> tuple[Guard, ...]:
    """The given events, a stop where a friction law rests, and the surfaces on which forces may jump."""
    equations = field.equations
    guards = compile_guards(events, equations.states, field.start.parameters)
    for guard in guards:
        check_made_for(guard.event, equations)
    form = equations.machine.form
    return (*guards, *own_stops(field), *switches([*form.f, *form.g]))


def check_made_for(event: Event, equations: Equations) -> None:
    """E131: a jump that was computed for another system, or for another principle."""
    if event.impact is None:
        return
    if equations.states_of_multipliers:
        fact = f"the {equations.principle} multipliers after the impact at {event.name} do not follow from the state"
        others = (", or let the event mark or stop, or ", Option("walls", False), " if the system declares it")
        raise InvalidValue("E131", fact, ("run ", Principle("nonholonomic"), *others))
    if event.impact.made_for != (equations.system.lagrangian, frozenset(c.phi for c in equations.constraints)):
        fact = f"the impact at {event.name} was computed for another system: L or the constraints in force differ"
        raise InvalidValue("E131", fact, "make the wall with the system that is run: da.impacts.wall(system, ...)")


@contextmanager
def _progress(first: float, last: float, wanted: bool) -> Iterator[Callable[[float], None]]:
    """A progress bar on a terminal, nothing elsewhere."""
    if not wanted:
        yield lambda t: None
        return
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("simulating", total=last - first)
        yield lambda t: bar.update(task, completed=t - first)
