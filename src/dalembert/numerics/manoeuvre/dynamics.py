"""The motion in the states that a manoeuvre is sought in: rates, velocities and what stays 0, on one graph."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import sympy as sp

from ...calculus.graph import Graph, Node
from ...calculus.read import read
from ...calculus.substitution import carried
from ...equations import Equations, Lean
from ...equations.code.listing import solved


@dataclass(frozen=True, eq=False)
class Dynamics:
    """A motion.

    Attributes:
        equations: of which it is.
        lean: its lean form; None where it goes in coordinates and velocities.
        graph: that holds it.
        states: names, coordinates first.
        rates: d/dt of the states.
        velocities: by name, as functions of the states.
        invariants: what is 0 along the motion once it is 0 at its start, and depends on the states.
        staying: what keeps the value that it has at the start.
    """

    equations: Equations
    lean: Lean | None
    graph: Graph
    states: tuple[str, ...]
    rates: tuple[Node, ...]
    velocities: Mapping[str, Node]
    invariants: tuple[Node, ...]
    staying: tuple[Node, ...]

    @classmethod
    def of(cls, equations: Equations, lean: Lean | None, staying: Sequence[sp.Expr] = ()) -> Dynamics:
        """In the speeds of a lean form, or in coordinates and velocities."""
        graph, machine = Graph(), equations.machine
        u = [u.name for u in equations.space.velocities]
        if lean is None:
            states: tuple[str, ...] = equations.states
            rates = carried(solved(equations)[0].outputs, graph)
            velocities = {name: graph.symbol(name) for name in u}
        else:
            states, rates = lean.states, carried(lean.rates, graph)
            velocities = dict(zip(u, carried(lean.velocities, graph), strict=True))
        relations = [*machine.position.values(), *(read(e, machine.graph) for e in equations.space.embedding)]
        rows = [] if lean is not None else [machine.phi[s] for s in equations.kept]
        invariants = tuple(carried([*relations, *rows], graph, velocities))
        kept = carried([read(e, machine.graph) for e in staying], graph)
        return cls(equations, lean, graph, states, tuple(rates), velocities, invariants, tuple(kept))

    def node(self, expression: sp.Expr) -> Node:
        """An expression in t, coordinates, velocities, inputs and parameters as a function of the states."""
        return self.lowered([self.equations.system.algebra.read(expression)])[0]

    def lowered(self, outputs: Sequence[Node]) -> list[Node]:
        """Functions of t, q, u as functions of t and the states."""
        return carried(outputs, self.graph, self.velocities)
