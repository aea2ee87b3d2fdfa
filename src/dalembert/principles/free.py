"""Free motion: the constraints are not imposed.

EL_a(L) = Q_a
"""

from __future__ import annotations

from functools import partial

from ..equations import Equations
from ..given import public
from ..model.system import System
from .contacts import contacts
from .entries import entries
from .impulsive import declared
from .lean import lean
from .lean.matrix_form import matrix_form
from .saddle import saddle
from .wellposed import remarks, well_posed


@public
def free(system: System) -> Equations:
    """Equations of motion without the constraints, for comparison and for systems that have none.

    Raises:
        DalembertError: E106, E107, where the Lagrangian determines no motion.
    """
    decided = well_posed(system, constrained=False)
    return Equations(
        system=system,
        principle="free",
        header=f"{system.title or 'System'}: free\nEL_a(L) = Q_a, no constraint is imposed",
        formula=r"\mathrm{EL}_a(L) = Q_a",
        lagrangian=system.lagrangian,
        constraints=(),
        states_of_multipliers=(),
        derive=partial(saddle, system, system.lagrangian, ()),
        entries=partial(entries, system, system.lagrangian, ()),
        kept=(),
        definite=decided.definite,
        metric_definite=decided.definite,
        impacts=partial(declared, system, constrained=False),
        touches=partial(contacts, system, decided.definite, constrained=False),
        remarks=partial(remarks, decided),
        leanest=partial(lean, ()),
        matrix_form=partial(matrix_form, system, ()),
    )
