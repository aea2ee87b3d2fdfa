"""Radau IIA of orders 5, 9 and 13 for stiff forces [hairer1996, IV.8], compiled."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from numbers import Integral
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from ....argument_checks import noun
from ....calculus.graph import Node, operations, tangent
from ....errors import InvalidValue, as_given
from ...machine.ir_numbers import Real
from ...machine.llvm_ir import emit
from ...vector_field.field import Field
from ...vector_field.kernel_plan import KernelPlan
from ..method import Method, Request

if TYPE_CHECKING:
    from ...vector_field.variational_equations import VariationalEquations
    from .stepper import RadauStepper

STAGES = {5: 3, 9: 5, 13: 7}  # by order
LARGEST_JACOBIAN = 200_000  # operations; above it differences are cheaper to compile


@noun
@dataclass(frozen=True)
class Radau(Method):
    """The implicit Runge-Kutta method Radau IIA, for stiff forces.

    Attributes:
        order: 5, 9 or 13; by default that which costs least at rtol.
    """

    order: int | None = None

    word: ClassVar[str] = "radau"
    lean: ClassVar[bool] = False  # stiff forces stay the products they are written as: multiplied out they round worse
    orders: ClassVar[tuple[int, ...]] = (*STAGES,)
    sources: ClassVar[tuple[tuple[str, str], ...]] = (("hairer1996", "the integrator: Radau IIA (IV.5, IV.8)"),)

    def __post_init__(self) -> None:
        if self.order is not None and not (isinstance(self.order, Integral) and self.order in STAGES):
            fact = f"order = {as_given(self.order)}: radau has the orders 5, 9 and 13"
            raise InvalidValue("E307", fact, "leave order out for the one that suits rtol")

    @classmethod
    def refuses(cls, option: str) -> str:
        """Why it has no such option."""
        return "chooses its steps"

    def stepper(self, field: Field, request: Request) -> RadauStepper:
        """The stepper of a run."""
        from .stepper import RadauStepper

        return RadauStepper(
            field.kernel.rhs,
            field.kernel.jacobian,
            field.start.t,
            field.first,
            field.p,
            rtol=request.rtol,
            atol=np.r_[request.atol, request.rtol * _energy_size(field) or math.inf],
            stages=0 if self.order is None else STAGES[self.order],
            project=field.project_address,
            margin_limit=request.margin_limit,
            max_step=request.max_step,
            max_steps=request.max_steps,
            chunk=64 if request.watched else 256,
        )

    def tangent_stepper(
        self, field: Field, equations: VariationalEquations, t: float, rows: np.ndarray, request: Request
    ) -> RadauStepper:
        """The stepper of a motion with its derivatives; their Jacobian is one of differences."""
        from .stepper import RadauStepper

        code, atol = equations.library, request.atol.reshape(rows.shape).copy()
        atol[-1, 0] = request.rtol * _energy_size(field) or math.inf
        return RadauStepper(
            code.address("rhs"),
            0,
            t,
            rows.ravel(),
            equations.vector(field, rows),
            rtol=request.rtol,
            atol=atol.ravel(),
            stages=0 if self.order is None else STAGES[self.order],
            project=code.address("project") if "project" in code.addresses else 0,
            margin_limit=request.margin_limit,
            max_step=request.max_step,
            max_steps=request.max_steps,
            tail=equations.width,
        )

    @classmethod
    def beside(cls, plan: KernelPlan, real: Real) -> dict[str, str]:
        """The Jacobian, unless it is too large or the right-hand side solves for the accelerations."""
        rhs = plan.functions["rhs"]
        if rhs.size or operations(rhs.outputs).get("*", 0) * len(rhs.outputs) >= LARGEST_JACOBIAN:
            return {}
        slopes = _jacobian(plan.states, rhs.outputs[: len(plan.states) + 1])
        return {"jacobian": emit("jacobian", slopes, plan.inputs)}


def _jacobian(states: Sequence[str], derivative: tuple[Node, ...]) -> list[Node]:
    """d(dy/dt)/dy, row-major, the work's column being 0."""
    graph = derivative[0].graph
    columns = [tangent(list(derivative), [graph.symbol(name)], [1]) for name in states]
    columns.append([graph.constant(0)] * len(derivative))
    return [column[i] for i in range(len(derivative)) for column in columns]


def _energy_size(field: Field) -> float:
    """The energy that a stiff run may lose in a thin layer: the work there is controlled to this size."""
    t, names = field.start.t, field.equations.states
    first = np.r_[field.start.vector, 0.0]
    still = first * ~np.isin([*names, ""], [u.name for u in field.equations.space.velocities])
    energy = field.energy(np.array([t, t]), np.stack([first, still]))
    return float(max(*np.abs(energy), np.ptp(energy)))
