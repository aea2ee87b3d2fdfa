"""The store of the expression graph: unique nodes, and arithmetic that tidies zeros, ones and signs."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from operator import add, mul, neg, sub
from typing import Any, cast

import numpy as np

from .elementary_functions import ELEMENTARY
from .fork_locks import lock

CONSTANT, SYMBOL = "constant", "symbol"
LEAVES = (CONSTANT, SYMBOL)
_COMMUTATIVE = {name for name, row in ELEMENTARY.items() if row.commutative}


class Graph:
    """A store of unique nodes. `nodes[i]` is ``(CONSTANT, value)``, ``(SYMBOL, name)`` or ``(operation, *indices)``.

    The arithmetic is on indices; `Node` makes it readable.

    Attributes:
        nodes: the nodes' keys.
        below: for each node its arguments, none of numbers and symbols.
        reach: for each node the symbols it depends on, one bit each, in the order in which these were made.
        numbers: the value of each node that is a number.
        image: what was read into it: the node of each foreign expression.
        seen: the same by the identity of the very object, beside the object: what was seen before needs no hash.
        memory: what was derived on it, by what it was derived from.
    """

    def __init__(self) -> None:
        self.nodes: list[tuple[Any, ...]] = []
        self.below: list[tuple[int, ...]] = []
        self.reach: list[int] = []
        self.numbers: dict[int, float] = {}
        self.image: dict[Any, Node] = {}
        self.seen: dict[int, tuple[Any, Node]] = {}
        self.memory: dict[Any, Any] = {}
        self._index: dict[tuple[Any, ...], int] = {}
        self._symbols: list[str] = []
        self._lock, self._naming = lock(), lock()
        self.zero, self.one = self.number(0.0), self.number(1.0)

    def _add(self, key: tuple[Any, ...], reach: int) -> int:
        with self._lock:
            index = self._index.get(key)
            if index is None:
                index = len(self.nodes)
                self.nodes.append(key)
                self.below.append(() if key[0] in LEAVES else key[1:])
                self.reach.append(reach)
                self._index[key] = index
        return index

    def _make(self, key: tuple[Any, ...]) -> int:
        index = self._index.get(key)
        if index is None:
            reach = 0
            for i in key[1:]:
                reach |= self.reach[i]
            return self._add(key, reach)
        return index

    def _two(self, operation: str, a: int, b: int) -> int:
        """`_make` for two arguments, the commonest."""
        key = (operation, a, b)
        index = self._index.get(key)
        return self._add(key, self.reach[a] | self.reach[b]) if index is None else index

    def number(self, value: float) -> int:
        """The index of a number; -0.0 is kept as 0.0 so that zeros are one node."""
        key = (CONSTANT, float(value) + 0.0)
        index = self._index.get(key)
        if index is None or index not in self.numbers:
            index = self._add(key, 0)
            self.numbers[index] = key[1]
        return index

    def constant(self, value: float) -> Node:
        """The number `value` as a node."""
        return Node(self, self.number(value))

    def symbol(self, name: str) -> Node:
        """The variable called `name`."""
        index = self._index.get((SYMBOL, name))
        if index is None:
            with self._naming:
                if (SYMBOL, name) not in self._index:
                    self._symbols.append(name)
                    self._add((SYMBOL, name), 1 << (len(self._symbols) - 1))
            index = self._index[SYMBOL, name]
        return Node(self, index)

    def __getstate__(self) -> dict[str, Any]:
        """Without locks and identities, which cannot be copied."""
        return {name: value for name, value in vars(self).items() if name not in ("_lock", "_naming", "seen")}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state, seen={}, _lock=lock(), _naming=lock())

    def union(self, indices: Iterable[int]) -> int:
        """The symbols that any of these nodes depends on, one bit each."""
        found = 0
        for i in indices:
            found |= self.reach[i]
        return found

    def bits(self, names: Iterable[str]) -> int:
        """The bits of symbols."""
        return self.union(self.symbol(name).index for name in names)

    def names(self, reach: int) -> set[str]:
        """The symbols of these bits."""
        found = set()
        while reach:
            bit = reach & -reach
            found.add(self._symbols[bit.bit_length() - 1])
            reach ^= bit
        return found

    def lift(self, value: Node | float) -> Node:
        """`value` as a node of this graph."""
        return value if isinstance(value, Node) else self.constant(value)

    def apply(self, operation: str, *args: Node | float) -> Node:
        """The operation on its arguments, folded to a number where all arguments are numbers."""
        return Node(self, self.operate(operation, *(self.lift(a).index for a in args)))

    def operate(self, operation: str, *args: int) -> int:
        """`apply` on indices."""
        numbers = [self.numbers.get(i) for i in args]
        if None not in numbers:
            value = _folded(operation, cast(list[float], numbers))
            if math.isfinite(value):  # a number that is not finite stays an operation, so that it can be named
                return self.number(value)
        return self._make((operation, *(sorted(args) if operation in _COMMUTATIVE else args)))

    def remake(self, operation: str, *args: int) -> int:
        """An operation that there is, on these arguments instead, tidied as arithmetic is."""
        two = {"+": self.plus, "-": self.minus, "*": self.times, "/": self.over}.get(operation)
        if two is not None:
            return two(*args)
        return self.negative(*args) if operation == "neg" else self.operate(operation, *args)

    # --- arithmetic on indices, with zeros, ones and signs tidied ----------------------------------------------------

    def plus(self, a: int, b: int) -> int:
        """a + b."""
        x, y = self.numbers.get(a), self.numbers.get(b)
        if x == 0.0:
            return b
        if y == 0.0:
            return a
        key = self.nodes[b]
        if key[0] == "neg":
            return self.minus(a, key[1])
        key = self.nodes[a]
        if key[0] == "neg":
            return self.minus(b, key[1])
        if x is not None and y is not None:
            return self.operate("+", a, b)
        return self._two("+", a, b) if a <= b else self._two("+", b, a)

    def minus(self, a: int, b: int) -> int:
        """a - b."""
        x, y = self.numbers.get(a), self.numbers.get(b)
        if y == 0.0:
            return a
        if x == 0.0:
            return self.negative(b)
        if a == b:
            return self.zero
        key = self.nodes[b]
        if key[0] == "neg":
            return self.plus(a, key[1])
        if x is not None and y is not None:
            return self.operate("-", a, b)
        return self._two("-", a, b)

    def times(self, a: int, b: int) -> int:
        """a b."""
        if b in self.numbers:
            a, b = b, a
        x, y = self.numbers.get(a), self.numbers.get(b)
        nodes = self.nodes
        if x is not None:
            if x == 0.0 or y == 1.0:
                return a
            if x == 1.0:
                return b
            if x == -1.0:
                return self.negative(b)
            if y is not None:
                return self.operate("*", a, b)
            key = nodes[b]
            if key[0] == "*":  # 2 (3 x) = 6 x
                for number, rest in (key[1:], key[:0:-1]):
                    if number in self.numbers:
                        return self.times(self.operate("*", a, number), rest)
        key = nodes[a]
        if key[0] == "neg":
            return self.negative(self.times(key[1], b))
        key = nodes[b]
        if key[0] == "neg":
            return self.negative(self.times(a, key[1]))
        return self._two("*", a, b) if a <= b else self._two("*", b, a)

    def product(self, a: int, b: int) -> int | None:
        """a b, if there is such a node or it is one of the two."""
        if self.one in (a, b):
            return a if b == self.one else b
        return self._index.get(("*", min(a, b), max(a, b)))

    def negative(self, a: int) -> int:
        """-a."""
        key = self.nodes[a]
        if key[0] == "neg":
            return int(key[1])
        if key[0] == "-":
            return self._two("-", key[2], key[1])
        return self.operate("neg", a) if a in self.numbers else self._make(("neg", a))

    def over(self, a: int, b: int) -> int:
        """a/b."""
        x, y = self.numbers.get(a), self.numbers.get(b)
        if y == 1.0 or (x == 0.0 and y != 0.0):
            return a
        if y == -1.0:
            return self.negative(a)
        return self.operate("/", a, b) if x is not None and y is not None else self._two("/", a, b)


_EXACTLY: Mapping[str, Callable[..., float]] = {"+": add, "-": sub, "*": mul, "neg": neg}  # never raise


def _folded(operation: str, numbers: Sequence[float]) -> float:
    """The operation's value at numbers, to the same bit as NumPy's."""
    plainly = _EXACTLY.get(operation)
    if plainly is not None:
        return plainly(*numbers)
    with np.errstate(all="ignore"):
        return float(ELEMENTARY[operation].value(*map(np.float64, numbers)))


class Node:
    """One node of a `Graph`; arithmetic on nodes makes new nodes."""

    __slots__ = ("graph", "index")

    def __init__(self, graph: Graph, index: int) -> None:
        self.graph, self.index = graph, index

    @property
    def key(self) -> tuple[Any, ...]:
        """The node's entry in the graph."""
        return self.graph.nodes[self.index]

    @property
    def operation(self) -> str:
        """``"constant"``, ``"symbol"`` or the operation's name."""
        return str(self.key[0])

    @property
    def args(self) -> tuple[Node, ...]:
        """The operation's arguments; empty for numbers and symbols."""
        key = self.key
        return () if key[0] in LEAVES else tuple(Node(self.graph, i) for i in key[1:])

    @property
    def is_constant(self) -> bool:
        """Is this a number?"""
        return self.index in self.graph.numbers

    @property
    def is_zero(self) -> bool:
        """Is this the number 0?"""
        return self.index == self.graph.zero

    @property
    def value(self) -> float:
        """The number, of a constant node."""
        return float(self.key[1])

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Node) and other.graph is self.graph and other.index == self.index

    def __hash__(self) -> int:
        return hash((id(self.graph), self.index))

    def __repr__(self) -> str:
        return f"Node({self.index}: {' '.join(map(str, self.key))})"

    def _other(self, value: Node | float) -> int:
        return value.index if isinstance(value, Node) else self.graph.number(value)

    def __add__(self, other: Node | float) -> Node:
        return Node(self.graph, self.graph.plus(self.index, self._other(other)))

    __radd__ = __add__

    def __sub__(self, other: Node | float) -> Node:
        return Node(self.graph, self.graph.minus(self.index, self._other(other)))

    def __rsub__(self, other: float) -> Node:
        return Node(self.graph, self.graph.minus(self._other(other), self.index))

    def __mul__(self, other: Node | float) -> Node:
        return Node(self.graph, self.graph.times(self.index, self._other(other)))

    __rmul__ = __mul__

    def __neg__(self) -> Node:
        return Node(self.graph, self.graph.negative(self.index))

    def __truediv__(self, other: Node | float) -> Node:
        return Node(self.graph, self.graph.over(self.index, self._other(other)))

    def __rtruediv__(self, other: float) -> Node:
        return Node(self.graph, self.graph.over(self._other(other), self.index))

    def __pow__(self, exponent: Node | float) -> Node:
        e = self.graph.lift(exponent)
        if not e.is_constant:
            return self.graph.apply("pow", self, e)
        twice = 2 * e.value
        if twice != int(twice) or abs(twice) > 128:
            return self.graph.apply("pow", self, e)
        base = self if twice % 2 == 0 else self.graph.apply("sqrt", self)
        power = _integer_power(base, abs(int(e.value if twice % 2 == 0 else twice)))
        return power if twice >= 0 else 1 / power


def _integer_power(base: Node, n: int) -> Node:
    """base^n by repeated squaring, n >= 0."""
    result = base.graph.constant(1)
    while n:
        if n & 1:
            result = result * base
        n >>= 1
        if n:
            base = base * base
    return result


def sin(x: Node) -> Node:
    """Sine of a node."""
    return x.graph.apply("sin", x)


def cos(x: Node) -> Node:
    """Cosine of a node."""
    return x.graph.apply("cos", x)


def sqrt(x: Node) -> Node:
    """Square root of a node."""
    return x.graph.apply("sqrt", x)


def needed(graph: Graph, roots: Iterable[int], wanted: int = 0) -> list[int]:
    """Indices of all nodes that the roots need, rising; only those that reach `wanted`, if given."""
    below, reach = graph.below, graph.reach
    found: set[int] = set()
    new = {i for i in roots if reach[i] & wanted} if wanted else set(roots)
    while new:
        found |= new
        new = set().union(*map(below.__getitem__, new)) - found
        if wanted:
            new = {i for i in new if reach[i] & wanted}
    return sorted(found)
