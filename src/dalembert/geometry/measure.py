"""Invariant measures of a nonholonomic motion: is a density one, is there one, and what stands in the way?

In the velocities v that the constraints allow, qdot = E v, and their momenta p, the motion expands dq dp at the rate

    div = beta_j v^j ,   beta_j = dE^i_j/dq^i + C^i_ji

with the brackets C of the allowed velocities, projected with the kinetic metric: the potential does not occur. N dq dv
is invariant if and only if dN/dt + N div' = 0, div' being that of dq dv = dq dp/det G. A density of the positions alone
needs

    E^i_j d/dq^i log(N/det G) = -beta_j      for every j,

Chaplygin's multiplier where the group leaves one [chaplygin1903; fedorov1995]. There is one around a point if and only
if beta grows with the brackets of the fields E_j as a differential does: where brackets of them combine to 0, what beta
makes of them does, too.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import combinations, islice

import numpy as np
import sympy as sp

from ..calculus.cofactors import determinant
from ..calculus.graph import Node, evaluate, tangent
from ..calculus.length import at_most
from ..calculus.rank import rank_of
from ..calculus.read import read
from ..calculus.rounding import sized
from ..calculus.short import as_fraction, short
from ..errors import InvalidValue, UnknownName
from ..errors.remedies import Principle
from ..given import public
from ..model.body import Expression
from ..model.expression import Reader
from ..model.system import System
from .arguments import needs_system
from .kernel import FACTORED, vanishes
from .restrict import restrict
from .states import ConstraintSampler, Values
from .summary import Summary
from .symplectic import Symplectic

_STATES, _ROUNDS, _ZERO = 5, 6, 1e-9
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
        exists: is there an invariant N(q) dq dv around almost every point? None where it was not decided.
        density: N, the one that was given if it is invariant, or one that was found; None if none could be written.
        obstruction: what stands in the way, in words; "" where nothing does.
        rate: of a density that was given, the largest |dN/dt + N div| over the size of its terms; NaN without one.
    """

    system: System
    velocities: dict[str, sp.Expr]
    divergence: dict[str, sp.Expr]
    exists: bool | None
    density: sp.Expr | None
    obstruction: str
    rate: float

    def __bool__(self) -> bool:
        return self.density is not None if self.rate == self.rate else bool(self.exists)

    def __str__(self) -> str:
        told = Summary(
            f"{self.system.title or 'System'}: invariant measure N dq dv", ".velocities, .divergence, .density"
        )
        told.add("velocities", ", ".join(f"{name} = {e}" for name, e in self.velocities.items()))
        told.add("divergence", " + ".join(f"({e})*{v}" for v, e in self.divergence.items() if e != 0) or "0, of dq dp")
        if self.density is not None:
            told.add("density", f"N = {self.density}")
        verdict = {True: "there is one around almost every point", False: "none N(q) dq dv", None: "not decided"}
        told.add("verdict", self.obstruction or verdict[self.exists])
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
    found = restrict(system) if system.constraints else None
    small = system if found is None else found.system
    own: dict[str, sp.Expr] = {s.name: s for s in small.space.velocities}
    work = _Work(small)
    if density is None:
        return work.sought(own if found is None else found.velocities)
    given = Reader.of(small).read(density, "the density")
    if given.is_nonpositive:
        raise InvalidValue("E719", f"the density {given} is nowhere positive", "N dq dv is a volume: 1 is dq dv itself")
    return work.tested(given, own if found is None else found.velocities)


