"""The nonholonomic principle (Lagrange-d'Alembert; with a nonlinear constraint, Chetaev's rule).

EL_a(L) = Q_a + lam_s dphi^s/du^a ,   phi = 0           [lewis1995 (2.1)]
"""

from __future__ import annotations

from functools import partial

from ..argument_checks import public
from ..equations import Equations
from ..model.system import System
from .contact_mode_equations import contacts, with_reactions
from .lean import lean
from .printed_forms import entries, matrix_form
from .saddle import saddle
from .walls import declared
from .well_posedness import remarks, well_posed

_HEADER = """{title}: nonholonomic (Lagrange-d'Alembert{chetaev})
EL_a(L) = Q_a + lam_s dphi^s/du^a: the reaction, with phi as written below"""


@public
def nonholonomic(system: System) -> Equations:
    """Equations of motion in which the reaction does no work on the velocities that the constraints allow.

    The multipliers are determined by the motion. With a constraint that is nonlinear in the velocities the reaction is
    along dphi/du (Chetaev's rule), which the header says.

    Raises:
        DalembertError: E106 to E114, where the system determines no motion.
    """
    decided = well_posed(with_reactions(system))
    system = decided.system
    nonlinear = any(c.kind == "nonlinear" for c in system.constraints)
    return Equations(
        system=system,
        principle="nonholonomic",
        header=_HEADER.format(title=system.title or "System", chetaev=", with Chetaev's rule" if nonlinear else ""),
        formula=r"\mathrm{EL}_a(L) = Q_a + \lambda_s \, \partial\varphi^s / \partial u^a",
        lagrangian=system.lagrangian,
        constraints=system.constraints,
        states_of_multipliers=(),
        derive=partial(saddle, system, system.lagrangian, system.constraints),
        entries=partial(entries, system, system.lagrangian, system.constraints),
        kept=decided.kept,
        elsewhere=decided.states,
        definite=decided.straight[0],
        metric_definite=decided.definite,
        impacts=partial(declared, system),
        touches=partial(contacts, system, decided.definite),
        remarks=partial(remarks, decided),
        leanest=lean,
        matrix_form=partial(matrix_form, system, decided.kept),
    )
