"""The size of the terms of a function, as nodes: what residuals and balances count against."""

from __future__ import annotations

from collections.abc import Sequence

from ...calculus.graph import Graph, Node, gradient
from ...equations.scale import FLOOR


def summed(nodes: Sequence[Node]) -> Node:
    """n_1 + n_2 + ..., of one or more."""
    total = nodes[0]
    for node in nodes[1:]:
        total = total + node
    return total


def largest(graph: Graph, nodes: Sequence[Node]) -> Node:
    """The largest |n|, 0 of none."""
    found = graph.constant(0.0)
    for node in nodes:
        found = graph.apply("max", found, graph.apply("abs", node))
    return found


def row_size(row: Node, terms: Sequence[Node], xs: Sequence[Node]) -> Node:
    """The size of a row's terms, as `equations.scale.scale` has it."""
    graph = row.graph
    size = largest(graph, gradient(row, xs)) * largest(graph, xs)
    if len(terms) == 1:
        return size
    # sum |term|
    return graph.apply("max", summed([graph.apply("abs", term) for term in terms]), FLOOR * size)


def sized(node: Node, xs: Sequence[Node]) -> Node:
    """sum |x dn/dx|"""
    slopes = gradient(node, xs)
    return summed([node.graph.apply("abs", slope * x) for slope, x in zip(slopes, xs, strict=True)])
