"""The pendulum: elliptic motion and period [whittaker1937], and the same in its angle."""

import math

import numpy as np
import pytest
import sympy as sp

import dalembert as da
from dalembert.systems import pendulum_cartesian as pendulum

DEFAULTS = pendulum.system().values()


def test_small_swings_take_2_pi_sqrt_l_over_g():
    # T = 2 pi sqrt(l/g) (1 + a^2/16 + 11 a^4/3072 + O(a^6))
    for a in (0.01, 0.1, 0.3):
        series = 2 * math.pi * math.sqrt(1 / 9.81) * (1 + a**2 / 16 + 11 * a**4 / 3072)
        assert pendulum.period(a, DEFAULTS) == pytest.approx(series, rel=a**6 / 100 + 1e-15)


@pytest.mark.parametrize("amplitude", [0.3, 1.5, 3.0])
def test_the_period_is_that_of_the_run(amplitude):
    equations = da.nonholonomic(pendulum.system())
    start = equations.start(x=math.sin(amplitude), y=-math.cos(amplitude), vx=0.0, vy=0.0)
    T = pendulum.period(amplitude, DEFAULTS)
    path = da.simulate(equations, start, until=T, rtol=1e-12, atol=1e-14)
    assert [path["x"][-1], path["y"][-1]] == pytest.approx([start["x"], start["y"]], abs=1e-8)


@pytest.mark.parametrize("name", pendulum.STARTS)
def test_the_same_in_the_angle(name, named):
    theta, rate = da.coordinates("theta", "omega")
    m, g, l = sp.symbols("m g l", positive=True)
    system = da.System(theta_space(), m / 2 * l**2 * rate**2 + m * g * l * sp.cos(theta), parameters=DEFAULTS)
    equations, s = da.free(system), named("pendulum_cartesian").start(name)
    begin = equations.start(theta=math.atan2(s["x"], -s["y"]), omega=-s["y"] * s["vx"] + s["x"] * s["vy"])
    path = da.simulate(equations, begin, until=3.0, rtol=1e-12, atol=1e-13)
    x, y, *_ = pendulum.exact(path.t, [s[c] for c in pendulum.EXACT], DEFAULTS)
    assert np.allclose(x, np.sin(path["theta"]), atol=1e-9)
    assert np.allclose(y, -np.cos(path["theta"]), atol=1e-9)


def theta_space():
    return da.coordinates("theta", "omega")


def test_on_the_separatrix_it_climbs_to_the_top_for_ever():
    v = 2 * math.sqrt(9.81)
    x, y, *_ = pendulum.exact(np.array([0.5, 8.0]), [0.0, -1.0, v, 0.0], DEFAULTS)
    # tan((pi + theta)/4) = e^(w t)
    theta = 4 * math.atan(math.exp(math.sqrt(9.81) * 0.5)) - math.pi
    assert [x[0], y[0]] == pytest.approx([math.sin(theta), -math.cos(theta)], abs=1e-7)
    assert y[1] == pytest.approx(1, abs=1e-6)


def test_the_rod_pulls_with_gravity_and_the_centripetal_force():
    equations = da.nonholonomic(pendulum.system(m=2.0, l=1.5))
    found = equations.evaluate(equations.start(x=0.0, y=-1.5, vx=3.0, vy=0.0))
    assert found["reactions"]["vy"] == pytest.approx(2.0 * (9.81 + 9.0 / 1.5))
