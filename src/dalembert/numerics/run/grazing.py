"""Events whose guard comes to 0 and does not pass through it: a note says so, whether they were counted or not."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ...errors import Note, as_given
from ..events.guard import Guard
from .gathered import Leg, Run

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
