"""Conjugate points: times at which neighbouring motions from the same start meet the curve again, to first order.

    X(t) = E^+ dq(t)/d(unknown)     loses rank there; how much is its multiplicity

The derivatives of the whole state are made orthonormal first, in scales, so that the singular values of their position
part lie in [0, 1] and grow from 0 at the start.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ...calculus.frame import TIME
from ...calculus.graph import Node, evaluate
from ...calculus.read import read
from ..field import Field
from .flow import Flow
from .shooting import Shooting

GRID, FINEST = 240, 44  # times looked at, and steps of the search between two of them
RISEN = 1e-4  # part of the largest value that marks the end of the rise from the start
ZERO, HOPELESS = 1e-6, 1e-2  # relative to the values around it
END = 1e-6  # a time as near to the end as this, in the whole time, is the end
GOLDEN = (np.sqrt(5) - 1) / 2


@dataclass(frozen=True, eq=False)
class Spread:
    """How the positions of neighbouring motions spread along one.

    Attributes:
        t: times (N,).
        values: singular values, falling, of the position part (N, d).
        rank: how many of them are not 0 throughout.
        y: states (N, n).
        moved: scaled positions' derivatives by the unknown ones (N, k, d), not orthonormal.
    """

    t: np.ndarray
    values: np.ndarray
    rank: int
    y: np.ndarray
    moved: np.ndarray


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


def spread(problem: Shooting, flow: Flow, t: np.ndarray, rows: np.ndarray) -> Spread:
    """The spread at times (N,) from rows (N, n + 1, width)."""
    y, S = flow.split(rows)
    X = positions_moved(problem, t, y, S)
    n = len(problem.equations.space.coordinates)
    rest = S[:, n:] / problem.scale[:, None]
    # (X, rest) = Q R, and X R^-1 is the upper part of Q
    Q = np.linalg.qr(np.concatenate([X, rest], axis=1))[0]
    values = np.linalg.svd(Q[:, : X.shape[1]], compute_uv=False)
    rank = int((values.max(axis=0) > 1e-7).sum()) if len(t) else 0
    return Spread(t, values, rank, y, X)


def grid(problem: Shooting) -> np.ndarray:
    """Times after the start, the end included."""
    return np.linspace(problem.t, problem.end.t, GRID + 1)[1:]


def conjugate(problem: Shooting, field: Field, flow: Flow, rows: np.ndarray, seen: Spread) -> tuple[float, ...]:
    """Times of conjugate points before the end, each as often as its multiplicity.

    Args:
        problem: whose curve.
        field, flow: with which it was made.
        rows: along the curve at the times of `seen`.
        seen: the spread on the `grid`.
    """
    if not seen.rank:
        return ()
    least = seen.values[:, seen.rank - 1]
    risen = int(np.argmax(least > RISEN * least.max()))
    found: list[float] = []
    for i in range(max(risen, 1), len(least) - 1):
        if not (least[i] <= least[i - 1] and least[i] < least[i + 1]):
            continue

        def values(t: float, first: int = i - 1) -> np.ndarray:
            carried = flow.carry(field, float(seen.t[first]), rows[first], [t])
            if carried is None:
                return np.ones(seen.rank)
            return np.asarray(spread(problem, flow, np.array([t]), carried).values[0, : seen.rank])

        around = min(least[i - 1], least[i + 1])
        t = _lowest(lambda t: float(values(t)[-1]), float(seen.t[i - 1]), float(seen.t[i + 1]), HOPELESS * around)
        count = int((values(t) < ZERO * around).sum())
        if problem.end.t - t > END * (problem.end.t - problem.t):
            found += [t] * count
    return tuple(found)


def _lowest(f: Callable[[float], float], low: float, high: float, hopeless: float) -> float:
    """Where f, which falls and then rises, is least, by the golden section; given up early where that is far from 0."""
    a, b = high - GOLDEN * (high - low), low + GOLDEN * (high - low)
    fa, fb = f(a), f(b)
    for i in range(FINEST):
        if i > FINEST // 2 and min(fa, fb) > hopeless:
            break
        if fa < fb:
            high, b, fb = b, a, fa
            a = high - GOLDEN * (high - low)
            fa = f(a)
        else:
            low, a, fa = a, b, fb
            b = low + GOLDEN * (high - low)
            fb = f(b)
    return (low + high) / 2
