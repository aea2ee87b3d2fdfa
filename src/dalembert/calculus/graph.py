"""The expression graph: hash-consed, so equal subexpressions are one node and nothing ever swells.

A node is made once and named by its index; an operation's arguments always have smaller indices, so ascending index is
an evaluation order. Derivatives, substitutions and linear solves are made on the graph and share everything they can;
a derivative asked for again is looked up. Nothing is expanded and nothing is simplified beyond 0, 1 and signs.

    graph = Graph()
    x, v = graph.symbol("x"), graph.symbol("v")
    energy = v * v / 2 - cos(x)
    gradient(energy, [x, v])          # reverse mode, [sin x, v]
    tangent([energy], [x], [v])       # forward mode along (dx = v)
    evaluate([energy], {"x": 0.1, "v": np.linspace(0, 1)})
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from .elementary_functions import ELEMENTARY
from .node_store import CONSTANT, LEAVES, SYMBOL, Graph, Node, cos, needed, sin, sqrt
from .node_values import Program

__all__ = [
    "CONSTANT",
    "SYMBOL",
    "Graph",
    "Node",
    "cos",
    "evaluate",
    "gradient",
    "live",
    "operations",
    "operations_until",
    "sin",
    "sqrt",
    "substitute",
    "symbols",
    "tangent",
    "values_of_all",
]
_PROGRAMS = 64  # kept for one graph


def live(outputs: Sequence[Node]) -> list[int]:
    """Indices of all nodes that the outputs need, in evaluation order."""
    if not outputs:
        return []
    return needed(outputs[0].graph, [y.index for y in outputs])


def symbols(outputs: Sequence[Node]) -> set[str]:
    """Names of all symbols that the outputs depend on."""
    if not outputs:
        return set()
    graph = outputs[0].graph
    return graph.names(graph.union(y.index for y in outputs))


def operations(outputs: Sequence[Node]) -> dict[str, int]:
    """How many operations of each kind the outputs cost, common subexpressions counted once."""
    count: dict[str, int] = {}
    for i in live(outputs):
        name = outputs[0].graph.nodes[i][0]
        if name not in LEAVES:
            count[name] = count.get(name, 0) + 1
    return count


def operations_until(most: int, rows: Iterable[Sequence[Node]]) -> int:
    """How many operations rows cost, counted row by row; no row is asked for after more than `most` were found."""
    seen: set[int] = set()
    count = 0
    for row in rows:
        new = [i for i in live(row) if i not in seen]
        seen.update(new)
        count += sum(row[0].graph.nodes[i][0] not in LEAVES for i in new)
        if count > most:
            break
    return count


# --- derivatives ------------------------------------------------------------------------------------------------------


def gradient(y: Node, xs: Sequence[Node]) -> list[Node]:
    """dy/dx for every symbol x, by one reverse sweep."""
    graph = y.graph
    key = ("gradient", y.index, tuple(x.index for x in xs))
    found = graph.memory.get(key)
    if found is None:
        adjoint = adjoints(graph, y.index, graph.union(key[2]))
        found = graph.memory[key] = [adjoint.get(x, graph.zero) for x in key[2]]
    return [Node(graph, i) for i in found]


def adjoints(graph: Graph, y: int, wanted: int) -> dict[int, int]:
    """dy/dx by index, for each node x that y is made of and that depends on the `wanted` symbols."""
    nodes, reach, plus, zero = graph.nodes, graph.reach, graph.plus, graph.zero
    adjoint = {y: graph.one}
    for i in reversed(needed(graph, [y], wanted)):
        key, bar = nodes[i], adjoint.get(i, zero)
        if key[0] in LEAVES or bar == zero:
            continue
        for j, term in _pulled(graph, i, key, bar, wanted):
            if reach[j] & wanted:
                adjoint[j] = plus(adjoint[j], term) if j in adjoint else term
    return adjoint


def _pulled(graph: Graph, i: int, key: tuple[Any, ...], bar: int, wanted: int) -> Sequence[tuple[int, int]]:
    """What the adjoint of an operation adds to those of its arguments."""
    operation, a, reach = key[0], key[1], graph.reach
    if operation == "*":
        b = key[2]
        if not reach[a] & wanted:
            return ((b, graph.times(bar, a)),)
        if not reach[b] & wanted:
            return ((a, graph.times(bar, b)),)
        return ((a, graph.times(bar, b)), (b, graph.times(bar, a)))
    if operation == "+":
        return ((a, bar), (key[2], bar))
    if operation == "-":
        return ((a, bar), (key[2], graph.negative(bar))) if reach[key[2]] & wanted else ((a, bar),)
    if operation == "neg":
        return ((a, graph.negative(bar)),)
    return [(j, graph.times(bar, p)) for j, p in zip(key[1:], _partials(graph, i, key), strict=True)]


def _partials(graph: Graph, i: int, key: tuple[Any, ...]) -> list[int]:
    """dy/dx of an operation's arguments."""
    found = ELEMENTARY[key[0]].partials(Node(graph, i), *(Node(graph, j) for j in key[1:]))
    return [graph.lift(p).index for p in found]


