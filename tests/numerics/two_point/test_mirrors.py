"""Extremals that others tell of: mirror images, and what leaves rest at its conjugate points."""

import numpy as np
import pytest
from scipy.optimize import brentq
from scipy.special import ellipk

import dalembert as da


def test_all_swings_of_a_pendulum_that_are_back_in_time_are_found():
    # rest, and n half swings of the half period 10/n >= pi to either side: 2 K(m) n = 10, v = 2 sqrt(m)
    speeds = [2 * np.sqrt(brentq(lambda m, n=n: 2 * ellipk(m) * n - 10, 1e-9, 1 - 1e-12)) for n in (1, 2, 3)]
    equations = da.free(da.System(da.coordinates("x"), "dot(x)^2/2 + cos(x)"))
    found = da.two_point(equations, {"x": 0}, {"x": 0}, duration=10.0, starts=10, check=False)
    assert sorted(e.unknowns["vx"] for e in found) == pytest.approx(
        sorted([0.0, *speeds, *np.negative(speeds)]), abs=1e-7
    )
    assert "least action" in found.remarks[0]
