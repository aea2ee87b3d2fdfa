"""Nodes made anew: with symbols replaced, on another graph, with what does not move computed apart.

`Substitution` remembers: what was asked for before is looked up; what depends on a change is forgotten.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from .graph import Graph, Node, live
from .store import CONSTANT, LEAVES, SYMBOL


class Substitution:
    """Symbols of a graph replaced by nodes, for many nodes that share most of what they are made of.

    Args:
        graph: the graph.
        places: what the symbols are replaced by, at first.
    """

    def __init__(self, graph: Graph, places: Mapping[str, Node]) -> None:
        self.graph = graph
        self._image = {graph.symbol(name).index: place.index for name, place in places.items()}
        self._symbols = set(self._image)
        self._wanted = graph.union(self._symbols)

    def __call__(self, y: Node) -> Node:
        """The node with the symbols replaced."""
        nodes, image = self.graph.nodes, self._image
        for i in self._unseen(y.index):
            operation, *args = nodes[i]
            image[i] = self.graph.remake(operation, *(image.get(j, j) for j in args))
        return Node(self.graph, image.get(y.index, y.index))

    def put(self, name: str, place: Node) -> None:
        """Replace a symbol by another node from now on."""
        symbol = self.graph.symbol(name).index
        if self._image[symbol] == place.index:
            return
        bit, reach = self.graph.reach[symbol], self.graph.reach
        self._image = {i: j for i, j in self._image.items() if i in self._symbols or not reach[i] & bit}
        self._image[symbol] = place.index

    def _unseen(self, root: int) -> list[int]:
        """Operations on what is replaced that were not met before, in evaluation order."""
        nodes, reach, image, found = self.graph.nodes, self.graph.reach, self._image, set[int]()
        stack = [root]
        while stack:
            i = stack.pop()
            if i not in found and i not in image and reach[i] & self._wanted:
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


def hoisted(outputs: Sequence[Node], moving: Sequence[str], name: str) -> tuple[list[Node], list[Node]]:
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
