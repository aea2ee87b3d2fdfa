"""Where do polynomials vanish along a whole flow? The largest invariant part of their zeros, as triangular sets.

A set of equations is reduced, differentiated along the flow and reduced again until nothing new comes (the method of
characteristic sets [ritt1950; wu1984]). A product splits into its factors, a leading coefficient into "0" and "not 0",
a sum of squares into its terms. So the zeros fall into branches, each a list of equations with main variables of their
own; together they hold every real zero from which the flow never leaves the zeros.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from .budget import Exceeded
from .polynomials import Poly, Polynomials

LARGEST = 400  # terms of a polynomial that is still factored
SHORT = 3


@dataclass(frozen=True)
class PolynomialBranch:
    """Equations p = 0, each with the place of its main variable, where the polynomials `nonzero` do not vanish."""

    equations: tuple[tuple[int, Poly], ...] = ()
    nonzero: tuple[Poly, ...] = ()
    pending: tuple[Poly, ...] = ()

    @property
    def work(self) -> int:
        """Terms still to be worked in."""
        return sum(map(len, self.pending))

    @property
    def polynomials(self) -> tuple[Poly, ...]:
        """The equations' polynomials."""
        return tuple(p for _, p in self.equations)


@dataclass
class BranchSearch:
    """The search for invariant branches.

    Args:
        ring: the polynomials.
        rank: places of the variables that equations are solved for, in groups: those of the first group that occurs.
        rate: d/dt of a polynomial along the flow, times something that does not vanish.
        open: what was left when it was spent.
    """

    ring: Polynomials
    rank: Sequence[Sequence[int]]
    rate: Callable[[Poly], Poly]
    open: list[PolynomialBranch] = field(default_factory=list)
    _known: dict[Any, list[set[Poly]]] = field(default_factory=dict)

    def branches(self, start: PolynomialBranch) -> list[PolynomialBranch]:
        """All invariant branches of the zeros of the pending polynomials; `open` holds those not finished."""
        waiting = [start]
        closed: list[PolynomialBranch] = []
        while waiting:
            branch = waiting.pop(min(range(len(waiting)), key=lambda i: waiting[i].work))
            if any(_within(branch, other, self) for other in closed) or self._seen(branch):
                continue
            try:
                found = list(self._step(branch))
            except Exceeded:
                self.open.append(branch)
                continue
            for new in found:
                (waiting if new.pending else closed).append(new)
        return closed

    def _seen(self, branch: PolynomialBranch) -> bool:
        """Was the same worked on before, with no more excluded from it?"""
        before = self._known.setdefault((frozenset(branch.polynomials), frozenset(branch.pending)), [])
        if any(nonzero <= set(branch.nonzero) for nonzero in before):
            return True
        before.append(set(branch.nonzero))
        return False

    def _step(self, branch: PolynomialBranch) -> Iterator[PolynomialBranch]:
        """One pending polynomial worked in, or, where none is left, the rates of all equations."""
        if branch.pending:
            p = min(branch.pending, key=len)
            rest = replace(branch, pending=tuple(other for other in branch.pending if other is not p))
            for new in self._insert(rest, p):
                yield from self._closed(new)
        else:
            yield from self._closed(branch)

    def _closed(self, branch: PolynomialBranch) -> Iterator[PolynomialBranch]:
        """The branch, with the rates of its equations pending if it is not invariant yet."""
        if not branch.pending:
            rates = [self.reduce(branch, self.rate(p)) for p in branch.polynomials]
            branch = replace(branch, pending=tuple(r for r in rates if r))
        yield branch

    def reduce(self, branch: PolynomialBranch, p: Poly) -> Poly:
        """p reduced by the relations and by the branch's equations; its zeros there are the same."""
        before = None
        while p and p != before:
            before = p
            p = self.ring.remainder(p)
            for place, g in branch.equations:
                p = self.ring.pseudo_remainder(p, g, place)
            self.ring.check(len(p), 4 * LARGEST)
            p = p.primitive()[1] if p else p
        return p

    def _insert(self, branch: PolynomialBranch, p: Poly) -> Iterator[PolynomialBranch]:
        """The branch with p = 0."""
        p = self.reduce(branch, p)
        if not p:
            yield branch
            return
        if self.ring.never_zero(p):
            return
        parts = self.ring.squares(p)
        if parts is not None:
            yield replace(branch, pending=(*parts, *branch.pending))
            return
        self.ring.check(len(p), LARGEST)
        factors = [f for f in self.ring.factors(p) if f not in branch.nonzero]
        if len(factors) == 1:
            yield from self._solve(branch, factors[0])
        else:
            yield from (replace(branch, pending=(f, *branch.pending)) for f in factors)

    def _solve(self, branch: PolynomialBranch, f: Poly) -> Iterator[PolynomialBranch]:
        """The branch with the irreducible f = 0: a main variable is chosen, its leading coefficient is 0 or not."""
        parts = self.ring.squares(f)
        if parts is not None:
            yield replace(branch, pending=(*parts, *branch.pending))
            return
        place = self.main(f)
        n = self.ring.degree(f, place)
        h = self.ring.coefficient(f, place, n)
        leading = [g for g in self.ring.factors(h) if g not in branch.nonzero]
        for g in leading:
            yield replace(branch, pending=(g, f, *branch.pending))
        yield from self._take(replace(branch, nonzero=(*branch.nonzero, *leading)), place, f)

    def _take(self, branch: PolynomialBranch, place: int, f: Poly) -> Iterator[PolynomialBranch]:
        """f added; equations and relations that hold its main variable are worked in anew."""
        touched = [p for _, p in branch.equations if self.ring.degree(p, place)]
        kept = tuple((v, p) for v, p in branch.equations if not self.ring.degree(p, place))
        related = [r for r in self.ring.relations if self.ring.degree(r, place)]
        consequences = [_bare(self.ring.pseudo_remainder(r, f, place)) for r in related]
        new = replace(branch, equations=(*kept, (place, f)))
        if all(self.reduce(new, h) for h in new.nonzero):
            yield replace(new, pending=(*branch.pending, *touched, *(c for c in consequences if c)))

    def main(self, f: Poly) -> int:
        """The place of a variable of degree 1 whose coefficient never vanishes, else of the first that occurs."""
        for group in self.rank:
            present = [v for v in group if self.ring.degree(f, v)]
            sure = (v for v in present if self.ring.degree(f, v) == 1 and self._firm(f, v))
            if present:
                return next(sure, present[0])
        raise ValueError(f"{f} holds no variable")

    def _firm(self, f: Poly, place: int) -> bool:
        return self.ring.never_zero(self.leading(f, place))

    def leading(self, f: Poly, place: int) -> Poly:
        """Leading coefficient of f in the variable at that place."""
        return self.ring.coefficient(f, place, self.ring.degree(f, place))

    def exceptions(self, branch: PolynomialBranch) -> list[tuple[Poly, Poly]]:
        """Polynomials outside whose zeros each equation determines its main variable.

        An equation may be solved for any variable that it holds to the first degree and that no other equation holds;
        only where all these leading coefficients vanish does the branch say too little. (A variable of other equations
        will not do: with its help two equations may become one, and have more zeros than the branch.) Returned are
        pairs: a polynomial that vanishes there and only there, and the shortest of the coefficients.
        """
        found = []
        for place, p in branch.equations:
            if self._firm(p, place):
                continue
            others = [q for v, q in branch.equations if v != place]
            linear = [v for group in self.rank for v in group if self.ring.degree(p, v) == 1]
            linear = [v for v in linear if not any(self.ring.degree(q, v) for q in others)]
            slopes = [self.leading(p, v) for v in {place, *linear}]
            together = self.ring.remainder(sum((h**2 for h in slopes), self.ring.ring.zero))
            if not self.ring.never_zero(together):
                found.append((together, min(slopes, key=len)))
        return found


