"""A path read from a file, never from pickled objects: its parts are held against each other before it is believed."""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np

from ..argument_checks import public
from ..errors import InvalidValue
from . import Branching, Marks, Trajectory
from .audit import FAILED, OK, Audit, Ending
from .interpolant import Interpolant, dense
from .npz_archive import opened
from .stored_path import ARRAYS, STATES_ONLY, UNSEALED, VERSION, check_meta


@public
def load(file: object) -> Trajectory:
    """Read a path that `Trajectory.save` wrote. Nothing in the file is trusted, and nothing in it is run.

    Raises:
        MissingFile: E501, there is no such file.
        WrongType, InvalidValue: E501 not the name of a file, E502 a folder, E503 it may not be read, E510 a pipe or
            device, E520 not such a file, E522 of a newer format, E523 damaged, E524 it announces more than it holds,
            E525 contents that were never written by `Trajectory.save`.
    """
    with opened(file) as archive:
        meta = json.loads(archive.array("meta", "|u1").tobytes().decode(), object_pairs_hook=_once)
        version = meta["format"]
        if isinstance(version, int) and not isinstance(version, bool) and version > VERSION:
            fact = f"{archive.file} was written in format {version}, this version knows {VERSION}"
            raise InvalidValue("E522", fact, "pip install --upgrade dalembert")
        if type(version) is not int or version < STATES_ONLY:
            raise ValueError(version)
        check_meta(meta)
        archive.only(("meta", *ARRAYS))
        found = _assemble(meta, {name: archive.array(name) for name in ARRAYS})
        if version > UNSEALED:
            archive.verify()
        return found


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """ValueError where a key stands twice: which one counts depends on the reader."""
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a key twice")
    return found


def _assemble(meta: dict[str, Any], arrays: dict[str, np.ndarray]) -> Trajectory:
    states, names = meta["states"], tuple(meta["names"])
    _check_shapes(names, states, *(arrays[name] for name in ARRAYS))
    known = states if meta["format"] == STATES_ONLY else len(names)
    steps = Interpolant(arrays["step_t"], arrays["step_y"][:, :known], arrays["step_h"], arrays["step_F"][..., :known])
    marks = {name: _marks(*given) for name, given in meta["marks"].items()}
    fields: dict[str, Any] = {k: tuple(v) if isinstance(v, list) else v for k, v in meta["audit"].items()}
    audit = Audit(remarks=fields.pop("notes"), **fields)
    path = Trajectory(
        arrays["t"],
        names,
        arrays["values"],
        steps,
        audit,
        marks,
        meta["outcome"],
        meta["reached"],
        states,
        meta["provenance"],
        _ending(meta),
        modes=[(t, name, word) for t, name, word in meta.get("modes", ())],
        branches=tuple(Branching(t, place, tuple(us), taken) for t, place, us, taken in meta.get("branches", ())),
    )
    check(path, steps)
    return path


def _ending(meta: dict[str, Any]) -> Ending:
    if "ending" not in meta:
        return Ending.told(meta["outcome"], meta["reached"])
    return Ending(meta["ending"]["event"], meta["ending"]["code"])


def _check_shapes(names: tuple[str, ...], states: int, *arrays: np.ndarray) -> None:
    """ValueError where arrays and names do not belong together."""
    t, values, step_t, step_y, step_h, step_F = arrays
    fits = (
        all(isinstance(name, str) for name in names) and len(set(names)) == len(names) and 0 <= states <= len(names),
        t.ndim == step_t.ndim == 1 and values.shape == (len(t), len(names)),
        step_y.ndim == 2 and step_F.ndim == 3 and step_y.shape[1] == step_F.shape[2] >= states,
        len(step_y) == len(step_t) == len(step_h) + 1 == len(step_F) + 1 and step_h.ndim == 1,
    )
    if not all(fits):
        raise ValueError(names)


def _marks(t: list[float], values: list[list[float]], names: list[str]) -> Marks:
    return Marks(np.array(t, float), np.array(values, float).reshape(len(t), len(names)), tuple(names))


# --- consistency -----------------------------------------------------------------------------------------------------
# Do the parts of a stored path belong together? Times go one way, samples lie on the steps, a verdict has grounds.

APART = 1e-4  # what samples may be off their steps, of the largest value of the column: polynomials are far closer
NOTHING = 1e-9  # of the largest state: what a column that is 0 but for rounding may be off
MODES = ("apart", "slides", "sticks")  # of a contact
UNACCOUNTED = 1e-5  # of the energy, above which no run is ok: runs are held to less, and joined ones add up


def check(path: Trajectory, steps: Interpolant) -> None:
    """ValueError where the parts of a path contradict each other."""
    failed = path.audit.verdict == FAILED
    _check_times(path, steps)
    for marks in path.marks.values():
        known = np.isfinite(marks.t).all() and (failed or np.isfinite(marks.values).all())
        if not known or len(set(marks.names)) < len(marks.names):
            raise ValueError("marks")
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
