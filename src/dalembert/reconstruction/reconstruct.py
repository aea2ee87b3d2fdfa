"""From a reduced motion back to the full one: the way that the reduction took, in the other direction."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..calculus.frame import TIME
from ..equations import Start
from ..errors import InvalidValue
from ..geometry.reduce import Reduction
from ..given import public, switch
from ..model.system import System
from ..trajectory import IMPULSE, Marks, Trajectory
from ..trajectory.audit import FAILED, SUSPECT, Audit
from ..trajectory.steps import knots
from .carried_frame import along_carried_frame
from .columns import Columns, Curves, Function
from .defect import FAILURE, LIMIT, defect
from .from_slice import from_slice
from .full_state import Full, full_start, needs_path, needs_reduction
from .quadratures import along_frame
from .reduced_start import OFF, reduced_state


@public
def reconstruct(
    reduction: Reduction, path: Trajectory, start: Start | Mapping[Any, Any], *, lifted: bool = False
) -> Trajectory:
    """The full motion whose reduced motion is `path`.

    Args:
        reduction: from `da.reduce`.
        path: a run of the reduced system, begun at `reduced_start(reduction, start)`.
        start: the full state at its beginning. A mapping takes the path's parameters, and its time if it has no ``t``.
        lifted: the path's velocities are not those of the start: they were replaced on the way.

    Returns:
        A `Trajectory` of the given system's coordinates and velocities, with the path's marks. Its audit is that of the
        reduced run but for the constraints, which are those of the given system, and holds the motion against the
        unreduced equations (`defect`; E414). Its provenance says in which order the group's coordinates were found.

    Raises:
        WrongType: E101 no reduction, E307 no path, E241 no state, E204 a value that is no number.
        InvalidValue: E124, the path does not begin at the reduced state and at the time of the start, was run with
            other parameters or without constraints that the reduction keeps, or passes a pole of the reduced
            velocities; E307, it keeps nothing between its samples; what `reduced_start` refuses.
    """
    needs_reduction(reduction, "reconstruct")
    needs_path(reduction, path, "reconstruct")
    full = full_start(reduction, start, path)
    if not switch(lifted, "lifted"):
        _check(reduction, path, full)
    values, names = full.values, tuple(s.name for s in reduction.given.space)
    follow = along_frame if reduction.zeta is None else from_slice if reduction.shape.sliced else along_carried_frame
    curves, order = follow(reduction, path, values)
    _check_poles(reduction, path, {**values, **path.at(path.t), **curves(path.t, path.at(path.t))})
    dense = _Dense(path, curves, names, knots(path))
    rows = dense(path.t)
    held = _held(reduction, {**full.parameters, TIME.name: path.t, **dict(zip(names, rows.T, strict=True))})
    audit = replace(path.audit, constraints=held, constraint_residual=max(held.values(), default=0.0))
    if not lifted:  # a path whose velocities were replaced is no motion
        audit = _against(reduction.given, audit, dense, full.parameters, path)
    told = {"parameters": full.parameters, "start": full.state, "order": order, "title": reduction.given.title}
    return replace(
        path,
        names=names,
        values=rows,
        dense=dense,
        states=len(names),
        audit=audit,
        marks={name: dense.marks(found) for name, found in path.marks.items()},
        provenance={**path.provenance, **told, "principle": "reconstructed"},
    )


@dataclass(frozen=True, eq=False)
class _Dense:
    """The full path's columns at any times.

    Attributes:
        path: the reduced path.
        curves: full columns at times (n,) by the reduced columns there.
        t: the ends of its steps.
    """

    path: Trajectory
    curves: Curves
    names: tuple[str, ...]
    t: np.ndarray

    def __call__(self, t: np.ndarray) -> np.ndarray:
        times = np.atleast_1d(np.asarray(t, float))
        return self._columns(times, self.path.at(times))

    def marks(self, found: Marks) -> Marks:
        """The full states at marks of the reduced path, just before them as there."""
        reduced = dict(zip(found.names, found.values.T, strict=True))
        pushes = [name for name in found.names if name.startswith(IMPULSE)]
        values = np.column_stack([self._columns(found.t, reduced), *(reduced[name] for name in pushes)])
        return Marks(found.t, values, (*self.names, *pushes))

    def _columns(self, t: np.ndarray, reduced: Columns) -> np.ndarray:
        if not len(t):
            return np.zeros((0, len(self.names)))
        columns = self.curves(t, reduced)
        return np.column_stack([np.broadcast_to(columns[name], np.shape(t)) for name in self.names])


def _held(reduction: Reduction, columns: Columns) -> dict[str, float]:
    """The largest |phi| (and |f| of holonomic ones) of the given system's constraints along its columns, by name."""
    found = {}
    for c in reduction.given.constraints:
        residuals = Function([c.phi, *([c.position] if c.holonomic else [])])(columns)
        found[c.name] = max(float(np.abs(residual).max()) for residual in residuals)
    return found


