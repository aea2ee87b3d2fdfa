"""Exact tests on the graph: every node has a value in a finite ring, at a random point.

The point keeps what the nodes keep: sines and cosines lie on the circle and obey the theorems of addition, and given
vectors have length 1. Nodes that are equal as rational functions modulo these relations have equal residues. Unequal
ones of degree d agree with a probability below d / 2^61 modulo each of the two primes whose product counts here
[schwartz1980; zippel1979]: for all the pairs of a graph together that is far below a fault of the machine. Functions
that are neither rational nor of the circle take random values, the same for the same arguments: an identity between
them is overlooked, never invented.

    here = Residues(graph)
    here(a) == here(b)                                    # is a = b?
    here(a) != Residues(graph, moved=["x"])(a)            # does a depend on x, whatever it is written with?
"""

from __future__ import annotations

import math
import random
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from functools import lru_cache
from operator import add, mul, sub
from typing import Any

from ..graph import CONSTANT, SYMBOL, Graph, Node, live
from ..node_store import LEAVES

# a prime p of which (p - 1)/2 is one, too, so that squares have one root that is a square, and roots of any odd order;
# 2, 3, 5, 7, 11, 13 and 17 are squares
MODULUS = 2**127 - 568089
_HALF = (MODULUS - 1) // 2
_MOST_TURNS = 8  # multiples of an angle that are followed by the theorems of addition

_ALIKE = {"+": add, "-": sub, "*": mul}
_SHORT = 50  # binary digits of numerators and denominators that are found again
_DIGITS = 15  # of a number that was given; those with more were rounded
_NEAR = Fraction(1, 2**51)  # of a number that was rounded: how far it may have been

Turn = tuple[int, int]  # (cos, sin) of an angle
Key = Sequence[Any]  # of a node


