"""Sines and cosines of sums on the graph, written by those of the parts.

    sin(a + b) = sin a cos b + cos a sin b ,   cos(a + b) = cos a cos b - sin a sin b

so that cos(theta) cos(theta + phi) + sin(theta) sin(theta + phi) can be seen to be cos(phi).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations

import sympy as sp

from .graph import SYMBOL, Graph, Node, live
from .store import LEAVES

_MOST = 3  # angles whose sums and differences are named in pairs
_SUMS = ("+", "-", "neg")
_BOTH = ("sin", "cos")


def apart(outputs: Sequence[Node]) -> list[Node]:
    """The same functions without sines and cosines of sums; the same nodes where there are none."""
    graph = outputs[0].graph
    order = live(outputs)
    if not any(_of_a_sum(graph, i) for i in order):
        return list(outputs)
    image: dict[int, int] = {}
    for i in order:
        operation, *args = graph.nodes[i]
        if _of_a_sum(graph, i):
            image[i] = _parts(graph, args[0])[_BOTH.index(operation)].index
        else:
            image[i] = graph.remake(operation, *(image[j] for j in args)) if operation not in LEAVES else i
    return [Node(graph, image[y.index]) for y in outputs]


def _of_a_sum(graph: Graph, i: int) -> bool:
    operation, *args = graph.nodes[i]
    return operation in _BOTH and graph.nodes[args[0]][0] in _SUMS


def _parts(graph: Graph, angle: int) -> tuple[Node, Node]:
    """Sine and cosine of an angle."""
    operation, *args = graph.nodes[angle]
    if operation not in _SUMS:
        return graph.apply("sin", Node(graph, angle)), graph.apply("cos", Node(graph, angle))
    sine, cosine = _parts(graph, args[0])
    if operation == "neg":
        return -sine, cosine
    s, c = _parts(graph, args[1])
    s = s if operation == "+" else -s
    return sine * c + cosine * s, cosine * c - sine * s


def pairs(outputs: Sequence[Node], symbols: Mapping[str, sp.Symbol]) -> tuple[dict[str, Node], dict[str, sp.Expr]]:
    """Names for sines and cosines of sums and differences of angles that occur: what they are, how they are shown."""
    graph = outputs[0].graph
    angles = sorted({j for i in live(outputs) for j in graph.nodes[i][1:] if graph.nodes[i][0] in _BOTH})
    angles = [i for i in angles if graph.nodes[i][0] == SYMBOL]
    meaning, shown = dict[str, Node](), dict[str, sp.Expr]()
    for i, j in combinations(angles, 2) if len(angles) <= _MOST else ():
        a, b = (symbols.get(graph.nodes[k][1], sp.Symbol(graph.nodes[k][1], real=True)) for k in (i, j))
        for sign, angle in ((graph.minus(i, j), a - b), (graph.plus(i, j), a + b)):
            for function, value in zip((sp.sin, sp.cos), _parts(graph, sign), strict=True):
                name = f"{function.__name__} of {angle}"
                meaning[name], shown[name] = value, function(angle)
    return meaning, shown
