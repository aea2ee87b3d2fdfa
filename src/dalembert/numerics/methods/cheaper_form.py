"""Which form of the equations a step costs less in: as they are written, or in the speeds of their lean form.

A step evaluates the equations at each stage, forms the sums of the stages for each state, and moves the state back
once. It is counted for the usual method; others evaluate what they need of the same functions.
"""

from __future__ import annotations

import weakref

import numpy as np

from ...equations import Equations, Lean
from ..vector_field.compiled_kernel import ELIMINATED, planned
from ..vector_field.constraint_projection import USUAL
from ..vector_field.kernel_plan import KernelPlan
from .explicit_runge_kutta.tableau import E3, E5, STAGES, A

SUMS = 2 * int(sum(map(np.count_nonzero, (A[: STAGES + 1], E5, E3))))  # operations of a step for each state
AROUND = 1.15  # evaluations of a run past poles of its charts over those of the run as written: 0.94 to 1.18

_KNOWN: weakref.WeakKeyDictionary[Equations, bool] = weakref.WeakKeyDictionary()


def leaner(equations: Equations, lean: Lean) -> bool:
    """Is a step in the speeds of the lean form shorter than one as written, by more than poles near the path may cost?

    Where no pivot had to be chosen among functions of the state it is, and is not counted; nor is it where as written
    there are so many unknowns that to eliminate them would itself be long.
    """
    form = equations.machine.form
    if not lean.choices or len(form.W) + len(form.N) > ELIMINATED:
        return True
    if equations not in _KNOWN:
        written, in_speeds = (planned(equations, USUAL, shape) for shape in (None, lean))
        _KNOWN[equations] = AROUND * cost(in_speeds) <= cost(written)
    return _KNOWN[equations]


def cost(plan: KernelPlan) -> int:
    """Operations of a step: 12 right-hand sides, the sums of their stages, and the way back."""
    rhs, back = plan.functions["rhs"], plan.functions.get("project")
    # n^3/3 products and as many sums for a system that is solved on the way
    once = rhs.cost + 2 * rhs.size**3 // 3
    return STAGES * once + SUMS * (len(plan.states) + 1) + (back.cost if back else 0)
