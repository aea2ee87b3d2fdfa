"""Numbers with their rounding errors measured: every operation errs at random, in copies beside the plain one."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..calculus.elementary import ELEMENTARY
from ..calculus.graph import CONSTANT, SYMBOL, Node
from .states import Values

_SHAKE, _COPIES = 1e-13, 3  # some hundred times what rounding does
_NOTHING = 1e-13  # of a vector: what the projection itself leaves


class Shaken:
    """Nodes of one graph evaluated at one state; every node once, however often it is asked for.

    Args:
        state: the values of the symbols.
    """

    def __init__(self, state: Values) -> None:
        self._state, self._rng = state, np.random.default_rng(6)
        self._known: dict[int, np.ndarray] = {}

    def numbers(self, nodes: Sequence[Node]) -> np.ndarray:
        """Values (copies x nodes), the plain ones first."""
        with np.errstate(all="ignore"):
            return np.array([self._value(n) for n in nodes]).reshape(len(nodes), 1 + _COPIES).T

    def _value(self, node: Node) -> np.ndarray:
        keys, stack = node.graph.nodes, [node.index]
        while stack:
            i = stack[-1]
            key = keys[i]
            missing = [] if key[0] in (CONSTANT, SYMBOL) else [j for j in key[1:] if j not in self._known]
            stack.extend(missing)
            if not missing:
                self._known[stack.pop()] = self._operation(key)
        return self._known[node.index]

    def _operation(self, key: tuple) -> np.ndarray:
        if key[0] == CONSTANT:
            return np.full(1 + _COPIES, float(key[1]))
        if key[0] == SYMBOL:
            return np.full(1 + _COPIES, self._state[key[1]])
        errors = np.r_[1.0, 1 + _SHAKE * self._rng.uniform(-1, 1, _COPIES)]
        return np.asarray(ELEMENTARY[key[0]].value(*(self._known[j] for j in key[1:])) * errors, float)


class Directions:
    """An orthonormal basis built vector by vector, once for every copy of the numbers."""

    def __init__(self, width: int) -> None:
        self.values = np.zeros((1 + _COPIES, 0, width))

    def take(self, x: np.ndarray) -> bool:
        """Add x (copies x width) to the basis if it is independent of it; was it added?

        What is left of it beside them must exceed its differences between the copies.
        """
        left = x
        for _ in range(2):  # twice, as rounding leaves a little
            left = left - np.einsum("sdw,sd->sw", self.values, np.einsum("sdw,sw->sd", self.values, left))
        size = np.linalg.norm(left, axis=1)
        apart = np.linalg.norm(left - left[0], axis=1).max()
        if not np.isfinite(x).all() or not size[0] > max(apart, _NOTHING * np.linalg.norm(x[0])):
            return False
        self.values = np.concatenate([self.values, (left / size[:, None])[:, None]], axis=1)
        return True
