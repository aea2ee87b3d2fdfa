"""Long sums that contain other sums share them: the velocity of a link is that of the link before and two terms more.

However the sums were written, each is laid out as ``{term: how often}``; shorter ones are written first, and a longer
one as the latest of these and what it lacks. The cost is in proportion to the number of terms that differ.
"""

from __future__ import annotations

import heapq
from collections.abc import Sequence

from ..graph import Graph, Node, live
from ..store import LEAVES

Sum = dict[int, float]  # {term: how often}
_LOOKED_AT = 12  # latest sums that a new one may be based on


def prefixed(outputs: Sequence[Node]) -> list[Node]:
    """The outputs with long sums written as an earlier sum and what it lacks."""
    if not outputs:
        return []
    graph, order = outputs[0].graph, live(outputs)
    sums = _Sums(graph, order)
    return [Node(graph, sums.node(y.index)) for y in outputs]


class _Sums:
    """The sums among some nodes, as their terms."""

    def __init__(self, graph: Graph, order: Sequence[int]) -> None:
        self.graph = graph
        self._terms: dict[int, Sum] = {}
        self._image: dict[int, int] = {}
        self._made: list[tuple[int, Sum]] = []
        self._roots = self._outermost(order)
        longest: dict[int, int] = {}
        for i in order:
            below = max((longest[j] for j in graph.nodes[i][1:]), default=0) if not self._is_leaf(i) else 0
            longest[i] = max(below, len(self._flat(i))) if i in self._roots else below
        for i in sorted(self._roots, key=lambda i: (longest[i], i)):  # short ones first: long ones are based on them
            self.node(i)

    def _is_leaf(self, i: int) -> bool:
        return self.graph.nodes[i][0] in LEAVES

    def _outermost(self, order: Sequence[int]) -> set[int]:
        """Sums that are no parts of sums alone."""
        inside: dict[int, set[str]] = {}
        for i in order:
            if not self._is_leaf(i):
                for j in self.graph.nodes[i][1:]:
                    inside.setdefault(j, set()).add(self.graph.nodes[i][0])
        part_of_sums = {"+", "-", "neg"}
        return {i for i in order if self.graph.nodes[i][0] in ("+", "-") and not (inside.get(i, {""}) <= part_of_sums)}

    def _flat(self, i: int) -> Sum:
        """A node as a sum of nodes that are none."""
        if i not in self._terms:
            self._terms[i] = self._laid_out(i)
        return self._terms[i]

    def _laid_out(self, root: int) -> Sum:
        numbers, found, times, waiting = self.graph.numbers, Sum(), {root: 1.0}, [-root]
        while waiting:  # the last node first: whatever it is a part of has been seen
            i = -heapq.heappop(waiting)
            n = times.pop(i)
            operation, *args = self.graph.nodes[i]
            if operation in ("+", "-"):
                parts = [(args[0], n), (args[1], n if operation == "+" else -n)]
            elif operation == "neg":
                parts = [(args[0], -n)]
            elif operation == "*" and not numbers.keys().isdisjoint(args):
                factor, other = args if args[0] in numbers else reversed(args)
                parts = [(other, n * numbers[factor])]
            else:
                parts = []
                found[i] = n
            for j, m in parts:
                if j not in times:
                    heapq.heappush(waiting, -j)
                times[j] = times.get(j, 0.0) + m
        return {term: n for term, n in found.items() if n}

    def node(self, index: int) -> int:
        """The node written anew."""
        stack = [index]
        while stack:
            i = stack[-1]
            below = self._flat(i) if i in self._roots else () if self._is_leaf(i) else self.graph.nodes[i][1:]
            missing = [j for j in below if j not in self._image]
            if i in self._image or not missing:
                stack.pop()
                if i not in self._image:
                    self._image[i] = self._new(i)
            else:
                stack += missing
        return self._image[index]

    def _new(self, i: int) -> int:
        if self._is_leaf(i):
            return i
        if i in self._roots:
            return self._total(self._flat(i))
        operation, *args = self.graph.nodes[i]
        return self.graph.remake(operation, *(self._image[j] for j in args))

    def _total(self, terms: Sum) -> int:
        """A sum from the latest one that saves most."""
        based_on, lacking = None, terms
        for node, have in self._made[-_LOOKED_AT:]:
            if len(have) <= len(terms):
                lack = {term: n for term, n in _combined(terms, have, -1.0).items() if n}
                if len(lack) < len(lacking) - 1:
                    based_on, lacking = node, lack
        total = self.graph.zero if based_on is None else based_on
        for term, n in sorted(lacking.items(), key=lambda item: (-item[1], item[0])):
            part = self.graph.times(self.graph.number(abs(n)), self._image[term])
            total = self.graph.plus(total, part) if n > 0 else self.graph.minus(total, part)
        if len(terms) > 1:
            self._made.append((total, terms))
        return total


def _combined(a: Sum, b: Sum, factor: float) -> Sum:
    out = dict(a)
    for term, n in b.items():
        out[term] = out.get(term, 0.0) + factor * n
    return out
