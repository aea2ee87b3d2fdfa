"""A ball on a sphere [routh1905]: it stays on top if it spins fast enough, and rolls about the bottom of a bowl."""

import math

import numpy as np
import pytest

import dalembert as da
from dalembert.systems import ball_on_sphere


@pytest.mark.parametrize(("faster", "stays"), [(1.05, True), (0.95, False)])
def test_a_ball_that_spins_fast_enough_stays_on_top(faster, stays):
    # w3^2 > 4 (I + m r^2) m g (b + r)/I^2 = 35 g (b + r)/r^2
    r, b, g = 0.5, 2.0, 9.81
    equations = da.nonholonomic(ball_on_sphere.system(r=r, b=b, g=g))
    spin = faster * math.sqrt(35 * g * (b + r)) / r
    start = equations.start(R="identity", th=0.01, ph=0.0, vth=0.0, vph=0.0, w3=spin)
    path = da.simulate(equations, start, until=8.0)
    assert (np.max(path["th"]) < 0.1) == stays


def test_small_swings_in_a_bowl_have_the_period_of_a_longer_pendulum():
    # (I + m r^2)/r^2 (b - r) thddot = -m g th:  tau sqrt(7 (b - r)/(5 g))
    r, b, g = 0.5, 3.0, 9.81
    equations = da.nonholonomic(ball_on_sphere.system(r=r, b=b, g=g, inside=True))
    period = math.tau * math.sqrt(7 * (b - r) / (5 * g))
    # around the bottom in a circle, a small one: half a turn in half a period
    small = 1e-3
    start = equations.start(R="identity", th=math.pi - small, ph=0.0, vth=0.0, vph=math.tau / period, w3=0.0)
    assert da.simulate(equations, start, until=period).at(period)["ph"] == pytest.approx(math.tau, abs=1e-4)
