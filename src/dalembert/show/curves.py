"""What the model of a fit says of each column, as curves over the time of the fit."""

from __future__ import annotations

import numpy as np

from ..errors import DalembertError
from ..findings.fit import Fit


def curves_of(fit: Fit, samples: int) -> dict[str, np.ndarray]:
    """The model's columns at so many times, with these as ``t``; empty if none is an expression."""
    t = np.linspace(fit.path.t[0], fit.path.t[-1], samples)
    try:
        values, _ = fit.predict(t)
    except DalembertError:
        return {}
    return {"t": t, **values} if values else {}
