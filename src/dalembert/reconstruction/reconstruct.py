"""From a reduced motion back to the full one, and from a full start to the reduced one."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
import sympy as sp
from numpy.polynomial.legendre import leggauss, legint, legvander

from ..argument_checks import public, switch
from ..calculus.frame import TIME
from ..equations import Start, State
from ..errors import InvalidValue
from ..geometry.constraint_rank import ranks
from ..geometry.random_states import ConstraintSampler
from ..geometry.reduction import Reduction
from ..geometry.symplectic_form import Symplectic
from ..model.space import Space
from ..model.system import System
from ..trajectory import IMPULSE, Marks, Trajectory
from ..trajectory.audit import FAILED, SUSPECT, Audit
from ..trajectory.interpolant import knots
from .full_state import Full, full_start, needs_path, needs_reduction
from .slice import ColumnFunction, Columns, Curve, Curves, Slice, solved

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
        residuals = ColumnFunction([c.phi, *([c.position] if c.holonomic else [])])(columns)
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
    for pole, value in zip(reduction.poles, ColumnFunction(reduction.poles)(columns), strict=True):
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
    on_slice = ColumnFunction(list(reduction.velocities))
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


# --- quadratures: the group leaves the frame alone -------------------------------------------------------------------
#     qdot = E(q) u(q, v(t))
#
# Coordinates on whose rates none depends in a circle are quadratures, in the order that this dependence allows; the
# rest is integrated.

QUADRATURE_NODES = 12  # of Gauss's rule on each step of the path
HALVINGS, SERIES = 8, 1e-14  # of a step of the path at most; the size of the last coefficients at which a series ends


@dataclass
class KnownColumns:
    """Columns known over time so far."""

    path: Trajectory
    fixed: dict[str, float]
    curves: dict[str, Curve]

    @property
    def steps(self) -> np.ndarray:
        """Times between which the path is smooth."""
        t = knots(self.path)
        return np.unique(np.concatenate([self.path.t, t[(t > self.path.t[0]) & (t < self.path.t[-1])]]))

    def at(self, t: np.ndarray, reduced: Columns | None = None) -> dict[str, Any]:
        """All that is known at times, by name."""
        flat = np.ravel(t)
        columns = {**self.fixed, **(self.path.at(flat) if reduced is None else reduced), "t": flat}
        columns |= {name: curve(flat) for name, curve in self.curves.items()}
        return columns


def along_frame(reduction: Reduction, path: Trajectory, values: Columns) -> tuple[Curves, str]:
    """The full columns over time, and in which order the group's coordinates were found."""
    given = reduction.given.space
    there = dict(zip(given.velocities, reduction.velocities, strict=True))
    rates = {q: given.rates[q].xreplace(there) for q in reduction.group}
    fixed = {k: v for k, v in values.items() if k not in given.by_name}
    known = KnownColumns(path, fixed, {})
    order, left = [], list(rates)
    while left:
        ready = [q for q in left if not rates[q].free_symbols & set(left)]
        for q in ready:
            known.curves[q.name] = _quadrature(ColumnFunction([rates[q]]), known, values[q.name])
        if not ready:  # a circle: all that is left, together
            known.curves |= _integrated(given, rates, left, known, values)
            order.append(f"{', '.join(q.name for q in left)} by integration")
            break
        order.append(f"{', '.join(q.name for q in ready)} by quadrature")
        left = [q for q in left if q not in ready]
    velocity = ColumnFunction(list(reduction.velocities))

    def columns(t: np.ndarray, reduced: Columns) -> Columns:
        now = known.at(t, reduced)
        return {**now, **dict(zip((u.name for u in given.velocities), velocity(now), strict=True))}

    return columns, ", then ".join(order)


def _quadrature(rate: ColumnFunction, known: KnownColumns, first: float) -> Curve:
    """first + int rate dt: on each step the rate as Legendre's series through Gauss's nodes, integrated."""
    if known.path.t[-1] == known.path.t[0]:
        return lambda t: np.full(np.shape(t), first)
    steps, c = _resolved(rate, known)
    a, half = steps[:-1], np.diff(steps) / 2
    series = legint(c.T, lbnd=-1) * half  # (QUADRATURE_NODES + 1, steps)
    whole = first + np.concatenate([[0.0], np.cumsum(series.sum(axis=0))])  # P_k(1) = 1

    def curve(t: np.ndarray) -> np.ndarray:
        i = np.clip(np.searchsorted(steps, t, side="right") - 1, 0, len(a) - 1)
        with np.errstate(invalid="ignore", divide="ignore"):
            place = np.where(half[i] > 0, (t - a[i]) / np.where(half[i] > 0, half[i], 1.0) - 1, -1.0)
        return np.asarray(whole[i] + np.einsum("nk,kn->n", legvander(place, QUADRATURE_NODES), series[:, i]))

    return curve


