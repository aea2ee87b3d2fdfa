"""Nodes as Laurent polynomials in what depends on the state, and these polynomials written back as few nodes.

Their coefficients are nodes of what does not depend on the state; they cost nothing at run time, as they are computed
once a run. Squares of sines or of cosines are used up by sin^2 + cos^2 = 1, those of a component of a unit vector by
the others'; terms that cancel are gone, told by residues. Written back, a polynomial takes Horner's form, and the pairs
that occur most often in sums and products are shared.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import NamedTuple

from ..graph import Graph, Node
from ..node_store import needed
from .finite_field import MODULUS, Residues

__all__ = ["MODULUS", "Monomial", "Polynomial", "Ring", "TooManyTerms"]

Monomial = tuple[tuple[int, int], ...]  # ((atom, power), ...), atoms being nodes, in ascending order
Polynomial = Mapping[Monomial, int]  # the coefficients' nodes
_TIMES_AS_MANY = 20  # products of terms that are formed, over terms that are kept


class TooManyTerms(Exception):
    """More terms than are worth while."""


class Ring:
    """Nodes as Laurent polynomials.

    Args:
        graph: the graph.
        here: its residues.
        states: bits of the symbols that are no parameters.
        most: terms above which a polynomial is given up.
        unit: vectors of symbols' names whose squares sum to 1.
    """

    def __init__(
        self, graph: Graph, here: Residues, states: int, most: int, unit: Sequence[Sequence[str]] = ()
    ) -> None:
        self.graph, self.here, self.states, self.most = graph, here, states, most
        self.unit = [[graph.symbol(name).index for name in vector] for vector in unit]
        self._read: dict[int, Polynomial | None] = {}

    def read(self, index: int) -> Polynomial | None:
        """A node as a polynomial; None where it is too long."""
        for i in needed(self.graph, [index], self.states):
            if i not in self._read:
                try:
                    self._read[i] = self._one(i)
                except TooManyTerms:
                    self._read[i] = None
        return self._known_or_none(index)

    def _known_or_none(self, index: int) -> Polynomial | None:
        if not self.graph.reach[index] & self.states:
            return {} if self.here(index) == 0 else {(): index}
        return self._read[index]

    def _known(self, index: int) -> Polynomial:
        found = self._known_or_none(index)
        if found is None:
            raise TooManyTerms
        return found

    def _one(self, i: int) -> Polynomial:
        """A node whose arguments were read."""
        operation, *args = self.graph.nodes[i]
        if self.here(i) == 0:
            return {}
        if operation == "neg":
            return {m: self.graph.negative(c) for m, c in self._known(args[0]).items()}
        if operation in ("+", "-"):
            return self._sum(self._known(args[0]), self._known(args[1]), minus=operation == "-")
        if operation == "*":
            return self._product(self._known(args[0]), self._known(args[1]))
        if operation == "/":
            return self._quotient(self._known(args[0]), self._known(args[1]))
        return {((i, 1),): self.graph.one}

    # --- arithmetic ----------------------------------------------------------------------------------------------

    def _sum(self, a: Polynomial, b: Polynomial, minus: bool) -> Polynomial:
        out = dict(a)
        for m, c in b.items():
            self._add(out, m, self.graph.negative(c) if minus else c)
        return self._short(out)

    def _product(self, a: Polynomial, b: Polynomial) -> Polynomial:
        if len(a) * len(b) > _TIMES_AS_MANY * self.most:
            raise TooManyTerms
        out: dict[Monomial, int] = {}
        for m, c in a.items():
            for n, d in b.items():
                self._put(out, _times(m, n), self.graph.times(c, d))
        return self._short(out)

    def _quotient(self, a: Polynomial, b: Polynomial) -> Polynomial:
        """a/b: exact where b is one term, or can be made one by sin^2 + cos^2 = 1; else 1/b is an atom."""
        for keep in ((), *((angle,) for angle in self._angles(b))) if len(b) > 1 else ((),):
            turned = self._turned(b, keep)
            if len(turned) == 1:
                return self._over_term(a, turned)
        if not b:
            raise TooManyTerms  # a division by 0 stays as it is written
        divisor = self.write([self.shortest(b)])[0]
        return self._product(a, {((self.graph.over(self.graph.one, divisor), 1),): self.graph.one})

    def _over_term(self, a: Polynomial, term: Polynomial) -> Polynomial:
        ((m, c),) = term.items()
        inverse = {tuple((atom, -e) for atom, e in m): self.graph.over(self.graph.one, c)}
        best = self._product(a, inverse)
        for angle in self._angles(term):  # (1 - cos^2)/sin is shorter with the other square used up
            for keep in ((), (angle,)):
                other = self._turned(self._product(self._turned(a, keep), inverse), keep)
                best = min(best, other, key=_length)
        return best

    def _short(self, a: Polynomial) -> Polynomial:
        if len(a) > self.most:
            raise TooManyTerms
        return a

    def _add(self, out: dict[Monomial, int], m: Monomial, c: int) -> None:
        """A term more; what cancels is gone."""
        c = self.graph.plus(out[m], c) if m in out else c
        if self.here(c) == 0:
            out.pop(m, None)
        else:
            out[m] = c

    # --- sin^2 + cos^2 = 1 ---------------------------------------------------------------------------------------

    def _put(self, out: dict[Monomial, int], m: Monomial, c: int, keep: Collection[int] = ()) -> None:
        """A term more, sin^2 = 1 - cos^2 used up; cos^2 = 1 - sin^2 for the angles in `keep`."""
        for atom, e in m:
            operation, *args = self.graph.nodes[atom]
            if e >= 2 and operation in ("sin", "cos") and (operation == "cos") == (args[0] in keep):
                other = self.graph.operate("cos" if operation == "sin" else "sin", args[0])
                less = _times(m, ((atom, -2),))
                self._put(out, less, c, keep)
                self._put(out, _times(less, ((other, 2),)), self.graph.negative(c), keep)
                return
        self._add(out, m, c)

    def _turned(self, a: Polynomial, keep: Collection[int]) -> Polynomial:
        """The same with cos^2 = 1 - sin^2 for the angles in `keep`."""
        out: dict[Monomial, int] = {}
        for m, c in a.items():
            self._put(out, m, c, keep)
        return out

    def _angles(self, a: Polynomial) -> list[int]:
        nodes = self.graph.nodes
        return sorted({nodes[atom][1] for m in a for atom, _ in m if nodes[atom][0] in ("sin", "cos")})

    # --- x^2 + y^2 + ... = 1 -------------------------------------------------------------------------------------

    def _on_sphere(self, a: Polynomial, vector: Sequence[int], used: int) -> Polynomial:
        """The same with the square of one component of a unit vector used up, by those of the others."""
        out: dict[Monomial, int] = {}
        waiting = list(a.items())
        while waiting:
            m, c = waiting.pop()
            if dict(m).get(used, 0) < 2:
                self._add(out, m, c)
                continue
            less = _times(m, ((used, -2),))
            waiting.append((less, c))
            waiting += [(_times(less, ((x, 2),)), self.graph.negative(c)) for x in vector if x != used]
        return out

    # --- the shortest --------------------------------------------------------------------------------------------

    def shortest(self, a: Polynomial) -> Polynomial:
        """With one square of each angle and each unit vector used up, or none, whichever is shorter."""
        a = self._by_angles(a)
        for vector in self.unit:
            squared = {atom for m in a for atom, e in m if e >= 2}.intersection(vector)
            a = min([a, *(self._on_sphere(a, vector, x) for x in sorted(squared))], key=_length)
        return a

    def _by_angles(self, a: Polynomial) -> Polynomial:
        keep: tuple[int, ...] = ()
        for angle in self._angles(a):
            other = self._turned(a, (*keep, angle))
            if _length(other) < _length(a):
                keep, a = (*keep, angle), other
        return a

    def write(self, polynomials: Sequence[Polynomial]) -> list[int]:
        """The polynomials as nodes, sharing what they have in common."""
        return written(self.graph, self.here, polynomials)

    def nodes(self, polynomials: Sequence[Polynomial]) -> list[Node]:
        """`write` as nodes that can be computed with."""
        return [Node(self.graph, i) for i in self.write(polynomials)]


def _times(m: Monomial, n: Monomial) -> Monomial:
    powers = dict(m)
    for atom, e in n:
        powers[atom] = powers.get(atom, 0) + e
    return tuple(sorted((atom, e) for atom, e in powers.items() if e))


def _length(a: Polynomial) -> tuple[int, int]:
    """Terms, and factors of all terms."""
    return len(a), sum(abs(e) for m in a for _, e in m)


# --- polynomials back to nodes ----------------------------------------------------------------------------------------

# A tree is a leaf, a product of trees, or a sum of trees with signs; equal trees are one.

Part = tuple[int, int]  # (sign, tree)
Pair = tuple[str, Part, Part]


class Tree(NamedTuple):
    """``leaf`` of one node, ``*`` or ``+`` of parts; the signs of factors are 1."""

    kind: str
    parts: tuple[Part, ...]


class Term(NamedTuple):
    """A signed product of factors: (node, 1) or (node, -1) for its reciprocal, each with its power."""

    sign: int
    factors: Counter[Part]


def written(graph: Graph, here: Residues, polynomials: Sequence[Mapping[tuple[Part, ...], int]]) -> list[int]:
    """Nodes of the polynomials ``{((atom, power), ...): coefficient}``."""
    forest = _Forest(graph, here)
    roots = [forest.horner(a) for a in polynomials]
    forest.share()
    return [forest.node(root) for root in roots]


class _Forest:
    """Trees over one graph, by number."""

    def __init__(self, graph: Graph, here: Residues) -> None:
        self.graph, self.here = graph, here
        self.trees: list[Tree] = []
        self._index: dict[Tree, int] = {}
        self._nodes: dict[int, int] = {}
        self._coefficients: dict[int, int] = {}

    def _make(self, tree: Tree) -> int:
        if tree not in self._index:
            self._index[tree] = len(self.trees)
            self.trees.append(tree)
        return self._index[tree]

    def _leaf(self, node: int) -> int:
        return self._make(Tree("leaf", ((1, node),)))

    # --- Horner's form -------------------------------------------------------------------------------------------

    def horner(self, polynomial: Mapping[tuple[Part, ...], int]) -> int:
        """The tree of a polynomial."""
        if not polynomial:
            return self._leaf(self.graph.zero)
        sign, tree = self._sum([self._term(m, c) for m, c in polynomial.items()])
        return tree if sign > 0 else self._make(Tree("+", ((-1, tree),)))

    def _term(self, m: tuple[Part, ...], coefficient: int) -> Term:
        sign, node = self._coefficient(coefficient)
        factors = Counter({(atom, 1 if e > 0 else -1): abs(e) for atom, e in m})
        if self.graph.numbers.get(node) != 1.0:
            factors[node, 1] += 1
        return Term(sign, factors)

    def _coefficient(self, node: int) -> Part:
        """(sign, node) of a coefficient; equal and opposite ones are one node."""
        value = self.here(node)
        for sign, residue in ((1, value), (-1, -value % MODULUS)):
            if residue in self._coefficients:
                return sign, self._coefficients[residue]
        number = self.graph.numbers.get(node)
        sign = -1 if number is not None and number < 0 else 1
        node = node if sign > 0 else self.graph.negative(node)
        self._coefficients[self.here(node)] = node
        return sign, node

    def _sum(self, terms: Sequence[Term]) -> Part:
        """(sign, tree): what most terms have in common is taken out of them, and so on inside."""
        count = Counter(f for term in terms for f in term.factors)
        top, n = max(count.items(), key=lambda item: (item[1], self._varies(item[0]), item[0]), default=(None, 0))
        if len(terms) == 1:
            return terms[0].sign, self._product(terms[0].factors)
        if top is None or n < 2:
            return self._signed((term.sign, self._product(term.factors)) for term in terms)
        inside = [Term(s, f - Counter([top])) for s, f in terms if f[top]]
        common, inside = _common(inside)
        sign, tree = self._sum(inside)
        product = sign, self._product(common + Counter([top]), [tree])
        outside = [term for term in terms if not term.factors[top]]
        if not outside:
            return product
        turn, rest = self._sum(outside)
        found = self.trees[rest]
        parts = [(turn * s, i) for s, i in found.parts] if found.kind == "+" else [(turn, rest)]
        return self._signed([product, *parts])

    def _varies(self, factor: Part) -> bool:
        return bool(self.graph.reach[factor[0]])

    def _signed(self, parts: Iterable[Part]) -> Part:
        """A sum whose first part is positive, and its sign."""
        ordered = sorted(parts, key=lambda part: part[1])
        sign = ordered[0][0]
        return sign, self._make(Tree("+", tuple((sign * s, i) for s, i in ordered)))

    def _product(self, factors: Counter[Part], more: Sequence[int] = ()) -> int:
        flat: list[Part] = []
        one = self._leaf(self.graph.one)
        for i in [*more, *self._leaves(factors)]:
            flat += self.trees[i].parts if self.trees[i].kind == "*" else [(1, i)] if i != one else []
        return self._make(Tree("*", tuple(sorted(flat)))) if len(flat) > 1 else flat[0][1] if flat else one

    def _leaves(self, factors: Counter[Part]) -> Iterable[int]:
        for (node, power), n in factors.items():
            leaf = self._leaf(node if power > 0 else self.graph.over(self.graph.one, node))
            yield from [leaf] * n

    # --- sharing -------------------------------------------------------------------------------------------------

    def share(self) -> None:
        """The pair that occurs most often becomes a tree of its own, until none occurs twice."""
        while True:
            pairs = self._pairs()
            best, n = max(pairs.items(), key=lambda item: (item[1], item[0]), default=(None, 0))
            if best is None or n < 2:
                return
            kind, a, b = best
            new = self._make(Tree(kind, (a, b)))
            for k, tree in enumerate(self.trees):
                if k != new and tree.kind == kind and len(tree.parts) > 2:
                    self.trees[k] = Tree(kind, _replaced(tree.parts, a, b, new))

    def _pairs(self) -> Counter[Pair]:
        """How often each pair of parts occurs in a long sum or product; what is there already counts once more."""
        pairs: Counter[Pair] = Counter()
        for tree in self.trees:
            if len(tree.parts) > 2:
                parts = tree.parts
                pairs.update({_pair(tree.kind, a, b) for i, a in enumerate(parts) for b in parts[:i]})
        for tree in self.trees:
            if len(tree.parts) == 2:
                pair = _pair(tree.kind, *tree.parts)
                if pair in pairs:
                    pairs[pair] += 1
        return pairs

    # --- nodes ---------------------------------------------------------------------------------------------------

    def node(self, index: int) -> int:
        """The node of a tree; numbers and parameters are multiplied with each other first."""
        if index not in self._nodes:
            kind, parts = self.trees[index]
            if kind == "leaf":
                self._nodes[index] = parts[0][1]
            elif kind == "*":
                self._nodes[index] = self._multiplied([self.node(i) for _, i in parts])
            else:
                self._nodes[index] = self._added([(s, self.node(i)) for s, i in parts])
        return self._nodes[index]

    def _multiplied(self, nodes: list[int]) -> int:
        first, *rest = sorted(nodes, key=lambda i: i not in self.graph.numbers)
        for i in rest:
            first = self.graph.times(first, i)
        return first

    def _added(self, parts: list[Part]) -> int:
        total = self.graph.zero
        for sign, i in sorted(parts, key=lambda part: -part[0]):
            total = self.graph.plus(total, i) if sign > 0 else self.graph.minus(total, i)
        return total


def _common(terms: list[Term]) -> tuple[Counter[Part], list[Term]]:
    """The factors that all terms have, and the terms without them."""
    common = terms[0].factors.copy()
    for term in terms[1:]:
        common &= term.factors
    return common, [Term(s, f - common) for s, f in terms]


def _pair(kind: str, a: Part, b: Part) -> Pair:
    """A pair in its own order, the first part positive."""
    a, b = sorted((a, b), key=lambda part: part[1])
    return kind, (1, a[1]), (a[0] * b[0], b[1])


def _replaced(parts: tuple[Part, ...], a: Part, b: Part, new: int) -> tuple[Part, ...]:
    """The parts with each pair a, b (or -a, -b) replaced by the new tree."""
    left = list(parts)
    for sign in (1, -1):
        x, y = (sign * a[0], a[1]), (sign * b[0], b[1])
        while x in left and y in left and (x != y or left.count(x) > 1):
            left.remove(x)
            left.remove(y)
            left.append((sign, new))
    return tuple(sorted(left, key=lambda part: part[1]))
