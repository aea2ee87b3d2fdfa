"""Laurent polynomials in what depends on the state; their coefficients are nodes of what does not.

Squares of sines or of cosines are used up by sin^2 + cos^2 = 1, those of a component of a unit vector by the others';
terms that cancel are gone, told by residues.
Coefficients cost nothing at run time: they are computed once a run.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from ..graph import Graph, Node
from ..store import needed
from .residues import MODULUS, Residues
from .sharing import written

Monomial = tuple[tuple[int, int], ...]  # ((atom, power), ...), atoms being nodes, in ascending order
Polynomial = Mapping[Monomial, int]  # the coefficients' nodes
_TIMES_AS_MANY = 20  # products of terms that are formed, over terms that are kept


class TooLong(Exception):
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
                except TooLong:
                    self._read[i] = None
        return self._known_or_none(index)

    def _known_or_none(self, index: int) -> Polynomial | None:
        if not self.graph.reach[index] & self.states:
            return {} if self.here(index) == 0 else {(): index}
        return self._read[index]

    def _known(self, index: int) -> Polynomial:
        found = self._known_or_none(index)
        if found is None:
            raise TooLong
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
            raise TooLong
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
            raise TooLong  # a division by 0 stays as it is written
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
            raise TooLong
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


__all__ = ["MODULUS", "Monomial", "Polynomial", "Ring", "TooLong"]
