"""A nonholonomic motion put into the vakonomic equations, at one state, in numbers.

Along the motion the vakonomic equations read  N^s_a (lamdot_s - mu_s) + lam_s EL_a(phi^s) = 0, mu being the
nonholonomic multipliers. With (x_s, l_s) the solution of  W x - N^T l = -EL(phi^s),  N x = 0  this says

    lamdot = mu + G lam,  G^r_s = -l^r_s        and        X lam = 0,  X = (x_1 ... x_m)

so lam(t) = Phi(t) lam(0) + p(t), and  X (Phi lam(0) + p) = 0  at all t: linear conditions on lam(0), one for each
Taylor coefficient. All series are those of the motion through the state. Each condition carries the size of the terms
that it was summed from, so that "zero" has a meaning in any units.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import islice
from typing import NamedTuple

import numpy as np
import sympy as sp

from ..calculus.algebra import GraphAlgebra
from ..calculus.euler_lagrange import Motion
from ..calculus.exact.exact_rank import in_pieces
from ..calculus.frame import TIME
from ..calculus.from_sympy import read
from ..calculus.graph import Graph, Node, evaluate, gradient
from ..calculus.taylor_series import TaylorSeries
from ..equations import Equations, Numbers
from ..geometry.random_states import ConstraintSampler, Values
from ..model.system import System
from ..spelling import Multipliers
from .coincidence_branches import Solved
from .saddle import saddle
from .vakonomic import vakonomic

_Arrays = list[np.ndarray]
ROUNDED = 1e-14  # a velocity this much smaller than the largest is what rounding left of 0
SHAKE, _SHAKES = 1e-13, 3
ZERO = 1e-13  # of the terms a number is summed from: what rounding left of 0
MATCHED = 1e-9  # of the terms a condition is summed from


@dataclass(frozen=True)
class Matching:
    """The lam(0) with which the motion through one state solves the vakonomic equations.

    Attributes:
        lam: the least of them (m), or the least-squares candidate where there is none.
        free: columns (m x d) along which lam(0) may be changed.
        residual: what is left of the conditions, relative to their terms.
        decided: is the number of independent conditions plain: did the last Taylor coefficient bring no new one, and
            are those that count as dependent so to rounding errors?
        names: of the constraints, in the order of `lam`.
    """

    lam: np.ndarray
    free: np.ndarray
    residual: float
    decided: bool = True
    names: tuple[str, ...] = ()

    @property
    def multipliers(self) -> Multipliers[float]:
        """`lam` by name, ``lam_<constraint>``."""
        return Multipliers.of(self.names, map(float, self.lam))

    @property
    def exists(self) -> bool:
        """Is there a matching lam(0)?"""
        return self.decided and self.residual <= MATCHED

    @property
    def unique(self) -> bool:
        """Is there one only?"""
        return not self.free.shape[1]


@dataclass(frozen=True, eq=False)
class SubstitutedEquations:
    """The substituted equations of one system; `at` evaluates them at a state.

    Args:
        equations: the nonholonomic equations.
        levels: Taylor coefficients that are taken into account, that is how often the conditions are differentiated.
    """

    equations: Equations
    levels: int

    @cached_property
    def _nodes(self) -> tuple[Graph, list[int], list[Node]]:
        """The graph, the lengths of the blocks, and the nodes: qdot, the form, H and rest of each EL(phi^s)."""
        system, kept = self.equations.system, self.equations.kept
        algebra = GraphAlgebra(Graph())
        motion = Motion.of(system.space.frame, algebra)
        form = saddle(system, system.lagrangian, self.equations.constraints, algebra).rows(kept)
        blocks = [motion.qdot, form.entries]
        for c in self.equations.constraints:
            EL = motion.euler_lagrange(algebra.read(c.phi))
            blocks += [[e for row in EL.matrix for e in row], EL.rest]
        return algebra.graph, [len(b) for b in blocks], [node for b in blocks for node in b]

    @property
    def operations(self) -> int:
        """What one state costs: nodes of the graph times Taylor coefficients."""
        return len(self._nodes[0].nodes) * self.levels

    @property
    def pieces(self) -> bool:
        """Are functions of pieces among the nodes? Then random states stand for their own pieces only."""
        return in_pieces(self._nodes[2])

    def at(self, values: Mapping[str, float]) -> Matching:
        """The matching lam(0) at a state given by name with parameters and t (one consistent with the constraints)."""
        speeds = {u.name: values[u.name] for u in self.equations.space.velocities}
        least = ROUNDED * max(map(abs, speeds.values()))
        try:
            with np.errstate(all="ignore"):
                rows, sizes = self.rows({**values, **{n: 0.0 for n, v in speeds.items() if abs(v) <= least}})
                found = solve(rows, sizes, len(rows) // self.levels)
        except np.linalg.LinAlgError:  # the motion is singular here, or its numbers over- or underflow
            m = len(self.equations.constraints)
            found = Matching(np.zeros(m), np.eye(m), np.inf, decided=False)
        return replace(found, names=tuple(c.name for c in self.equations.constraints))

    def rows(self, values: Mapping[str, float]) -> tuple[np.ndarray, np.ndarray]:
        """Conditions [A | b], A lam(0) + b = 0, and the sizes of their terms, both (levels * k) x (m + 1).

        The sizes are measured: what the conditions change by when every operation errs by `SHAKE`, in units of that.
        """
        told = self._rows(values, 0.0, 0)
        shaken = [self._rows(values, SHAKE, seed) for seed in range(_SHAKES)]
        return told, np.max([np.abs(rows - told) for rows in shaken], axis=0) / SHAKE

    def _rows(self, values: Mapping[str, float], shake: float, seed: int) -> np.ndarray:
        erring = _Erring(shake, np.random.default_rng(seed))
        X, G, mu = self._series(values, erring)
        m = len(self.equations.constraints)
        lam, found = [np.eye(m, m + 1)], []
        for j in range(self.levels):
            found.append(sum(erring.product(X[i], lam[j - i]) for i in range(j + 1)))
            push = np.zeros((m, m + 1))
            push[:, m] = mu[j]
            # (j + 1) lam_(j+1) = mu_j + sum_i G_i lam_(j-i)
            lam.append((push + sum(erring.product(G[i], lam[j - i]) for i in range(j + 1))) / (j + 1))
        return np.vstack(found)

    def _series(self, values: Mapping[str, float], erring: _Erring) -> tuple[_Arrays, _Arrays, _Arrays]:
        """Taylor coefficients of X (k x m), G (m x m) and mu (m)."""
        k, kept, m = len(self.equations.space.velocities), list(self.equations.kept), len(self.equations.constraints)
        _, lengths, nodes = self._nodes
        series, ends = TaylorSeries(nodes, erring.shake, erring.rng, self.levels), np.cumsum(lengths)[:-1]
        solution = _Solution(k, len(kept), m, erring)
        feed = dict(values)
        for j in range(self.levels):
            blocks = np.split(series.extend(feed), ends)
            solution.add(blocks)
            feed = self._feed(np.r_[blocks[0], solution.motion[j][:k]], j)
        # lamdot = mu - l_s lam_s on the independent rows, 0 on the others
        G = [_placed(-a[k:], kept, m) for a in solution.answer]
        return [a[:k] for a in solution.answer], G, [_placed(z[k:], kept, m) for z in solution.motion]

    def _feed(self, rates: np.ndarray, j: int) -> dict[str, float]:
        """Coefficients of order j + 1 of the symbols: q_(j+1) = qdot_j/(j + 1), u_(j+1) = udot_j/(j + 1)."""
        names = [s.name for s in self.equations.space]
        return dict(zip(names, map(float, rates / (j + 1)), strict=True)) | {TIME.name: 1.0 if j == 0 else 0.0}


@dataclass(frozen=True)
class _Erring:
    """Arithmetic with matrices whose every multiplication errs at random by the relative amount `shake`."""

    shake: float
    rng: np.random.Generator

    def product(self, A: np.ndarray, B: np.ndarray) -> np.ndarray:
        """A B."""
        return np.asarray(self.shaken(A) @ self.shaken(B))

    def inverse(self, A: np.ndarray) -> np.ndarray:
        """A^-1; the elimination  P A = L U  errs by a part of the terms  |L| |U|  that it sums [higham2002 9.3]."""
        if not np.isfinite(A).all():
            raise np.linalg.LinAlgError
        if self.shake:
            import scipy.linalg

            P, L, U = scipy.linalg.lu(A)
            A = A + self.shake * self.rng.uniform(-1, 1, A.shape) * (P @ (np.abs(L) @ np.abs(U)))
        return np.linalg.inv(A)

    def shaken(self, A: np.ndarray) -> np.ndarray:
        """A, each entry with an error of its own."""
        return A * (1 + self.shake * self.rng.uniform(-1, 1, A.shape)) if self.shake else A


class _Solution:
    """Taylor coefficients of (udot, mu) and of (x_s, l_s), grown order by order."""

    def __init__(self, k: int, r: int, m: int, erring: _Erring) -> None:
        self.k, self.r, self.m, self.erring = k, r, m, erring
        self.inverse = np.zeros((k + r, k + r))
        self.bordered: list[np.ndarray] = []
        self.motion: list[np.ndarray] = []  # (udot, mu of the independent rows)
        self.answer: list[np.ndarray] = []  # (x_s, l_s), one column for each constraint
        self.hessians: list[np.ndarray] = []

    def add(self, blocks: list[np.ndarray]) -> None:
        """The next order, from the blocks qdot, form, and H and rest of each EL(phi^s)."""
        k, r, m, j = self.k, self.r, self.m, len(self.motion)
        W, N, right = np.split(blocks[1], [k * k, k * k + r * k])
        W, N = W.reshape(k, k), N.reshape(r, k)
        self.bordered.append(np.block([[W, -N.T], [N, np.zeros((r, r))]]))
        if j == 0:
            self.inverse = self.erring.inverse(self.bordered[0])
        self.motion.append(self._solved(right, self.motion))
        self.hessians.append(np.array(blocks[2::2]).reshape(m, k, k))
        e = np.zeros((k + r, m))
        # EL(phi^s) = H udot + rest
        moved = sum(self.erring.product(self.hessians[i], self.motion[j - i][:k]) for i in range(j + 1))
        e[:k] = -(moved + np.array(blocks[3::2]).reshape(m, k)).T
        self.answer.append(self._solved(e, self.answer))

    def _solved(self, right: np.ndarray, earlier: list[np.ndarray]) -> np.ndarray:
        # B_0 z_j = right_j - sum_(i>0) B_i z_(j-i)
        j = len(earlier)
        rest = sum((self.erring.product(self.bordered[i], earlier[j - i]) for i in range(1, j + 1)), 0 * right)
        return self.erring.product(self.inverse, right - rest)


def _placed(rows: np.ndarray, kept: list[int], m: int) -> np.ndarray:
    """The rows at the positions `kept` of m, 0 elsewhere."""
    full = np.zeros((m, *rows.shape[1:]))
    full[kept] = rows
    return full


def solve(rows: np.ndarray, sizes: np.ndarray, last: int = 0) -> Matching:
    """Least squares A lam + b = 0 of rows [A | b] whose terms have the given sizes, in units that even them out.

    Args:
        rows, sizes: n x (m + 1) each.
        last: the number of rows that the last Taylor coefficient brought.
    """
    m = rows.shape[1] - 1
    new = np.arange(len(rows)) >= len(rows) - last
    rows = np.where(np.abs(rows) <= ZERO * sizes, 0.0, rows)
    told = np.abs(rows).max(axis=1, initial=0.0) > 0
    rows, sizes, new = rows[told], np.maximum(sizes, np.abs(rows))[told], new[told]
    if not len(rows):
        return Matching(np.zeros(m), np.eye(m), 0.0)
    column = np.abs(rows[:, :m]).max(axis=0)
    column = np.where(column > 0, column, 1.0)
    # lam_s counts in units in which its largest coefficient is 1, a row in units of its largest term
    length = (sizes[:, :m] / column).max(axis=1, initial=0.0)
    length = np.where(length > 0, length, sizes[:, m])
    M, b = rows[:, :m] / column / length[:, None], rows[:, m] / length
    U, values, Vt = np.linalg.svd(M)
    rank, plain = _rank(values)
    y = -Vt[:rank].T @ ((U[:, :rank].T @ b) / values[:rank])
    left = np.abs(M @ y + b)
    # each row is held against the sizes of its own terms; a multiplier that is 0 is so to rounding errors of the others
    terms = (sizes[:, :m] / column) @ np.maximum(np.abs(y), 1e-3 * np.abs(y).max(initial=0.0)) + sizes[:, m]
    residual = float((left * length / np.where(terms > 0, terms, 1.0)).max(initial=0.0))
    settled = rank == m or _rank(np.linalg.svd(M[~new], compute_uv=False))[0] == rank
    return Matching(y / column, Vt[rank:].T / column[:, None], residual, plain and settled)


def _rank(values: np.ndarray) -> tuple[int, bool]:
    """How many singular values are not 0, and whether there is a gap below them."""
    largest = float(values.max(initial=0.0))
    rank = int(np.sum(values > 1e-9 * largest))
    rest = float(values[rank:].max(initial=0.0))
    return rank, rest <= 1e-12 * largest or (rank > 0 and rest < 1e-4 * float(values[rank - 1]))


# --- exact branches checked at real states on them -------------------------------------------------------------------

_TRIES, _FEW, _STATES = 20, 6, 2
_SINGULAR, _PLAIN = 1e11, 1e6  # condition numbers
_CLOSE, _MET = 1e-6, 1e-12
_EVALUATIONS = 60  # on the way to a state; what takes more has no zero, as a rule


Assumed = Sequence[tuple[sp.Expr, tuple[sp.Expr, ...]]]


class Trial(NamedTuple):
    """The numerical check of a branch, see `Coincident`; `exceptions` are expressions that must not vanish on it."""

    confirmed: bool
    determined: bool
    exceptions: tuple[sp.Expr, ...] = ()


def tried(solved: Solved, substitution: SubstitutedEquations, assumed: Assumed = ()) -> Trial | None:
    """The branch at real states on it, with the system's parameters and with random ones; None where there is none.

    With the system's parameters more than the branch's lam(0) may match, since another branch can reach there; with
    random ones these are all. Where an expression vanishes that was divided by, the branch's equations may have more
    solutions than the branch: where its lam(0) does not match there, it is an exception.

    Args:
        solved: the branch.
        substitution: the numbers.
        assumed: what was divided by, as in `Outcome`.
    """
    system = substitution.equations.system
    more = tuple(h for h, parts in assumed if _fails(solved, substitution, parts))
    probe = OnBranch(system, replace(solved, exceptions=(*solved.exceptions, *more)))
    found, generic = (_matched(substitution, probe.states(each)) for each in (False, True))
    if not found:
        return None
    confirmed = all(probe.holds(v, m) for v, m in found) and all(probe.exhausts(v, m) for v, m in generic or found)
    return Trial(confirmed, all(_determined(substitution, v, m) for v, m in found), more)


def _matched(substitution: SubstitutedEquations, states: Iterator[Values]) -> list[tuple[Values, Matching]]:
    """A few of the states with their matching lam(0), away from singular states if possible."""
    every = [(v, m) for v in islice(states, _STATES + 2) if (m := matching(substitution, v)) is not None]
    clear = [(v, m) for v, m in every if _condition(substitution, v) < _PLAIN]
    return (clear or every)[:_STATES]


def _fails(solved: Solved, substitution: SubstitutedEquations, parts: tuple[sp.Expr, ...]) -> bool:
    """Is there a state on the branch where these vanish and the branch's lam(0) does not match?"""
    probe = OnBranch(substitution.equations.system, replace(solved, conditions=(*solved.conditions, *parts)))
    clear = (v for v in islice(probe.states(tries=_FEW), _STATES) if _condition(substitution, v) < _PLAIN)
    found = ((v, matching(substitution, v)) for v in clear)
    return any(m is not None and not probe.holds(v, m) for v, m in found)


