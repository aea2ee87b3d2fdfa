"""The states in which a nonholonomic motion solves the vakonomic equations, as branches of exact conditions.

The motion is put into the vakonomic equations as rational functions of the state. The conditions are made invariant
under the motion, split and solved (`calculus.invariant`), and put back into the user's velocities.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import sympy as sp

from ..calculus.algebra import Symbolic
from ..calculus.budget import Effort, Exceeded
from ..calculus.euler_lagrange import Affine, Motion
from ..calculus.frame import TIME
from ..calculus.invariant_sets import BranchSearch, PolynomialBranch, independent, merged
from ..calculus.polynomials import Atoms, Fraction, NotPolynomial, Poly, Polynomials, closure
from ..calculus.simplification import expanded
from ..equations import Equations
from ..equations.saddle_form import Form
from ..model.space import Space

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


def vakonomic_branches(equations: Equations, work: float) -> Outcome:
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
    walk = BranchSearch(given.ring, _rank(equations, given), given.rate)
    start = PolynomialBranch(nonzero=tuple(given.nonzero), pending=(*given.constraints, *given.conditions))
    found = walk.branches(start)
    given.ring.effort = Effort(TIDYING * work)
    found = merged(independent(found, walk), walk, given.constraints)
    found = independent(found, walk)
    itself = _of_itself(walk, given)
    given.ring.effort = Effort()  # what is left to do is writing down
    reader = _BranchWords(equations, given, walk, found, itself)
    return Outcome(tuple(reader.solved(b) for b in found), _left(walk), assumed=reader.assumed())


def _left(walk: BranchSearch) -> str:
    """How many branches were not followed to their ends."""
    count = len(walk.open)
    return f"{count} branch{'es' * (count > 1)} left unfinished" if count else ""


def _of_itself(walk: BranchSearch, given: Exact) -> PolynomialBranch:
    """The branch of the constraints alone: conditions that follow from it hold along every motion."""
    plain = PolynomialBranch(tuple((walk.main(c), c) for c in given.constraints))
    own = BranchSearch(walk.ring, walk.rank, given.rate)
    found = own.branches(PolynomialBranch(nonzero=tuple(given.nonzero), pending=tuple(given.constraints)))
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
class _BranchWords:
    """Puts branches into the user's words."""

    equations: Equations
    given: Exact
    search: BranchSearch
    found: list[PolynomialBranch]
    itself: PolynomialBranch

    def solved(self, branch: PolynomialBranch) -> Solved:
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

    def _resting(self, branch: PolynomialBranch) -> tuple[sp.Symbol, ...]:
        space = self.equations.space
        turning = {q for a in space.attitudes.values() for q in a.coordinates}
        places = {q: rate for q, rate in space.rates.items() if q not in turning}
        known = self.given.elimination.velocities
        still = all(self._vanishes(branch, rate.xreplace(known)) for rate in places.values())
        return tuple(places) if still and turning else ()

    def _exceptions(self, branch: PolynomialBranch) -> list[Poly]:
        """Where the branch says too little, unless another branch says the rest."""
        ring, left = self.given.ring, []
        others = [b for b in self.found if b is not branch]
        for together, shortest in self.search.exceptions(branch):
            every = ring.squares(together) or [together]
            place = self.search.main
            part = PolynomialBranch((*branch.equations, *((place(p), p) for p in every)))
            if not any(self._inside(part, b) for b in others):
                left += [f for f in ring.factors(shortest) if f not in left]
        return left

    def _inside(self, part: PolynomialBranch, other: PolynomialBranch) -> bool:
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

    def _solutions(self, branch: PolynomialBranch) -> dict[sp.Symbol, sp.Expr]:
        ring = self.given.ring
        return {
            ring.ring.symbols[v]: self._root(v, p).as_expr()
            for v, p in branch.equations
            if ring.degree(p, v) == 1 and ring.never_zero(ring.coefficient(p, v, 1))
        }

    def _vanishes(self, branch: PolynomialBranch, velocity: sp.Expr) -> bool:
        """Is the velocity 0 on the branch, as far as can be proved?"""
        try:
            return not self._value(branch, velocity)
        except Exceeded:
            return False

    def _value(self, branch: PolynomialBranch, velocity: sp.Expr) -> sp.Expr:
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

    def _multiplier(self, branch: PolynomialBranch, place: int, p: Poly) -> sp.Expr:
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


