"""The circle of least squares through points: sum (|p_i - c| - R)^2 is least [gander1994]."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..errors import warn
from ..given import noun
from .series import Series

SEEN = 2.0  # standard uncertainties that a curvature must differ from 0 by


@noun
@dataclass(frozen=True)
class Circle:
    """A fitted circle.

    Attributes:
        centre: (x, y).
        radius: R; infinite if the points lie on a line, and then the centre is NaN.
        sigma: standard uncertainties of x, y and R: from those of the points if they are known, else from the scatter.
        scatter: root mean square distance of the points from the circle.
    """

    centre: tuple[float, float]
    radius: float
    sigma: tuple[float, float, float]
    scatter: float

    def __str__(self) -> str:
        (x, y), (dx, dy, dr) = self.centre, self.sigma
        return (
            f"radius {self.radius:.8g} +- {dr:.2g}, centre ({x:.8g} +- {dx:.2g}, {y:.8g} +- {dy:.2g}), "
            f"points within {self.scatter:.2g}"
        )


def fitted(data: Series) -> Circle:
    """The circle; that there is none to be seen is said (W580)."""
    found = _nearest(data)
    # the curvature is 1/R, known to sigma_R/R^2
    if not SEEN * found.sigma[2] < found.radius < np.inf:
        shown = "at one place" if not np.ptp(data.values, axis=0).any() else "on a line, as well as they are known"
        warn("W580", f"the points lie {shown}: they show no circle, and its radius and centre mean nothing", 4)
    return found


def _nearest(data: Series) -> Circle:
    """Begun with the algebraic circle, which is linear [kasa1976]; then Gauss and Newton's steps by SciPy."""
    from scipy.optimize import least_squares

    middle = data.values.mean(axis=0)
    p = data.values - middle
    largest = float(np.abs(p).max()) or 1.0
    size = largest * (float(np.sqrt(np.mean((p / largest) ** 2))) or 1.0)
    p, known = p / size, data.weights
    w = np.ones(len(p)) if known is None else np.sqrt(np.mean((size * known) ** 2, axis=1))
    # x^2 + y^2 = 2 a x + 2 b y + d,  R^2 = d + a^2 + b^2
    A = np.column_stack([2 * p, np.ones(len(p))])
    (a, b, d), _, rank, _ = np.linalg.lstsq(A, (p**2).sum(axis=1), rcond=1e-12)
    if rank < 3:
        return Circle((np.nan, np.nan), np.inf, (np.inf,) * 3, float(_off_line(p) * size))

    def left(c: np.ndarray) -> np.ndarray:
        return np.asarray(w * (np.hypot(p[:, 0] - c[0], p[:, 1] - c[1]) - c[2]))

    found = least_squares(left, [a, b, np.sqrt(d + a * a + b * b)], x_scale="jac", xtol=1e-15, ftol=1e-15, gtol=1e-15)
    variance = 1.0 if known is not None else 2 * found.cost / max(1, len(p) - 3)
    spread = spreads(found.jac) * np.sqrt(variance) * size
    x, y, R = found.x * size
    scatter = float(np.sqrt(np.mean((left(found.x) / w) ** 2)) * size)
    return Circle(
        (float(x + middle[0]), float(y + middle[1])),
        float(abs(R)),
        (float(spread[0]), float(spread[1]), float(spread[2])),
        scatter,
    )


def spreads(jacobian: np.ndarray) -> np.ndarray:
    """sqrt(diag((J^T J)^-1)) of J (K, d), without its square; infinite along what J does not hold."""
    _, s, Vt = np.linalg.svd(jacobian, full_matrices=False)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(np.sqrt(np.nansum((Vt / s[:, None]) ** 2, axis=0)))


def _off_line(p: np.ndarray) -> float:
    return float(np.linalg.svd(p, compute_uv=False)[-1] / np.sqrt(len(p)))
