"""Where an expression may be narrow: rise and fall again between two places at which it is looked at.

The formulas tell it. 100 exp(-((t - 5)/w)^2) has a bump where the argument of exp is stationary, sech^2(x/w) where that
of cosh is 0, a tent its corners where the argument of an absolute value is.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np

from .frame import TIME
from .graph import Graph, Node, live, sin, symbols

MUCH = 3.0  # by what the argument of exp changes before it is looked at
SEVERAL = math.log(7.0)  # by what a power does: where it is 0 between probes, those beside see a tenth of the ends
_CURVED = ("exp", "tanh", "sinh", "cosh", "erf", "atan")
_STEEP = 2  # squares below a square: s^8


@dataclass(frozen=True)
class SharpPlace:
    """An argument that decides where something may be narrow; `logarithmic` where its logarithm does."""

    argument: Node
    logarithmic: bool = False

    @property
    def shown(self) -> Node:
        """What changes by much where something is narrow, on the graph."""
        graph = self.argument.graph
        return graph.apply("log", graph.apply("abs", self.argument)) if self.logarithmic else self.argument

    def size(self, value: np.ndarray) -> np.ndarray:
        """What changes by much where something is narrow."""
        with np.errstate(all="ignore"):
            return np.log(np.abs(value)) if self.logarithmic else value

    def wide(self, values: np.ndarray) -> np.ndarray:
        """Do values (K, P) differ by much in each row (K,), or are not finite? A power is narrow where it is 0."""
        with np.errstate(all="ignore"):
            differ = ~(np.ptp(self.size(values), axis=1) <= (SEVERAL if self.logarithmic else MUCH))
        return np.asarray(differ | (np.ptp(np.sign(values), axis=1) > 0) if self.logarithmic else differ)


def places(outputs: Sequence[Node], states: Collection[str], felt: bool = True) -> list[SharpPlace]:
    """Arguments of the functions in the outputs that can be next to nothing on both sides of a place.

    Powers and quotients count where they are functions of the time alone. Those of states are in every system, and fall
    off so slowly that steps feel them from afar, if they feel the outputs; but for s^8, where something is divided by
    what states make. What no step feels may hide in any divisor.
    """
    found: dict[int, SharpPlace] = {}
    if not outputs:
        return []
    graph = outputs[0].graph
    time, moving = (graph.bits(names) for names in ([TIME.name], states))
    every = live(outputs)
    divided = any(graph.nodes[i][0] == "/" and graph.reach[graph.nodes[i][2]] & moving for i in every)
    for i in every:
        name, *args = graph.nodes[i]
        logarithmic = name in ("pow", "/") or (name == "*" and args[0] == args[1])
        if not (logarithmic or name in _CURVED):
            continue
        at, deep = (args[1], 0) if name == "/" else _squared(graph, args[0]) if name == "*" else (args[0], 0)
        reach = graph.reach[at]
        steep = deep >= _STEEP if name == "*" else not felt
        if reach & time if not reach & moving else not logarithmic or (divided and steep):
            found.setdefault(at, SharpPlace(Node(graph, at), logarithmic))
    return list(found.values())


def _squared(graph: Graph, i: int) -> tuple[int, int]:
    """What a node is a square of a square of, and how often it is squared."""
    deep = 0
    while graph.nodes[i][0] == "*" and graph.nodes[i][1] == graph.nodes[i][2]:
        i, deep = graph.nodes[i][1], deep + 1
    return i, deep


def corners(outputs: Sequence[Node]) -> list[Node]:
    """Surfaces on which the outputs may jump or bend: what signs, absolute values and comparisons compare with 0.

    floor(u) and ceil(u) jump where sin(pi u) = 0.
    """
    found: dict[Node, None] = {}
    for i in live(outputs):
        node = Node(outputs[0].graph, i)
        if node.operation in ("sign", "abs"):
            found[node.args[0]] = None
        elif node.operation in ("lt", "le", "min", "max"):
            found[node.args[0] - node.args[1]] = None
        elif node.operation in ("floor", "ceil"):
            found[sin(node.args[0] * math.pi)] = None
    return [surface for surface in found if symbols([surface])]
