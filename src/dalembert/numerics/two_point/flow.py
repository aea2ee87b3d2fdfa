"""A motion and its derivatives along any directions at the start, from one time to the next, as one run of tied lanes.

Row i of the state holds y_i in lane 0 and its derivatives in the lanes behind it; directions carry no names here, since
which velocities are free is decided anew at every start.
"""

from __future__ import annotations

import math
import weakref
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from ...equations import Equations
from ..machine.library import Library, widest
from ..machine.real import Real
from ..machine.tangents import with_tangents
from ..methods.dop853.code import stepping
from ..methods.dop853.stepper import Stepper
from ..methods.method import MARGIN_LIMIT
from ..methods.stepping import Status
from ..policy import Policy
from ..vector_field.field import Field
from ..vector_field.plan import Plan
from ..vector_field.projection import WORK
from ..vector_field.stabilisation import Stabilisation

CHUNK = 64  # steps between two looks from Python

_Key = tuple[int, str | None, Stabilisation]
_COMPILED: weakref.WeakKeyDictionary[Equations, dict[_Key, Code]] = weakref.WeakKeyDictionary()


class Code(NamedTuple):
    """Machine code of a motion with derivatives, for so many lanes."""

    library: Library
    width: int


@dataclass(frozen=True)
class Flow:
    """Compiled motion with derivatives.

    Attributes:
        code: the machine code.
        width: lanes.
        count: directions.
        policy: tolerances and limits.
    """

    code: Library
    width: int
    count: int
    policy: Policy

    @classmethod
    def of(cls, field: Field, policy: Policy, count: int, parameter: str | None = None) -> Flow:
        """The flow of a field's equations with so many directions, compiled on first use.

        In the last of them a parameter moves too, if one is named.
        """
        known = _COMPILED.setdefault(field.kernel.equations, {})
        key = (count, parameter, field.stabilisation)
        if key not in known:
            known[key] = _compile(field, count, parameter)
        return cls(*known[key], count, policy)

    def rows(self, field: Field, S: np.ndarray) -> np.ndarray:
        """The field's start with derivatives S (n, count), as rows (n + 1, width)."""
        y = np.zeros((len(field.first), self.width))
        y[:, 0] = field.first
        y[:-1, 1 : 1 + self.count] = S
        return y

    def carry(self, field: Field, t: float, rows: np.ndarray, stops: Sequence[float] | np.ndarray) -> np.ndarray | None:
        """Rows at the stops (len(stops), n + 1, width), which rise from t on; None where the motion ends before.

        Every stop is the end of a step, so that nothing is interpolated.
        """
        stepper = Stepper(self.code, t, rows.ravel(), field.p, tail=self.width, **self._options(field))
        found = np.empty((len(stops), *rows.shape))
        for i, stop in enumerate(stops):
            status = Status.FULL if stop > stepper.t else Status.END
            while status == Status.FULL:
                status = stepper.advance(stop).status
            if status != Status.END:
                return None
            found[i] = stepper.y.reshape(rows.shape)
        return found if np.isfinite(found).all() else None

    def steps(self, field: Field, t: float, rows: np.ndarray, stop: float) -> int:
        """How many steps the motion from the given rows takes by itself."""
        stepper = Stepper(self.code, t, rows.ravel(), field.p, tail=self.width, **self._options(field))
        count, status = 0, Status.FULL
        while status == Status.FULL:
            chunk = stepper.advance(stop)
            count, status = count + len(chunk.t), chunk.status
        return count

    def split(self, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """States (..., n) and derivatives (..., n, count) of rows (..., n + 1, width)."""
        return rows[..., :-1, 0], rows[..., :-1, 1 : 1 + self.count]

    def _options(self, field: Field) -> dict[str, Any]:
        policy = self.policy
        atol = np.full((len(field.first), self.width), math.inf)
        atol[:-1, : 1 + self.count] = policy.tolerances(field.equations.states, field.start.vector)[:, None]
        options = {"rtol": policy.rtol, "atol": atol.ravel(), "margin_limit": MARGIN_LIMIT, "dense": False}
        limits = {"max_step": policy.max_step, "max_steps": policy.most_steps}
        return {**options, **limits, "chunk": CHUNK}


def _compile(field: Field, count: int, parameter: str | None) -> Code:
    equations, lanes, register = field.kernel.equations, count + 1, widest()
    width = -(-lanes // register) * register if lanes > register else 1 << (lanes - 1).bit_length()
    plan, real = Plan.of(equations.apart(), field.stabilisation), Real.lanes(width)
    rows = {name: ("y", i) for i, name in enumerate([*equations.states, WORK])}
    moves = {**rows, **({} if parameter is None else {parameter: ("lane", count)})}
    texts = {
        name: with_tangents(name, f, plan.inputs, moves, real, untouched=1 if name == "rhs" else 0)
        for name, f in plan.functions.items()
    }
    cost = plan.functions["rhs"].cost * lanes
    texts |= stepping(len(rows) * width, cost, "project" in texts, tail=width)
    return Code(Library.compile(texts), width)
