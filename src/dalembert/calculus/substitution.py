"""Nodes made anew: with symbols replaced, on another graph, with what does not move computed apart.

`Substitution` remembers: what was asked for before is looked up; what depends on a change is forgotten.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from .graph import Graph, Node, live
from .node_store import CONSTANT, LEAVES, SYMBOL


class Substitution:
    """Symbols of a graph replaced by nodes, for many nodes that share most of what they are made of.

    Args:
        graph: the graph.
        places: what the symbols are replaced by, at first.
        first: what is done to nodes that hold none of these symbols; by default they stay as they are.
    """

    def __init__(self, graph: Graph, places: Mapping[str, Node], first: Substitution | None = None) -> None:
        self.graph, self._first = graph, first
        self._image: dict[int, int] = {}
        self._places: dict[int, int] = {}
        self._calls: list[tuple[int, list[int]]] = []  # the symbols of what was met at a time; early times together
        self._wanted = 0
        for name, place in places.items():
            self.put(name, place)

    def __call__(self, y: Node) -> Node:
        """The node with the symbols replaced."""
        nodes, image = self.graph.nodes, self._image
        fresh = self._unseen(y.index)
        for i in fresh:
            operation, *args = nodes[i]
            image[i] = self.graph.remake(operation, *map(self._at, args))
        if fresh:
            self._calls.append((self.graph.union(fresh), fresh))
            while len(self._calls) > 1 and len(self._calls[-1][1]) >= len(self._calls[-2][1]):
                (met, images), (before, others) = self._calls.pop(), self._calls.pop()
                self._calls.append((before | met, others + images))
        return Node(self.graph, self._at(y.index))

    def _at(self, i: int) -> int:
        """The image of a node whose operations were met."""
        if self.graph.reach[i] & self._wanted:
            return self._places[i] if i in self._places else self._image[i]
        return i if self._first is None else self._first(Node(self.graph, i)).index

    def put(self, name: str, place: Node) -> None:
        """Replace a symbol by another node from now on."""
        symbol = self.graph.symbol(name).index
        if self._places.get(symbol) == place.index:
            return
        bit, reach = self.graph.reach[symbol], self.graph.reach
        self._wanted |= bit
        self._places[symbol] = place.index
        for k, (met, images) in enumerate(self._calls):
            if met & bit:
                for i in images:
                    if reach[i] & bit:
                        del self._image[i]
                kept = [i for i in images if not reach[i] & bit]
                self._calls[k] = (self.graph.union(kept), kept)

    def _unseen(self, root: int) -> list[int]:
        """Operations on what is replaced that were not met before, in evaluation order."""
        nodes, reach, image, found = self.graph.nodes, self.graph.reach, self._image, set[int]()
        stack = [root]
        while stack:
            i = stack.pop()
            if reach[i] & self._wanted and i not in found and i not in image and i not in self._places:
                found.add(i)
                stack += nodes[i][1:]
        return sorted(found)


def carried(outputs: Sequence[Node], graph: Graph, places: Mapping[str, Node] | None = None) -> list[Node]:
    """The outputs on another graph, with symbols replaced by its nodes."""
    places, image = places or {}, dict[int, Node]()
    for i in live(outputs):
        operation, *args = outputs[0].graph.nodes[i]
        if operation == SYMBOL:
            image[i] = places[args[0]] if args[0] in places else graph.symbol(args[0])
        elif operation == CONSTANT:
            image[i] = graph.constant(args[0])
        else:
            image[i] = Node(graph, graph.remake(operation, *(image[j].index for j in args)))
    return [image[y.index] for y in outputs]


def split_constant_parts(outputs: Sequence[Node], moving: Sequence[str], name: str) -> tuple[list[Node], list[Node]]:
    """(the outputs, what they need that depends on no moving symbol): the latter replaced by symbols ``name:0``, ..."""
    if not outputs:
        return [], []
    graph = outputs[0].graph
    wanted = graph.bits(moving)
    order = [i for i in live(outputs) if graph.nodes[i][0] not in LEAVES]
    moved = [i for i in order if graph.reach[i] & wanted]
    asked = {y.index for y in outputs} | {j for i in moved for j in graph.nodes[i][1:]}
    still = [i for i in order if i in asked and not graph.reach[i] & wanted]
    image = {i: graph.symbol(f"{name}:{k}").index for k, i in enumerate(still)}
    for i in moved:
        operation, *args = graph.nodes[i]
        image[i] = graph.remake(operation, *(image.get(j, j) for j in args))
    return [Node(graph, image.get(y.index, y.index)) for y in outputs], [Node(graph, i) for i in still]
