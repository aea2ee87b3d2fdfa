"""Numbers of nodes at a few states, remembered: what a graph gains is computed when it is asked for, and only that."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import ArrayLike

from .elementary import ELEMENTARY
from .graph import Graph, Node
from .program import PLAINLY, RAISED
from .store import CONSTANT, SYMBOL


class Known:
    """Values of the nodes of one graph, which may grow, at S states.

    Args:
        graph: the graph.
        states: values of all symbols, by name.
    """

    def __init__(self, graph: Graph, states: Sequence[Mapping[str, ArrayLike]]) -> None:
        self.graph = graph
        self._places = list(states)
        self._values: list[dict[int, float]] = [{} for _ in states]

    def __call__(self, outputs: Sequence[Node]) -> np.ndarray:
        """The values of the outputs, (S, len(outputs)).

        Raises:
            KeyError: a symbol has no value.
        """
        fresh = self._unseen(outputs)
        for place, known in zip(self._places, self._values, strict=True):
            for i in fresh:
                known[i] = self._value(i, place, known)
        return np.array([[known[y.index] for y in outputs] for known in self._values], float)

    def _unseen(self, outputs: Sequence[Node]) -> list[int]:
        """What the outputs need and has no values yet, in evaluation order."""
        nodes, known, found = self.graph.nodes, self._values[0], set[int]()
        stack = [y.index for y in outputs]
        while stack:
            i = stack.pop()
            if i not in found and i not in known:
                found.add(i)
                key = nodes[i]
                stack += () if key[0] in (CONSTANT, SYMBOL) else key[1:]
        return sorted(found)

    def _value(self, i: int, place: Mapping[str, ArrayLike], known: Mapping[int, float]) -> float:
        operation, *args = self.graph.nodes[i]
        if operation == CONSTANT:
            return self.graph.numbers[i]
        if operation == SYMBOL:
            return float(np.asarray(place[args[0]]))
        given = [known[j] for j in args]
        try:
            return float(PLAINLY[operation](*given))
        except RAISED:
            with np.errstate(all="ignore"):
                return float(ELEMENTARY[operation].value(*map(np.float64, given)))
