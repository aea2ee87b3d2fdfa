"""Section 5 of [cushman1995], reconstruction: K, Propositions 1 and 2, (25) to (34), Theorem 5, in numbers.

The disc has K = 0 where v_theta != 0, so other systems with a symmetry are looked at as well. At each state

    H = B + C + D ,   U = B + K ,   V n H = D + K ,   C = the omega-perpendicular of B + D in H
"""

from __future__ import annotations

from ...claim import Group
from .invariance import involutive, several, theorem_5
from .lifts import complements, components, equation, lift, tangent
from .propositions import lies_in_U, proposition_1, proposition_2

GROUPS: tuple[Group, ...] = (
    lies_in_U,
    proposition_1,
    proposition_2,
    lift,
    complements,
    components,
    tangent,
    equation,
    theorem_5,
    several,
    involutive,
)
