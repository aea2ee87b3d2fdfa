"""Which products of a graph become one operation with the sum that they stand in: a b + c, rounded once.

It is decided here and not left to the compiler, whose choice depends on what stands beside: so a function gives the
same bits for one number, for lanes, and written into another function.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ...calculus.graph import CONSTANT, SYMBOL

Nodes = Sequence[tuple[Any, ...]]  # of a graph: operation and operands

_SUMS, _PRODUCT = ("+", "-"), "*"


def products_in_sums(order: Sequence[int], nodes: Nodes, outputs: Iterable[int]) -> dict[int, int]:
    """For sums and differences, the position (1 or 2) of an operand that is a product and is used nowhere else.

    Args:
        order: indices of what is computed, operands first.
        nodes: of the graph.
        outputs: indices of what is asked for; they are values of their own.
    """
    computed = [nodes[index] for index in order if nodes[index][0] not in (CONSTANT, SYMBOL)]
    uses = Counter(operand for key in computed for operand in key[1:]) + Counter(set(outputs))
    there = set(order)
    found = {}
    for index in order:
        key = nodes[index]
        if key[0] in _SUMS:
            alone = (at for at in (1, 2) if nodes[key[at]][0] == _PRODUCT and uses[key[at]] == 1 and key[at] in there)
            place = next(alone, None)
            if place is not None:
                found[index] = place
    return found


def products(fused: Mapping[int, int], nodes: Nodes) -> set[int]:
    """The products that become parts of sums, for what `products_in_sums` found."""
    return {nodes[index][place] for index, place in fused.items()}


def operands_of(index: int, nodes: Nodes, fused: Mapping[int, int]) -> tuple[int, ...]:
    """What an operation is computed from: factors instead of a product that becomes a part of it."""
    if index not in fused:
        return nodes[index][1:]
    product, other = nodes[index][fused[index]], nodes[index][3 - fused[index]]
    return (*nodes[product][1:], other)
