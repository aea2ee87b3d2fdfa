"""Does elimination without choice of pivots keep the digits of the accelerations?

    W x - N^T mu = f ,  N x = g :      x = W^-1 (f + N^T mu) ,    or    x = P f + Y g    with pivots

An error in f + N^T mu comes back W^-1 times as large; but along the rows of N it is g that says what x is, and P leaves
that part out. Where something light carries a heavy load the first is far larger than the second, which is no smaller
than x itself: often that says enough, and P and Y are not needed.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from .form import Numbers

if TYPE_CHECKING:
    from . import Equations

LOST = 1e4  # times the error of a solution with pivots: what elimination may not add


def keeps_digits(numbers: Numbers) -> tuple[bool, bool]:
    """Is the error of elimination without choice of pivots, at one state, near that of a solution with pivots?

    W has full rank, the rows of N are independent. Answered twice: for the multipliers of the reaction alone, and with
    others of size 1 counted beside them, where f may hold such as states.
    """
    k, m = numbers.f.shape[-1], numbers.g.shape[-1]
    if not m:
        return True, True
    with np.errstate(all="ignore"):
        try:
            inner = np.abs(np.linalg.inv(numbers.W))
            x, mu = numbers.solve()
            W, N = np.abs(numbers.W), np.abs(numbers.N)
            loads = [np.abs(numbers.f) + W @ np.abs(x) + N.T @ (np.abs(mu) + held) for held in (0.0, 1.0)]
            lost = [(inner @ load).max() for load in loads]
            if max(lost) <= LOST * np.abs(x).max():
                return True, True
            outer = np.abs(np.linalg.inv(numbers.bordered)[:k])
        except np.linalg.LinAlgError:
            return True, True  # refused elsewhere
        driven = np.abs(numbers.g) + N @ np.abs(x)
        alone, held = (
            not much > LOST * (outer @ np.concatenate([load, driven])).max()
            for much, load in zip(lost, loads, strict=True)
        )
        return alone, held


def digits_kept(equations: Equations, values: Mapping[str, float]) -> bool:
    """The same at a state; forms without multipliers have none of it."""
    if equations.direct is not None or not equations.kept:
        return True
    return keeps_digits(Numbers.of(equations.machine.form.rows(equations.kept), values))[0]
