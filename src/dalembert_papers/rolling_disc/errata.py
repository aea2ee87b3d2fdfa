"""Where [cushman1995] is misprinted or says too much: which group of claims decides each place, and what none decides.

`PLACES` names the place of each claim that a misprint or a slip is about; `EDITORIAL` are those that no computation
can decide, with the reason.
"""

from __future__ import annotations

from ..claim import Group
from . import angles, formulation, lifting, reduction

# place of the claims -> the group that makes them
PLACES: dict[str, Group] = {
    "(4)": formulation.acceleration,
    "(13)": formulation.signs,
    "Prop. 2, proof": lifting.proposition_2,
    "(25)": lifting.lift,
    "before (33)": lifting.tangent,
    "Theorem 5, line 4": lifting.theorem_5,
    "Theorem 5, proof": lifting.several,
    "section 5, end": lifting.involutive,
    "section 6": reduction.where_it_stands_still,
    "after (36)": reduction.which_psi,
    "section 6, angles": angles.rolling,
}

EDITORIAL = (
    'Section 1, multipliers "determined from the constraint equation (2)": (2) only defines phi_a; it is (4), the rate '
    "of (1), that determines them.",
    'Section 2, "equations of motion (3)": (9). (3) says that the phi_a are independent.',
    "(13) to (15), pi^* phi_a and <phi_a(q) | v>: phi_a and <chi_a | v>. By (2) and (7) phi_a is a form on TQ already; "
    "these are names, and no number depends on them.",
    "Proposition 1, proof: what is called part 4 belongs to part 3; there is no part 4.",
    "After (32), xi_B(c-bar(t)) = dc-bar/dt: c~ for c-bar. xi_B is tangent to M, dc-bar/dt to M-bar, so that the "
    "printed line compares vectors of different spaces; (33), (34) are checked with c~.",
    "Before (33), f_ja zeta^u_M: zeta^a_M. The index u is bound nowhere.",
)
