"""The parse tree: small nodes that know their place in the text, their depth and their number of operations."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from .tokens import Token


@dataclass(eq=False)
class Node:
    """One node.

    Attributes:
        kind: ``number name group sign power product sum call compare and or not``.
        token: the token it is named for: the number, the name, the function, the first operator.
        parts: the nodes below.
        signs: for sums and products one operator for each part, the first being ``+`` or ``*``; for comparisons the
            operator.
        begin, end: columns.
        depth: of the tree below, brackets not counted.
    """

    kind: str
    token: Token
    parts: tuple[Node, ...] = ()
    signs: tuple[str, ...] = ()
    begin: int = 0
    end: int = 0
    depth: int = field(default=1)

    @property
    def length(self) -> int:
        """Characters it spans."""
        return self.end - self.begin

    @property
    def truth(self) -> bool:
        """Is it a condition?"""
        return self.kind in ("compare", "and", "or", "not")

    @property
    def bare(self) -> Node:
        """The node within its brackets."""
        node = self
        while node.kind == "group":
            node = node.parts[0]
        return node

    def upward(self) -> Iterator[Node]:
        """All nodes, those below before those above."""
        order, stack = [], [self]
        while stack:
            node = stack.pop()
            order.append(node)
            stack.extend(node.parts)
        return reversed(order)
