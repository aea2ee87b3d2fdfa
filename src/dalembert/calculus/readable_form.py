"""Nodes of the graph as a person would write them: polynomials, shortened by what holds, common factors in front.

    sin^2 + cos^2 = 1 ,   R R^T = 1 ,   x^2 + y^2 + z^2 = 1 ,   d (1/d) = 1 ,   I_r = I + m r^2

All are expanded into one ring and reduced by these relations, in that order of the variables in which fewest terms are
left; then the factor that most terms have is taken out, and so on inside. Of a rotation matrix a Groebner basis is
taken with one row or column last: what depends on that alone is then written in it alone. Denominators are never
expanded. The work is counted: where there is more than a person would read, that is said (`TooLong`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import cache, reduce
from itertools import chain, combinations
from math import gcd, prod

import sympy as sp
from sympy import integer_nthroot
from sympy.polys.orderings import lex
from sympy.polys.rings import PolyElement, PolyRing

from .algebra import GraphAlgebra
from .budget import Effort, Exceeded
from .from_sympy import read
from .graph import CONSTANT, SYMBOL, Graph, Node, live
from .node_store import LEAVES
from .polynomials import coprime
from .simplification import adjugate, characters, determinant
from .subexpressions import expression

_MOST = 1200  # terms of a polynomial from which nobody reads it
_MOST_PRODUCTS = 50_000  # of terms, in one product
_MOST_WORK = 8_000_000  # products of terms times variables, in all of them together: half a second
_MOST_WRITTEN = 1500  # terms of all polynomials together that are written as expressions: 0.6 ms each, so 0.9 s
_SHORTENED = 2  # times as many terms, from which no relation and no abbreviation leads there
_MOST_LOOKED = 300_000  # terms squared times variables, in all in which common factors are looked for
_MOST_FACTORED = 40  # terms of a polynomial in which a common factor of several terms is looked for
_MOST_TRIED = 6000  # characters; see `readable`
_MOST_NAMED = 1000  # characters of all together in which sums of angles are looked for
_MOST_WEIGHED = 16  # terms of a polynomial that is written in several ways, of which the shortest is taken
_LONG_MEANING = 12  # terms of an abbreviation up to which it is looked for
_WHOLE = 1000  # denominators up to which a number is a fraction
_WORSE = 1.2  # times as long as it could be: a row that is still collected by what leads it
_FEW = 700  # terms of all together up to which every row and column is tried
# the row or column that stands last; cyclic orders keep det R = 1
_ROWS = [[3 * ((i + shift) % 3) + j for i in range(3) for j in range(3)] for shift in range(3)]
_ORDERS = [order for rows in _ROWS for order in (rows, [3 * (k % 3) + k // 3 for k in rows])]

Terms = Mapping[tuple[int, ...], sp.Rational]


class TooLong(Exception):
    """More terms than anybody reads."""


def readable(
    outputs: Sequence[Node],
    symbols: Mapping[str, sp.Symbol],
    rotations: Sequence[Sequence[str]] = (),
    *,
    unit: Sequence[Sequence[str]] = (),
    leading: Collection[str] = (),
    definitions: Mapping[str, Node] | None = None,
    tried: int = _MOST_TRIED,
) -> list[sp.Expr]:
    """The outputs, each as short as it was found.

    Args:
        outputs: nodes of one graph.
        symbols: those to be used for the graph's symbols; for others new ones of the same name.
        rotations: names of the nine entries of rotation matrices among them, row by row.
        unit: vectors of names whose squares sum to 1.
        leading: names of symbols by which a row is collected, such as accelerations.
        definitions: abbreviations, by name, with what they stand for; used where that is shorter.
        tried: characters of all together up to which they are written once more, with sums of angles angles_apart.

    Raises:
        TooLong: a polynomial, or all of them together, would have more terms than anybody reads.
    """
    if not outputs:
        return []
    meanings = dict(definitions or {})
    split = angles_apart(outputs)
    ways = [_found(outputs, symbols, rotations, unit, leading, meanings)]
    if split != list(outputs) and (ways[0] is None or _long(ways[0]) <= tried):
        ways.append(_found(split, symbols, rotations, unit, leading, meanings))
    named, shown = angle_pairs(split, symbols)
    if named and ways[-1] is not None and _long(ways[-1]) <= min(_MOST_NAMED, tried):
        ways.append(_found(split, {**symbols, **shown}, rotations, unit, leading, {**meanings, **named}))
    found = [way for way in ways if way is not None]
    if not found:
        raise TooLong
    return min(found, key=_long) if len(found) > 1 else found[0]


def _long(expressions: Sequence[sp.Expr]) -> int:
    return sum(map(characters, expressions))


def _found(
    outputs: Sequence[Node],
    symbols: Mapping[str, sp.Symbol],
    rotations: Sequence[Sequence[str]],
    unit: Sequence[Sequence[str]],
    leading: Collection[str],
    definitions: Mapping[str, Node],
) -> list[sp.Expr] | None:
    """The outputs as they are written from these nodes, None where that is too long."""
    try:
        expanded = _Expanded(outputs, symbols, rotations, unit, definitions)
        found = [expanded.values[y.index] for y in outputs]
        for k in range(len(rotations)):
            found = expanded.turned(found, 9 * k)
        _few_in_all(found, _SHORTENED * _MOST_WRITTEN)
        found = [expanded.shortened(p) for p in found]
        for k in range(len(rotations) if definitions else 0):  # a letter may leave what makes 1
            found = expanded.turned(found, 9 * k)
        _few_in_all(found, _MOST_WRITTEN)
        return [expanded.collected(p, leading) for p in found]
    except TooLong:
        return None


class _Expanded:
    """All nodes that some outputs need, as polynomials in symbols, functions and reciprocals."""

    def __init__(
        self,
        outputs: Sequence[Node],
        symbols: Mapping[str, sp.Symbol],
        rotations: Sequence[Sequence[str]],
        unit: Sequence[Sequence[str]],
        definitions: Mapping[str, Node],
    ) -> None:
        graph = self.graph = outputs[0].graph
        entries = [graph.symbol(name).index for rotation in rotations for name in rotation]
        entries += [graph.symbol(name).index for name in (*definitions, *chain.from_iterable(unit))]
        order = live([*outputs, *definitions.values()])
        self.place: dict[int, int] = {i: k for k, i in enumerate(entries)}
        self.below: dict[int, int] = {}  # the places of the reciprocals of nodes
        for i in order:
            if graph.nodes[i][0] == "/":
                for base in _bases(graph, graph.nodes[i][2])[0]:
                    self.below.setdefault(base, len(self.place) + len(self.below))
            elif graph.nodes[i][0] not in (CONSTANT, "+", "-", "*", "/", "neg"):
                self.place.setdefault(i, len(self.place) + len(self.below))
        self._unit = [[self.place[graph.symbol(name).index] for name in vector] for vector in unit]
        self._left = float(_MOST_WORK)
        self._looks = Effort(_MOST_LOOKED)
        self._meaning: list[tuple[int, PolyElement]] = []
        count = len(self.place) + len(self.below) + 1
        self.ring = PolyRing([sp.Symbol(f"a{k}") for k in range(count)], sp.QQ, lex)
        self.values: dict[int, PolyElement] = {}
        self._shown: dict[int, sp.Expr] = {}
        self._known: dict[PolyElement, sp.Expr] = {}  # polynomials that are written
        self._ready = False  # is everything there by which a polynomial is written?
        names = [graph.nodes[i][1] for i in self.place if graph.nodes[i][0] == SYMBOL]
        self._letters = {**{name: sp.Symbol(name, real=True) for name in names}, **symbols}
        for i in sorted({*order, *entries}):
            self.values[i] = self._value(i)
        self._standing = {k: (i, False) for i, k in self.place.items()} | {k: (i, True) for i, k in self.below.items()}
        for k in sorted(self._standing, key=self._standing.__getitem__):
            self._show(k)
        self._ready = True
        for name, meaning in definitions.items():
            self._meaning.append((self.place[graph.symbol(name).index], self.shortened(self.values[meaning.index])))

    def _show(self, k: int) -> sp.Expr:
        """What is written for a variable of the ring: what stands in a function or below a line is written first."""
        if k not in self._shown:
            i, below = self._standing[k]
            inside = () if below or self.graph.nodes[i][0] == SYMBOL else self.graph.nodes[i][1:]
            atom = {j: self._letter(j) for j in inside}
            self._shown[k] = 1 / self._letter(i) if below else expression(self.graph, i, atom, self._letters)
        return self._shown[k]

    def _letter(self, i: int) -> sp.Expr:
        """What is written for a node."""
        return self.written(self.shortened(self.values[i]))

    def _value(self, i: int) -> PolyElement:
        operation, *args = self.graph.nodes[i]
        if operation == CONSTANT:
            exact = Fraction(args[0])
            short = exact.limit_denominator(_WHOLE)
            exact = short if float(short) == args[0] else exact
            return self.ring(sp.QQ(exact.numerator, exact.denominator))
        if i in self.place:
            return self.ring.gens[self.place[i]]
        parts = [self.values[j] for j in args]
        if operation == "neg":
            return -parts[0]
        if operation == "/":
            return self._over(parts[0], args[1])
        a, b = parts
        return _few(a + b if operation == "+" else a - b if operation == "-" else self._times(a, b))

    def _over(self, p: PolyElement, below: int) -> PolyElement:
        """p / (c d1^n1 d2^n2 ...), by the reciprocals of d1, d2."""
        bases, constants = _bases(self.graph, below)
        for base, n in bases.items():
            p = self._times(p, self.ring.gens[self.below[base]] ** n)
        return p.quo_ground(prod((self.values[c].LC for c in constants), start=sp.QQ(1)))

    def _times(self, a: PolyElement, b: PolyElement) -> PolyElement:
        work = len(a) * len(b)
        self._left -= work * self.ring.ngens
        if work > _MOST_PRODUCTS or self._left < 0:
            raise TooLong
        return a * b

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
        """Reciprocals cancelled, squares of sines, cosines and unit vectors used up, abbreviations put in."""
        p = self._without_tangents(self._divided(p))
        for i, k in self.place.items():
            operation, *args = self.graph.nodes[i]
            if operation in ("sin", "cos"):
                other = self._other("cos" if operation == "sin" else "sin", args[0])
                if other is not None and any(m[k] > 1 for m in p.monoms()):
                    p = self._shorter(p, self._divided(_used_up(p, k, [self.ring.gens[other]])))
        for vector in self._unit:
            for k in [k for k in vector if any(m[k] > 1 for m in p.monoms())]:
                others = [self.ring.gens[j] for j in vector if j != k]
                p = self._shorter(p, self._divided(_used_up(p, k, others)))
        for name, meaning in self._meaning:
            p = p if len(meaning) > _LONG_MEANING else self._named(p, name, meaning)
        return p

    def _divided(self, p: PolyElement) -> PolyElement:
        """Without what a reciprocal divides out:  d (1/d) = 1."""
        for base, k in self.below.items():
            if any(m[k] for m in p.monoms()):
                d = self.values.get(base, self.ring.zero)
                if len(d) == 1:
                    p = _cancelled_term(p, d, k)
                elif len(d) * len(p) <= _FEW:
                    p = min(p, self._cancelled(p, d, k), key=_length)
        return p

    def _without_tangents(self, p: PolyElement) -> PolyElement:
        """With tan = sin/cos, where that is shorter and both are at hand."""
        for i, k in self.place.items():
            operation, *args = self.graph.nodes[i]
            if operation != "tan" or not any(m[k] for m in p.monoms()):
                continue
            sine, over = self._other("sin", args[0]), self._over_cosine(args[0])
            if sine is not None and over is not None:
                x, y = self.ring.gens[sine], self.ring.gens[over]
                plain = self._divided(sum((c * (x * y) ** n for n, c in _by_power(p, k).items()), self.ring.zero))
                other = self._other("cos", args[0])
                used = plain if other is None else self._divided(_used_up(plain, sine, [self.ring.gens[other]]))
                p = min(p, plain, used, key=_length)
        return p

    def _shorter(self, p: PolyElement, other: PolyElement) -> PolyElement:
        """That which is shorter with its factors taken out, where these are looked for."""
        if not self._ready or max(len(p), len(other)) > _MOST_WEIGHED:
            return min(p, other, key=_length)
        return min(p, other, key=lambda q: characters(self.written(q)))

    def _cancelled(self, p: PolyElement, d: PolyElement, k: int) -> PolyElement:
        """p over one power of d, whose reciprocal is the k-th atom, and what of it divides out."""
        parts = _by_power(p, k)
        high = max(parts)
        # sum_j c_j / d^j = (sum_j c_j d^(high - j)) / d^high
        above = sum((c * d ** (high - j) for j, c in parts.items()), self.ring.zero)
        while high and above:
            (quotient,), rest = above.div([d])
            if rest:
                break
            above, high = quotient, high - 1
        return above * self.ring.gens[k] ** high

    def _named(self, p: PolyElement, name: int, meaning: PolyElement) -> PolyElement:
        """p with an abbreviation put in, coefficient by coefficient, where that is shorter."""
        if not any(_divides(_powers(t), m) for t in meaning.monoms() for m in p.monoms()):
            return p
        inside = {k for m in meaning.monoms() for k, e in enumerate(m) if e}
        groups: dict[tuple[int, ...], PolyElement] = {}
        for m, c in p.items():
            outer = tuple(0 if k in inside else e for k, e in enumerate(m))
            inner = tuple(e if k in inside else 0 for k, e in enumerate(m))
            groups.setdefault(outer, self.ring.zero.copy())[inner] = c
        gen, found = self.ring.gens[name], self.ring.zero
        for outer, q in groups.items():
            ways = [q, *(_replaced(q, t, meaning, gen) for t in meaning.monoms())]
            found += min(ways, key=_length) * self.ring.from_dict({outer: sp.QQ(1)})
        return found

    def _other(self, operation: str, argument: int) -> int | None:
        """The place of this function of an angle, if it has one."""
        return next((k for i, k in self.place.items() if self.graph.nodes[i] == (operation, argument)), None)

    def _over_cosine(self, argument: int) -> int | None:
        """The place of the reciprocal of the cosine of an angle, if it has one."""
        return next((k for i, k in self.below.items() if self.graph.nodes[i] == ("cos", argument)), None)

    # --- as SymPy has it -----------------------------------------------------------------------------------------

    def collected(self, p: PolyElement, leading: Collection[str]) -> sp.Expr:
        """Written with one coefficient for each of the leading symbols, unless it is much shorter without."""
        places = [k for i, k in self.place.items() if self.graph.nodes[i][0] == SYMBOL
                  and self.graph.nodes[i][1] in leading]  # fmt: skip
        parts, rest = dict[int, PolyElement](), p
        for k in places:
            coefficient = self.ring.from_dict(
                {(*m[:k], 0, *m[k + 1 :]): c for m, c in rest.items() if m[k] == 1 and sum(m[j] for j in places) == 1}
            )
            rest -= coefficient * self.ring.gens[k]
            if coefficient:
                parts[k] = self.shortened(coefficient)
        if not parts:
            return self.written(p)
        rest = self.shortened(rest)
        found = sp.Add(*(self.written(q) * self._show(k) for k, q in parts.items()), self.written(rest))
        if len(p) > _MOST_FACTORED and sum(map(_length, (*parts.values(), rest))) <= _length(p):
            return found  # in long ones no factors are looked for: what has fewer letters is shorter
        plain = self.written(p)
        return found if characters(found) <= _WORSE * characters(plain) else plain

    def written(self, p: PolyElement) -> sp.Expr:
        """The polynomial with common factors in front."""
        if p not in self._known:
            self._known[p] = self._in_factors(p)
        return self._known[p]

    def _in_factors(self, p: PolyElement) -> sp.Expr:
        plain = self._written(dict(p.terms()))
        if not 3 <= len(p) <= _MOST_FACTORED or not self._looked(p):
            return plain
        factors = list(_factors(p))
        product = sp.Mul(*(self._written(dict(f.terms())) ** n for f, n in factors))
        return min(plain, product, key=characters) if len(factors) > 1 or factors[0][1] > 1 else plain

    def _looked(self, p: PolyElement) -> bool:
        """May common factors of its terms be looked for?"""
        try:
            self._looks.spend(len(p) ** 2 * sum(map(any, zip(*p.monoms(), strict=True))))
        except Exceeded:
            return False
        return True

    def _written(self, terms: dict[tuple[int, ...], sp.Rational]) -> sp.Expr:
        if len(terms) < 2:
            return sp.Add(*(self._term(m, c) for m, c in terms.items()))
        if 3 <= len(terms) <= _MOST_FACTORED:
            c, root, n = _scaled_root(self.ring.from_dict(terms))
            if n > 1:
                return _number(c) * self._written(dict(root)) ** n
        count = Counter(k for m in terms for k, e in enumerate(m) if e)
        k, n = max(count.items(), key=lambda item: (item[1], -item[0]), default=(0, 0))
        if n < 2:
            return sp.Add(*(self._term(m, c) for m, c in terms.items()))
        inside = {m: c for m, c in terms.items() if m[k]}
        rest = {m: c for m, c in terms.items() if not m[k]}
        common = tuple(map(min, zip(*inside, strict=True)))
        powers = _powers(common)
        less = {_quotient(m, powers): c for m, c in inside.items()}
        return self._term(common, 1) * self._written(less) + (self._written(rest) if rest else 0)

    def _term(self, m: tuple[int, ...], c: sp.Rational) -> sp.Expr:
        return sp.Mul(_number(c), *(self._show(k) ** e for k, e in enumerate(m) if e))


def _bases(graph: Graph, i: int) -> tuple[Counter[int], list[int]]:
    """The factors of a product with their powers, and those that are numbers."""
    bases, constants, left = Counter[int](), [], [i]
    while left:
        j = left.pop()
        operation, *args = graph.nodes[j]
        if j in graph.numbers:
            constants.append(j)
        elif operation == "*":
            left += args
        else:
            bases[j] += 1
    return bases, constants


def _by_power(p: PolyElement, k: int) -> dict[int, PolyElement]:
    """p = sum_n c_n x_k^n ,  each c_n by its n."""
    found: dict[int, PolyElement] = {}
    for m, c in p.items():
        found.setdefault(m[k], p.ring.zero.copy())[(*m[:k], 0, *m[k + 1 :])] = c
    return found


def _powers(m: tuple[int, ...]) -> list[tuple[int, int]]:
    """Which variables a monomial has, to which powers."""
    return [(k, e) for k, e in enumerate(m) if e]


def _divides(powers: Sequence[tuple[int, int]], m: tuple[int, ...]) -> bool:
    return all(m[k] >= e for k, e in powers)


def _quotient(m: tuple[int, ...], powers: Sequence[tuple[int, int]], n: int = 1) -> tuple[int, ...]:
    """m over the n-th power of a monomial."""
    left = list(m)
    for k, e in powers:
        left[k] -= n * e
    return tuple(left)


def _cancelled_term(p: PolyElement, d: PolyElement, k: int) -> PolyElement:
    """p with  d y = 1  used up, where d = c x^a is one term and y the k-th variable: term by term."""
    ((monomial, c),) = d.terms()
    inside, found = _powers(monomial), p.ring.zero.copy()
    for m, value in p.items():
        n = m[k] and min([m[k], *(m[i] // a for i, a in inside)])
        if n:
            m, value = _quotient(m, [*inside, (k, 1)], n), value / c**n
        found[m] = found[m] + value if m in found else value
    found.strip_zero()
    return found


def _few(p: PolyElement) -> PolyElement:
    if len(p) > _MOST:
        raise TooLong
    return p


def _few_in_all(found: Sequence[PolyElement], most: int) -> None:
    if sum(map(len, found)) > most:
        raise TooLong


def _number(c: sp.Rational) -> sp.Expr:
    """A fraction where it is one; else a decimal number."""
    exact = Fraction(int(c.numerator), int(c.denominator))
    short = exact.limit_denominator(_WHOLE)
    if short == exact or exact.denominator == 1:
        return sp.Rational(exact.numerator, exact.denominator)
    return sp.Rational(short.numerator, short.denominator) if float(short) == float(exact) else sp.Float(float(exact))


def _replaced(p: PolyElement, t: tuple[int, ...], meaning: PolyElement, name: PolyElement) -> PolyElement:
    """p with a term t of a meaning replaced by what its name leaves for it."""
    ring, c = p.ring, meaning[t]
    # c t = name - (meaning - c t)
    instead = (name - meaning + ring.from_dict({t: c})).quo_ground(c)
    powers, found = _powers(t), ring.zero
    for m, value in p.items():
        if _divides(powers, m):
            found += instead * ring.from_dict({_quotient(m, powers): value})
        else:
            found += ring.from_dict({m: value})
    return found


def _factors(p: PolyElement) -> Iterator[tuple[PolyElement, int]]:
    """What a person sees in p: the content by each of its variables, and powers of a sum."""
    few, used = _in_few(p)
    for f, n in _contents(few):
        yield _back(f, p.ring, used), n


def _in_few(p: PolyElement) -> tuple[PolyElement, list[int]]:
    """p in the ring of its own variables, and which they are: a common divisor costs by the variables of the ring."""
    used = [k for k in range(p.ring.ngens) if any(m[k] for m in p.monoms())]
    few = PolyRing([p.ring.symbols[k] for k in used], sp.QQ, lex)
    return few.from_dict({tuple(m[k] for k in used): c for m, c in p.items()}), used


def _back(p: PolyElement, ring: PolyRing, used: Sequence[int]) -> PolyElement:
    """The same as a polynomial of the larger ring."""
    place = {k: j for j, k in enumerate(used)}
    return ring.from_dict({tuple(m[place[k]] if k in place else 0 for k in range(ring.ngens)): c for m, c in p.items()})


def _contents(p: PolyElement) -> Iterator[tuple[PolyElement, int]]:
    ring = p.ring
    for k in range(ring.ngens):
        degrees: dict[int, PolyElement] = {}
        for m, c in p.items():
            degrees.setdefault(m[k], ring.zero.copy())[(*m[:k], 0, *m[k + 1 :])] = c
        if len(degrees) < 2 or min(map(len, degrees.values())) == 1:
            continue  # one term alone: what is common is a product, which is taken out anyway
        first, *rest = sorted(degrees.values(), key=len)
        content = reduce(_common, rest, first)
        if len(content) > 1:
            yield from _contents(content)
            p = p.quo(content)
    yield _root(p)


def _common(a: PolyElement, b: PolyElement) -> PolyElement:
    """What divides both, but for products of variables."""
    return a.ring.one if len(a) == 1 or coprime(a, b) else a.gcd(b)


def _root(p: PolyElement) -> tuple[PolyElement, int]:
    """f and n with f^n = p; the least and the greatest term of a power are powers."""
    high, low = p.leading_expv(), min(p.monoms())
    n = reduce(gcd, (*high, *low), 0)
    if len(p) < 3 or n < 2 or not _may_be_a_power(p, n):
        return p, 1
    few, used = _in_few(p)
    f = few.quo(few.gcd(few.diff(0)))
    return next(((_back(f, p.ring, used), i) for i in range(n, 1, -1) if n % i == 0 and f**i == few), (p, 1))


def _scaled_root(p: PolyElement) -> tuple[sp.Rational, PolyElement, int]:
    """c, f and n with c f^n = p: -k/2 (x - y)^2 is read as it is meant."""
    f, n = _root(p)
    if n > 1 or p.LC == 1:
        return sp.QQ(1), f, n
    f, n = _root(p.quo_ground(p.LC))
    return (p.LC, f, n) if n > 1 else (sp.QQ(1), p, 1)


def _may_be_a_power(p: PolyElement, n: int) -> bool:
    """Are its values at two places m-th powers, m a divisor of n? A common divisor costs a thousand times as much."""
    values = [sum(c * prod((k + shift) ** e for k, e in enumerate(m) if e) for m, c in p.items()) for shift in (2, 7)]
    parts = [abs(int(part)) for value in values for part in (value.numerator, value.denominator)]
    return any(n % m == 0 and all(integer_nthroot(part, m)[1] for part in parts) for m in range(2, n + 1))


def _length(p: PolyElement) -> int:
    """Factors of all terms."""
    return sum(1 + sum(m) for m in p.monoms())


def _permuted(p: PolyElement, at: int, places: Sequence[int]) -> PolyElement:
    """The polynomial with the exponents from `at` on taken from these places."""
    end = at + len(places)
    return p.ring.from_dict({(*m[:at], *(m[k] for k in places), *m[end:]): c for m, c in p.items()})


def _used_up(p: PolyElement, k: int, others: Sequence[PolyElement]) -> PolyElement:
    """x_k^2 = 1 - y^2 - z^2 - ..."""
    square = 1 - sum(y**2 for y in others)
    by: dict[int, PolyElement] = {}
    for m, c in p.items():
        by.setdefault(m[k] // 2, p.ring.zero.copy())[(*m[:k], m[k] % 2, *m[k + 1 :])] = c
    return sum((q * square**n if n else q for n, q in by.items()), p.ring.zero)


@cache
def _rotation() -> list[Terms]:
    """A Groebner basis of R R^T = 1, det R = 1, the last row last; 0.03 s."""
    entries = sp.symbols("r:9")
    R = sp.Matrix(3, 3, entries)
    relations = [*(R * R.T - sp.eye(3)), *(R.T * R - sp.eye(3)), *(R - R.cofactor_matrix())]
    basis = sp.groebner([e for e in map(sp.expand, relations) if e != 0], *entries, order="lex")
    polynomials = [PolyRing(entries, sp.QQ, lex).from_expr(e) for e in basis.exprs]
    return [dict(p.items()) for p in polynomials]


# --- sums of angles ---------------------------------------------------------------------------------------------------

#     sin(a + b) = sin a cos b + cos a sin b ,   cos(a + b) = cos a cos b - sin a sin b
#
# so that cos(theta) cos(theta + phi) + sin(theta) sin(theta + phi) can be seen to be cos(phi).

_MOST_ANGLES = 3  # angles whose sums and differences are named in angle_pairs
_SUMS = ("+", "-", "neg")
_BOTH = ("sin", "cos")


def angles_apart(outputs: Sequence[Node]) -> list[Node]:
    """The same functions without sines and cosines of sums; the same nodes where there are none."""
    graph = outputs[0].graph
    order = live(outputs)
    if not any(_of_a_sum(graph, i) for i in order):
        return list(outputs)
    image: dict[int, int] = {}
    for i in order:
        operation, *args = graph.nodes[i]
        if _of_a_sum(graph, i):
            image[i] = _parts(graph, args[0])[_BOTH.index(operation)].index
        else:
            image[i] = graph.remake(operation, *(image[j] for j in args)) if operation not in LEAVES else i
    return [Node(graph, image[y.index]) for y in outputs]


def _of_a_sum(graph: Graph, i: int) -> bool:
    operation, *args = graph.nodes[i]
    return operation in _BOTH and graph.nodes[args[0]][0] in _SUMS


def _parts(graph: Graph, angle: int) -> tuple[Node, Node]:
    """Sine and cosine of an angle."""
    operation, *args = graph.nodes[angle]
    if operation not in _SUMS:
        return graph.apply("sin", Node(graph, angle)), graph.apply("cos", Node(graph, angle))
    sine, cosine = _parts(graph, args[0])
    if operation == "neg":
        return -sine, cosine
    s, c = _parts(graph, args[1])
    s = s if operation == "+" else -s
    return sine * c + cosine * s, cosine * c - sine * s


def angle_pairs(
    outputs: Sequence[Node], symbols: Mapping[str, sp.Symbol]
) -> tuple[dict[str, Node], dict[str, sp.Expr]]:
    """Names for sines and cosines of sums and differences of angles that occur: what they are, how they are shown."""
    graph = outputs[0].graph
    angles = sorted({j for i in live(outputs) for j in graph.nodes[i][1:] if graph.nodes[i][0] in _BOTH})
    angles = [i for i in angles if graph.nodes[i][0] == SYMBOL]
    meaning, shown = dict[str, Node](), dict[str, sp.Expr]()
    for i, j in combinations(angles, 2) if len(angles) <= _MOST_ANGLES else ():
        a, b = (symbols.get(graph.nodes[k][1], sp.Symbol(graph.nodes[k][1], real=True)) for k in (i, j))
        for sign, angle in ((graph.minus(i, j), a - b), (graph.plus(i, j), a + b)):
            for function, value in zip((sp.sin, sp.cos), _parts(graph, sign), strict=True):
                name = f"{function.__name__} of {angle}"
                meaning[name], shown[name] = value, function(angle)
    return meaning, shown


# --- inverse matrices in formulas -------------------------------------------------------------------------------------

_TRIED = 500  # characters up to which what is worked with further is written in several ways


class Tidied(GraphAlgebra):
    """The machine's algebra, with inverse matrices in formulas."""

    holds = False

    def inverse(self, M: Sequence[Sequence[Node]]) -> tuple[list[list[Node]], Node]:
        """M^-1 and det M, not empty, by minors."""
        r = range(len(M))
        entries = sp.Matrix(len(M), len(M), self._short([e for row in M for e in row]))
        # M^-1 = adj M / det M
        *above, det = self.tidied([self.read(e) for e in (*adjugate(entries), determinant(entries))])
        found = self.tidied([e / det for e in above])
        return [[found[len(M) * i + j] for j in r] for i in r], det

    def tidied(self, nodes: Sequence[Node]) -> list[Node]:
        """The same functions, shorter."""
        return [read(e, self.graph) for e in self._short(nodes)]

    def _short(self, nodes: Sequence[Node]) -> list[sp.Expr]:
        return readable(nodes, {}, tried=_TRIED)
