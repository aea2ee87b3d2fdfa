"""Explicit Runge-Kutta pairs with dense output; DOP853, of order 8 with dense output of order 7, is one of them.

[hairer1993, II.5, II.6]
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from ....argument_checks import noun
from ...machine.ir_numbers import Real
from ...machine.sincos_update import Anchored
from ...vector_field.field import Field
from ...vector_field.kernel_plan import KernelPlan
from ..method import Method, Request
from .rounds import rounds
from .step_ir import POWERS, Traits, stepping, written_in
from .stepper import ExplicitStepper
from .tableau import DOP853, ExplicitTableau

if TYPE_CHECKING:
    from ...vector_field.variational_equations import VariationalEquations

_NUMBERS = 200_000  # in a chunk
_STEPS = 512, 2048  # of a chunk at most, with dense output and without


@dataclass(frozen=True)
class ExplicitPair(Method):
    """An explicit Runge-Kutta pair with dense output, of which a tableau tells all."""

    pair: ClassVar[ExplicitTableau]

    def stepper(self, field: Field, request: Request) -> ExplicitStepper:
        """The stepper of a run."""
        return ExplicitStepper(
            field.kernel.library,
            field.start.t,
            field.first,
            field.p,
            rtol=request.rtol,
            atol=request.tolerances,
            margin_limit=request.margin_limit,
            margin_low=request.margin_low,
            max_step=request.max_step,
            max_steps=request.max_steps,
            chunk=_chunk(len(field.first), request.dense),
            dense=request.dense,
            patient=request.patient,
            sinks=field.lean is None,
            tableau=self.pair,
        )

    def tangent_stepper(
        self, field: Field, equations: VariationalEquations, t: float, rows: np.ndarray, request: Request
    ) -> ExplicitStepper:
        """The stepper of a motion with its derivatives."""
        return ExplicitStepper(
            equations.library,
            t,
            rows.ravel(),
            equations.vector(field, rows),
            rtol=request.rtol,
            atol=request.atol,
            margin_limit=request.margin_limit,
            max_step=request.max_step,
            max_steps=request.max_steps,
            dense=False,
            tail=equations.width,
            tableau=self.pair,
        )

    @classmethod
    def beside_tangents(cls, equations: VariationalEquations) -> dict[str, str]:
        """The step of a motion with its derivatives."""
        cost = equations.plan.functions["rhs"].cost * (equations.count + 1)
        project = "project" in equations.plan.functions
        return stepping(equations.n, cost, project, tail=equations.width, tableau=cls.pair)

    @classmethod
    def beside(cls, plan: KernelPlan, real: Real) -> dict[str, str]:
        """The step, which may hold the right-hand side within it; for lanes many of them in a row."""
        rhs = plan.functions["rhs"]
        cost = rhs.cost * (1 + rhs.size)
        n = len(plan.states) + 1
        traits = Traits.of(rhs, n, plan.inputs)
        anchored = Anchored.of(rhs, plan.inputs, real) if written_in(n, cost) else None
        project = "project" in plan.functions
        texts = stepping(n, cost, project, real, traits=traits, anchored=anchored, tableau=cls.pair)
        return texts if real.width == 1 else {**texts, "rounds": rounds(n, real, cls.pair)}


@noun
@dataclass(frozen=True)
class Dop853(ExplicitPair):
    """The explicit Runge-Kutta method of order 8: the usual choice."""

    word: ClassVar[str] = "dop853"
    pair: ClassVar[ExplicitTableau] = DOP853
    sources: ClassVar[tuple[tuple[str, str], ...]] = (
        ("hairer1993", "the integrator: DOP853 with dense output (II.5, II.6)"),
    )


def _chunk(n: int, dense: bool) -> int:
    """How many steps of n states make a chunk: what a run gathers at a time, and how soon it can be stopped."""
    return max(16, min(_STEPS[not dense], _NUMBERS // (POWERS * n if dense else n)))
