"""Free motion: the constraints are not imposed.

EL_a(L) = Q_a
"""

from __future__ import annotations

from functools import partial

from ..argument_checks import public
from ..equations import Equations
from ..errors import Note
from ..model.system import System
from .contact_mode_equations import contacts
from .lean import lean
from .printed_forms import entries, matrix_form
from .saddle import saddle
from .walls import declared
from .well_posedness import WellPosed, remarks, well_posed


def _remarks(decided: WellPosed) -> tuple[Note, ...]:
    """What is noticed; of relations between positions that they are not imposed (N149), not how (N115)."""
    others = tuple(n for n in remarks(decided) if n.code != "N115")
    names = ", ".join(c.name for c in decided.system.constraints if c.holonomic)
    told = f"{names} not imposed: free motions leave these relations between positions"
    return (*others, Note("N149", told)) if names else others


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
        remarks=partial(_remarks, decided),
        leanest=lean,
        matrix_form=partial(matrix_form, system, ()),
    )
