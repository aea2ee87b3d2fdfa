"""What fixed steps leave of an error: the energy does not show it where the method keeps the energy by construction."""

from __future__ import annotations

import numpy as np

from ...errors import Note
from ...trajectory import Interpolant
from ..events.narrow import Narrow, places_of
from ..policy import Policy
from ..vector_field.field import Field
from .sizes import beside_their_kind

VISIBLE = 1e-6  # of the size of a column: what is larger is told
_PROBES = 100


def notes(field: Field, policy: Policy, path: Interpolant) -> list[Note]:
    """W305: the sum of the steps' own errors, where it can be seen."""
    if not policy.method.fixed or not np.isfinite(path.y).all():
        return []
    steps = np.flatnonzero(np.diff(path.t) > 0)
    if not len(steps):
        return []
    narrow = Narrow(field, places_of(field.equations), policy.rtol, np.zeros(path.y.shape[1] - 1), fixed=True)
    h = float(np.diff(path.t)[steps].max())
    if (missed := narrow.unseen(path, _sizes(field, path))) is not None:
        fact = f"steps of {h:.3g} go over something narrower than themselves at t = {missed:.6g} and do not feel it"
        return [Note("W305", f"{fact}: take a smaller step, or a method that chooses its steps")]
    place = np.linspace(0, len(steps) - 1, _PROBES).astype(int)
    probed = steps[place[np.diff(place, prepend=-1) > 0]]
    with np.errstate(all="ignore"):
        left = np.mean([_defect(field, path, int(i)) for i in probed], axis=0) * len(steps)
        error = float(np.max(left / _sizes(field, path)))
    if not error > VISIBLE:  # one that is no number belongs to a state at which nothing is determined
        return []
    return [Note("W305", f"steps of {h:.3g} leave an error of about {error:.0e} of the motion: take a smaller step")]


def _defect(field: Field, path: Interpolant, i: int) -> np.ndarray:
    """By how much one step misses Simpson's rule along the cubic through its ends, (n,)."""
    t, y, h = path.t[i], path.y[i : i + 2], path.t[i + 1] - path.t[i]
    f, g = field.rate(t, y[0]), field.rate(t + h, y[1])
    # y_m = (y0 + y1)/2 + h/8 (f0 - f1),   d = y1 - y0 - h/6 (f0 + 4 f_m + f1)
    middle = field.rate(t + h / 2, (y[0] + y[1]) / 2 + h / 8 * (f - g))
    return np.asarray(np.abs(y[1] - y[0] - h / 6 * (f + 4 * middle + g))[:-1])


def _sizes(field: Field, path: Interpolant) -> np.ndarray:
    """The size of each state along the path, not below a part of the largest position, velocity or multiplier."""
    whole = beside_their_kind(field.equations, np.abs(path.y[:, :-1]).max(axis=0))
    return np.where(whole > 0, whole, np.inf)
