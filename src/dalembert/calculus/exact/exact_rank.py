"""The rank of a matrix of nodes from both sides: residues bound it from above, numbers of any size from below."""

from __future__ import annotations

import math
import random
from collections.abc import Iterable, Mapping, Sequence
from decimal import MAX_EMAX, MIN_EMIN, Context, Decimal, localcontext
from typing import Any

import sympy as sp

from ..elementary_functions import ELEMENTARY
from ..graph import CONSTANT, SYMBOL, Node, live
from ..numerical_rank import RANK_TOLERANCE
from .finite_field import MODULUS, Residues

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


class ModularSpan:
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


# --- numbers of any size, with their errors measured ------------------------------------------------------------------

# Floating point takes exp(-4 y^2) for 0 beside 1, and is right to take sin^2 + cos^2 - 1 for 0. The exponents of the
# numbers here have no end, and every operation errs at random, in copies beside the plain one: a value is not 0 if it
# is larger than its copies differ. No scale has to be known, and identities of functions that `residues` overlooks
# hold.

_SHAKE, _NEAR, _COPIES, _CLEAR = Decimal(RANK_TOLERANCE / 10), Decimal("1e-7"), 3, 10
_DIGITS, _LARGEST, _FEW = 25, Decimal(2**64), 2.0**20
_REALS = Context(_DIGITS, Emin=MIN_EMIN, Emax=MAX_EMAX, traps=[])
_NAN = Decimal("nan")
_ARITHMETIC = ("+", "-", "*", "/", "neg")
MOST = 1000  # nodes that are looked at: it takes some 0.01 ms for each
Number = tuple[Decimal, ...]  # a value and its copies


class Wide:
    """Values of the nodes of one graph at one place.

    Args:
        place: the values of the symbols.
        near: names of symbols whose values are known to some digits only, as those found by iteration are.
    """

    def __init__(self, place: Mapping[str, float], near: Iterable[str] = ()) -> None:
        self._place, self._near, self._rng = place, frozenset(near), random.Random(7)
        self._known: dict[int, Number] = {}

    def __call__(self, nodes: Sequence[Node]) -> list[Number]:
        """The values of these nodes."""
        with localcontext(_REALS):
            for i in live(nodes):
                if i not in self._known:
                    self._known[i] = self._value(nodes[0].graph.nodes[i])
        return [self._known[node.index] for node in nodes]

    def not_zero(self, node: Node) -> bool:
        """Is this node clearly not 0?"""
        return _share(self([node])[0]) > _CLEAR

    def independent(self, rows: Sequence[Sequence[Node]]) -> list[int]:
        """Positions of rows that are clearly independent, the first ones first."""
        flat = iter(self([e for row in rows for e in row]))
        with localcontext(_REALS):
            return _independent([[next(flat) for _ in row] for row in rows])

    def _value(self, key: tuple[Any, ...]) -> Number:
        if key[0] == CONSTANT:
            known = float(key[1] * _FEW).is_integer() and abs(key[1]) < _FEW  # others were rounded
            return self._shaken([_decimal(key[1])] * (1 + _COPIES), Decimal(0) if known else _SHAKE)
        if key[0] == SYMBOL:
            value = _decimal(self._place[key[1]])
            if key[1] not in self._near:
                return self._shaken([value] * (1 + _COPIES), _SHAKE)
            return (value, *(value + _NEAR * self._error() * (1 + abs(value)) for _ in range(_COPIES)))
        arguments = zip(*(self._known[j] for j in key[1:]), strict=True)
        return self._shaken([_applied(key[0], some) for some in arguments], _SHAKE)

    def _shaken(self, values: Sequence[Decimal], by: Decimal) -> Number:
        return (values[0], *(v * (1 + by * self._error()) if by else v for v in values[1:]))

    def _error(self) -> Decimal:
        return Decimal(self._rng.uniform(-1, 1))


def _decimal(value: float) -> Decimal:
    return Decimal(float(value))


def _applied(operation: str, arguments: tuple[Decimal, ...]) -> Decimal:
    """The value of an operation; NaN where it is not real, or of a number that takes too long."""
    row = ELEMENTARY[operation]
    if _undefined(arguments) or (operation == "/" and not arguments[1]):
        return _NAN
    if operation in _ARITHMETIC and row.plain:
        found: Decimal = row.plain(*arguments)
        return found
    if operation == "select":
        return arguments[1] if arguments[0] else arguments[2]
    if any(abs(a) > _LARGEST for a in arguments):
        return _NAN
    exact = [sp.Float(a, _DIGITS) for a in arguments]
    value = exact[0] ** exact[1] if row.symbol is None else row.symbol(*exact)
    if value in (sp.true, sp.false):
        return Decimal(int(bool(value)))
    value = value.evalf(_DIGITS)  # a hypergeometric function stays as it is until then
    return Decimal(str(sp.Float(value, _DIGITS))) if value.is_Number and value.is_finite else _NAN


def _undefined(values: Sequence[Decimal]) -> bool:
    return any(v.is_nan() for v in values)


def _independent(left: list[list[Number]]) -> list[int]:
    """Positions of rows that are clearly independent; what is left of the later ones is overwritten."""
    chosen: list[int] = []
    for r, row in enumerate(left):
        shares = [_share(e) for e in row]
        pivot = max(range(len(row)), key=shares.__getitem__, default=0)
        if not shares or not shares[pivot] > _CLEAR:
            continue
        chosen.append(r)
        for other in left[r + 1 :]:
            other[:] = _reduced(other, row, pivot)
    return chosen


def _reduced(row: Sequence[Number], by: Sequence[Number], pivot: int) -> list[Number]:
    """The row without its part along another, in every copy: e - f p with f = row[pivot]/by[pivot]."""
    factors = [a / b if b else _NAN for a, b in zip(row[pivot], by[pivot], strict=True)]
    zero = (Decimal(0),) * (1 + _COPIES)
    return [
        zero if c == pivot else tuple(x - f * p for x, f, p in zip(e, factors, by[c], strict=True))
        for c, e in enumerate(row)
    ]


def _share(number: Number) -> float:
    """How many times larger than its error a value is."""
    if _undefined(number) or not number[0]:
        return 0.0
    with localcontext(_REALS):
        apart = max(abs(copy - number[0]) for copy in number[1:])
        return float(min(abs(number[0]) / apart, _LARGEST)) if apart else math.inf
