"""What every method of integration is: a value that knows its word, its options, its sources and its stepper."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from ...equations import Equations, Lean
from ...errors import InvalidValue, Note, as_given
from ..machine.ir_numbers import Real
from ..vector_field.field import FALLEN as FALLEN_AS_WRITTEN
from ..vector_field.field import Field
from ..vector_field.kernel_plan import KernelPlan
from .stepper import Stepper

if TYPE_CHECKING:
    from ..vector_field.variational_equations import VariationalEquations
    from .explicit_runge_kutta.tableau import ExplicitTableau

MARGIN_LIMIT = 1e-13  # least rank margin of a step
ROUNDED = 32 * float(np.finfo(float).eps)  # the same, where pivots are chosen at each state
OTHER_ROWS = 0.01  # of a pivot at the start of a leg, below which other rows are looked for, where these depend
LEAN_LIMIT = 0.01  # the same in the speeds of a lean form, where a run does not go on in another chart
FALLEN = 0.02  # of a pivot at the start of a leg, below which a run leaves a lean form
TURNING = 0.5  # the same, where others can be chosen
FARTHER = 1 / 4  # of it: no step goes beyond
USUAL, TIGHTEST = 1e-12, 1e-14  # rtol where none is given, and the least that means something


def turning(lean: Lean) -> float:
    """The rank margin below which a run leaves a lean form."""
    return TURNING if lean.choices else FALLEN


def margins_of(field: Field, fixed: bool) -> tuple[float, float]:
    """The least rank margin of a step, and that below which a run looks for other pivots: `margin_limit`, `margin_low`.

    Args:
        field: what is integrated.
        fixed: are the steps of one size? They go on as they began, as forms do that name what is dependent.
    """
    if field.lean is not None:
        return FARTHER * turning(field.lean), turning(field.lean)
    if fixed or field.equations.dependent:
        return MARGIN_LIMIT, 0.0
    dependent = len(field.equations.kept) < len(field.equations.constraints)
    if field.kernel.pivots:
        return MARGIN_LIMIT, OTHER_ROWS if dependent else FALLEN_AS_WRITTEN
    return ROUNDED, math.inf if dependent else 0.0


@dataclass(frozen=True)
class Request:
    """What a run asks of its stepper.

    Attributes:
        rtol, atol: tolerances, the latter for each state (n,); the work is carried along without one.
        max_step, max_steps: the largest step, and how many may be tried.
        dense: is the path between the steps wanted from the beginning?
        watched: are there events? Then chunks are short, lest many steps be made beyond one that acts.
        patient: does none of them act, so that every step is kept?
        margin_limit: least rank margin of a step.
        margin_low: a step with a smaller one is looked at before another is made.
    """

    rtol: float
    atol: np.ndarray
    max_step: float = math.inf
    max_steps: int = 10_000_000
    dense: bool = True
    watched: bool = False
    patient: bool = True
    margin_limit: float = MARGIN_LIMIT
    margin_low: float = 0.0

    @property
    def tolerances(self) -> np.ndarray:
        """atol, and the work's (n + 1,)."""
        return np.append(self.atol, math.inf)


@dataclass(frozen=True)
class Method(ABC):
    """A method of integration.

    Attributes:
        word: how `simulate` and files call it.
        sources: keys of the bibliography, each with what it is the source of.
        orders: which it has, where it can be told one.
        fixed: are its steps of one size? Then tolerances mean nothing to it.
        pair: of an explicit Runge-Kutta pair, whose steps are compiled for many motions side by side too, in `beside`;
            else each runs by itself.
        lean: does it integrate the lean form of the equations, where there is one?
        turns: near a pole of a chart, does it go on in another one? Else as the equations are written.
        rtol, finest: the usual relative tolerance, and the least that means something.
        finer: what makes its results better.
        stuck: what it means that its steps shrink to nothing.
    """

    word: ClassVar[str]
    sources: ClassVar[tuple[tuple[str, str], ...]]
    orders: ClassVar[tuple[int, ...]] = ()
    fixed: ClassVar[bool] = False
    pair: ClassVar[ExplicitTableau | None] = None
    lean: ClassVar[bool] = True
    turns: ClassVar[bool] = True
    rtol: ClassVar[float] = USUAL
    finest: ClassVar[float] = TIGHTEST
    finer: ClassVar[str] = "tighten rtol"
    stuck: ClassVar[str] = 'the steps shrink to nothing: the motion is singular here, or stiff (method="radau")'

    @abstractmethod
    def stepper(self, field: Field, request: Request) -> Stepper:
        """The stepper of a run.

        Raises:
            InvalidValue: E307, the method does not fit the equations.
        """

    def check_fit(self, field: Field) -> None:
        """E307 where the method is not made for the equations; the usual one is for all."""
        return

    @classmethod
    def beside(cls, plan: KernelPlan, real: Real) -> dict[str, str]:
        """IR of functions that are compiled together with the right-hand side, by name; none by default."""
        return {}

    def tangent_stepper(
        self, field: Field, equations: VariationalEquations, t: float, rows: np.ndarray, request: Request
    ) -> Stepper:
        """The stepper of a field's motion with its derivatives, from rows (n + 1, width) at a time.

        The tolerances of the request are those of all numbers of the rows.
        """
        raise NotImplementedError

    @classmethod
    def beside_tangents(cls, equations: VariationalEquations) -> dict[str, str]:
        """IR of functions that are compiled together with variational equations, by name; none by default."""
        return {}

    def check_tangents(self, asked: str) -> None:
        """E307 where the method solves no variational equations: a fixed step is a map of its own, and not the flow."""
        if self.fixed:
            fact = f"{asked} follows the variational equations, which method={as_given(self.word)} does not solve"
            raise InvalidValue("E307", fact, "leave method out")

    def doubts(self, equations: Equations) -> tuple[Note, ...]:
        """What a user should know before these equations are integrated by it."""
        return ()

    @property
    def options(self) -> dict[str, float | int | None]:
        """Its options by name."""
        return {f.name: getattr(self, f.name) for f in fields(self)}

    @classmethod
    def reasons(cls, order: object = None) -> tuple[tuple[str, str], ...]:
        """Keys of the bibliography for a run with an order, each with the reason."""
        return cls.sources

    @classmethod
    def of(cls, options: Mapping[str, object]) -> Method:
        """From the options ``step`` and ``order`` of a run; those left out are None.

        Raises:
            InvalidValue: E305, E307, options that it does not have, or of wrong values.
        """
        known = {f.name for f in fields(cls)}
        for name, value in options.items():
            if name not in known and value is not None:
                fact = f"{name} = {as_given(value)}: {cls.word} {cls.refuses(name)}"
                raise InvalidValue("E307", fact, f'leave {name} out, give max_step=, or method="dla"')
        return cls(**{name: value for name, value in options.items() if name in known and value is not None})

    @classmethod
    def refuses(cls, option: str) -> str:
        """Why it has no such option."""
        return "chooses its steps and has one order"
