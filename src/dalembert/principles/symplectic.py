"""The motion from a form on the constraint manifold:  xi _| omega_H = d_H E  [cushman1995 Theorem 1].

M is the constraint manifold phi = 0 in the space of positions and velocities. A tangent vector X of that space moves q
with E x and u with w; it is written (x, w). The form and the energy there are

    p_a = dL/du^a ,   omega(X, Y) = x^a dp_a(Y) - y^a dp_a(X) + p_c C^c_ab x^a y^b ,   E = p_a u^a - L

H holds the tangent vectors of M with N x = 0. It is spanned by r horizontal and r vertical vectors,

    H_i = (Z_i, w_i) with N w_i + dphi(E Z_i) = 0 ,   V_i = (0, Z_i) ,   omega(H_i, V_j) = Z_i W Z_j = G_ij ,

and omega_H is nondegenerate where G is. With xi = y^i H_i + s^i V_i, the rows against V_j say y = v, the free
velocities, and those against H_j

    G_ij s^i = v^i omega(H_i, H_j) - dE(H_j) + Z_j Q

Inputs that stand in momenta or constraints, and are driven, add to xi what the time alone does there: a tangent vector
(0, w_t) with N w_t + dphi/dt = 0, and -Z_j (dp/dt + W w_t) to the rows against H_j.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import sympy as sp

from ..argument_checks import public
from ..calculus.frame import TIME
from ..equations import Equations
from ..equations.saddle_form import Explicit
from ..equations.typeset import Shown
from ..errors import InvalidValue
from ..errors.remedies import Principle
from ..model.system import System
from .adapted_velocities import Adapted, Matrix, forces
from .classical_forms import ClassicalEquations


@public
def symplectic(system: System, dependent: object = None) -> Equations:
    """The nonholonomic motion from the form omega_H on the constraint manifold, without multipliers.

    Args:
        system: the given system; constraints linear in the velocities, nothing that depends on the time but forces.
        dependent: names of velocities to be expressed by the others, one per independent constraint. Left out, a basis
            along the constraints is taken anew at each state.

    Raises:
        DalembertError: E106 to E114, where the system determines no motion; E160 where the form does not apply; E161
            for velocities that cannot be the dependent ones.
    """
    equations = DistributionalEquations.of(system, dependent)
    _refuse(equations.system)
    return equations


def _refuse(system: System) -> None:
    for c in system.constraints:
        if not c.homogeneous or c.phi.has(TIME):
            what = "depends on the time" if c.holonomic or c.phi.has(TIME) else f"is {c.kind} in the velocities"
            raise InvalidValue(
                "E160",
                f"{c.name} {what}: the motion does not lie in H",
                (
                    *(Principle("almost_poisson"), " and ", Principle("hamel"), " take affine constraints, "),
                    *(Principle("nonholonomic"), " all"),
                ),
                subject=("constraints", c.name),
            )
    if system.lagrangian.has(TIME):
        raise InvalidValue(
            "E160",
            "L depends on the time: E does not determine the motion",
            Principle("hamel"),
            subject=("lagrangian",),
        )


class Tangent(NamedTuple):
    """A tangent vector of the space of positions and velocities: q moves with E x, u with w."""

    x: list[Any]
    w: list[Any]


class SymplecticEquations:
    """omega and dE over an algebra, and the vectors that span H."""

    def __init__(self, adapted: Adapted) -> None:
        self.adapted, self.algebra, self.motion = adapted, adapted.algebra, adapted.motion
        self.p = self.algebra.gradient(adapted.L, self.motion.u)
        self.W = [self.algebra.gradient(p, self.motion.u) for p in self.p]
        self.E = self.motion.energy(adapted.L)
        self.columns = [adapted.column(adapted.Z, i) for i in range(adapted.r)]
        self.horizontal = [Tangent(Z, self._lift(Z)) for Z in self.columns]

    def _lift(self, x: list[Any]) -> list[Any]:
        """w with N w + dphi(E x) = 0."""
        adapted = self.adapted
        slopes = self.algebra.along(adapted.phi, self.motion.q, adapted.moved(x))
        return [-1 * e for e in adapted.times(adapted.D, adapted.times(adapted.F, slopes))]

    def driven(self) -> tuple[list[Any], list[Any]]:
        """w_t, and dp/dt + W w_t: what driven inputs do while nothing moves."""
        p, phi = (self.algebra.along(e, [self.motion.t], [self.motion.one]) for e in (self.p, self.adapted.phi))
        w = [-1 * e for e in self.adapted.times(self.adapted.D, self.adapted.times(self.adapted.F, phi))]
        return w, [a + b for a, b in zip(p, self.adapted.times(self.W, w), strict=True)]

    def dp(self, X: Tangent) -> list[Any]:
        """dp_a(X) = E x p_a + W_ab w^b."""
        moved = self.algebra.along(self.p, self.motion.q, self.adapted.moved(X.x))
        return [a + b for a, b in zip(moved, self.adapted.times(self.W, X.w), strict=True)]

    def dE(self, X: Tangent) -> Any:
        """dE(X) = E x E + (dE/du^a) w^a."""
        (moved,) = self.algebra.along([self.E], self.motion.q, self.adapted.moved(X.x))
        return moved + self._pair(self.algebra.gradient(self.E, self.motion.u), X.w)

    def omega(self, X: Tangent, Y: Tangent) -> Any:
        """x^a dp_a(Y) - y^a dp_a(X) + p_c C^c_ab x^a y^b."""
        turned = self._pair(self.p, self.adapted.turning(X.x, Y.x))
        return self._pair(X.x, self.dp(Y)) - self._pair(Y.x, self.dp(X)) + turned

    def _pair(self, a: Sequence[Any], b: Sequence[Any]) -> Any:
        return self.motion.sum(x * y for x, y in zip(a, b, strict=True))

    def metric(self) -> Matrix:
        """G_ij = Z_i W Z_j."""
        WZ = [self.adapted.times(self.W, Z) for Z in self.columns]
        return [[self._pair(Z, column) for column in WZ] for Z in self.columns]

    def steering(self) -> Tangent:
        """v^i H_i: the horizontal part of xi."""
        parts = list(zip(self.adapted.v, self.horizontal, strict=True))
        x, w = ([self.motion.sum(v * X[part][a] for v, X in parts) for a in range(self.adapted.k)] for part in (0, 1))
        return Tangent(x, w)

    def right(self, Q: Sequence[Any]) -> list[Any]:
        """v^i omega(H_i, H_j) - dE(H_j) + Z_j (Q - dp/dt - W w_t)."""
        along, rest = self.steering(), [a - b for a, b in zip(Q, self.driven()[1], strict=True)]
        return [self.omega(along, X) - self.dE(X) + self._pair(X.x, rest) for X in self.horizontal]


class DistributionalEquations(ClassicalEquations):
    """The motion against the symplectic form on the distribution."""

    principle = "symplectic"
    heading = """{title}: symplectic (xi _| omega_H = d_H E on the constraint manifold)
Z_i W Z_j s^i = v^i omega(H_i, H_j) - dE(H_j) + Z_j Q, u' = s^i Z_i + v^i w_i [cushman1995]"""
    formula = r"\xi \lrcorner\, \omega_H = \mathrm{d}_H E"

    def projected(self, adapted: Adapted) -> Explicit:
        """G s = right,  udot = Z s + v^i w_i + w_t."""
        form = SymplecticEquations(adapted)
        right = form.right(forces(self.system, adapted.algebra))
        w = [a + b for a, b in zip(form.steering().w, form.driven()[0], strict=True)]
        return adapted.explicit(form.metric(), right, adapted.Z, w)

    def written(self, udot: Mapping[sp.Symbol, sp.Symbol]) -> Shown:
        """The rows against the horizontal vectors, s being the accelerations of the free velocities."""
        adapted = self.adapted
        form = SymplecticEquations(adapted)
        left = adapted.times(form.metric(), self.free_rates(udot))
        right = form.right(forces(self.system, adapted.algebra))
        return Shown([], self.rows(left, right), self.remark)
