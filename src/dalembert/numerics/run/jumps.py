"""Where coefficients of inputs change a run lands, and goes on from there with the new ones."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial

import numpy as np

from ...calculus.graph import symbols
from ...errors import InvalidValue
from ...trajectory import Columns
from ..inputs.steering import by_name
from ..methods.stepping import Stepper
from ..vector_field.field import Field
from .gathered import Leg, Run, Scene


def on_with_inputs(run: Run, stepper: Stepper, scene: Scene) -> tuple[Stepper, Scene]:
    """The stepper and the scene that go on from the time reached."""
    t, y, old = stepper.t, stepper.y.copy(), scene.field
    try:
        values = scene.steering.values(t, partial(state_at, old, t, y))
    except InvalidValue as error:  # E184: what a function says; the path until then is kept
        run.failure = (error.code, error.fact)
        return stepper, scene
    scene = replace(scene, change=scene.steering.after(t, scene.until))
    if all(old.parameters[name] == value for name, value in values.items()):
        return stepper, scene
    following, new = with_values(run, stepper, scene, values)
    full = old.full(np.array([t]), y[None])[0]
    if not scene.holds(old.parameters, new.field.parameters, t, full):
        run.outcome = f"inputs end the mode of contacts at t = {t:.10g}"
    return following, new


def with_values(run: Run, stepper: Stepper, scene: Scene, values: Mapping[str, float]) -> tuple[Stepper, Scene]:
    """The same with other values of some parameters."""
    t, y, old = stepper.t, stepper.y.copy(), scene.field
    field = old.with_values(values)
    y[-1] += work_of_jump(old, field, t, y)
    run.spent = run.spent.and_by(stepper)
    most = max(scene.policy.most_steps - run.spent.steps - run.spent.rejected, 0)
    request = replace(scene.request, max_steps=most)
    following = scene.policy.method.stepper(field, request)
    following.restart(t, y, getattr(stepper, "h", 0.0))
    if scene.growth is not None and scene.keep is not None:
        scene.growth.go_on(field)
    keep = None if scene.keep is None else replace(scene.keep, field=field, stepper=following)
    watches = scene.watches if not _watched(scene, values) else {}
    new = replace(scene, field=field, request=request, keep=keep, watches=watches)
    run.legs.append(Leg.begin(new, t, y))
    return following, new


def state_at(field: Field, t: float, y: np.ndarray) -> Columns:
    """The states by name."""
    full = field.full(np.array([t]), y[None])[0]
    return by_name(field.equations.states, t, full)


def work_of_jump(old: Field, new: Field, t: float, y: np.ndarray) -> float:
    """By how much the energy changes with the coefficients alone, which the inputs supply."""
    changed = {name for name, value in new.parameters.items() if value != old.parameters[name]}
    if not changed & symbols([new.equations.machine.energy]):
        return 0.0
    at = np.array([t])
    full = old.full(at, y[None])
    return float(new.energy(at, full)[0] - old.energy(at, full)[0])


def _watched(scene: Scene, values: Mapping[str, float]) -> bool:
    """Does an event depend on coefficients that change?"""
    return bool(scene.given) and bool(symbols([guard.value for guard in scene.given]) & values.keys())