def _resolved(rate: ColumnFunction, known: KnownColumns) -> tuple[np.ndarray, np.ndarray]:
    """The path's steps, halved until the series converges on each, and its coefficients (steps, QUADRATURE_NODES)."""
    x, w = leggauss(QUADRATURE_NODES)
    steps = known.steps
    for round_ in range(HALVINGS + 1):
        half = np.diff(steps) / 2
        t = steps[:-1, None] + half[:, None] * (1 + x)
        values = np.broadcast_to(np.asarray(rate(known.at(t))[0], float), t.size).reshape(t.shape)
        # c_k = (k + 1/2) int P_k f ,  exact for the interpolating polynomial
        c = values * w @ legvander(x, QUADRATURE_NODES - 1) * (np.arange(QUADRATURE_NODES) + 0.5)
        open_ = np.abs(c[:, -2:]).max(axis=1) > SERIES * np.abs(values).max(initial=1e-300)
        if round_ == HALVINGS or not open_.any():
            break
        steps = np.sort(np.concatenate([steps, (steps[:-1] + half)[open_]]))
    return steps, c


def _integrated(
    space: Space, rates: Mapping[sp.Symbol, sp.Expr], left: Sequence[sp.Symbol], known: KnownColumns, values: Columns
) -> dict[str, Curve]:
    names = [q.name for q in left]
    rate = ColumnFunction([rates[q] for q in left])
    earlier = KnownColumns(known.path, known.fixed, dict(known.curves))

    def derivative(t: float, y: np.ndarray) -> np.ndarray:
        now = {k: np.squeeze(v) for k, v in earlier.at(np.array([t])).items()}
        return np.array(rate({**now, **dict(zip(names, y, strict=True))}), float)

    sol = solved(derivative, known.path.t, np.array([values[n] for n in names]))
    back = ColumnFunction([space.retraction.get(q, q) for q in left])

    def column(i: int) -> Curve:
        def curve(t: np.ndarray) -> np.ndarray:
            y = dict(zip(names, sol(np.ravel(t)), strict=True))
            return np.asarray(np.broadcast_to(back(y)[i], np.shape(np.ravel(t))))

        return curve

    return {name: column(i) for i, name in enumerate(names)}


# --- the frame was carried along from a slice, with the group's velocity zeta(t) there -------------------------------
#     eta = Ad zeta ,    qdot = E X(q) eta ,    dAd^d_a/dt = -eta^c f^d_cb Ad^b_a
#
# Ad carries the generators from the slice to where the motion is.


