"""The nonholonomic particle [bates1993; rosenberg1977]."""

import numpy as np
import pytest

import dalembert as da
from dalembert.systems import nonholonomic_particle as particle


def test_the_equation_of_the_books(named):
    # (1 + y^2) xddot + y xdot ydot = 0 ,  yddot = 0
    case = named("nonholonomic_particle")
    start = case.start("curved")
    a = case.equations(da.nonholonomic).evaluate(start)["accelerations"]
    assert (1 + start["y"] ** 2) * a["vx"] == pytest.approx(-start["y"] * start["vx"] * start["vy"])
    assert a["vy"] == 0


@pytest.mark.parametrize("vy", [1e-3, 1e-6, -1e-9])
def test_slow_crossing_joins_the_uniform_motion(vy):
    start = [0.1, 0.7, 0.2, -0.5, 0.0, -0.35]
    uniform = particle.exact(2.0, start, {})
    near = particle.exact(2.0, [*start[:4], vy, start[5]], {})
    assert np.allclose(near, uniform, atol=5 * abs(vy) + 1e-6)
