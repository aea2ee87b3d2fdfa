"""Do the parts of a stored path belong together? Times go one way, samples lie on the steps, a verdict has grounds."""

from __future__ import annotations

import math

import numpy as np

from . import Trajectory
from .audit import FAILED, OK, Audit
from .interpolant import Interpolant, dense

APART = 1e-4  # what samples may be off their steps, of the largest value of the column: polynomials are far closer
NOTHING = 1e-9  # of the largest state: what a column that is 0 but for rounding may be off
MODES = ("apart", "slides", "sticks")  # of a contact
UNACCOUNTED = 1e-5  # of the energy, above which no run is ok: runs are held to less, and joined ones add up


def check(path: Trajectory, steps: Interpolant) -> None:
    """ValueError where the parts of a path contradict each other."""
    failed = path.audit.verdict == FAILED
    _check_times(path, steps)
    _check_marks(path, failed)
    _check_modes(path, steps)
    if not failed and not (np.isfinite(path.values).all() and np.isfinite(steps.y[:, : path.states]).all()):
        raise ValueError("values")
    if len(path.t) and len(steps.t) > 1 and not failed:
        _check_samples(path, steps)
        _check_events(path, steps)
        _check_beginning(path, steps)
    _check_verdict(path.audit, path.reached)


def _check_times(path: Trajectory, steps: Interpolant) -> None:
    t = path.t
    for times in (t, steps.t, steps.h):
        if not np.isfinite(times).all():
            raise ValueError("times")
    if not len(steps.t):
        raise ValueError("no steps")
    jumps = _jumps(path, steps)
    way, first, last = _span(path, steps)  # a path of samples alone has no steps between
    long = way * np.diff(steps.t)
    rises = (way * np.diff(t) >= 0).all() and (long >= 0).all()
    once = np.isin(t[:-1][_repeated(t)], jumps).all()
    inside = not len(t) or (way * t[0] >= way * first and way * t[-1] <= way * last)
    sizes = way * steps.h >= long * (1 - 1e-9)
    if not (rises and once and inside and sizes[long > 0].all()):
        raise ValueError("times")


def _jumps(path: Trajectory, steps: Interpolant) -> np.ndarray:
    """Times at which the states may have two values."""
    return np.concatenate([steps.t[:-1][np.diff(steps.t) == 0], *(m.t for m in path.marks.values())])


def _repeated(t: np.ndarray) -> np.ndarray:
    """Does the next time say the same (N - 1,)? So it is at a jump, with the states before and after it."""
    return np.asarray(np.diff(t) == 0)


def _check_marks(path: Trajectory, failed: bool) -> None:
    for marks in path.marks.values():
        known = np.isfinite(marks.t).all() and (failed or np.isfinite(marks.values).all())
        if not known or len(set(marks.names)) < len(marks.names):
            raise ValueError("marks")


def _check_modes(path: Trajectory, steps: Interpolant) -> None:
    """Each contact does one thing after another; bounces that pile up may come to rest after the end."""
    last: dict[str, float] = {}
    way, first, end = _span(path, steps)
    for t, name, word in path.modes:
        begins = way * t >= way * last.get(name, first)
        if word not in MODES or not (begins and way * (t - end) <= abs(end - first)):
            raise ValueError("modes")
        last[name] = t


def _check_events(path: Trajectory, steps: Interpolant) -> None:
    """Marks lie on the path, in their order, with the states just before or, of several at once, between."""
    way, first, end = _span(path, steps)
    largest = np.abs(steps.y[:, : path.states]).max(axis=0)
    for marks in path.marks.values():
        inside = (way * marks.t >= way * first).all() and (way * marks.t <= way * end).all()
        if not (inside and (way * np.diff(marks.t) >= 0).all()):
            raise ValueError("marks")
        held = [(marks.names.index(name), i) for i, name in enumerate(path.names[: path.states]) if name in marks.names]
        here, there = np.array(held, int).reshape(-1, 2).T
        values, room = marks.values[:, here], (APART * largest + NOTHING * largest.max(initial=0.0))[there]
        off = np.abs(_before(steps, way, marks.t)[:, there] - values)
        for row in np.flatnonzero((off > room).any(axis=1)):
            again = steps.y[np.isclose(steps.t, marks.t[row], rtol=1e-12, atol=0.0)][:, there]
            if not (np.abs(again - values[row]) <= room).all(axis=1).any():
                raise ValueError("marks")


