"""The way back where the group leaves the frame alone: quadratures.

    qdot = E(q) u(q, v(t))

Coordinates on whose rates none depends in a circle are quadratures, in the order that this dependence allows; the rest
is integrated.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import sympy as sp
from numpy.polynomial.legendre import leggauss, legint, legvander

from ..geometry.reduction import Reduction
from ..model.space import Space
from ..trajectory import Trajectory
from ..trajectory.steps import knots
from .columns import Columns, Curves, Function
from .solved import Curve, solved

NODES = 12  # of Gauss's rule on each step of the path
HALVINGS, SERIES = 8, 1e-14  # of a step of the path at most; the size of the last coefficients at which a series ends


@dataclass
class Known:
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
    known = Known(path, fixed, {})
    order, left = [], list(rates)
    while left:
        ready = [q for q in left if not rates[q].free_symbols & set(left)]
        for q in ready:
            known.curves[q.name] = _quadrature(Function([rates[q]]), known, values[q.name])
        if not ready:  # a circle: all that is left, together
            known.curves |= _integrated(given, rates, left, known, values)
            order.append(f"{', '.join(q.name for q in left)} by integration")
            break
        order.append(f"{', '.join(q.name for q in ready)} by quadrature")
        left = [q for q in left if q not in ready]
    velocity = Function(list(reduction.velocities))

    def columns(t: np.ndarray, reduced: Columns) -> Columns:
        now = known.at(t, reduced)
        return {**now, **dict(zip((u.name for u in given.velocities), velocity(now), strict=True))}

    return columns, ", then ".join(order)


def _quadrature(rate: Function, known: Known, first: float) -> Curve:
    """first + int rate dt: on each step the rate as Legendre's series through Gauss's nodes, integrated."""
    if known.path.t[-1] == known.path.t[0]:
        return lambda t: np.full(np.shape(t), first)
    steps, c = _resolved(rate, known)
    a, half = steps[:-1], np.diff(steps) / 2
    series = legint(c.T, lbnd=-1) * half  # (NODES + 1, steps)
    whole = first + np.concatenate([[0.0], np.cumsum(series.sum(axis=0))])  # P_k(1) = 1

    def curve(t: np.ndarray) -> np.ndarray:
        i = np.clip(np.searchsorted(steps, t, side="right") - 1, 0, len(a) - 1)
        with np.errstate(invalid="ignore", divide="ignore"):
            place = np.where(half[i] > 0, (t - a[i]) / np.where(half[i] > 0, half[i], 1.0) - 1, -1.0)
        return np.asarray(whole[i] + np.einsum("nk,kn->n", legvander(place, NODES), series[:, i]))

    return curve


def _resolved(rate: Function, known: Known) -> tuple[np.ndarray, np.ndarray]:
    """The path's steps, halved until the series converges on each, and its coefficients (steps, NODES)."""
    x, w = leggauss(NODES)
    steps = known.steps
    for round_ in range(HALVINGS + 1):
        half = np.diff(steps) / 2
        t = steps[:-1, None] + half[:, None] * (1 + x)
        values = np.broadcast_to(np.asarray(rate(known.at(t))[0], float), t.size).reshape(t.shape)
        # c_k = (k + 1/2) int P_k f ,  exact for the interpolating polynomial
        c = values * w @ legvander(x, NODES - 1) * (np.arange(NODES) + 0.5)
        open_ = np.abs(c[:, -2:]).max(axis=1) > SERIES * np.abs(values).max(initial=1e-300)
        if round_ == HALVINGS or not open_.any():
            break
        steps = np.sort(np.concatenate([steps, (steps[:-1] + half)[open_]]))
    return steps, c


def _integrated(
    space: Space, rates: Mapping[sp.Symbol, sp.Expr], left: Sequence[sp.Symbol], known: Known, values: Columns
) -> dict[str, Curve]:
    names = [q.name for q in left]
    rate = Function([rates[q] for q in left])
    earlier = Known(known.path, known.fixed, dict(known.curves))

    def derivative(t: float, y: np.ndarray) -> np.ndarray:
        now = {k: np.squeeze(v) for k, v in earlier.at(np.array([t])).items()}
        return np.array(rate({**now, **dict(zip(names, y, strict=True))}), float)

    sol = solved(derivative, known.path.t, np.array([values[n] for n in names]))
    back = Function([space.retraction.get(q, q) for q in left])

    def column(i: int) -> Curve:
        def curve(t: np.ndarray) -> np.ndarray:
            y = dict(zip(names, sol(np.ravel(t)), strict=True))
            return np.asarray(np.broadcast_to(back(y)[i], np.shape(np.ravel(t))))

        return curve

    return {name: column(i) for i, name in enumerate(names)}
