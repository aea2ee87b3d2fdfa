"""Conjugate points: times at which neighbouring motions from the same start meet the curve again, to first order.

    X(t) = E^+ dq(t)/d(unknown)     loses rank there; how much is its multiplicity

Between two times a < b so near that no motion from a has a conjugate point up to b, X_b X_a^-1 is a positive matrix
times a symmetric one where the action is stationary, and has one negative eigenvalue for each conjugate point in
between, however near to each other these are [milnor1963 (section 15)]. So the zeros are counted before they are
located: on a grid finer than the steps of the integration, and on every second of its times, which must give the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from ...calculus.frame import TIME
from ...calculus.graph import Node, evaluate
from ...calculus.read import read
from .flight import Smooth
from .shooting import Shooting

GRID, MOST, PER_STEP = 240, 20_000, 2  # times looked at, at least and at most, and for each step of the integration
OFFSET = 0.381966  # the grid lies askew: zeros at simple fractions of the whole time are not met exactly
RISEN = 1e-6  # part of the largest value that marks the end of the rise from the start
REAL = (
    1.0  # an eigenvalue counts as real if its imaginary part is no larger than this part of it: frames turn on the way
)
ALIKE = 1e10  # condition of the derivatives beyond which those of one direction hide the others
NARROW, ASIDE, DEEPEST = 1e-3, 0.1, 60  # zeros are enclosed to this part of a step of the grid
END = 1e-6  # a time as near to the end as this, in the whole time, is the end


@dataclass(frozen=True, eq=False)
class Spread:
    """How the positions of neighbouring motions spread along one.

    Attributes:
        t: times (N,).
        y: states (N, n).
        moved: scaled positions' derivatives by the unknown ones (N, k, d).
        rest: the same of velocities and multipliers (N, k + m, d).
    """

    t: np.ndarray
    y: np.ndarray
    moved: np.ndarray
    rest: np.ndarray

    @property
    def columns(self) -> np.ndarray:
        """Combinations of the unknown ones that move positions at all (d, r), orthonormal."""
        if not self.moved.size:
            return np.zeros((self.moved.shape[2], 0))
        _, s, V = np.linalg.svd(self.moved.reshape(-1, self.moved.shape[2]), full_matrices=False)
        return np.asarray(V[s > 1e-7 * s[0]].T if s[0] > 0 else V[:0].T)


class _Place(NamedTuple):
    """A time on the curve, the rows there, and X and the rest by the columns that matter."""

    t: float
    rows: np.ndarray
    X: np.ndarray
    rest: np.ndarray


def anchor(problem: Shooting) -> list[Node]:
    """E row by row on the equations' graph."""
    return [read(e, problem.equations.machine.graph) for e in problem.equations.space.anchor]


def positions_moved(problem: Shooting, t: np.ndarray, y: np.ndarray, S: np.ndarray) -> np.ndarray:
    """X (N, k, d) in scales, from states (N, n) and derivatives (N, n, d)."""
    n, k = len(problem.equations.space.coordinates), problem.width
    values = {**problem.parameters, **dict(zip(problem.equations.states, y.T, strict=True)), TIME.name: t}
    entries = [np.broadcast_to(np.asarray(e, float), t.shape) for e in evaluate(anchor(problem), values)]
    E = np.stack(entries, axis=1).reshape(-1, n, k)
    # a way of 1 is what the scale of the velocity makes in the whole time
    way = problem.scale[:k] * (problem.end.t - problem.t)
    return np.asarray(np.linalg.pinv(E) @ S[:, :n] / way[:, None])


def spread(problem: Shooting, t: np.ndarray, y: np.ndarray, S: np.ndarray) -> Spread:
    """The spread at times (N,) from states (N, n) and derivatives (N, n, d)."""
    n = len(problem.equations.space.coordinates)
    return Spread(t, y, positions_moved(problem, t, y, S), S[:, n:] / problem.scale[:, None])


def grid(problem: Shooting, count: int = GRID) -> np.ndarray:
    """So many times after the start, the end included."""
    part = np.r_[(np.arange(1, count) - OFFSET) / (count - OFFSET), 1.0]
    return np.asarray(problem.t + part * (problem.end.t - problem.t))


def conjugate(problem: Shooting, flight: Smooth, seen: Spread) -> tuple[float, ...] | None:
    """Times of conjugate points before the end, each as often as its multiplicity; None where they cannot be told.

    Args:
        problem: whose curve.
        flight: its motion.
        seen: the spread along the curve.
    """
    if not seen.columns.shape[1]:
        return ()
    field, flow, rows = flight.field, flight.flow, flight.rows
    steps = flow.steps(field, problem.t, rows, problem.end.t)
    if PER_STEP * steps > MOST:
        return None
    t = grid(problem, max(GRID, PER_STEP * steps))
    carried = flow.carry(field, problem.t, rows, t)
    if carried is None:
        return None
    search = _Search(problem, flight, seen.columns, NARROW * float(t[1] - t[0]))
    found = search.counted(search.places(t, carried))
    whole = problem.end.t - problem.t
    return None if found is None else tuple(sorted(t for t in found if problem.end.t - t > END * whole))


