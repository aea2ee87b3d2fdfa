"""Taylor series of high order, to machine precision [jorba2005], their coefficients by recurrences [griewank2008]."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from ....argument_checks import noun
from ....calculus.frame import TIME
from ...vector_field.field import Field
from ..method import Method, Request

if TYPE_CHECKING:
    from ...vector_field.variational_equations import VariationalEquations
    from .stepper import TaylorStepper

MACHINE = float(np.finfo(float).eps)
GROWTH = 4.0  # of a step over the last, where a rank may be lost: a longer one may pass over the place
ROUNDING = 1e-16  # below it a tolerance asks for less than one rounding


@noun
@dataclass(frozen=True)
class Taylor(Method):
    """Series of high order: rtol may be one rounding.

    A series reaches as far as the nearest singularity in complex time. Every chart adds its poles to those of the
    motion, and from one chart to the next the steps stay short: near a pole it goes on as the equations are written.
    """

    word: ClassVar[str] = "taylor"
    sources: ClassVar[tuple[tuple[str, str], ...]] = (
        ("jorba2005", "the integrator: Taylor series, order and step"),
        ("griewank2008", "the integrator: recurrences of Taylor coefficients (13)"),
    )
    turns: ClassVar[bool] = False
    rtol: ClassVar[float] = MACHINE
    finest: ClassVar[float] = ROUNDING

    def stepper(self, field: Field, request: Request) -> TaylorStepper:
        """The stepper of a run."""
        from .compiled_series import SeriesKernel
        from .stepper import TaylorStepper

        series = SeriesKernel.of(field.kernel.equations, field.stabilisation, field.lean)
        project = field.project_address
        return TaylorStepper(
            series.addresses,
            series.length,
            field.kernel.rhs,
            field.start.t,
            field.first,
            field.p,
            rtol=request.rtol,
            atol=request.tolerances,
            project=project,
            shift=series.shift if project else 0,
            margin_limit=request.margin_limit,
            margin_low=request.margin_low,
            max_step=request.max_step,
            max_steps=request.max_steps,
            chunk=64 if request.watched else 256 if request.dense else 1024,
            dense=request.dense,
            growth=_growth(field),
        )

    def tangent_stepper(
        self, field: Field, equations: VariationalEquations, t: float, rows: np.ndarray, request: Request
    ) -> TaylorStepper:
        """The stepper of a motion with its derivatives."""
        from .compiled_series import SeriesKernel
        from .stepper import TaylorStepper

        series, code = SeriesKernel.with_tangents(field.equations, equations), equations.library
        project = code.address("project") if "project" in code.addresses else 0
        return TaylorStepper(
            series.addresses,
            series.length,
            code.address("rhs"),
            t,
            rows.ravel(),
            equations.vector(field, rows),
            rtol=request.rtol,
            atol=request.atol,
            project=project,
            shift=series.shift if project else 0,
            margin_limit=request.margin_limit,
            max_step=request.max_step,
            max_steps=request.max_steps,
            dense=False,
            growth=_growth(field),
            tail=equations.width,
        )


def _growth(field: Field) -> float:
    """How much longer a step may be than the last: GROWTH where what the equations divide by may vanish on the way."""
    if field.lean is not None:
        return GROWTH if field.lean.charts or field.lean.moving_pivots else math.inf
    nodes = (*field.kernel.pivots, *field.kernel.charts)
    moving = nodes[0].graph.bits((*field.states, TIME.name)) if nodes else 0
    return GROWTH if any(node.graph.reach[node.index] & moving for node in nodes) else math.inf
