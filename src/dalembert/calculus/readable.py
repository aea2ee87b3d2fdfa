"""Nodes of the graph as a person would write them: polynomials, shortened by what holds, common factors in front.

    sin^2 + cos^2 = 1 ,   R R^T = 1 ,   r (1/r) = 1

All are expanded into one ring and reduced by these relations, in that order of the variables in which fewest terms are
left; then the factor that most terms have is taken out, and so on inside. Of a rotation matrix a Groebner basis is
taken with one row or column last: what depends on that alone is then written in it alone.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import cache

import sympy as sp
from sympy.polys.orderings import lex
from sympy.polys.rings import PolyElement, PolyRing

from .formulas import expression
from .graph import CONSTANT, SYMBOL, Graph, Node, live

_MOST = 1200  # terms of a polynomial from which nobody reads it
_MOST_PRODUCTS = 50_000  # of terms, in one product
_FEW = 700  # terms of all together up to which every row and column is tried
# the row or column that stands last; cyclic orders keep det R = 1
_ROWS = [[3 * ((i + shift) % 3) + j for i in range(3) for j in range(3)] for shift in range(3)]
_ORDERS = [order for rows in _ROWS for order in (rows, [3 * (k % 3) + k // 3 for k in rows])]

Terms = Mapping[tuple[int, ...], sp.Rational]


class TooLong(Exception):
    """More terms than anybody reads."""


def readable(
    outputs: Sequence[Node], symbols: Mapping[str, sp.Symbol], rotations: Sequence[Sequence[str]] = ()
) -> list[sp.Expr]:
    """The outputs, each as short as it was found.

    Args:
        outputs: nodes of one graph.
        symbols: those to be used for the graph's symbols; for others new ones of the same name.
        rotations: names of the nine entries of rotation matrices among them, row by row.

    Raises:
        TooLong: a polynomial would have more terms than anybody reads.
    """
    if not outputs:
        return []
    expanded = _Expanded(outputs, symbols, rotations)
    found = [expanded.values[y.index] for y in outputs]
    for k in range(len(rotations)):
        found = expanded.turned(found, 9 * k)
    return [expanded.written(expanded.shortened(p)) for p in found]


class _Expanded:
    """All nodes that some outputs need, as polynomials in symbols, functions and reciprocals."""

    def __init__(
        self, outputs: Sequence[Node], symbols: Mapping[str, sp.Symbol], rotations: Sequence[Sequence[str]]
    ) -> None:
        graph = self.graph = outputs[0].graph
        entries = [graph.symbol(name).index for rotation in rotations for name in rotation]
        order = live(outputs)
        atoms = [*entries, *(i for i in order if _is_atom(graph, i) and i not in entries)]
        self.place = {i: k for k, i in enumerate(atoms)}
        self.ring = PolyRing([sp.Symbol(f"a{k}") for k in range(len(atoms) + 1)], sp.QQ, lex)
        self.values: dict[int, PolyElement] = {}
        self._shown: dict[int, sp.Expr] = {}
        known = {
            graph.nodes[i][1]: sp.Symbol(graph.nodes[i][1], real=True) for i in atoms if graph.nodes[i][0] == SYMBOL
        }
        for i in sorted({*order, *entries}):
            self.values[i] = self._value(i)
            if i in self.place:
                below = () if graph.nodes[i][0] == SYMBOL else graph.nodes[i][1:]
                inside = {j: self.written(self.shortened(self.values[j])) for j in below}
                if graph.nodes[i][0] == "/":
                    self._shown[self.place[i]] = 1 / inside[below[1]]
                else:
                    self._shown[self.place[i]] = expression(graph, i, inside, {**known, **symbols})

    def _value(self, i: int) -> PolyElement:
        operation, *args = self.graph.nodes[i]
        if operation == CONSTANT:
            exact = Fraction(args[0])
            return self.ring(sp.QQ(exact.numerator, exact.denominator))
        parts = [self.values[j] for j in args] if operation != SYMBOL else []
        if i in self.place:
            atom = self.ring.gens[self.place[i]]
            return _times(parts[0], atom) if operation == "/" else atom
        if operation == "neg":
            return -parts[0]
        if operation == "/":
            return parts[0].quo_ground(parts[1].LC)
        a, b = parts
        return _few(a + b if operation == "+" else a - b if operation == "-" else _times(a, b))

    # --- what holds ----------------------------------------------------------------------------------------------

    def turned(self, found: list[PolyElement], at: int) -> list[PolyElement]:
        """Reduced by R R^T = 1, with that row or column last that leaves the fewest terms."""
        relations = [self._at(terms, at) for terms in _rotation()]
        best = found
        for order in _ORDERS if sum(map(len, found)) <= _FEW else _ORDERS[:2]:
            places = [at + k for k in order]
            back = [at + order.index(k) for k in range(9)]
            reduced = [_permuted(_permuted(p, at, places).rem(relations), at, back) for p in found]
            best = min(best, reduced, key=lambda ps: sum(map(_length, ps)))
        return best

    def _at(self, terms: Terms, at: int) -> PolyElement:
        n = self.ring.ngens
        return self.ring.from_dict({(*(0,) * at, *m, *(0,) * (n - at - len(m))): c for m, c in terms.items()})

    def shortened(self, p: PolyElement) -> PolyElement:
        """Reciprocals cancelled, sines or cosines squared used up."""
        nodes = self.graph.nodes
        for i, k in self.place.items():
            operation, *args = nodes[i]
            if operation == "/" and len(self.values.get(args[1], ())) == 1:
                p = p.rem([self.values[args[1]] * self.ring.gens[k] - 1])
            if operation in ("sin", "cos"):
                other = self._other(operation, args[0])
                if other is not None:
                    p = min(p, _used_up(p, k, self.ring.gens[other]), key=_length)
        return p

    def _other(self, operation: str, argument: int) -> int | None:
        """The place of the cosine of the same angle as a sine, or the other way round."""
        wanted = ("cos" if operation == "sin" else "sin", argument)
        return next((k for i, k in self.place.items() if self.graph.nodes[i] == wanted), None)

    # --- as SymPy has it -----------------------------------------------------------------------------------------

    def written(self, p: PolyElement) -> sp.Expr:
        """The polynomial with common factors in front."""
        return self._written({m: c for m, c in p.terms()})

    def _written(self, terms: dict[tuple[int, ...], sp.Rational]) -> sp.Expr:
        if len(terms) < 2:
            return sp.Add(*(self._term(m, c) for m, c in terms.items()))
        count = Counter(k for m in terms for k, e in enumerate(m) if e)
        k, n = max(count.items(), key=lambda item: (item[1], -item[0]), default=(0, 0))
        if n < 2:
            return sp.Add(*(self._term(m, c) for m, c in terms.items()))
        inside = {m: c for m, c in terms.items() if m[k]}
        rest = {m: c for m, c in terms.items() if not m[k]}
        common = tuple(map(min, zip(*inside, strict=True)))
        less = {tuple(a - b for a, b in zip(m, common, strict=True)): c for m, c in inside.items()}
        return self._term(common, 1) * self._written(less) + (self._written(rest) if rest else 0)

    def _term(self, m: tuple[int, ...], c: sp.Rational) -> sp.Expr:
        number = sp.Rational(int(c.numerator), int(c.denominator))
        return sp.Mul(number, *(self._shown[k] ** e for k, e in enumerate(m) if e))


def _is_atom(graph: Graph, i: int) -> bool:
    operation, *args = graph.nodes[i]
    if operation == "/":
        return args[1] not in graph.numbers
    return operation not in (CONSTANT, "+", "-", "*", "neg")


def _few(p: PolyElement) -> PolyElement:
    if len(p) > _MOST:
        raise TooLong
    return p


def _times(a: PolyElement, b: PolyElement) -> PolyElement:
    if len(a) * len(b) > _MOST_PRODUCTS:
        raise TooLong
    return a * b


def _length(p: PolyElement) -> int:
    """Factors of all terms."""
    return sum(1 + sum(m) for m in p.monoms())


def _permuted(p: PolyElement, at: int, places: Sequence[int]) -> PolyElement:
    """The polynomial with the exponents from `at` on taken from these places."""
    end = at + len(places)
    return p.ring.from_dict({(*m[:at], *(m[k] for k in places), *m[end:]): c for m, c in p.items()})


def _used_up(p: PolyElement, k: int, other: PolyElement) -> PolyElement:
    """x_k^2 = 1 - other^2."""
    square, ring = 1 - other**2, p.ring
    found = ring.zero
    for m, c in p.items():
        bare = ring.from_dict({(*m[:k], m[k] % 2, *m[k + 1 :]): c})
        found += bare * square ** (m[k] // 2)
    return found


@cache
def _rotation() -> list[Terms]:
    """A Groebner basis of R R^T = 1, det R = 1, the last row last; 0.03 s."""
    entries = sp.symbols("r:9")
    R = sp.Matrix(3, 3, entries)
    relations = [*(R * R.T - sp.eye(3)), *(R.T * R - sp.eye(3)), *(R - R.cofactor_matrix())]
    basis = sp.groebner([e for e in map(sp.expand, relations) if e != 0], *entries, order="lex")
    polynomials = [PolyRing(entries, sp.QQ, lex).from_expr(e) for e in basis.exprs]
    return [dict(p.items()) for p in polynomials]
