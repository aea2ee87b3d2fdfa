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

import random
from collections.abc import Iterable, Sequence
from fractions import Fraction
from operator import add, mul, sub

from ..graph import CONSTANT, SYMBOL, Graph, Node, live
from ..store import LEAVES

MODULUS = (2**61 - 1) * (2**61 - 31)  # both are primes
_MOST_TURNS = 8  # multiples of an angle that are followed by the theorems of addition

_ALIKE = {"+": add, "-": sub, "*": mul}

Turn = tuple[int, int]  # (cos, sin) of an angle


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
            exact = Fraction(key[1])
            return exact.numerator * pow(exact.denominator, -1, MODULUS) % MODULUS
        if operation == SYMBOL:
            return self._symbol(key[1])
        if operation in ("sin", "cos"):
            return self._turn(key[1])[operation == "sin"]
        a = self._known(key[1])
        if operation == "neg":
            return -a % MODULUS
        if operation == "/":
            try:
                return a * pow(self._known(key[2]), -1, MODULUS) % MODULUS
            except ValueError:  # the divisor is 0: something is divided by 0, or a prime was met
                pass
        return self._random(operation, *(self._known(j) for j in key[1:]))

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
                one = self._circle(atom)
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


def whole_multiples(graph: Graph, index: int) -> dict[int, int]:
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
        elif key[0] == "*" and (times := _whole_factor(graph, *key[1:])) and abs(n * times[0]) <= _MOST_TURNS:
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