class _Work:
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
        """beta_j = dE^i_j/dq^i + C^i_ji."""
        space, k = self.system.space, len(self.u)
        flow = [sum((space.anchor[i, j].diff(q) for i, q in enumerate(self.q)), sp.S.Zero) for j in range(k)]
        traces = [sum((space.frame.bracket(j, i)[i] for i in range(k)), sp.S.Zero) for j in range(k)]
        return [sp.S.Zero if vanishes(b) else short(b) for b in map(sp.Add, flow, traces)]

    @cached_property
    def weight(self) -> sp.Expr:
        """det G."""
        return as_fraction(determinant(self.G))

    @cached_property
    def states(self) -> list[Values]:
        """Random states."""
        return list(islice(self.sampler.inside(41), _STATES))

    # --- a density that was given ------------------------------------------------------------------------------------

    def tested(self, N: sp.Expr, velocities: dict[str, sp.Expr]) -> Measure:
        """Is this one invariant?"""
        unknown = sorted(
            {s.name for s in N.free_symbols} - {s.name for s in self.system.space} - {*self.system.symbols}
        )
        if unknown:
            own = ", ".join(s.name for s in self.system.space)
            raise UnknownName("E104", f"the density holds {', '.join(unknown)}", f"the allowed motion has {own}")
        ratio = read(N, self.sampler.graph) / read(self.weight, self.sampler.graph)
        seen = [values for values in islice(self.sampler.inside(41), _LOOKED) if _moderate(ratio, values)][:_STATES]
        rate = max((self._rate(ratio, values) for values in seen), default=np.inf)
        kept = rate <= _ZERO
        why = "" if kept else f"N dq dv is not invariant: it changes at a rate of up to {rate:.2g} of its terms"
        return Measure(self.system, velocities, self._by_name(), True if kept else None, N if kept else None, why, rate)

    def _rate(self, ratio: Node, values: Values) -> float:
        """|d/dt log(N/det G) + div| over the size of its terms, along the motion at a state."""
        slopes, sizes = sized([*self.form.derivative(ratio), ratio], values)
        local = self.form.at(values)
        terms = [*(slopes[:-1] * local.motion / slopes[-1]), *self._growth(values)]
        most = [*(sizes[:-1] * local.motion_size / abs(slopes[-1])), *np.abs(terms[len(slopes) - 1 :])]
        return float(abs(sum(terms)) / (sum(most) or 1.0))

    def _growth(self, values: Values) -> np.ndarray:
        """The terms of div for dq dp: beta_j v^j, and dQ_a/dp_a of forces."""
        graph, k = self.sampler.graph, len(self.u)
        beta = np.array(evaluate([read(b, graph) for b in self.beta], values), float)
        pushes = [read(Q.diff(v), graph) for Q in self.system.forces for v in self.u]
        G = np.array(evaluate([read(e, graph) for e in self.G], values), float).reshape(k, k)
        dQ = np.array(evaluate(pushes, values), float).reshape(k, k)
        return np.append(beta * [values[v.name] for v in self.u], np.trace(dQ @ np.linalg.inv(G)))

    def _by_name(self) -> dict[str, sp.Expr]:
        return {v.name: b for v, b in zip(self.u, self.beta, strict=True)}

    # --- one that is looked for --------------------------------------------------------------------------------------

    def sought(self, velocities: dict[str, sp.Expr]) -> Measure:
        """Is there one, and what is it?"""
        why = self._friction() or self._obstruction()
        sigma = None if why else self._potential()
        N = None if sigma is None else sp.exp(sigma[0]) * sigma[1] * self.weight
        N = None if N is None else _moving(as_fraction(N), set(self.q))
        return Measure(self.system, velocities, self._by_name(), not why, N, why, np.nan)

    def _friction(self) -> str:
        """Forces whose dQ_a/dp_a does not vanish, which no function of the positions makes up for."""
        for values in self.states:
            growth = self._growth(values)
            if abs(growth[-1]) > _ZERO:
                return f"the forces change dq dp at a rate of {growth[-1]:.3g} at a random state, whatever way it moves"
        return ""

    def _obstruction(self) -> str:
        """Do brackets of the fields E_j combine to 0, and what beta makes of them does not?"""
        fields = [[*column, b] for column, b in zip(self._fields(), self._nodes(self.beta), strict=True)]
        kept, new = list(fields), list(fields)
        for _ in range(_ROUNDS):
            both, rank = self._ranks(kept)
            if both > rank:
                return "brackets of the velocities' fields combine to no motion, and still change dq dv: no N(q) dq dv"
            lies = [self._bracket(x, y) for x in fields for y in new if x is not y]
            new = []
            for lie in lies:
                wide, narrow = self._ranks([*kept, lie])
                if wide > narrow:
                    names = ", ".join(v.name for v, b in zip(self.u, self.beta, strict=True) if b != 0)
                    return f"the divergence along {names} is no differential: no N(q) dq dv is invariant"
                if narrow > self._ranks(kept)[1]:
                    kept, new = [*kept, lie], [*new, lie]
            if not new:
                break
        return ""

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

    def _ranks(self, fields: Sequence[list[Node]]) -> tuple[int, int]:
        """Of (X, b) and of X alone: the largest at random states."""
        tables = [np.array(evaluate([e for f in fields for e in f], values), float) for values in self.states]
        rows = [table.reshape(len(fields), -1) for table in tables]
        return max(map(rank_of, rows)), max(rank_of(row[:, :-1]) if row.shape[1] > 1 else 0 for row in rows)

    def _potential(self) -> tuple[sp.Expr, sp.Expr] | None:
        """(sigma_0, f) with E_j (sigma_0 + log f) = -beta_j: sums of coordinates, products of powers."""
        bases = list(islice(self._bases(), _MOST))
        logs = [*(sp.log(f) for f in bases), *self.q]
        slopes = [self._along(e) for e in logs]
        many = list(islice(self.sampler.inside(43), 4 * len(logs) + _STATES))
        right = np.concatenate([-np.array(evaluate(self._nodes(self.beta), values), float) for values in many])
        columns = [np.concatenate([np.array(evaluate(row, values), float) for values in many]) for row in slopes]
        for size in range(min(3, len(logs)) + 1):
            for chosen in combinations(range(len(logs)), size):
                A = np.array([columns[c] for c in chosen]).reshape(size, len(right)).T
                exact = [Fraction(float(c)).limit_denominator(_DENOMINATOR) for c in _fitted(A, right)]
                off = A @ np.array(exact, float) - right
                if np.abs(off).max(initial=0.0) <= _ZERO * (1 + np.abs(right).max(initial=0.0)):
                    return self._product(logs, bases, dict(zip(chosen, exact, strict=True)))
        return None

    def _product(
        self, logs: Sequence[sp.Expr], bases: Sequence[sp.Expr], powers: dict[int, Fraction]
    ) -> tuple[sp.Expr, sp.Expr]:
        exact = {i: sp.Rational(c.numerator, c.denominator) for i, c in powers.items()}
        sigma = sum((c * logs[i] for i, c in exact.items() if i >= len(bases)), sp.S.Zero)
        return sigma, sp.Mul(*(bases[i] ** c for i, c in exact.items() if i < len(bases)))

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


def _moderate(ratio: Node, values: Values) -> bool:
    """Is it a number neither 0 nor beyond what can be divided by?"""
    return bool(_SMALL < abs(evaluate([ratio], values)[0]) < 1 / _SMALL)


def _fitted(A: np.ndarray, right: np.ndarray) -> np.ndarray:
    return np.linalg.lstsq(A, right, rcond=None)[0] if A.shape[1] else np.zeros(0)


def _moving(N: sp.Expr, moving: set[sp.Symbol]) -> sp.Expr:
    """Without factors that do not move."""
    whole = sp.Mul(*(sp.factor(part) if at_most(FACTORED, part) else part for part in sp.Mul.make_args(N)))
    return sp.Mul(*(f for f in sp.Mul.make_args(whole) if f.free_symbols & moving))
