"""Back to the constraints along the kinetic metric W: one Newton step, compiled.

    q <- q - E W^-1 N_h^T (N_h W^-1 N_h^T)^-1 f        holonomic constraints f(t, q) = 0; then unit quaternions etc.
    u <- u - W^-1 N^T (N W^-1 N^T)^-1 phi              all constraints, at the new q

After a step of the integrator the residual is of the size of the tolerance; one Newton step squares it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ...argument_checks import noun
from ...calculus.from_sympy import read
from ...calculus.graph import Graph, Node, substitute
from ...calculus.linear_systems import Saddle
from ...calculus.quantity import is_finite
from ...equations import Equations
from ...errors import InvalidValue, as_given
from ..machine.function_source import Function

# --- What keeps a motion on its constraints: projection after every step, damping of the residual, or nothing --------


@noun
@dataclass(frozen=True)
class Projection:
    """After every step, back to the constraints along the kinetic metric: the residual stays at rounding."""


@noun
@dataclass(frozen=True)
class Baumgarte:
    """d/dt phi = -rate phi instead of 0: a residual decays, the equations are changed by it.

    Attributes:
        rate: in 1/time, > 0; positions of holonomic constraints decay critically damped with the same rate.
    """

    rate: float = 1.0

    def __post_init__(self) -> None:
        if not (is_finite(self.rate) and self.rate > 0):
            raise InvalidValue(
                "E305",
                f"Baumgarte rate = {as_given(self.rate)} must be positive and finite",
                "da.methods.Baumgarte(1.0)",
            )


@noun
@dataclass(frozen=True)
class Drift:
    """No stabilisation: the residual shows the integration's own error."""


Stabilisation = Projection | Baumgarte | Drift
USUAL: Stabilisation = Projection()


WORK = "work:"
Matrix = Sequence[Sequence[Node]]


@dataclass(frozen=True)
class ProjectionNodes:
    """The way back, on the graph.

    Attributes:
        q: coordinates afterwards.
        shift: what is added to coordinates by name, before some are brought to unit length.
        du: what is added to the velocities; empty where these are left as they are.
        assemble: linear equations by rows, and right-hand side, of which `du` are the first unknowns ``x:i``; or empty.
    """

    q: Sequence[Node]
    shift: Mapping[str, Node]
    du: Sequence[Node]
    assemble: Sequence[Node]


def positions_back(equations: Equations) -> ProjectionNodes | None:
    """The step of the coordinates alone; None where they are free."""
    if not equations.space.retraction and not any(equations.constraints[r].holonomic for r in equations.kept):
        return None
    equations = equations.apart()
    shift, places = _places(equations)
    graph = equations.machine.graph
    return ProjectionNodes(
        [places.get(s.name, graph.symbol(s.name)) for s in equations.space.coordinates], shift, (), ()
    )


def way_back(equations: Equations) -> ProjectionNodes | None:
    """The Newton step; None where there is nothing to keep."""
    machine, space = equations.machine, equations.space
    if not equations.kept and not space.retraction:
        return None
    graph, k, m = machine.graph, len(space.velocities), len(equations.kept)
    shift, places = _places(equations)
    entries = [
        *_flat(machine.metric),
        *_flat([machine.form.N[r] for r in equations.kept]),
        *(machine.phi[r] for r in equations.kept),
    ]
    there = substitute(entries, places)
    W, N, phi = _cut(there, k, k), _cut(there[k * k :], m, k), there[k * k + m * k :]
    q = [places.get(s.name, graph.symbol(s.name)) for s in space.coordinates]
    if equations.metric_definite:
        return ProjectionNodes(q, shift, _shift(graph, W, N, phi), ())
    x = Function.unknowns(graph, k + m)[:k]
    assemble = [*bordered(W, N, graph.constant(0)), *([graph.constant(0)] * k), *(-e for e in phi)]
    return ProjectionNodes(q, shift, x, assemble)


def projection(back: ProjectionNodes, states: Sequence[str]) -> Function:
    """The function ``project``, which writes the projected state."""
    graph = back.q[0].graph
    others = [graph.symbol(name) for name in states[len(back.q) :]]
    rest = [graph.constant(0)] * (len(others) - len(back.du))
    outputs = [*back.q, *(a + b for a, b in zip(others, [*back.du, *rest], strict=True)), graph.symbol(WORK)]
    if not back.assemble:
        return Function(tuple(outputs))
    return Function.solving(outputs, back.assemble, math.isqrt(len(back.assemble)))


def bordered(W: Matrix, N: Matrix, zero: Node) -> list[Node]:
    """The matrix [[W, -N^T], [N, 0]], row by row."""
    top = [[*row, *(-normal[a] for normal in N)] for a, row in enumerate(W)]
    return _flat([*top, *([*row, *[zero] * len(N)] for row in N)])


def _places(equations: Equations) -> tuple[dict[str, Node], dict[str, Node]]:
    """What is added to coordinates by name, and the new coordinates that differ from the old."""
    machine, space = equations.machine, equations.space
    graph = machine.graph
    held = [r for r in equations.kept if r in machine.position]
    added: dict[str, Node] = {}
    if held:
        one, zero = graph.constant(1), graph.constant(0)
        k = len(space.velocities)
        W = (
            machine.metric
            if equations.metric_definite
            else [[one if a == b else zero for b in range(k)] for a in range(k)]
        )
        shift = _shift(graph, W, [machine.form.N[r] for r in held], [machine.position[r] for r in held])
        rates = substitute(machine.qdot, {u.name: s for u, s in zip(space.velocities, shift, strict=True)})
        added = {q.name: d for q, d in zip(space.coordinates, rates, strict=True)}
    moved = {name: graph.symbol(name) + d for name, d in added.items()}
    surface = [read(e, graph) for e in space.retraction.values()]
    return added, {**moved, **{s.name: e for s, e in zip(space.retraction, substitute(surface, moved), strict=True)}}


def _shift(graph: Graph, W: Matrix, N: Matrix, residual: Sequence[Node]) -> list[Node]:
    """-W^-1 N^T (N W^-1 N^T)^-1 residual."""
    zero = graph.constant(0)
    return Saddle.of(W, N).solve([zero] * len(W), [-r for r in residual])[0] if N else [zero] * len(W)


def _flat(rows: Matrix) -> list[Node]:
    return [e for row in rows for e in row]


def _cut(entries: Sequence[Node], rows: int, columns: int) -> list[list[Node]]:
    return [list(entries[i * columns : (i + 1) * columns]) for i in range(rows)]
