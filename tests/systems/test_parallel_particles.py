"""Particles with parallel velocities [benenti2011]: both lose the same speed, and turn together."""

import numpy as np
import pytest

import dalembert as da
from dalembert.systems import parallel_particles


@pytest.mark.parametrize("seed", range(3))
def test_speeds_and_heading_obey_chetaevs_equations(seed):
    s1, s2, chi = np.random.default_rng(seed).uniform([0.5, -2.0, -3.0], [2.0, 2.0, 3.0])
    system = parallel_particles.system()
    equations, p = da.nonholonomic(system), system.values()
    ahead, across = np.array([np.cos(chi), np.sin(chi)]), np.array([-np.sin(chi), np.cos(chi)])
    v1, v2 = s1 * ahead, s2 * ahead
    start = equations.start(x1=0, y1=0, x2=1, y2=0, vx1=v1[0], vy1=v1[1], vx2=v2[0], vy2=v2[1])
    found = equations.evaluate(start)["accelerations"]
    a1, a2 = np.array([found["vx1"], found["vy1"]]), np.array([found["vx2"], found["vy2"]])
    m1, m2, g = p["m1"], p["m2"], p["g"]
    assert [a1 @ ahead, a2 @ ahead] == pytest.approx([-g * np.sin(chi)] * 2)
    turning = -g * (m1 * s1 + m2 * s2) * np.cos(chi) / (m1 * s1**2 + m2 * s2**2)
    assert [a1 @ across, a2 @ across] == pytest.approx([s1 * turning, s2 * turning])
