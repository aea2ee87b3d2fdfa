"""Equations as machine code: right-hand side, projection and Jacobian of one set of equations.

State vector of a run:  y = (q, u, lam where these are states, work), work being the energy supplied since the start.
Parameter vector:       p = (parameters, reciprocals of the pivots at the start), the latter for the rank margin.
"""

from __future__ import annotations

import weakref
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..calculus.frame import TIME
from ..calculus.graph import Node, evaluate, operations, substitute, tangent
from ..calculus.linear import Saddle
from ..equations import Equations, Form
from .llvm import Library, emit, emit_saddle
from .policy import Baumgarte, Stabilisation
from .projection import bordered, projection

LARGEST_JACOBIAN = 200_000  # operations; above it differences are cheaper to compile

_CACHE: weakref.WeakKeyDictionary[Equations, dict[Any, Kernel]] = weakref.WeakKeyDictionary()


@dataclass(frozen=True)
class Kernel:
    """Compiled functions of one set of equations.

    Attributes:
        equations: what was compiled.
        library: the machine code.
        parameters: names of the parameters in p, before the reciprocal pivots.
        pivots: graph nodes of the pivots whose decay is a loss of rank (empty where a pivoted solver reports it).
        jacobian: address of the Jacobian (row-major, n x n), 0 if it is not compiled.
    """

    equations: Equations
    library: Library
    parameters: tuple[str, ...]
    pivots: tuple[Node, ...]
    jacobian: int

    @classmethod
    def of(cls, equations: Equations, stabilisation: Stabilisation, jacobian: bool = False) -> Kernel:
        """The kernel of the equations, compiled on first use."""
        rate = stabilisation.rate if isinstance(stabilisation, Baumgarte) else 0.0
        kernels = _CACHE.setdefault(equations, {})
        if (rate, jacobian) not in kernels:
            kernels[rate, jacobian] = _compile(equations, rate, jacobian)
        return kernels[rate, jacobian]

    @property
    def rhs(self) -> int:
        """Address of dy/dt and the rank margin."""
        return self.library.address("rhs")

    @property
    def project(self) -> int:
        """Address of y moved back to the constraints; 0 where there is nothing to keep."""
        return self.library.address("project") if "project" in self.library.addresses else 0

    def vector(self, values: Mapping[str, float], start: Mapping[str, float]) -> np.ndarray:
        """p for parameter values and a start."""
        pivots = np.array(evaluate(list(self.pivots), {**values, **start}), float)
        return np.array([*(values[k] for k in self.parameters), *(1 / pivots)], float)


def _compile(equations: Equations, rate: float, jacobian: bool) -> Kernel:
    machine = equations.machine
    names = tuple(sorted(equations.system.symbols))
    inputs = {name: ("y", i) for i, name in enumerate(equations.states)}
    inputs |= {TIME.name: ("t", 0)} | {name: ("p", j) for j, name in enumerate(names)}
    form = _damped(equations, machine.form.rows(equations.kept), rate)
    texts: dict[str, str] = {}
    pivots: tuple[Node, ...] = ()
    derivative: list[Node] = []
    if equations.definite:
        saddle = Saddle.of(form.W, form.N)
        derivative = _derivatives(equations, *saddle.solve(form.f, form.g))
        pivots = (*saddle.factored.pivots, *saddle.schur_factored.pivots)
        margin, references = _margin(pivots)
        inputs |= {name: ("p", len(names) + i) for i, name in enumerate(references)}
        texts["rhs"] = emit("rhs", [*derivative, margin], inputs)
    else:
        texts["rhs"] = _pivoted(equations, form, inputs)
    texts |= projection(equations, inputs)
    if jacobian and derivative and operations(derivative).get("*", 0) * len(derivative) < LARGEST_JACOBIAN:
        texts["jacobian"] = emit("jacobian", _jacobian(equations, derivative), inputs)
    library = Library.compile(texts)
    address = library.address("jacobian") if "jacobian" in texts else 0
    return Kernel(equations, library, names, pivots, address)


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


def _margin(pivots: Sequence[Node]) -> tuple[Node, list[str]]:
    """The least pivot in units of its value at the start, and the names of those units' reciprocals."""
    graph = pivots[0].graph
    names = [f"pivot:{i}" for i in range(len(pivots))]
    margin = pivots[0] * graph.symbol(names[0])
    for pivot, name in zip(pivots[1:], names[1:], strict=True):
        margin = graph.apply("min", margin, pivot * graph.symbol(name))
    return margin, names


def _pivoted(equations: Equations, form: Form, inputs: Mapping[str, tuple[str, int]]) -> str:
    """The right-hand side through a pivoted solver, for W that is not definite."""
    graph = equations.machine.graph
    k, m = len(form.W), len(form.N)
    x = [graph.symbol(f"x:{i}") for i in range(k + m + 1)]
    known = {**inputs, **{f"x:{i}": ("x", i) for i in range(k + m + 1)}}
    assemble = [*bordered(form.W, form.N, graph.constant(0)), *form.f, *form.g]
    finish = [*_derivatives(equations, x[:k], x[k : k + m]), x[k + m]]
    return emit_saddle("rhs", k + m, assemble, finish, known)


def _jacobian(equations: Equations, derivative: Sequence[Node]) -> list[Node]:
    """d(dy/dt)/dy, row-major, the work's column being 0."""
    graph = equations.machine.graph
    columns = []
    for name in equations.states:
        columns.append(tangent(list(derivative), [graph.symbol(name)], [1]))
    columns.append([graph.constant(0)] * len(derivative))
    return [column[i] for i in range(len(derivative)) for column in columns]
