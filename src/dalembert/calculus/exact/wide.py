"""Numbers of any size with their errors measured: what is clearly not 0, however small it is.

Floating point takes exp(-4 y^2) for 0 beside 1, and is right to take sin^2 + cos^2 - 1 for 0. The exponents of the
numbers here have no end, and every operation errs at random, in copies beside the plain one: a value is not 0 if it is
larger than its copies differ. No scale has to be known, and identities of functions that `residues` overlooks hold.
"""

from __future__ import annotations

import math
import random
from collections.abc import Iterable, Mapping, Sequence
from decimal import MAX_EMAX, MIN_EMIN, Context, Decimal, localcontext
from typing import Any

import sympy as sp

from ..elementary import ELEMENTARY
from ..graph import CONSTANT, SYMBOL, Node, live
from ..rank import RANK_TOLERANCE

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