def _bare(p: Poly) -> Poly:
    """A short p without repeated factors: s^2 + c^2 - 1 at c = 1 is s^2, which the relation itself would take back."""
    return p.sqf_part() if 0 < len(p) <= SHORT else p


def independent(branches: Sequence[PolynomialBranch], search: BranchSearch) -> list[PolynomialBranch]:
    """The branches that do not lie in the zeros of another one's equations."""
    kept: list[PolynomialBranch] = []
    for i, b in enumerate(branches):
        others = [*kept, *branches[i + 1 :]]
        if not any(_within(b, other, search) for other in others):
            kept.append(b)
    return kept


def merged(branches: Sequence[PolynomialBranch], search: BranchSearch, known: Sequence[Poly]) -> list[PolynomialBranch]:
    """Branches that differ in one equation only, p and p', become one where p p' = 0 holds of itself.

    Args:
        branches: the branches.
        search: where they come from.
        known: polynomials that vanish on all of them: the constraints.
    """
    kept = list(branches)
    for i, a in enumerate(kept):
        for b in kept[i + 1 :]:
            union = _union(a, b, search, known)
            if union is not None:
                rest = [c for c in kept if c is not a and c is not b]
                return merged([*rest, union], search, known)
    return kept


def _union(
    a: PolynomialBranch, b: PolynomialBranch, search: BranchSearch, known: Sequence[Poly]
) -> PolynomialBranch | None:
    shared = [e for e in a.equations if any(p in (e[1], -e[1]) for p in b.polynomials)]
    if not len(a.equations) == len(b.equations) == len(shared) + 1:
        return None
    (p,) = (e[1] for e in a.equations if e not in shared)
    (other,) = (q for q in b.polynomials if not any(q in (e[1], -e[1]) for e in shared))
    common = replace(a, equations=tuple(shared), nonzero=(*a.nonzero, *(h for h in b.nonzero if h not in a.nonzero)))
    ring, product = search.ring, (p * other).primitive()[1]
    for r in (*ring.relations, *known):
        for place, g in shared:
            r = ring.pseudo_remainder(r, g, place)
        if r and r.primitive()[1] in (product, -product):
            return common
    return None


def _within(branch: PolynomialBranch, other: PolynomialBranch, search: BranchSearch) -> bool:
    """Do the other one's equations hold on the branch, and say all there? (Said where it is seen before the end.)"""
    try:
        return all(not search.reduce(branch, p) for p in other.polynomials) and all(
            search.reduce(branch, together) for together, _ in search.exceptions(other)
        )
    except Exceeded:
        return False
