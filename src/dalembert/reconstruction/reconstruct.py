"""From a reduced motion back to the full one: the way that the reduction took, in the other direction."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.polynomial.legendre import leggauss

from ..calculus.frame import TIME
from ..equations import Start
from ..errors import InvalidValue
from ..geometry.ranks import ranks
from ..geometry.reduction import Reduction
from ..geometry.states import ConstraintSampler
from ..geometry.symplectic import Symplectic
from ..given import public, switch
from ..model.system import System
from ..trajectory import IMPULSE, Marks, Trajectory
from ..trajectory.audit import FAILED, SUSPECT, Audit
from ..trajectory.steps import knots
from .carried_frame import along_carried_frame
from .columns import Columns, Curves, Function
from .full_state import Full, full_start, needs_path, needs_reduction
from .quadratures import along_frame
from .reduced_start import OFF, reduced_state
from .slice import Slice
from .solved import solved

STEPS, PART, NODES = 12, 0.4, 6  # of the path that are looked at, of each of these, and of Gauss's rule on it
LIMIT, FAILURE = 1e-7, 1e-3  # of the velocity: as of energy and work
_SMALL = 1e-9  # of the largest: below it a coordinate or velocity is measured against that


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


# --- the defect -------------------------------------------------------------------------------------------------------

#     z(t_1) - z(t_0) - int z'(t, z) dt ,    z = (q, u) ,
#
# with u' by the form on the constraint manifold [cushman1995 Section 2], over a part of each of some steps, by Gauss's
# rule: over whole steps it is 0 for many methods, however long they are. Nothing of a reduction enters.


def defect(
    system: System,
    columns: Callable[[np.ndarray], Columns],
    knots: np.ndarray,
    jumps: np.ndarray,
) -> float:
    """The largest defect of a coordinate or velocity over its size; NaN where no step can be judged.

    Args:
        system: the unreduced one.
        columns: everything that the equations hold, at times (n,), by name.
        knots: ends of the path's steps.
        jumps: times at which velocities jump; steps that end there are left out.
    """
    names = [s.name for s in system.space]
    smooth = [(a, b) for a, b in pairwise(knots) if b > a and not {a, b} & {*jumps.tolist()}]
    if not smooth or system.contacts or system.shaping:  # contacts push, and inputs in momenta have rates of their own
        return float("nan")
    chosen = np.array(smooth)[np.unique(np.linspace(0, len(smooth) - 1, STEPS).astype(int))]
    chosen[:, 1] = chosen[:, 0] + PART * np.diff(chosen, axis=1)[:, 0]
    x, w = leggauss(NODES)
    half = np.diff(chosen, axis=1) / 2
    times = np.hstack([chosen, chosen.mean(axis=1, keepdims=True) + half * x])
    table = columns(times.ravel())
    form = Symplectic(ConstraintSampler(system), ranks(system).kept)
    rates = np.array([_rates(form, table, i, times.ravel()) for i in range(times.size)]).reshape(*times.shape, -1)
    z = np.array([np.broadcast_to(table[n], times.size) for n in names]).T.reshape(*times.shape, -1)
    off = np.abs(z[:, 1] - z[:, 0] - half * np.einsum("j,ijc->ic", w, rates[:, 2:])).max(axis=0)
    size = np.abs(z).max(axis=(0, 1)) + (half * np.abs(rates).max(axis=1)).max(axis=0)
    return float((off / np.maximum(size, _SMALL * size.max(initial=0.0) or 1.0)).max(initial=0.0))


def _rates(form: Symplectic, table: Columns, i: int, t: np.ndarray) -> list[float]:
    """z' at one time; NaN where no motion is determined."""
    state = {name: float(np.broadcast_to(value, t.shape)[i]) for name, value in table.items()} | {
        TIME.name: float(t[i])
    }
    try:
        with np.errstate(all="ignore"):
            return [*form.sampler.rates(form.at(state).motion, state).values()]
    except np.linalg.LinAlgError:
        return [np.nan] * len([*form.sampler.space])


# --- from a slice with coordinates of its own -------------------------------------------------------------------------

#     qdot = E(q) M v ,    dM/dt = M zeta^alpha B_alpha
#
# M carries the velocities from the slice to where the motion is.


def from_slice(reduction: Reduction, path: Trajectory, values: Columns) -> tuple[Curves, str]:
    """The full columns over time, and how the group's coordinates were found."""
    work = Slice(reduction, values)
    given = reduction.given.space
    fixed = {k: v for k, v in values.items() if k not in given.by_name}
    on_slice = Function(list(reduction.velocities))
    d, k = len(work.moved), work.k

    def derivative(t: float, state: np.ndarray) -> np.ndarray:
        now = {**fixed, **path.at(float(t)), "t": float(t)}
        v = np.array(on_slice(now), float)
        M = state[d:].reshape(k, k)
        place = {**now, **dict(zip(work.moved, state[:d], strict=True))}
        turning = np.einsum("a,acb->cb", work.zeta(now) @ v, work.turning)
        return np.concatenate([work.rates(place, M @ v), (M @ turning).ravel()])

    first = np.concatenate([[values[n] for n in work.moved], work.to(values)[1].ravel()])
    sol = solved(derivative, path.t, first)

    def columns(t: np.ndarray, reduced: Columns) -> Columns:
        now, states = {**fixed, **reduced, "t": t}, sol(t)
        v = np.array([np.broadcast_to(e, np.shape(t)) for e in on_slice(now)])
        u = np.einsum("cbn,bn->cn", states[d:].reshape(k, k, -1), v)
        return {**now, **dict(zip(work.moved, states[:d], strict=True)), **dict(zip(work.names, u, strict=True))}

    return columns, f"{', '.join(work.moved)} by integration in the group"
