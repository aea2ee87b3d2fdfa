"""The states in which a nonholonomic motion solves the vakonomic equations, as branches of exact conditions.

The conditions of `exact` are made invariant under the motion, split and solved (`calculus.invariant`), and put back
into the user's velocities.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import sympy as sp

from ..calculus.budget import Effort, Exceeded
from ..calculus.frame import TIME
from ..calculus.invariant import Branch, Search, independent, merged
from ..calculus.polynomials import NotPolynomial, Poly
from ..equations import Equations
from .exact import Exact, exact

TIDYING = 0.25  # of the work allowed, for seeing which branches are parts of others


@dataclass(frozen=True)
class Solved:
    """One branch.

    Attributes:
        conditions: expressions in t, q, u that vanish.
        multipliers: ``{lam_<constraint>: expression}`` of the multipliers that the branch determines.
        relations: expressions with multipliers that vanish, where they cannot be solved without a division.
        free: the multipliers that it does not determine.
        freedom: how many of these may be chosen.
        given: conditions on parameters alone, each with the parameter it can be solved for and its value, or None.
        exceptions: expressions at whose zeros the branch says too little; it holds where none of them vanishes.
        at_rest: do all velocities vanish?
        resting: the coordinates apart from rotations, where these do not move but a rotation may.
    """

    conditions: tuple[sp.Expr, ...]
    multipliers: Mapping[sp.Symbol, sp.Expr]
    relations: tuple[sp.Expr, ...]
    free: tuple[sp.Symbol, ...]
    freedom: int
    given: tuple[tuple[sp.Expr, sp.Symbol | None, sp.Expr | None], ...]
    exceptions: tuple[sp.Expr, ...]
    at_rest: bool
    resting: tuple[sp.Symbol, ...] = ()


@dataclass(frozen=True)
class Outcome:
    """The result of the search.

    Attributes:
        branches: those that were found.
        unfinished: why it stopped before the end, if it did.
        aborted: what was stopped by the clock, if it was: then nothing was found.
        assumed: expressions that the elimination divided by, each with those that vanish where it does: motions along
            which it stays 0 were not searched.
    """

    branches: tuple[Solved, ...]
    unfinished: str = ""
    aborted: str = ""
    assumed: tuple[tuple[sp.Expr, tuple[sp.Expr, ...]], ...] = ()


def search(equations: Equations, work: float) -> Outcome:
    """All branches that are found by so much work, counted in terms of polynomials."""
    constraints = equations.constraints
    if all(c.holonomic for c in constraints):  # EL(df/dt) = 0: any lam(0) will do [lewis1995 Proposition 2.8]
        free = tuple(c.multiplier for c in constraints)
        return Outcome((Solved((), {}, (), free, len(free), (), (), at_rest=False),))
    try:
        given = _exact(equations, work)
    except NotPolynomial as why:
        return Outcome((), f"not of a form that the exact search reads ({why})")
    except Exceeded:
        return Outcome((), "the exact equations are too long")
    given.ring.effort = Effort(work)
    walk = Search(given.ring, _rank(equations, given), given.rate)
    start = Branch(nonzero=tuple(given.nonzero), pending=(*given.constraints, *given.conditions))
    found = walk.branches(start)
    given.ring.effort = Effort(TIDYING * work)
    found = merged(independent(found, walk), walk, given.constraints)
    found = independent(found, walk)
    itself = _of_itself(walk, given)
    given.ring.effort = Effort()  # what is left to do is writing down
    reader = _Reader(equations, given, walk, found, itself)
    return Outcome(tuple(reader.solved(b) for b in found), _left(walk), assumed=reader.assumed())


def _left(walk: Search) -> str:
    """How many branches were not followed to their ends."""
    count = len(walk.open)
    return f"{count} branch{'es' * (count > 1)} left unfinished" if count else ""


def _of_itself(walk: Search, given: Exact) -> Branch:
    """The branch of the constraints alone: conditions that follow from it hold along every motion."""
    plain = Branch(tuple((walk.main(c), c) for c in given.constraints))
    own = Search(walk.ring, walk.rank, given.rate)
    found = own.branches(Branch(nonzero=tuple(given.nonzero), pending=tuple(given.constraints)))
    return found[0] if len(found) == 1 and not own.open else plain


def _exact(equations: Equations, work: float) -> Exact:
    """The equations without a division, if they do not grow too long; else with."""
    try:
        return exact(equations, Effort(work))
    except Exceeded:
        return exact(equations, Effort(work), between=False)


def _rank(equations: Equations, given: Exact) -> list[list[int]]:
    """Multipliers before all others; then velocities, coordinates, functions of them, the time, parameters."""
    ring, symbols = given.ring, equations.system.symbols.values()
    parameters = sorted(symbols, key=lambda s: (bool(s.is_positive), s.name))
    state = [*given.elimination.independent, *equations.space.coordinates, *ring.atoms.meaning, TIME, *parameters]
    return [[ring.place[s] for s in given.lam], [ring.place[s] for s in state]]


@dataclass(frozen=True)
class _Reader:
    """Puts branches into the user's words."""

    equations: Equations
    given: Exact
    search: Search
    found: list[Branch]
    itself: Branch

    def solved(self, branch: Branch) -> Solved:
        """The branch in the user's symbols."""
        ring, conditions, relations, given, multipliers = self.given.ring, [], [], [], {}
        lam = {ring.place[s]: s for s in self.given.lam}
        for place, p in branch.equations:
            firm = ring.degree(p, place) == 1 and ring.never_zero(ring.coefficient(p, place, 1))
            if place in lam and firm:
                multipliers[lam[place]] = self._multiplier(branch, place, p)
            elif place in lam:
                relations.append(self._shown(p))
            elif self._of_parameters(p):
                given.append(self._parameter(place, p))
            elif self.search.reduce(self.itself, p):
                conditions.append(self._condition(place, p) if firm else self._shown(p))
        free = tuple(s for s in self.given.lam if s not in multipliers)
        return Solved(
            tuple(conditions),
            {s: multipliers[s] for s in self.given.lam if s in multipliers},
            tuple(relations),
            free,
            len(free) - len(relations),
            tuple(given),
            tuple(self._shown(h) for h in self._exceptions(branch)),
            all(self._vanishes(branch, e) for e in self.given.elimination.velocities.values()),
            self._resting(branch),
        )

    def assumed(self) -> tuple[tuple[sp.Expr, tuple[sp.Expr, ...]], ...]:
        """Expressions that were divided by and may vanish; a sum of squares with its terms."""
        ring, factors = self.given.ring, []
        for h in self.given.nonzero:
            factors += [f for f in ring.factors(h) if f not in factors]
        found = [(self._shown(f), tuple(self._shown(p) for p in ring.squares(f) or (f,))) for f in factors]
        return tuple({h: parts for h, parts in found if not h.free_symbols & set(self.given.lam)}.items())

    def _resting(self, branch: Branch) -> tuple[sp.Symbol, ...]:
        space = self.equations.space
        turning = {q for a in space.attitudes.values() for q in a.coordinates}
        places = {q: rate for q, rate in space.rates.items() if q not in turning}
        known = self.given.elimination.velocities
        still = all(self._vanishes(branch, rate.xreplace(known)) for rate in places.values())
        return tuple(places) if still and turning else ()

    def _exceptions(self, branch: Branch) -> list[Poly]:
        """Where the branch says too little, unless another branch says the rest."""
        ring, left = self.given.ring, []
        others = [b for b in self.found if b is not branch]
        for together, shortest in self.search.exceptions(branch):
            every = ring.squares(together) or [together]
            place = self.search.main
            part = Branch((*branch.equations, *((place(p), p) for p in every)))
            if not any(self._inside(part, b) for b in others):
                left += [f for f in ring.factors(shortest) if f not in left]
        return left

    def _inside(self, part: Branch, other: Branch) -> bool:
        try:
            return all(not self.search.reduce(part, p) for p in other.polynomials)
        except Exceeded:
            return False

    def _of_parameters(self, p: Poly) -> bool:
        names = set(self.equations.system.symbols.values())
        return bool(self.given.ring.expression(p).free_symbols <= names)

    def _parameter(self, place: int, p: Poly) -> tuple[sp.Expr, sp.Symbol | None, sp.Expr | None]:
        ring = self.given.ring
        symbol, condition = ring.ring.symbols[place], ring.expression(p)
        if symbol in self.equations.system.symbols.values() and ring.degree(p, place) == 1:
            return condition, symbol, ring.expression(self._root(place, p))
        return condition, None, None

    def _root(self, place: int, p: Poly) -> sp.Expr:
        ring = self.given.ring
        # p = h x + rest:  x = -rest/h
        return -ring.field(ring.coefficient(p, place, 0)) / ring.field(ring.coefficient(p, place, 1))

    def _shown(self, p: Poly) -> sp.Expr:
        """The polynomial in the user's velocities and functions, with a leading + where it can be."""
        e = self.given.ring.expression(p).xreplace(self.given.elimination.meaning)
        e = sp.factor_terms(e)
        return -e if e.could_extract_minus_sign() else e

    def _condition(self, place: int, p: Poly) -> sp.Expr:
        """x - root for the main variable x, where x is one of the user's symbols."""
        ring = self.given.ring
        symbol = ring.ring.symbols[place]
        if symbol in ring.atoms.meaning or symbol in self.given.elimination.meaning:
            return self._shown(p)
        root = ring.expression(self._root(place, p)).xreplace(self.given.elimination.meaning)
        return symbol - sp.factor_terms(root)

    def _solutions(self, branch: Branch) -> dict[sp.Symbol, sp.Expr]:
        ring = self.given.ring
        return {
            ring.ring.symbols[v]: self._root(v, p).as_expr()
            for v, p in branch.equations
            if ring.degree(p, v) == 1 and ring.never_zero(ring.coefficient(p, v, 1))
        }

    def _vanishes(self, branch: Branch, velocity: sp.Expr) -> bool:
        """Is the velocity 0 on the branch, as far as can be proved?"""
        try:
            return not self._value(branch, velocity)
        except Exceeded:
            return False

    def _value(self, branch: Branch, velocity: sp.Expr) -> sp.Expr:
        """A velocity on the branch as a fraction."""
        ring, known = self.given.ring, self._solutions(branch)
        e = ring.atoms.read(velocity)
        for _ in range(len(known)):
            e = e.xreplace(known)
        return ring.reduced(ring.fraction_of(e))

    def _velocities(self) -> list[tuple[sp.Symbol, sp.Expr]]:
        """The user's velocities, then the turned ones, each in terms of independent ones."""
        work = self.given.elimination
        return [*work.velocities.items(), *((v, v) for v in work.meaning if v in work.independent)]

    def _multiplier(self, branch: Branch, place: int, p: Poly) -> sp.Expr:
        """lam = -rest/h, as a multiple of one of the user's velocities where it is one."""
        ring = self.given.ring
        root = ring.reduced(self._root(place, p))
        for u, e in self._velocities():
            try:
                value = self._value(branch, e)
                ratio = ring.reduced(root / value) if value and root else None
            except Exceeded:
                break
            if ratio is not None and self._of_parameters(ratio.numer) and self._of_parameters(ratio.denom):
                return sp.factor(ring.expression(ratio)) * self.given.elimination.meaning.get(u, u)
        return sp.factor_terms(ring.expression(root).xreplace(self.given.elimination.meaning))
