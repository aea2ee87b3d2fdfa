"""Equations as the matrices of `sympy.physics.mechanics`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import sympy as sp

from ...calculus.budget import budget
from ...calculus.frame import TIME

if TYPE_CHECKING:
    from .. import Equations

_REMEDY = 'equations.evaluate works in numbers; for more time: da.System(..., limits={"seconds": 600})'


@dataclass(frozen=True, eq=False)
class Matrices:
    """mass_matrix_full (qdot, udot, mu) = forcing_full, in the conventions of SymPy's `LagrangesMethod`.

        | 1  0   0   | | qdot |   | E u |
        | 0  W  -N^T | | udot | = |  f  |
        | 0  N   0   | |  mu  |   |  g  |

    mu are the multipliers, and their rates where multipliers are states; rows of constraints that follow from others
    are left out. The sign is SymPy's: reactions are N^T mu with N = dphi/du. `KanesMethod` has no multipliers: its
    matrices are those of da.forms.maggi's A s = b, not these.

    Attributes:
        q: coordinates (n x 1).
        u: velocities (k x 1); with dynamicsymbols those that are the rate of one coordinate are Derivative(q(t), t).
        lam_vec: the unknowns mu (m x 1).
        mass_matrix: [W, -N^T], k x (k + m), as `LagrangesMethod.mass_matrix`.
        forcing: f (k x 1).
        lam_coeffs: -N (m x k).
        kinematics: E u (n x 1).
        drift: g (m x 1).
        limits: of time and memory for `rhs`.
    """

    q: sp.ImmutableMatrix
    u: sp.ImmutableMatrix
    lam_vec: sp.ImmutableMatrix
    mass_matrix: sp.ImmutableMatrix
    forcing: sp.ImmutableMatrix
    lam_coeffs: sp.ImmutableMatrix
    kinematics: sp.ImmutableMatrix
    drift: sp.ImmutableMatrix
    limits: Mapping[str, int]

    @classmethod
    def of(cls, equations: Equations, dynamicsymbols: bool = False) -> Matrices:
        """The matrices of these equations, in plain symbols or in SymPy's functions of time.

        Raises:
            InvalidValue: E136, the derivation exceeds its budget.
        """
        space, system = equations.space, equations.system
        with budget("deriving the matrices", _REMEDY, system.limits):
            form = equations.symbolic.rows(equations.kept)
        mu = [equations.multipliers[s] for s in equations.kept]
        if equations.states_of_multipliers:
            mu = [sp.Symbol(f"{s.name}_dot", real=True) for s in mu]
        k, m = len(form.f), len(form.g)
        W, N = sp.Matrix(k, k, [e for row in form.W for e in row]), sp.Matrix(m, k, [e for row in form.N for e in row])
        parts = {
            "q": sp.Matrix(space.coordinates),
            "u": sp.Matrix(space.velocities),
            "lam_vec": sp.Matrix(m, 1, mu),
            "mass_matrix": W.row_join(-N.T),
            "forcing": sp.Matrix(form.f),
            "lam_coeffs": -N,
            "kinematics": sp.Matrix([space.rates[q] for q in space.coordinates]),
            "drift": sp.Matrix(m, 1, form.g),
        }
        moving = _moving(equations, mu) if dynamicsymbols else {}
        shown = {name: sp.ImmutableMatrix(part.xreplace(moving)) for name, part in parts.items()}
        return cls(**shown, limits=system.limits)

    @property
    def mass_matrix_full(self) -> sp.Matrix:
        """(n + k + m) x (n + k + m)."""
        n, k, m = len(self.q), len(self.u), len(self.lam_vec)
        top = sp.eye(n).row_join(sp.zeros(n, k + m))
        middle = sp.zeros(k, n).row_join(self.mass_matrix)
        bottom = sp.zeros(m, n).row_join(-self.lam_coeffs).row_join(sp.zeros(m, m))
        return sp.Matrix(top.col_join(middle).col_join(bottom))

    @property
    def forcing_full(self) -> sp.Matrix:
        """(n + k + m) x 1."""
        return sp.Matrix(self.kinematics.col_join(self.forcing).col_join(self.drift))

    @cached_property
    def _rhs(self) -> sp.Matrix:
        n, k, m = len(self.q), len(self.u), len(self.lam_vec)
        K = self.mass_matrix_full[n:, n:]
        with budget("solving for the accelerations", _REMEDY, self.limits):
            x = K.LUsolve(self.forcing_full[n:, :]) if k + m else sp.zeros(0, 1)
        return sp.Matrix(self.kinematics.col_join(x))

    def rhs(self) -> sp.Matrix:
        """(qdot, udot, mu) solved in symbols, (n + k + m) x 1; large for all but small systems.

        Raises:
            InvalidValue: E136, the solution exceeds the budget of the system.
        """
        return self._rhs

    def __repr__(self) -> str:
        names = ", ".join(map(str, (*self.q, *self.u, *self.lam_vec)))
        return f"mass_matrix_full (qdot, udot, mu) = forcing_full in {names}"


def _moving(equations: Equations, mu: list[sp.Symbol]) -> dict[sp.Symbol, sp.Expr]:
    """x -> x(t), and a velocity that is the rate of x -> Derivative(x(t), t)."""
    from sympy.physics.mechanics import dynamicsymbols

    space, t = equations.space, dynamicsymbols._t
    found: dict[sp.Symbol, sp.Expr] = {q: dynamicsymbols(q.name) for q in space.coordinates}
    found |= {u: dynamicsymbols(u.name) for u in space.velocities}
    found |= {s: dynamicsymbols(s.name) for s in (*equations.states_of_multipliers, *mu)}
    for q, rate in space.rates.items():
        if rate in found and rate.is_Symbol:
            found[rate] = found[q].diff(t)
    return {**found, TIME: t}
