"""x(t) = c + e^(s t) (a cos(w t) + b sin(w t)) through columns, s and w common to all: growth and frequency.

c, a, b follow from s and w by linear least squares, so that only two numbers are searched for [golub1973].
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..errors import InvalidValue, warn
from ..given import noun
from .series import Series

UNEXPLAINED = 0.8  # of the motion: about as much is left where there is noise alone
FINER = 8  # points of the spectrum for each of its own


@noun
@dataclass(frozen=True)
class Oscillation:
    """What was fitted.

    Attributes:
        rate: s, growth if positive, in 1/s.
        frequency: w/(2 pi), in Hz.
        rate_sigma, frequency_sigma: standard uncertainties, from the scatter about the curve; they hold if that is
            noise without memory.
        misfit: root mean square of what is left, as a part of that of the motion: near 1 nothing was explained.
        centre: c of each column.
    """

    rate: float
    frequency: float
    rate_sigma: float
    frequency_sigma: float
    misfit: float
    centre: tuple[float, ...]

    def __str__(self) -> str:
        return (
            f"growth {self.rate:.6g} +- {self.rate_sigma:.2g} 1/s, frequency {self.frequency:.8g} +- "
            f"{self.frequency_sigma:.2g} Hz, {100 * self.misfit:.3g} % of the motion left"
        )


def loudest(data: Series) -> float:
    """The largest line of the spectrum in Hz, within about 1/duration: where to begin."""
    t = np.linspace(data.t[0], data.t[-1], max(16, len(data.t)))
    power = np.zeros(FINER * len(t) // 2 + 1)
    for column in data.values.T / data.size:
        x = np.interp(t, data.t, column)
        x = (x - x.mean()) * np.hanning(len(t))
        power += np.abs(np.fft.rfft(x, FINER * len(t))[: len(power)]) ** 2
    f = np.arange(len(power)) / (FINER * len(t) * (t[1] - t[0]))
    inside = f >= 0.5 / (t[-1] - t[0])
    return float(f[inside][np.argmax(power[inside])])


def fitted(data: Series, growing: bool) -> Oscillation:
    """Least squares over w, and over s if it may grow, from the loudest line."""
    from scipy.optimize import least_squares

    if not np.ptp(data.values, axis=0).any():
        raise InvalidValue("E318", "what does not change has no frequency", "name columns that move")
    span = float(data.t[-1] - data.t[0])
    t = (data.t - data.t.mean()) / span
    f = loudest(data) * span
    scale = data.size
    weights = data.weights
    relative = np.ones_like(data.values) if weights is None else weights / weights.mean()

    def left(p: np.ndarray) -> np.ndarray:
        return _left(t, data.values / scale, relative, p)[0]

    w0 = 2 * np.pi * f
    starts = [np.array([s, w0]) for s in (-2.0, 0.0, 2.0)] if growing else [np.array([w0])]
    found = min((least_squares(left, p, x_scale="jac", xtol=1e-15, ftol=1e-15, gtol=1e-15) for p in starts), key=_cost)
    free = max(1, data.values.size - len(found.x) - 3 * data.values.shape[1])
    # cov = (J^T J)^-1 |r|^2/(n - p)
    covariance = np.linalg.pinv(found.jac.T @ found.jac) * 2 * found.cost / free
    s, w = found.x if growing else (0.0, found.x[0])
    ds, dw = np.sqrt(np.diag(covariance)) if growing else (0.0, np.sqrt(covariance[0, 0]))
    centre = _left(t, data.values / scale, relative, found.x)[1] * scale
    misfit = float(np.sqrt(np.mean((left(found.x).reshape(data.values.shape) / relative) ** 2)))
    hertz = 2 * np.pi * span
    told = [float(each) for each in (s / span, abs(w) / hertz, ds / span, dw / hertz)]
    return _doubted(Oscillation(told[0], told[1], told[2], told[3], misfit, tuple(map(float, centre))), span)


def _doubted(found: Oscillation, span: float) -> Oscillation:
    """The same, with what is to be said of it (W580)."""
    turns = span * found.frequency
    if turns < 1:
        fact = f"{span:.3g} s are {turns:.2g} of a turn at {found.frequency:.3g} Hz"
        warn("W580", f"{fact}: a frequency is not seen in less than one", 5)
    if found.misfit > UNEXPLAINED:
        warn("W580", f"{100 * found.misfit:.3g} % of the motion is left: this is no oscillation of one frequency", 5)
    return found


def _cost(found: object) -> float:
    return float(found.cost)  # type: ignore[attr-defined]


def _left(t: np.ndarray, x: np.ndarray, weights: np.ndarray, p: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Residuals of the best c, a, b for s and w, and c."""
    s, w = p if len(p) == 2 else (0.0, p[0])
    grown = np.exp(np.clip(s * t, -100, 100))
    basis = np.column_stack([np.ones_like(t), grown * np.cos(w * t), grown * np.sin(w * t)])
    out, centre = np.empty_like(x), np.empty(x.shape[1])
    for i in range(x.shape[1]):
        weighted = basis * weights[:, i, None]
        size = np.linalg.norm(weighted, axis=0)
        size = np.where(size > 0, size, 1.0)
        c = np.linalg.lstsq(weighted / size, x[:, i] * weights[:, i], rcond=None)[0] / size
        out[:, i], centre[i] = weights[:, i] * (x[:, i] - basis @ c), c[0]
    return out.ravel(), centre
