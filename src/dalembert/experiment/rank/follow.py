"""How far a candidate's motions can be followed at all.

Where neighbouring motions part by e^(k t), a run with relative tolerance rtol is off by about rtol e^(k t). Once that
is more than the noise, no search can tell whether some motion of the candidate describes what comes later. It is then
judged by the part of the record over which its motions are known: if it does not describe that part, it does not
describe the whole; if it does, the record leaves it open.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy import stats

from ..fit.descend import Minimum, descend
from ..fit.model import Model, NoMotion
from ..fit.prepare import RTOL
from .search import LOSS, Found

KNOWN = 0.3  # of the noise: a prediction that is known so well can be judged


@dataclass(frozen=True)
class Followed:
    """The part of a record over which a candidate can be followed.

    Attributes:
        until: its end; NaN if there is none.
        chi2: least chi2 of its numbers.
        dof: numbers less unknowns.
        p_value: chance of a larger chi2 if the candidate is right.
        found: was a motion found that lasts to the end of the record?
    """

    until: float
    chi2: float
    dof: int
    p_value: float
    found: bool = True


def followed(found: Found, noise: np.ndarray, spare: int) -> Followed | None:
    """What is known of a candidate that cannot be followed to the end of the record; None if it can, or has no motion.

    Args:
        found: of the candidate.
        noise: standard deviations (K,), those of the best candidate where they were estimated.
        spare: degrees of freedom from which these were estimated, 0 where they are known.
    """
    if found.minima and known(found.model, found.best, noise):
        return None
    if not found.minima and not any(places for _, places in found.ways):
        return None
    for part, places in reversed(found.ways):
        own = noise[_within(found.model, part)]
        reached = [m for m in (_reached(part, theta, own) for theta in places) if m is not None and known(part, m, own)]
        if reached:
            return replace(_judged(part, reached, spare), found=bool(found.minima))
    return Followed(float("nan"), 0.0, 0, 1.0)


def known(model: Model, m: Minimum, noise: np.ndarray) -> bool:
    """Are the predictions known to a part of the noise?"""
    # |df/dtheta| theta rtol/sigma, the largest
    J = m.jacobian[: len(noise)] * model.unknowns.size * (m.noise / noise)[:, None]
    rtol = model.span.options.get("rtol", RTOL)
    return bool(np.linalg.norm(J, axis=1).max(initial=0.0) * rtol < KNOWN)


def _within(whole: Model, part: Model) -> np.ndarray:
    """Which numbers of the whole are those of a part."""
    t = whole.data.t[whole.data.row]
    return np.asarray(t <= part.data.t[part.data.row].max())


def _reached(part: Model, theta: np.ndarray, noise: np.ndarray) -> Minimum | None:
    try:
        return descend(part, theta, LOSS, noise)
    except NoMotion:
        return None


def _judged(part: Model, reached: Sequence[Minimum], spare: int) -> Followed:
    best = min(reached, key=lambda m: m.cost)
    dof = len(part.data) + int(part.unknowns.has_prior.sum()) - len(part.unknowns)
    chi2 = 2 * best.cost
    p = stats.f.sf(chi2 / dof, dof, spare) if spare else stats.chi2.sf(chi2, dof)
    return Followed(part.until, chi2, dof, float(p))