class Residues:
    """Values modulo `MODULUS` of the nodes of a graph at one random point.

    Args:
        graph: the nodes' graph; it may grow.
        moved: names of symbols that lie elsewhere than at the common point.
        unit: vectors of symbols' names whose squares sum to 1.
        seed: of the common point.
    """

    def __init__(
        self, graph: Graph, moved: Iterable[str] = (), unit: Sequence[Sequence[str]] = (), seed: int = 1
    ) -> None:
        self.graph, self.seed, self._moved = graph, seed, frozenset(moved)
        self._values: list[int | None] = []
        self._turns: dict[int, Turn] = {}
        self._placed = {name: x for vector in unit for name, x in self._on_sphere(vector)}

    def __call__(self, index: int) -> int:
        """The residue of a node."""
        values, nodes = self._values, self.graph.nodes
        if index < len(values):
            if (known := values[index]) is not None:
                return known
        else:
            values += [None] * (len(nodes) - len(values))
        stack = [index]
        while stack:
            i = stack[-1]
            key = nodes[i]
            if key[0] in _ALIKE:  # most nodes are one of these
                a, b = values[key[1]], values[key[2]]
                if a is not None and b is not None:
                    values[i] = _ALIKE[key[0]](a, b) % MODULUS
                    stack.pop()
                    continue
            below = () if key[0] in LEAVES else [j for j in key[1:] if values[j] is None]
            if below:
                stack += below
            else:
                stack.pop()
                if values[i] is None:
                    values[i] = self._value(i)
        found = values[index]
        assert found is not None  # filled in above
        return found

    def defined(self, index: int) -> bool:
        """Is nothing under a node divided by what is 0? 0 times such a quotient has the residue 0, and no value."""
        nodes = self.graph.nodes
        return all(nodes[i][0] != "/" or self(nodes[i][2]) for i in live([Node(self.graph, index)]))

    def _value(self, index: int) -> int:
        key = self.graph.nodes[index]
        operation = key[0]
        if operation == CONSTANT:
            return _residue(self._number(key[1]))
        if operation == SYMBOL:
            return self._symbol(key[1])
        a = self._known(key[1])
        if operation == "neg":
            return -a % MODULUS
        try:
            found = self._function(operation, key, a)
        except ValueError:  # something is divided by 0
            found = None
        return self._opaque(operation, *(self._known(j) for j in key[1:])) if found is None else found

    def _function(self, operation: str, key: Key, a: int) -> int | None:
        """The value of a function whose relations are kept, by its argument's; else None."""
        if operation == "/":
            return a * pow(self._known(key[2]), -1, MODULUS) % MODULUS
        if operation in ("sin", "cos", "tan"):
            c, s = self._turn(key[1])
            return {"sin": s, "cos": c}[operation] if operation != "tan" else s * pow(c, -1, MODULUS) % MODULUS
        if operation in ("exp", "sinh", "cosh", "tanh"):
            e = self._exponential(key[1])
            over = pow(e, -1, MODULUS)
            # cosh = (e + 1/e)/2 ,  sinh = (e - 1/e)/2 ,  tanh = sinh/cosh
            below = {"exp": None, "tanh": e + over}.get(operation, 2)
            above = e + over if operation == "cosh" else e - over
            return e if below is None else above * pow(below, -1, MODULUS) % MODULUS
        if operation in ("pow", "sqrt"):
            return self._power(a, key)
        return None

    def _exponential(self, argument: int) -> int:
        """exp of an argument: exp(n a + ...) = exp(a)^n ..., the exponentials being squares."""
        e = 1
        for atom, n in whole_multiples(self.graph, argument, math.inf).items():
            value = self(atom)
            if value:  # exp(0) = 1
                e = e * pow(self._opaque("exp", value), 2 * n, MODULUS) % MODULUS
        return e

    def _power(self, a: int, key: Key) -> int | None:
        """a^(r + n) = a^n a^r with a whole n; a^r is a random number."""
        if key[0] == "sqrt":
            return None
        parts = whole_multiples(self.graph, key[2])
        number = sum((n * self._number(self.graph.numbers.get(i, 0.0)) for i, n in parts.items()), Fraction(0))
        n = math.floor(number)
        r = (self._known(key[2]) - n) % MODULUS
        return pow(a, n, MODULUS) * (self._opaque("pow", a, r) if r else 1) % MODULUS

    def _opaque(self, operation: str, *arguments: int) -> int:
        """A random number for a function of these arguments."""
        return self._random(operation, *arguments)

    def _number(self, value: float) -> Fraction:
        return Fraction(value)

    def _known(self, index: int) -> int:
        found = self._values[index]
        assert found is not None  # arguments come first
        return found

    # --- the point -----------------------------------------------------------------------------------------------

    def _random(self, *key: object) -> int:
        return random.Random(repr((self.seed, *key))).randrange(2, MODULUS)

    def _symbol(self, name: str) -> int:
        placed = self._placed.get(name)
        return self._random("symbol", name, name in self._moved) if placed is None else placed

    def _on_sphere(self, names: Sequence[str]) -> list[tuple[str, int]]:
        """A point of the sphere in stereographic coordinates; it moves as a whole."""
        moved = not self._moved.isdisjoint(names)
        s = [self._random("sphere", name, moved) for name in names[1:]]
        square = sum(x * x for x in s)
        # x_0 = (1 - s.s)/(1 + s.s) ,  x_i = 2 s_i/(1 + s.s)
        scale = pow(1 + square, -1, MODULUS)
        point = [(1 - square) * scale % MODULUS, *(2 * x * scale % MODULUS for x in s)]
        return list(zip(names, point, strict=True))

    def _turn(self, argument: int) -> Turn:
        """(cos, sin) of an argument."""
        if argument not in self._turns:
            c, s = 1, 0
            for atom, n in whole_multiples(self.graph, argument).items():
                one = self._circle(atom) if self(atom) else (1, 0)
                one = one if n > 0 else (one[0], -one[1])
                for _ in range(abs(n)):
                    # cos(a + b), sin(a + b)
                    c, s = (c * one[0] - s * one[1]) % MODULUS, (s * one[0] + c * one[1]) % MODULUS
            self._turns[argument] = c, s
        return self._turns[argument]

    def _circle(self, atom: int) -> Turn:
        """A point of the circle for an angle, named by the symbol or by the angle's own residue."""
        key = self.graph.nodes[atom]
        t = self._random("turn", *((key[1], key[1] in self._moved) if key[0] == SYMBOL else (self(atom),)))
        # (1 - t^2, 2 t)/(1 + t^2)
        scale = pow(1 + t * t, -1, MODULUS)
        return (1 - t * t) * scale % MODULUS, 2 * t * scale % MODULUS


