"""Rest against guards: motions that lie on one without speed, press against it, or leave it slowly."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from ...calculus.graph import evaluate
from ...equations.determinacy import reaction_margins, slip_speeds
from ...errors import Note, as_given
from ...event import STOP
from ...trajectory import Interpolant
from ..events import guard_signs
from ..events.guard import Guard, internal_event
from ..vector_field.field import Field
from .run_context import Leg, Rest, Run, RunContext, RunRequest

AT_REST = " at rest"  # ends the name of the event of a friction law
NOT_UNIQUE = " not unique"  # ends that of reactions which forces hold
REST = 1e-6  # a friction law is at rest where the slip is this much of that at the start
RESTS = 1e-9  # of the guard's terms and of what the motion adds to them: as far a resting motion may be from a guard
SOON = 1e-4  # of the run's length: as far ahead it is looked whether a motion presses against what it rests against
IMPOSE = (
    "impose the contact from then on: da.impacts.impose(da.nonholonomic(system with {name} = 0), the last state); "
    "or give it as a contact, which rests by itself: da.System(contacts=...), [[contact]] in a file"
)

_LASTS = f"at t = {{t:.10g}}: the motion rests against {{name}}; {IMPOSE}"


def rest_at_start(run: Run, t: float, y: np.ndarray, context: RunContext) -> None:
    """Guards on which the motion begins without speed; one against which it presses was refused (E310)."""
    for guard in context.guards:
        on = guard.event.jumps and guard.event.direction and guard_signs.is_on(context.field, guard, t, y)
        if on and guard_signs.is_still(context.field, guard, t, y, y):
            ahead = np.array([SOON * (context.until - t)])
            run.resting[id(guard)] = Rest(guard, t, float(guard_signs.size(context.field, guard, t, y, ahead)[0]))


def rest_after(
    run: Run, t: float, before: np.ndarray, y: np.ndarray, acted: Sequence[Guard], context: RunContext
) -> None:
    """Guards that a jump has left without speed: the motion rests against them, or presses, or leaves slowly."""
    field, began = context.field, run.began
    for guard in acted:
        if not guard.event.direction or not guard_signs.is_still(field, guard, t, before, y):
            continue
        size = float(guard_signs.size(field, guard, t, before, np.array([t - began]))[0])
        if guard_signs.presses(field, guard, t, y, SOON * (context.until - began), size):
            run.failure = ("E133", _LASTS.format(t=t, name=guard.event.name))
            return
        run.resting[id(guard)] = Rest(guard, t, size)
        run.last_jump = None


def free_guards(run: Run, piece: Interpolant, context: RunContext) -> tuple[list[Guard], dict[int, float]]:
    """The guards but those against which the motion rests, and since when those count that it has just left.

    E133 where it presses against one before it has left it.
    """
    left: dict[int, float] = {}
    if not run.resting:
        return [*context.guards], left
    for guard, since, size in list(run.resting.values()):
        inner = -guard.event.direction * guard.of(piece.t, piece.y, context.names, context.parameters)
        allowed = RESTS * (size + guard_signs.size(context.field, guard, piece.t[0], piece.y[0], piece.t - since))
        out = np.flatnonzero(np.abs(inner) > allowed)
        if not len(out):
            continue
        if inner[out[0]] < 0:
            run.failure = ("E133", _LASTS.format(t=piece.t[out[0]], name=guard.event.name))
        else:
            left[id(guard)] = float(piece.t[out[0]])
            del run.resting[id(guard)]
    return [guard for guard in context.guards if id(guard) not in run.resting], left


# ---------------------------------------------------------------------------------------------------------------------
# Events whose guard comes to 0 and does not pass through it: a note says so, whether they were counted or not.

_CLOSE = 1e-9  # of the guard's largest value on the path: what counts as 0
_GOLDEN = (5**0.5 - 1) / 2
_HALVINGS = 60
_POINTS = 33  # between two steps, at which a guard is looked at before its least value is searched


def notes(run: Run) -> tuple[Note, ...]:
    """N312 for each event that changes sign through infinity, or touches 0 without crossing where the path was kept."""
    poles = tuple(_at_pole(name, t) for name, t in run.doubts.poles.items())
    if sum(len(leg.path.h) for leg in run.legs) < 2:
        return poles
    watched = [i for i, g in enumerate(run.leg.guards) if g.event.name in run.marks and not g.switch]
    return (*poles, *(note for i in watched if (note := _touch(run, i))))


def _touch(run: Run, i: int) -> Note | None:
    guard = run.leg.guards[i]
    count = len(run.marks[guard.event.name])
    if count and not guard.marks:
        return None  # it acted: the path ends or jumps there
    nodes = [_value(leg, i, leg.path.t, leg.path.y) for leg in run.legs]
    g = np.concatenate(nodes)
    size = float(np.abs(g).max())
    if not np.isfinite(size) or (g.min() < -_CLOSE * size and g.max() > _CLOSE * size):
        return None
    if count:
        return _said(guard, "touches 0 and does not change sign: each touch is counted")
    if int(np.abs(g).argmin()) == 0 and size:  # a zero at the start is known to be none
        return None
    leg = run.legs[int(np.argmin([np.abs(part).min() for part in nodes]))]
    lowest = int(np.abs(_value(leg, i, leg.path.t, leg.path.y)).argmin())
    ends = leg.path.t[max(lowest - 1, 0)], leg.path.t[min(lowest + 1, len(leg.path.t) - 1)]

    def value(t: np.ndarray) -> np.ndarray:
        return np.abs(_value(leg, i, t, leg.path(t)))

    if size and _stays_away(value(np.linspace(*ends, _POINTS))):
        return None
    t = _lowest(value, float(ends[0]), float(ends[1])) if size else run.began
    if float(value(np.array([t]))[0]) > _CLOSE * size:
        return None
    return _said(
        guard, f"is 0 at t = {t:.6g} and does not change sign there: not counted" if size else "is 0 throughout"
    )


def _value(leg: Leg, i: int, t: np.ndarray, y: np.ndarray) -> np.ndarray:
    """A guard's values along a leg."""
    return leg.guards[i].of(t, y, leg.field.states, leg.field.parameters)


