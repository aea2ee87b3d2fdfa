"""The numbers of a graph's nodes: a list of steps, made once and run at as many states as wanted.

Plain numbers go through Python's own arithmetic, a tenth of the cost of NumPy's on a single number; where that raises
(a division by zero, an overflow, a root of a negative number) and for arrays the steps are NumPy's.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Mapping
from contextlib import nullcontext
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from ..errors import UnknownName
from ..errors.remedies import Give
from .elementary import ELEMENTARY
from .store import CONSTANT, SYMBOL, Graph

_PLAIN = {float, int, bool, np.float64}
RAISED = (ZeroDivisionError, OverflowError, ValueError)
PLAINLY = {name: row.scalar for name, row in ELEMENTARY.items()}
_LOUD = {row.scalar for row in ELEMENTARY.values() if row.plain is None}
Step = tuple[Callable[..., Any], int, Any, int]


@dataclass(frozen=True, eq=False)
class Program:
    """Steps that lead from the symbols to the nodes. Values stand in a list at the nodes' own indices.

    Attributes:
        graph: where the nodes are.
        order: the nodes in order of evaluation.
        blank: the list before a run: only the numbers are known.
        names: the symbols by index.
        steps: for each operation how plain numbers are computed, its index, and its arguments: two indices, or a tuple
            of indices and -1.
        quiet: do all of these compute plain numbers without a word? NumPy's warn where numbers leave their range.
    """

    graph: Graph
    order: list[int]
    blank: list[Any]
    names: dict[int, str]
    steps: list[Step]
    quiet: bool

    @classmethod
    def of(cls, graph: Graph, order: list[int]) -> Program:
        """The steps to these nodes, in this order."""
        nodes, numbers = graph.nodes, graph.numbers
        blank: list[Any] = [None] * (order[-1] + 1)
        names: dict[int, str] = {}
        steps: list[Step] = []
        for i in order:
            key = nodes[i]
            if len(key) == 3:
                steps.append((PLAINLY[key[0]], i, key[1], key[2]))
            elif key[0] == CONSTANT:
                blank[i] = numbers[i]
            elif key[0] == SYMBOL:
                names[i] = key[1]
            else:
                steps.append((PLAINLY[key[0]], i, key[1:], -1))
        quiet = _LOUD.isdisjoint({step[0] for step in steps})
        return cls(graph, order, blank, names, steps, quiet)

    @cached_property
    def wide(self) -> list[Step]:
        """`steps`, each as NumPy computes it."""
        return [(ELEMENTARY[self.graph.nodes[i][0]].value, i, a, b) for _, i, a, b in self.steps]

    def run(self, values: Mapping[str, Any]) -> list[Any]:
        """Values of all nodes of `order`, at their indices.

        Raises:
            UnknownName: E230, a symbol has no value.
        """
        try:
            given = {i: values[name] for i, name in self.names.items()}
        except KeyError as error:
            name = error.args[0]
            raise UnknownName("E230", f"free: {name}", Give((name,))) from None
        if all(type(x) in _PLAIN for x in given.values()):
            try:
                return self._plain({i: float(x) for i, x in given.items()})
            except RAISED:
                pass
        return self._arrays(given)

    def state(self, values: Mapping[str, Any]) -> bytes | None:
        """The values of the symbols, to tell whether a run would be as another; None where they are not plain."""
        given = [values.get(name) for name in self.names.values()]
        return struct.pack(f"{len(given)}d", *given) if all(type(x) in _PLAIN for x in given) else None

    def _begun(self, given: Mapping[int, Any]) -> list[Any]:
        found = self.blank.copy()
        for i, x in given.items():
            found[i] = x
        return found

    def _plain(self, given: Mapping[int, float]) -> list[Any]:
        found = self._begun(given)
        with nullcontext() if self.quiet else np.errstate(all="ignore"):
            for f, i, a, b in self.steps:
                found[i] = f(found[a], found[b]) if b >= 0 else f(*[found[j] for j in a])
        return found

    def _arrays(self, given: Mapping[int, Any]) -> list[Any]:
        found = self._begun(given)
        with np.errstate(all="ignore"):
            for f, i, a, b in self.wide:
                found[i] = f(found[a], found[b]) if b >= 0 else f(*[found[j] for j in a])
        return found
