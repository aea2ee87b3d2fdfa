"""Suslov's body in a field [kharlamova1957]: a volume is preserved, and what the weight cannot reach stays."""

import numpy as np
import pytest

import dalembert as da
from dalembert.systems import suslov_in_field


def test_a_volume_is_preserved():
    assert da.symmetry.measure(suslov_in_field.system())


def test_turning_about_the_arm_of_the_weight_is_uniform():
    equations = da.nonholonomic(suslov_in_field.system(c2=0.0))
    path = da.simulate(equations, equations.start(**suslov_in_field.START), until=3.0)
    assert np.ptp(path["w1"]) < 1e-9
    assert np.ptp(path["w2"]) > 0.1


def test_upright_it_swings_as_a_pendulum_about_the_free_axis():
    # c = (c1, 0, 0), turning about axis 2 alone: I2 w2dot = m g c1 gamma3
    system = suslov_in_field.system(c2=0.0)
    equations, p = da.nonholonomic(system), system.values()
    at = equations.evaluate(equations.start(R="identity", w1=0.0, w2=0.0))
    assert at["accelerations"]["w2"] == pytest.approx(p["m"] * p["g"] * p["c1"] / p["I2"])
