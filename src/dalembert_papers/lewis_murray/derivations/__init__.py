"""The equations of [lewis1995] derived from the Lagrangian and the constraints alone, and held against the paper.

The library derives W udot - N^T mu = f, N udot = g for the ball on the turning table; multipliers and angular
velocities are eliminated here (`derived`). What the paper prints is typed in, left side minus right side, with its own
letters (`letters`), and each file holds one of its subjects against the derivation.
"""

from __future__ import annotations

from ...claim import Group
from .agreement import lemma_3_1, table_at_rest
from .closed_forms import damped, undamped
from .co_rotation import co_rotation
from .extended_space import lagrange_equations
from .nonholonomic_ball import eigenvalues, friction, frictionless
from .routh_hurwitz import stability
from .the_system import matrix_form, newton, rolling_relations, torques
from .vakonomic_ball import multiplier_rates, reduced_vakonomic

GROUPS: tuple[Group, ...] = (
    matrix_form,
    newton,
    rolling_relations,
    torques,
    frictionless,
    friction,
    eigenvalues,
    undamped,
    damped,
    stability,
    lagrange_equations,
    reduced_vakonomic,
    multiplier_rates,
    lemma_3_1,
    table_at_rest,
    co_rotation,
)
