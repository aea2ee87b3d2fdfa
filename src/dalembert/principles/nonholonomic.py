"""The nonholonomic principle (Lagrange-d'Alembert; with a nonlinear constraint, Chetaev's rule).

EL_a(L) = Q_a + lam_s dphi^s/du^a ,   phi = 0           [lewis1995 (2.1)]
"""

from __future__ import annotations

from functools import cached_property

from ..argument_checks import public
from ..equations import Equations
from ..equations.contact_modes import Contacts
from ..model.system import System
from .contact_mode_equations import contacts, with_reactions
from .lagrange import WellPosedEquations
from .well_posedness import well_posed


class NonholonomicEquations(WellPosedEquations):
    """The reaction does no work on the velocities that the constraints allow."""

    principle = "nonholonomic"
    formula = r"\mathrm{EL}_a(L) = Q_a + \lambda_s \, \partial\varphi^s / \partial u^a"
    has_lean_form = True

    @property
    def heading(self) -> str:
        """With Chetaev's rule where a constraint is nonlinear."""
        rule = ", with Chetaev's rule" if any(c.kind == "nonlinear" for c in self.constraints) else ""
        return f"""{{title}}: nonholonomic (Lagrange-d'Alembert{rule})
EL_a(L) = Q_a + lam_s dphi^s/du^a: the reaction, with phi as written below"""

    @cached_property
    def contacts(self) -> Contacts | None:
        """The contacts that act in these motions."""
        return contacts(self.decided, True, self.system.steered, self.coefficients)


@public
def nonholonomic(system: System) -> Equations:
    """Equations of motion in which the reaction does no work on the velocities that the constraints allow.

    The multipliers are determined by the motion. With a constraint that is nonlinear in the velocities the reaction is
    along dphi/du (Chetaev's rule), which the header says.

    Raises:
        DalembertError: E106 to E114, where the system determines no motion.
    """
    decided = well_posed(with_reactions(system))
    return NonholonomicEquations(
        system=decided.system,
        kept=decided.kept,
        elsewhere=decided.states,
        definite=decided.straight[0],
        metric_definite=decided.definite,
        decided=decided,
    )
