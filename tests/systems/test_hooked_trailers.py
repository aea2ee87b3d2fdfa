"""A car with off-hooked trailers [rouchon1993; altafini2001]: circles, jackknives, and what the hooks change."""

import math
from itertools import pairwise

import numpy as np
import pytest

import dalembert as da
from dalembert.systems import car_with_trailers, hooked_trailers


def test_on_circles_the_squares_of_the_radii_differ_by_h2_minus_l2():
    h, l, speed, turning = 0.4, 1.0, 1.0, 0.5
    equations = da.nonholonomic(hooked_trailers.system(h=h, l=l))
    radii = [speed / turning]
    for _ in range(2):
        radii.append(math.sqrt(radii[-1] ** 2 + h**2 - l**2))
    # the hook is h behind one axle and l ahead of the next, which see the middle of the circle to the side
    bends = [math.atan2(h, a) + math.atan2(l, b) for a, b in pairwise(radii)]
    headings = np.cumsum([0.0, *(-bend for bend in bends)])
    turned = dict(zip(("theta0", "theta1", "theta2"), headings, strict=True))
    start = equations.start(x=0.0, y=0.0, vx=speed, omega0=turning, **turned)
    assert start["omega1"] == pytest.approx(turning)
    assert start["omega2"] == pytest.approx(turning)


@pytest.mark.parametrize(("speed", "stays"), [(0.8, True), (-0.8, False)])
def test_it_goes_straight_ahead_and_jackknifes_backwards(speed, stays):
    equations = da.nonholonomic(hooked_trailers.system())
    start = equations.start(x=0.0, y=0.0, vx=speed, theta0=0.0, theta1=0.01, theta2=0.0, omega0=0.0)
    path = da.simulate(equations, start, until=6.0)
    assert (np.abs(path["theta2"] - path["theta0"])[-1] < 0.05) == stays


def test_with_hooks_on_the_axles_it_is_the_usual_train():
    hooked = da.nonholonomic(hooked_trailers.system(h=2e-3))
    usual = da.nonholonomic(car_with_trailers.system(n=2))
    one, other = (da.simulate(e, e.start(**hooked_trailers.START), until=3.0).at(3.0) for e in (hooked, usual))
    names = ("x", "y", "theta0", "theta1", "theta2")
    assert [one[n] for n in names] == pytest.approx([other[n] for n in names], abs=3 * 2e-3)
    # with hooks behind them they push the car about
    assert da.simulate(usual, usual.start(**hooked_trailers.START), until=3.0).at(3.0)["omega0"] == pytest.approx(0.4)
