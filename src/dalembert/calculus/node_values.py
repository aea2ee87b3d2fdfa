"""The numbers of a graph's nodes: a list of steps, made once and run at as many states as wanted.

Plain numbers go through Python's own arithmetic, a tenth of the cost of NumPy's on a single number; where that raises
(a division by zero, an overflow, a root of a negative number) and for arrays the steps are NumPy's.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Collection, Mapping
from contextlib import nullcontext
from dataclasses import dataclass
from functools import cached_property
from math import isfinite
from operator import itemgetter
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..errors import UnknownName
from ..errors.remedies import Give
from .elementary_functions import ELEMENTARY
from .node_store import Graph

_PLAIN = {float, int, bool, np.float64}
RAISED = (ZeroDivisionError, OverflowError, ValueError)
PLAINLY = {name: row.scalar for name, row in ELEMENTARY.items()}
_LOUD = {row.scalar for row in ELEMENTARY.values() if row.plain is None}
Step = tuple[Callable[..., Any], int, Any, int]
Numbers = list[Any]  # floats or arrays, by the indices of nodes
_FUNCTION = itemgetter(0)


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
    blank: Numbers
    names: dict[int, str]
    steps: list[Step]
    quiet: bool

    @classmethod
    def of(cls, graph: Graph, order: list[int]) -> Program:
        """The steps to these nodes, in this order."""
        below, numbers = graph.below, graph.numbers
        known: dict[int, Step] = graph.memory.setdefault("steps", {})
        leaves, steps = [i for i in order if not below[i]], [i for i in order if below[i]]
        for i in steps:
            if i not in known:
                known[i] = _step(graph.nodes[i], i)
        blank: Numbers = [None] * (order[-1] + 1)
        names: dict[int, str] = {}
        for i in leaves:
            if i in numbers:
                blank[i] = numbers[i]
            else:
                names[i] = graph.nodes[i][1]
        found = [known[i] for i in steps]
        return cls(graph, order, blank, names, found, _LOUD.isdisjoint(map(_FUNCTION, found)))

    @cached_property
    def wide(self) -> list[Step]:
        """`steps`, each as NumPy computes it."""
        return [(ELEMENTARY[self.graph.nodes[i][0]].value, i, a, b) for _, i, a, b in self.steps]

    def run(self, values: Mapping[str, Any]) -> Numbers:
        """Values of all nodes of `order`, at their indices, not to be written to.

        Raises:
            UnknownName: E230, a symbol has no value.
        """
        try:
            given = {i: values[name] for i, name in self.names.items()}
        except KeyError as error:
            name = error.args[0]
            raise UnknownName("E230", f"free: {name}", Give((name,))) from None
        state = packed(given.values())
        if state is None:
            return self._arrays(given)
        found = self._last.get(state)  # asked once: other threads may run the same program
        if found is None:
            found = self._alone(given)
            self._last.clear()
            self._last[state] = found
        return found

    @cached_property
    def _last(self) -> dict[bytes, Numbers]:
        """What the last run at plain numbers gave, by these: a state is looked at from several sides."""
        return {}

    def _alone(self, given: Mapping[int, float]) -> Numbers:
        try:
            return self._plain({i: float(x) for i, x in given.items()})
        except RAISED:
            return self._arrays(given)

    def state(self, values: Mapping[str, object]) -> bytes | None:
        """The values of the symbols, to tell whether a run would be as another; None where they are not plain."""
        return packed([values.get(name) for name in self.names.values()])

    def _begun(self, given: Mapping[int, Any]) -> Numbers:
        found = self.blank.copy()
        for i, x in given.items():
            found[i] = x
        return found

    def _plain(self, given: Mapping[int, float]) -> Numbers:
        found = self._begun(given)
        with nullcontext() if self.quiet else np.errstate(all="ignore"):
            for f, i, a, b in self.steps:
                found[i] = f(found[a], found[b]) if b >= 0 else f(*[found[j] for j in a])
        return found

    def _arrays(self, given: Mapping[int, Any]) -> Numbers:
        found = self._begun(given)
        with np.errstate(all="ignore"):
            for f, i, a, b in self.wide:
                found[i] = f(found[a], found[b]) if b >= 0 else f(*[found[j] for j in a])
        return found


def packed(numbers: Collection[object]) -> bytes | None:
    """Plain numbers, to the last bit and the sign of 0; None of others."""
    return struct.pack(f"{len(numbers)}d", *numbers) if all(type(x) in _PLAIN for x in numbers) else None


def _step(key: tuple[Any, ...], i: int) -> Step:
    """How an operation is computed from plain numbers."""
    return (PLAINLY[key[0]], i, key[1], key[2]) if len(key) == 3 else (PLAINLY[key[0]], i, key[1:], -1)


def all_finite(numbers: Collection[ArrayLike | None]) -> bool:
    """Are all numbers finite? Some may be arrays, some None: not computed."""
    plain, others = list[float](), list[ArrayLike]()
    for x in numbers:
        if type(x) is float:
            plain.append(x)
        elif x is not None:
            others.append(x)
    # a sum of finite numbers is finite, but for one that is too large
    return (isfinite(sum(plain)) or all(map(isfinite, plain))) and all(bool(np.isfinite(x).all()) for x in others)