def _against(system: System, audit: Audit, dense: _Dense, parameters: Mapping[str, float], path: Trajectory) -> Audit:
    """The audit with what the unreduced equations say (E414)."""

    def columns(t: np.ndarray) -> Columns:
        own = dict(zip(dense.names, dense(t).T, strict=True))
        driven = {name: values for name, values in path.at(t).items() if name in system.inputs}
        return {**parameters, **driven, **own}

    jumps = np.concatenate([np.zeros(0), *(found.t for found in path.marks.values())])
    off = defect(system, columns, dense.t, jumps)
    if not off > LIMIT:
        return audit
    reason = f"E414 the motion changes otherwise than the unreduced equations say, by {off:.1e} of its size"
    verdict = FAILED if off > FAILURE or audit.verdict == FAILED else SUSPECT
    return replace(audit, verdict=verdict, reasons=(*audit.reasons, reason))


def _check(reduction: Reduction, path: Trajectory, full: Full) -> None:
    """Refuse a path that does not begin at this start (E124)."""
    if reduction.system.constraints and path.provenance.get("principle") == "free":
        names = ", ".join(c.name for c in reduction.system.constraints)
        raise InvalidValue(
            "E124",
            f"the path was run free, and the reduced system keeps {names}",
            "run da.nonholonomic(reduction.system)",
        )
    again = "run the reduced system from da.reduced_start(reduction, start)"
    t = float(path.t[0])
    if full.t is not None and abs(full.t - t) > 1e-12 * (1 + abs(t)):
        raise InvalidValue("E124", f"the path begins at t = {t:.10g}, the start is at t = {full.t:.10g}", again)
    expected, first = reduced_state(reduction, {**full.values, TIME.name: t}), path.at(t)
    off = {n: abs(first[n] - v) for n, v in expected.items()}
    worst = max(off, key=lambda n: off[n], default="")
    if off and not off[worst] <= OFF * (1 + abs(expected[worst])):
        raise InvalidValue(
            "E124",
            f"the path does not begin at this start: {worst} = {first[worst]:.6g}, should be {expected[worst]:.6g}",
            again,
        )


def _check_poles(reduction: Reduction, path: Trajectory, columns: Columns) -> None:
    """E124: a path that went through a pole of the reduced velocities cannot be trusted behind it."""
    for pole, value in zip(reduction.poles, Function(reduction.poles)(columns), strict=True):
        sign = np.sign(np.broadcast_to(value, path.t.shape))
        passed = np.flatnonzero(sign[1:] * sign[:-1] <= 0)
        if len(passed):
            raise InvalidValue(
                "E124",
                f"at t = {path.t[passed[0] + 1]:.6g} the motion passes {pole} = 0, a pole of the reduced velocities",
                "run the full system there, or reduce it in other velocities",
            )
