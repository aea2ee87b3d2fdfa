"""The misprints of [lewis1995], each shown to fail as printed and to hold as repaired.

Every truth value is computed: by algebra where the line is a formula, on a definite example where it is a step of a
proof or a definition. The two rows of Table 1 are in `table`.
"""

from __future__ import annotations

from ...claim import Group
from .affine import equation_22
from .gamma_zero import remark_262
from .leaves import equations_27_29, proposition_28
from .nonholonomic_ball import closed_form_exponent, closed_form_velocity, equation_36, stability_33
from .vakonomic_ball import before_315, equation_39, first_line, fourth_line, lemma_31, lemma_d2, third_line
from .variations import equation_d3, proof_23, proof_c2, proposition_c2

GROUPS: tuple[Group, ...] = (
    equation_22,
    remark_262,
    equations_27_29,
    proof_23,
    proposition_28,
    equation_36,
    closed_form_exponent,
    closed_form_velocity,
    stability_33,
    equation_39,
    first_line,
    third_line,
    fourth_line,
    before_315,
    lemma_31,
    proof_c2,
    proposition_c2,
    equation_d3,
    lemma_d2,
)
