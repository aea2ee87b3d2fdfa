"""simulate: from equations and a start to a path with an audit."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from ...calculus.frame import TIME
from ...calculus.graph import evaluate
from ...calculus.number import number
from ...equations import Equations
from ...equations.check import slip_speeds
from ...equations.complete import state_of
from ...equations.contacts import refuse_contacts
from ...errors import InvalidValue, Note, WrongType, as_given
from ...errors.remedies import Option, Principle
from ...event import STOP, Event
from ...given import public, several
from ...trajectory import Trajectory, check_times
from ..events.at_an_instant import check_start
from ..events.guard import Guard, compile_guards, events_of, internal_event, switches
from ..events.narrow import places_of
from ..events.with_walls import with_walls
from ..inputs.read import steered, time_of
from ..inputs.steering import NONE, Holds, Steering, always, by_name
from ..methods.method import FARTHER, MARGIN_LIMIT, Request, turning
from ..policy import Policy
from ..vector_field.field import Field
from . import audit, grazing, step_error
from .bouts import Bout, audits_of
from .columns import Columns, marks_of
from .gathered import Keeper, Leg, Made, Run, Scene, named
from .growth import Growth
from .integrate import carry_out
from .interrupted import Interrupted, halting, on_the_keyboard
from .reused import Reused
from .surroundings import surroundings

AT_REST = " at rest"  # ends the name of the event of a friction law
REST = 1e-6  # a friction law is at rest where the slip is this much of that at the start
MOST_SAMPLES = 10_000_000
FEW_SAMPLES = 100  # so many are made again from their steps rather than all steps kept with dense output


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
        until: the time at which to end.
        events: list of `Event`. The walls that the system declares act without being listed.
        parameters: values that replace those of the start; a start that was completed is completed anew.
        inputs: what drives each input of the system, by name: a number or text with a unit; ``(times, values)``, of
            which each value is held until the next time, or `tabulated`, which says in what other forms; a formula of t
            and states, ``"0.1*sin(t)"``; a function of (t, state), which is asked every 0.001 s, or as `sampled` says,
            and held between.
        samples: times of the path's samples; by default the ends of the steps.
        options: those of `Policy`: rtol, atol, method (a value, or its word with step and order beside it),
            stabilisation, max_step, max_steps, seconds, dense, progress, walls.

    Returns:
        A `Trajectory`. A run that cannot go on returns the part it has, with ``ok`` False and the reason in its audit.

    Raises:
        DalembertError: E2xx for the start and parameters, E180 to E186 for inputs, E3xx for times, options and events.
        Interrupted: a KeyboardInterrupt (Ctrl-C, or Jupyter's button) whose `path` is the motion until then.
    """
    given = {"events": events, "parameters": parameters, "inputs": inputs, "samples": samples}
    prepared = prepare(equations, start, until=until, **given, **options)
    with (
        _progress(prepared.field.start.t, prepared.end, prepared.policy.progress) as tick,
        on_the_keyboard() as pressed,
    ):
        prepared = prepared._replace(policy=halting(prepared.policy, pressed))
        touching = prepared.field.equations.contacts is not None
        path = _in_modes(prepared, events, tick) if touching else _alone(prepared, tick)
    if pressed():
        raise Interrupted(path)
    return path


class Prepared(NamedTuple):
    """A run whose arguments are in order: all that `simulate` does before the first step."""

    field: Field
    policy: Policy
    guards: tuple[Guard, ...]
    end: float
    samples: np.ndarray | None
    notes: tuple[Note, ...]
    steering: Steering = NONE


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
) -> Prepared:
    """The run that `simulate` makes of the same arguments, or what it refuses."""
    if not isinstance(equations, Equations):
        raise WrongType("E307", f"simulate needs equations, not {type(equations).__name__}", "da.nonholonomic(system)")
    policy = Policy.of(options)
    end = end_of(until, time_of(start)) if equations.system.inputs else None
    equations, start, parameters, steering, seen = steered(equations, start, inputs, parameters, end)
    if equations.contacts is None:
        refuse_contacts(equations, f"{equations.principle} motions do not change their modes")
    state = state_of(equations, start, parameters)
    first = steering.values(state.t, partial(by_name, equations.states, state.t, state.vector))
    state = replace(state, parameters={**state.parameters, **first}) if first else state
    end = end_of(until, state.t)
    times = samples_of(samples, state.t, end)
    equations = equations.rows_at({**state.parameters, **state.state, TIME.name: state.t})
    field = policy.leanest_field(equations, state)
    watched = with_walls(events, equations, policy.walls, steering.jumping)
    guards, doubts = _events(watched, field, end - state.t)
    policy.method.check_fit(field)
    policy.tolerances(equations.states, state.vector)
    notes = (
        *state.notes,
        *seen,
        *policy.notes(max(map(abs, state.vector.tolist()), default=0.0)),
        *policy.method.doubts(equations),
        *doubts,
    )
    return Prepared(field, policy, guards, end, times, notes, steering)


