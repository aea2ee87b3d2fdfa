"""The rank of a matrix of nodes from both sides: residues bound it from above, numbers of any size from below."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import gcd

from ..graph import Node, live
from .residues import MODULUS, Residues
from .wide import MOST, Wide

Rows = Sequence[Sequence[Node]]
Place = Mapping[str, float]


def rank_at_most(rows: Rows) -> int:
    """The rank at a random point, exactly; smaller still if an identity is overlooked, or by the parameters' values."""
    flat = [e for row in rows for e in row]
    if not flat:
        return 0
    here, rank = Residues(flat[0].graph), 0
    left = [{c: value for c, e in enumerate(row) if (value := here(e.index))} for row in rows]
    while left:
        row = left.pop(min(range(len(left)), key=lambda i: len(left[i])))  # the emptiest fills the others least
        pivot = next((c for c, value in row.items() if gcd(value, MODULUS) == 1), None)
        if pivot is not None:
            rank += 1
            inverse = pow(row.pop(pivot), -1, MODULUS)
            for other in left:
                _subtract(other, other.pop(pivot, 0) * inverse % MODULUS, row)
    return rank


def _subtract(row: dict[int, int], factor: int, other: Mapping[int, int]) -> None:
    """row - factor * other, in place; what becomes 0 is left out."""
    for c, value in other.items() if factor else ():
        row[c] = (row.get(c, 0) - factor * value) % MODULUS
        if not row[c]:
            del row[c]


def clearly_independent(rows: Rows, places: Iterable[Place], near: Iterable[str] = ()) -> tuple[int, ...]:
    """Positions of rows that are clearly independent at one of these places, as many as can be; the first ones first.

    Args:
        rows: of nodes of one graph.
        places: values of the symbols.
        near: names of symbols whose values are known to some digits only.
    """
    flat = [e for row in rows for e in row]
    found: tuple[int, ...] = ()
    if len(live(flat)) > MOST:
        return ()
    for place in places:
        found = max(found, tuple(Wide(place, near).independent(rows)), key=len)
    return found


def some_clearly_not_zero(nodes: Sequence[Node], places: Iterable[Place], near: Iterable[str] = ()) -> bool:
    """Is one of these nodes clearly not 0 at one of these places? What is 0 everywhere is told by its residue."""
    if not nodes:
        return False
    here = Residues(nodes[0].graph)
    left = [node for node in nodes if here(node.index)]
    if not left or len(live(left)) > MOST:
        return False
    return any(any(map(Wide(place, near).not_zero, left)) for place in places)
