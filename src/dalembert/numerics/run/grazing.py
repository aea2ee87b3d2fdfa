"""Events whose guard comes to 0 and does not pass through it: a note says so, whether they were counted or not."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from ...errors import Note, as_given
from ...trajectory import Interpolant
from ..events.guard import Guard
from ..vector_field.field import Field
from .gathered import Run

_CLOSE = 1e-9  # of the guard's largest value on the path: what counts as 0
_GOLDEN = (5**0.5 - 1) / 2
_HALVINGS = 60


def notes(field: Field, guards: Sequence[Guard], run: Run, path: Interpolant) -> tuple[Note, ...]:
    """N312 for each event that touches 0 without crossing, where the path was kept."""
    watched = [g for g in guards if g.event.name in run.marks and not g.switch] if len(path.t) > 2 else []
    return tuple(note for guard in watched if (note := _touch(field, guard, len(run.marks[guard.event.name]), path)))


def _touch(field: Field, guard: Guard, count: int, path: Interpolant) -> Note | None:
    if count and not guard.marks:
        return None  # it acted: the path ends or jumps there
    names, parameters = field.states, field.parameters

    def value(t: np.ndarray) -> np.ndarray:
        return np.abs(guard.of(t, path(t), names, parameters))

    g = guard.of(path.t, path.y, names, parameters)
    size = float(np.abs(g).max())
    if not np.isfinite(size) or (g.min() < -_CLOSE * size and g.max() > _CLOSE * size):
        return None
    if count:
        return _said(guard, "touches 0 and does not change sign: each touch is counted")
    i = int(np.abs(g).argmin())
    if i == 0 and size:  # a zero at the start is known to be none
        return None
    t = _lowest(value, float(path.t[i - 1]), float(path.t[min(i + 1, len(path.t) - 1)])) if size else path.t[0]
    if float(value(np.array([t]))[0]) > _CLOSE * size:
        return None
    return _said(
        guard, f"is 0 at t = {t:.6g} and does not change sign there: not counted" if size else "is 0 throughout"
    )


def _said(guard: Guard, what: str) -> Note:
    return Note(
        "N312", f"the guard of event {as_given(guard.event.name)} {what}; an event needs a guard that passes through 0"
    )


def _lowest(f: Callable[[np.ndarray], np.ndarray], a: float, b: float) -> float:
    """Where f is least in [a, b], by the golden section."""
    for _ in range(_HALVINGS):
        c, d = b - _GOLDEN * (b - a), a + _GOLDEN * (b - a)
        low, high = f(np.array([c, d]))
        a, b = (a, d) if low < high else (c, b)
    return (a + b) / 2