def _alone(prepared: Prepared, tick: Callable[[float], None]) -> Trajectory:
    """Carry out a run in one mode."""
    return _simulate(*prepared[:-1], tick, prepared.steering)


def _in_modes(prepared: Prepared, events: object, tick: Callable[[float], None]) -> Trajectory:
    """Carry out a run whose contacts change."""
    from ..contacts.segment import runner_of
    from ..contacts.whole import carry_out as carry_contacts
    from .relayed import Relayed

    def carry(field: Field, policy: Policy, guards: tuple[Guard, ...], end: float, holds: Holds) -> Bout:
        every = (*guards, *resting(field))
        made = carried(field, policy, every, end, None, steering, tick, holds, reused)
        columns = Columns(made.run.legs)
        early, notes = _noticed(made, policy, columns, end)
        return Bout(made, policy, every, columns, notes, early, partial(_provenance, field, policy, end, steering))

    steering, reused = prepared.steering, Reused()
    equations = prepared.field.equations
    given = events_of(events, equations)
    runner = runner_of(equations, prepared.field.start, prepared.policy, given, prepared.end)
    faster = Relayed(prepared.policy, reused, request_of, tick)
    return carry_contacts(replace(runner, steering=steering), carry, prepared.samples, audits_of, faster)


def _simulate(
    field: Field,
    policy: Policy,
    given: tuple[Guard, ...],
    end: float,
    samples: np.ndarray | None,
    notes: tuple[Note, ...],
    tick: Callable[[float], None],
    steering: Steering = NONE,
) -> Trajectory:
    """Carry out a run whose arguments are in order."""
    made = carried(field, policy, given, end, samples, steering, tick)
    return path_of(made, policy, given, end, samples, notes, steering)


def path_of(
    made: Made,
    policy: Policy,
    given: tuple[Guard, ...],
    end: float,
    samples: np.ndarray | None,
    notes: tuple[Note, ...],
    steering: Steering = NONE,
) -> Trajectory:
    """The path of a run that was carried out."""
    field, run, seconds = made.field, made.run, made.seconds
    columns, rows = Columns(run.legs), made.rows
    early, found = _noticed(made, policy, columns, end)
    notes = (*notes, *found)
    t, values = _sampled(columns, rows, samples, policy.dense)
    events = {guard.event.name: guard.event for guard in given}
    return Trajectory(
        t=t,
        names=columns.names,
        values=values,
        dense=columns,
        audit=audit.examine(policy, run, rows, values, seconds, notes, early, field.start.vector),
        marks={name: marks_of(events.get(name), found, run, columns) for name, found in run.marks.items()},
        outcome=run.outcome,
        reached=run.failure is None,
        states=len(field.equations.states),
        provenance=_provenance(field, policy, end, steering),
        system=field.equations.system,
        ending=run.ending,
    )


def carried(
    field: Field,
    policy: Policy,
    given: tuple[Guard, ...],
    end: float,
    samples: np.ndarray | None = None,
    steering: Steering = NONE,
    tick: Callable[[float], None] = lambda t: None,
    holds: Holds = always,
    reused: Reused | None = None,
) -> Made:
    """The run to the end, or to what ends it; as the equations are written where a chart of the lean form ends."""
    began = time.perf_counter()
    shared = reused or Reused()
    found = _carried(field, policy, given, end, samples, steering, tick, holds, shared)
    if found[0].left:
        field = field.as_written()
        found = _carried(field, policy, given, end, samples, steering, tick, holds, shared)
    return Made(field, *found, time.perf_counter() - began)


