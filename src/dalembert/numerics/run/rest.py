"""Rest against guards: motions that lie on one without speed, press against it, or leave it slowly."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...trajectory import Interpolant
from ..events import at_an_instant
from ..events.guard import Guard
from .gathered import Rest, Run, Scene

RESTS = 1e-9  # of the guard's terms and of what the motion adds to them: as far a resting motion may be from a guard
SOON = 1e-4  # of the run's length: as far ahead it is looked whether a motion presses against what it rests against
IMPOSE = (
    "impose the contact from then on: da.impacts.impose(da.nonholonomic(system with {name} = 0), the last state); "
    "or give it as a contact, which rests by itself: da.System(contacts=...), [[contact]] in a file"
)

_LASTS = f"at t = {{t:.10g}}: the motion rests against {{name}}; {IMPOSE}"


def rest_at_start(run: Run, t: float, y: np.ndarray, scene: Scene) -> None:
    """Guards on which the motion begins without speed; one against which it presses was refused (E310)."""
    for guard in scene.guards:
        on = guard.event.jumps and guard.event.direction and at_an_instant.is_on(scene.field, guard, t, y)
        if on and at_an_instant.is_still(scene.field, guard, t, y, y):
            ahead = np.array([SOON * (scene.until - t)])
            run.resting[id(guard)] = Rest(guard, t, float(at_an_instant.size(scene.field, guard, t, y, ahead)[0]))


def rest_after(run: Run, t: float, before: np.ndarray, y: np.ndarray, acted: Sequence[Guard], scene: Scene) -> None:
    """Guards that a jump has left without speed: the motion rests against them, or presses, or leaves slowly."""
    field, began = scene.field, run.began
    for guard in acted:
        if not guard.event.direction or not at_an_instant.is_still(field, guard, t, before, y):
            continue
        size = float(at_an_instant.size(field, guard, t, before, np.array([t - began]))[0])
        if at_an_instant.presses(field, guard, t, y, SOON * (scene.until - began), size):
            run.failure = ("E133", _LASTS.format(t=t, name=guard.event.name))
            return
        run.resting[id(guard)] = Rest(guard, t, size)
        run.last_jump = None


def free_guards(run: Run, piece: Interpolant, scene: Scene) -> tuple[list[Guard], dict[int, float]]:
    """The guards but those against which the motion rests, and since when those count that it has just left.

    E133 where it presses against one before it has left it.
    """
    left: dict[int, float] = {}
    if not run.resting:
        return [*scene.guards], left
    for guard, since, size in list(run.resting.values()):
        inner = -guard.event.direction * guard.of(piece.t, piece.y, scene.names, scene.parameters)
        allowed = RESTS * (size + at_an_instant.size(scene.field, guard, piece.t[0], piece.y[0], piece.t - since))
        out = np.flatnonzero(np.abs(inner) > allowed)
        if not len(out):
            continue
        if inner[out[0]] < 0:
            run.failure = ("E133", _LASTS.format(t=piece.t[out[0]], name=guard.event.name))
        else:
            left[id(guard)] = float(piece.t[out[0]])
            del run.resting[id(guard)]
    return [guard for guard in scene.guards if id(guard) not in run.resting], left
