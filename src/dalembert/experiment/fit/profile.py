"""Profile likelihood: one unknown is held at some values, the others are fitted again.

    rise(v) = min over the others of -2 log L(v, others)  -  its least

Where the noise is known, the rise is that of chi2, and follows chi2 with one degree of freedom; where it was estimated,
the ratio of the sums of squares follows F with one and dof.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy import stats
from scipy.optimize import brentq

from ...errors import InvalidValue, as_given
from ...findings.fit import Profile
from ...given import whole
from .descend import Minimum, descend
from .model import Model, NoMotion

WIDER, MOST = 1.6, 40  # a step outwards over the one before, and how many
LEVEL = 0.95


class _Held:
    """Best fits with one unknown held; each begins at the nearest one that is known."""

    def __init__(self, model: Model, best: Minimum, loss: str, name: str) -> None:
        self.model, self.best, self.loss, self.name = model, best, loss, name
        self.place = model.unknowns.names.index(name)
        self.known: dict[float, np.ndarray] = {float(best.theta[self.place]): np.delete(best.theta, self.place)}
        self.done: dict[float, tuple[float, np.ndarray]] = {}

    def __call__(self, value: float) -> tuple[float, np.ndarray]:
        """The rise of the cost (twice) and the others; each value is fitted once, so that the rise is a function."""
        if value not in self.done:
            self.done[value] = self._fitted(value)
        return self.done[value]

    def _fitted(self, value: float) -> tuple[float, np.ndarray]:
        near = self.known[min(self.known, key=lambda v: abs(v - value))]
        try:
            found = descend(self.model.held(self.name, value), near, self.loss, self.best.noise)
        except NoMotion:
            return math.inf, np.full(len(near), np.nan)
        self.known[value] = found.theta
        u = self.model.unknowns
        prior = 0.0
        if u.has_prior[self.place]:
            m, s = u.mean[self.place], u.spread[self.place]
            prior = ((value - m) / s) ** 2
        return 2 * found.cost + prior, found.theta

    @property
    def least(self) -> float:
        """Twice the cost at the best."""
        return 2 * self.best.cost if not self.model.unknowns.has_prior.any() else self(self.value)[0]

    @property
    def value(self) -> float:
        return float(self.best.theta[self.place])


def threshold(model: Model, best: Minimum, level: float) -> float:
    """The rise at the ends of an interval."""
    if isinstance(level, bool) or not isinstance(level, int | float | np.number) or not 0 < level < 1:
        raise InvalidValue("E553", f"level = {as_given(level)} is not between 0 and 1", "level=0.95")
    dof = len(model.data) - len(model.unknowns)
    if model.data.unknown and dof > 0:
        # the noise carries one estimate of sigma^2, with dof degrees of freedom
        return float(stats.f.ppf(level, 1, dof))
    return float(stats.chi2.ppf(level, 1))


def profile(model: Model, best: Minimum, loss: str, name: str, values: Sequence[float] | None, points: int) -> Profile:
    """The rise at some values."""
    held = _Held(model, best, loss, name)
    least = held.least
    values = _values(values, points)
    if values is None:
        low, high = interval(model, best, loss, name, 0.997)
        scale = max(abs(held.value), float(model.unknowns.size[held.place]))
        low, high = max(low, held.value - 10 * scale), min(high, held.value + 10 * scale)
        values = list(np.linspace(low, high, points))
    v = np.array(sorted(map(float, values)))
    # outwards from the best, so that each begins next to a fit
    order = np.argsort(np.abs(v - held.value))
    rise, others = np.empty(len(v)), np.empty((len(v), len(best.theta) - 1))
    for i in order:
        cost, others[i] = held(float(v[i]))
        rise[i] = max(cost - least, 0.0)
    rest = [n for n in model.unknowns.names if n != name]
    return Profile(name, v, rise, dict(zip(rest, others.T, strict=True)), threshold(model, best, LEVEL))


def _values(values: Any, points: Any) -> list[float] | None:
    """The values asked for, checked (E553)."""
    whole(points, "points", "E553", least=2)
    if values is None:
        return None
    try:
        found = [float(v) for v in values]
    except (TypeError, ValueError, OverflowError):
        raise InvalidValue("E553", f"{as_given(values)} is no list of numbers", "profile(name, [1.0, 1.1])") from None
    if not found or not np.isfinite(found).all():
        raise InvalidValue("E553", f"{as_given(values)} is no list of finite numbers", "profile(name, [1.0, 1.1])")
    return found


def interval(model: Model, best: Minimum, loss: str, name: str, level: float) -> tuple[float, float]:
    """Both ends of the interval."""
    held, wanted = _Held(model, best, loss, name), threshold(model, best, level)
    least, u = held.least, model.unknowns
    first = _first_step(model, best, held.place, wanted)
    ends = [_end(held, least + wanted, side * first, bound) for side, bound in ((-1, u.low), (+1, u.high))]
    return ends[0], ends[1]


def _first_step(model: Model, best: Minimum, place: int, wanted: float) -> float:
    """What the curvature at the best says, at most the unknown's size."""
    u = model.unknowns
    C = np.linalg.pinv((best.jacobian * u.size).T @ (best.jacobian * u.size), rcond=1e-12)
    step = math.sqrt(max(C[place, place], 0.0) * wanted) * u.size[place]
    size = max(float(u.size[place]), abs(float(best.theta[place]))) or 1.0
    return float(min(max(step, 1e-9 * size), size))


def _end(held: _Held, wanted: float, step: float, bounds: Any) -> float:
    """Where the cost reaches what is wanted, going outwards; the bound or infinity if it does not."""
    limit = float(bounds[held.place])
    inside = held.value
    for _ in range(MOST):
        outside = inside + step
        beyond = (outside <= limit) if step < 0 else (outside >= limit)
        outside = limit if beyond else outside
        cost = held(outside)[0]
        if cost > wanted:
            return _crossed(held, wanted, inside, outside)
        if beyond:
            return limit
        inside, step = outside, step * WIDER
    return math.copysign(math.inf, step)


def _crossed(held: _Held, wanted: float, inside: float, outside: float) -> float:
    def over(v: float) -> float:
        return min(held(v)[0] - wanted, 1e6)

    if over(inside) >= 0:  # at the best itself, to rounding
        return inside
    tolerance = 1e-4 * abs(outside - inside) + 1e-300
    return float(brentq(over, inside, outside, xtol=tolerance, rtol=1e-10))