def vanishing(assumed: Assumed, substitution: SubstitutedEquations) -> tuple[Assumed, list[sp.Expr]]:
    """What was divided by and does vanish where the motion goes on; and such of it as may stay 0 along a motion."""
    space = substitution.equations.space
    found = [(h, parts) for h, parts in assumed if _somewhere(parts, substitution)]
    stays = []
    for h, parts in found:
        fixed = [p for p in parts if not p.free_symbols & set(space.velocities)]
        rates = [sum((p.diff(q) * rate for q, rate in space.rates.items()), p.diff(TIME)) for p in fixed]
        if _somewhere((*parts, *(r for r in rates if r != 0)), substitution):
            stays.append(h)
    return found, stays


def _somewhere(parts: tuple[sp.Expr, ...], substitution: SubstitutedEquations) -> bool:
    """Is there a state at which these vanish and the motion goes on?"""
    probe = OnBranch(substitution.equations.system, Solved(parts, {}, (), (), 0, (), (), at_rest=False))
    return any(_condition(substitution, v) < _PLAIN for v in islice(probe.states(tries=_FEW), _STATES))


def _condition(substitution: SubstitutedEquations, values: Values) -> float:
    """Condition number of the matrix of the nonholonomic equations at a state."""
    equations = substitution.equations
    K = Numbers.of(equations.machine.form.rows(equations.kept), values).bordered
    scale = np.abs(K).max(axis=1, keepdims=True)
    return float(np.linalg.cond(K / scale)) if np.isfinite(K).all() and scale.all() else np.inf