class CarriedFrame:
    """The group's motion through the slice and away from it.

    Attributes:
        Ad: (g, g), what carries the generators from the slice to the start.
    """

    def __init__(self, reduction: Reduction, values: Columns) -> None:
        self.reduction, self.values = reduction, dict(values)
        self.Ad = np.eye(len(reduction.generators))
        given = reduction.given.space
        self.group = [q.name for q in reduction.shape.moved]
        self.velocities = [u.name for u in given.velocities]
        self.kept = [q.name for q in reduction.shape.kept]
        E = sp.Matrix(given.anchor)
        X = sp.Matrix([list(g.components) for g in reduction.generators]).T
        rows = [given.coordinates.index(q) for q in reduction.shape.moved]
        self._k, self._g = E.cols, X.cols
        self._moves = ColumnFunction(list((E * X).extract(rows, range(X.cols))))
        self.anchor = ColumnFunction(list(E))
        self.group_velocity = ColumnFunction(list(sp.Matrix(reduction.zeta)))
        self._f = reduction.structure

    @classmethod
    def of(cls, reduction: Reduction, values: Columns) -> CarriedFrame:
        """With Ad from the slice to the group coordinates of a state."""
        carried = cls(reduction, values)
        carried.Ad = carried._to(np.array([values[n] for n in carried.group], float))
        return carried

    def moves(self, values: Columns) -> np.ndarray:
        """Rates of the group's coordinates for each generator, (d, g)."""
        return np.array(self._moves(values), float).reshape(len(self.group), self._g)

    def turned(self, eta: np.ndarray, Ad: np.ndarray) -> np.ndarray:
        """dAd^d_a/dt = -eta^c f^d_cb Ad^b_a."""
        return np.asarray(-np.einsum("c,cbd,ba->da", eta, self._f, Ad))

    def _to(self, q: np.ndarray) -> np.ndarray:
        """Ad from the slice to the coordinates q, along the straight line between."""

        def derivative(s: float, y: np.ndarray) -> np.ndarray:
            now = {**self.values, **dict(zip(self.group, s * q, strict=True))}
            eta = np.linalg.solve(self.moves(now), q)
            return self.turned(eta, y.reshape(self._g, self._g)).ravel()

        if not q.any():
            return np.eye(self._g)
        return solved(derivative, np.array([0.0, 1.0]), np.eye(self._g).ravel())(np.array([1.0])).reshape(self._g, -1)

    def on_slice(self, values: Columns) -> dict[str, float]:
        """The velocities on the slice of a full state: those whose group velocity and shape rates are the same."""
        given = self.reduction.given.space
        u = np.array([values[n] for n in self.velocities])
        E = np.array(self.anchor(values), float).reshape(-1, self._k)
        rates = dict(zip((q.name for q in given.coordinates), E @ u, strict=True))
        eta = np.linalg.solve(self.moves(values), [rates[n] for n in self.group])
        zeta = np.linalg.solve(self.Ad, eta)
        there = {**values, **dict.fromkeys(self.group, 0.0)}
        rows = np.array(self.group_velocity(there), float).reshape(self._g, self._k)
        E_slice = np.array(self.anchor(there), float).reshape(-1, self._k)
        kept = [i for i, q in enumerate(given.coordinates) if q.name in self.kept]
        A = np.vstack([rows, E_slice[kept]])
        y = np.linalg.lstsq(A, np.concatenate([zeta, [rates[n] for n in self.kept]]), rcond=None)[0]
        return dict(zip(self.velocities, map(float, y), strict=True))


@dataclass(frozen=True)
class _Following:
    """The group's coordinates and Ad along a reduced path.

    Attributes:
        frame: the frame that is carried.
        path: the reduced path.
        fixed: parameters by name.
    """

    frame: CarriedFrame
    path: Trajectory
    fixed: Columns

    @cached_property
    def on_slice(self) -> ColumnFunction:
        """The velocities on the slice, by the reduced ones."""
        return ColumnFunction(list(self.frame.reduction.velocities))

    @cached_property
    def shape_rates(self) -> ColumnFunction:
        """Rates of the shape's coordinates."""
        return ColumnFunction(list(self.frame.reduction.system.space.frame.rates))

    def eta(self, now: Columns, Ad: np.ndarray) -> np.ndarray:
        """eta = Ad zeta."""
        y = dict(zip(self.frame.velocities, self.on_slice(now), strict=True))
        there = {**now, **dict.fromkeys(self.frame.group, 0.0), **y}
        zeta = np.array(self.frame.group_velocity(there), float).reshape(len(Ad), -1)
        return np.asarray(Ad @ (zeta @ np.array([float(y[n]) for n in self.frame.velocities])))

    def split(self, state: np.ndarray) -> tuple[dict[str, float], np.ndarray]:
        """The group's coordinates by name, and Ad."""
        d = len(self.frame.group)
        g = len(self.frame.reduction.generators)
        return dict(zip(self.frame.group, state[:d], strict=True)), state[d:].reshape(g, g)

    def derivative(self, t: float, state: np.ndarray) -> np.ndarray:
        """qdot = E X(q) eta ,  dAd^d_a/dt = -eta^c f^d_cb Ad^b_a."""
        q, Ad = self.split(state)
        now = {**self.fixed, **self.path.at(float(t))}
        eta = self.eta(now, Ad)
        return np.concatenate([self.frame.moves({**now, **q}) @ eta, self.frame.turned(eta, Ad).ravel()])

    def full(self, here: Columns, state: np.ndarray) -> list[float]:
        """The full coordinates and velocities at one time."""
        q, Ad = self.split(state)
        now = {**self.fixed, **here, **q}
        reduction = self.frame.reduction
        shape, given = reduction.system.space, reduction.given.space
        rates = dict(zip(q, self.frame.moves(now) @ self.eta(now, Ad), strict=True))
        rates |= dict(zip((r.name for r in shape.coordinates), self.shape_rates(now), strict=True))
        E = np.array(self.frame.anchor(now), float).reshape(-1, len(self.frame.velocities))
        u = np.linalg.lstsq(E, np.array([float(rates[x.name]) for x in given.coordinates]), rcond=None)[0]
        return [*(now[x.name] for x in given.coordinates), *u]


