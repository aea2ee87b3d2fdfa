"""The double pendulum [goldstein2002]: the same in the rods' angles, and the frequencies of small swings."""

import math

import numpy as np
import pytest
import sympy as sp

import dalembert as da
from dalembert.systems import double_pendulum_cartesian as pendulum


def in_angles(**values):
    space = da.coordinates("upper lower")
    a, b, va, vb = space
    m1, m2, g, l1, l2 = sp.symbols("m1 m2 g l1 l2", positive=True)
    T = (m1 + m2) / 2 * l1**2 * va**2 + m2 / 2 * l2**2 * vb**2 + m2 * l1 * l2 * va * vb * sp.cos(a - b)
    V = -(m1 + m2) * g * l1 * sp.cos(a) - m2 * g * l2 * sp.cos(b)
    return da.System(space, T - V, parameters=pendulum.system(**values).values())


def test_the_same_in_the_angles(named):
    equations = da.free(in_angles())
    start = equations.start(upper=1.8, lower=1.2, vupper=0.0, vlower=0.0)
    angles = da.simulate(equations, start, until=3.0, rtol=1e-12, atol=1e-13)
    path = named("double_pendulum_cartesian").path("high")
    a, b = (angles.at(path.t)[n] for n in ("upper", "lower"))
    # the motion is not regular: errors grow
    assert np.allclose(path["x2"], np.sin(a) + np.sin(b), atol=1e-7)
    assert np.allclose(path["y2"], -np.cos(a) - np.cos(b), atol=1e-7)


def test_equal_pendula_swing_with_2_plus_and_minus_root_2():
    found = pendulum.small_frequencies(pendulum.system(g=1.0).values())
    assert found**2 == pytest.approx([2 - math.sqrt(2), 2 + math.sqrt(2)])


@pytest.mark.parametrize("mode", [0, 1])
def test_small_swings_have_these_frequencies(mode):
    values = {"m1": 1.3, "m2": 0.4, "g": 9.81, "l1": 0.8, "l2": 1.4}
    omega = pendulum.small_frequencies(values)[mode]
    # the mode's shape: (m1 + m2) (g - l1 w^2) a = m2 l2 w^2 b
    a, m = 1e-5, values["m1"] + values["m2"]
    b = m * (values["g"] - values["l1"] * omega**2) / (values["m2"] * values["l2"] * omega**2) * a
    equations = da.nonholonomic(pendulum.system(**values))
    place = pendulum.positions(a, b, 0.8, 1.4)
    start = equations.start(**place, vx1=0.0, vy1=0.0, vx2=0.0, vy2=0.0)
    path = da.simulate(equations, start, until=2 * math.pi / omega, rtol=1e-12, atol=1e-15)
    half = path.at(math.pi / omega)
    assert half["x1"] == pytest.approx(-place["x1"], rel=1e-6)
    assert half["x2"] == pytest.approx(-place["x2"], rel=1e-6)
