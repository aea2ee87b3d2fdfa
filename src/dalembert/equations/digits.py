"""Does elimination without choice of pivots keep the digits of the accelerations?

    W x - N^T mu = f ,  N x = g :      x = W^-1 (f + N^T mu) ,    or    x = P f + Y g    with pivots

    P = Z (Z^T W Z)^-1 Z^T ,   Y = (1 - P W) N^+ ,   mu = (N^+)^T (W x - f) ,    N Z = 0 ,   N N^+ = 1

An error in f + N^T mu comes back W^-1 times as large; but along the rows of N it is g that says what x is, and P leaves
that part out. Where something light carries a heavy load the first is far larger than the second.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from ..calculus.rank import split
from .form import Numbers

if TYPE_CHECKING:
    from . import Equations

LOST = 1e4  # times the error of a solution with pivots: what elimination may not add


def keeps_digits(numbers: Numbers) -> tuple[bool, bool]:
    """Is the error of elimination without choice of pivots, at all states (...), near that of a solution with pivots?

    W has full rank, the rows of N are independent. Answered twice: for the multipliers of the reaction alone, and with
    others of size 1 counted beside them, where f may hold such as states.
    """
    if not numbers.g.shape[-1]:
        return True, True
    W, N, f, g = numbers.W, numbers.N, numbers.f[..., None], numbers.g[..., None]
    with np.errstate(all="ignore"):
        try:
            inner, P, Y, back = np.linalg.inv(W), *_with_pivots(W, N)
        except np.linalg.LinAlgError:
            return True, True  # refused elsewhere
        x = P @ f + Y @ g
        mu = back @ (W @ x - f)
        driven, both = np.abs(g) + np.abs(N) @ np.abs(x), []
        for held in (0.0, 1.0):
            load = np.abs(f) + np.abs(W) @ np.abs(x) + np.abs(_transposed(N)) @ (np.abs(mu) + held)
            lost, kept = np.abs(inner) @ load, np.abs(P) @ load + np.abs(Y) @ driven
            both.append(not (lost.max(axis=(-2, -1)) > LOST * kept.max(axis=(-2, -1))).any())
        return both[0], both[1]


def _with_pivots(W: np.ndarray, N: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """P (..., k, k), Y (..., k, m) and (N^+)^T (..., m, k)."""
    Z, back = split(N)
    free = np.linalg.solve(_transposed(Z) @ W @ Z, _transposed(Z))
    return Z @ free, _transposed(back) - Z @ (free @ W @ _transposed(back)), back


def _transposed(A: np.ndarray) -> np.ndarray:
    return np.swapaxes(A, -1, -2)


def digits_kept(equations: Equations, values: Mapping[str, float]) -> bool:
    """The same at a state; forms without multipliers have none of it."""
    if equations.direct is not None or not equations.kept:
        return True
    return keeps_digits(Numbers.of(equations.machine.form.rows(equations.kept), values))[0]
