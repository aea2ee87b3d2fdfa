"""The variational equations of a motion, compiled: a motion and its derivatives in some directions, as tied lanes.

Row i of the state holds y_i in lane 0 and its derivatives in the lanes behind it,

    d/dt S = (df/dy) S + df/dp ,   S = dy/dp

In the speeds of a lean form  y = within(t, q, u, p)  at the start and  (q, u) = full(t, y, p)  where the motion is
asked for, and the derivatives follow by the tangents of these. What depends on parameters alone is computed once a
run, and so are its derivatives.
"""

from __future__ import annotations

import math
import weakref
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from ...calculus.frame import TIME
from ...calculus.graph import evaluate
from ...equations import Equations
from ..machine.batch_calls import map_rows, value_at
from ..machine.compiler import Library, widest
from ..machine.forward_derivatives import moved, row_by_row, with_tangents
from ..machine.function_source import Function
from ..machine.ir_numbers import Real
from ..machine.llvm_ir import Inputs
from .field import Field
from .kernel_plan import PREAMBLE, KernelPlan, in_speeds

_COMPILED: weakref.WeakKeyDictionary[Equations, dict[Any, VariationalEquations]] = weakref.WeakKeyDictionary()


@dataclass(frozen=True, eq=False)
class VariationalEquations:
    """Machine code of a motion with derivatives.

    Attributes:
        plan: of the motion alone.
        width: lanes.
        count: directions.
        by: parameters that are a direction, each with its lane, from 1 on.
        beside: what a method compiles together with them.
    """

    plan: KernelPlan
    width: int
    count: int
    by: Mapping[str, int]
    beside: Callable[[VariationalEquations], dict[str, str]]

    @classmethod
    def of(
        cls,
        field: Field,
        count: int,
        by: Mapping[str, int],
        beside: Callable[[VariationalEquations], dict[str, str]],
    ) -> VariationalEquations:
        """The variational equations of a field's motion, in speeds or as written, compiled on first use."""
        equations, lean = field.equations if field.lean is not None else field.kernel.equations, field.lean
        known, chart = _COMPILED.setdefault(equations, {}), None if lean is None else lean.chosen
        key = (count, *by.items(), field.stabilisation, chart, beside)
        if key not in known:
            lanes, register = count + 1, widest()
            width = -(-lanes // register) * register if lanes > register else max(2, 1 << (lanes - 1).bit_length())
            plan = KernelPlan.of(equations.apart(), field.stabilisation) if lean is None else in_speeds(equations, lean)
            known[key] = cls(plan, width, count, dict(by), beside)
        return known[key]

    @property
    def n(self) -> int:
        """How many numbers a state has, the work and all derivatives included."""
        return (len(self.plan.states) + 1) * self.width

    @cached_property
    def library(self) -> Library:
        """The functions of the plan on rows, and what the method has beside them."""
        texts, real = {}, Real.lanes(self.width)
        for name, f in self.plan.functions.items():
            inputs = self.plan.others.get(name, self.plan.inputs)
            texts[name] = with_tangents(name, f, inputs, self._moving(inputs), real, untouched=name == "rhs")
        return Library.compile(texts | self.beside(self))

    def row_by_row(self, function: Function) -> tuple[Function, Inputs]:
        """A function of the motion with its derivatives on the graph, and where its symbols lie."""
        inputs = self.plan.inputs
        return row_by_row(function, inputs, self._moving(inputs), self.width, self.count)

    @property
    def symbols(self) -> list[str]:
        """Of the numbers of a state in their order, those of the work left out: names as in `row_by_row`."""
        return [name if lane == 0 else moved(name, lane) for name in self.plan.states for lane in range(self.width)]

    def _moving(self, inputs: Inputs) -> dict[str, tuple[str, int]]:
        """Where the derivatives of symbols lie: in the rows of the state, in a lane of their own, or behind p."""
        rows = {name: place for name, place in inputs.items() if place[0] == "y"}
        first, still = self._apart, range(self.plan.preamble if self.by else 0)
        lanes = {name: ("lane", lane) for name, lane in self.by.items()}
        return rows | lanes | {f"{PREAMBLE}:{k}": ("p", first + k) for k in still}

    @property
    def _apart(self) -> int:
        """How many rows of p hold numbers, before those that hold derivatives."""
        plan = self.plan
        count = len(plan.parameters) + len(plan.pivots) + len(plan.charts) + plan.preamble
        return -(-count // self.width)

    # --- rows and parameters -----------------------------------------------------------------------------------------

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
        p = np.zeros(self._apart * self.width)
        p[: len(known)] = known
        if not plan.preamble:
            return p
        found = value_at(self.library.address(PREAMBLE), 0.0, p, p, plan.preamble * self.width)
        p[len(known) : len(known) + plan.preamble] = found[:: self.width]
        return np.concatenate([p, found])
