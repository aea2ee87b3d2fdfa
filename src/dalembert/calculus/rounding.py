"""How large a value's terms are: what it has to be measured against before it is called 0.

A computed value differs from the true one by about a rounding of its *size*, the sum of what each step of the
computation contributes by itself,

    size(y) = |y| + sum_i |dy/dx_i| size(x_i) ,      size(x) = |x| for numbers and symbols.

Sizes have the units of their values: no scale has to be known, and none is assumed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, cast

import numpy as np
from numpy.typing import ArrayLike

from .elementary import ELEMENTARY
from .graph import CONSTANT, SYMBOL, Node, live, values_of_all

_Step = tuple[int, list[tuple[int, int]]]  # a node, the slopes by its arguments and these


def sized(outputs: Sequence[Node], values: Mapping[str, Any]) -> tuple[np.ndarray, np.ndarray]:
    """Values of the outputs and their sizes, each (len(outputs),)."""
    if not outputs:
        return np.zeros(0), np.zeros(0)
    graph, (steps, wanted) = outputs[0].graph, _steps(outputs)
    known, size = values_of_all([Node(graph, i) for i in wanted], values), dict[int, float]()
    for i, parts in steps:
        size[i] = abs(float(known[i])) + sum(abs(float(known[p])) * size[a] if size[a] else 0.0 for p, a in parts)
    found = np.array([[float(known[y.index]), size[y.index]] for y in outputs])
    return found[:, 0], found[:, 1]


def sizes(output: Node, values: Mapping[str, ArrayLike]) -> np.ndarray:
    """The size of one output, an array where values are arrays."""
    steps, wanted = _steps([output])
    known, size = values_of_all([Node(output.graph, i) for i in wanted], values), dict[int, np.ndarray]()
    for i, parts in steps:
        own = np.abs(np.asarray(known[i], float))
        size[i] = sum((np.abs(np.asarray(known[p], float)) * size[a] for p, a in parts), own)
    return np.asarray(size[output.index])


def _steps(outputs: Sequence[Node]) -> tuple[list[_Step], list[int]]:
    """The steps to the outputs, and the nodes whose values they take: found once, for one state after the other."""
    graph, key = outputs[0].graph, ("sized", tuple(y.index for y in outputs))
    found = graph.memory.get(key)
    if found is None:
        slopes = {i: [p.index for p in _slopes(Node(graph, i))] for i in live(outputs)}
        steps = [(i, list(zip(row, graph.nodes[i][1:] if row else (), strict=True))) for i, row in slopes.items()]
        found = graph.memory[key] = (steps, [*key[1], *(p for row in slopes.values() for p in row)])
    return cast(tuple[list[_Step], list[int]], found)


def _slopes(y: Node) -> list[Node]:
    """dy/dx of an operation's arguments; none for a number or a symbol."""
    if y.operation in (CONSTANT, SYMBOL):
        return []
    return [y.graph.lift(p) for p in ELEMENTARY[y.operation].partials(y, *y.args)]
