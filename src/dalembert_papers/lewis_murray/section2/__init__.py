"""Section 2 of [lewis1995], and appendices A to C as far as it rests on them: affine constraints and the two methods.

An affine constraint is a distribution D = ker{w^1, ..., w^(n-k)} and a field gamma; phi^a = w^a(qdot) - w^a(gamma).
The misprints of the section, (2.2) second line, (2.7), (2.9), Remark 2.6.2, Propositions 2.3 and 2.8, are in `errata`.

Beyond the paper: with L_gamma the Lie derivative, Lagrange's expression of phi is

    E[phi] = L_gamma w + (qdot - gamma) _| dw

so that both methods have the same motions for every multiplier exactly if D is integrable and [gamma, D] lies in D.
Proposition 2.8 asks for gamma in D, which is more than that.
"""

from __future__ import annotations

from ...claim import Group
from .adapted import proposition_28
from .first_variations import definitions_22_25
from .instances import every_drift, leaf_motion, motions, sharp_condition
from .nonholonomic_method import definition_21, equation_21, proposition_23, variations
from .rolling_penny import penny
from .vakonomic_method import difference, equations_22_23, remark_261

GROUPS: tuple[Group, ...] = (
    definition_21,
    proposition_23,
    equation_21,
    variations,
    definitions_22_25,
    equations_22_23,
    remark_261,
    difference,
    penny,
    proposition_28,
    sharp_condition,
    every_drift,
    motions,
    leaf_motion,
)
