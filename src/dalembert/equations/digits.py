"""Does elimination without choice of pivots keep the digits of the accelerations?

    W x - N^T mu = f ,  N x = g :      x = W^-1 (f + N^T mu) ,    or    x = P f + Y g    with pivots

An error in f + N^T mu comes back W^-1 times as large; but along the rows of N it is g that says what x is, and P leaves
that part out. Where something light carries a heavy load the first is far larger than the second.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from .form import Numbers

if TYPE_CHECKING:
    from . import Equations

LOST = 1e4  # times the error of a solution with pivots: what elimination may not add


def keeps_digits(numbers: Numbers, held: float = 0.0) -> bool:
    """Is the error of elimination without choice of pivots, at one state, near that of a solution with pivots?

    Args:
        numbers: W of full rank, independent rows N, f and g, at one state.
        held: size of multipliers that are counted beside those of the reaction, where f may hold such as states.
    """
    k, m = numbers.f.shape[-1], numbers.g.shape[-1]
    if not m:
        return True
    with np.errstate(all="ignore"):
        try:
            straight, inverse = np.linalg.inv(numbers.W), np.linalg.inv(numbers.bordered)
        except np.linalg.LinAlgError:
            return True  # refused elsewhere
        x, mu = np.split(inverse @ np.concatenate([numbers.f, numbers.g]), [k])
        W, N = np.abs(numbers.W), np.abs(numbers.N)
        load = np.abs(numbers.f) + W @ np.abs(x) + N.T @ (np.abs(mu) + held)
        driven = np.abs(numbers.g) + N @ np.abs(x)
        error = np.abs(straight) @ load
        least = np.abs(inverse[:k]) @ np.concatenate([load, driven])
        return not error.max() > LOST * least.max()


def digits_kept(equations: Equations, values: Mapping[str, float]) -> bool:
    """The same at a state; forms without multipliers have none of it."""
    if equations.direct is not None or not equations.kept:
        return True
    return keeps_digits(Numbers.of(equations.machine.form.rows(equations.kept), values))
