"""The numbers of a graph's nodes: a list of steps, made once and run at as many states as wanted.

Plain numbers go through Python's own arithmetic, a tenth of the cost of NumPy's on a single number; where that raises
(a division by zero, an overflow, a root of a negative number) and for arrays the steps are NumPy's.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from .elementary import ELEMENTARY
from .store import CONSTANT, SYMBOL, Graph

_PLAIN = {float, int, bool, np.float64}
_RAISED = (ZeroDivisionError, OverflowError, ValueError)
_SCALAR: dict[str, Callable[..., Any]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
    "neg": operator.neg,
    "abs": abs,
    "pow": math.pow,
    **{name: getattr(math, name) for name in ("sqrt", "exp", "log", "sin", "cos", "tan", "asin", "acos", "atan")},
    **{name: getattr(math, name) for name in ("atan2", "sinh", "cosh", "tanh", "asinh", "acosh", "atanh")},
}
Step = tuple[Callable[..., Any], Callable[..., Any], tuple[int, ...]]


@dataclass(frozen=True)
class Program:
    """Steps that lead from the symbols to the nodes.

    Attributes:
        order: the nodes in order of evaluation: numbers and symbols first.
        numbers: the values of the numbers.
        names: the symbols.
        steps: for each operation how plain numbers and how arrays are computed, and the places of its arguments.
        places: the places of the outputs.
    """

    order: list[int]
    numbers: list[float]
    names: list[str]
    steps: list[Step]
    places: list[int]

    @classmethod
    def of(cls, graph: Graph, order: Sequence[int], outputs: Sequence[int]) -> Program:
        """The steps to these nodes, in this order."""
        nodes = graph.nodes
        numbers = [i for i in order if nodes[i][0] == CONSTANT]
        names = [i for i in order if nodes[i][0] == SYMBOL]
        rest = [i for i in order if nodes[i][0] not in (CONSTANT, SYMBOL)]
        order = [*numbers, *names, *rest]
        place = {i: p for p, i in enumerate(order)}
        steps: list[Step] = []
        for i in rest:
            name, *args = nodes[i]
            value = ELEMENTARY[name].value
            steps.append((_SCALAR.get(name, value), value, tuple([place[j] for j in args])))
        values = [float(nodes[i][1]) for i in numbers]
        return cls(order, values, [nodes[i][1] for i in names], steps, [place[i] for i in outputs])

    def run(self, values: Mapping[str, Any]) -> list[Any]:
        """Values of all nodes in `order`.

        Raises:
            KeyError: a symbol has no value.
        """
        given = [values[name] for name in self.names]
        if all(type(x) in _PLAIN for x in given):
            try:
                return self._plain([*self.numbers, *map(float, given)])
            except _RAISED:
                pass
        found = [*self.numbers, *given]
        with np.errstate(all="ignore"):
            for _, f, args in self.steps:
                found.append(f(*[found[i] for i in args]))
        return found

    def _plain(self, found: list[Any]) -> list[Any]:
        with np.errstate(all="ignore"):
            for f, _, args in self.steps:
                if len(args) == 2:
                    found.append(f(found[args[0]], found[args[1]]))
                else:
                    found.append(f(*[found[i] for i in args]))
        return found
