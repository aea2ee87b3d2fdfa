"""The path between steps: one polynomial a step, of degree 7 [hairer1993, II.6] or of any other."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..errors import InvalidValue

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
