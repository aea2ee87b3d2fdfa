"""The way back where the frame was carried along from a slice, with the group's velocity zeta(t) there.

    eta = Ad zeta ,    qdot = E X(q) eta ,    dAd^d_a/dt = -eta^c f^d_cb Ad^b_a

Ad carries the generators from the slice to where the motion is.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import sympy as sp

from ..geometry.reduction import Reduction
from ..trajectory import Trajectory
from .columns import Columns, Curves, Function
from .solved import solved


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
        self._moves = Function(list((E * X).extract(rows, range(X.cols))))
        self.anchor = Function(list(E))
        self.group_velocity = Function(list(sp.Matrix(reduction.zeta)))
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
    def on_slice(self) -> Function:
        """The velocities on the slice, by the reduced ones."""
        return Function(list(self.frame.reduction.velocities))

    @cached_property
    def shape_rates(self) -> Function:
        """Rates of the shape's coordinates."""
        return Function(list(self.frame.reduction.system.space.frame.rates))

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