# --- the conditions, exactly: rational functions of the state --------------------------------------------------------
# The same equations as in `substitution`, over polynomials in independent velocities. Velocities that linear
# constraints determine are eliminated: by a coefficient that never vanishes where there is one; else a pair (alpha,
# beta) with alpha^2 + beta^2 never 0, such as (-sin, cos), is turned,
#
#     u_i = (beta v + alpha w)/(alpha^2 + beta^2),   u_j = (-alpha v + beta w)/(alpha^2 + beta^2)
#
# so that the constraint determines w and leaves v = beta u_i - alpha u_j; else by a coefficient that may vanish, which
# is recorded.

Row = list[Any]


@dataclass
class IndependentVelocities:
    """Velocities in terms of independent ones: u = `velocities`, one expression each.

    Attributes:
        velocities: ``{u: expression in independent velocities, q, t}``.
        meaning: ``{v: beta u_i - alpha u_j}`` of the new velocities.
        assumed: expressions that must not vanish.
    """

    velocities: dict[sp.Symbol, sp.Expr]
    meaning: dict[sp.Symbol, sp.Expr] = field(default_factory=dict)
    assumed: list[sp.Expr] = field(default_factory=list)

    @property
    def independent(self) -> list[sp.Symbol]:
        """The independent velocities."""
        found = set().union(*(e.free_symbols for e in self.velocities.values()))
        names = [*self.velocities, *self.meaning]
        return [s for s in names if s in found]

    @property
    def dependent(self) -> dict[sp.Symbol, sp.Expr]:
        """The velocities that are expressed by others."""
        return {u: e for u, e in self.velocities.items() if u != e}


def eliminate(equations: Equations, between: bool = True) -> IndependentVelocities:
    """Solve the constraints that are linear in the velocities, one after the other; for `between` see `exact`."""
    space = equations.space
    work = IndependentVelocities({u: u for u in space.velocities})
    used = equations.system.used
    # velocities whose coordinates nothing depends on are eliminated first
    silent = [u for u in space.velocities if not any(r.has(u) and q in used for q, r in space.rates.items())]
    for i in equations.kept:
        c = equations.constraints[i]
        if c.kind == "nonlinear":
            continue
        _solve(work, expanded(c.phi.xreplace(work.velocities)), silent, between)
    return work


def _solve(work: IndependentVelocities, phi: sp.Expr, silent: Sequence[sp.Symbol], between: bool) -> None:
    free = work.independent
    atoms = Atoms()
    read = {v: atoms.read(expanded(phi.diff(v))) for v in free if phi.has(v)}
    present = set().union(*(e.free_symbols for e in (*read.values(), *atoms.relations)))
    ring = Polynomials(atoms, sorted(present - set(atoms.meaning), key=str))
    exact = {v: ring.reduced(ring.fraction_of(s)) for v, s in read.items()}
    exact = {v: f for v, f in exact.items() if f}
    sure = [v for v, f in exact.items() if ring.never_zero(f.numer)]
    if sure:
        pivot = min(
            sure, key=lambda v: (v not in silent, not exact[v].numer.is_ground, len(exact[v].numer), free.index(v))
        )
        _substitute(work, {pivot: _root(phi, pivot)})
        return
    names = list(exact)
    for i, a in enumerate(names):
        for b in names[i + 1 :]:
            length = ring.reduced(exact[a] ** 2 + exact[b] ** 2)
            if ring.never_zero(length.numer, between):
                slopes = tuple(min(ring.expression(exact[v]), phi.diff(v), key=sp.count_ops) for v in (a, b))
                _turn(work, phi, (a, b), slopes, ring.expression(length))
                return
    if names:
        pivot = min(names, key=lambda v: (len(exact[v].numer), v not in silent, free.index(v)))
        work.assumed.append(ring.expression(exact[pivot].numer))
        _substitute(work, {pivot: _root(phi, pivot)})