def _before(steps: Interpolant, way: float, t: np.ndarray) -> np.ndarray:
    """What the path comes to at times, from before them (len(t), n)."""
    at = np.maximum(np.searchsorted(way * steps.t, way * t, side="left") - 1, 0)
    h = np.where(steps.h[at] == 0, 1.0, steps.h[at])
    return dense(steps.t[at], h, steps.y[at], steps.F[at], t)


def _check_beginning(path: Trajectory, steps: Interpolant) -> None:
    """It begins at the time and in the state that it says it was begun with, and ends no later than it was to."""
    told, (way, first, end) = path.provenance, _span(path, steps)
    until, names = told.get("until"), path.names[: path.states]
    if told.get("t0", first) not in (None, first) or (until is not None and way * end > way * until):
        raise ValueError("times")
    largest = np.abs(steps.y[:, : path.states]).max(axis=0)
    room = APART * largest + NOTHING * largest.max(initial=0.0)
    start = {**dict(zip(names, steps.y[0], strict=False)), **told.get("start", {})}
    if not (np.abs(steps.y[0, : path.states] - [start[name] for name in names]) <= room).all():
        raise ValueError("start")


def _span(path: Trajectory, steps: Interpolant) -> tuple[float, float, float]:
    """The way of time, 1 or -1, and both ends of the path."""
    t = steps.t if len(steps.t) > 1 or not len(path.t) else path.t
    return (-1.0 if t[-1] < t[0] else 1.0), float(t[0]), float(t[-1])


def _check_samples(path: Trajectory, steps: Interpolant) -> None:
    """The states at the sample times, which the steps give too: at a jump those after it, or before."""
    at, (way, _, _) = ~np.append(_repeated(path.t), False), _span(path, steps)
    states, known = path.values[at][:, : path.states], steps.y[:, : path.states]
    largest = np.maximum(np.abs(known).max(axis=0), np.abs(states).max(axis=0, initial=0.0))
    room = APART * largest + NOTHING * largest.max(initial=0.0)
    off = np.abs(steps(path.t[at])[:, : path.states] - states)
    jumps = np.isin(path.t[at], _jumps(path, steps)) & (off > room).any(axis=1)  # of a part of a path, perhaps
    off[jumps] = np.abs(_before(steps, way, path.t[at][jumps])[:, : path.states] - states[jumps])
    meet = np.abs(_ends(steps)[:, : path.states] - known[1:])
    smooth = (np.diff(steps.t) != 0) & ~np.isin(steps.t[1:], _jumps(path, steps))
    if not ((off <= room).all() and (meet <= room)[smooth].all()):
        raise ValueError("samples")


def _ends(steps: Interpolant) -> np.ndarray:
    """What each step gives at its end, (N, n): where it is smooth, the next one begins there."""
    return dense(steps.t[:-1], np.where(steps.h == 0, 1.0, steps.h), steps.y[:-1], steps.F, steps.t[1:])


def _check_verdict(audit: Audit, reached: bool) -> None:
    """A verdict that its numbers and reasons bear."""
    energies = audit.work_balance, audit.energy_scale, audit.energy_rounding
    numbers = (*audit.constraints.values(), *audit.momenta.values(), *energies)
    energy = math.isfinite(audit.energy_start) and math.isfinite(audit.energy_change)
    sound = all(math.isfinite(n) and n >= 0 for n in numbers) and energy
    if audit.constraint_residual != max(audit.constraints.values(), default=0.0) and sound:
        raise ValueError("residual")
    if (audit.verdict == OK) != (not audit.reasons) or (audit.verdict != FAILED and not (sound and reached)):
        raise ValueError("verdict")
    if audit.verdict == OK and not audit.energy_drift <= UNACCOUNTED:
        raise ValueError("energy")
