"""Two readings of the same formula: SymPy expressions for the eye, graph nodes for the machine.

A formula written over an `Algebra` uses ``+ - *`` and the three methods below, and so serves both. Derivatives are
SymPy's own on one side and the graph's sweeps on the other: two independent routes that tests hold together.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any, Protocol

import sympy as sp

from .exact.finite_field import Residues
from .from_sympy import read
from .graph import Graph, Node, gradient, substitute, tangent
from .jacobians import mirrored, slopes_of
from .linear_systems import dot, householder
from .simplification import inverse


class Algebra(Protocol):
    """What a formula may ask for.

    Attributes:
        memory: what was derived before, by what it was derived from.
        holds: is what is inverted at a state held fixed in derivatives, and made right to first order?
    """

    memory: dict[Any, Any]
    holds: bool

    def read(self, expression: sp.Expr | int) -> Any:
        """A SymPy expression or an integer in this algebra."""

    def zero(self, y: Any) -> bool:
        """Is y known to be 0 identically?"""

    def gradient(self, y: Any, xs: Sequence[Any]) -> list[Any]:
        """dy/dx for each symbol x."""

    def slopes(self, ys: Sequence[Any], xs: Sequence[Any], symmetric: bool = False) -> Sequence[list[Any]]:
        """dy/dx, row by row; `symmetric` where dy_a/dx_b = dy_b/dx_a is known."""

    def along(self, ys: Sequence[Any], xs: Sequence[Any], dxs: Sequence[Any]) -> list[Any]:
        """Each y's derivative in the direction dx."""

    def substitute(self, ys: Sequence[Any], xs: Sequence[Any], values: Sequence[Any]) -> list[Any]:
        """Each y with every symbol x replaced by its value, all at once."""

    def inverse(self, M: Sequence[Sequence[Any]]) -> tuple[list[list[Any]], Any]:
        """M^-1 and det M of a matrix that is not empty."""


class Symbolic:
    """Expressions are SymPy's."""

    holds = False

    def __init__(self) -> None:
        self.memory: dict[Any, Any] = {}

    def read(self, expression: sp.Expr | int) -> sp.Expr:
        """The expression itself."""
        return expression if isinstance(expression, sp.Basic) else sp.Integer(expression)

    def zero(self, y: sp.Expr) -> bool:
        """Is y known to be 0 identically? By expansion."""
        return bool(sp.expand(y) == 0)

    def gradient(self, y: sp.Expr, xs: Sequence[sp.Symbol]) -> list[sp.Expr]:
        """dy/dx for each symbol x."""
        return [y.diff(x) for x in xs]

    def slopes(
        self, ys: Sequence[sp.Expr], xs: Sequence[sp.Symbol], symmetric: bool = False
    ) -> Sequence[list[sp.Expr]]:
        """dy/dx, row by row."""
        if not symmetric:
            return [self.gradient(y, xs) for y in ys]
        lower = [self.gradient(y, xs[: a + 1]) for a, y in enumerate(ys)]
        return mirrored(lower)

    def along(self, ys: Sequence[sp.Expr], xs: Sequence[sp.Symbol], dxs: Sequence[sp.Expr]) -> list[sp.Expr]:
        """Each y's derivative in the direction dx."""
        return [sum((y.diff(x) * dx for x, dx in zip(xs, dxs, strict=True)), sp.S.Zero) for y in ys]

    def substitute(self, ys: Sequence[sp.Expr], xs: Sequence[sp.Symbol], values: Sequence[sp.Expr]) -> list[sp.Expr]:
        """Each y with every symbol x replaced by its value, all at once."""
        replacement = dict(zip(xs, values, strict=True))
        return [y.xreplace(replacement) for y in ys]

    def inverse(self, M: Sequence[Sequence[sp.Expr]]) -> tuple[list[list[sp.Expr]], sp.Expr]:
        """M^-1 and det M, by minors."""
        found, det = inverse(sp.Matrix(M))
        return found.tolist(), det


class GraphAlgebra:
    """Expressions are nodes of one graph."""

    holds = True

    def __init__(self, graph: Graph) -> None:
        self.graph, self.memory = graph, graph.memory

    @cached_property
    def _here(self) -> Residues:
        return Residues(self.graph)

    def read(self, expression: sp.Expr | int) -> Node:
        """The expression as a node."""
        return read(expression, self.graph) if isinstance(expression, sp.Basic) else self.graph.constant(expression)

    def zero(self, y: Node) -> bool:
        """Is y known to be 0 identically? By residues."""
        return self._here(y.index) == 0

    def gradient(self, y: Node, xs: Sequence[Node]) -> list[Node]:
        """dy/dx for each symbol x, by a reverse sweep."""
        return gradient(y, xs)

    def slopes(self, ys: Sequence[Node], xs: Sequence[Node], symmetric: bool = False) -> Sequence[list[Node]]:
        """dy/dx, row by row; where there are many entries they become nodes when they are looked at."""
        found = slopes_of(self.graph, ys, xs, symmetric)
        return found if found.many else [list(row) for row in found.rows]

    def along(self, ys: Sequence[Node], xs: Sequence[Node], dxs: Sequence[Node]) -> list[Node]:
        """Each y's derivative in the direction dx, by a forward sweep."""
        return tangent(ys, xs, dxs)

    def substitute(self, ys: Sequence[Node], xs: Sequence[Node], values: Sequence[Node]) -> list[Node]:
        """Each y with every symbol x replaced by its value, all at once."""
        return substitute(ys, {x.key[1]: value for x, value in zip(xs, values, strict=True)})

    def inverse(self, M: Sequence[Sequence[Node]]) -> tuple[list[list[Node]], Node]:
        """M^-1 and det M, by reflections."""
        if len(M) == 1:
            return [[1 / M[0][0]]], M[0][0]
        # M^T = Q R ,  M^-1 = Q R^-T
        factored = householder(M)
        lower = factored.lower_inverse()
        columns = range(len(M))
        Q, L = (list(zip(*A[: len(M)], strict=True)) for A in (factored.Q, lower))
        return [[dot(Q[i], L[c]) for c in columns] for i in columns], factored.determinant