def _root(phi: sp.Expr, pivot: sp.Symbol) -> sp.Expr:
    return -phi.xreplace({pivot: sp.S.Zero}) / phi.diff(pivot)


def _turn(
    work: IndependentVelocities,
    phi: sp.Expr,
    pair: tuple[sp.Symbol, sp.Symbol],
    slopes: tuple[sp.Expr, sp.Expr],
    length: sp.Expr,
) -> None:
    (a, b), (alpha, beta) = pair, slopes
    if beta.could_extract_minus_sign():  # the same constraint with the other sign: (sin, -cos) becomes (-sin, cos)
        alpha, beta, phi = -alpha, -beta, -phi
    v = sp.Symbol(f"along_{a}_{b}", real=True)
    rest = phi.xreplace({a: sp.S.Zero, b: sp.S.Zero})
    # alpha u_i + beta u_j = w = -rest
    new = {a: (beta * v - alpha * rest) / length, b: (-alpha * v - beta * rest) / length}
    work.meaning[v] = (beta * a - alpha * b).xreplace(work.meaning)
    _substitute(work, new)


def _substitute(work: IndependentVelocities, new: Mapping[sp.Symbol, sp.Expr]) -> None:
    for u, e in work.velocities.items():
        work.velocities[u] = expanded(e.xreplace(dict(new)))


@dataclass(frozen=True)
class Exact:
    """Rates and conditions over one ring.

    Attributes:
        ring: polynomials in multipliers, independent velocities, coordinates, the time, parameters and atoms.
        lam: symbols of the multipliers.
        elimination: how the velocities depend on the independent ones.
        rates: d/dt of all generators, by place.
        conditions: polynomials that must vanish: X lam = 0, and the constraints that were not eliminated.
        constraints: the latter alone; they hold of themselves.
        nonzero: polynomials assumed not to vanish.
        denominator: what the rates have in common below the line.
    """

    ring: Polynomials
    lam: tuple[sp.Symbol, ...]
    elimination: IndependentVelocities
    rates: dict[int, Fraction]
    conditions: list[Poly]
    constraints: list[Poly]
    nonzero: list[Poly]
    denominator: Poly

    def rate(self, p: Poly) -> Poly:
        """d/dt p times the denominator: a polynomial."""
        ring = self.ring
        total = ring.ring.zero
        for place, rate in self.rates.items():
            if ring.degree(p, place):
                # pdot = dp/dg gdot
                slope = p.diff(ring.ring.gens[place])
                total += slope * rate.numer * self.denominator.quo(rate.denom)
        return ring.remainder(total)


def exact(equations: Equations, effort: Effort | None = None, between: bool = True) -> Exact:
    """Substitute the nonholonomic motion into the vakonomic equations.

    Args:
        equations: the nonholonomic equations.
        effort: how much work may be done.
        between: turn pairs such as (sin, l cos) too, whose squares add to 1 + (l^2 - 1) cos^2: nothing that may vanish
            is divided by then, but expressions grow.

    Raises:
        Exceeded: the work allowed is done, or expressions grow too long.
        NotPolynomial: something jumps, or has too many functions in it.
    """
    given = _Given.of(equations, eliminate(equations, between))
    lam = tuple(c.multiplier for c in equations.constraints)
    read = _ring(equations, given, lam, effort)
    ring = read.ring
    moved = _Moved.of(read, given, equations.kept, between)
    push = _push(read, given.EL, lam, moved.udot)
    # X_c = Z_c^a (sum_s lam_s EL_a(phi^s))
    conditions = [ring.reduced(_dot([row[c] for row in moved.Z], push, ring)).numer for c in range(len(moved.Z[0]))]
    # lamdot = mu - P^T (sum_s lam_s EL(phi^s)) on the independent rows
    lamdot = [m - _dot([row[s] for row in moved.P], push, ring) for s, m in enumerate(moved.mu)]
    rates = {lam[i]: ring.reduced(r) for i, r in zip(equations.kept, lamdot, strict=True)}
    rates |= given.rates(read, moved.udot)
    constraints = [p for p in (read(e).numer for e in given.held) if p]
    everything = ring.moving(rates)
    denominator = _common([rate.denom for rate in everything.values()], ring)
    nonzero = [*moved.nonzero]
    nonzero += [h for h in ring.factors(denominator) if h not in nonzero]
    found = [c for c in conditions if c]
    return Exact(ring, lam, given.elimination, everything, found, constraints, nonzero, denominator)


