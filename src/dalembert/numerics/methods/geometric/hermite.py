"""Dense output from the ends of a step: Hermite interpolation with derivatives, and with second derivatives."""

from __future__ import annotations

import numpy as np

from ...machine.loop.address import call
from ..dop853.code import POWERS

PLACES, WEIGHTS = (-2.0, -1.0, 1.0, 2.0), (1.0, -8.0, 8.0, -1.0)  # of a difference of order 4


def second(
    rhs: int, t: float, h: float, y: np.ndarray, p: np.ndarray, moment: np.ndarray, point: np.ndarray, out: np.ndarray
) -> None:
    """out = df/dt along the motion, from differences of order 4 with spacing e = h/4 along the direction (1, f)."""
    n = len(out)
    e = 0.25 * h
    for i in range(n):
        out[i] = 0.0
    for place in range(4):
        # f' = (f(-2 e) - 8 f(-e) + 8 f(e) - f(2 e)) / 12 e
        x, weight = PLACES[place], WEIGHTS[place]
        moment[0] = t + x * e
        for i in range(n):
            point[i] = y[i] + x * e * y[n + i]
        call(rhs, moment, point, p, point[n:])
        for i in range(n):
            out[i] += weight * point[n + i] / (12.0 * e)


def hermite(h: float, old: np.ndarray, y: np.ndarray, bend: np.ndarray, bend_old: np.ndarray, F: np.ndarray) -> None:
    """Hermite's polynomial through states, derivatives and second derivatives, in the path's form [hairer1993, II.6].

    y0 + x (F0 + (1 - x) (F1 + x (F2 + (1 - x) (F3 + x F4)))); without second derivatives the cubic one.
    """
    n = F.shape[1]
    for i in range(n):
        change, f0, f1 = y[i] - old[i], old[n + i], y[n + i]
        F[0, i] = change
        F[1, i] = h * f0 - change
        F[2, i] = 2 * change - h * (f0 + f1)
        for m in range(3, POWERS):
            F[m, i] = 0.0
        if len(bend) > 0:
            F[3, i] = 0.5 * h * h * bend_old[i] + F[1, i] - F[2, i]
            F[4, i] = 0.5 * h * h * bend[i] + F[1, i] + 2 * F[2, i] - F[3, i]
