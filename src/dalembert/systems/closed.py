"""Two integrals that several closed solutions are made of."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

_TERMS = 22  # of a Taylor series at |z| <= 1, to the last digit


def moments(z: Any) -> tuple[np.ndarray, np.ndarray]:
    """int_0^1 e^(z s) ds and int_0^1 s e^(z s) ds for complex z, without loss of digits near 0."""
    z = np.asarray(z, complex)
    near = np.abs(z) < 1
    far = np.where(near, 1.0, z)
    # (e^z - 1)/z and (e^z - (e^z - 1)/z)/z
    first = (np.exp(far) - 1) / far
    second = (np.exp(far) - first) / far
    small = np.where(near, z, 0.0)
    series = [small**k / math.factorial(k) for k in range(_TERMS)]
    first = np.where(near, sum(term / (k + 1) for k, term in enumerate(series)), first)
    second = np.where(near, sum(term / (k + 2) for k, term in enumerate(series)), second)
    return first, second


def path(t: np.ndarray | float, heading: float, omega: float, speed: float, push: float = 0.0) -> np.ndarray:
    """int_0^t (speed + push s) e^(i (heading + omega s)) ds: the way of a point whose heading turns steadily."""
    t = np.asarray(t, float)
    first, second = moments(1j * omega * t)
    return np.exp(1j * heading) * (speed * t * first + push * t**2 * second)


def separatrix(t: np.ndarray | float, kappa: float, sine: float, cosine: float) -> tuple[np.ndarray, np.ndarray]:
    """sin chi and cos chi at times t >= 0 for  chidot = kappa cos chi,  kappa >= 0.

    The sign of cos chi stays; chi runs from -pi/2 to pi/2, or from 3 pi/2 to pi/2.
    """
    # d(sin chi)/dt = kappa (1 - sin^2 chi):  (1 - sin chi)/(1 + sin chi) = const e^(-2 kappa t)
    up, down = (1 + sine, cosine**2 / (1 + sine)) if sine > 0 else (cosine**2 / (1 - sine), 1 - sine)
    half = np.exp(-kappa * np.asarray(t, float))
    total = up + down * half**2
    return (up - down * half**2) / total, 2 * cosine * half / total