@dataclass(frozen=True)
class _Given:
    """All expressions that enter, still in the user's velocities.

    Attributes:
        space: coordinates and velocities.
        elimination: how the velocities depend on the independent ones.
        form: the nonholonomic equations, W udot - N^T mu = f and N udot = g.
        EL: EL(phi^s) of each constraint.
        qdot: the rates of the coordinates.
        held: constraints that may not be eliminated: relations between positions, and nonlinear ones.
        turned: d/dt of the independent velocities.
    """

    space: Space
    elimination: IndependentVelocities
    form: Form
    EL: list[Affine]
    qdot: list[sp.Expr]
    held: list[sp.Expr]
    turned: Affine

    @classmethod
    def of(cls, equations: Equations, elimination: IndependentVelocities) -> _Given:
        """All of them from the equations and their constraints."""
        motion = Motion(equations.space.frame, Symbolic())
        form = equations.derive(Symbolic())
        EL = [motion.euler_lagrange(c.phi) for c in equations.constraints]
        positions = [c.given for c in equations.constraints if c.holonomic]
        nonlinear = [c.phi for c in equations.constraints if c.kind == "nonlinear"]
        turned = motion.derivative([elimination.meaning.get(v, v) for v in elimination.independent])
        return cls(equations.space, elimination, form, EL, motion.qdot, [*positions, *nonlinear], turned)

    @property
    def expressions(self) -> list[sp.Expr]:
        """The expressions in one list."""
        return [
            *self.form.entries,
            *(e for a in self.EL for row in a.matrix for e in row),
            *(e for a in self.EL for e in a.rest),
            *self.qdot,
            *self.held,
            *(e for row in self.turned.matrix for e in row),
            *self.turned.rest,
            *self.elimination.assumed,
        ]

    def rates(self, read: _Read, udot: Row) -> dict[sp.Symbol, Fraction]:
        """d/dt of coordinates, independent velocities and the time."""
        found = {q: read(r) for q, r in zip(self.space.coordinates, self.qdot, strict=True)}
        for v, row, rest in zip(self.elimination.independent, self.turned.matrix, self.turned.rest, strict=True):
            found[v] = read.ring.reduced(_dot([read(e) for e in row], udot, read.ring) + read(rest))
        found[TIME] = read.ring.field.one
        return found


@dataclass(frozen=True)
class _Read:
    """Reads expressions in the user's velocities as fractions in the independent ones.

    Attributes:
        ring: polynomials above and below the line.
        at: the velocities that are expressed by others.
    """

    ring: Polynomials
    at: dict[sp.Symbol, sp.Expr]

    def __call__(self, e: sp.Expr) -> Fraction:
        return self.ring.read(e.xreplace(self.at))


