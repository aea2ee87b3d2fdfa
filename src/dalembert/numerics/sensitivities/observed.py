"""What is seen of a motion: expressions along it, and their derivatives by what the motion was differentiated by."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...calculus.frame import TIME
from ...calculus.graph import Graph, Node, evaluate, gradient, symbols
from ...calculus.read import read
from ...errors import UnknownName, as_given, did_you_mean


@dataclass(frozen=True, eq=False)
class Observed:
    """Expressions f(t, y, p) on a graph, with their slopes by the states and by some of the other names.

    Attributes:
        values: one node for each expression, c of them.
        slopes: for each expression its derivatives by `states` and then by `others`.
        states: names y (n,).
        others: the other names by which is differentiated: parameters, or names that only the expressions have.
    """

    values: tuple[Node, ...]
    slopes: tuple[tuple[Node, ...], ...]
    states: tuple[str, ...]
    others: tuple[str, ...]

    @classmethod
    def of(cls, expressions: Sequence[Any], states: Sequence[str], others: Sequence[str]) -> Observed:
        """The expressions (SymPy), read once."""
        graph = Graph()
        nodes = tuple(read(e, graph) for e in expressions)
        by = [graph.symbol(name) for name in (*states, *others)]
        return cls(nodes, tuple(tuple(gradient(node, by)) for node in nodes), tuple(states), tuple(others))

    @property
    def names(self) -> set[str]:
        """All names in the expressions."""
        return symbols(list(self.values))

    def along(self, t: np.ndarray, states: np.ndarray, known: Mapping[str, Any]) -> np.ndarray:
        """Values (N, c) at times (N,) and states (N, n).

        Raises:
            UnknownName: E317, an expression has a name that is neither a state nor known.
        """
        return self._numbers(self.values, t, states, known)

    def tangents(
        self, t: np.ndarray, states: np.ndarray, known: Mapping[str, Any], S: np.ndarray, by: Sequence[str]
    ) -> np.ndarray:
        """d f / d by (N, c, d) from S = d y / d by (N, n, d); where `by` is one of `others`, its own part is added."""
        n, width = len(self.states), len(self.states) + len(self.others)
        flat = self._numbers([s for row in self.slopes for s in row], t, states, known)
        partial = flat.reshape(len(t), len(self.values), width)
        # df/dp = (df/dy) (dy/dp) + (df/dp)
        total = np.einsum("tcn,tnd->tcd", partial[:, :, :n], S)
        for place, name in enumerate(by):
            if name in self.others:
                total[:, :, place] += partial[:, :, n + self.others.index(name)]
        return total

    def _numbers(
        self, nodes: Sequence[Node], t: np.ndarray, states: np.ndarray, known: Mapping[str, Any]
    ) -> np.ndarray:
        every = {**known, **dict(zip(self.states, states.T, strict=True)), TIME.name: t}
        try:
            found = [np.broadcast_to(np.asarray(v, float), t.shape) for v in evaluate(list(nodes), every)]
        except KeyError as error:
            name = str(error.args[0])
            raise UnknownName("E317", f"the motion has no {as_given(name)}", did_you_mean(name, list(every))) from None
        return np.stack(found, axis=1) if found else np.empty((len(t), 0))
