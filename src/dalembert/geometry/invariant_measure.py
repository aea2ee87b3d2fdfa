"""Invariant measures of a nonholonomic motion: is a density one, is there one, and what stands in the way?

In the velocities v that the constraints allow, qdot = E v, and their momenta p, the motion expands dq dp at the rate

    div = beta_j v^j ,   beta_j = dE^i_j/dq^i + C^i_ji

with the brackets C of the allowed velocities, projected with the kinetic metric: the potential does not occur, and
forces add tr(G^-1 dQ/dv), here beta_j v^j as well if they are quadratic in v. N dq dv is invariant if and only if
dN/dt + N div' = 0, div' being that of dq dv = dq dp/det G. A density of the positions alone needs

    E^i_j d/dq^i log(N/det G) = -beta_j      for every j,

Chaplygin's multiplier where the group leaves one [chaplygin1903; fedorov1995]. There is one around a point if and only
if beta grows with the brackets of the fields E_j as a differential does: where brackets of them combine to 0, what beta
makes of them does, too. Where beta = sum_i B_i(q_i) dq_i, N = det G exp(-sum_i int B_i dq_i). Walls that give back less
than they take shrink dq dv at places that no N(q) tells apart, as friction of contacts does.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations, islice

import numpy as np
import sympy as sp

from ..answer import Answer, no, undecided, yes
from ..argument_checks import public
from ..calculus.exact.exact_rank import rank_at_most, solved
from ..calculus.exact.finite_field import as_written, short_fraction
from ..calculus.from_sympy import read
from ..calculus.graph import Node, evaluate, tangent
from ..calculus.numerical_rank import sized
from ..calculus.simplification import as_fraction, at_most, determinant, inverse, short
from ..errors import DalembertWarning, InvalidValue, UnknownName
from ..errors.remedies import Principle
from ..model.bodies import Expression
from ..model.expression_symbols import Reader
from ..model.system import System
from .generators import needs_system
from .identities import SIZES, MotionNodes, decided, points, vanish
from .impact_invariance import passing
from .random_states import ConstraintSampler, Values
from .restriction import restrict
from .summary_lines import Summary
from .symbolic_null_space import FACTORED
from .symplectic_form import Symplectic

_STATES, _ROUNDS = 5, 6
_LOOKED, _SMALL = 40, 1e-60
_DENOMINATOR = 12  # of exponents
_MOST = 12  # factors of which a density is made


@dataclass(frozen=True, eq=False)
class Measure:
    """An invariant measure, or why there is none.

    Attributes:
        system: on the velocities that the constraints allow; the measure is N dq dv on it.
        velocities: the given velocities by those of `system`.
        divergence: beta_j by velocity: the rate at which dq dp grows is the sum of beta_j v^j.
        answer: is the given density invariant; or, without one, is there an N(q) around almost every point?
        density: N > 0, the one that was given if it is invariant, or one that was found; None if none could be written.
            It may hold integrals of one coordinate, which ``N.subs(...).evalf()`` evaluates.
        obstruction: what stands in the way, in words; "" where nothing does.
        rate: of a density that was given, the largest |dN/dt + N div| over the size of its terms; NaN without one.
    """

    system: System
    velocities: dict[str, sp.Expr]
    divergence: dict[str, sp.Expr]
    answer: Answer
    density: sp.Expr | None
    obstruction: str
    rate: float

    @property
    def exists(self) -> bool | None:
        """Is there one? None where it was not decided; another may be invariant where a given one is not."""
        return self.answer.value or (None if self.rate == self.rate else self.answer.value)

    def __bool__(self) -> bool:
        return bool(self.answer)

    def __str__(self) -> str:
        told = Summary(
            f"{self.system.title or 'System'}: invariant measure N dq dv", ".velocities, .divergence, .density"
        )
        told.add("velocities", ", ".join(f"{name} = {e}" for name, e in self.velocities.items()))
        told.add("divergence", " + ".join(f"({e})*{v}" for v, e in self.divergence.items() if e != 0) or "0, of dq dp")
        if self.density is not None:
            told.add("density", f"N = {self.density}")
        told.add("verdict", self.obstruction or self.answer.reason)
        return str(told)

    __repr__ = __str__


@public
def measure(system: System, density: Expression | None = None) -> Measure:
    """Does the nonholonomic motion preserve a volume N dq dv?

    Args:
        system: with linear constraints, which is restricted to the velocities that they allow (`restrict`); or
            without, as a reduced one, on its own velocities.
        density: N(q, v) to be tested, an expression or text, in the coordinates, the velocities of
            ``restrict(system).system`` and the parameters; without it one of the positions is looked for.

    Returns:
        A `Measure`, true if the density is invariant, or if there is one. What is looked for is a product of powers of
        what the kinetic metric and the divergence are made of, and exponentials of the coordinates; that there is one
        is decided without writing it down.

    Raises:
        WrongType: E101, not a system.
        UnknownName: E104, the density holds a name that the system does not know.
        InvalidValue: E114, E124, what `restrict` refuses; E124, L is not quadratic, or the time occurs.
        InvalidValue: E719, a density that is nowhere positive.
        TextError: E701 to E717, a text that is no expression.
    """
    needs_system(system, "measure")
    if not system.autonomous:
        raise InvalidValue("E124", "the time occurs in the system: its volume is another at each time", "leave it out")
    exact = _by_fractions(system)
    found = restrict(exact) if exact.constraints else None
    small = exact if found is None else found.system
    velocities: dict[str, sp.Expr] = {s.name: s for s in small.space.velocities} if found is None else found.velocities
    work = _DivergenceWork(small)
    given = None if density is None else Reader.of(small).read(density, "the density")
    if given is not None and given.is_nonpositive:
        raise InvalidValue("E719", f"the density {given} is nowhere positive", "N dq dv is a volume: 1 is dq dv itself")
    answer, N, rate = work.sought() if given is None else work.tested(given)
    lost = next(_lossy(system), None)
    if lost is not None and answer.value is not False:
        held = f"; while it does not act, N = {N} is invariant" if N is not None and answer.value else ""
        answer, N = replace(lost, reason=lost.reason + held), None
    elif given is not None:
        answer = work.reflected(answer, given)
    kept, why = N if answer.value else None, "" if answer.value else answer.reason
    return Measure(small, velocities, work.by_name, answer, kept, why, rate)


def _by_fractions(system: System) -> System:
    """The system with its decimals as fractions: those that cancel leave nothing."""

    def exact(e: sp.Expr) -> sp.Expr:
        found = {f: as_written(float(f)) for f in e.atoms(sp.Float)}
        return e.xreplace({f: sp.Rational(c.numerator, c.denominator) for f, c in found.items()})

    rows = {c.name: exact(c.given) for c in system.constraints}
    forces = {u.name: exact(Q) for u, Q in zip(system.space.velocities, system.forces, strict=True) if Q != 0}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DalembertWarning)  # they were shown with the system
        return system.changed(lagrangian=exact(system.lagrangian), constraints=rows, forces=forces)


def _lossy(system: System) -> Iterator[Answer]:
    """Walls and contacts that do not keep dq dv."""
    values = {system.symbols[n]: v for n, v in system.parameters.items() if v is not None and n in system.symbols}
    factors = [(wall.name, e) for wall in system.walls for e in wall.factors.values()]
    factors += [(c.name, c.restitution) for c in system.contacts if c.sides == 1 and c.load is None]
    for contact in system.contacts:
        if contact.sides == 2:
            yield no(f"{contact.name} holds the motion to a surface, on which dq dv is no volume")
        if any(part.rubs and part.slip for part in contact.parts):
            yield no(f"the friction of {contact.name} shrinks dq dv wherever it acts")
    for name, e in factors:
        left = e.xreplace(values) - 1
        if left.is_number and left != 0:
            yield no(f"{name} gives back {left + 1} of a velocity: it shrinks dq dv")
        elif left != 0:
            yield undecided(f"{name} keeps dq dv for {e} = 1 alone")


class _DivergenceWork:
    """The divergence of a system without constraints, symbolic and on a graph."""

    def __init__(self, system: System) -> None:
        self.system, space = system, system.space
        self.u, self.q = list(space.velocities), list(space.coordinates)
        self.G = sp.hessian(system.lagrangian, self.u)
        if self.G.free_symbols & set(self.u):
            raise InvalidValue("E124", "L is not quadratic in the velocities", Principle("hamel"))
        self.sampler = ConstraintSampler(system, ())
        self.form = Symplectic(self.sampler, ())

    @cached_property
    def beta(self) -> list[sp.Expr]:
        """beta_j = dE^i_j/dq^i + C^i_ji + dF/dv^j, what forces add at rest."""
        space, k, rest = self.system.space, len(self.u), dict.fromkeys(self.u, sp.S.Zero)
        flow = [sum((space.anchor[i, j].diff(q) for i, q in enumerate(self.q)), sp.S.Zero) for j in range(k)]
        traces = [sum((space.frame.bracket(j, i)[i] for i in range(k)), sp.S.Zero) for j in range(k)]
        pushes = [self.friction.diff(v).xreplace(rest) for v in self.u]
        found = map(sp.Add, flow, traces, pushes)
        return [sp.S.Zero if vanish([read(b, self.sampler.graph)], self.sampler, "").value else short(b) for b in found]

    @cached_property
    def friction(self) -> sp.Expr:
        """F = tr(G^-1 dQ/dv)."""
        dQ = sp.Matrix([[Q.diff(v) for v in self.u] for Q in self.system.forces])
        return sp.S.Zero if dQ.is_zero_matrix else (inverse(sp.Matrix(self.G))[0] * dQ).trace()

    @cached_property
    def divergence(self) -> Node:
        """The rate at which dq dp grows."""
        own = [b * v for b, v in zip(self.beta, self.u, strict=True)]
        rest = dict.fromkeys(self.u, sp.S.Zero)
        more = self.friction - sum((self.friction.diff(v).xreplace(rest) * v for v in self.u), sp.S.Zero)
        return read(sp.Add(*own, more), self.sampler.graph)

    @cached_property
    def flow(self) -> MotionNodes:
        """The motion."""
        return MotionNodes.of(self.sampler, ())

    @cached_property
    def by_name(self) -> dict[str, sp.Expr]:
        """beta_j by velocity."""
        return {v.name: b for v, b in zip(self.u, self.beta, strict=True)}

    @cached_property
    def weight(self) -> sp.Expr:
        """det G."""
        return as_fraction(determinant(self.G))

    # --- a density that was given ------------------------------------------------------------------------------------

    def tested(self, N: sp.Expr) -> tuple[Answer, sp.Expr, float]:
        """Is this one invariant?"""
        unknown = sorted(
            {s.name for s in N.free_symbols} - {s.name for s in self.system.space} - {*self.system.symbols}
        )
        if unknown:
            own = ", ".join(s.name for s in self.system.space)
            raise UnknownName("E104", f"the density holds {', '.join(unknown)}", f"the allowed motion has {own}")
        ratio = read(N, self.sampler.graph) / read(self.weight, self.sampler.graph)
        # is it a number neither 0 nor beyond what can be divided by?
        seen = [
            values
            for values in islice(self.sampler.inside(41), _LOOKED)
            if bool(_SMALL < abs(evaluate([ratio], values)[0]) < 1 / _SMALL)
        ][:_STATES]
        rate = max((self._rate(ratio, values) for values in seen), default=np.inf)
        # d/dt (N/det G) + N/det G div = 0
        *rows, last = self.flow.rows(ratio)
        answer = decided([*rows, [*last[:-1], last[-1] - ratio * self.divergence]], self.sampler, "dN/dt + N div")
        if answer.value is False:
            answer = replace(answer, reason=f"N dq dv is not invariant: {answer.reason}")
        return answer, N, rate

    def reflected(self, answer: Answer, N: sp.Expr) -> Answer:
        """The verdict on N where elastic walls turn velocities round."""
        return passing(answer, self.flow, read(N, self.sampler.graph))[0]

    def _rate(self, ratio: Node, values: Values) -> float:
        """|d/dt log(N/det G) + div| over the size of its terms, along the motion at a state."""
        slopes, sizes = sized([*self.form.derivative(ratio), ratio], values)
        local = self.form.at(values)
        grown, size = sized([self.divergence], values)
        terms = [*(slopes[:-1] * local.motion / slopes[-1]), *grown]
        most = [*(sizes[:-1] * local.motion_size / abs(slopes[-1])), *size]
        return float(abs(sum(terms)) / (sum(most) or 1.0))

    # --- one that is looked for --------------------------------------------------------------------------------------

    def sought(self) -> tuple[Answer, sp.Expr | None, float]:
        """Is there one, and what is it?"""
        answer = self._straight()
        answer = self._closed() if answer.value else answer
        sigma = self._potential() if answer.value else None
        N = None if sigma is None else _moving(sp.exp(sigma[0]) * self._positive(sigma[1] * self.weight), {*self.q})
        return answer, N, np.nan

    def _straight(self) -> Answer:
        """Is what forces add to the divergence linear in v, as what a density of the positions makes up for is?"""
        bent = self.divergence - read(
            sp.Add(*(b * v for b, v in zip(self.beta, self.u, strict=True))), self.sampler.graph
        )
        found = vanish([bent], self.sampler, "what forces add to the divergence and is not linear in v")
        if found.value is not False:
            return found
        return replace(found, reason=f"the forces change dq dp, whatever way it moves: {found.reason}")

    def _closed(self) -> Answer:
        """Do brackets of the fields E_j combine to 0 only where what beta makes of them does?"""
        fields = [[*column, b] for column, b in zip(self._fields(), self._nodes(self.beta), strict=True)]
        kept: list[list[Node]] = []
        waiting, left = list(fields), list[Answer]()
        for _ in range(_ROUNDS):
            new = list[list[Node]]()
            for x in waiting:
                apart = decided([*(y[:-1] for y in kept), x[:-1]], self.sampler, "a bracket")
                if apart.value is False:
                    kept, new = [*kept, x], [*new, x]
                    continue
                whole = decided([*kept, x], self.sampler, "what the divergence makes of a bracket")
                left += [each for each in (apart, whole) if each.value is None]
                if apart.value and whole.value is False:
                    names = ", ".join(v.name for v, b in zip(self.u, self.beta, strict=True) if b != 0)
                    return no(f"the divergence along {names} is no differential: no N(q) dq dv is invariant")
            waiting = [self._bracket(x, y) for x in fields for y in new if x is not y]
        return left[0] if left else yes("there is one around almost every point")

    def _fields(self) -> list[list[Node]]:
        """E^i_j, a list for each j."""
        E = self.system.space.anchor
        return [self._nodes([E[i, j] for i in range(len(self.q))]) for j in range(len(self.u))]

    def _nodes(self, expressions: Sequence[sp.Expr]) -> list[Node]:
        return [read(e, self.sampler.graph) for e in expressions]

    def _bracket(self, x: list[Node], y: list[Node]) -> list[Node]:
        """([X, Y], X b - Y a) of (X, a) and (Y, b)."""
        q = self.sampler.motion.q
        there, back = tangent(y, q, x[:-1]), tangent(x, q, y[:-1])
        return [a - b for a, b in zip(there, back, strict=True)]

    def _potential(self) -> tuple[sp.Expr, sp.Expr] | None:
        """(sigma_0, f) with E_j (sigma_0 + log f) = -beta_j: products of powers and exponentials, or quadratures."""
        bases = list(islice(self._bases(), _MOST))
        logs = [*self.q, *(sp.log(f) for f in bases)]
        goal, slopes = self._nodes(self.beta), [self._along(e) for e in logs]
        # sum c E_j log f = -beta_j
        A, right = list[list[int]](), list[int]()
        for here in islice(points(self.sampler), _MOST + len(logs)):
            rows = [[here(s[j].index) for s in slopes] for j in range(len(goal))]
            last = [-here(b.index) for b in goal]
            A, right = (A, right) if here.blind else ([*A, *rows], [*right, *last])
        found = [c for x in solved(A, right) or () if (c := short_fraction(x)) is not None]
        powers = [sp.Rational(c.numerator, c.denominator) for c in found if c.denominator <= _DENOMINATOR]
        if not A or len(powers) < len(logs):
            return self._quadratures()
        own = self._quadratures() if any(powers[: len(self.q)]) else None  # by their parameters
        sigma = sp.Add(*(x * q for x, q in zip(powers, self.q, strict=False)))
        return own or (sigma, sp.Mul(*(f**x for f, x in zip(bases, powers[len(self.q) :], strict=True))))

    def _quadratures(self) -> tuple[sp.Expr, sp.Expr] | None:
        """-sum_i int B_i(q_i) dq_i where beta_j = B_i E^i_j."""
        E, k = sp.Matrix(self.system.space.anchor), len(self.u)
        for chosen in islice(combinations(range(len(self.q)), k), _MOST):
            square = sp.Matrix([E.row(i) for i in chosen])
            if rank_at_most([self._nodes(row) for row in square.tolist()]) < k:
                continue
            # B = beta E^-1
            B = [short(b) for b in sp.Matrix([self.beta]) * inverse(square)[0]]
            own = [(self.q[i], b) for i, b in zip(chosen, B, strict=True)]
            others = [b.diff(q) for p, b in own for q in self.q if q != p]
            if vanish(self._nodes(others), self.sampler, "").value:
                place = next(self.sampler.inside(43))
                return sp.Add(*(-_integral(b, q, place[q.name]) for q, b in own if b != 0)), sp.S.One
        return None

    def _positive(self, N: sp.Expr) -> sp.Expr:
        """Without the signs of its factors."""
        places = list(islice(self.sampler.inside(47, SIZES), 2 * len(SIZES)))
        found = []
        for factor in sp.Mul.make_args(_factored(N)):
            base, power = factor.as_base_exp()
            node = read(base, self.sampler.graph)
            signs = {float(np.sign(evaluate([node], values)[0])) for values in places}
            found.append((base if signs == {1.0} else -base if signs == {-1.0} else sp.Abs(base)) ** power)
        return sp.Mul(*found)

    def _along(self, e: sp.Expr) -> list[Node]:
        """E^i_j de/dq^i for each j."""
        E = self.system.space.anchor
        rows = [sum((E[i, j] * e.diff(q) for i, q in enumerate(self.q)), sp.S.Zero) for j in range(len(self.u))]
        return self._nodes(rows)

    def _bases(self) -> Iterator[sp.Expr]:
        """Factors of det G, and of numerators and denominators of beta, that depend on the place."""
        seen: set[sp.Expr] = set()
        for e in (self.weight, *self.beta):
            for part in sp.fraction(as_fraction(e)):
                whole = sp.factor(part) if at_most(FACTORED, part) else part
                for factor in sp.Mul.make_args(whole):
                    base = factor.as_base_exp()[0]
                    if base.free_symbols & set(self.q) and not {base, -base} & seen:
                        seen.add(base)
                        yield base


def _factored(N: sp.Expr) -> sp.Expr:
    return sp.Mul(*(sp.factor(part) if at_most(FACTORED, part) else part for part in sp.Mul.make_args(as_fraction(N))))


def _moving(N: sp.Expr, moving: set[sp.Symbol]) -> sp.Expr:
    """Without factors that do not move."""
    return sp.Mul(*(f for f in sp.Mul.make_args(N) if f.free_symbols & moving))


def _integral(b: sp.Expr, q: sp.Symbol, start: float) -> sp.Expr:
    """The integral of b over q; written out for polynomials."""
    if b.is_polynomial(q):
        return sp.integrate(b, q)
    s = sp.Dummy(q.name, real=True)
    return sp.Integral(b.xreplace({q: s}), (s, sp.Rational(round(start * 8), 8), q))
