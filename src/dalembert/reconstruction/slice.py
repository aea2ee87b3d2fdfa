"""To a slice of a group and away from it, where the group turns the velocities everywhere alike.

A velocity u at a place is carried along with a generator x_alpha at the rate B_alpha u,

    B_alpha^c_b = e_b x_alpha^c - C^c_db x_alpha^d ,

which does not depend on the place. To the slice leads a path on which what is 0 there shrinks evenly: coordinates G,
and how far a rotation is turned and spun,

    dq/ds = E X eta ,    (dG/dq) E X eta = -G ,    du/ds = eta^alpha B_alpha u ;

from it, with the group's velocity zeta on the slice and the velocities v there,

    dM/dt = M zeta^alpha B_alpha ,    u = M v ,    qdot = E(q) u .
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property, partial
from typing import Any

import numpy as np
import sympy as sp

from ..calculus.algebra import GraphAlgebra
from ..calculus.euler_lagrange import Motion
from ..calculus.from_sympy import read
from ..calculus.graph import Graph, Node, evaluate
from ..errors import InvalidValue
from ..geometry.reduction import Reduction

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
        shape = reduction.shape
        moved = [*shape.moved, *(q for lean in shape.leanings for q in lean.attitude.coordinates)]
        self.moved = [q.name for q in moved]
        self._group = [*shape.group, *(turn for lean in shape.leanings for turn in lean.turns)]
        self.g, self.k = len(reduction.generators), len(self.names)
        self._graph = Graph()
        self._motion = Motion(self.space.frame, GraphAlgebra(self._graph))
        self._places = [self.space.coordinates.index(q) for q in moved]

    def to(self, state: Columns) -> tuple[np.ndarray, np.ndarray]:
        """The moved coordinates on the slice, and M (k, k) with u = M v for velocities v there.

        Raises:
            InvalidValue: E124, the path to the slice meets a place that the group leaves alone.
        """
        q, M = np.array([state[n] for n in self.moved], float), np.eye(self.k)
        self._check_crossed(state)
        if not self.away(state).any():
            return q, M
        for first in self._beginnings:
            try:
                return self._straight(state, *self._carried(state, q, M, partial(_steady, first)))
            except (np.linalg.LinAlgError, InvalidValue):
                continue
        where = ", ".join(f"{n} = {state[n]:.6g}" for n in self.moved)
        raise InvalidValue(
            "E124", f"no path leads from {where} to the slice of the group", "run the full system from there"
        )

    def _check_crossed(self, state: Columns) -> None:
        """E124: where turn and spin are one motion, what is 0 on the slice is told by no slopes."""
        with np.errstate(all="ignore"):
            slopes = np.array(evaluate(self._approaches, {**self.values, **state}), float)
        if not np.isfinite(slopes).all():
            where = " or ".join(f"{pole} = 0" for pole in self.reduction.poles)
            raise InvalidValue("E124", f"the group does not cross its slice here: {where}", "run the full system there")

    @property
    def _beginnings(self) -> list[np.ndarray]:
        """Steps in the group before the straight path, which may begin where it leads nowhere: none, then some."""
        steps = [side * FIRST * e for e in np.eye(self.g) for side in (1, -1)]
        return [np.zeros(self.g), *steps]

    def _straight(self, state: Columns, q: np.ndarray, M: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        ends = self.away({**state, **dict(zip(self.moved, q, strict=True))})

        def velocity(here: Columns) -> np.ndarray:
            slopes = np.array(evaluate(self._approaches, here), float).reshape(len(ends), self.g)
            return -np.linalg.solve(slopes, ends)

        q, turned = self._carried(state, q, M, velocity)
        return q, np.linalg.inv(turned)

    def _carried(
        self, state: Columns, q: np.ndarray, M: np.ndarray, velocity: Callable[[Columns], np.ndarray]
    ) -> tuple[np.ndarray, np.ndarray]:
        """Places and velocities after a unit of time, the group moving with a velocity that depends on the place."""
        d = len(q)

        def derivative(_: float, y: np.ndarray) -> np.ndarray:
            here = {**self.values, **state, **dict(zip(self.moved, y[:d], strict=True))}
            eta = velocity(here)
            turning = np.einsum("a,acb->cb", eta, self.turning)
            return np.concatenate([self.fields(here) @ eta, (turning @ y[d:].reshape(self.k, self.k)).ravel()])

        y = solved(derivative, np.array([0.0, 1.0]), np.concatenate([q, M.ravel()]))(np.array([1.0]))[:, 0]
        return y[:d], y[d:].reshape(self.k, self.k)

    def away(self, here: Columns) -> np.ndarray:
        """G, what is 0 on the slice."""
        return np.array(evaluate(self._marks, {**self.values, **here}), float)

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

    def _moves(self, x: list[Node]) -> list[Node]:
        """E x."""
        return [self._motion.sum(e * xa for e, xa in zip(row, x, strict=True)) for row in self._motion.anchor]

    @cached_property
    def _fields(self) -> list[Node]:
        moves = [self._moves(x) for x in self._x]
        return [move[i] for i in self._places for move in moves]

    @cached_property
    def _marks(self) -> list[Node]:
        return [read(e, self._graph) for e in self._group]

    @cached_property
    def _approaches(self) -> list[Node]:
        """(dG/dq) E X, row by row."""
        columns = [self._motion.algebra.along(self._marks, self._motion.q, self._moves(x)) for x in self._x]
        return [e for row in zip(*columns, strict=True) for e in row]

    @cached_property
    def _anchor(self) -> list[Node]:
        return [e for i in self._places for e in self._motion.anchor[i]]

    @cached_property
    def _zeta(self) -> list[Node]:
        return [read(e, self._graph) for e in sp.Matrix(self.reduction.zeta)]


def _steady(eta: np.ndarray, _: Columns) -> np.ndarray:
    return eta


# --- expressions along a motion --------------------------------------------------------------------------------------

Columns = Mapping[str, Any]
Curves = Callable[[np.ndarray, Columns], Columns]  # full columns at times, by the reduced columns there


class ColumnFunction:
    """Expressions as a function of named columns."""

    def __init__(self, expressions: Sequence[sp.Expr]) -> None:
        graph = Graph()
        self._nodes = [read(e, graph) for e in expressions]

    def __call__(self, values: Columns) -> list[Any]:
        """The values of the expressions, one each."""
        return list(evaluate(self._nodes, values)) if self._nodes else []


# --- small systems of differential equations, solved to rounding -----------------------------------------------------

RTOL, ATOL = 1e-13, 1e-14
Curve = Callable[[np.ndarray], np.ndarray]


def solved(derivative: Callable[[float, np.ndarray], np.ndarray], t: np.ndarray, y: np.ndarray) -> Curve:
    """The solution from t[0] to t[-1], as a function of times: (n, len(times)).

    Raises:
        InvalidValue: E124, it cannot be followed to the end.
    """
    if t[-1] == t[0]:
        return lambda times: np.repeat(y[:, None], len(times), axis=1)
    from scipy.integrate import solve_ivp

    run = solve_ivp(derivative, (t[0], t[-1]), y, "DOP853", dense_output=True, rtol=RTOL, atol=ATOL)
    if not run.success:
        fact = f"the group's motion cannot be followed beyond t = {run.t[-1]:.6g}"
        raise InvalidValue("E124", fact, "run the full system there")
    return lambda times: np.asarray(run.sol(times))