@dataclass(frozen=True)
class _Moved:
    """The nonholonomic motion, solved.

    Attributes:
        P, Z: N P = 1 and N Z = 0, row by row.
        udot: the accelerations.
        mu: the reactions' multipliers.
        nonzero: polynomials assumed not to vanish.
    """

    P: list[Row]
    Z: list[Row]
    udot: Row
    mu: Row
    nonzero: list[Poly]

    @classmethod
    def of(cls, read: _Read, given: _Given, kept: Sequence[int], between: bool) -> _Moved:
        """Solve W udot = f + N^T mu and N udot = g, the independent rows alone."""
        ring, form = read.ring, given.form
        W, N = [[read(e) for e in row] for row in form.W], [[read(e) for e in row] for row in form.N]
        N = [N[i] for i in kept]
        f, g = [read(e) for e in form.f], [read(form.g[i]) for i in kept]
        nonzero = [read(e).numer for e in given.elimination.assumed]
        P, Z = _split(ring, N, nonzero, between)
        udot = _accelerations(ring, W, f, g, P, Z)
        # mu = P^T (W udot - f), from N P = 1
        force = [_dot(row, udot, ring) - fi for row, fi in zip(W, f, strict=True)]
        mu = [ring.reduced(_dot([row[s] for row in P], force, ring)) for s in range(len(N))]
        return cls(P, Z, udot, mu, nonzero)


def _push(read: _Read, EL: Sequence[Affine], lam: Sequence[sp.Symbol], udot: Row) -> Row:
    """sum_s lam_s EL_a(phi^s) along the motion, for each a."""
    ring = read.ring
    rows = [
        [_dot([read(x) for x in H], udot, ring) + read(r) for H, r in zip(E.matrix, E.rest, strict=True)] for E in EL
    ]
    rows = [[ring.reduced(x) for x in row] for row in rows]
    gens = [ring.fraction_of(s) for s in lam]
    return [sum((gen * row[a] for gen, row in zip(gens, rows, strict=True)), ring.field.zero) for a in range(len(udot))]


def _common(denominators: Sequence[Poly], ring: Polynomials) -> Poly:
    """Their least common multiple."""
    found = ring.ring.one
    for d in denominators:
        found = found.lcm(d)
    return found


def _ring(equations: Equations, given: _Given, lam: Sequence[sp.Symbol], effort: Effort | None) -> _Read:
    """The ring in which all expressions are fractions: multipliers, velocities, coordinates, t, parameters, atoms."""
    system, space, free = equations.system, equations.space, given.elimination.independent
    atoms, at = Atoms(), given.elimination.dependent
    for e in given.expressions:
        atoms.read(e.xreplace(at))
    closure(atoms, {*space.coordinates, *free, TIME})
    parameters = sorted({*system.symbols.values()}, key=lambda s: (bool(s.is_positive), s.name))
    symbols = (*lam, *free, *space.coordinates, TIME, *parameters)
    return _Read(Polynomials(atoms, symbols, space.embedding, effort), at)


def _dot(xs: Sequence[Fraction], ys: Sequence[Fraction], ring: Polynomials) -> Fraction:
    return sum((ring.times(x, y) for x, y in zip(xs, ys, strict=True) if x and y), ring.field.zero)


def _split(ring: Polynomials, N: list[Row], nonzero: list[Poly], between: bool) -> tuple[list[Row], list[Row]]:
    """P (k x m) and Z (k x (k - m)) with N P = 1 and N Z = 0, row by row; pivots that may vanish join `nonzero`."""
    k = len(N[0]) if N else 0
    one, zero = ring.field.one, ring.field.zero
    basis = [[one if i == j else zero for j in range(k)] for i in range(k)]  # columns to come, as rows
    pivots: list[Row] = []
    for row in N:
        slopes = [ring.reduced(_dot(row, b, ring)) for b in basis]
        place, column = _pivot(ring, slopes, nonzero, between)
        if place is not None:  # two columns turned, so that one slope is 0 and the other never is
            i, j = place
            alpha, beta = slopes[i], slopes[j]
            basis[i], basis[j] = (
                [ring.reduced(beta * x - alpha * y) for x, y in zip(basis[i], basis[j], strict=True)],
                [ring.reduced(alpha * x + beta * y) for x, y in zip(basis[i], basis[j], strict=True)],
            )
            slopes[i], slopes[j], column = zero, ring.reduced(alpha**2 + beta**2), j
        chosen = [ring.reduced(x / slopes[column]) for x in basis[column]]
        # b - (N b) p has N b = 0, with N p = 1
        basis = [
            [ring.reduced(x - slope * p) if slope else x for x, p in zip(b, chosen, strict=True)]
            for c, (b, slope) in enumerate(zip(basis, slopes, strict=True))
            if c != column
        ]
        pivots = [*pivots, chosen]
    # make N P = 1: earlier columns must not move later rows
    for s in range(len(pivots)):
        for r in range(s + 1, len(N)):
            slope = ring.reduced(_dot(N[r], pivots[s], ring))
            if slope:
                pivots[s] = [ring.reduced(x - slope * p) for x, p in zip(pivots[s], pivots[r], strict=True)]
    P = [[p[i] for p in pivots] for i in range(k)]
    Z = [[b[i] for b in basis] for i in range(k)]
    return P, Z