def _carried(
    field: Field,
    policy: Policy,
    given: tuple[Guard, ...],
    end: float,
    samples: np.ndarray | None,
    steering: Steering,
    tick: Callable[[float], None],
    holds: Holds,
    reused: Reused,
) -> tuple[Run, list[np.ndarray], Growth | None]:
    """Steps to the end, or to what ends the run; times and full rows that were kept, and what followed them."""
    narrow = places_of(field.equations)
    request = request_of(field, policy, given, 0 if samples is None else len(samples))
    request = replace(request, dense=True) if narrow and not request.dense else request
    stepper, growth = reused.stepper(policy, field, request), Growth.of(field, policy, end)
    keeper = Keeper([], samples, field, stepper, growth)
    if not policy.dense:
        keeper.take(np.array([field.start.t]), field.first[None])
    kept, change = None if policy.dense else keeper, steering.after(field.start.t, end)
    scene = Scene(
        *(field, policy, given, end, request, kept, growth, tick, narrow),
        steering=steering,
        reused=reused,
        change=change,
        holds=holds,
    )
    run = carry_out(stepper, scene) if end > field.start.t else _nothing(scene)
    return run, keeper.kept, growth


def _noticed(made: Made, policy: Policy, columns: Columns, end: float) -> tuple[list[Note], tuple[Note, ...]]:
    """What makes a run suspect, and all remarks about it, these included."""
    run = made.run
    early = [*_came_to_rest(run, columns, end), *_not_seen_through(run)]
    steps = step_error.notes(run.leg.field, policy, columns.interpolant)
    return early, (*run.notes, *grazing.notes(run), *early, *steps, *undetermined(made.growth, run, policy.dense))


def _came_to_rest(run: Run, columns: Columns, end: float) -> list[Note]:
    """W310: a friction law ended the run, which nobody asked for."""
    if not run.stopped_by.endswith(AT_REST) or run.failure or (t := float(columns.knots[-1])) >= end:
        return []
    law = run.stopped_by.removesuffix(AT_REST)
    text = f"the run ends at t = {t:.6g} of {end:g}: {law} has brought the motion to rest; what follows is not computed"
    return [Note("W310", text)]


def _not_seen_through(run: Run) -> list[Note]:
    """W311 for each guard that was not seen through."""
    doubt = "turns more often within a step than is looked for, or is all rounding: events may be missing"
    still = (
        "is constant between its jumps and 0 on a stretch: it passes through nothing there. Write x - 1 for floor(x)"
    )
    return [
        Note("W311", f"the guard {as_given(name)} {words}, from t = {t:.6g} on")
        for words, met in ((doubt, run.doubts.rough), (still, run.doubts.steps))
        for name, t in met.items()
    ]


def undetermined(growth: Growth | None, run: Run, dense: bool) -> list[Note]:
    """W408, where the run reached its end."""
    if growth is None or run.failure:
        return []
    return growth.finish([(leg.field, leg.path) for leg in run.legs] if dense else ())


def request_of(field: Field, policy: Policy, guards: tuple[Guard, ...], samples: int) -> Request:
    """What the run asks of its stepper: as much dense output as guards and samples need."""
    return Request(
        rtol=policy.rtol,
        atol=policy.tolerances(field.states, field.first[:-1]),
        max_step=policy.max_step,
        max_steps=policy.most_steps,
        dense=policy.dense or bool(guards) or samples > FEW_SAMPLES,
        watched=bool(guards),
        patient=all(guard.marks for guard in guards),
        margin_limit=MARGIN_LIMIT if field.lean is None else FARTHER * turning(field.lean),
        margin_low=0.0 if field.lean is None else turning(field.lean),
    )


def _nothing(scene: Scene) -> Run:
    leg = Leg.begin(scene, scene.field.start.t, scene.field.first)
    return Run([leg], marks=named(scene.guards), outcome="no time to pass")


