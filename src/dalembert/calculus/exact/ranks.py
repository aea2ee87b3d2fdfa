"""The rank of a matrix of nodes from both sides: residues bound it from above, numbers of any size from below."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from ..graph import Node, live
from .residues import MODULUS, Residues
from .wide import MOST, Wide

Rows = Sequence[Sequence[Node]]
Place = Mapping[str, float]
_PIECES = frozenset(("abs", "sign", "floor", "ceil", "min", "max", "lt", "le", "eq", "select"))


def in_pieces(nodes: Sequence[Node]) -> bool:
    """Does a function under these nodes go over into another somewhere? Then what holds here may not hold there."""
    return bool(nodes) and any(nodes[0].graph.nodes[i][0] in _PIECES for i in live(nodes))


def rank_at_most(rows: Rows) -> int:
    """The rank at a random point, exactly; smaller still if an identity is overlooked, or by the parameters' values."""
    flat = [e for row in rows for e in row]
    if not flat:
        return 0
    here = Residues(flat[0].graph)
    return len(eliminated([{c: here(e.index) for c, e in enumerate(row)} for row in rows]))


def eliminated(rows: Iterable[Mapping[int, int]], last: int = -1) -> dict[int, dict[int, int]]:
    """Rows modulo `MODULUS` in echelon form, ``{column of its leading 1: row}``; `last` leads where no other can.

    The last columns lead. A row holds what it has beside its 1; no later one has anything in that column.
    """
    left = [{c: value for c, value in row.items() if value} for row in rows]
    found: dict[int, dict[int, int]] = {}
    while left:
        row = left.pop(min(range(len(left)), key=lambda i: len(left[i])))  # the emptiest fills the others least
        if not row:
            continue
        pivot = max((c for c in row if c != last), default=last)
        inverse = pow(row.pop(pivot), -1, MODULUS)
        found[pivot] = {c: value * inverse % MODULUS for c, value in row.items()}
        for other in left:
            _subtract(other, other.pop(pivot, 0), found[pivot])
    return found


class Span:
    """What rows modulo `MODULUS` span, taken one after the other; `rows` as of `eliminated`."""

    def __init__(self) -> None:
        self.rows: dict[int, dict[int, int]] = {}

    def take(self, row: Mapping[int, int]) -> bool:
        """Add a row; was it independent of those before?"""
        left = {c: value for c, value in row.items() if value}
        for pivot, other in self.rows.items():
            _subtract(left, left.pop(pivot, 0), other)
        if not left:
            return False
        pivot = next(iter(left))
        inverse = pow(left.pop(pivot), -1, MODULUS)
        self.rows[pivot] = {c: value * inverse % MODULUS for c, value in left.items()}
        return True


def solved(A: Sequence[Sequence[int]], b: Sequence[int], free: Mapping[int, int] | None = None) -> list[int] | None:
    """A solution modulo `MODULUS` of A x = b, 0 or a `free` value where it is open; None where there is none."""
    width = len(A[0]) if A else 0
    rows = eliminated([dict(enumerate([*row, c])) for row, c in zip(A, b, strict=True)], last=width)
    if width in rows:
        return None
    x = [(free or {}).get(c, 0) for c in range(width)]
    for pivot, row in reversed(rows.items()):
        x[pivot] = (row.get(width, 0) - sum(value * x[c] for c, value in row.items() if c != width)) % MODULUS
    return x


def null_space(A: Sequence[Sequence[int]]) -> list[list[int]]:
    """A basis modulo `MODULUS` of the x with A x = 0, each with a first 1 where the others have 0."""
    lead = eliminated([dict(enumerate(row)) for row in A])
    free = [c for c in range(len(A[0]) if A else 0) if c not in lead]
    return [x for c in free if (x := solved(A, [0] * len(A), {c: 1})) is not None]


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
