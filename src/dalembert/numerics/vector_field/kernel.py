"""Equations as machine code: right-hand side, projection and Jacobian of one set of equations.

State vector of a run:  y = (q, u, lam where these are states, work), work being the energy supplied since the start.
Parameter vector:       p = (parameters, reciprocals of the pivots at the start), the latter for the rank margin.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, reduce
from typing import Any

import numpy as np

from ...calculus.frame import TIME
from ...calculus.graph import Node, evaluate, substitute
from ...calculus.linear import Factored, Saddle, dot
from ...equations import Equations, Form
from ..machine.function import Function
from ..machine.library import Library
from ..machine.llvm import Inputs
from ..machine.real import Real
from .projection import WORK, bordered, projection
from .stabilisation import Baumgarte, Projection, Stabilisation

_CACHE: weakref.WeakKeyDictionary[Equations, dict[Any, Kernel]] = weakref.WeakKeyDictionary()


@dataclass(frozen=True)
class Kernel:
    """Compiled functions of one set of equations.

    Attributes:
        owner: what was compiled, held weakly: the equations hold their kernels, and both go together.
        library: the machine code.
        parameters: names of the parameters in p, before the reciprocal pivots.
        pivots: graph nodes of the pivots whose decay is a loss of rank (empty where a pivoted solver reports it).
        diagonal: graph nodes of the entries that the pivots are left over from.
        charts: graph nodes whose zeros are places where the equations, not the motion, are singular.
        jacobian: address of the Jacobian (row-major, n x n), 0 if it is not compiled.
    """

    owner: weakref.ref[Equations]
    library: Library
    parameters: tuple[str, ...]
    pivots: tuple[Node, ...]
    diagonal: tuple[Node, ...]
    charts: tuple[Node, ...]
    jacobian: int

    @classmethod
    def of(
        cls, equations: Equations, stabilisation: Stabilisation, beside: Beside | None = None, width: int = 1
    ) -> Kernel:
        """The kernel of the equations, compiled on first use, for `width` states at a time.

        `beside` writes further functions that are compiled together with it, as a step that calls it.
        """
        kernels, key = _CACHE.setdefault(equations, {}), (stabilisation, beside, width)
        if key not in kernels:
            kernels[key] = _compile(equations, stabilisation, beside, Real.lanes(width))
        return kernels[key]

    @property
    def equations(self) -> Equations:
        """What was compiled."""
        equations = self.owner()
        if equations is None:
            raise ReferenceError("the equations of this kernel are gone")
        return equations

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
        """``energy``, and ``multipliers`` where they follow by elimination: for columns of a path."""
        equations = self.equations
        inputs = {name: ("y", i) for i, name in enumerate(equations.states)}
        inputs |= {TIME.name: ("t", 0)} | {name: ("p", j) for j, name in enumerate(self.parameters)}
        functions = {"energy": Function((equations.machine.energy,))}
        if equations.definite and equations.direct is None and len(equations.kept) == len(equations.constraints) > 0:
            form = equations.machine.form
            functions["multipliers"] = Function(tuple(equations.solution.solve(form.f, form.g)[1]))
        return Library.compile({name: function.text(name, inputs) for name, function in functions.items()})

    def vector(self, values: Mapping[str, float], start: Mapping[str, float]) -> np.ndarray:
        """p for parameter values and a start."""
        pivots = np.array(evaluate([*self.pivots, *self.charts], {**values, **start}), float)
        return np.array([*(values[k] for k in self.parameters), *(1 / pivots)], float)


_PIVOTING: weakref.WeakKeyDictionary[Equations, Equations] = weakref.WeakKeyDictionary()


def pivoting(equations: Equations) -> Equations:
    """The same equations through a solver that chooses its pivots; made once."""
    if equations not in _PIVOTING:
        _PIVOTING[equations] = replace(equations, definite=False, metric_definite=False)
    return _PIVOTING[equations]


def _compile(equations: Equations, stabilisation: Stabilisation, beside: Beside | None, real: Real) -> Kernel:
    apart = equations.apart()
    plan = Plan.of(apart, stabilisation)
    texts = {name: function.text(name, plan.inputs, real) for name, function in plan.functions.items()}
    if beside is not None:
        texts |= beside(plan, apart, real)
    library = Library.compile(texts)
    address = library.address("jacobian") if "jacobian" in texts else 0
    return Kernel(weakref.ref(equations), library, plan.parameters, plan.pivots, plan.diagonal, plan.charts, address)


@dataclass(frozen=True)
class Plan:
    """What a kernel consists of, still on the graph.

    Attributes:
        functions: ``rhs``, which writes dy/dt and the rank margin, and ``project`` where there is something to keep.
        inputs: for every symbol, the argument that holds it and its index there.
        parameters, pivots, diagonal, charts: as of `Kernel`.
    """

    functions: Mapping[str, Function]
    inputs: Inputs
    parameters: tuple[str, ...]
    pivots: tuple[Node, ...]
    diagonal: tuple[Node, ...]
    charts: tuple[Node, ...]

    @classmethod
    def of(cls, equations: Equations, stabilisation: Stabilisation) -> Plan:
        """The functions of one set of equations."""
        machine = equations.machine
        rate = stabilisation.rate if isinstance(stabilisation, Baumgarte) else 0.0
        names = tuple(sorted(equations.system.symbols))
        inputs = {name: ("y", i) for i, name in enumerate(equations.states)}
        inputs |= {TIME.name: ("t", 0)} | {name: ("p", j) for j, name in enumerate(names)}
        form = _damped(equations, machine.form.rows(equations.kept), rate)
        pivots: tuple[Node, ...] = ()
        diagonal: tuple[Node, ...] = ()
        derivative: list[Node] = []
        charts = () if equations.direct is None else tuple(equations.direct.charts)
        if equations.definite:
            derivative, factors = _plain(equations, form)
            pivots = tuple(pivot for S in factors for pivot in S.pivots)
            diagonal = tuple(entry for S in factors for entry in S.diagonal)
        references = [f"pivot:{i}" for i in range(len(pivots) + len(charts))]
        inputs |= {name: ("p", len(names) + i) for i, name in enumerate(references)}
        margin = _margin([*pivots, *charts], references)
        if equations.definite:
            functions = {"rhs": Function((*derivative, *margin))}
        elif equations.direct is None:
            functions = {"rhs": _pivoted(equations, form)}
        else:
            functions = {"rhs": _pivoted_directly(equations, form, margin)}
        if isinstance(stabilisation, Projection):
            functions |= projection(equations)
            inputs |= {WORK: ("y", len(equations.states))}
        return cls(functions, inputs, names, pivots, diagonal, charts)


Beside = Callable[[Plan, Equations, Real], dict[str, str]]  # of a plan, its equations and lanes: IR by name


def _plain(equations: Equations, form: Form) -> tuple[list[Node], tuple[Factored, ...]]:
    """dy/dt by elimination without choice of pivots, and the matrices factored."""
    if equations.direct is not None:
        udot, factored = equations.solved
        return _without_multipliers(equations, form, udot), (factored,)
    saddle = Saddle.of(form.W, form.N)
    derivative = _derivatives(equations, *saddle.solve(form.f, form.g))
    return derivative, (saddle.factored, saddle.schur_factored)


def _damped(equations: Equations, form: Form, rate: float) -> Form:
    """g - rate phi for each row; for holonomic ones d^2f/dt^2 = -2 rate df/dt - rate^2 f."""
    if not rate:
        return form
    machine = equations.machine
    g = []
    for row, gi in zip(equations.kept, form.g, strict=True):
        f = machine.position.get(row)
        g.append(gi - rate * machine.phi[row] if f is None else gi - 2 * rate * machine.phi[row] - rate**2 * f)
    return form._replace(g=g)


def _derivatives(equations: Equations, udot: Sequence[Node], mu: Sequence[Node]) -> list[Node]:
    """dy/dt: rates of coordinates, velocities, multipliers that are states, and the power supplied."""
    machine = equations.machine
    zero = machine.graph.constant(0)
    every = [zero] * len(machine.mu)
    for row, value in zip(equations.kept, mu, strict=True):
        every[row] = value
    power = substitute([machine.power], {s.key[1]: v for s, v in zip(machine.mu, every, strict=True)})[0]
    states = every if equations.states_of_multipliers else []
    return [*machine.qdot, *udot, *states, power]


def _without_multipliers(equations: Equations, form: Form, udot: Sequence[Node]) -> list[Node]:
    """dy/dt for accelerations from a form without multipliers; `form` holds the stabilised rows."""
    machine = equations.machine
    plain = machine.form.rows(equations.kept)
    zero, one = machine.graph.constant(0), machine.graph.constant(1)
    if plain.g != form.g:
        k = len(form.W)
        unit = [[one if a == b else zero for b in range(k)] for a in range(k)]
        W = machine.metric if equations.metric_definite else unit
        lack = [d - g for d, g in zip(form.g, plain.g, strict=True)]
        # udot + W^-1 N^T (N W^-1 N^T)^-1 (g_damped - g)
        more = Saddle.of(W, form.N).solve([zero] * k, lack)[0]
        udot = [a + d for a, d in zip(udot, more, strict=True)]
    # u (W udot - f): the work of the reaction
    reaction = [dot(row, udot) - f for row, f in zip(form.W, form.f, strict=True)]
    velocities = [machine.graph.symbol(u.name) for u in equations.space.velocities]
    free = substitute([machine.power], {s.key[1]: zero for s in machine.mu})[0]
    return [*machine.qdot, *udot, free + dot(velocities, reaction)]


def _margin(pivots: Sequence[Node], references: Sequence[str]) -> list[Node]:
    """The least pivot in units of its value at the start; `references` are the names of those units' reciprocals."""
    if not pivots:
        return []
    graph = pivots[0].graph
    margin = pivots[0] * graph.symbol(references[0])
    for pivot, name in zip(pivots[1:], references[1:], strict=True):
        margin = graph.apply("min", margin, pivot * graph.symbol(name))
    return [margin]


def _pivoted(equations: Equations, form: Form) -> Function:
    """The right-hand side through a pivoted solver, for W that is not definite."""
    graph = equations.machine.graph
    k, m = len(form.W), len(form.N)
    x = Function.unknowns(graph, k + m)
    system = [*bordered(form.W, form.N, graph.constant(0)), *form.f, *form.g]
    return Function.solving([*_derivatives(equations, x[:k], x[k : k + m]), x[k + m]], system, k + m)


def _pivoted_directly(equations: Equations, form: Form, margin: Sequence[Node]) -> Function:
    """The right-hand side of a form without multipliers through a pivoted solver:  A s = b,  udot = Z s + z."""
    graph, direct = equations.machine.graph, equations.direct
    assert direct is not None
    r = len(direct.b)
    x = Function.unknowns(graph, r)
    udot = [dot(row, x[:r]) + z for row, z in zip(direct.Z, direct.z, strict=True)]
    least = reduce(lambda a, b: graph.apply("min", a, b), margin, x[r])
    system = [*(e for row in direct.A for e in row), *direct.b]
    return Function.solving([*_without_multipliers(equations, form, udot), least], system, r)
