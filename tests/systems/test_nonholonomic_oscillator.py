"""The nonholonomic oscillator [bates1999]: what it goes on in a swing is a complete elliptic integral."""

import math

import pytest
from scipy.special import ellipk

import dalembert as da
from dalembert.systems import nonholonomic_oscillator


def test_it_goes_on_by_an_elliptic_integral_in_a_swing():
    k, A, C = 2.5, 0.8, 0.6
    equations = da.nonholonomic(nonholonomic_oscillator.system(k=k))
    start = equations.start(x=0.2, y=0.0, z=0.1, vx=C, vy=A * math.sqrt(k))
    period = math.tau / math.sqrt(k)
    end = da.simulate(equations, start, until=period, rtol=1e-11, atol=1e-13).at(period)
    assert end["x"] - 0.2 == pytest.approx(4 * C / math.sqrt(k) * ellipk(-(A**2)), rel=1e-9)
    assert end["z"] == pytest.approx(0.1, abs=1e-9)


def test_a_stiff_spring_holds_it_on_a_straight_line():
    equations = da.nonholonomic(nonholonomic_oscillator.system(k=1e4))
    end = da.simulate(equations, equations.start(x=0.0, y=0.0, z=0.0, vx=1.0, vy=0.1), until=2.0).at(2.0)
    assert end["x"] == pytest.approx(2.0, abs=1e-5)
    assert end["z"] == pytest.approx(0.0, abs=1e-4)