def _sampled(
    columns: Columns, rows: np.ndarray, samples: np.ndarray | None, dense: bool
) -> tuple[np.ndarray, np.ndarray]:
    """Times and columns of the samples; `rows` are the start and, without dense output, what was kept."""
    if not dense:
        wanted = rows if samples is None or samples[0] == rows[0, 0] else rows[1:]
        return wanted[:, 0], columns.of(wanted[:, 0], wanted[:, 1:])
    if samples is None:
        t, full = columns.nodes
        return t, columns.of(t, full)
    t = samples[samples <= columns.knots[-1]]
    return t, columns(t)


def _provenance(field: Field, policy: Policy, end: float, steering: Steering) -> dict[str, object]:
    driven = {*field.equations.system.inputs, *steering.coefficients}
    return {
        "title": field.equations.system.title,
        "cite": list(field.equations.system.cite),
        "sources": dict(field.equations.system.sources),
        "principle": field.equations.principle,
        "nonlinear": any(c.kind == "nonlinear" for c in field.equations.constraints),
        "parameters": {name: value for name, value in field.parameters.items() if name not in driven},
        **({"inputs": dict(steering.told)} if driven else {}),
        "start": dict(field.start.state),
        "follows": list(field.start.follows),
        "units": units_of(field.equations),
        "t0": field.start.t,
        "until": end,
        "rtol": policy.rtol,
        "method": policy.method.word,
        "method_sources": [list(source) for source in policy.method.reasons(policy.method.options.get("order"))],
        "step": policy.method.options.get("step"),
        "order": policy.method.options.get("order"),
        "stabilisation": repr(policy.stabilisation),
        **surroundings(),
    }


def units_of(equations: Equations) -> dict[str, str]:
    """Units of states and energy, as far as they are known."""
    system = equations.system
    if not system.units:
        return {}
    shown = {**{s.name: s for s in equations.space}, "energy": system.lagrangian}
    return {name: unit for name, each in shown.items() if (unit := system.unit(each))}


def end_of(until: Any, t0: float) -> float:
    """The time at which to end (E301, E302)."""
    end = number(until, "until", "E301", "E301")
    if end < t0:
        raise InvalidValue("E302", f"until = {end:g} lies before the start, t = {t0:g}", "give a later time")
    return end


def samples_of(samples: Any, t0: float, end: float) -> np.ndarray | None:
    """Sample times, if any are given (E303, E304)."""
    if samples is None:
        return None
    if several(samples) and hasattr(samples, "__len__") and len(samples) > MOST_SAMPLES:
        raise InvalidValue(
            "E304", f"{len(samples):.2g} samples are more than {MOST_SAMPLES:.0e}", "take fewer, in several runs"
        )
    return check_times(samples, t0, end)


def _events(events: object, field: Field, span: float) -> tuple[tuple[Guard, ...], list[Note]]:
    """The given events, a stop where a friction law rests, and the surfaces on which forces may jump; doubts."""
    guards = guards_of(events, field)
    acting = [guard for guard in guards if not guard.switch]
    doubts = check_start(field, [guard.seen_by(field.lean) for guard in acting], span)
    return guards, [*(note for guard in acting for note in guard.event.notes), *doubts]


def guards_of(events: object, field: Field) -> tuple[Guard, ...]:
    """The given events, a stop where a friction law rests, and the surfaces on which forces may jump."""
    equations = field.equations
    guards = compile_guards(events, equations.states, field.start.parameters)
    for guard in guards:
        check_made_for(guard.event, equations)
    form = equations.machine.form
    return (*guards, *resting(field), *switches([*form.f, *form.g]))


def resting(field: Field) -> list[Guard]:
    """A stop where a friction law rests."""
    found = []
    for name, speed in slip_speeds(field.equations).items():
        first = float(evaluate([speed], field.values(field.start.t, field.first))[0])
        found.append(Guard(internal_event(f"{name}{AT_REST}", STOP, -1), speed / first - REST))
    return found


def check_made_for(event: Event, equations: Equations) -> None:
    """E131: a jump that was computed for another system, or for another principle."""
    if event.made_for is None:
        return
    if equations.states_of_multipliers:
        fact = f"the {equations.principle} multipliers after the impact at {event.name} do not follow from the state"
        others = (", or let the event mark or stop, or ", Option("walls", False), " if the system declares it")
        raise InvalidValue("E131", fact, ("run ", Principle("nonholonomic"), *others))
    if event.made_for != (equations.system.lagrangian, frozenset(c.phi for c in equations.constraints)):
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
