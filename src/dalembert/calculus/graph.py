"""The expression graph: hash-consed, so equal subexpressions are one node and nothing ever swells.

A node is made once and named by its index; an operation's arguments always have smaller indices, so ascending index is
an evaluation order. Derivatives, substitutions and linear solves are made on the graph and share everything they can.
Nothing is expanded and nothing is simplified beyond 0, 1 and signs.

    graph = Graph()
    x, v = graph.symbol("x"), graph.symbol("v")
    energy = v * v / 2 - cos(x)
    gradient(energy, [x, v])          # reverse mode, [sin x, v]
    tangent([energy], [x], [v])       # forward mode along (dx = v)
    evaluate([energy], {"x": 0.1, "v": np.linspace(0, 1)})
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from .elementary import ELEMENTARY

CONSTANT, SYMBOL = "constant", "symbol"
_COMMUTATIVE = {"+", "*", "min", "max", "eq"}


class Graph:
    """A store of unique nodes. `nodes[i]` is ``(CONSTANT, value)``, ``(SYMBOL, name)`` or ``(operation, *indices)``.

    `image` holds what was read into it: the node of each foreign expression.
    """

    def __init__(self) -> None:
        self.nodes: list[tuple[Any, ...]] = []
        self.image: dict[Any, Node] = {}
        self._index: dict[tuple[Any, ...], int] = {}

    def _make(self, *key: Any) -> Node:
        index = self._index.get(key)
        if index is None:
            index = self._index[key] = len(self.nodes)
            self.nodes.append(key)
        return Node(self, index)

    def constant(self, value: float) -> Node:
        """The number `value`; -0.0 is kept as 0.0 so that zeros are one node."""
        return self._make(CONSTANT, float(value) + 0.0)

    def symbol(self, name: str) -> Node:
        """The variable called `name`."""
        return self._make(SYMBOL, name)

    def lift(self, value: Node | float) -> Node:
        """`value` as a node of this graph."""
        return value if isinstance(value, Node) else self.constant(value)

    def apply(self, operation: str, *args: Node | float) -> Node:
        """The operation on its arguments, folded to a number where all arguments are numbers."""
        nodes = [self.lift(a) for a in args]
        if all(n.is_constant for n in nodes):
            with np.errstate(all="ignore"):
                value = float(ELEMENTARY[operation].value(*(np.float64(n.value) for n in nodes)))
            if np.isfinite(value):  # a number that is not finite stays an operation, so that it can be named
                return self.constant(value)
        indices = [n.index for n in nodes]
        return self._make(operation, *(sorted(indices) if operation in _COMMUTATIVE else indices))


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
        return () if self.operation in (CONSTANT, SYMBOL) else tuple(Node(self.graph, i) for i in self.key[1:])

    @property
    def is_constant(self) -> bool:
        """Is this a number?"""
        return bool(self.key[0] == CONSTANT)

    @property
    def is_zero(self) -> bool:
        """Is this the number 0?"""
        return self.is_constant and self.value == 0.0

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

    def _is(self, number: float) -> bool:
        return self.is_constant and self.value == number

    def __add__(self, other: Node | float) -> Node:
        b = self.graph.lift(other)
        if self.is_zero:
            return b
        if b.is_zero:
            return self
        if b.operation == "neg":
            return self - b.args[0]
        if self.operation == "neg":
            return b - self.args[0]
        return self.graph.apply("+", self, b)

    __radd__ = __add__

    def __sub__(self, other: Node | float) -> Node:
        b = self.graph.lift(other)
        if b.is_zero:
            return self
        if self.is_zero:
            return -b
        if self == b:
            return self.graph.constant(0)
        if b.operation == "neg":
            return self + b.args[0]
        return self.graph.apply("-", self, b)

    def __rsub__(self, other: float) -> Node:
        return self.graph.lift(other) - self

    def __mul__(self, other: Node | float) -> Node:
        a, b = self, self.graph.lift(other)
        if b.is_constant:
            a, b = b, a
        if a.is_zero or b._is(1):
            return a
        if a._is(1):
            return b
        if a._is(-1):
            return -b
        if a.is_constant and b.operation == "*":  # 2 (3 x) = 6 x
            for number, rest in (b.args, b.args[::-1]):
                if number.is_constant:
                    return self.graph.apply("*", a, number) * rest
        if a.operation == "neg":
            return -(a.args[0] * b)
        if b.operation == "neg":
            return -(a * b.args[0])
        return self.graph.apply("*", a, b)

    __rmul__ = __mul__

    def __neg__(self) -> Node:
        if self.operation == "neg":
            return self.args[0]
        if self.operation == "-":
            return self.graph.apply("-", self.args[1], self.args[0])
        return self.graph.apply("neg", self)

    def __truediv__(self, other: Node | float) -> Node:
        b = self.graph.lift(other)
        if b._is(1) or (self.is_zero and not b.is_zero):
            return self
        if b._is(-1):
            return -self
        return self.graph.apply("/", self, b)

    def __rtruediv__(self, other: float) -> Node:
        return self.graph.lift(other) / self

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


def live(outputs: Sequence[Node]) -> list[int]:
    """Indices of all nodes that the outputs need, in evaluation order."""
    if not outputs:
        return []
    nodes = outputs[0].graph.nodes
    seen: set[int] = set()
    stack = [y.index for y in outputs]
    while stack:
        i = stack.pop()
        if i in seen:
            continue
        seen.add(i)
        if nodes[i][0] not in (CONSTANT, SYMBOL):
            stack.extend(nodes[i][1:])
    return sorted(seen)


def symbols(outputs: Sequence[Node]) -> set[str]:
    """Names of all symbols that the outputs depend on."""
    if not outputs:
        return set()
    nodes = outputs[0].graph.nodes
    return {nodes[i][1] for i in live(outputs) if nodes[i][0] == SYMBOL}


def operations(outputs: Sequence[Node]) -> dict[str, int]:
    """How many operations of each kind the outputs cost, common subexpressions counted once."""
    count: dict[str, int] = {}
    for i in live(outputs):
        name = outputs[0].graph.nodes[i][0]
        if name not in (CONSTANT, SYMBOL):
            count[name] = count.get(name, 0) + 1
    return count


def gradient(y: Node, xs: Sequence[Node]) -> list[Node]:
    """dy/dx for every symbol x, by one reverse sweep."""
    graph = y.graph
    order = live([y])
    wanted = {x.index for x in xs}
    depends: set[int] = set()
    for i in order:
        key = graph.nodes[i]
        if i in wanted or (key[0] not in (CONSTANT, SYMBOL) and any(j in depends for j in key[1:])):
            depends.add(i)
    adjoint: dict[int, Node] = {y.index: graph.constant(1)}
    for i in reversed(order):
        node = Node(graph, i)
        if i not in adjoint or i not in depends or not node.args:
            continue
        partials = ELEMENTARY[node.operation].partials(node, *node.args)
        for arg, partial in zip(node.args, partials, strict=True):
            if arg.index in depends:
                term = adjoint[i] * partial
                adjoint[arg.index] = adjoint[arg.index] + term if arg.index in adjoint else term
    zero = graph.constant(0)
    return [adjoint.get(x.index, zero) if x.index in depends else zero for x in xs]


def tangent(ys: Sequence[Node], xs: Sequence[Node], dxs: Sequence[Node | float]) -> list[Node]:
    """Directional derivative of every y along dx, by one forward sweep."""
    if not ys:
        return []
    graph = ys[0].graph
    zero = graph.constant(0)
    rate: dict[int, Node] = {x.index: graph.lift(dx) for x, dx in zip(xs, dxs, strict=True)}
    for i in live(ys):
        node = Node(graph, i)
        if i in rate or not node.args:
            continue
        moving = [rate.get(a.index, zero) for a in node.args]
        if all(m.is_zero for m in moving):
            continue
        partials = ELEMENTARY[node.operation].partials(node, *node.args)
        total = zero
        for partial, m in zip(partials, moving, strict=True):
            if not m.is_zero:
                total = total + m * partial
        rate[i] = total
    return [rate.get(y.index, zero) for y in ys]


def substitute(outputs: Sequence[Node], replacement: Mapping[str, Node | float]) -> list[Node]:
    """The outputs with symbols replaced by nodes or numbers."""
    if not outputs:
        return []
    graph = outputs[0].graph
    image: dict[int, Node] = {}
    for i in live(outputs):
        node = Node(graph, i)
        if node.operation == SYMBOL:
            image[i] = graph.lift(replacement.get(node.key[1], node))
        elif node.is_constant:
            image[i] = node
        else:
            image[i] = rebuild(node.operation, [image[a.index] for a in node.args])
    return [image[y.index] for y in outputs]


def rebuild(operation: str, args: Sequence[Node]) -> Node:
    """The operation on new arguments, with the usual tidying of zeros, ones and signs."""
    a = args[0]
    if operation == "+":
        return a + args[1]
    if operation == "-":
        return a - args[1]
    if operation == "*":
        return a * args[1]
    if operation == "/":
        return a / args[1]
    if operation == "neg":
        return -a
    return a.graph.apply(operation, *args)


def evaluate(outputs: Sequence[Node], values: Mapping[str, Any]) -> list[Any]:
    """Values of the outputs; symbols take numbers or arrays that broadcast together.

    Raises:
        KeyError: a symbol has no value.
    """
    value = values_of_all(outputs, values)
    return [value[y.index] for y in outputs]


def values_of_all(outputs: Sequence[Node], values: Mapping[str, Any]) -> dict[int, Any]:
    """Values of every node that the outputs need, by index: what `evaluate` returns and what lies underneath."""
    if not outputs:
        return {}
    nodes = outputs[0].graph.nodes
    found: dict[int, Any] = {}
    with np.errstate(all="ignore"):
        for i in live(outputs):
            key = nodes[i]
            if key[0] == CONSTANT:
                found[i] = key[1]
            elif key[0] == SYMBOL:
                found[i] = values[key[1]]
            else:
                found[i] = ELEMENTARY[key[0]].value(*(found[j] for j in key[1:]))
    return found