def _pivot(ring: Polynomials, slopes: Row, nonzero: list[Poly], between: bool) -> tuple[tuple[int, int] | None, int]:
    """The column to eliminate by, or a pair of columns to turn first."""
    present = [c for c, s in enumerate(slopes) if s]
    sure = [c for c in present if ring.never_zero(slopes[c].numer)]
    if sure:
        return None, min(sure, key=lambda c: (len(slopes[c].numer), c))
    for n, i in enumerate(present):
        for j in present[n + 1 :]:
            if ring.never_zero(ring.reduced(slopes[i] ** 2 + slopes[j] ** 2).numer, between):
                return (i, j), j
    if not present:  # a row that follows from the others where these hold, and was kept for its positions
        raise Exceeded
    column = min(present, key=lambda c: (len(slopes[c].numer), c))
    nonzero += [h for h in ring.factors(slopes[column].numer) if h not in nonzero]
    return None, column


def _accelerations(ring: Polynomials, W: list[Row], f: Row, g: Row, P: list[Row], Z: list[Row]) -> Row:
    """udot = P g + Z alpha with  Z^T W Z alpha = Z^T (f - W P g)."""
    k, n = len(W), len(Z[0])
    Pg = [ring.reduced(_dot(row, g, ring)) for row in P] if g else [ring.field.zero] * k
    rest = [ring.reduced(fi - _dot(row, Pg, ring)) for fi, row in zip(f, W, strict=True)]
    columns = [[row[c] for row in Z] for c in range(n)]
    WZ = [[ring.reduced(_dot(row, z, ring)) for row in W] for z in columns]
    M = [[ring.reduced(_dot(z, wz, ring)) for wz in WZ] for z in columns]
    b = [ring.reduced(_dot(z, rest, ring)) for z in columns]
    moved = _solved(ring, M, b)
    return [ring.reduced(p + _dot(row, moved, ring)) for p, row in zip(Pg, Z, strict=True)]


def _solved(ring: Polynomials, M: list[Row], b: Row) -> Row:
    """x with M x = b, by elimination; pivots that never vanish come first, then short ones."""
    rows = [[*row, bi] for row, bi in zip(M, b, strict=True)]
    order: list[int] = []
    for _ in M:
        left = [(i, c) for i in range(len(order), len(rows)) for c in range(len(M)) if c not in order and rows[i][c]]
        if not left:
            raise Exceeded
        i, c = min(left, key=lambda ic: _price(ring, rows[ic[0]][ic[1]]))
        n = len(order)
        rows[n], rows[i] = rows[i], rows[n]
        pivot = [ring.reduced(x / rows[n][c]) if x else x for x in rows[n]]
        rows = [
            pivot
            if r == n
            else [
                ring.reduced(x - ring.times(row[c], p)) if p and row[c] else x for x, p in zip(row, pivot, strict=True)
            ]
            for r, row in enumerate(rows)
        ]
        order.append(c)
    x = [ring.field.zero] * len(M)
    for row, c in zip(rows, order, strict=True):
        x[c] = row[-1]
    return x


def _price(ring: Polynomials, f: Fraction) -> tuple[bool, int]:
    return not ring.never_zero(f.numer), len(f.numer) + len(f.denom)
