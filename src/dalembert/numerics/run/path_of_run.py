"""The path of a run that was carried out: columns and marks, audit, what is noticed of it, and provenance."""

from __future__ import annotations

import platform
import sys
from collections.abc import Sequence
from functools import cache

import numpy as np

from ...equations import Equations
from ...errors import Note, as_given
from ...trajectory import Branching, Trajectory
from ..policy import Policy
from ..vector_field.field import Field
from . import accuracy, audit, resting_guards
from .accuracy import DisturbanceGrowth
from .path_columns import PathColumns, marks_of
from .resting_guards import AT_REST
from .run_context import Made, Run, RunRequest

PACKAGES = ("dalembert", "numpy", "scipy", "sympy", "llvmlite")


def path_of(made: Made, request: RunRequest) -> Trajectory:
    """The path of a run that was carried out."""
    field, run, policy = made.field, made.run, request.policy
    columns, rows = PathColumns(run.legs), made.rows
    early = doubtful(run, columns, request.until)
    t, values = _sampled(columns, rows, request.samples, policy.dense)
    events = {guard.event.name: guard.event for guard in request.events}

    def remarks(run: Run = run, growth: DisturbanceGrowth | None = made.growth) -> tuple[Note, ...]:
        return (*request.notes, *noticed(run, growth, policy, early))

    return Trajectory(
        t=t,
        names=columns.names,
        values=values,
        dense=columns,
        audit=audit.examine(policy, run, rows, values, made.seconds, remarks, early, field.start.vector),
        marks={name: marks_of(events.get(name), found, run, columns) for name, found in run.marks.items()},
        outcome=run.outcome,
        reached=run.failure is None,
        states=len(field.equations.states),
        provenance=provenance(field, request),
        system=field.equations.system,
        ending=run.ending,
        branches=tuple(run.branches),
    )


def _sampled(
    columns: PathColumns, rows: np.ndarray, samples: np.ndarray | None, dense: bool
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


# --- what is noticed of it --------------------------------------------------------------------------------------------


def doubtful(run: Run, columns: PathColumns, end: float) -> list[Note]:
    """What makes a run suspect."""
    return [*_came_to_rest(run, columns, end), *_not_seen_through(run)]


def noticed(run: Run, growth: DisturbanceGrowth | None, policy: Policy, early: Sequence[Note]) -> tuple[Note, ...]:
    """All remarks about a run, these included that make it suspect: looked for when somebody asks for them."""
    steps = accuracy.notes(run.leg.field, policy, run.leg.path)
    crossed = [_crossed(branching) for branching in run.branches]
    return (*run.notes, *crossed, *resting_guards.notes(run), *early, *steps, *undetermined(growth, run, policy.dense))


def _crossed(branching: Branching) -> Note:
    """N411: branches cross, and along which of them the motion goes on."""
    others = len(branching.tangents) - 1
    way = f"branch {branching.taken}" if branching.taken else "the one whose tangent continues its own"
    listed = f"path.branches lists {others} other ways on" if others else "there are no others that are isolated"
    fact = f"at t = {branching.t:.10g} branches of the constraints cross"
    return Note("N411", f"{fact}: the motion goes on along {way}; {listed}")


def _came_to_rest(run: Run, columns: PathColumns, end: float) -> list[Note]:
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


def undetermined(growth: DisturbanceGrowth | None, run: Run, dense: bool) -> list[Note]:
    """W408, where the run reached its end."""
    if growth is None or run.failure:
        return []
    return growth.copy().finish([(leg.field, leg.path) for leg in run.legs] if dense else ())


# --- how it was made --------------------------------------------------------------------------------------------------


def provenance(field: Field, request: RunRequest) -> dict[str, object]:
    """What it was made from and how, for a path that is stored."""
    policy, steering = request.policy, request.steering
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
        "until": request.until,
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
