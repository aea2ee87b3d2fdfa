"""Methods of fixed step size that preserve structure: their options, what fits them, and their stepper."""

from __future__ import annotations

import weakref
from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from numbers import Integral
from typing import ClassVar

import numpy as np

from ....calculus.quantity import is_finite
from ....equations import Equations
from ....errors import InvalidValue, as_given
from ....errors.remedies import Option
from ...vector_field.field import Field
from ..method import MARGIN_LIMIT, Method, Request
from .implicit_step import REFERENCE, CompiledScheme, Scheme
from .stepper import FixedStepper, plan

REASONS = {4: ("suzuki1990", "the composition of order 4"), 6: ("kahan1997", "the composition of order 6")}
ORDERS = (2, *REASONS)
_SUZUKI = 1 / (4 - 4 ** (1 / 3))
_HALVES = {
    2: (1.0,),
    # [suzuki1990]: five steps
    4: (_SUZUKI, _SUZUKI, 1 - 4 * _SUZUKI),
    # [kahan1997]: nine steps
    6: (
        0.39216144400731413927925056,
        0.33259913678935943859974864,
        -0.70624617255763935980996482,
        0.08221359629355080023149045,
        0.79854399093482996339895035,
    ),
}

ANY = (Option("method", "symmetric_projection"), ", which works with every set of equations")
_NUMBERS = 200_000  # of dense output in a chunk

_CACHE: weakref.WeakKeyDictionary[Equations, dict[str, CompiledScheme]] = weakref.WeakKeyDictionary()


@dataclass(frozen=True)
class FixedSteps(Method):
    """A method of fixed step size, which preserves structure.

    Attributes:
        step: size of the steps.
        order: 2, 4 or 6: composed of one, five or nine steps of order 2; 2 where it is left out.
    """

    step: float
    order: int | None = None

    orders: ClassVar[tuple[int, ...]] = ORDERS
    fixed: ClassVar[bool] = True
    lean: ClassVar[bool] = False
    finer: ClassVar[str] = "take a smaller step"
    stuck: ClassVar[str] = "the equations of a step have no solution nearby: take a smaller step"

    def __post_init__(self) -> None:
        if not (is_finite(self.step) and self.step > 0):
            raise InvalidValue(
                "E305", f"step = {as_given(self.step)} must be positive and finite", Option("step", 0.01)
            )
        if self.order is not None and not (isinstance(self.order, Integral) and self.order in ORDERS):
            raise InvalidValue("E307", f"order = {as_given(self.order)} must be 2, 4 or 6", "leave order out for 2")

    @classmethod
    def reasons(cls, order: object = None) -> tuple[tuple[str, str], ...]:
        """The reasons of the method, and of its composition."""
        return (*cls.sources, *(why for known, why in REASONS.items() if known == order))

    @classmethod
    def of(cls, options: Mapping[str, object]) -> Method:
        """From the options ``step``, which must be there, and ``order``."""
        if options.get("step") is None:
            raise InvalidValue(
                "E307", f'method="{cls.word}" takes fixed steps, and no step is given', Option("step", 0.01)
            )
        return super().of(options)

    @abstractmethod
    def scheme(self, equations: Equations) -> Scheme:
        """One step of order 2 on the equations."""

    def stepper(self, field: Field, request: Request) -> FixedStepper:
        """The stepper of a run.

        Raises:
            InvalidValue: E307, the method does not fit the equations.
        """
        self.check_fit(field)
        return FixedStepper(
            field.kernel.rhs,
            self._compiled(field),
            plan(composition_weights(self.order or 2), self.step, MARGIN_LIMIT, request.max_steps),
            field.start.t,
            field.first,
            field.p,
            lambda t, y: float(field.energy(np.array([t]), y[None])[0]),
            chunk=64 if request.watched else max(16, min(512, _NUMBERS // (7 * len(field.first)))),
        )

    def _compiled(self, field: Field) -> CompiledScheme:
        """The machine code of the scheme, compiled on first use and kept as long as the equations live."""
        equations = field.kernel.equations
        known = _CACHE.setdefault(equations, {})
        if self.word not in known:
            places = {name: i for i, name in enumerate(field.kernel.parameters)}
            known[self.word] = CompiledScheme.of(equations, self.scheme(equations), {**places, REFERENCE: len(field.p)})
        return known[self.word]


def check_reactions(word: str, equations: Equations) -> None:
    """E307 where the multipliers are states."""
    if equations.states_of_multipliers:
        fact = f'method="{word}" is for multipliers that are reactions; {equations.principle} ones are states'
        raise InvalidValue("E307", fact, ANY)


def composition_weights(order: int) -> np.ndarray:
    """gamma_1, ..., gamma_s: the parts of a step whose composition has this order (2, 4 or 6)."""
    half = _HALVES[order]
    return np.array([*half, *half[-2::-1]])