def matching(substitution: SubstitutedEquations, values: Values) -> Matching | None:
    """The matching lam(0); None where something is singular or not finite."""
    found = substitution.at(values)
    return found if np.isfinite(found.residual) and np.isfinite(found.lam).all() else None


def _determined(substitution: SubstitutedEquations, values: Values, match: Matching) -> bool:
    """Is the matrix of the vakonomic equations regular at a state, for a random one of the matching lam(0)?"""
    equations = substitution.equations
    if all(c.kind != "nonlinear" for c in equations.constraints):
        return True
    lam = match.lam + match.free @ np.random.default_rng(5).normal(size=match.free.shape[1])
    rival = vakonomic(equations.system)
    known = {**values, **dict(zip((s.name for s in rival.states_of_multipliers), lam, strict=True))}
    K = Numbers.of(rival.machine.form.rows(rival.kept), known).bordered
    return bool(np.linalg.cond(K / np.abs(K).max(axis=1, keepdims=True)) < _SINGULAR)


def met(condition: sp.Expr, known: Mapping[sp.Symbol, sp.Expr]) -> bool:
    """Is a condition on parameters 0 but for the rounding of its terms? True where some have no value."""
    terms = [abs(term.xreplace(known)) for term in sp.Add.make_args(sp.expand(condition))]
    left, size = abs(sp.expand(condition).xreplace(known)), sp.Add(*terms)
    return not size.is_number or bool(left <= _MET * size)