def _said(guard: Guard, what: str) -> Note:
    return _note(guard.event.name, what)


def _at_pole(name: str, t: float) -> Note:
    what = f"changes its sign through infinity, at t = {t:.6g} first: not counted (write what it divides by)"
    return _note(name, what)


def _note(name: str, what: str) -> Note:
    return Note("N312", f"the guard of event {as_given(name)} {what}; an event needs a guard that passes through 0")


def _stays_away(f: np.ndarray) -> bool:
    """Is a function of such values at equal distances nowhere 0? Between two of them it dips by f'' h^2 / 8."""
    return bool(f.min() > 4 * np.abs(np.diff(f, 2)).max())


def _lowest(f: Callable[[np.ndarray], np.ndarray], a: float, b: float) -> float:
    """Where f is least in [a, b], by the golden section."""
    for _ in range(_HALVINGS):
        c, d = b - _GOLDEN * (b - a), a + _GOLDEN * (b - a)
        low, high = f(np.array([c, d]))
        a, b = (a, d) if low < high else (c, b)
    return (a + b) / 2


def stopping(request: RunRequest) -> RunRequest:
    """A run that also stops where its own forces end it, see `own_stops`."""
    return replace(request, events=(*request.events, *own_stops(request.field)))


def own_stops(field: Field) -> list[Guard]:
    """A stop where a friction law rests, and where reactions that forces hold cease to be unique."""
    found = []
    for name, speed in slip_speeds(field.equations).items():
        first = float(evaluate([speed], field.values(field.start.t, field.first))[0])
        found.append(Guard(internal_event(f"{name}{AT_REST}", STOP, -1), speed / first - REST))
    margins = reaction_margins(field.equations).items()
    return found + [Guard(internal_event(f"{names}{NOT_UNIQUE}", STOP, -1), margin) for names, margin in margins]