def _looks(places: Sequence[_Place]) -> tuple[np.ndarray, np.ndarray]:
    """At each place the least singular value of X, all derivatives made orthonormal, and their condition before."""
    Z = np.stack([np.concatenate([p.X, p.rest]) for p in places])
    Z = Z / np.maximum(np.linalg.norm(Z, axis=1, keepdims=True), 1e-300)
    condition = np.linalg.cond(Z)
    Q = np.linalg.qr(Z)[0]
    rank = min(places[0].X.shape)
    return np.linalg.svd(Q[:, : places[0].X.shape[0]], compute_uv=False)[:, rank - 1], condition


def between(a: _Place, b: _Place) -> np.ndarray:
    """Where X is singular between two places that are near, as parts of the way (c,), rising.

    X = (1 - s) X_a + s X_b, singular where s/(s - 1) is an eigenvalue of X_a^-1 X_b.
    """
    import scipy.linalg

    R = np.linalg.qr(np.concatenate([a.X, a.rest]))[1]
    Xa, Xb = (np.linalg.solve(R.T, X.T).T for X in (a.X, b.X))
    k, r = Xa.shape
    if k > r:  # positions on a surface: in its tangent plane
        B = np.linalg.svd(np.hstack([Xa, Xb]))[0][:, :r]
        Xa, Xb = B.T @ Xa, B.T @ Xb
    alpha, beta = scipy.linalg.eigvals(Xb, Xa, homogeneous_eigvals=True)
    w = alpha * np.conj(beta)
    real = (w.real < 0) & (np.abs(w.imag) <= REAL * np.abs(w.real))
    # s = 1/(1 - mu),  mu = alpha/beta
    return np.sort((beta[real] / (beta[real] - alpha[real])).real)


@dataclass(frozen=True, eq=False)
class _Search:
    """Zeros between two places, enclosed ever more narrowly."""

    problem: Shooting
    flight: Smooth
    columns: np.ndarray
    narrow: float

    def places(self, t: Sequence[float] | np.ndarray, rows: np.ndarray) -> list[_Place]:
        """X and the rest by the columns that matter, at times from rows (N, n + 1, width)."""
        seen = spread(self.problem, np.asarray(t, float), *self.flight.flow.split(rows))
        moved, rest = seen.moved @ self.columns, seen.rest @ self.columns
        return [_Place(float(t), *each) for t, *each in zip(t, rows, moved, rest, strict=True)]

    def counted(self, places: list[_Place]) -> list[float] | None:
        """Times of the zeros between places after the rise from the start; None where the count is not sure."""
        least, condition = _looks(places)
        risen = int(np.argmax(least > RISEN * least.max()))
        if not condition[risen:].max() < ALIKE:
            return None
        places = places[risen if (len(places) - risen) % 2 else risen + 1 :]
        parts = [between(a, b) for a, b in pairwise(places)]
        twice = [between(a, b) for a, b in zip(places[::2], places[2::2], strict=False)]
        if sum(map(len, parts)) != sum(map(len, twice)):
            return None
        return [t for a, b, s in zip(places, places[1:], parts, strict=False) for t in self.zeros(a, b, s)]

    def carried(self, a: _Place, times: Sequence[float]) -> list[_Place]:
        """Places at later times; none where the motion cannot be made again."""
        rows = self.flight.flow.carry(self.flight.field, a.t, a.rows, times)
        return [] if rows is None else self.places(times, rows)

    def zeros(self, a: _Place, b: _Place, parts: np.ndarray, depth: int = 0) -> list[float]:
        """Times of the zeros between two places, estimated as parts of the way."""
        h = b.t - a.t
        if not len(parts):
            return []
        if h <= self.narrow or depth == DEEPEST:
            return [a.t + h * float(s) for s in parts]
        low, high = parts[0] - ASIDE, parts[-1] + ASIDE
        cuts = [s for s in (low, high) if 0 < s < 1] if high - low < 0.5 else [0.5]
        inner = self.carried(a, [a.t + h * float(s) for s in cuts])
        places = [a, *inner, b]
        if not inner:
            return [a.t + h * float(s) for s in parts]
        pairs = pairwise(places)
        return [t for one, two in pairs for t in self.zeros(one, two, between(one, two), depth + 1)]
