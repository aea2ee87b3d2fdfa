"""Substitution that remembers: what was asked for before is looked up; what depends on a change is forgotten."""

from __future__ import annotations

from collections.abc import Mapping

from .graph import Graph, Node


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
        self._wanted = 0
        for i in self._symbols:
            self._wanted |= graph.reach[i]

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
