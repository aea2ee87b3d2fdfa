"""Is the motion worth more than a constant? A record of zeros, or of noise, has a best fit too, and it means nothing.

Each column is described by one number, its mean, with the same noise as in the fit, and both descriptions are compared
by Akaike's criterion, -2 log L + 2 k.
"""

from __future__ import annotations

import numpy as np

from ...findings.fit import Fit

FEW = 4  # numbers of a column below which nothing is compared
PLAINLY = 25.0  # of -2 log L, by which a constant must describe one column better
MARGIN = 10.0  # of the criterion, by which a motion must describe all of them better: less is found in noise too
TINY = 1e-9  # of the largest number of a column: what is left is rounding


def no_better(fit: Fit) -> tuple[str, ...]:
    """The columns that a constant describes about as well as the motion: all of them, or one plainly better."""
    gains = {name: _gain(fit, fit.column == i) for i, name in enumerate(fit.columns)}
    known = {name: gain for name, gain in gains.items() if gain is not None}
    if known and len(known) == len(gains) and sum(known.values()) + 2 * len(known) <= 2 * len(fit) + MARGIN:
        return fit.columns
    return tuple(name for name, gain in known.items() if gain < -PLAINLY)


def _gain(fit: Fit, own: np.ndarray) -> float | None:
    """-2 log L of a constant less that of the motion; None where there is nothing to compare."""
    y, left, sigma = fit.seen[own], (fit.seen - fit.predicted)[own], fit.sigma[own]
    if len(y) < FEW or not np.isfinite(fit.t[own]).all():
        return None
    if fit.loss != "linear":  # Laplace's law, which heeds outliers less
        least = max(TINY * float(np.abs(y).max()), 1e-150)
        sizes = [max(float(np.abs(x).mean()), least) for x in (y - np.median(y), left)]
        return 2 * len(y) * float(np.log(sizes[0] / sizes[1]))
    weight = 1 / sigma**2
    off = y - float(weight @ y / weight.sum())
    if fit.columns[int(fit.column[own][0])] not in fit.estimated:
        return float(weight @ off**2 - weight @ left**2)
    least = len(y) * max(TINY * float(np.abs(y).max()), 1e-150) ** 2
    return float(len(y) * (np.log(max(off @ off, least)) - np.log(max(left @ left, least))))
