"""Nodes of the graph as formulas for the eye: what is used more than once and is long has a name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import sympy as sp

from .elementary import ELEMENTARY
from .fold import Folded, fresh_names
from .graph import CONSTANT, SYMBOL, Graph, Node, live
from .graph import symbols as names_of

_WORTH = 3  # operations of a shared part from which a name is shorter


def formulas(outputs: Sequence[Node], symbols: Mapping[str, sp.Symbol]) -> Folded:
    """The outputs as SymPy expressions, as they are computed.

    Args:
        outputs: nodes of one graph.
        symbols: those to be used for the graph's symbols; for others new ones of the same name.
    """
    if not outputs:
        return Folded((), ())
    graph, order = outputs[0].graph, live(outputs)
    uses = _uses(graph, order, outputs)
    found: dict[int, sp.Expr] = {}
    sizes: dict[int, int] = {}
    known = {name: symbols.get(name, sp.Symbol(name, real=True)) for name in names_of(outputs)}
    fresh = fresh_names(known.values())
    definitions: list[tuple[sp.Symbol, sp.Expr]] = []
    for i in order:
        e = expression(graph, i, found, known)
        sizes[i] = 1 + sum(sizes[j] for j in graph.nodes[i][1:]) if graph.nodes[i][0] not in (CONSTANT, SYMBOL) else 0
        if uses[i] > 1 and sizes[i] >= _WORTH:
            name = next(fresh)
            definitions.append((name, e))
            e, sizes[i] = name, 0
        found[i] = e
    return Folded(tuple(definitions), tuple(found[y.index] for y in outputs))


def _uses(graph: Graph, order: Sequence[int], outputs: Sequence[Node]) -> dict[int, int]:
    """How often each node is an argument or an output."""
    uses = dict.fromkeys(order, 0)
    for i in order:
        if graph.nodes[i][0] not in (CONSTANT, SYMBOL):
            for j in graph.nodes[i][1:]:
                uses[j] += 1
    for y in outputs:
        uses[y.index] += 1
    return uses


def expression(graph: Graph, i: int, found: Mapping[int, sp.Expr], symbols: Mapping[str, sp.Symbol]) -> sp.Expr:
    """One node, its arguments being known."""
    operation, *args = graph.nodes[i]
    if operation == CONSTANT:
        return sp.Integer(int(args[0])) if float(args[0]).is_integer() and abs(args[0]) < 1e9 else _number(args[0])
    if operation == SYMBOL:
        return symbols[args[0]]
    parts = [found[j] for j in args]
    if operation == "+":
        return parts[0] + parts[1]
    if operation == "-":
        return parts[0] - parts[1]
    if operation == "*":
        return parts[0] * parts[1]
    if operation == "/":
        return parts[0] / parts[1]
    if operation == "neg":
        return -parts[0]
    if operation == "pow":
        return parts[0] ** parts[1]
    if operation == "select":
        return sp.Piecewise((parts[1], sp.Ne(parts[0], 0)), (parts[2], True))
    symbol = ELEMENTARY[operation].symbol
    assert symbol is not None  # of every other row of the table
    return symbol(*parts)


def _number(value: float) -> sp.Expr:
    """A short fraction where the number is one, else its digits."""
    fraction = sp.nsimplify(value, rational=True)
    return fraction if fraction.q <= 64 and float(fraction) == value else sp.Float(value, 15)
