"""Hamel's equations in a frame adapted to the constraints [hamel1904; neimark1972 III].

    v^i (free) and v^s = phi^s are quasi-velocities;  L*(t, q, v) = L(t, q, u(t, q, v))
    d/dt (dL*/dv^i) - e_i L* + C^c_ij v^j dL*/dv^c + C^c_i0 dL*/dv^c = Q_i      on v^s = 0

The brackets C are those of the adapted frame e_i = Z^a_i e_a; the index 0 belongs to the drift of affine and of
time-dependent constraints, e_0 = d/dt + drift. The sum over c runs over free and constrained quasi-velocities alike.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import sympy as sp

from ..argument_checks import public
from ..equations import Equations
from ..equations.saddle_form import Explicit
from ..equations.typeset import Shown
from ..model.system import System
from .adapted_velocities import Adapted, Matrix, acting, apart, forces
from .classical_forms import ClassicalEquations, refuse_nonlinear


@public
def hamel(system: System, dependent: object = None) -> Equations:
    """Hamel's equations in an adapted frame, without multipliers; linear and affine constraints.

    Args:
        system: the given system.
        dependent: names of velocities; the others are then the free quasi-velocities. Left out, free quasi-velocities
            are constant combinations of velocities along the constraints, chosen anew at each state.

    Raises:
        DalembertError: E106 to E114, where the system determines no motion; E160 for a nonlinear constraint; E161 for
            velocities that cannot be the dependent ones.
    """
    equations = HamelEquations.of(system, dependent)
    refuse_nonlinear(equations.system, "hamel", "it defines no linear quasi-velocity")
    return equations


class Quasi:
    """L and its derivatives in quasi-velocities of the adapted frame, on the constraints."""

    def __init__(self, lagrangian: sp.Expr, adapted: Adapted) -> None:
        self.adapted, self.algebra, self.motion = adapted, adapted.algebra, adapted.motion
        algebra, motion = self.algebra, self.motion
        self.v = [algebra.read(sp.Symbol(f"v:{i}", real=True)) for i in range(adapted.r)]
        across = [algebra.read(sp.Symbol(f"c:{s}", real=True)) for s in range(adapted.m)]
        self.N, beta = adapted.affine()
        inverse = adapted.inverse(self.N)
        self.Z = adapted.allowed(self.N, inverse)
        # u = Y v + D (N D)^-1 (v^s - beta - N Y v)
        driven = adapted.times(adapted.product(self.N, adapted.Y, adapted.r), self.v)
        w = adapted.times(inverse, [c - b - d for c, b, d in zip(across, beta, driven, strict=True)])
        u = [y + d for y, d in zip(adapted.times(adapted.Y, self.v), adapted.times(adapted.D, w), strict=True)]
        L = algebra.substitute([algebra.read(lagrangian)], motion.u, u)[0]
        p = algebra.gradient(L, [*self.v, *across])
        found = algebra.substitute([L, *p, *u], across, [motion.zero] * adapted.m)
        self.L, self.p, self.u = found[0], found[1 : 1 + adapted.k], found[1 + adapted.k :]
        self.qdot = adapted.moved(self.u)

    def rate(self, ys: Sequence[Any]) -> list[Any]:
        """d/dt of each y(t, q, v) at constant v."""
        motion = self.motion
        return self.algebra.along(ys, [*motion.q, motion.t], [*self.qdot, motion.one])

    def brackets(self) -> list[list[Any]]:
        """C^c_ij v^j + C^c_i0 for each free i: a list over c, free quasi-velocities first."""
        adapted, motion = self.adapted, self.motion
        k = adapted.k
        flat = self.rate([n for row in self.N for n in row])
        Ndot = [flat[s * k : (s + 1) * k] for s in range(adapted.m)]
        slopes = [self.algebra.gradient(phi, motion.q) for phi in adapted.phi]
        rows = []
        for i in range(adapted.r):
            Z = adapted.column(self.Z, i)
            X = adapted.moved(Z)
            turning = adapted.turning(Z, self.u)
            # theta^s([e_i, xi]) = Z^a (d/dt N^s_a - e_a phi^s) + N^s_d C^d_ab Z^a u^b ,  xi = e_0 + v^j e_j
            across = [
                motion.sum(z * n for z, n in zip(Z, Ndot[s], strict=True))
                - motion.sum(x * e for x, e in zip(X, slopes[s], strict=True))
                + motion.sum(n * c for n, c in zip(self.N[s], turning, strict=True))
                for s in range(adapted.m)
            ]
            rows.append([*adapted.times(adapted.left, turning), *across])
        return rows

    def motion_rows(self) -> tuple[Matrix, list[Any]]:
        """A and h of  A vdot + h = d/dt (dL*/dv^i) - e_i L* + (C^c_ij v^j + C^c_i0) dL*/dv^c."""
        adapted, p = self.adapted, self.p[: self.adapted.r]
        A = [self.algebra.gradient(pi, self.v) for pi in p]
        pdot, dL = self.rate(p), self.algebra.gradient(self.L, self.motion.q)
        h = []
        for i, C in enumerate(self.brackets()):
            X = adapted.moved(adapted.column(self.Z, i))
            eL = self.motion.sum(x * e for x, e in zip(X, dL, strict=True))
            h.append(pdot[i] - eL + self.motion.sum(c * pc for c, pc in zip(C, self.p, strict=True)))
        return A, h


class HamelEquations(ClassicalEquations):
    """Lagrange's equations in quasi-velocities."""

    principle = "hamel"
    heading = """{title}: hamel (quasi-velocities adapted to the constraints: v^s = phi^s)
d/dt dL*/dv^i - e_i L* + C^c_ij v^j dL*/dv^c = Q_i on v^s = 0 [hamel1904]"""
    formula = (
        r"\frac{d}{dt}\frac{\partial L^*}{\partial v^i} - e_i L^*"
        r" + C^c_{ij} v^j \frac{\partial L^*}{\partial v^c} = Q_i"
    )

    def projected(self, adapted: Adapted) -> Explicit:
        """Hamel's equations for vdot,  udot = Z vdot + z."""
        L, linear = apart(self.system)
        quasi = Quasi(L, adapted)
        A, h = quasi.motion_rows()
        b = [Q - e for Q, e in zip(adapted.pull(quasi.Z, acting(self.system, adapted.motion, linear)), h, strict=True)]
        return adapted.explicit(A, b, quasi.Z, quasi.rate(quasi.u), list(zip(quasi.v, adapted.v, strict=True)))

    def written(self, udot: Mapping[sp.Symbol, sp.Symbol]) -> Shown:
        """L* on the constraints and the rows for the free quasi-velocities."""
        system, adapted = self.system, self.adapted
        quasi = Quasi(system.lagrangian, adapted)
        A, h = quasi.motion_rows()
        acc = self.free_rates(udot)
        left = [e + rest for e, rest in zip(adapted.times(A, acc), h, strict=True)]
        L, *left = adapted.algebra.substitute([quasi.L, *left], quasi.v, adapted.v)
        right = adapted.pull(quasi.Z, forces(system, adapted.algebra))
        (L,) = self.eliminated([L])
        return Shown([(sp.Symbol("L*"), L)], self.rows(left, right), self.remark)
