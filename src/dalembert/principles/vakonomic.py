"""The vakonomic principle: the action is stationary among curves that satisfy the constraints [kozlov1983].

    EL_a(L - lam_s phi^s) = Q_a ,   phi = 0                 [lewis1995 (2.2)]

The multipliers are states with initial values of their own.
"""

from __future__ import annotations

from functools import partial

import sympy as sp

from ..argument_checks import public
from ..equations import Equations
from ..errors import InvalidValue, Note
from ..errors.remedies import Option, Principle
from ..model.system import System
from .printed_forms import entries
from .saddle import multiplier_symbols, saddle
from .walls import declared
from .well_posedness import WellPosed, remarks, well_posed

_HEADER = """{title}: vakonomic (L - lam phi; the multipliers are states)
EL_a(L - lam_s phi^s) = Q_a, phi as written below; lam(0) belongs to the start"""


def _remarks(decided: WellPosed) -> tuple[Note, ...]:
    return tuple(n for n in remarks(decided) if n.code != "N117")  # no reaction, and so no rule for it


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
    lam = multiplier_symbols(system)
    # L* = L - lam_s phi^s
    appended = system.lagrangian - sum((s * c.phi for s, c in zip(lam, system.constraints, strict=True)), sp.S.Zero)
    nonlinear = any(c.kind == "nonlinear" for c in system.constraints)
    return Equations(
        system=system,
        principle="vakonomic",
        header=_HEADER.format(title=system.title or "System"),
        formula=r"\mathrm{EL}_a(L - \lambda_s \varphi^s) = Q_a",
        lagrangian=appended,
        constraints=system.constraints,
        states_of_multipliers=lam,
        derive=partial(saddle, system, appended, system.constraints),
        entries=partial(entries, system, appended, system.constraints),
        kept=decided.kept,
        elsewhere=decided.states,
        definite=decided.straight[1] and not nonlinear,
        metric_definite=decided.definite,
        impacts=partial(declared, system),
        remarks=partial(_remarks, decided),
    )
