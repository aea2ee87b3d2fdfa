"""Free motion: the constraints are not imposed.

EL_a(L) = Q_a
"""

from __future__ import annotations

from functools import cached_property

from ..argument_checks import public
from ..equations import Equations
from ..equations.contact_modes import Contacts
from ..errors import Note
from ..event import Event
from ..model.constraint import Constraint
from ..model.system import System
from .contact_mode_equations import contacts
from .lagrange import WellPosedEquations, declared_walls
from .well_posedness import remarks, well_posed


class FreeEquations(WellPosedEquations):
    """No constraint is imposed."""

    principle = "free"
    heading = "{title}: free\nEL_a(L) = Q_a, no constraint is imposed"
    formula = r"\mathrm{EL}_a(L) = Q_a"
    has_lean_form = True

    @property
    def constraints(self) -> tuple[Constraint, ...]:
        """None."""
        return ()

    @cached_property
    def notes(self) -> tuple[Note, ...]:
        """What is noticed; of relations between positions that they are not imposed (N149), not how (N115)."""
        others = tuple(n for n in remarks(self.decided) if n.code != "N115")
        names = ", ".join(c.name for c in self.decided.system.constraints if c.holonomic)
        told = f"{names} not imposed: free motions leave these relations between positions"
        return (*others, Note("N149", told)) if names else others

    @cached_property
    def walls(self) -> tuple[Event, ...]:
        """The walls that the system declares, beside which no constraint acts."""
        return declared_walls(self.decided.system, constrained=False)

    @cached_property
    def contacts(self) -> Contacts | None:
        """The contacts that act in these motions."""
        return contacts(self.decided, False, self.system.steered, self.coefficients)


@public
def free(system: System) -> Equations:
    """Equations of motion without the constraints, for comparison and for systems that have none.

    Raises:
        DalembertError: E106, E107, where the Lagrangian determines no motion.
    """
    decided = well_posed(system, constrained=False)
    return FreeEquations(
        system=system, kept=(), definite=decided.definite, metric_definite=decided.definite, decided=decided
    )
