"""The path between steps: one polynomial a step, of degree 7 [hairer1993, II.6] or of any other.

`tabulated` makes such polynomials of any dense output, with which it can be stored.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ..errors import InvalidValue

if TYPE_CHECKING:
    from . import Trajectory


BLOCK = 4096  # queries at once: bounds the memory for gathered coefficients


def dense(
    t_old: float | np.ndarray, h: float | np.ndarray, y_old: np.ndarray, F: np.ndarray, t: np.ndarray
) -> np.ndarray:
    """The path inside steps, shape (len(t), n).

    Args:
        t_old, h: where the step begins and its size; numbers, or (len(t),) for every query its own step.
        y_old: states at the beginning, (n,) or (len(t), n).
        F: coefficients, (d, n) or (len(t), d, n) for polynomials of degree d.
        t: query times.
    """
    # y(t_old + x h) = y_old + x (F0 + (1 - x) (F1 + x (F2 + (1 - x) (F3 + ...))))
    x = ((np.asarray(t, dtype=float) - t_old) / h)[:, None]
    y = np.zeros((len(x), np.shape(y_old)[-1]))
    for power in reversed(range(F.shape[-2])):
        y += F[..., power, :]
        y *= x if power % 2 == 0 else 1 - x
    return np.asarray(y + y_old)


def check_inside(query: np.ndarray, t: np.ndarray) -> float:
    """The sense of time of a path with steps that end at t; all times asked for must lie inside.

    Raises:
        InvalidValue: E303, a time is outside the path or not a number.
    """
    sign = -1.0 if t[-1] < t[0] else 1.0
    outside = query[~((sign * query >= sign * t[0]) & (sign * query <= sign * t[-1]))]
    if len(outside):
        raise InvalidValue(
            "E303",
            f"t = {outside[0]:.17g} is outside the path, which runs from {t[0]:.17g} to {t[-1]:.17g}",
            "ask for times inside, or simulate for longer",
        )
    return sign


@dataclass(frozen=True)
class Interpolant:
    """The path over all steps, continuous but for its jumps.

    A jump is a step of length 0: its time stands twice. At the time of a jump the path has the state after it.

    Attributes:
        t: step ends (N + 1,), rising or falling.
        y: states there (N + 1, n).
        h: the sizes that the coefficients belong to (N,); larger than a step that an event cut short.
        F: dense output of the steps (N, d, n), d being the degree of their polynomials.
    """

    t: np.ndarray
    y: np.ndarray
    h: np.ndarray
    F: np.ndarray

    def __call__(self, t: np.ndarray) -> np.ndarray:
        """States (len(t), n) at times in any order.

        Raises:
            InvalidValue: E303, a time is outside the path or not a number.
        """
        query = np.atleast_1d(np.asarray(t, dtype=float))
        sign = check_inside(query, self.t)
        # the last step that begins at or before each time; N for the very end
        step = np.searchsorted(sign * self.t, sign * query, side="right") - 1
        result = self.y[step]
        inside = np.flatnonzero(query != self.t[step])
        for first in range(0, len(inside), BLOCK):
            rows = inside[first : first + BLOCK]
            s = step[rows]
            result[rows] = dense(self.t[s], self.h[s], self.y[s], self.F[s], query[rows])
        return result

    def steps(self, count: int) -> Interpolant:
        """The first of its steps alone, so many."""
        return Interpolant(self.t[: count + 1], self.y[: count + 1], self.h[:count], self.F[:count])

    def until(self, t: float, y: np.ndarray | None = None) -> Interpolant:
        """The path up to a time inside, and the state (n,) there, if it is known better than by its polynomial."""
        last = max(int(np.searchsorted(self.t, t, side="left")), 1)
        y = self(np.array([t])) if y is None else y
        return Interpolant(np.r_[self.t[:last], t], np.vstack([self.y[:last], y]), self.h[:last], self.F[:last])


# --- polynomials of any dense output ---------------------------------------------------------------------------------

Dense = Callable[[np.ndarray], np.ndarray]

MOST = 1_000_000  # steps of a path whose steps are halved: a longer one would take many times its room
AT_ONCE = 65_536  # steps at once
DEGREE, HALVINGS = 7, 5  # usual degree; of a step at most
ROUNDED = 8.0  # units in the last place of a time, in which a step is not told from one at another time
CLOSE, CLOSER = 1e-11, 1e-13  # what a column may be off, of its largest value: with the usual degree, with a higher one


def tabulated(dense: Dense, t: np.ndarray, degree: int = DEGREE) -> Interpolant:
    """The path between the times t, which rise, on the steps that they bound; steps are halved where they are too long.

    `degree` is that of the polynomials. Jumps must be at some of these times. Values are taken inside of the steps
    only: at a jump those after it count. A path of more than `MOST` steps keeps its own.
    """
    t = t[np.r_[True, np.diff(t) != 0]]
    kept: list[Interpolant] = []
    begin, end = t[:-1], t[1:]
    halvings, largest = HALVINGS if len(t) <= MOST else 0, np.abs(dense(t)).max(axis=0, initial=0.0)
    for left in reversed(range(halvings + 1)):
        pieces = _fitted(dense, begin, end, degree)
        far = _far(dense, pieces, largest) if left and len(begin) else np.zeros(len(begin), bool)
        kept.append(Interpolant(begin[~far], pieces.y[~far], pieces.h[~far], pieces.F[~far]))
        if not far.any():
            break
        middle = begin[far] + (end - begin)[far] / 2
        begin, end = np.r_[begin[far], middle], np.r_[middle, end[far]]
    return _joined(kept, t[-1:], dense(t[-1:]))


def _joined(pieces: list[Interpolant], end: np.ndarray, last: np.ndarray) -> Interpolant:
    """Steps in the order of time; each knows where it begins only, so the end of the last is given."""
    t = np.concatenate([each.t for each in pieces])
    order = np.argsort(t, kind="stable")
    y, h, F = (np.concatenate([getattr(each, name) for each in pieces])[order] for name in ("y", "h", "F"))
    return Interpolant(np.r_[t[order], end], np.concatenate([y, np.asarray(last, float)]), h, F)


def _fitted(dense: Dense, begin: np.ndarray, end: np.ndarray, degree: int) -> Interpolant:
    """Polynomials on steps that need not follow one another."""
    y, h, nodes = np.asarray(dense(begin), float), end - begin, _nodes(degree)
    F, basis = np.empty((len(h), degree, y.shape[1])), _basis(nodes)
    for first in range(0, len(h), AT_ONCE):
        i = slice(first, first + AT_ONCE)
        inside = np.asarray(dense((begin[i, None] + h[i, None] * nodes).ravel())).reshape(-1, degree, y.shape[1])
        # y(t_i + x h) = y_i + sum_k F_k b_k(x)
        F[i] = np.linalg.solve(basis, inside - y[i, None])
    return Interpolant(begin, y, h, F)


def _nodes(degree: int) -> np.ndarray:
    """Chebyshev's, inside of (0, 1)."""
    return np.asarray((1 - np.cos(np.pi * (2 * np.arange(degree) + 1) / (2 * degree))) / 2)


