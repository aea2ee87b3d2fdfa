"""A run that is carried out: from a field to what it gathered, what is noticed of it, and how it was made."""

from __future__ import annotations

import platform
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache
from typing import NamedTuple

import numpy as np

from ...calculus.graph import evaluate
from ...equations import Equations
from ...equations.check import reaction_margins, slip_speeds
from ...errors import Note, as_given
from ...event import STOP
from ..events.guard import Guard, internal_event
from ..events.narrow import places_of
from ..inputs.steering import NONE, Holds, Steering, always
from ..methods.method import Request, margins_of
from ..policy import Policy
from ..vector_field.field import Field
from . import branches, digits, rest
from .columns import Columns
from .digits import Growth
from .integrate import carry_out
from .run_context import Keeper, Leg, Made, Reused, Run, Scene, named

PACKAGES = ("dalembert", "numpy", "scipy", "sympy", "llvmlite")

AT_REST = " at rest"  # ends the name of the event of a friction law
NOT_UNIQUE = " not unique"  # ends that of reactions which forces hold
REST = 1e-6  # a friction law is at rest where the slip is this much of that at the start
FEW_SAMPLES = 100  # so many are made again from their steps rather than all steps kept with dense output


class Prepared(NamedTuple):
    """A run whose arguments are in order: all that `simulate` does before the first step."""

    field: Field
    policy: Policy
    guards: tuple[Guard, ...]
    end: float
    samples: np.ndarray | None
    notes: tuple[Note, ...]
    steering: Steering = NONE


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
    if run.stopped_by.endswith(NOT_UNIQUE):
        t, names = run.marks[run.stopped_by][-1][0], run.stopped_by.removesuffix(NOT_UNIQUE)
        words = "what forces make of it outweighs the inertia, so that none balances, or several do"
        run.failure = ("E410", f"at t = {t:.10g}: {names}: {words}")
    return run, keeper.kept, growth


def doubtful(run: Run, columns: Columns, end: float) -> list[Note]:
    """What makes a run suspect."""
    return [*_came_to_rest(run, columns, end), *_not_seen_through(run)]


def noticed(run: Run, growth: Growth | None, policy: Policy, early: Sequence[Note]) -> tuple[Note, ...]:
    """All remarks about a run, these included that make it suspect: looked for when somebody asks for them."""
    steps = digits.notes(run.leg.field, policy, run.leg.path)
    crossed = [branches.note(branching) for branching in run.branches]
    return (*run.notes, *crossed, *rest.notes(run), *early, *steps, *undetermined(growth, run, policy.dense))


def _came_to_rest(run: Run, columns: Columns, end: float) -> list[Note]:
    """W310: a friction law ended the run, which nobody asked for."""
    if not run.stopped_by.endswith(AT_REST) or run.failure or (t := float(columns.knots[-1])) >= end:
        return []
    law = run.stopped_by.removesuffix(AT_REST)
    text = f"the run ends at t = {t:.6g} of {end:g}: {law} has brought the motion to rest; what follows is not computed"
    text += ", as it is with da.forces.dry"
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
    return growth.copy().finish([(leg.field, leg.path) for leg in run.legs] if dense else ())


def request_of(field: Field, policy: Policy, guards: tuple[Guard, ...], samples: int) -> Request:
    """What the run asks of its stepper: as much dense output as guards and samples need."""
    limit, low = margins_of(field, policy.method.fixed)
    return Request(
        rtol=policy.rtol,
        atol=policy.tolerances(field.states, field.first[:-1]),
        max_step=policy.max_step,
        max_steps=policy.most_steps,
        dense=policy.dense or bool(guards) or samples > FEW_SAMPLES,
        watched=bool(guards),
        patient=all(guard.marks for guard in guards),
        margin_limit=limit,
        margin_low=low,
    )


def _nothing(scene: Scene) -> Run:
    leg = Leg.begin(scene, scene.field.start.t, scene.field.first)
    return Run([leg], marks=named(scene.guards), outcome="no time to pass")


def resting(field: Field) -> list[Guard]:
    """A stop where a friction law rests, and where reactions that forces hold cease to be unique."""
    found = []
    for name, speed in slip_speeds(field.equations).items():
        first = float(evaluate([speed], field.values(field.start.t, field.first))[0])
        found.append(Guard(internal_event(f"{name}{AT_REST}", STOP, -1), speed / first - REST))
    margins = reaction_margins(field.equations).items()
    return found + [Guard(internal_event(f"{names}{NOT_UNIQUE}", STOP, -1), margin) for names, margin in margins]


def provenance(field: Field, policy: Policy, end: float, steering: Steering) -> dict[str, object]:
    """What it was made from and how, for a path that is stored."""
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


# --- the software and the machine -------------------------------------------------------------------------------------


def surroundings() -> dict[str, object]:
    """Versions of those packages that are loaded when the run has ended, of Python, and the platform."""
    loaded = {name: sys.modules[name] for name in PACKAGES if name in sys.modules}
    versions = {name: str(module.__version__) for name, module in loaded.items()}
    return {"versions": versions, "python": platform.python_version(), "platform": _platform()}


@cache
def _platform() -> str:
    """System, release, machine and C library; `platform.platform` would start a process for a word it leaves out."""
    words = (platform.system(), platform.release(), platform.machine(), "".join(platform.libc_ver()))
    return "-".join(word for word in words if word)
