"""Voronec's equations: the Lagrangian restricted to the constraints, and curvature [neimark1972 III].

    w^s = w^s(t, q, v) from phi = 0 ;   L*(t, q, v) = L(t, q, v, w) ,   Z = du/dv ,   e_i = Z^a_i e_a
    d/dt (dL*/dv^i) - e_i L* - p_c (d/dt Z^c_i - e_i u^c - C^c_ab Z^a_i u^b) = Z^a_i Q_a ,      p_c = dL/du^c

v are velocities of the given frame and w the dependent ones. The bracket after p_c is the curvature; for linear
constraints in plain coordinates it is  (dA^s_i/dq^j - dA^s_j/dq^i + ...) v^j. For nonlinear constraints these are the
Voronec-Hamel equations [rumyantsev1978]; derivatives of w are those of the implicit function.
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
from .classical_forms import ClassicalEquations


@public
def voronec(system: System, dependent: object = None) -> Equations:
    """Voronec's equations, without multipliers; nonlinear constraints in the version of Hamel.

    Args:
        system: the given system.
        dependent: names of the velocities w that the constraints express by the others, one per independent
            constraint. Left out, those are taken whose pivots keep farthest from 0; a note says which. Where the pivot
            det(dphi/dw) vanishes the form is singular, though the motion is not: a start there is refused.

    Raises:
        DalembertError: E106 to E114, where the system determines no motion; E161 for velocities that cannot be the
            dependent ones.
    """
    return VoronecEquations.of(system, dependent)


class RestrictedFunctions:
    """Functions of (t, q, u) on the constraints, differentiated as functions of (t, q, v)."""

    def __init__(self, lagrangian: sp.Expr, adapted: Adapted) -> None:
        self.adapted, self.algebra, self.motion = adapted, adapted.algebra, adapted.motion
        algebra, motion = self.algebra, self.motion
        self.inverse = adapted.inverse(adapted.N)
        self.Z = adapted.allowed(adapted.N, self.inverse)
        self.L = algebra.read(lagrangian)
        self.p = algebra.gradient(self.L, motion.u)
        # dL*/dv^i = Z^a_i dL/du^a
        self.P = adapted.pull(self.Z, self.p)

    def by_v(self, y: Any) -> list[Any]:
        """dy*/dv^i = Z^a_i dy/du^a."""
        return self.adapted.pull(self.Z, self.algebra.gradient(y, self.motion.u))

    def lift(self, X: Sequence[Any], time: object) -> list[Any]:
        """The change of u = (v, w) when q moves by X and t by `time` at constant v."""
        motion, adapted = self.motion, self.adapted
        # dw = -(dphi/dw)^-1 (X phi + time dphi/dt)
        driven = self.algebra.along(adapted.phi, [*motion.q, motion.t], [*X, time])
        return [-1 * e for e in adapted.times(adapted.D, adapted.times(self.inverse, driven))]

    def along(self, ys: Sequence[Any], X: Sequence[Any], time: object) -> list[Any]:
        """Derivatives of y*(t, q, v) when q moves by X and t by `time` at constant v."""
        motion = self.motion
        return self.algebra.along(ys, [*motion.q, motion.t, *motion.u], [*X, time, *self.lift(X, time)])

    def motion_rows(self) -> tuple[Matrix, list[Any]]:
        """A and h of  A vdot + h,  the left side of Voronec's equations."""
        adapted, motion, r = self.adapted, self.motion, range(self.adapted.r)
        Pdot = self.along(self.P, motion.qdot, motion.one)
        flat = self.along([e for row in self.Z for e in row], motion.qdot, motion.one)
        A, h = [], []
        for i in r:
            Z = adapted.column(self.Z, i)
            X = adapted.moved(Z)
            Zdot = [flat[a * adapted.r + i] for a in range(adapted.k)]
            # d/dt Z^c_i - e_i u^c - C^c_ab Z^a_i u^b
            bracket = zip(Zdot, self.lift(X, motion.zero), adapted.turning(Z, motion.u), strict=True)
            curvature = motion.sum(pc * (dz - du - c) for pc, (dz, du, c) in zip(self.p, bracket, strict=True))
            h.append(Pdot[i] - self.along([self.L], X, motion.zero)[0] - curvature)
            bend = [self.by_v(z) for z in Z]  # dZ^c_i/dv^j, not 0 for a nonlinear constraint
            slope = self.by_v(self.P[i])
            A.append([slope[j] - motion.sum(pc * row[j] for pc, row in zip(self.p, bend, strict=True)) for j in r])
        return A, h


class VoronecEquations(ClassicalEquations):
    """Lagrange's equations of the restricted Lagrangian, with what the dependent velocities add."""

    principle = "voronec"
    heading = """{title}: voronec (L restricted to the constraints, with curvature)
d/dt dL*/dv^i - e_i L* - p_c (Z^c_i' - e_i u^c - C^c_ab Z^a_i u^b) = Z^a_i Q_a
[neimark1972]"""
    formula = (
        r"\frac{d}{dt}\frac{\partial L^*}{\partial v^i} - e_i L^*"
        r" - p_c \left(\dot Z^c_i - e_i u^c - C^c_{ab} Z^a_i u^b\right) = Z^a_i Q_a"
    )
    names_dependent = True

    def projected(self, adapted: Adapted) -> Explicit:
        """Voronec's equations for vdot,  udot = Z vdot + z."""
        L, linear = apart(self.system)
        restricted = RestrictedFunctions(L, adapted)
        A, h = restricted.motion_rows()
        b = [
            Q - e
            for Q, e in zip(adapted.pull(restricted.Z, acting(self.system, adapted.motion, linear)), h, strict=True)
        ]
        motion = adapted.motion
        return adapted.explicit(A, b, restricted.Z, restricted.lift(motion.qdot, motion.one))

    def written(self, udot: Mapping[sp.Symbol, sp.Symbol]) -> Shown:
        """L* where the constraints can be solved, and the rows for the free velocities."""
        system, adapted = self.system, self.adapted
        restricted = RestrictedFunctions(system.lagrangian, adapted)
        A, h = restricted.motion_rows()
        acc = self.free_rates(udot)
        left = [e + rest for e, rest in zip(adapted.times(A, acc), h, strict=True)]
        L = self.eliminated([adapted.L])
        rows = self.rows(left, adapted.pull(restricted.Z, forces(system, adapted.algebra)))
        return Shown([(sp.Symbol("L*"), e) for e in L if e != adapted.L], rows)
