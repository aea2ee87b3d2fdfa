"""A frame: coordinates q, velocities u, and how the first move with the second.

    qdot^i = E^i_a(q) u^a          the anchor E (n x k; k may be less or greater than n)
    [e_a, e_b] = C^c_ab(q) e_c     the brackets C

With E = 1 and C = 0 these are ordinary coordinates; a moving frame, a rotation with its angular velocity and a reduced
space are other choices of the same two tables. (In the literature: a Lie algebroid [martinez2001].)
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import sympy as sp

TIME = sp.Symbol("t", real=True)


@dataclass(frozen=True)
class Frame:
    """Coordinates, velocities, anchor and brackets.

    Attributes:
        coordinates: the n symbols q^i.
        velocities: the k symbols u^a.
        anchor: n x k matrix of expressions in q.
        brackets: ``{(a, b): (C^1_ab, ..., C^k_ab)}`` for a < b; pairs left out have bracket 0.
    """

    coordinates: tuple[sp.Symbol, ...]
    velocities: tuple[sp.Symbol, ...]
    anchor: sp.ImmutableMatrix
    brackets: Mapping[tuple[int, int], tuple[sp.Expr, ...]]

    @cached_property
    def rates(self) -> tuple[sp.Expr, ...]:
        """The expressions qdot^i = E^i_a u^a."""
        # qdot^i = E^i_a u^a
        return tuple(self.anchor * sp.Matrix(self.velocities)) if self.coordinates else ()

    def bracket(self, a: int, b: int) -> tuple[sp.Expr, ...]:
        """The row C^c_ab, c = 1..k; antisymmetric in a, b."""
        if a < b:
            return self.brackets.get((a, b), (sp.S.Zero,) * len(self.velocities))
        return tuple(-c for c in self.bracket(b, a)) if a > b else (sp.S.Zero,) * len(self.velocities)

    def compatibility(self, a: int, b: int) -> tuple[sp.Expr, ...]:
        """[E_a, E_b]^i - E^i_c C^c_ab, which is 0 when anchor and brackets belong together."""
        E, q = self.anchor, self.coordinates
        # [E_a, E_b]^i = E^j_a dE^i_b/dq^j - E^j_b dE^i_a/dq^j
        lie = [
            sum((E[j, a] * E[i, b].diff(q[j]) - E[j, b] * E[i, a].diff(q[j]) for j in range(len(q))), sp.S.Zero)
            for i in range(len(q))
        ]
        C = self.bracket(a, b)
        return tuple(lie[i] - sum((E[i, c] * C[c] for c in range(len(C))), sp.S.Zero) for i in range(len(q)))

    def jacobi(self, a: int, b: int, c: int) -> tuple[sp.Expr, ...]:
        """Components of [[e_a, e_b], e_c] + cyclic, which is 0 unless the frame is only "almost" one."""
        total = [sp.S.Zero] * len(self.velocities)
        for x, y, z in ((a, b, c), (b, c, a), (c, a, b)):
            for d, term in enumerate(self._bracket_with(self.bracket(x, y), z)):
                total[d] += term
        return tuple(total)

    def _bracket_with(self, f: tuple[sp.Expr, ...], z: int) -> list[sp.Expr]:
        # [f^s e_s, e_z] = f^s C^d_sz e_d - (E^i_z df^d/dq^i) e_d
        k, q = len(self.velocities), self.coordinates
        return [
            sum((f[s] * self.bracket(s, z)[d] for s in range(k)), sp.S.Zero)
            - sum((self.anchor[i, z] * f[d].diff(q[i]) for i in range(len(q))), sp.S.Zero)
            for d in range(k)
        ]
