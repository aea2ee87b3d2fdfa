"""A special point of a branch of steady motions followed in a second parameter.

In scaled unknowns x = (y, a, b)/size the rows of the branch hold, and one more: with A the linearised motion, of which
z eigenvalues are 0 on the whole branch,

    fold, branch point:   e_(d-z)(A) = 0     the coefficient of its characteristic polynomial, the product of the others
    Hopf point:           Re mu = 0          of the pair that begins to grow
    where pairs collide:  Re (mu_1^2 - mu_2^2)^2 = 0
"""

from __future__ import annotations

from collections.abc import Collection
from copy import copy
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import sympy as sp

from ...argument_checks import noun, one_of
from ...calculus.from_sympy import read
from ...calculus.graph import evaluate, gradient
from ...calculus.numerical_rank import null_rows
from ...errors import InvalidValue
from ...errors.remedies import Option
from ..relative_equilibria import NOTHING
from .arclength import CurvePoint, Walk, first_tangent, tangent
from .equilibrium_conditions import REACHED, UNIT, Fork

HOPF = "Hopf"
MOST = 1000  # steps to either side
_LEFT, _STALLED, _STEP, _COLLIDED, _SLOW = 1e-8, 1e-6, 1e-6, 1e-4, 1e-3
_SAME, _NEAR = 1e-6, 1e-6  # of singular values: slopes of the test are differences


class Second(NamedTuple):
    """The second parameter: its name, what it is in the states (None: one of the system), the length of its range."""

    name: str
    quantity: sp.Expr | None
    width: float


@noun
@dataclass(frozen=True, eq=False)
class SpecialCurve:
    """Special points of steady motions in the order in which they follow each other.

    Attributes:
        kind: of the points, ``"fold"``, ``"Hopf"`` or ``"branch point"``.
        parameters: the names of both, that of the branch first.
        values: (N, 2).
        names: the states.
        states: (N, n).
        eigenvalues: of the linearised motion on the constraints, growing ones first, (N, d), complex.
        held: what stays as at the start beside the parameters.
        ends: why it ends at either end.
    """

    kind: str
    parameters: tuple[str, str]
    values: np.ndarray
    names: tuple[str, ...]
    states: np.ndarray
    eigenvalues: np.ndarray
    held: tuple[str, ...]
    ends: tuple[str, str]

    @property
    def frequency(self) -> np.ndarray:
        """Of the pair on the imaginary axis at each point (N,), 0 for folds and branch points."""
        if self.kind != HOPF:
            return np.zeros(len(self.values))
        return np.array([float(_swinging(row).imag) for row in self.eigenvalues])

    def __getitem__(self, name: str) -> np.ndarray:
        """A parameter, or a state, along the curve (N,) (UnknownName E317 if there is none)."""
        columns = dict(zip(self.names, self.states.T, strict=True))
        columns |= dict(zip(self.parameters, self.values.T, strict=True))
        return np.array(columns[one_of(columns, name, "the curve", "column", "E317")])

    def __len__(self) -> int:
        return len(self.values)

    def __str__(self) -> str:
        lines = [f"curve of {len(self)} {self.kind}{' points' if self.kind == HOPF else 's'}"]
        for name, column in zip(self.parameters, self.values.T, strict=True):
            lines.append(f"  {name:<10} {column.min():.6g} to {column.max():.6g}")
        lines += [f"  held       {', '.join(self.held)}"] if self.held else []
        return "\n".join([*lines, f"  ends: {self.ends[0]}; {self.ends[1]}"])

    __repr__ = __str__


def _swinging(eigenvalues: np.ndarray) -> complex:
    """Of the pairs that swing, the one nearest to the imaginary axis."""
    size = NOTHING * max(1.0, float(np.abs(eigenvalues).max(initial=0.0)))
    pairs = eigenvalues[eigenvalues.imag > size]
    return complex(pairs[np.abs(pairs.real).argmin()]) if len(pairs) else 0j