def along_carried_frame(reduction: Reduction, path: Trajectory, values: Columns) -> tuple[Curves, str]:
    """The full columns over time, and how the group's coordinates were found."""
    frame, given = CarriedFrame.of(reduction, values), reduction.given.space
    work = _Following(frame, path, {k: v for k, v in values.items() if k not in given.by_name})
    start = np.concatenate([[values[n] for n in frame.group], frame.Ad.ravel()])
    sol = solved(work.derivative, path.t, start)

    def columns(t: np.ndarray, reduced: Columns) -> Columns:
        rows = [
            work.full({name: float(column[i]) for name, column in reduced.items()}, state)
            for i, state in enumerate(sol(t).T)
        ]
        return dict(zip((s.name for s in given), np.array(rows, float).T, strict=True))

    return columns, f"{', '.join(frame.group)} by integration in the group"


# --- the reduced start: the shape, the place on the slice, and v with u = Z v ----------------------------------------

OFF = 1e-9  # relative: by how much two reduced states may differ that are to be the same


@public
def reduced_start(
    reduction: Reduction, start: Start | Mapping[Any, Any], *, inputs: Mapping[str, object] | None = None
) -> State:
    """The reduced state of a full one: values by name, the time ``t`` included, for a run of the reduced system.

    It bears the parameters of the start, with which the reduced system runs then.

    Args:
        reduction: from `da.reduce`.
        start: a `Start` of the full system, or a mapping of all its coordinates and velocities, in which ``t`` may
            stand; other names in it, such as those of a path's further columns, count for nothing.
        inputs: values there of inputs that stand in constraints or momenta, by name.

    Raises:
        WrongType: E101 no reduction, E241 no state, E204 a value that is no number.
        UnknownName: E229, a parameter among the values; E180, an input of constraints or momenta without a value.
        InvalidValue: E203 not finite, E230 values that are missing, E231, E232, E238 a state that the constraints or
            the space do not allow; E124, parameters at which the symmetry does not hold, or a pole of the reduced
            velocities.
    """
    needs_reduction(reduction, "reduced_start")
    full = full_start(reduction, start, inputs=inputs)
    return State({**reduced_state(reduction, full.values), TIME.name: full.t or 0.0}, full.parameters)


def reduced_state(reduction: Reduction, values: Columns) -> dict[str, float]:
    """The reduced state by name."""
    space, meaning = reduction.system.space, reduction.shape.meaning
    left_alone = ColumnFunction([*meaning.values()])(values)
    found = {q.name: float(v) for q, v in zip(meaning, left_alone, strict=True)}
    names = [s.name for s in reduction.given.space.velocities]
    there = values
    if reduction.shape.sliced:
        crossing, there = _at_slice(reduction, values)
        found |= crossing
    elif reduction.zeta is not None:
        there = {**values, **CarriedFrame.of(reduction, values).on_slice(values)}
    # u = Z v
    Z = np.array(ColumnFunction([*reduction.Z])({**there, **found}), float).reshape(len(names), len(space.velocities))
    u = np.array([there[n] for n in names])
    v = _coefficients(reduction, Z, u)
    return found | {s.name: float(x) for s, x in zip(space.velocities, v, strict=True)}


def _at_slice(reduction: Reduction, values: Columns) -> tuple[dict[str, float], Columns]:
    """The coordinates on the slice, and the state there with its velocities if the frame is carried along."""
    work = Slice(reduction, values)
    q, M = work.to(values)
    place = dict(zip(work.moved, map(float, q), strict=True))
    crossing = {new.name: place[old.name] for old, new in reduction.shape.crossing.items()}
    if reduction.zeta is None:
        return crossing, values
    v = np.linalg.solve(M, np.array([values[n] for n in work.names]))
    return crossing, {**values, **place, **crossing, **dict(zip(work.names, map(float, v), strict=True))}


def _coefficients(reduction: Reduction, Z: np.ndarray, u: np.ndarray) -> np.ndarray:
    """v with u = Z v (E124 if there is none)."""
    if not Z.shape[1]:
        return np.zeros(0)
    v = np.linalg.lstsq(Z, u, rcond=None)[0] if np.isfinite(Z).all() else np.full(Z.shape[1], np.nan)
    if not np.abs(Z @ v - u).max(initial=0.0) <= OFF * (1 + np.abs(u).max(initial=0.0)):
        where = " or ".join(f"{pole} = 0" for pole in reduction.poles) or "a singular place"
        raise InvalidValue(
            "E124", f"the reduced velocities cannot tell this state: it lies at {where}", "run the full system there"
        )
    return np.asarray(v)
