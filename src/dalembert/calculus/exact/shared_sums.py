"""Long sums that contain other sums share them: the velocity of a link is that of the link before and two terms more.

However the sums were written: shorter ones are written first, and a longer one as one of the latest of these and what
it has more, ``{term: how often}``. The cost is in proportion to the number of terms that differ.
"""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from math import inf

from ..graph import Graph, Node, live
from ..node_store import LEAVES

Sum = dict[int, float]  # {term: how often}
_LOOKED_AT = 12  # latest sums that a new one may be based on
_PAIR = 2  # terms that no other sum saves
_CLOSE = 4  # terms by which a sum differs from one that is near


def prefixed(outputs: Sequence[Node]) -> list[Node]:
    """The outputs with long sums written as an earlier sum and what it lacks."""
    if not outputs:
        return []
    graph, order = outputs[0].graph, live(outputs)
    sums = _Sums(graph, order)
    return [Node(graph, sums.node(y.index)) for y in outputs]


class _Sums:
    """The sums among some nodes, written anew."""

    def __init__(self, graph: Graph, order: Sequence[int]) -> None:
        self.graph = graph
        self._image: dict[int, int] = {}
        self._bares: dict[int, tuple[float, int]] = {}
        self._made: list[tuple[int, int]] = []  # each with the sum as it was
        self._based: dict[int, tuple[int, Sum]] = {}
        self._roots = self._outermost(order)
        self._size = dict.fromkeys(order, 1)  # terms of a sum; one that is met twice counts twice
        longest: dict[int, int] = {}
        for i in order:
            below = self.graph.nodes[i][1:] if not self._is_leaf(i) else ()
            self._size[i] = sum(self._size[j] for j, _ in self._parts(i, 1.0)) or 1
            longest[i] = max([longest[j] for j in below] + [self._size[i] if i in self._roots else 0])
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

    def _parts(self, i: int, n: float) -> list[tuple[int, float]]:
        """n times a node as a sum of others; empty where it is none."""
        operation, *args = self.graph.nodes[i]
        if operation in ("+", "-"):
            return [(args[0], n), (args[1], n if operation == "+" else -n)]
        if operation == "neg":
            return [(args[0], -n)]
        factor, rest = self._bare(i) if operation == "*" else (1.0, i)
        return [(rest, n * factor)] if rest != i else []

    def _bare(self, i: int) -> tuple[float, int]:
        """A product as a number and the product without it, if that is computed too; else 1 and the product."""
        if i not in self._bares:
            numbers, (operation, *args) = self.graph.numbers, self.graph.nodes[i]
            self._bares[i] = 1.0, i
            if operation == "*":
                (a, x), (b, y) = ((numbers[j], self.graph.one) if j in numbers else self._bare(j) for j in args)
                rest = self.graph.product(x, y) if a * b != 1.0 else None
                self._bares[i] = (a * b, rest) if rest in self._size else (1.0, i)
        return self._bares[i]

    def _laid_out(self, times: dict[int, float], most: float) -> Sum | None:
        """So many times some nodes, as a sum of nodes that are none; None where it has more terms.

        What cancels is not looked into: the difference of long sums with a common part is seen in a few steps.
        """
        found, waiting = Sum(), [-i for i in times]
        heapq.heapify(waiting)
        while waiting:  # the last node first: whatever it is a part of has been seen
            i = -heapq.heappop(waiting)
            n = times.pop(i)
            parts = self._parts(i, n) if n else []
            for j, m in parts:
                if j not in times:
                    heapq.heappush(waiting, -j)
                times[j] = times.get(j, 0.0) + m
            if n and not parts:
                found[i] = found.get(i, 0.0) + n
                if len(found) > most:
                    return None
        return {term: n for term, n in found.items() if n}

    def node(self, index: int) -> int:
        """The node written anew."""
        stack = [index]
        while stack:
            i = stack[-1]
            below = self._lacking(i)[1] if i in self._roots else () if self._is_leaf(i) else self.graph.nodes[i][1:]
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
            return self._total(i)
        operation, *args = self.graph.nodes[i]
        return self.graph.remake(operation, *(self._image[j] for j in args))

    def _lacking(self, i: int) -> tuple[int, Sum]:
        """An earlier sum, as it is written now, and what the sum has more than it; 0 where no sum saves terms."""
        if i not in self._based:
            bases = self._made[: -_LOOKED_AT - 1 : -1] if self._size[i] > _PAIR else []
            most, based = _CLOSE, None
            while bases and based is None and most < _CLOSE * self._size[i]:  # far ones only if none is near
                for old, node in bases:  # the latest first, which are near most often
                    lack = self._laid_out({i: 1.0, old: -1.0}, most if based is None else len(based[1]))
                    based = based if lack is None else (node, lack)
                most *= _CLOSE
            whole = self._laid_out({i: 1.0}, inf if based is None else len(based[1]) + 1)
            self._based[i] = (self.graph.zero, whole or Sum()) if based is None or whole is not None else based
        return self._based[i]

    def _total(self, i: int) -> int:
        """A sum from the earlier one that saves most."""
        total, lacking = self._lacking(i)
        for term, n in sorted(lacking.items(), key=lambda item: (-item[1], item[0])):
            part = self.graph.times(self.graph.number(abs(n)), self._image[term])
            total = self.graph.plus(total, part) if n > 0 else self.graph.minus(total, part)
        self._made.append((i, total))
        return total
