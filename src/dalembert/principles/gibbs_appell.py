"""The Gibbs-Appell equations: derivatives of an acceleration energy by the free accelerations [pars1965 12].

    S = 1/2 g(nabla_u u, nabla_u u) ,   udot = Z s + z   (from d/dt phi = 0)
    dS/ds_i = Z^a_i Q*_a

g is the kinetic metric, nabla its Levi-Civita connection, written with the brackets of the frame; for particles S is
1/2 m |acceleration|^2. Terms of L that are not quadratic in the velocities act as forces:

    Q*_a = Q_a - EL_a(L_1 + L_0) - (dg_ab/dt) u^b           L = 1/2 g(u, u) + L_1 + L_0
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import sympy as sp

from ..argument_checks import public
from ..calculus.euler_lagrange import Motion
from ..calculus.levi_civita import centrifugal
from ..equations import Equations
from ..equations.saddle_form import Explicit
from ..equations.typeset import Shown
from ..errors.remedies import Principle
from ..model.system import System
from .adapted_velocities import Adapted, Matrix, forces
from .classical_forms import ClassicalEquations, refuse_unquadratic


@public
def gibbs_appell(system: System, dependent: object = None) -> Equations:
    """The Gibbs-Appell equations, without multipliers; nonlinear constraints with Chetaev's rule.

    Args:
        system: the given system, its Lagrangian quadratic in the velocities.
        dependent: names of velocities to be expressed by the others, one per independent constraint. Left out, a basis
            along the constraints is taken anew at each state.

    Raises:
        DalembertError: E106 to E114, where the system determines no motion; E160 for a Lagrangian without a kinetic
            metric; E161 for velocities that cannot be the dependent ones.
    """
    equations = GibbsAppellEquations.of(system, dependent)
    refuse_unquadratic(equations.system, "there is no kinetic metric and no acceleration energy", Principle("maggi"))
    return equations


def energy(motion: Motion, g: Matrix, udot: Sequence[Any]) -> Any:
    """S, without its terms that hold no acceleration."""
    gamma = centrifugal(motion, g)
    k = range(len(udot))
    # S = 1/2 g_ab udot^a udot^b + g(nabla_u u - udot, e_c) udot^c
    square = motion.sum(udot[a] * motion.sum(g[a][b] * udot[b] for b in k) for a in k)
    return square / 2 + motion.sum(gamma[c] * udot[c] for c in k)


def pieces(system: System, motion: Motion) -> tuple[Matrix, list[Any]]:
    """The kinetic metric g and the forces Q*."""
    algebra, u = motion.algebra, motion.u
    L, rest = algebra.read(system.lagrangian), [motion.zero] * len(u)
    p = algebra.gradient(L, u)
    flat = algebra.substitute([*(e for pa in p for e in algebra.gradient(pa, u)), *p, L], u, rest)
    k = len(u)
    g, L1, L0 = [flat[a * k : (a + 1) * k] for a in range(k)], flat[k * k : k * k + k], flat[-1]
    EL = motion.euler_lagrange(motion.sum(a * ua for a, ua in zip(L1, u, strict=True)) + L0).rest
    gdot = algebra.along([e for row in g for e in row], [motion.t], [motion.one])
    # Q*_a = Q_a - EL_a(L_1 + L_0) - (dg_ab/dt) u^b
    growth = [motion.sum(gdot[a * k + b] * u[b] for b in range(k)) for a in range(k)]
    return g, [Q - e - w for Q, e, w in zip(forces(system, algebra), EL, growth, strict=True)]


class GibbsAppellEquations(ClassicalEquations):
    """The energy of the accelerations is least."""

    principle = "gibbs_appell"
    heading = """{title}: gibbs_appell (acceleration energy, reduced by d/dt phi = 0)
dS/ds_i = Z^a_i Q*_a, S = 1/2 g(nabla_u u, nabla_u u), phi = 0 [pars1965]"""
    formula = r"\partial S / \partial s_i = Z^a_i Q^*_a,\quad S = \tfrac12 g(\nabla_u u, \nabla_u u)"

    def projected(self, adapted: Adapted) -> Explicit:
        """d^2S/ds^2 s = Z^T Q* - dS/ds at s = 0,  udot = Z s + z."""
        algebra, Z, z = adapted.algebra, adapted.Z, adapted.forced()
        s = [algebra.read(sp.Symbol(f"s:{i}", real=True)) for i in range(adapted.r)]
        udot = [a + b for a, b in zip(adapted.times(Z, s), z, strict=True)]
        g, push = pieces(self.system, adapted.motion)
        dS = algebra.gradient(energy(adapted.motion, g, udot), s)
        A = [algebra.gradient(e, s) for e in dS]
        at_rest = algebra.substitute(dS, s, [adapted.motion.zero] * len(s))
        b = [Q - e for Q, e in zip(adapted.pull(Z, push), at_rest, strict=True)]
        return adapted.explicit(A, b, Z, z)

    def written(self, udot: Mapping[sp.Symbol, sp.Symbol]) -> Shown:
        """S up to terms without accelerations, and its reduced rows."""
        adapted = self.adapted
        acc = [adapted.algebra.read(a) for a in udot.values()]
        g, push = pieces(self.system, adapted.motion)
        S = energy(adapted.motion, g, acc)
        left = adapted.pull(adapted.Z, adapted.algebra.gradient(S, acc))
        rows = self.rows(left, adapted.pull(adapted.Z, push))
        return Shown([(sp.Symbol("S"), S)], rows, self.remark)
