"""A frame: coordinates q, velocities u, and how the first move with the second.

    qdot^i = E^i_a(q) u^a          the anchor E (n x k; k may be less or greater than n)
    [e_a, e_b] = C^c_ab(q) e_c     the brackets C

With E = 1 and C = 0 these are ordinary coordinates; a moving frame, a rotation with its angular velocity and a reduced
space are other choices of the same two tables. (In the literature: a Lie algebroid [martinez2001].)
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property

import sympy as sp

from .symbols import put

TIME = sp.Symbol("t", real=True)
Table = Mapping[tuple[int, int], tuple[sp.Expr, ...]]


@dataclass(frozen=True)
class ProjectedBrackets:
    """What brackets were projected with: G_cd C^d_ab = lowered_ab,c, in which nothing is inverted.

    Attributes:
        metric: G, k x k.
        lowered: ``{(a, b): (G_1d C^d_ab, ..., G_kd C^d_ab)}`` for a < b; pairs left out have bracket 0.
    """

    metric: sp.ImmutableMatrix
    lowered: Table


@dataclass(frozen=True)
class Frame:
    """Coordinates, velocities, anchor and brackets.

    Attributes:
        coordinates: the n symbols q^i.
        velocities: the k symbols u^a.
        anchor: n x k matrix of expressions in q.
        brackets: ``{(a, b): (C^1_ab, ..., C^k_ab)}`` for a < b; pairs left out have bracket 0.
        projection: what the brackets were projected with, where that is known.
    """

    coordinates: tuple[sp.Symbol, ...]
    velocities: tuple[sp.Symbol, ...]
    anchor: sp.ImmutableMatrix
    brackets: Table
    projection: ProjectedBrackets | None = None

    @cached_property
    def held(self) -> tuple[tuple[tuple[int, sp.Expr], ...], ...]:
        """The entries of the anchor that are not 0, ``(a, E^i_a)``, row by row."""
        rows: list[list[tuple[int, sp.Expr]]] = [[] for _ in self.coordinates]
        for (i, a), e in sorted(self.anchor.todok().items()):
            rows[i].append((a, e))
        return tuple(map(tuple, rows))

    @cached_property
    def letters(self) -> frozenset[sp.Symbol]:
        """The symbols in the anchor; zeros, which are nearly all entries of many coordinates, are not looked at."""
        return frozenset().union(*(e.free_symbols for row in self.held for _, e in row))

    @cached_property
    def rates(self) -> tuple[sp.Expr, ...]:
        """The expressions qdot^i = E^i_a u^a."""
        # qdot^i = E^i_a u^a
        return tuple(sp.Add(*(e * self.velocities[a] for a, e in row)) for row in self.held)

    def put(self, meanings: Mapping[str, sp.Expr]) -> Frame:
        """The same frame with expressions in the places of parameters, by name."""

        def table(rows: Table) -> Table:
            return {pair: tuple(put(e, meanings) for e in row) for pair, row in rows.items()}

        known, anchor = self.projection, self.anchor.applyfunc(lambda e: put(e, meanings))
        with_ = known and ProjectedBrackets(known.metric.applyfunc(lambda e: put(e, meanings)), table(known.lowered))
        return replace(self, anchor=anchor, brackets=table(self.brackets), projection=with_)

    def bracket(self, a: int, b: int) -> tuple[sp.Expr, ...]:
        """The row C^c_ab, c = 1..k; antisymmetric in a, b."""
        if a < b:
            return self.brackets.get((a, b), (sp.S.Zero,) * len(self.velocities))
        return tuple(-c for c in self.bracket(b, a)) if a > b else (sp.S.Zero,) * len(self.velocities)
