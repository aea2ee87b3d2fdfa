"""How large a value's terms are: what it has to be measured against before it is called 0.

A computed value differs from the true one by about a rounding of its *size*, the sum of what each step of the
computation contributes by itself,

    size(y) = |y| + sum_i |dy/dx_i| size(x_i) ,      size(x) = |x| for numbers and symbols.

Sizes have the units of their values: no scale has to be known, and none is assumed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from .elementary import ELEMENTARY
from .graph import CONSTANT, SYMBOL, Node, live, values_of_all


def sized(outputs: Sequence[Node], values: Mapping[str, Any]) -> tuple[np.ndarray, np.ndarray]:
    """Values of the outputs and their sizes, each (len(outputs),)."""
    if not outputs:
        return np.zeros(0), np.zeros(0)
    graph, order = outputs[0].graph, live(outputs)
    slopes = {i: _slopes(Node(graph, i)) for i in order}
    wanted = [*outputs, *(p for row in slopes.values() for p in row)]
    known, size = values_of_all(wanted, values), dict[int, float]()
    for i in order:
        own = abs(float(known[i]))
        parts = (
            abs(float(known[p.index])) * size[a.index] if size[a.index] else 0.0
            for p, a in zip(slopes[i], Node(graph, i).args if slopes[i] else (), strict=True)
        )
        size[i] = own + sum(parts)
    found = np.array([[float(known[y.index]), size[y.index]] for y in outputs])
    return found[:, 0], found[:, 1]


def _slopes(y: Node) -> list[Node]:
    """dy/dx of an operation's arguments; none for a number or a symbol."""
    if y.operation in (CONSTANT, SYMBOL):
        return []
    return [y.graph.lift(p) for p in ELEMENTARY[y.operation].partials(y, *y.args)]
