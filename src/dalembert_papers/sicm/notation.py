"""The notes' notation on plain symbols: Gamma[q] = (t, q, Dq), D, d1, d2 and E[L].

A function of the local tuple is an expression in t, q and v; along a path Dq = v, Dv = a, and lam moves with Dlam.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

import sympy as sp

from ..symbolic import plain_motion, rows_of

NAMES = "x y z"


@dataclass(frozen=True)
class Path:
    """Symbols q, v, a (n each), lam and Dlam of a path in n coordinates."""

    q: tuple[sp.Symbol, ...]
    v: tuple[sp.Symbol, ...]
    a: tuple[sp.Symbol, ...]
    lam: sp.Symbol
    Dlam: sp.Symbol

    @classmethod
    def of(cls, names: Sequence[str], lam: str = "lam_psi") -> Path:
        """A path in coordinates of these names."""
        q, v, a = (tuple(sp.Symbol(prefix + name, real=True) for name in names) for prefix in ("", "v", "a"))
        return cls(q, v, a, sp.Symbol(lam, real=True), sp.Symbol("Dlam", real=True))

    @property
    def n(self) -> int:
        """How many coordinates."""
        return len(self.q)

    def D(self, F: sp.Expr | sp.MatrixBase) -> sp.Expr | sp.MatrixBase:
        """The derivative along the path of an expression, or of each entry of a matrix, by the library."""
        if isinstance(F, sp.MatrixBase):
            return F.applyfunc(self.D)
        # D(F o Gamma[q]) = d0 F + d1 F v + d2 F a ,  and lam moves with Dlam
        motion = plain_motion((*self.q, self.lam), (*self.v, self.Dlam))
        return rows_of(motion.derivative([sp.S.Zero + F]), (*self.a, sp.S.Zero))[0]

    def d1(self, F: sp.Expr) -> sp.Matrix:
        """dF/dq as a column."""
        return sp.Matrix([F.diff(s) for s in self.q])

    def d2(self, F: sp.Expr) -> sp.Matrix:
        """dF/dv as a column."""
        return sp.Matrix([F.diff(s) for s in self.v])

    def E(self, L: sp.Expr) -> sp.Matrix:
        """The left side of Lagrange's equations as a column [sussman2015 (1.182)]."""
        # E[L] = D(d2 L) - d1 L
        return self.D(self.d2(L)) - self.d1(L)

    def dot(self, first: sp.Matrix, second: sp.Matrix) -> sp.Expr:
        """The sum of the products of two columns' entries."""
        return (first.T * second)[0]

    def minors(self, first: sp.Matrix, second: sp.Matrix) -> list[sp.Expr]:
        """All first_i second_j - first_j second_i: they vanish exactly where the columns are parallel (or one is 0)."""
        return [first[i] * second[j] - first[j] * second[i] for i, j in itertools.combinations(range(self.n), 2)]


def path(n: int) -> Path:
    """The path in x, y or in x, y, z."""
    return Path.of(NAMES.split()[:n])
