"""Jumps at guards: impacts and other resets, several at one instant as in a corner, and jumps that pile up (Zeno)."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence

import numpy as np

from ...trajectory import Interpolant
from ..events import at_an_instant, singular
from ..events.compiled_guards import Happening
from ..events.guard import Guard
from ..methods.stepping import Stepper
from ..vector_field.residual import residuals, row_units
from . import pushes
from .gathered import ZENO, Passage, Run, Scene, gather
from .rest import IMPOSE, rest_after

CHATTER, CHATTER_TIME = 1000, 1e-6  # so many switches within this part of the run's length are too many
_SLIDING = "at t = {t:.10g}: the force jumps where {name} = 0 and holds the motion there: it needs a law of rest"

MOST = CHATTER  # jumps at one instant
ORDERS, MOST_ASKED = 24, 50  # of jumps at one instant that are compared, and jumps in each
SAME = 1e-9  # of the state, within which two orders lead to the same

_PILE = f"at t = {{t:.10g}}: the jumps at {{name}} pile up (Zeno); {IMPOSE}"


def jump(run: Run, stepper: Stepper, first: Happening, y: np.ndarray, scene: Scene) -> None:
    """The jump, and those of other guards that the new state crosses at the same instant."""
    field, t = scene.field, first.t
    met = _met(t, y, scene)
    at_once = len(met) > 2 and _order_matters(t, y, met, scene)
    after = _all_at_once(run, met, t, y, scene) if at_once else _jumps(run, first, y, scene)
    if after is None:
        return
    new, acted = after
    for g in met:  # what acted within another's jump, as two walls in a corner do
        last = run.marks[g.event.name][-1][0] if run.marks[g.event.name] else -math.inf
        if last < t and at_an_instant.speed(field, g, t, new) * g.event.direction <= 0:
            run.mark([g], np.array([t]), y[None])
    if run.last_jump and at_an_instant.speed(field, run.last_jump.guard, t, new) * run.last_jump.direction > 0:
        run.last_jump = None  # the jump sends the motion on through the guard: a kick, not a wall
    stepper.restart(t, new)
    rest_after(run, t, y, new, acted, scene)
    _check_accumulation(run, scene, first.guard.event.name)


def _all_at_once(
    run: Run, met: Sequence[Guard], t: float, y: np.ndarray, scene: Scene
) -> tuple[np.ndarray, list[Guard]] | None:
    """The state after the jump of more than two walls that are met at once; None where it is not decided."""
    names = ", ".join(sorted(g.event.name for g in met))
    full = scene.field.full(np.array([t]), y[None])[0]
    walls = all(g.event.impact is not None and g.event.impact.at_once for g in met) and len(met) <= pushes.MOST
    found = pushes.Instant.at(t, full, met, scene) if walls else None
    jumped = None if found is None else found.together()
    if found is None or jumped is None:
        why = (
            "the order of their jumps decides" if found is None else "no way in which all of them push is the only one"
        )
        run.failure = ("E409", f"at t = {t:.10g}: {names} are met at once, and {why}")
        return None
    there = full.copy()
    there[found.places] += jumped[0]
    run.passages.append(Passage(t, None, full, there, t))
    new = _put(run, names, (t, y, full, there), scene)
    run.pushes.append((t, jumped[1]))
    return None if run.failure else (new, list(met))


def _jumps(run: Run, first: Happening, y: np.ndarray, scene: Scene) -> tuple[np.ndarray, list[Guard]] | None:
    """The state after all jumps of this instant, and the guards at which it may rest; None where the run ends."""
    field, t = scene.field, first.t
    # a guard that the motion was leaving, as the far side of a wall, is not met at this instant
    armed = {id(g) for g in scene.guards if not g.switch and not at_an_instant.leaves(field, g, t, y)}
    acted = {id(g): g for g in (first.guard, *_met(t, y, scene))}
    guard: Guard | None = first.guard
    for _ in range(MOST):
        if guard is None:
            return y, [*acted.values()]
        run.mark([guard], np.array([t]), y[None])
        if guard.event.stops:
            run.stop(guard, t)
            return None
        y = _jumped(run, guard, t, y, scene)
        if run.failure:
            return None
        armed.discard(id(guard))
        acted[id(guard)] = guard
        crossing = [g for g in scene.guards if not g.switch and not g.marks and at_an_instant.crosses(field, g, t, y)]
        armed |= {id(g) for g in scene.guards if g not in crossing and g.event.direction}
        run.last_jump = first._replace(guard=guard, direction=_sense(guard, first))
        guard = next((g for g in crossing if id(g) in armed), None)
    run.failure = ("E408", f"at t = {t:.10g}: {MOST} jumps at one instant")
    return None


def _order_matters(t: float, y: np.ndarray, met: Sequence[Guard], scene: Scene) -> bool:
    """Do the jumps of three guards or more, met at once, lead to different states in different orders?"""
    ends = [_after_all(t, y, order, scene) for order in itertools.islice(itertools.permutations(met), ORDERS)]
    apart = max(float(np.abs(end - ends[0])[:-1].max()) for end in ends)
    return not apart <= SAME * float(np.abs(y[:-1]).max())


def _after_all(t: float, y: np.ndarray, order: Sequence[Guard], scene: Scene) -> np.ndarray:
    """The state after the jumps of guards met at once, the first of them first; NaN if there is no end to them."""
    armed, guard = {id(g) for g in order}, next(iter(order), None)
    for _ in range(MOST_ASKED):
        if guard is None:
            return y
        y = _after(guard, t, y, scene)
        armed.discard(id(guard))
        crossing = [g for g in order if at_an_instant.crosses(scene.field, g, t, y)]
        armed |= {id(g) for g in order if g not in crossing and g.event.direction}
        guard = next((g for g in crossing if id(g) in armed), None)
    return np.full_like(y, np.nan)


def _met(t: float, y: np.ndarray, scene: Scene) -> list[Guard]:
    """The guards with jumps that the motion meets at this instant."""
    jumping = [g for g in scene.guards if g.event.jumps and not g.switch]
    return [g for g in jumping if at_an_instant.meets(scene.field, g, t, y)]


def _sense(guard: Guard, first: Happening) -> int:
    """The direction in which the motion met the guard."""
    return guard.event.direction or (first.direction if guard is first.guard else 0)


def _jumped(run: Run, guard: Guard, t: float, y: np.ndarray, scene: Scene) -> np.ndarray:
    """The state after one jump; it must satisfy the constraints."""
    field = scene.field
    full = field.full(np.array([t]), y[None])[0]
    there = guard.after(t, full, field.equations.states, scene.parameters)
    if guard.event.impact is not None and np.isfinite(there).all():
        walls = [guard, *(g for g in _met(t, y, scene) if g is not guard and g.event.impact is not None)]
        found = pushes.Instant.at(t, full, walls, scene)
        run.pushes.append((t, found.impulses((there - full)[found.places])))
    alone = not any(g is not guard for g in _met(t, y, scene))
    run.passages.append(Passage(t, guard if alone else None, full, there, t))
    return _put(run, guard.event.name, (t, y, full, there), scene)


def _put(run: Run, name: str, found: tuple[float, np.ndarray, np.ndarray, np.ndarray], scene: Scene) -> np.ndarray:
    """The state y after a jump, of a time, the state and the full row before it, and the full row after it."""
    field, (t, y, full, there) = scene.field, found
    at = np.array([t])
    before, after = field.energy(np.full(2, t), np.vstack([full, there]))
    work = float(after - before)
    there[-1] += work
    absolute, relative = residuals(field, at, there[None])
    units = row_units(field, t, full)
    off = max((min(a / unit, r) for a, r, unit in zip(absolute, relative, units, strict=True)), default=0.0)
    if not np.isfinite(there).all() or not off <= 1e-9:
        run.failure = ("E130", f"at t = {t:.10g}: the jump at {name} {_fault(there, off, scene)}")
        return y
    new = np.asarray(field.within(at, there[None])[0])
    run.jumps.append((t, work))
    nothing = np.zeros((1, 1, len(y)))
    gather(run, Interpolant(np.array([t, t]), np.vstack([y, new]), np.zeros(1), nothing), scene)
    return new


def _after(guard: Guard, t: float, y: np.ndarray, scene: Scene) -> np.ndarray:
    """The state after a jump, whether the constraints allow it or not."""
    at = np.array([t])
    full = guard.after(t, scene.field.full(at, y[None])[0], scene.field.equations.states, scene.parameters)
    return np.asarray(scene.field.within(at, full[None])[0])


def _fault(new: np.ndarray, off: float, scene: Scene) -> str:
    lost = [name for name, value in zip(scene.field.equations.states, new, strict=False) if not np.isfinite(value)]
    if lost:
        return f"gives no number for {', '.join(lost)}: is each restitution in [0, 1], each new value a number?"
    if not np.isfinite(new[-1]):
        return "gives an energy that is no number: are its values of another unit?"
    return f"leaves the constraints (residual {off:.2g})"


def check_passing(run: Run, events: Sequence[Happening], piece: Interpolant, scene: Scene) -> None:
    """E133 where the motion goes through a guard right after a jump that should have kept it on its side."""
    jump = run.last_jump
    run.last_jump = None
    if jump is None or any(h.guard is jump.guard and h.t <= piece.t[1] for h in events):
        return
    value = jump.guard.of(piece.t[1:2], piece.y[1:2], scene.names, scene.parameters)[0]
    if value * jump.direction > 0:
        run.failure = ("E133", _PILE.format(t=jump.t, name=jump.guard.event.name))


def _check_accumulation(run: Run, scene: Scene, name: str) -> None:
    """Jumps whose intervals shrink to nothing have an end in finite time, beyond which the motion is not defined.

    Those whose intervals stay tiny have one that is not reached in any time to wait.
    """
    if within := chatters([t for t, _ in run.jumps[-MOST:]], scene.until - run.began):
        run.failure = ("E408", f"at t = {run.jumps[-1][0]:.10g}: {name} jumps {MOST} times in {within:.1e}")
        return
    t = np.unique([t for t, _ in run.jumps[-12:]])[-4:]
    intervals = np.diff(t)
    if len(t) == 4 and np.all(np.diff(intervals) < 0) and intervals[-1] < ZENO * (scene.until - run.began):
        run.failure = ("E133", _PILE.format(t=t[-1], name=name))


# --- between modes ----------------------------------------------------------------------------------------------------


def switch(run: Run, stepper: Stepper, h: Happening, y: np.ndarray, scene: Scene) -> None:
    """Where a force jumps: step a hair beyond the surface and start afresh there."""
    if singular.slides(scene.field, h, y):
        run.failure = ("E408", _SLIDING.format(t=h.t, name=h.guard.event.name))
        return
    hair = min(at_an_instant.hair(scene.field, h.guard, h.t, y), scene.until - h.t)
    # with the rate that holds beyond: on the surface itself the force may be either
    ahead = y + hair * scene.field.rate(h.t, y)
    beyond = y + hair * scene.field.rate(h.t + hair, ahead)
    F = np.zeros((1, 1, len(y)))
    F[0, 0] = beyond - y
    gather(run, Interpolant(np.array([h.t, h.t + hair]), np.vstack([y, beyond]), np.array([hair or 1.0]), F), scene)
    stepper.restart(h.t + hair, beyond)
    run.switches.append(h.t)
    before, after = scene.field.full(np.array([h.t, h.t + hair]), np.vstack([y, beyond]))
    run.passages.append(Passage(h.t, h.guard, before, after, h.t + hair))
    if within := chatters(run.switches[-CHATTER:], scene.until - run.began):
        run.failure = ("E408", f"at t = {h.t:.10g}: the force switches {CHATTER} times in {within:.1e}")


def chatters(recent: Sequence[float], length: float) -> float:
    """The time within which the last `CHATTER` happenings lie, if that is next to nothing of the run's; else 0."""
    within = recent[-1] - recent[0]
    return within if len(recent) == CHATTER and within < CHATTER_TIME * length else 0.0
