"""Exact branches checked numerically: does what a branch says hold at real states on it?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from typing import NamedTuple

import numpy as np
import sympy as sp

from ..calculus.frame import TIME
from ..calculus.graph import evaluate, gradient
from ..calculus.read import read
from ..equations import Numbers
from ..geometry.states import ConstraintSampler, Values
from ..model.system import System
from .branches import Solved
from .substitution import Matching, Substitution
from .vakonomic import vakonomic

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


def tried(solved: Solved, substitution: Substitution, assumed: Assumed = ()) -> Trial | None:
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


def _matched(substitution: Substitution, states: Iterator[Values]) -> list[tuple[Values, Matching]]:
    """A few of the states with their matching lam(0), away from singular states if possible."""
    every = [(v, m) for v in islice(states, _STATES + 2) if (m := matching(substitution, v)) is not None]
    clear = [(v, m) for v, m in every if _condition(substitution, v) < _PLAIN]
    return (clear or every)[:_STATES]


def _fails(solved: Solved, substitution: Substitution, parts: tuple[sp.Expr, ...]) -> bool:
    """Is there a state on the branch where these vanish and the branch's lam(0) does not match?"""
    probe = OnBranch(substitution.equations.system, replace(solved, conditions=(*solved.conditions, *parts)))
    clear = (v for v in islice(probe.states(tries=_FEW), _STATES) if _condition(substitution, v) < _PLAIN)
    found = ((v, matching(substitution, v)) for v in clear)
    return any(m is not None and not probe.holds(v, m) for v, m in found)


def vanishing(assumed: Assumed, substitution: Substitution) -> tuple[Assumed, list[sp.Expr]]:
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


def _somewhere(parts: tuple[sp.Expr, ...], substitution: Substitution) -> bool:
    """Is there a state at which these vanish and the motion goes on?"""
    probe = OnBranch(substitution.equations.system, Solved(parts, {}, (), (), 0, (), (), at_rest=False))
    return any(_condition(substitution, v) < _PLAIN for v in islice(probe.states(tries=_FEW), _STATES))


def _condition(substitution: Substitution, values: Values) -> float:
    """Condition number of the matrix of the nonholonomic equations at a state."""
    equations = substitution.equations
    K = Numbers.of(equations.machine.form.rows(equations.kept), values).bordered
    scale = np.abs(K).max(axis=1, keepdims=True)
    return float(np.linalg.cond(K / scale)) if np.isfinite(K).all() and scale.all() else np.inf


def matching(substitution: Substitution, values: Values) -> Matching | None:
    """The matching lam(0); None where something is singular or not finite."""
    found = substitution.at(values)
    return found if np.isfinite(found.residual) and np.isfinite(found.lam).all() else None


def _determined(substitution: Substitution, values: Values, match: Matching) -> bool:
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
