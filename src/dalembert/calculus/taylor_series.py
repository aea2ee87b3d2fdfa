"""Taylor series on the expression graph, order by order.

Every node's series follows from its arguments' series by the recurrence that its derivative gives [hairer1993 I.8]:

    y = f(a, b), ydot = f_a adot + f_b bdot:    j y_j = sum_i i (a_i [f_a]_(j-i) + b_i [f_b]_(j-i)),  i = 1..j

The symbols' coefficients of order j are handed in when those of order j - 1 are known, so that a flow can feed itself.

With `shake` every operation errs at random by that relative amount. Where two evaluations then differ shows how far
rounding errors reach, and what is small can be told from what cancels.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from .elementary_functions import ELEMENTARY
from .graph import CONSTANT, SYMBOL, Node, live

Key = tuple[Any, ...]  # a node's entry in the graph
_OWN_RULE = {"+", "-", "*", "/", "neg", CONSTANT, SYMBOL}


class TaylorSeries:
    """Taylor coefficients of all nodes that `outputs` need; `coefficients[node.index][j]` belongs to t^j.

    Args:
        outputs: the nodes.
        shake: relative size of the random errors.
        rng: their source.
        highest: order up to which they are wanted.
    """

    def __init__(
        self,
        outputs: Sequence[Node],
        shake: float = 0.0,
        rng: np.random.Generator | None = None,
        highest: int = 24,
    ) -> None:
        self.outputs = tuple(outputs)
        self.partials: dict[int, tuple[tuple[Node, Node], ...]] = {}
        order = _closed(list(outputs), self.partials, highest)
        self.coefficients: dict[int, list[float]] = {i: [] for i in order}
        self._steps = [(i, outputs[0].graph.nodes[i]) for i in order] if outputs else []
        self._shake, self._rng = shake, rng or np.random.default_rng(0)

    def extend(self, symbols: Mapping[str, float]) -> np.ndarray:
        """The next coefficient of every output, from the next coefficient of every symbol (0 where it is left out)."""
        errors = self._shake * self._rng.uniform(-1, 1, len(self._steps)) if self._shake else np.zeros(len(self._steps))
        with np.errstate(all="ignore"):
            for error, (i, key) in zip(errors.tolist(), self._steps, strict=True):
                terms = self._next(i, key, len(self.coefficients[i]), symbols)
                value = sum(terms)
                # a sum errs by a part of its terms, which may cancel
                self.coefficients[i].append(value + error * sum(map(abs, terms)) if error else value)
        return np.array([self.coefficients[y.index][-1] for y in self.outputs])

    def _next(self, i: int, key: Key, j: int, symbols: Mapping[str, float]) -> list[float]:
        """The terms that the coefficient of order j is the sum of."""
        if key[0] == SYMBOL:
            return [float(symbols.get(key[1], 0.0))]
        if key[0] == CONSTANT:
            return [float(key[1]) if j == 0 else 0.0]
        a = [self.coefficients[k] for k in key[1:]]
        if j == 0:
            return [float(ELEMENTARY[key[0]].value(*(np.float64(x[0]) for x in a)))]
        if key[0] in _OWN_RULE:
            return _algebraic(key[0], a, self.coefficients[i], j)
        # j y_j = sum_i i a_i [f_a]_(j-i)
        return [
            k / j * self.coefficients[x.index][k] * self.coefficients[f.index][j - k]
            for x, f in self.partials[i]
            for k in range(1, j + 1)
        ]


def _algebraic(name: str, a: list[list[float]], y: list[float], j: int) -> list[float]:
    if name == "+":
        return [a[0][j] + a[1][j]]
    if name == "-":
        return [a[0][j] - a[1][j]]
    if name == "neg":
        return [-a[0][j]]
    if name == "*":
        return [a[0][k] * a[1][j - k] for k in range(j + 1)]
    # y b = a:  y_j = (a_j - sum_(k<j) y_k b_(j-k)) / b_0
    below = np.float64(a[1][0])
    return [float(np.float64(x) / below) for x in (a[0][j], *(-y[k] * a[1][j - k] for k in range(j)))]


def _closed(outputs: list[Node], partials: dict[int, tuple[tuple[Node, Node], ...]], highest: int) -> list[int]:
    """Indices of all nodes that are needed, those of the partial derivatives included, in an order of evaluation.

    Where each derivative brings in a further one, those behind as many steps as there are orders count as numbers: the
    order to which a derivative is used falls by one with each step.
    """
    for step in range(highest + 1 if outputs else 0):
        order = live(outputs)
        graph = outputs[0].graph
        new = [i for i in order if graph.nodes[i][0] not in _OWN_RULE and i not in partials]
        if not new:
            return order
        for i in new:
            partials[i] = _derivatives(Node(graph, i)) if step < highest else ()
        outputs = outputs + [f for i in new for pair in partials[i] for f in pair]
    return live(outputs)


def _derivatives(node: Node) -> tuple[tuple[Node, Node], ...]:
    """Pairs (x, dy/dx). Those of a power are written with the power itself, so that no further power is needed."""
    graph = node.graph
    if node.operation == "pow":
        a, b = node.args
        # d(a^b) = b a^b/a da + a^b log(a) db
        return ((a, b * node / a),) if b.is_constant else ((a, b * node / a), (b, node * graph.apply("log", a)))
    rates = ELEMENTARY[node.operation].partials(node, *node.args)
    return tuple((x, graph.lift(rate)) for x, rate in zip(node.args, rates, strict=True))