class OnBranch:
    """Real states on a branch, found by least squares from random ones."""

    def __init__(self, system: System, solved: Solved) -> None:
        self.sampler, self.solved, self.system = ConstraintSampler(system), solved, system
        graph = self.sampler.graph
        self.rows = [*self.sampler.phi, *self.sampler.positions]
        self.rows += [read(e, graph) for e in (*solved.conditions, *system.space.embedding)]
        self.names = [s.name for s in system.space]
        self.slopes = [gradient(row, [graph.symbol(n) for n in self.names]) for row in self.rows]
        self.multipliers = {s: read(e, graph) for s, e in solved.multipliers.items()}
        self.relations = [read(e, graph) for e in solved.relations]
        lam = {c.multiplier for c in system.constraints}
        self.exceptions = [read(e, graph) for e in solved.exceptions if not e.free_symbols & lam]

    def states(self, generic: bool = False, tries: int = _TRIES) -> Iterator[Values]:
        """States on the branch, with the system's parameters or with random ones."""
        rng = np.random.default_rng(3)
        for values, _ in islice(self.sampler.states(seed=2), tries):
            for name, symbol in self.system.symbols.items() if generic else ():
                values[name] = float(rng.uniform(0.5, 1.5) if symbol.is_nonnegative else rng.normal())
            if self._settle(values) and not self._excepted(values):
                yield values

    def _excepted(self, values: Values) -> bool:
        return any(abs(float(v)) < _CLOSE for v in evaluate(self.exceptions, values))

    def _settle(self, values: Values) -> bool:
        """Project parameters, coordinates and velocities onto the branch; does it converge?"""
        for condition, symbol, value in self.solved.given:
            known = {s: sp.Float(values[s.name], 30) for s in condition.free_symbols}
            if symbol is not None and value is not None and not met(condition, known):
                values[symbol.name] = float(value.xreplace(known))
                known[symbol] = sp.Float(values[symbol.name], 30)
            if not met(condition, known):
                return False
        if any(s.is_positive and values[n] <= 0 for n, s in self.system.symbols.items()):
            return False

        return not self.rows or self._reach(values)

    def _reach(self, values: Values) -> bool:
        """Nonlinear least squares first, then Newton's steps to the last digit."""
        from scipy.optimize import least_squares

        def residual(z: np.ndarray) -> np.ndarray:
            found = np.array(evaluate(self.rows, {**values, **dict(zip(self.names, z, strict=True))}), float)
            return np.where(np.isfinite(found), found, 1e6)

        def slope(z: np.ndarray) -> np.ndarray:
            nodes = [e for row in self.slopes for e in row]
            found = np.array(evaluate(nodes, {**values, **dict(zip(self.names, z, strict=True))}), float)
            return np.where(np.isfinite(found), found, 0.0).reshape(len(self.rows), -1)

        begin = [values[n] for n in self.names]
        with np.errstate(all="ignore"):
            try:
                z = least_squares(residual, begin, slope, xtol=1e-15, ftol=1e-15, gtol=1e-15, max_nfev=_EVALUATIONS).x
                for _ in range(5):
                    z = z - np.linalg.lstsq(slope(z), residual(z), rcond=1e-9)[0]
            except (ValueError, np.linalg.LinAlgError):  # numbers or their squares over- or underflow
                return False
        z = np.where(np.abs(z) < 1e-13, 0.0, z)  # random values are of the order of 1
        values.update(zip(self.names, map(float, z), strict=True))
        return bool(np.abs(residual(z)).max(initial=0.0) < 1e-12 * (1 + np.abs(z).max()))

    def holds(self, values: Values, match: Matching) -> bool:
        """Do the branch's lam(0) match at this state? (Tried where they are given explicitly.)"""
        if not match.exists or self.relations:
            return match.exists
        rng = np.random.default_rng(4)
        lam = {c.multiplier: float(rng.normal()) for c in self.system.constraints}
        known = {**values, **{s.name: v for s, v in lam.items()}}
        lam |= {s: float(evaluate([node], known)[0]) for s, node in self.multipliers.items()}
        shift = np.array(list(lam.values())) - match.lam
        # the difference of two matching lam(0) lies in the free directions
        step = np.linalg.lstsq(match.free, shift, rcond=None)[0] if match.free.size else np.zeros(0)
        left = shift - match.free @ step
        return bool(np.abs(left).max(initial=0.0) < _CLOSE * (1 + np.abs(shift).max(initial=0.0)))

    def exhausts(self, values: Values, match: Matching) -> bool:
        """Are the matching lam(0) at this state those that the branch names, as many left free as it says?"""
        symbols = [c.multiplier for c in self.system.constraints]
        # each matching lam(0), the least one and it moved along each free direction, must be one of the branch's
        for step in (np.zeros(len(symbols)), *match.free.T):
            lam = dict(zip(symbols, match.lam + step, strict=True))
            known = {**values, **{s.name: float(v) for s, v in lam.items()}}
            told = {s: float(evaluate([node], known)[0]) for s, node in self.multipliers.items()}
            off = [abs(lam[s] - v) for s, v in told.items()]
            off += [abs(float(v)) for v in evaluate(self.relations, known)]
            if max(off, default=0.0) > _CLOSE * (1 + max(map(abs, lam.values()))):
                return False
        return match.exists and match.free.shape[1] == self.solved.freedom
