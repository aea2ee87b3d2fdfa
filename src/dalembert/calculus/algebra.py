"""Two readings of the same formula: SymPy expressions for the eye, graph nodes for the machine.

A formula written over an `Algebra` uses ``+ - *`` and the three methods below, and so serves both. Derivatives are
SymPy's own on one side and the graph's sweeps on the other: two independent routes that tests hold together.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

import sympy as sp

from .graph import Graph, gradient, substitute, tangent
from .read import read


class Algebra(Protocol):
    """What a formula may ask for.

    Attributes:
        memory: what was derived before, by what it was derived from.
    """

    memory: dict[Any, Any]

    def read(self, expression: sp.Expr | int) -> Any:
        """A SymPy expression or an integer in this algebra."""

    def gradient(self, y: Any, xs: Sequence[Any]) -> list[Any]:
        """dy/dx for each symbol x."""

    def along(self, ys: Sequence[Any], xs: Sequence[Any], dxs: Sequence[Any]) -> list[Any]:
        """Each y's derivative in the direction dx."""

    def substitute(self, ys: Sequence[Any], xs: Sequence[Any], values: Sequence[Any]) -> list[Any]:
        """Each y with every symbol x replaced by its value, all at once."""


class Symbolic:
    """Expressions are SymPy's."""

    def __init__(self) -> None:
        self.memory: dict[Any, Any] = {}

    def read(self, expression: sp.Expr | int) -> sp.Expr:
        """The expression itself."""
        return expression if isinstance(expression, sp.Basic) else sp.Integer(expression)

    def gradient(self, y: sp.Expr, xs: Sequence[sp.Symbol]) -> list[sp.Expr]:
        """dy/dx for each symbol x."""
        return [y.diff(x) for x in xs]

    def along(self, ys: Sequence[sp.Expr], xs: Sequence[sp.Symbol], dxs: Sequence[sp.Expr]) -> list[sp.Expr]:
        """Each y's derivative in the direction dx."""
        return [sum((y.diff(x) * dx for x, dx in zip(xs, dxs, strict=True)), sp.S.Zero) for y in ys]

    def substitute(self, ys: Sequence[sp.Expr], xs: Sequence[sp.Symbol], values: Sequence[sp.Expr]) -> list[sp.Expr]:
        """Each y with every symbol x replaced by its value, all at once."""
        replacement = dict(zip(xs, values, strict=True))
        return [y.xreplace(replacement) for y in ys]


class Machine:
    """Expressions are nodes of one graph."""

    def __init__(self, graph: Graph) -> None:
        self.graph, self.memory = graph, graph.memory

    def read(self, expression: sp.Expr | int) -> Any:
        """The expression as a node."""
        return read(expression, self.graph) if isinstance(expression, sp.Basic) else self.graph.constant(expression)

    def gradient(self, y: Any, xs: Sequence[Any]) -> list[Any]:
        """dy/dx for each symbol x, by a reverse sweep."""
        return gradient(y, xs)

    def along(self, ys: Sequence[Any], xs: Sequence[Any], dxs: Sequence[Any]) -> list[Any]:
        """Each y's derivative in the direction dx, by a forward sweep."""
        return tangent(ys, xs, dxs)

    def substitute(self, ys: Sequence[Any], xs: Sequence[Any], values: Sequence[Any]) -> list[Any]:
        """Each y with every symbol x replaced by its value, all at once."""
        return substitute(ys, {x.key[1]: value for x, value in zip(xs, values, strict=True)})
