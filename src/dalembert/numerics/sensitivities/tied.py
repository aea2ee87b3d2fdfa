"""A motion and its derivatives as tied lanes of one run: what is compiled for it, and what leads to its rows and back.

Row i of the state holds y_i in lane 0 and its derivatives in the lanes behind it,

    d/dt S = (df/dy) S + df/dp ,   S = dy/dp

In the speeds of a lean form  y = within(t, q, u, p)  at the start and  (q, u) = full(t, y, p)  where the motion is
asked for, and the derivatives follow by the tangents of these. What depends on parameters alone is computed once a
run, and so are its derivatives.
"""

from __future__ import annotations

import math
import weakref
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...calculus.frame import TIME
from ...calculus.graph import evaluate
from ...equations import Equations
from ..machine.calls import map_rows, value_at
from ..machine.library import Library, widest
from ..machine.real import Real
from ..machine.tangents import with_tangents
from ..methods.dop853.code import stepping
from ..methods.dop853.stepper import Stepper
from ..methods.method import LEAN_LIMIT, MARGIN_LIMIT
from ..policy import Policy
from ..vector_field.field import Field
from ..vector_field.in_speeds import in_speeds
from ..vector_field.plan import PREAMBLE, Plan

_COMPILED: weakref.WeakKeyDictionary[Equations, dict[Any, Tied]] = weakref.WeakKeyDictionary()


@dataclass(frozen=True)
class Tied:
    """Machine code of a motion with derivatives.

    Attributes:
        library: the functions of the plan, and the step of DOP853, on rows.
        plan: what was compiled.
        width: lanes.
        count: directions.
    """

    library: Library
    plan: Plan
    width: int
    count: int

    @classmethod
    def of(cls, field: Field, count: int, by: Mapping[str, int]) -> Tied:
        """The motion of a field with so many directions, compiled on first use.

        Args:
            field: whose motion, in speeds or as written.
            count: how many directions there are.
            by: parameters that are a direction, each with its lane, from 1 on.
        """
        equations = field.equations if field.lean is not None else field.kernel.equations
        chart = None if field.lean is None else field.lean.chosen
        known, key = _COMPILED.setdefault(equations, {}), (count, *by.items(), field.stabilisation, chart)
        if key not in known:
            known[key] = cls._compile(equations, field, count, by)
        return known[key]

    @classmethod
    def _compile(cls, equations: Equations, field: Field, count: int, by: Mapping[str, int]) -> Tied:
        lanes, register = count + 1, widest()
        width = -(-lanes // register) * register if lanes > register else max(2, 1 << (lanes - 1).bit_length())
        lean = field.lean
        plan = Plan.of(equations.apart(), field.stabilisation) if lean is None else in_speeds(equations, lean)
        texts, real = {}, Real.lanes(width)
        for name, f in plan.functions.items():
            inputs = plan.others.get(name, plan.inputs)
            texts[name] = with_tangents(name, f, inputs, _rows(plan, inputs, width, by), real, name == "rhs")
        cost = plan.functions["rhs"].cost * lanes
        texts |= stepping((len(plan.states) + 1) * width, cost, "project" in texts, tail=width)
        return cls(Library.compile(texts), plan, width, count)

    # --- rows and parameters -------------------------------------------------------------------------------------

    def start(self, field: Field, S: np.ndarray) -> np.ndarray:
        """Full rows (n + 1, width) of the field's start with derivatives S (n, count)."""
        y = np.zeros((len(field.equations.states) + 1, self.width))
        y[:-1, 0] = field.start.vector
        y[:-1, 1 : 1 + self.count] = S
        return y

    def within(self, field: Field, t: float, full: np.ndarray) -> np.ndarray:
        """Rows of what is integrated, for full rows (n + 1, width) at a time."""
        found = self._between("within", field, np.array([t]), full[None], len(self.plan.states))
        return np.asarray(found[0])

    def full(self, field: Field, t: np.ndarray, rows: np.ndarray) -> np.ndarray:
        """Full rows (N, n + 1, width) at times (N,), for rows of what is integrated."""
        return self._between("full", field, t, rows, len(field.equations.states))

    def projected(self, t: np.ndarray, rows: np.ndarray, p: np.ndarray) -> np.ndarray:
        """Rows (N, ..., width) moved back to the constraints, derivatives to their tangents."""
        return self._mapped("project", t, rows, p, rows.shape)

    def _between(self, name: str, field: Field, t: np.ndarray, rows: np.ndarray, size: int) -> np.ndarray:
        p = np.array([field.parameters[k] for k in self.plan.parameters], float)
        return self._mapped(name, t, rows, p, (len(t), size + 1, self.width))

    def _mapped(self, name: str, t: np.ndarray, rows: np.ndarray, p: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
        if name not in self.library.addresses:
            return rows
        flat, out = rows.reshape(len(t), -1), np.empty((len(t), math.prod(shape[1:])))
        at = np.array(t, float), np.ascontiguousarray(flat, float)
        map_rows(self.library.address(name), *at, p, out)
        return out.reshape(shape)

    def vector(self, field: Field, rows: np.ndarray) -> np.ndarray:
        """Parameters as the code takes them, for rows at the start; behind them derivatives of the preamble."""
        if field.lean is None:
            return field.p
        plan = self.plan
        at = {**field.start.state, **dict(zip(plan.states, rows[:, 0], strict=False)), TIME.name: field.start.t}
        pivots = np.array(evaluate([*plan.pivots, *plan.charts], {**field.parameters, **at}), float)
        known = np.concatenate([[field.parameters[k] for k in plan.parameters], 1 / pivots])
        p = np.zeros(_apart(plan, self.width) * self.width)
        p[: len(known)] = known
        if not plan.preamble:
            return p
        found = value_at(self.library.address(PREAMBLE), 0.0, p, p, plan.preamble * self.width)
        p[len(known) : len(known) + plan.preamble] = found[:: self.width]
        return np.concatenate([p, found])

    # --- integration ---------------------------------------------------------------------------------------------

    def stepper(
        self, field: Field, policy: Policy, t: float, rows: np.ndarray, atol: np.ndarray, chunk: int
    ) -> Stepper:
        """An integration from rows at a time, under one error control with absolute tolerances of the states (n,)."""
        every = np.full((len(self.plan.states) + 1, self.width), math.inf)
        every[:-1, : 1 + self.count] = atol[:, None]
        return Stepper(
            self.library,
            t,
            rows.ravel(),
            self.vector(field, rows),
            rtol=policy.rtol,
            atol=every.ravel(),
            margin_limit=MARGIN_LIMIT if field.lean is None else LEAN_LIMIT,
            max_step=policy.max_step,
            max_steps=policy.most_steps,
            chunk=chunk,
            dense=False,
            tail=self.width,
        )


def _apart(plan: Plan, width: int) -> int:
    """How many rows of p hold numbers, before those that hold derivatives."""
    return -(-(len(plan.parameters) + len(plan.pivots) + len(plan.charts) + plan.preamble) // width)


def _rows(
    plan: Plan, inputs: Mapping[str, tuple[str, int]], width: int, by: Mapping[str, int]
) -> dict[str, tuple[str, int]]:
    """Where the derivatives of symbols lie: in the rows of the state, in a lane of their own, or behind p."""
    rows = {name: place for name, place in inputs.items() if place[0] == "y"}
    first, still = _apart(plan, width), range(plan.preamble if by else 0)
    return (
        rows
        | {name: ("lane", lane) for name, lane in by.items()}
        | {f"{PREAMBLE}:{k}": ("p", first + k) for k in still}
    )
