"""Equations as machine code: what `plan` plans, compiled, for one state or lanes of them."""

from __future__ import annotations

import weakref
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from ...calculus.exact.operation_count import Tidy
from ...calculus.frame import TIME
from ...calculus.graph import Node, evaluate, operations
from ...calculus.substitution import split_constant_parts
from ...equations import Equations, Lean
from ..machine.batch_calls import value_at, values_for
from ..machine.compiler import SELDOM, Library, waited_for
from ..machine.function_source import Function
from ..machine.ir_numbers import Real
from .constraint_projection import WORK, Projection, Stabilisation
from .kernel_plan import BETWEEN, PREAMBLE, Beside, KernelPlan, in_speeds

ELIMINATED = 24  # unknowns: the elimination of more is longer than solving for them in numbers, once for each sample

LONG, MANY = 20, 32  # operations of a pivot that Python takes longer for; pivots for which the compiled equations do

_CACHE: weakref.WeakKeyDictionary[Equations, dict[Any, Kernel]] = weakref.WeakKeyDictionary()


@dataclass(frozen=True)
class Kernel:
    """Compiled functions of one set of equations.

    Attributes:
        owner: what was compiled, held weakly: the equations hold their kernels, and both go together.
        library: the machine code.
        states: names of the states that are integrated, the work left out.
        parameters: names of the parameters in p, before the reciprocal pivots.
        pivots: graph nodes of the pivots whose decay is a loss of rank (empty where a pivoted solver reports it).
        charts: graph nodes whose zeros are places where the equations, not the motion, are singular.
        preamble: how many numbers behind these depend on parameters alone.
        shares: factors of pivots and charts in the rank margin, which is the least of them; empty where it is not.
        jacobian: address of the Jacobian (row-major, n x n), 0 if it is not compiled.
        width: states that are computed at a time.
    """

    owner: weakref.ref[Equations]
    library: Library
    states: tuple[str, ...]
    parameters: tuple[str, ...]
    pivots: tuple[Node, ...]
    charts: tuple[Node, ...]
    preamble: int
    shares: tuple[float, ...]
    jacobian: int
    width: int

    @classmethod
    def of(
        cls,
        equations: Equations,
        stabilisation: Stabilisation,
        beside: Beside | None = None,
        width: int = 1,
        lean: Lean | None = None,
    ) -> Kernel:
        """The kernel of the equations, compiled on first use, for `width` states at a time.

        `beside` writes further functions that are compiled together with it, as a step that calls it; `lean` is the
        form of the equations that is integrated, by default they are as written.
        """
        chart = None if lean is None else lean.chosen
        kernels, key = _CACHE.setdefault(equations, {}), (stabilisation, beside, width, chart)
        if key not in kernels:
            kernels[key] = _compile(equations, planned(equations, stabilisation, lean), beside, Real.lanes(width))
        return kernels[key]

    @property
    def equations(self) -> Equations:
        """The equations that were compiled."""
        equations = self.owner()
        if equations is None:
            raise ReferenceError("the equations of this kernel are gone")
        return equations

    @property
    def behind(self) -> int:
        """How many numbers stand in p behind the parameters."""
        return len(self.pivots) + len(self.charts) + self.preamble

    @property
    def rhs(self) -> int:
        """Address of dy/dt and the rank margin."""
        return self.library.address("rhs")

    @property
    def project(self) -> int:
        """Address of y moved back to the constraints; 0 where there is nothing to keep, or the policy is another."""
        return self.library.address("project") if "project" in self.library.addresses else 0

    @cached_property
    def derived(self) -> Library:
        """``energy``, and ``multipliers`` where few follow by elimination: for columns of a path."""
        equations = self.equations
        inputs = {name: ("y", i) for i, name in enumerate(equations.states)}
        inputs |= {TIME.name: ("t", 0)} | {name: ("p", j) for j, name in enumerate(self.parameters)}
        functions = {"energy": Function((equations.machine.energy,))}
        form = equations.machine.form
        few = len(form.W) + len(form.N) <= ELIMINATED
        if few and equations.definite and equations.direct is None and len(equations.kept) == len(form.N) > 0:
            functions["multipliers"] = Function(tuple(equations.solution.solve(form.f, form.g)[1]))
        return Library.seldom({name: function.text(name, inputs) for name, function in functions.items()})

    def vector(self, values: Mapping[str, float], start: Mapping[str, float]) -> np.ndarray:
        """p for parameter values and a start, of a kernel for one state at a time (ValueError)."""
        if self.width != 1:
            raise ValueError("a kernel of lanes computes the preambles of as many starts at once")
        first, count = len(self.parameters), len(self.pivots) + len(self.charts)
        known = [values[k] for k in self.parameters]
        p = self._prepared(np.array([*known, *[0.0] * (count + self.preamble)], float))
        p[first : first + count] = 1 / self._divisors(p, {**values, **start})
        return p

    def _divisors(self, p: np.ndarray, values: Mapping[str, float]) -> np.ndarray:
        """Pivots and charts at a start; p has parameters and preamble.

        Long formulas are not gone through in Python: where all reciprocals in p are 0 but one, which is 1 or -1, the
        margin of the compiled equations is  min(0, pivot)  or  min(0, -pivot).
        """
        count, first = len(self.pivots) + len(self.charts), len(self.parameters)
        if not (self._long and self.shares):
            return np.array(evaluate([*self.pivots, *self.charts], values), float)
        signs = np.concatenate([np.eye(count), -np.eye(count)])
        each = np.repeat(p[None], len(signs), axis=0)
        each[:, first : first + count] = signs
        y = np.array([*(values[name] for name in self.states), 0.0], float)
        margins = values_for(self.rhs, float(values[TIME.name]), y, each, len(y) + 1)[:, -1]
        below, above = margins.reshape(2, count)
        return np.where(below < 0, below, -above) / np.array(self.shares)

    @cached_property
    def _long(self) -> bool:
        """Would Python take longer for the pivots than to ask the compiled equations for each?"""
        nodes = [*self.pivots, *self.charts]
        return len(nodes) < MANY and sum(operations(nodes).values()) > LONG * len(nodes)

    def changed(self, p: np.ndarray, values: Mapping[str, float]) -> np.ndarray:
        """The parameters p of the code with other values of some; pivots count in the units that they had."""
        return self._prepared(np.r_[[values[k] for k in self.parameters], p[len(self.parameters) :]])

    def _prepared(self, p: np.ndarray) -> np.ndarray:
        if self.preamble:
            p[-self.preamble :] = value_at(self.library.address(PREAMBLE), 0.0, p, p, self.preamble)
        return p