class Locus:
    """Special points of one kind in the states and two parameters.

    Args:
        fork: the first.
        kind: of all.
        spectrum: how many eigenvalues are 0 on the whole branch, and how large the largest is.
        second: the second parameter.
    """

    def __init__(self, fork: Fork, kind: str, spectrum: tuple[int, float], second: Second) -> None:
        self.standing, self.kind, (self.zeros, self.scale) = copy(fork.standing), kind, spectrum
        # parameters of its own, so that the branch keeps its own
        self.standing.work = copy(fork.standing.work)
        self.name, self.width = second.name, second.width
        self.reached, self.left, self.stalled = REACHED, _LEFT, _STALLED
        self.turn = 0.0
        work, self.own = self.standing.work, second.quantity is None
        graph, rows = work.graph, [*work.rates, *work.held]
        self._by_second = [gradient(row, [graph.symbol(second.name)])[0] for row in rows] if self.own else []
        self._quantity = None if second.quantity is None else read(second.quantity, graph)
        states = [graph.symbol(n) for n in work.names]
        self._slope = [] if self._quantity is None else gradient(self._quantity, states)
        y, a = self.standing.at(fork.x)
        self.size = np.r_[self.standing.size, self.width]
        self.first = np.r_[y, a, self.value(y)] / self.size
        self.family = np.zeros((0, len(self.first)))
        self.mu = _swinging(work.eigenvalues(y))
        self.collides = kind == HOPF and self._others(work.eigenvalues(y))

    def _others(self, eigenvalues: np.ndarray) -> bool:
        """Does another pair lie where the swinging one does?"""
        return int(np.sum(np.abs(eigenvalues - self.mu) < _COLLIDED * self.scale)) > 1

    def value(self, y: np.ndarray) -> float:
        """The second parameter at a state."""
        values = self.standing.work.values(y)
        return float(values[self.name] if self._quantity is None else evaluate([self._quantity], values)[0])

    def at(self, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The unknowns of the branch, and the state; rates are taken at both parameters from now on."""
        work = self.standing.work
        if self.own:
            work.parameters = {**work.parameters, self.name: float(x[-1] * self.width)}
        return x[:-1], self.standing.at(x[:-1])[0]

    # --- rows --------------------------------------------------------------------------------------------------------

    def test(self, x: np.ndarray) -> float:
        """What is 0 at a point of this kind, in parts of the largest eigenvalue of the branch."""
        return self._of_motion(self.standing.work.motion(self.at(x)[1])[0])

    def tests(self, x: np.ndarray) -> np.ndarray:
        """`test` at many places (M, n) at once; NaN where the motion is not finite."""
        standing, w = self.standing, x * self.size
        moved = {standing.name: w[:, -2]} if standing.own else {}
        moved |= {self.name: w[:, -1]} if self.own else {}
        return np.array([self._of_motion(A) for A in standing.work.motions(w[:, :-2], moved)])

    def _of_motion(self, A: np.ndarray) -> float:
        A = A / self.scale
        if not np.isfinite(A).all():
            return float("nan")
        if self.kind != HOPF:
            return float(np.poly(A)[len(A) - self.zeros].real)
        mu = np.linalg.eigvals(A)
        near = mu[np.argsort(np.abs(mu - self.mu / self.scale))]
        if self.collides:
            return float(((near[0] ** 2 - near[1] ** 2) ** 2).real)
        return float(near[0].real)

    def rows(self, x: np.ndarray) -> np.ndarray:
        """R(x) of the branch, the second parameter, and the test."""
        inner, y = self.at(x)
        off = [] if self.own else [self.value(y) / self.width - x[-1]]
        return np.r_[self.standing.rows(inner), off, self.test(x)]

    def slopes(self, x: np.ndarray) -> np.ndarray:
        """dR/dx; that of the test by differences."""
        steady = self.steady(x)
        h = _STEP * np.eye(len(x))
        after, before = np.split(self.tests(np.vstack([x + h, x - h])), 2)
        return np.vstack([steady, (after - before) / (2 * _STEP)])

    def steady(self, x: np.ndarray) -> np.ndarray:
        """The slopes without the test."""
        inner, y = self.at(x)
        J, values = self.standing.slopes(inner), self.standing.work.values(y)
        n, column = len(y), np.zeros(len(J))
        if self.own:
            by = np.array(evaluate(self._by_second, values), float)
            column[: len(by)] = self.standing.weights[: len(by)] * by * self.width
            return np.column_stack([J, column])
        last = np.r_[np.array(evaluate(self._slope, values), float) * self.size[:n] / self.width, 0.0, -1.0]
        return np.vstack([np.column_stack([J, column]), last])

    def across(self, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """What is held stays as at the start."""
        return self.family, self.family @ self.first

    def eigenvalues(self, x: np.ndarray) -> np.ndarray:
        """Of the linearised motion."""
        return self.standing.work.eigenvalues(self.at(x)[1])

    # --- the curve ---------------------------------------------------------------------------------------------------

    def start(self, fix: Collection[str]) -> np.ndarray:
        """The tangent at the first point; states in `fix`, and what else the family may do, are held from now on.

        Raises:
            InvalidValue: E244, the second parameter does not change along the special points near the first.
        """
        fixed = np.eye(len(self.first))[[self.standing.work.names.index(name) for name in fix]]
        first = first_tangent(null_rows(np.vstack([self.slopes(self.first), fixed]), _SAME), _SAME)
        if first is None:
            fact = f"{self.name} does not change along the special points through the start"
            raise InvalidValue("E244", fact, "another parameter, or another point")
        along, others = first
        self.family = np.vstack([fixed, others])
        return along

    def held(self) -> tuple[str, ...]:
        """What is held of the family, in words."""
        names, words = [*self.standing.work.names, self.standing.name, self.name], []
        for row in self.family:
            parts = [n for n, c in zip(names, row, strict=True) if abs(c) > UNIT]
            words.append(parts[0] if len(parts) == 1 else f"a combination of {', '.join(parts)}")
        return tuple(words)

    def ended(self, a: CurvePoint, b: CurvePoint) -> str:
        """A pair that stops swinging is none; it is followed from point to point."""
        moves = b.eigenvalues[b.eigenvalues.imag >= 0]
        self.mu = complex(moves[np.abs(moves - self.mu).argmin()])
        if self.kind != HOPF or abs(self.mu.imag) > _SLOW * self.scale:
            return ""
        return f"the frequency becomes 0 near {self.name} = {b.x[-1] * self.width:.4g}"


def curve_of(
    fork: Fork, kind: str, spectrum: tuple[int, float], second: Second, over: tuple[float, float], fix: Collection[str]
) -> SpecialCurve:
    """See `apps.special.continue_special`."""
    locus = Locus(fork, kind, spectrum, second)
    low, high = over
    value = float(locus.first[-1] * locus.width)
    if not low - _NEAR * (high - low) <= value <= high + _NEAR * (high - low):
        fact = f"{second.name} = {value:g} at the point, which is not in over = ({low:g}, {high:g})"
        raise InvalidValue("E241", fact, Option("over", (min(low, value), max(high, value))))
    onward = locus.start(fix)
    first = CurvePoint(locus.first, onward, locus.eigenvalues(locus.first))
    first = first._replace(tangent=tangent(locus, first.x, onward))
    mu = locus.mu
    ahead, end = Walk(locus, low, high, MOST).walk(first, locus.ended)
    locus.mu = mu
    back, begin = Walk(locus, low, high, MOST).walk(first._replace(tangent=-first.tangent), locus.ended)
    points = [*reversed(back), first, *ahead]
    w = np.array([p.x for p in points]) * locus.size
    names = tuple(locus.standing.work.names)
    eigenvalues = np.array([p.eigenvalues for p in points])
    both = (locus.standing.name, second.name)
    return SpecialCurve(kind, both, w[:, -2:], names, w[:, :-2], eigenvalues, locus.held(), (begin, end))