class ResiduePoint(Residues):
    """Residues where some symbols have values, for verdicts: numbers are read as they were written.

    Squares have roots, and what is no square has none: this point is *blind* to what holds such a root, and to what is
    divided by 0 there. The sign of a is 1 for a square and -1 for others, as if those were the positive numbers: it
    multiplies as signs do, and |a|, and which of two is larger, follow from it. What is 0 by such signs may be so here
    by chance; at 30 seeds it is not.

    Args:
        graph: the nodes' graph.
        at: values of symbols: residues, or fractions, which may be exponents.
        unit: vectors of symbols' names whose squares sum to 1.
        seed: of the other symbols.
        circle: (cos, sin) of symbols.
    """

    def __init__(
        self,
        graph: Graph,
        at: Mapping[str, int | Fraction],
        unit: Sequence[Sequence[str]] = (),
        seed: int = 1,
        circle: Mapping[str, Turn] | None = None,
    ) -> None:
        super().__init__(graph, (), unit, seed)
        self._at, self._given = dict(at), circle or {}
        self._placed |= {name: _residue(Fraction(value)) for name, value in at.items()}
        self.blind = self.signed = self.rounded = False
        self.opaque: set[str] = set()  # functions whose relations may have been overlooked

    def _function(self, operation: str, key: Key, a: int) -> int | None:
        if operation in ("abs", "sign"):
            return self._sign(a) * (a if operation == "abs" else 1) % MODULUS
        if operation in ("max", "min", "lt", "le"):
            b = self._known(key[2])
            above = self._sign(a - b)
            smaller, larger = (b, a) if above > 0 else (a, b)
            return {"max": larger, "min": smaller, "lt": int(above < 0), "le": int(above <= 0)}[operation]
        if operation == "select":
            return self._known(key[2] if a else key[3])
        return super()._function(operation, key, a)

    def _sign(self, a: int) -> int:
        self.signed = True
        return 0 if not a % MODULUS else 1 if pow(a, _HALF, MODULUS) == 1 else -1

    def _power(self, a: int, key: Key) -> int | None:
        exponent = Fraction(1, 2) if key[0] == "sqrt" else self._exact(key[2])
        if exponent is None:
            return super()._power(a, key)
        if exponent.denominator == 1:
            return pow(a, int(exponent), MODULUS)
        if self._sign(a) < 0 or (not a and exponent < 0):
            self.blind = True
            return None
        return pow(a, exponent.numerator * pow(exponent.denominator, -1, _HALF) % _HALF, MODULUS)

    def _exact(self, index: int) -> Fraction | None:
        """A number as it was written, or the value of a symbol that is a short fraction; None for others."""
        key = self.graph.nodes[index]
        if key[0] == CONSTANT:
            return self._number(key[1])
        found = self._at.get(key[1]) if key[0] == SYMBOL else None
        return found if isinstance(found, Fraction) else None

    def _number(self, value: float) -> Fraction:
        self.rounded |= not given_exactly(value)
        return as_written(value)

    def _opaque(self, operation: str, *arguments: int) -> int:
        self.opaque.add(operation)
        self.blind |= operation == "/"
        return super()._opaque(operation, *arguments)

    def _circle(self, atom: int) -> Turn:
        operation, name = self.graph.nodes[atom][:2]
        if operation != SYMBOL:
            self.opaque.add("cos")
        return self._given[name] if operation == SYMBOL and name in self._given else super()._circle(atom)


def given_exactly(value: float) -> bool:
    """Has a number so few digits that it was not rounded?"""
    return float(f"{value:.{_DIGITS}g}") == value


@lru_cache(maxsize=4096)
def as_written(value: float) -> Fraction:
    """A number by its digits: 0.1 is 1/10. One with more digits than are known is the simplest fraction near it."""
    if given_exactly(value):
        return Fraction(f"{value:.{_DIGITS}g}")
    exact = Fraction(value)
    low, high = sorted((exact * (1 - _NEAR), exact * (1 + _NEAR)))
    return _simplest(low, high) if low > 0 else -_simplest(-high, -low)


def _simplest(low: Fraction, high: Fraction) -> Fraction:
    """The fraction with the smallest denominator between two positive ones."""
    whole = math.ceil(low)
    if whole <= high:
        return Fraction(whole)
    # low = n + 1/x ,  high = n + 1/y ,  y < x
    n = whole - 1
    return n + 1 / _simplest(1 / (high - n), 1 / (low - n))


def short_fraction(residue: int) -> Fraction | None:
    """The fraction of a small numerator and denominator with this residue; None where there is none."""
    a, b, x, y = MODULUS, residue % MODULUS, 0, 1
    while b > 2**_SHORT:
        a, b, x, y = b, a % b, y, x - a // b * y
    return Fraction(b, y) if abs(y) < 2**_SHORT else None


def root(value: int) -> int | None:
    """A square root modulo the prime; None where there is none."""
    found = pow(value, (MODULUS + 1) // 4, MODULUS)
    return found if (found * found - value) % MODULUS == 0 else None


def _residue(exact: Fraction) -> int:
    return exact.numerator * pow(exact.denominator, -1, MODULUS) % MODULUS


def whole_multiples(graph: Graph, index: int, most: float = _MOST_TURNS) -> dict[int, int]:
    """An angle as a sum of whole multiples: ``{atom: n}``."""
    found: dict[int, int] = {}
    stack = [(index, 1)]
    while stack:
        i, n = stack.pop()
        key = graph.nodes[i]
        if key[0] in ("+", "-"):
            stack += [(key[1], n), (key[2], n if key[0] == "+" else -n)]
        elif key[0] == "neg":
            stack.append((key[1], -n))
        elif key[0] == "*" and (times := _whole_factor(graph, *key[1:])) and abs(n * times[0]) <= most:
            stack.append((times[1], n * times[0]))
        elif i != graph.zero:
            found[i] = found.get(i, 0) + n
    return {atom: n for atom, n in found.items() if n}


def _whole_factor(graph: Graph, a: int, b: int) -> tuple[int, int] | None:
    """(n, other) of a product one of whose factors is a whole number n."""
    for factor, other in ((a, b), (b, a)):
        value = graph.numbers.get(factor)
        if value is not None and float(value).is_integer():
            return int(value), other
    return None
