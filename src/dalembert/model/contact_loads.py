"""Forces that hold what only the expression graph says: a load, as the normal force of a contact, is solved for there.

In the system's forces a load stands as a symbol. Where they are read on a graph its node takes its place, so that
nothing is ever written out: neither the load nor what it acts on.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import sympy as sp

from ..calculus.algebra import GraphAlgebra
from ..calculus.frame import TIME
from ..calculus.graph import Graph, Node, symbols
from ..errors import InvalidValue
from ..errors.remedies import Principle
from .inputs import Steered

if TYPE_CHECKING:
    from .system import System


class Loads(NamedTuple):
    """Names of symbols, and what they stand for on the graph of an algebra that reads all else.

    `margins` are functions of the state that are positive where the loads exist and are unique.
    """

    names: tuple[str, ...]
    solve: Callable[[GraphAlgebra], Sequence[Node]]
    margins: Callable[[GraphAlgebra], Sequence[Node]] = lambda _: ()


def refuse_reactions(system: System) -> None:
    """E127: forces hold multipliers, and nobody has solved for them."""
    if system.reactions and system.loads is None:
        fact = f"forces hold {', '.join(system.reactions)}, which nonholonomic equations determine, and nothing else"
        raise InvalidValue("E127", fact, Principle("nonholonomic"), subject=("forces",))


class Loaded(Steered):
    """An algebra that reads loads as what they stand for, and inputs as well."""

    def __init__(self, graph: Graph, by: Mapping[str, sp.Expr], loads: Loads) -> None:
        super().__init__(graph, by)
        self.loads = loads

    def read(self, expression: sp.Expr | int) -> Node:
        """The expression as a node, each load replaced."""
        node = super().read(expression)
        if not self.loads.names or symbols([node]).isdisjoint(self.loads.names):
            return node
        found: Node = self.substitute([node], [self.graph.symbol(name) for name in self.loads.names], self._found)[0]
        return found

    @cached_property
    def _found(self) -> Sequence[Node]:
        return self.loads.solve(Steered(self.graph, self.by))


def loaded(system: System, forces: Mapping[sp.Symbol, sp.Expr], loads: Loads) -> System:
    """The system with further forces by velocity, which hold loads."""
    twin = object.__new__(type(system))
    for part in fields(system):
        object.__setattr__(twin, part.name, getattr(system, part.name))
    rest = {s.name: s for Q in forces.values() for s in sorted(Q.free_symbols, key=str)}
    known = {*system.space.by_name, TIME.name, *loads.names}
    every = zip(system.space.velocities, system.forces, strict=True)
    object.__setattr__(twin, "forces", tuple(Q + forces.get(u, sp.S.Zero) for u, Q in every))
    object.__setattr__(twin, "symbols", {**{n: s for n, s in rest.items() if n not in known}, **system.symbols})
    object.__setattr__(twin, "loads", loads)
    return twin
