"""To a slice of a group and away from it, where the group turns the velocities everywhere alike.

A velocity u at a place is carried along with a generator x_alpha at the rate B_alpha u,

    B_alpha^c_b = e_b x_alpha^c - C^c_db x_alpha^d ,

which does not depend on the place. To the slice leads a path on which the coordinates G that are 0 there shrink evenly,

    dq/ds = E X eta ,    (E X)_G eta = -q_G ,    du/ds = eta^alpha B_alpha u ;

from it, with the group's velocity zeta on the slice and the velocities v there,

    dM/dt = M zeta^alpha B_alpha ,    u = M v ,    qdot = E(q) u .
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property, partial

import numpy as np
import sympy as sp

from ..calculus.algebra import Machine
from ..calculus.graph import Graph, Node, evaluate
from ..calculus.hamel import Motion
from ..calculus.read import read
from ..errors import InvalidValue
from ..geometry.reduce import Reduction
from .columns import Columns
from .solved import solved

FIRST = 0.7  # of a generator: how far a step goes that leaves a place from which no straight path leads to the slice


class Slice:
    """The slice of a reduction.

    Args:
        reduction: with coordinates on a slice.
        values: parameters by name.
    """

    def __init__(self, reduction: Reduction, values: Columns) -> None:
        self.reduction, self.values = reduction, dict(values)
        self.space = reduction.given.space
        self.names = [u.name for u in self.space.velocities]
        self.moved = [q.name for q in reduction.shape.moved]
        self.group = [q.name for q in reduction.shape.group]
        self.g, self.k = len(reduction.generators), len(self.names)
        self._graph = Graph()
        self._motion = Motion(self.space.frame, Machine(self._graph))
        self._places = [self.space.coordinates.index(q) for q in reduction.shape.moved]

    def to(self, state: Columns) -> tuple[np.ndarray, np.ndarray]:
        """The moved coordinates on the slice, and M (k, k) with u = M v for velocities v there.

        Raises:
            InvalidValue: E124, the path to the slice meets a place that the group leaves alone.
        """
        q, M = np.array([state[n] for n in self.moved], float), np.eye(self.k)
        if not any(state[n] for n in self.group):
            return q, M
        for first in self._beginnings:
            try:
                return self._straight(state, *self._carried(state, q, M, partial(_steady, first)))
            except (np.linalg.LinAlgError, InvalidValue):
                continue
        where = ", ".join(f"{n} = {state[n]:.6g}" for n in self.group)
        raise InvalidValue(
            "E124", f"no path leads from {where} to the slice where these are 0", "run the full system from there"
        )

    @property
    def _beginnings(self) -> list[np.ndarray]:
        """Steps in the group before the straight path, which may begin where it leads nowhere: none, then some."""
        steps = [side * FIRST * e for e in np.eye(self.g) for side in (1, -1)]
        return [np.zeros(self.g), *steps]

    def _straight(self, state: Columns, q: np.ndarray, M: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        rows = [self.moved.index(n) for n in self.group]
        ends = q[rows]

        def velocity(EX: np.ndarray) -> np.ndarray:
            return -np.linalg.solve(EX[rows], ends)

        q, turned = self._carried(state, q, M, velocity)
        return q, np.linalg.inv(turned)

    def _carried(
        self, state: Columns, q: np.ndarray, M: np.ndarray, velocity: Callable[[np.ndarray], np.ndarray]
    ) -> tuple[np.ndarray, np.ndarray]:
        """Places and velocities after a unit of time, the group moving with a velocity that depends on E X."""
        d = len(q)

        def derivative(_: float, y: np.ndarray) -> np.ndarray:
            EX = self.fields({**self.values, **state, **dict(zip(self.moved, y[:d], strict=True))})
            eta = velocity(EX)
            turning = np.einsum("a,acb->cb", eta, self.turning)
            return np.concatenate([EX @ eta, (turning @ y[d:].reshape(self.k, self.k)).ravel()])

        y = solved(derivative, np.array([0.0, 1.0]), np.concatenate([q, M.ravel()]))(np.array([1.0]))[:, 0]
        return y[:d], y[d:].reshape(self.k, self.k)

    def fields(self, here: Columns) -> np.ndarray:
        """Rates of the moved coordinates for each generator, (d, g)."""
        return np.array(evaluate(self._fields, here), float).reshape(len(self.moved), self.g)

    def zeta(self, here: Columns) -> np.ndarray:
        """The group's velocity for each velocity on the slice, (g, k)."""
        return np.array(evaluate(self._zeta, here), float).reshape(self.g, self.k)

    def rates(self, here: Columns, u: np.ndarray) -> np.ndarray:
        """Rates of the moved coordinates."""
        E = np.array(evaluate(self._anchor, here), float).reshape(len(self.moved), self.k)
        return np.asarray(E @ u)

    @cached_property
    def turning(self) -> np.ndarray:
        """B (g, k, k)."""
        here = {**self.values, **self.space.sample(np.random.default_rng(0))}
        x = self._x
        found = np.zeros((self.g, self.k, self.k))
        for a in range(self.g):
            for b in range(self.k):
                e_b = [row[b] for row in self._motion.anchor]
                slopes = self._motion.algebra.along(x[a], self._motion.q, e_b)
                turned = [
                    self._motion.sum(self._motion.bracket(d, b)[c] * x[a][d] for d in range(self.k))
                    for c in range(self.k)
                ]
                rows = [s - t for s, t in zip(slopes, turned, strict=True)]
                found[a, :, b] = np.array(evaluate(rows, here), float)
        return found

    @cached_property
    def _x(self) -> list[list[Node]]:
        return [[self._motion.algebra.read(e) for e in g.components] for g in self.reduction.generators]

    @cached_property
    def _fields(self) -> list[Node]:
        anchor = [self._motion.anchor[i] for i in self._places]
        return [self._motion.sum(e * xa for e, xa in zip(row, x, strict=True)) for row in anchor for x in self._x]

    @cached_property
    def _anchor(self) -> list[Node]:
        return [e for i in self._places for e in self._motion.anchor[i]]

    @cached_property
    def _zeta(self) -> list[Node]:
        return [read(e, self._graph) for e in sp.Matrix(self.reduction.zeta)]


def _steady(eta: np.ndarray, _: np.ndarray) -> np.ndarray:
    return eta
