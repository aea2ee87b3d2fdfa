"""Solutions of small systems of differential equations, to rounding, as functions of times."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ..errors import InvalidValue

RTOL, ATOL = 1e-13, 1e-14
Curve = Callable[[np.ndarray], np.ndarray]


def solved(derivative: Callable[[float, np.ndarray], np.ndarray], t: np.ndarray, y: np.ndarray) -> Curve:
    """The solution from t[0] to t[-1], as a function of times: (n, len(times)).

    Raises:
        InvalidValue: E124, it cannot be followed to the end.
    """
    if t[-1] == t[0]:
        return lambda times: np.repeat(y[:, None], len(times), axis=1)
    from scipy.integrate import solve_ivp

    run = solve_ivp(derivative, (t[0], t[-1]), y, "DOP853", dense_output=True, rtol=RTOL, atol=ATOL)
    if not run.success:
        fact = f"the group's motion cannot be followed beyond t = {run.t[-1]:.6g}"
        raise InvalidValue("E124", fact, "run the full system there")
    return lambda times: np.asarray(run.sol(times))
