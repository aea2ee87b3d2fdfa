"""Maggi's equations: Lagrange's expressions, projected onto the allowed velocities [neimark1972 III].

    Z^a_alpha (EL_a(L) - Q_a) = 0 ,   Z = du/dv ,   phi = 0

Kane's equations are the same: the columns of Z are the partial velocities, and EL_a(L) is minus the generalised inertia
force together with the forces of the potential [kane1985].
"""

from __future__ import annotations

from collections.abc import Mapping

import sympy as sp

from ..argument_checks import public
from ..equations import Equations
from ..equations.saddle_form import Explicit
from ..equations.typeset import Shown
from ..model.system import System
from .adapted_velocities import Adapted, forces
from .classical_forms import ClassicalEquations


@public
def maggi(system: System, dependent: object = None) -> Equations:
    """Maggi's equations, without multipliers; nonlinear constraints with Chetaev's rule.

    Args:
        system: the given system.
        dependent: names of velocities to be expressed by the others, one per independent constraint. Left out, a basis
            along the constraints is taken anew at each state, and nothing is singular but the constraints themselves.

    Raises:
        DalembertError: E106 to E114, where the system determines no motion; E161 for velocities that cannot be the
            dependent ones.
    """
    return MaggiEquations.of(system, dependent)


kane = maggi


class MaggiEquations(ClassicalEquations):
    """Lagrange's expressions along the allowed velocities."""

    principle = "maggi"
    heading = """{title}: maggi (projected; the same as Kane's equations)
Z^a_i (EL_a(L) - Q_a) = 0, Z = du/dv, phi = 0 [neimark1972]"""
    formula = r"Z^a_i \left(\mathrm{EL}_a(L) - Q_a\right) = 0"

    def projected(self, adapted: Adapted) -> Explicit:
        """Z^T W Z s = Z^T (Q - h - W z),  udot = Z s + z."""
        W, h = adapted.motion.euler_lagrange(adapted.algebra.read(self.system.lagrangian))
        Z, z, Q = adapted.Z, adapted.forced(), forces(self.system, adapted.algebra)
        # Z^a (W_ab (Z^b s + z^b) + h_a - Q_a) = 0
        A = [adapted.pull(Z, column) for column in zip(*adapted.product(W, Z, adapted.r), strict=True)]
        rest = [Q[a] - h[a] - wz for a, wz in enumerate(adapted.times(W, z))]
        return adapted.explicit(A, adapted.pull(Z, rest), Z, z)

    def written(self, udot: Mapping[sp.Symbol, sp.Symbol]) -> Shown:
        """The projected rows in all accelerations."""
        system, adapted = self.system, self.adapted
        W, h = adapted.motion.euler_lagrange(adapted.L)
        EL = [
            e + rest
            for e, rest in zip(adapted.times(W, [adapted.algebra.read(a) for a in udot.values()]), h, strict=True)
        ]
        left, right = adapted.pull(adapted.Z, EL), adapted.pull(adapted.Z, forces(system, adapted.algebra))
        return Shown([], self.rows(left, right), self.remark)