def _basis(x: np.ndarray, degree: int | None = None) -> np.ndarray:
    """b_k(x): x, x (1 - x), x^2 (1 - x), ...  as in `interpolant.dense`, (len(x), degree)."""
    factors = np.column_stack([x if k % 2 == 0 else 1 - x for k in range(degree or len(x))])
    return np.asarray(np.cumprod(factors, axis=1))


def _far(dense: Dense, pieces: Interpolant, largest: np.ndarray) -> np.ndarray:
    """On which steps is it off between the nodes, by more than what times that are rounded make of it?

    `largest` are the largest values of the columns of the whole path.
    """
    degree = pieces.F.shape[1]
    nodes = _nodes(degree)
    between = (nodes[:-1] + nodes[1:]) / 2
    basis, close = _basis(between, degree), CLOSE if degree <= DEGREE else CLOSER
    far = np.empty(len(pieces.h), bool)
    for first in range(0, len(far), AT_ONCE):
        i = slice(first, first + AT_ONCE)
        y = np.asarray(dense((pieces.t[i, None] + pieces.h[i, None] * between).ravel()))
        y = y.reshape(-1, len(between), y.shape[1])
        off = np.abs(pieces.y[i, None] + basis @ pieces.F[i] - y).max(axis=1)
        rate = np.ptp(y, axis=1) / pieces.h[i, None]
        far[i] = (off > close * largest + ROUNDED * np.spacing(np.abs(pieces.t[i, None])) * rate).any(axis=1)
    return far


# --- the steps of a path ---------------------------------------------------------------------------------------------


def steps_of(path: Trajectory) -> Interpolant:
    """The path as polynomials on steps, all columns."""
    dense = path.dense
    return dense if isinstance(dense, Interpolant) else tabulated(dense, knots(path), _degree(path))


def knots(path: Trajectory) -> np.ndarray:
    """The times between which the path is one smooth piece each, as far as it is known between its samples."""
    known = getattr(path.dense, "t", path.t)
    return np.asarray(getattr(path.dense, "knots", known), float)  # where the dense output adds columns to its path


def _degree(path: Trajectory) -> int:
    """The degree of its polynomials, where it is known and higher than usual."""
    return max(DEGREE, int(getattr(path.dense, "degree", DEGREE)))