def tangent(ys: Sequence[Node], xs: Sequence[Node], dxs: Sequence[Node | float]) -> list[Node]:
    """Directional derivative of every y along dx, by one forward sweep."""
    if not ys:
        return []
    graph = ys[0].graph
    rates = {x.index: graph.lift(dx).index for x, dx in zip(xs, dxs, strict=True)}
    key = ("tangent", tuple(y.index for y in ys), tuple(rates.items()))
    found = graph.memory.get(key)
    if found is None:
        found = graph.memory[key] = _tangent(graph, key[1], rates)
    return [Node(graph, i) for i in found]


def _tangent(graph: Graph, ys: Sequence[int], rate: dict[int, int]) -> list[int]:
    zero, rate = graph.zero, dict(rate)
    wanted = graph.union(x for x, dx in rate.items() if dx != zero)
    for i in needed(graph, ys, wanted):
        key = graph.nodes[i]
        if key[0] not in LEAVES and i not in rate:
            rate[i] = _pushed(graph, i, key, [rate.get(j, zero) for j in key[1:]])
    return [rate.get(y, zero) for y in ys]


def _pushed(graph: Graph, i: int, key: tuple[Any, ...], moving: Sequence[int]) -> int:
    """The rate of an operation from those of its arguments."""
    operation = key[0]
    if operation == "*":
        return graph.plus(graph.times(moving[0], key[2]), graph.times(moving[1], key[1]))
    if operation == "+":
        return graph.plus(*moving)
    if operation == "-":
        return graph.minus(*moving)
    total = graph.zero
    if any(m != graph.zero for m in moving):
        for m, p in zip(moving, _partials(graph, i, key), strict=True):
            total = graph.plus(total, graph.times(m, p))
    return total


# --- substitution and numbers -----------------------------------------------------------------------------------------


def substitute(outputs: Sequence[Node], replacement: Mapping[str, Node | float]) -> list[Node]:
    """The outputs with symbols replaced by nodes or numbers."""
    if not outputs:
        return []
    graph = outputs[0].graph
    image = {graph.symbol(name).index: graph.lift(value).index for name, value in replacement.items()}
    for i in needed(graph, [y.index for y in outputs], graph.union(image)):
        operation, *args = graph.nodes[i]
        if operation not in LEAVES:
            image[i] = graph.remake(operation, *(image.get(j, j) for j in args))
    return [Node(graph, image.get(y.index, y.index)) for y in outputs]


def evaluate(outputs: Sequence[Node], values: Mapping[str, object]) -> list[Any]:
    """Values of the outputs; symbols take numbers or arrays that broadcast together.

    Raises:
        KeyError: a symbol has no value.
    """
    if not outputs:
        return []
    program = _program(outputs)
    found = program.run(values)
    return [found[y.index] for y in outputs]


def values_of_all(outputs: Sequence[Node], values: Mapping[str, object]) -> dict[int, Any]:
    """Values of every node that the outputs need, by index: what `evaluate` returns and what lies underneath."""
    if not outputs:
        return {}
    program = _program(outputs)
    found = program.run(values)
    return {i: found[i] for i in program.order}


def _program(outputs: Sequence[Node]) -> Program:
    graph, key = outputs[0].graph, tuple(y.index for y in outputs)
    programs: dict[tuple[int, ...], Program] = graph.memory.setdefault("programs", {})
    program = programs.get(key)
    if program is None:
        while len(programs) >= _PROGRAMS:
            programs.pop(next(iter(programs)))
        program = programs[key] = Program.of(graph, live(outputs))
    return program
