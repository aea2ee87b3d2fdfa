"""First integrals that nobody guessed, linear and quadratic in the velocities, found by linear algebra.

Functions f = c_lm F_l(q) m(u) of positions F_l and of monomials m of degree 2 or less in the velocities, and in the
multipliers that are states, have the rate

    df/dt = c_lm (dF_l/dt m + F_l dm/dt) ,     du/dt of the equations,

which is linear in the coefficients. That it vanishes at random states on the constraints are the determining equations;
columns that are combinations of others there are left out before. Their null space is brought to echelon form; what
follows from the energy and from products of integrals already found is dropped. Coefficients are written as quotients
of polynomials in the parameters, by interpolation, and what is written must be conserved at other states and values.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations_with_replacement, islice
from math import comb, prod

import numpy as np
import sympy as sp

from ..answer import Answer
from ..argument_checks import noun, public
from ..calculus.algebra import GraphAlgebra
from ..calculus.frame import TIME
from ..calculus.from_sympy import read
from ..calculus.graph import evaluate, gradient, tangent
from ..calculus.line_width import most
from ..calculus.numerical_rank import directions, echelon
from ..equations import Equations
from ..errors import InvalidValue, WrongType, as_given, did_you_mean
from ..geometry.identities import MotionNodes, constant_combinations, written
from ..geometry.impact_invariance import passing, while_apart
from ..geometry.noether import Constancy
from ..geometry.noether import conserved as by_geometry
from ..geometry.random_states import ConstraintSampler, Values
from ..geometry.recognised_numbers import interpolated
from ..geometry.trial_functions import FAR, SPARE, FunctionLibrary, columns, drawn
from ..model.expression_symbols import Reader
from ..model.system import System
from .nonholonomic import nonholonomic

DEGREE, MOST, FURTHER = 4, 1000, 3  # of polynomials; coefficients; functions of the positions that L holds
_NULL, _SAME, _NOTHING = 1e-9, 1e-7, 1e-8
_EXACT = 100  # functions, the simple ones, among which exact arithmetic looks for what was lost
_LARGE = 40  # terms of an integral that is written by parameters
_STATES = 6


@dataclass(frozen=True)
class FirstIntegral:
    """A function that is constant along every motion.

    Attributes:
        expression: of positions and velocities.
        degree: in the velocities: 0, 1 or 2.
        everywhere: is it conserved at other values of the parameters that are not 0, too? Else its
            coefficients are numbers that belong to those of the system.
        answer: that it is constant, by what; no where walls or contacts change it.
        struck: these.
    """

    expression: sp.Expr
    degree: int
    everywhere: bool
    answer: Answer
    struck: tuple[str, ...] = ()

    def __str__(self) -> str:
        return f"{self.expression}" + ("" if self.everywhere else "  (at these parameters)")


@noun
@dataclass(frozen=True)
class FirstIntegrals(Sequence[FirstIntegral]):
    """First integrals, independent of each other over products, simple ones first.

    Attributes:
        system: the system.
        found: besides the energy.
        energy: u dL/du - L if it is conserved, else None.
        answer: is it?
        apart: functions that are constant while walls and contacts that change them do not act.
        searched: among which functions they were looked for.
        coefficients: how many coefficients were sought.
    """

    system: System
    found: tuple[FirstIntegral, ...]
    energy: sp.Expr | None
    answer: Answer
    apart: tuple[FirstIntegral, ...]
    searched: str
    coefficients: int

    def __getitem__(self, index: int) -> FirstIntegral:  # type: ignore[override]
        """The integrals in order."""
        return self.found[index]

    def __len__(self) -> int:
        return len(self.found)

    def __str__(self) -> str:
        many = "one first integral" if len(self) == 1 else f"{len(self) or 'no'} first integrals"
        words = {True: "besides the energy", False: "the energy is not conserved", None: "the energy: not decided"}
        besides = words[self.answer.value]
        lines = [f"{self.system.title or 'System'}: {many}, {besides}"]
        lines += [f"  degree {f.degree}: {f}" for f in self.found]
        struck = tuple(dict.fromkeys(name for f in self.apart for name in f.struck))
        lines += [f"  {len(self.apart)} more{while_apart(struck)}: .apart"] if self.apart else []
        lines.append(f"  searched: {self.searched} ({self.coefficients} coefficients)")
        return "\n".join(most(lines, 24, "lines: .found"))

    __repr__ = __str__


@public
def first_integrals(system: System | Equations) -> FirstIntegrals:
    """First integrals of degree 2 or less in the velocities, looked for by linear determining equations.

    Their coefficients are polynomials of degree 4 or less in the coordinates that are no angles, in sines and cosines
    of the angles that occur, in entries of rotations and in what else of the positions L holds. A coordinate on which
    nothing depends, and along which the inertia changes from place to place, is taken for an angle, as an azimuth
    beside a radius. The degree is lowered for systems with many velocities: those of `da.reduce(system).system` have
    few. An integral outside is not found.

    Args:
        system: a system, whose nonholonomic motions are meant, or equations of any principle. Multipliers that are
            states count as velocities.

    Raises:
        WrongType: E307, neither a system nor equations.
        InvalidValue: E244, too few random states satisfy the constraints, or have a finite Lagrangian.
    """
    if not isinstance(system, System | Equations):
        raise WrongType(
            "E307", f"first_integrals needs a system or equations, not {as_given(system)}", "da.System(...)"
        )
    search = _Search(system if isinstance(system, Equations) else nonholonomic(system))
    found, answer = search.found(), search.energy[1]
    passed, apart = ([f for f in found if bool(f.struck) == hit] for hit in (False, True))
    energy = search.energy[0] if answer.value else None
    looked_at = search.searched, len(search.functions)
    return FirstIntegrals(search.system, tuple(passed), energy, answer, tuple(apart), *looked_at)


class _Search:
    """The determining equations of some equations at random states."""

    def __init__(self, equations: Equations) -> None:
        self.equations, self.system = equations, equations.system
        fibre = [*self.system.space.velocities, *equations.states_of_multipliers]
        each = comb(len(fibre) + 2, 2)
        self.library = FunctionLibrary(self.system, each, DEGREE, MOST, _further(self.system), _turning(self.system))
        self.fibre = [s.name for s in fibre]
        powers = [p for d in (2, 1, 0) for p in combinations_with_replacement(range(len(fibre)), d)]
        # F_l m, quadratic ones and high degrees first; the constant 1 is none
        self.functions = [(F, p) for p in powers for F in self.library.functions if p or F.free_symbols]

    @property
    def searched(self) -> str:
        """Among what, in words."""
        more = " and multipliers" if self.equations.states_of_multipliers else ""
        return f"degree 2 in the velocities{more}, coefficients {self.library.searched}"

    # --- numbers ---------------------------------------------------------------------------------------------------

    def drawn(self, count: int, known: Mapping[str, float] | None = None, seed: int = 23) -> dict[str, np.ndarray]:
        """Random states, with any multipliers, and perhaps other parameters."""
        sampler = ConstraintSampler(self.system)
        sampler.known.update(known or {})
        values, rng = drawn(sampler, count, seed), np.random.default_rng(5)
        return values | {s.name: rng.normal(size=count) for s in self.equations.states_of_multipliers}

    def table(
        self, values: Mapping[str, np.ndarray], which: Sequence[tuple[sp.Expr, tuple[int, ...]]]
    ) -> tuple[np.ndarray, np.ndarray]:
        """Values and rates (N, functions) at states."""
        graph, space = self.equations.machine.graph, self.system.space
        functions = list(dict.fromkeys(F for F, _ in which))
        nodes = [read(F, graph) for F in functions]
        slopes = tangent(nodes, [graph.symbol(q.name) for q in space.coordinates], self.equations.machine.qdot)
        F, Fdot = columns(nodes, dict(values)), columns(slopes, dict(values))
        udot, mu = self.equations.accelerations(values)
        rates = np.hstack([udot, mu]) if self.equations.states_of_multipliers else udot
        u = np.array([values[name] for name in self.fibre]).T
        index = [functions.index(f) for f, _ in which]
        m = np.array([np.prod(u[:, list(p)], axis=1) for _, p in which]).T
        # dm/dt = sum_i (dm/du_i) du_i/dt
        mdot = np.array([_rate(u, rates, p) for _, p in which]).T
        return F[:, index] * m, Fdot[:, index] * m + F[:, index] * mdot

    # --- the search ------------------------------------------------------------------------------------------------

    @cached_property
    def energy(self) -> tuple[sp.Expr, Answer]:
        """u dL/du - L, and whether it is conserved."""
        L = self.system.lagrangian
        E = sp.Add(*(u * L.diff(u) for u in self.system.space.velocities)) - L
        E = sp.expand(E, deep=False)  # exp(-(x - 60)^2) stays as it is
        return E, constant(self.flow, E)[0]

    @cached_property
    def flow(self) -> MotionNodes:
        """The motion between walls."""
        return flow_of(self.equations)

    def found(self) -> tuple[FirstIntegral, ...]:
        """The integrals, those of low degree and few terms first."""
        values = self.drawn(len(self.functions) + SPARE)
        with np.errstate(all="ignore"):
            V, R = self.table(values, self.functions)
            E = columns([read(self.energy[0], self.equations.machine.graph)], dict(values))
        held = (np.abs(np.hstack([V, R, E])) < FAR).all(axis=1)
        if held.sum() < len(self.functions):
            fact = f"the rates run over at {len(held) - held.sum()} of {len(held)} random states"
            raise InvalidValue("E244", fact, "smaller numbers, by other units")
        V, R, E = V[held], R[held], E[held]
        kept = _independent(V)
        rows = echelon(_null_space(R[:, kept], np.linalg.norm(V[:, kept], axis=0)).T)
        rows = rows[np.argsort([_rank_of(row, [self.functions[k] for k in kept]) for row in rows], kind="stable")]
        span, found, lost = _Span(V.shape[0]), list[FirstIntegral](), set[int]()
        if self._proved(self.energy[0]):
            span.add(E[:, 0])

        def take(integral: FirstIntegral) -> None:
            f = columns([read(integral.expression, self.equations.machine.graph)], dict(values))[held][:, 0]
            if not span.holds(f):
                span.add(f)
                found.append(integral)

        for row in rows:
            support = [k for k, c in zip(kept, row, strict=True) if abs(c) > _NOTHING * np.abs(row).max()]
            f = V[:, kept] @ row
            terms = [self.functions[k] for k in support]
            if not span.holds(f):
                integral = self._written(terms, row[np.isin(kept, support)])
                lost |= set(support) if integral is None else set()
                if integral is not None:
                    take(integral)
            elif max(len(p) for _, p in terms) == 1:
                span.add(f)  # it follows from others, and so do products with it
        if lost:  # it may hold coefficients that are small, or looked like 0
            size = [(k not in lost, len(p) + sp.count_ops(F)) for k, (F, p) in enumerate(self.functions)]
            simple = sorted(kept, key=size.__getitem__)
            exact = self._exact([self.functions[k] for k in sorted(simple[:_EXACT])])
            for integral in sorted(exact, key=lambda each: (each.degree, len(each.expression.args))):
                take(integral)
        return tuple(found)

    def _exact(self, terms: Sequence[tuple[sp.Expr, tuple[int, ...]]]) -> list[FirstIntegral]:
        """All combinations of these terms with fractions that are constant, by exact arithmetic."""
        monomials, found = self._monomials(terms), list[FirstIntegral]()
        for x in constant_combinations([read(m, self.flow.sampler.graph) for m in monomials], self.flow):
            most = max(x, key=abs)
            f = sp.Add(*(written(a / most) * m for a, m in zip(x, monomials, strict=True)))
            if self._proved(f):
                degree = max(len(p) for a, (_, p) in zip(x, terms, strict=True) if a)
                found.append(FirstIntegral(f, degree, False, *constant(self.flow, f)))
        return found

    def _monomials(self, terms: Sequence[tuple[sp.Expr, tuple[int, ...]]]) -> list[sp.Expr]:
        symbols = {s.name: s for s in (*self.system.space.velocities, *self.equations.states_of_multipliers)}
        return [F * prod((symbols[self.fibre[i]] for i in p), start=sp.S.One) for F, p in terms]

    # --- in words --------------------------------------------------------------------------------------------------

    def _written(self, terms: Sequence[tuple[sp.Expr, tuple[int, ...]]], c: np.ndarray) -> FirstIntegral | None:
        """The integral with coefficients of these terms, if it passes the test."""
        monomials, degree = self._monomials(terms), max(len(p) for _, p in terms)
        for coefficients in self._coefficients(terms, c):
            f = sp.Add(*(a * b for a, b in zip(coefficients, monomials, strict=True)))
            if self._proved(f) and self._proved(f, elsewhere=True):
                return FirstIntegral(f, degree, True, *constant(self.flow, f))
        exact = self._exact(terms)
        return exact[0] if len(exact) == 1 else None

    def _coefficients(self, terms: Sequence[tuple[sp.Expr, tuple[int, ...]]], c: np.ndarray) -> Iterator[list[sp.Expr]]:
        """Coefficients as polynomials in the parameters: numbers first."""
        known = {n: v for n, v in self.system.parameters.items() if v and n in self.system.symbols}

        def at(values: Mapping[str, float]) -> np.ndarray | None:
            """The coefficients at other parameters; None where there is not just one integral of these terms."""
            V, R = self.table(self.drawn(len(terms) + _STATES, values), terms)
            if not np.isfinite([V, R]).all():
                return None
            null = _null_space(R, np.linalg.norm(V, axis=0))
            return null[:, 0] if null.shape[1] == 1 else None

        if len(terms) <= _LARGE:
            named = {self.system.symbols[n]: v for n, v in known.items()}
            yield from interpolated(at, named, _bases(self.system, set(named)), c)

    def _proved(self, f: sp.Expr, elsewhere: bool = False) -> bool:
        """Is f constant between walls, at the values of the parameters, or also at all others that are not 0?"""
        sampler = copy(self.flow.sampler)
        sampler.known = {n: v for n, v in sampler.known.items() if not elsewhere or not v}
        return replace(self.flow, sampler=sampler).identically(read(f, sampler.graph))


class _Span:
    """Values at states of what is known, of products of two of it, and of 1."""

    def __init__(self, count: int) -> None:
        self.single, self.every = list[np.ndarray](), [np.ones(count)]

    def add(self, f: np.ndarray) -> None:
        self.single.append(f)
        self.every += [f, *(f * g for g in self.single)]

    def holds(self, f: np.ndarray) -> bool:
        """Is f a combination of these?"""
        A = np.array(self.every).T
        size = np.linalg.norm(A, axis=0)
        fit = np.linalg.lstsq(A / np.where(size > 0, size, 1.0), f, rcond=None)[0]
        return bool(np.linalg.norm(A / np.where(size > 0, size, 1.0) @ fit - f) <= _SAME * np.linalg.norm(f))


def _rate(u: np.ndarray, udot: np.ndarray, p: tuple[int, ...]) -> np.ndarray:
    """The rate of a monomial (N,)."""
    others = [np.prod(u[:, [*p[:i], *p[i + 1 :]]], axis=1) * udot[:, a] for i, a in enumerate(p)]
    return np.sum(others, axis=0) if others else np.zeros(len(u))


def _independent(V: np.ndarray) -> list[int]:
    """Columns that are no combinations of those after them."""
    size = np.linalg.norm(V, axis=0)
    pivots = np.abs(np.diag(np.linalg.qr((V / np.where(size > 0, size, 1.0))[:, ::-1], mode="r")))[::-1]
    return [int(k) for k in np.flatnonzero((pivots > _NOTHING) & (size > 0))]


def _null_space(R: np.ndarray, size: np.ndarray) -> np.ndarray:
    """Coefficients (functions, d) with R c = 0, where the functions have these sizes."""
    rows = directions(R / size)
    if not rows.size:
        return np.diag(1 / size)
    from scipy.linalg import qr, solve_triangular

    # rows P = Q (U1 U2),  c = P (-U1^-1 U2 y, y)
    U, order = qr(rows, mode="r", pivoting=True)
    pivots, n = np.abs(np.diag(U)), rows.shape[1]
    rank = int(np.sum(pivots > _NULL * pivots[0]))
    null = np.zeros((n, n - rank))
    null[order[:rank]] = -solve_triangular(U[:rank, :rank], U[:rank, rank:])
    null[order[rank:]] = np.eye(n - rank)
    return np.asarray(np.linalg.qr(null)[0] / size[:, None])


def _rank_of(row: np.ndarray, functions: Sequence[tuple[sp.Expr, tuple[int, ...]]]) -> int:
    """By degree in the velocities, then by the number of terms."""
    used = [len(p) for c, (_, p) in zip(row, functions, strict=True) if abs(c) > _NOTHING * np.abs(row).max()]
    return 10_000 * max(used) + len(used)


def _bases(system: System, parameters: set[sp.Symbol]) -> list[sp.Expr]:
    """The parameters as the system holds them: alone, and in functions of nothing else."""
    held = {
        f for e in system.expressions for f in e.atoms(sp.Function) if f.free_symbols and f.free_symbols <= parameters
    }
    alone = {s for e in system.expressions for s in e.xreplace(dict.fromkeys(held, sp.S.One)).free_symbols}
    return [*sorted(parameters & alone, key=str), *sorted(held, key=str)]


def _turning(system: System) -> list[sp.Symbol]:
    """Coordinates on which nothing depends and along which the inertia is not everywhere the same, as about an axis.

    Integrals that are no invariants of such a turn are taken to others by it: sines and cosines of the angle.
    """
    space, held = system.space, set().union(*(e.free_symbols for e in system.expressions))
    found = []
    for q, row in zip(space.coordinates, space.anchor.tolist(), strict=True):
        own = [u for u, e in zip(space.velocities, row, strict=True) if e != 0]
        if q not in held and len(own) == 1:
            inertia = sp.diff(system.lagrangian, own[0], 2)
            found += [q] if inertia.free_symbols & set(space.coordinates) else []
    return found


def _further(system: System) -> list[sp.Expr]:
    """Functions of the positions that L and the constraints hold: roots, negative powers, exponentials."""
    places = set(system.space.coordinates)
    found = {e for whole in system.expressions for e in whole.atoms(sp.Pow, sp.Function)}
    found = {
        e for e in found if not isinstance(e, sp.sin | sp.cos) and not (e.is_Pow and e.exp.is_Integer and e.exp > 0)
    }
    held = [e for e in found if e.free_symbols & places and not e.free_symbols & {*system.space.velocities, TIME}]
    return sorted(held, key=lambda e: (sp.count_ops(e), str(e)))[:FURTHER]


# --- is a given function constant, where multipliers are states? -----------------------------------------------------
# Nonholonomic motions of a system are asked by `geometry.noether.conserved`; here it is the motion of the equations
# themselves, on the constraints in force and with any multipliers.

_HELD_AT = 5

_REST = 1e-4


@public
def conserved(system: System | Equations, function: object) -> Constancy:
    """Is a function constant along every motion?

    Args:
        system: a `System`, whose nonholonomic motions are meant: f(t, q, u) is constant if and only if the part in H of
            its Hamiltonian field leaves the energy as it is [cushman1995 Theorem 2], which is computed beside the rate;
            or `Equations`, along which the rate is computed. Under the vakonomic principle f may hold multipliers,
            ``lam_<constraint>``.
        function: an expression or text.

    Raises:
        WrongType: E101 neither a system nor equations, E718 what is not an expression.
        InvalidValue: E104 and others for names that the system does not know.
        Singular: E107, an allowed velocity carries no energy, so that no motion is determined.
    """
    return _along(system, function) if isinstance(system, Equations) else by_geometry(system, function)


def _along(equations: Equations, function: object) -> Constancy:
    """df/dt = f_t + f_q qdot + f_u udot + f_lam lamdot at random states."""
    system = equations.system
    moving = [s.name for s in (*equations.space, *equations.states_of_multipliers)]
    reader = Reader.of(system)
    reader.own |= {s.name: s for s in equations.states_of_multipliers}
    f = reader.read(function, "the function")
    known = [*moving, *system.symbols, TIME.name]
    for symbol in sorted(f.free_symbols, key=str):
        if symbol.name not in known:
            raise InvalidValue("E104", f"the function holds {symbol}", did_you_mean(symbol.name, known))
    flow = flow_of(equations)
    rate = rate_along(equations, f, list(islice(flow.sampler.inside(1), _HELD_AT)))
    answer, struck = constant(flow, f)
    return Constancy(f, answer, rate, np.nan, struck)


def flow_of(equations: Equations) -> MotionNodes:
    """The motion of these equations."""
    machine, states = equations.machine, tuple(s.name for s in equations.states_of_multipliers)
    form = machine.form if states else machine.form.rows(equations.kept)
    sampler = ConstraintSampler(equations.system, equations.constraints, GraphAlgebra(machine.graph))
    return MotionNodes(sampler, form.W, form.N, form.f, form.g, states)


def constant(flow: MotionNodes, f: sp.Expr) -> tuple[Answer, tuple[str, ...]]:
    """Is f constant along every motion, walls and contacts included, and which of these change it?"""
    node = read(f, flow.sampler.graph)
    return passing(flow.constant(node), flow, node)


def rate_along(equations: Equations, f: sp.Expr, states: Iterable[Values]) -> float:
    """The largest |df/dt| over the size of its terms, at states and any multipliers; NaN without a state."""
    graph = equations.machine.graph
    moving = [s.name for s in (*equations.space, *equations.states_of_multipliers)]
    slopes = gradient(read(f, graph), [graph.symbol(name) for name in (*moving, TIME.name)])
    rng, found = np.random.default_rng(7), []
    for state in states:
        values = {**state, **{s.name: float(rng.normal()) for s in equations.states_of_multipliers}}
        udot, mu = equations.rows_at(values).accelerations(values)
        qdot = np.array(evaluate(equations.machine.qdot, values), float)
        rates = np.array([*qdot, *udot, *(mu if equations.states_of_multipliers else ()), 1.0])
        slope = np.array(evaluate(slopes, values), float)
        # a rate that is 0 but for rounding is small beside the others, not beside itself
        size = np.abs(slope) @ (np.abs(rates) + _REST * np.abs(rates).max())
        found.append(abs(slope @ rates) / (float(size) or 1.0))
    return float(max(found, default=np.nan))
