"""Nodes of a graph and their derivatives by some symbols, at one state after another.

The first states are interpreted; who goes on asking gets machine code, in which each operation is made once for the
value and once for all derivatives together. To compile it takes as long as some fifty states do without it, however
long it is; a branch asks at hundreds.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from ..calculus.frame import TIME
from ..calculus.graph import Node, evaluate, gradient, symbols, values_of_all

OFTEN = 20  # states
MOST = 64  # symbols; longer rows take LLVM longer than they save

At = tuple[Mapping[str, float], np.ndarray]  # the values of the symbols, and what was found there


class Differentiated:
    """Values (m,) of nodes and their slopes (m, n) by symbols.

    Args:
        nodes: of one graph.
        names: of the symbols.
    """

    def __init__(self, nodes: Sequence[Node], names: Sequence[str]) -> None:
        self.nodes, self.names = list(nodes), list(names)
        by = [nodes[0].graph.symbol(name) for name in names] if nodes else []
        self.entries = [e for node in nodes for e in gradient(node, by)]
        self._asked = 0
        self._code: Callable[[Mapping[str, float]], np.ndarray] | None = None
        self._last: tuple[Mapping[str, float], np.ndarray | None] | None = None
        self._interpreted: At | None = None

    @classmethod
    def of(cls, nodes: Sequence[Node], names: Sequence[str]) -> Differentiated:
        """The same, of the same nodes the one that was made before."""
        if not nodes:
            return cls(nodes, names)
        key = ("differentiated", tuple(node.index for node in nodes), tuple(names))
        memory = nodes[0].graph.memory
        if key not in memory:
            memory[key] = cls(nodes, names)
        found: Differentiated = memory[key]
        return found

    def values(self, known: Mapping[str, float]) -> np.ndarray:
        """Of the nodes (m,), where the symbols have these values."""
        both = self._both(known)
        return np.array(evaluate(self.nodes, known), float) if both is None else both[:, 0].copy()

    def slopes(self, known: Mapping[str, float]) -> np.ndarray:
        """Of the nodes by the symbols (m, n)."""
        both = self._both(known)
        if both is not None:
            return both[:, 1:]
        last = self._interpreted
        if last is None or (last[0] is not known and last[0] != known):
            self._asked += 1
            found = values_of_all(self.entries, known)
            entries = np.array([found[e.index] for e in self.entries], float)
            self._interpreted = last = known, entries.reshape(len(self.nodes), len(self.names))
        return last[1]

    def _both(self, known: Mapping[str, float]) -> np.ndarray | None:
        """Values and slopes (m, 1 + n) by machine code; None where it is not asked often enough, or one is not finite.

        A slope may be 0/0 on one route and a number on the other: then that which can name the operation decides. What
        was asked last is kept: a step along a branch asks at one state for its direction and for its eigenvalues.
        """
        if self._code is None and (self._asked < OFTEN or len(self.names) > MOST):
            return None
        if self._code is None:
            self._code = _compiled(self.nodes, self.names)
        last = self._last
        if last is None or (last[0] is not known and last[0] != known):
            found = self._code(known)
            self._last = last = known, found if np.isfinite(found).all() else None
        return last[1]

    def __getstate__(self) -> dict[str, object]:
        """Without machine code, which lies in this process."""
        return {**vars(self), "_code": None}


def _compiled(nodes: Sequence[Node], names: Sequence[str]) -> Callable[[Mapping[str, float]], np.ndarray]:
    """Machine code of the nodes and their derivatives, in lanes: the value, and behind it a lane for each symbol."""
    from .machine.function import Function
    from .machine.library import QUICKLY, Library, widest
    from .machine.loop.address import function_at
    from .machine.real import Real
    from .machine.tangents import with_tangents

    count, register = len(names), widest()
    width = -(-(count + 1) // register) * register
    others = sorted(symbols(nodes).difference([*names, TIME.name]))
    own = {name: ("y", i) for i, name in enumerate(names)}
    inputs = {TIME.name: ("t", 0), **own, **{name: ("p", i) for i, name in enumerate(others)}}
    lanes = {name: ("lane", 1 + i) for i, name in enumerate(names)}
    text = with_tangents("both", Function(tuple(nodes)), inputs, lanes, Real.lanes(width))
    library, shape = Library.compile({"both": text}, QUICKLY), (len(nodes), width)

    function = function_at(library.address("both"), 4)

    def both(known: Mapping[str, float], library: Library = library) -> np.ndarray:
        # arrays of its own for each call, which threads may make at once
        t, y, found = np.array([known.get(TIME.name, 0.0)], float), np.zeros((count, width)), np.empty(shape)
        y[:, 0] = [known[name] for name in names]
        p = np.array([known[name] for name in others], float)
        function(t.ctypes.data, y.ctypes.data, p.ctypes.data, found.ctypes.data)
        return found[:, : 1 + count]

    return both