_PIVOTING: weakref.WeakKeyDictionary[Equations, Equations] = weakref.WeakKeyDictionary()


def pivoting(equations: Equations) -> Equations:
    """The same equations through a solver that chooses its pivots; made once."""
    if equations not in _PIVOTING:
        _PIVOTING[equations] = replace(equations, definite=False, metric_definite=False)
    return _PIVOTING[equations]


def planned(equations: Equations, stabilisation: Stabilisation, lean: Lean | None = None) -> KernelPlan:
    """The functions of the equations on a graph of their own, as they are written or in the speeds of a lean form."""
    return tidied(equations, stabilisation) if lean is None else in_speeds(equations, lean)


def _compile(equations: Equations, plan: KernelPlan, beside: Beside | None, real: Real) -> Kernel:
    texts = plan.texts(real)
    if beside is not None:
        texts |= beside(plan, real)
    library = Library.compile(texts) if real.width > 1 else _of_one_run(texts)
    return Kernel(
        weakref.ref(equations),
        library,
        plan.states,
        plan.parameters,
        plan.pivots,
        plan.charts,
        plan.preamble,
        plan.shares,
        library.address("jacobian") if "jacobian" in texts else 0,
        real.width,
    )


def _of_one_run(texts: Mapping[str, str]) -> Library:
    """Machine code that a run waits for; what it does not call at every stage is apart where it is long."""
    apart = {name: text for name, text in texts.items() if name in BETWEEN and text.count("\n") > SELDOM}
    others = {name: text for name, text in texts.items() if name not in apart}
    library = Library.compile(others, waited_for(list(others.values())))
    return library.beside(Library.seldom(apart)) if apart else library


# --- equal values once, and what is still, once a run -----------------------------------------------------------------


def tidied(equations: Equations, stabilisation: Stabilisation) -> KernelPlan:
    """The plan of the equations as written, of the same values with fewer operations; with a ``preamble`` if it helps.

    Unit lengths are used as such where steps are brought back to them. Nothing is multiplied out: a stiff force c phi
    that is rounded once would be rounded in each term.
    """
    plan = KernelPlan.of(equations.apart(), stabilisation)
    rhs = plan.functions["rhs"]
    moving = [name for name, (place, _) in plan.inputs.items() if place != "p" and name != WORK]
    moving = [*dict.fromkeys([*moving, TIME.name]), *_references(plan), *(f"x:{i}" for i in range(rhs.size + 1))]
    nodes = [*rhs.outputs, *rhs.system]
    unit = equations.space.unit_vectors if isinstance(stabilisation, Projection) else ()
    positions = [q.name for q in equations.space.coordinates]
    tidy = Tidy(rhs.graph, moving, positions, unit, polynomials=False)
    return _with_preamble(plan, rhs, tidy(nodes), moving)


def _references(plan: KernelPlan) -> list[str]:
    """Names of the reciprocals that stand behind the parameters: they change with the start."""
    return [name for name, (place, i) in plan.inputs.items() if place == "p" and i >= len(plan.parameters)]


def _with_preamble(plan: KernelPlan, rhs: Function, nodes: Sequence[Node], moving: Sequence[str]) -> KernelPlan:
    found, still = split_constant_parts(nodes, moving, PREAMBLE)
    outputs, system = found[: len(rhs.outputs)], found[len(rhs.outputs) :]
    functions = {**plan.functions, "rhs": replace(rhs, outputs=tuple(outputs), system=tuple(system))}
    if still:
        functions[PREAMBLE] = Function(tuple(still))
    behind = len(plan.parameters) + len(plan.pivots) + len(plan.charts)
    inputs = {**plan.inputs, **{f"{PREAMBLE}:{k}": ("p", behind + k) for k in range(len(still))}}
    return replace(plan, functions=functions, inputs=inputs, preamble=len(still))
