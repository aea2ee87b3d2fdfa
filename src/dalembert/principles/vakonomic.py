"""The vakonomic principle: the action is stationary among curves that satisfy the constraints [kozlov1983].

    EL_a(L - lam_s phi^s) = Q_a ,   phi = 0                 [lewis1995 (2.2)]

The multipliers are states with initial values of their own.
"""

from __future__ import annotations

from functools import cached_property

import sympy as sp

from ..argument_checks import public
from ..equations import Equations
from ..errors import InvalidValue, Note
from ..errors.remedies import Option, Principle
from ..model.system import System
from .lagrange import WellPosedEquations
from .well_posedness import remarks, well_posed


class VakonomicEquations(WellPosedEquations):
    """The action is stationary; the multipliers are states."""

    principle = "vakonomic"
    heading = """{title}: vakonomic (L - lam phi; the multipliers are states)
EL_a(L - lam_s phi^s) = Q_a, phi as written below; lam(0) belongs to the start"""
    formula = r"\mathrm{EL}_a(L - \lambda_s \varphi^s) = Q_a"

    @cached_property
    def lagrangian(self) -> sp.Expr:
        """L - lam phi."""
        lam, system = self.states_of_multipliers, self.system
        # L* = L - lam_s phi^s
        return system.lagrangian - sum((s * c.phi for s, c in zip(lam, system.constraints, strict=True)), sp.S.Zero)

    @property
    def states_of_multipliers(self) -> tuple[sp.Symbol, ...]:
        """``lam_<constraint>`` of each constraint."""
        return self.multipliers

    @cached_property
    def notes(self) -> tuple[Note, ...]:
        """What was noticed; there is no reaction, and so no rule for it (N117)."""
        return tuple(n for n in remarks(self.decided) if n.code != "N117")


def _refuse_projected(system: System) -> None:
    """E163: brackets that were projected onto D are those of d'Alembert's variations, not of curves beside a curve."""
    if system.space.almost:
        fact = "the space is an almost one, as da.reduce and symmetry.restrict make it or as it was declared:"
        fact += " its brackets may be projected onto what constraints allow, and no curves are varied there"
        kept = "take the system with its constraints, reduced by symmetry.quotient, which keeps them; "
        own = ("; where you said ", Option("almost", True), " of brackets that are not projected, leave it out")
        more = (kept, Principle("nonholonomic"), " has the motions of this one", *own)
        raise InvalidValue("E163", fact, more, subject=("space",))


@public
def vakonomic(system: System) -> Equations:
    """Equations of motion of the constrained variational problem, with the multipliers as states ``lam_<constraint>``.

    Raises:
        DalembertError: E106 to E114, where the system determines no motion; E163, its space was projected onto the
            velocities that constraints allow: no curves can be varied there.
    """
    decided = well_posed(system)
    system = decided.system
    _refuse_projected(system)
    nonlinear = any(c.kind == "nonlinear" for c in system.constraints)
    return VakonomicEquations(
        system=system,
        kept=decided.kept,
        elsewhere=decided.states,
        definite=decided.straight[1] and not nonlinear,
        metric_definite=decided.definite,
        decided=decided,
    )
