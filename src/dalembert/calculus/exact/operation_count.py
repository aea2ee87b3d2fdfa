"""The same values from fewer operations: equal nodes merged, and polynomials where these are shorter.

A `Tidy` is called with what is computed together, so that it shares; it also says what a node is in truth, whatever it
is written with: `depends`, `constant`, `zero`, `equal`.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..graph import Graph, Node, live, substitute
from ..node_store import LEAVES
from .finite_field import MODULUS, Residues
from .laurent import Ring

_COSTS = {"/": 8, "sin": 15, "cos": 15, "sqrt": 8, "neg": 0}  # in multiplications
_LARGEST = 3000  # nodes above which nothing is written as a polynomial
_TERMS = (60, 12)


class Tidy:
    """Exact tidying of the nodes of one graph.

    Args:
        graph: the graph.
        states: names of the symbols that are no parameters, time among them.
        coordinates: those of them that may turn out not to matter.
        unit: vectors of names whose squares sum to 1.
        polynomials: are polynomials tried? Each call then looks for its own shortest form. Without them a node is
            merged once for all, so that the work, and what is written, grows in proportion to what there is.
    """

    def __init__(
        self,
        graph: Graph,
        states: Sequence[str],
        coordinates: Sequence[str],
        unit: Sequence[Sequence[str]] = (),
        *,
        polynomials: bool = True,
    ) -> None:
        self.graph, self.coordinates, self.polynomials = graph, tuple(coordinates), polynomials
        self._image: dict[int, int] = {}
        self._first: dict[int, int] = {}
        self.states = graph.bits(states)
        self.here = Residues(graph, unit=unit)
        self._elsewhere = Residues(graph, states, unit)
        self._beside = {name: Residues(graph, [name], unit) for name in coordinates}
        self._rings = [Ring(graph, self.here, self.states, most, unit) for most in _TERMS]

    def __call__(self, ys: Sequence[Node]) -> list[Node]:
        """Nodes of the same values, the cheapest that were found."""
        if not self.polynomials:
            return self.merged(ys)
        plain = self.merged(self._settled(ys))
        if len(live(plain)) > _LARGEST:
            return plain
        return min([plain, *(self._polynomials(ring, plain) for ring in self._rings)], key=self.cost)

    def cheapest(self, ways: Sequence[Sequence[Node]]) -> list[Node]:
        """The cheapest of several ways to write the same values, tidied.

        Without polynomials they are compared as they are: what one of them wrote first would be used by the others.
        """
        if not self.polynomials:
            return self(min(ways, key=self.cost))
        return min(map(self, ways), key=self.cost)

    def cost(self, ys: Sequence[Node]) -> int:
        """Operations of one evaluation, in multiplications; what depends on parameters alone is computed once a run."""
        nodes, reach = self.graph.nodes, self.graph.reach
        return sum(_COSTS.get(nodes[i][0], 1) for i in live(ys) if nodes[i][0] not in LEAVES and reach[i] & self.states)

    # --- what nodes are in truth ---------------------------------------------------------------------------------

    def equal(self, a: Node, b: Node) -> bool:
        """Is a = b?"""
        return self.here(a.index) == self.here(b.index)

    def zero(self, a: Node) -> bool:
        """Is a = 0?"""
        return self.here(a.index) == 0

    def constant(self, a: Node) -> bool:
        """Does it depend on parameters alone?"""
        return not self.graph.reach[a.index] & self.states or self._elsewhere(a.index) == self.here(a.index)

    def depends(self, a: Node, name: str) -> bool:
        """Does it depend on this coordinate?"""
        bit = self.graph.reach[self.graph.symbol(name).index]
        return bool(self.graph.reach[a.index] & bit) and self._beside[name](a.index) != self.here(a.index)

    # --- merging -------------------------------------------------------------------------------------------------

    def _settled(self, ys: Sequence[Node]) -> list[Node]:
        """Coordinates on which an output does not depend are put to 0 in it, together with the others'."""
        found = list(ys)
        for name in self.coordinates:
            bit = self.graph.reach[self.graph.symbol(name).index]
            idle = [k for k, y in enumerate(found) if self.graph.reach[y.index] & bit and not self.depends(y, name)]
            for k, y in zip(idle, substitute([found[k] for k in idle], {name: 0.0}), strict=True):
                found[k] = y if self._same(y.index, found[k].index) else found[k]
        return found

    def merged(self, ys: Sequence[Node]) -> list[Node]:
        """Nodes of equal value become one, the first; those that are constant are written without states."""
        if self.polynomials:
            self._image, self._first = {}, {}
        for i in self._unseen(ys):
            self._image[i] = self._merged(i)
            self._image.setdefault(self._image[i], self._image[i])
        return [Node(self.graph, self._image[y.index]) for y in ys]

    def _unseen(self, ys: Sequence[Node]) -> list[int]:
        """What the outputs need and was not merged before, in evaluation order."""
        found: set[int] = set()
        stack = [y.index for y in ys]
        while stack:
            i = stack.pop()
            if i not in found and i not in self._image:
                found.add(i)
                key = self.graph.nodes[i]
                stack += key[1:] if key[0] not in LEAVES else ()
        return sorted(found)

    def _merged(self, i: int) -> int:
        graph, first = self.graph, self._first
        j = self._remade(i)
        residue = self.here(j)
        if residue == 0:
            return graph.zero
        known = first.get(residue)
        if known is not None:
            return known
        opposite = first.get(MODULUS - residue)
        if opposite is not None and graph.nodes[j][0] not in LEAVES:
            return graph.negative(opposite)
        if graph.reach[j] & self.states and self._elsewhere(j) == residue:
            j = self._without_states(j)
        first[residue] = j
        return j

    def _remade(self, i: int) -> int:
        """A node on the images of its arguments."""
        key, image = self.graph.nodes[i], self._image
        return i if key[0] in LEAVES else self.graph.remake(key[0], *[image[j] for j in key[1:]])

    def _without_states(self, j: int) -> int:
        """A constant node at states 0, if it is defined there."""
        graph = self.graph
        at = substitute([Node(graph, j)], dict.fromkeys(graph.names(graph.reach[j] & self.states), 0.0))[0].index
        return at if self._same(at, j) else j

    def _same(self, at: int, j: int) -> bool:
        """Is a node at special values the same, and is it defined there?"""
        return self.here(at) == self.here(j) and self.here.defined(at)

    # --- polynomials ---------------------------------------------------------------------------------------------

    def _polynomials(self, ring: Ring, ys: Sequence[Node]) -> list[Node]:
        """Those outputs written anew that are polynomials of not more terms than they have operations."""
        read = {k: ring.shortest(p) for k, y in enumerate(ys) if (p := ring.read(y.index)) is not None}
        found = {k: p for k, p in read.items() if len(p) <= self.cost([ys[k]])}
        new = dict(zip(found, ring.nodes(list(found.values())), strict=True))
        return [new.get(k, y) for k, y in enumerate(ys)]
