"""Constraints linear or affine in the velocities, as a Pfaffian system; its integrability and its growth.

    phi^s = N^s_a(t, q) u^a + b^s(t, q) = 0

Time is taken in as one more direction, e_0 = d/dt, so that the rows read  omega^s = b^s dt + N^s_a e^a  and a drift is
no special case. Where nothing moves (b = 0 and no row holds t) that direction is left out.

A row, or a combination of rows, is integrable if it is a multiple of some df(t, q). By Frobenius that is so iff
d omega vanishes on the kernel of the rows; the rows that are left integrable in the end are those that annihilate the
kernel together with all its iterated brackets [bryant1991 II.4; montgomery2002 2.1].
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product

import numpy as np

from ..calculus.elimination import choose_columns, solve
from ..calculus.graph import Node, evaluate, live, substitute, symbols, tangent
from ..calculus.rank import null_space
from .rounding import Directions, Shaken
from .states import ConstraintSampler, Values

BUDGET = 20_000  # graph nodes: brackets of brackets grow fast
Field = list[Node]


@dataclass(frozen=True, eq=False)
class Growth:
    """Ranks of D, D + [D, D], D + [D, D] + [D, [D, D]], ...

    Attributes:
        vector: the growth vector (n1, n2, ..., np), rising.
        complete: did it end by itself? Else the brackets grew over the budget and more may come.
        fields: orthonormal values (rank x directions), at the first state, that span the last of them.
    """

    vector: tuple[int, ...]
    complete: bool
    fields: np.ndarray


class Pfaff:
    """Rows omega^s on the directions (e_0 = d/dt, e_1, ..., e_k).

    Args:
        sampler: the constraints and random states on them.
        rows: positions of the rows, independent, each linear or affine in the velocities.
        states: where things are decided.
    """

    def __init__(self, sampler: ConstraintSampler, rows: Sequence[int], states: Sequence[Values]) -> None:
        self.sampler, self.states = sampler, states
        self.motion, zero = sampler.motion, sampler.graph.constant(0)
        self.N = [sampler.normals[s] for s in rows]
        at_rest = {u.key[1]: 0.0 for u in self.motion.u}
        drifts = _at(sampler.phi, rows, at_rest)
        self.moving = any(not b.is_zero for b in drifts) or "t" in symbols([e for row in self.N for e in row])
        self.omega = [[b if self.moving else zero, *row] for b, row in zip(drifts, self.N, strict=True)]
        self.zero = zero
        self.width = len(self.motion.u) + 1
        # rows df = 0: what annihilates f annihilates it after brackets too
        self.positions = sum(sampler.constraints[s].holonomic for s in rows)
        self.stopped = False  # did brackets grow over the budget?
        self._shaken = Shaken(states[0])

    # --- fields ----------------------------------------------------------------------------------------------------

    def along(self, X: Field, ys: Sequence[Node]) -> list[Node]:
        """X y = X^0 dy/dt + X^a E^i_a dy/dq^i for each y."""
        motion = self.motion
        dq = [motion.sum(e * Xa for e, Xa in zip(row, X[1:], strict=True)) for row in motion.anchor]
        return tangent(ys, [*motion.q, motion.t], [*dq, X[0]])

    def bracket(self, X: Field, Y: Field) -> Field:
        """[X, Y]^c = X Y^c - Y X^c + C^c_ab X^a Y^b."""
        lie = [a - b for a, b in zip(self.along(X, Y), self.along(Y, X), strict=True)]
        for (a, b), row in self.motion.brackets.items():
            area = X[a + 1] * Y[b + 1] - X[b + 1] * Y[a + 1]
            lie = [lie[0], *(c + C * area for c, C in zip(lie[1:], row, strict=True))]
        return lie

    @cached_property
    def kernel(self) -> list[Field]:
        """Fields that span D: the directions e_a in which the rows vanish, at fixed time."""
        return self._kernel[0]

    @cached_property
    def drift(self) -> Field:
        """The field d/dt + gamma, on which all rows vanish; gamma lies in the directions that depend on the others."""
        return self._kernel[1]

    @cached_property
    def _kernel(self) -> tuple[list[Field], Field]:
        k, one = self.width - 1, self.sampler.graph.constant(1)
        if not self.N:
            return [self._field({a + 1: one}) for a in range(k)], self._field({0: one})
        normals = np.array(evaluate([e for row in self.N for e in row], self.states[0]), float).reshape(-1, k)
        dependent = choose_columns(normals)
        free = [a for a in range(k) if a not in dependent]
        # N_dependent A = -(N_free, b)
        right = [[-row[a + 1] for a in free] + [-row[0]] for row in self.omega]
        A = solve([[row[a] for a in dependent] for row in self.N], right, self.states[0])
        columns = [{d + 1: A[r][j] for r, d in enumerate(dependent)} for j in range(len(free) + 1)]
        fields = [self._field({a + 1: one, **column}) for a, column in zip(free, columns, strict=False)]
        return fields, self._field({0: one, **columns[-1]})

    def _field(self, components: Mapping[int, Node]) -> Field:
        return [components.get(c, self.zero) for c in range(self.width)]

    # --- integrability ---------------------------------------------------------------------------------------------

    @cached_property
    def curvatures(self) -> tuple[np.ndarray, np.ndarray]:
        """d omega^s (e_a, e_b) at every state: samples x m x directions x directions, antisymmetric in a, b.

        d omega(e_a, e_b) = e_a omega_b - e_b omega_a - omega_c C^c_ab, and the size of the largest term (samples x m)
        """
        m, w = len(self.omega), self.width
        entries = [e for row in self.omega for e in row]
        one = self.sampler.graph.constant(1)
        slopes = [self.along(self._field({a: one}), entries) for a in range(w)]  # [a][s w + b] = e_a omega^s_b
        found, sizes = [], []
        for values in self.states:
            d = np.array([evaluate(row, values) for row in slopes], float).reshape(w, m, w).transpose(1, 0, 2)
            size = np.abs(d).max(axis=(1, 2))
            d = d - d.transpose(0, 2, 1)
            for (a, b), row in self.motion.brackets.items():
                C = np.array(evaluate(row, values), float)
                turn = np.array(evaluate(entries, values), float).reshape(m, w)[:, 1:] @ C
                d[:, a + 1, b + 1] -= turn
                d[:, b + 1, a + 1] += turn
                size = np.maximum(size, np.abs(turn))
            found.append(d)
            sizes.append(size)
        return np.array(found).reshape(len(self.states), m, w, w), np.array(sizes).reshape(len(self.states), m)

    @cached_property
    def rows(self) -> np.ndarray:
        """omega^s at every state: samples x m x directions."""
        flat = [evaluate([e for row in self.omega for e in row], values) for values in self.states]
        return np.array(flat, float).reshape(len(self.states), len(self.omega), self.width)

    def integrable(self, which: Sequence[int], fixed_time: bool = False) -> bool:
        """Are these rows, taken together, integrable (at fixed time, if asked for)?

        d omega^s (X, Y) = 0 for all X, Y on which the rows vanish.
        """
        which, first = list(which), int(fixed_time or not self.moving)
        for omega, d, terms in zip(self.rows, *self.curvatures, strict=True):
            Z = null_space(omega[which][:, first:])
            for s in which:
                # what rounding leaves of the terms, and of the entries that these are the slopes of
                nothing = 1e-9 * terms[s] + 1e-13 * np.abs(omega[s]).max()
                if np.abs(Z.T @ d[s][first:, first:] @ Z).max(initial=0.0) > nothing:
                    return False
        return True

    # --- growth ----------------------------------------------------------------------------------------------------

    def growth(self, with_time: bool) -> Growth:
        """The growth vector of D, or of D and the field d/dt + gamma together."""
        fields = [*self.kernel, self.drift] if with_time else list(self.kernel)
        full = self.width - (not with_time) - self.positions
        found = Directions(self.width)
        new = self._independent(found, fields)
        vector = [len(new)]
        while new and vector[-1] < full:
            new = self._independent(found, self._brackets(fields, new))
            rank = found.values.shape[1]
            if self.stopped and rank < full:
                return Growth(tuple(vector), False, found.values[0])  # the last round may not have found all
            vector += [rank] if new else []
        return Growth(tuple(vector), True, found.values[0])

    @property
    def _over(self) -> bool:
        return len(self.sampler.graph.nodes) > BUDGET

    def _brackets(self, fields: Sequence[Field], new: Sequence[Field]) -> Iterator[Field]:
        """[X, Y] for X of D and Y of the last round, as long as the budget lasts."""
        for X, Y in product(fields, new):
            if self._over or len(live([*X, *Y])) > BUDGET // 4:
                self.stopped = True
                return
            if X is not Y:
                yield self.bracket(X, Y)

    def _independent(self, found: Directions, candidates: Iterable[Field]) -> list[Field]:
        """The candidates that bring a new direction at the first state, taken up there."""
        new = []
        for X in candidates:
            if found.values.shape[1] == self.width:
                break
            if found.take(self._shaken.numbers(X)):
                new.append(X)
        return new


def _at(phi: Sequence[Node], rows: Sequence[int], at_rest: Mapping[str, float]) -> list[Node]:
    return substitute([phi[s] for s in rows], at_rest)
