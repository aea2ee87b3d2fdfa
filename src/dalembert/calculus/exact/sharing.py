"""Polynomials back to nodes: Horner's form, then the pairs that occur most often in sums and products are shared.

A tree is a leaf, a product of trees, or a sum of trees with signs; equal trees are one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from ..graph import Graph
from .residues import MODULUS, Residues

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
