"""Numbers with their first and second derivatives by n variables, at several states at once.

A `Jet` holds the value (S,), the gradient (n, S) and the Hessian (n, n, S). Nothing here knows the library.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

Array = np.ndarray


@dataclass(frozen=True, eq=False)
class Jet:
    """f, df and ddf."""

    f: Array
    d: Array
    dd: Array
    __array_ufunc__ = None  # an array on the left leaves the arithmetic to the jet

    def __add__(self, other: Any) -> Jet:
        if isinstance(other, Jet):
            return Jet(self.f + other.f, self.d + other.d, self.dd + other.dd)
        return Jet(self.f + other, self.d, self.dd)

    def __mul__(self, other: Any) -> Jet:
        if not isinstance(other, Jet):
            return Jet(self.f * other, self.d * other, self.dd * other)
        cross = self.d[:, None] * other.d[None]
        dd = self.f * other.dd + other.f * self.dd + cross + cross.swapaxes(0, 1)
        return Jet(self.f * other.f, self.f * other.d + other.f * self.d, dd)

    def of(self, f: Array, slope: Array, bend: Array) -> Jet:
        """F of this, given F, F' and F'' at its value."""
        return Jet(f, slope * self.d, slope * self.dd + bend * (self.d[:, None] * self.d[None]))

    __radd__, __rmul__ = __add__, __mul__

    def __neg__(self) -> Jet:
        return self * -1.0

    def __sub__(self, other: Any) -> Jet:
        return self + -1.0 * other

    def __rsub__(self, other: Any) -> Jet:
        return -self + other

    def __truediv__(self, other: Any) -> Jet:
        return self * (power(other, -1.0) if isinstance(other, Jet) else 1.0 / other)


def variable(value: Array, i: int, n: int) -> Jet:
    """The i-th of n variables."""
    d = np.zeros((n, len(value)))
    d[i] = 1.0
    return Jet(value, d, np.zeros((n, n, len(value))))


def constant(value: Array, n: int) -> Jet:
    """What no variable moves."""
    return Jet(value, np.zeros((n, len(value))), np.zeros((n, n, len(value))))


def power(x: Jet, p: float) -> Jet:
    """x^p."""
    f = x.f**p
    return x.of(f, p * x.f ** (p - 1) if p else 0 * f, p * (p - 1) * x.f ** (p - 2) if p not in (0, 1) else 0 * f)


def _tanh(x: Jet) -> Jet:
    y = np.tanh(x.f)
    return x.of(y, 1 - y**2, -2 * y * (1 - y**2))


def _atan(x: Jet) -> Jet:
    slope = 1 / (1 + x.f**2)
    return x.of(np.arctan(x.f), slope, -2 * x.f * slope**2)


FUNCTIONS = {
    "sin": lambda x: x.of(np.sin(x.f), np.cos(x.f), -np.sin(x.f)),
    "cos": lambda x: x.of(np.cos(x.f), -np.sin(x.f), -np.cos(x.f)),
    "exp": lambda x: x.of(np.exp(x.f), np.exp(x.f), np.exp(x.f)),
    "log": lambda x: x.of(np.log(x.f), 1 / x.f, -1 / x.f**2),
    "sqrt": lambda x: power(x, 0.5),
    "tanh": _tanh,
    "atan": _atan,
}
