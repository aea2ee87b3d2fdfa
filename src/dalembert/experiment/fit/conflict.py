"""What priors and data say apart: the data alone choose theta_0, the prior its mean m, with what is known of each.

    z = (m - theta_0)/sqrt(s^2 + var(theta_0))

A prior that is far narrower than the data are sure wins against them in silence, and where the noise is estimated from
what is left, it grows until both seem to agree; so the data are asked alone, with their own noise.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from .descend import Minimum, descend, merit
from .grounded import sizes
from .model import Model, NoMotion
from .seen import NOTHING

APART = 4.0  # standard deviations of the difference: less than one chance in 10,000


class Conflict(NamedTuple):
    """An unknown of which data and prior say different things."""

    name: str
    prior: tuple[float, float]
    data: tuple[float, float]
    apart: float


def conflicts(model: Model, best: Minimum, loss: str) -> Iterator[Conflict]:
    """The unknowns whose prior contradicts the data."""
    u = model.unknowns
    if not u.has_prior.any() or len(model.data) <= len(u):
        return
    alone = _by_data(model, best, loss)
    if alone is None:
        return
    spread = _spreads(alone.jacobian, sizes(model, alone.theta))
    for i in np.flatnonzero(u.has_prior):
        m, s, found = float(u.mean[i]), float(u.spread[i]), float(alone.theta[i])
        apart = abs(m - found) / math.hypot(s, spread[i])
        if apart > APART:
            yield Conflict(u.names[i], (m, s), (found, float(spread[i])), apart)


def _by_data(model: Model, best: Minimum, loss: str) -> Minimum | None:
    """The best minimum without priors, from the fit and from the guess."""
    u = model.unknowns
    nothing = np.full(len(u), math.nan)
    free = model.on(unknowns=replace(u, mean=nothing, spread=nothing))
    found = []
    for theta in (best.theta, u.guess):
        try:
            found.append(descend(free, theta, loss))
        except NoMotion:
            continue
    return min(found, key=merit, default=None)


def _spreads(jacobian: np.ndarray, size: np.ndarray) -> np.ndarray:
    """Standard deviations of the unknowns by the data, infinite along what these do not see."""
    _, s, Vt = np.linalg.svd(jacobian * size, full_matrices=True)
    s = np.r_[s, np.zeros(len(size) - len(s))]
    blind = s <= NOTHING * s.max(initial=0.0)
    share = Vt.T**2
    known = np.sqrt((share[:, ~blind] / s[~blind] ** 2).sum(axis=1)) * size
    return np.where((share[:, blind] > NOTHING).any(axis=1), math.inf, known)
